/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A path is what shares one estimate: the elements of a group, or one
 * element alone. It has a sender, the clock by which it paces, and a lock
 * for all of it. The caller holds the lock unless a function's comment says
 * otherwise.
 */
#ifndef __GST_RTP_BANDWIDTH_PATH_H__
#define __GST_RTP_BANDWIDTH_PATH_H__

#include <gst/gst.h>

#include <control/sender.h>
#include <notify/notifier.h>

#include "core/streamfeedback.h"
#include "core/transportfeedback.h"

G_BEGIN_DECLS

typedef struct _GstRtpBandwidthPath GstRtpBandwidthPath;

/* How feedback names packets. */
typedef enum
{
  GST_RTP_BANDWIDTH_NAMES_UNKNOWN,      /* no feedback has come */
  GST_RTP_BANDWIDTH_NAMES_TRANSPORT,    /* by transport-wide numbers */
  GST_RTP_BANDWIDTH_NAMES_STREAM        /* by SSRC and number (RFC 8888) */
} GstRtpBandwidthNames;

/* A packet that leaves. */
typedef struct
{
  guint32 ssrc;
  guint16 number;
  guint payload_size;           /* bytes */
  gboolean marker;              /* the packet ends a picture */
  gboolean numbered;            /* has a transport-wide number */
  gboolean counted;             /* the path paces and counts the packet */
} GstRtpBandwidthPacket;

/* An element on a path. */
typedef struct
{
  guint32 series;               /* series in the keys of its packets */
  guint8 receiver;              /* index of its receiver on the path */
  GstNotifier *notifier;
  guint64 reserved_bitrate;     /* bits/s; subtracted from its target */

  GstClockID id;                /* timer of the wait; NULL = none yet */
  gboolean waiting;             /* a thread waits for the id */
  gboolean woken;

  GstRtpBandwidthNames names;
  /* When feedback with these names last came; PSP_TIME_UNKNOWN = never. */
  gint64 named_at;
  /* Some of its streams have transport-wide numbers. */
  gboolean numbers;
  PspStreamNumbers streams;
  PspRtcpFeedback rtcp;         /* allocated with the first report */

  PspTransportTime time;        /* the receiver's time line */
  GArray *acknowledgements;     /* PspAcknowledgement, not yet processed */
  /* The newest of these arrivals, on the receiver's time line. */
  gint64 reported_at;
} GstRtpBandwidthMember;

typedef struct
{
  const PspControllerClass *controller;
  const gdouble *parameters;    /* as in PspSenderConfig */
  PspLimits limits;
} GstRtpBandwidthPathConfig;

/* Makes the element a member of the group's path and returns the path, or
 * NULL if memory runs out. If the group is NULL or empty, the element has
 * a path of its own. The config applies if the path is new. The caller
 * does not hold the lock. */
GstRtpBandwidthPath *gst_rtp_bandwidth_path_join (const gchar * group,
    const GstRtpBandwidthPathConfig * config, GstRtpBandwidthMember * member);
/* Ends the membership; the last member frees the path. The caller does not
 * hold the lock. */
void gst_rtp_bandwidth_path_leave (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member);
void gst_rtp_bandwidth_path_lock (GstRtpBandwidthPath * path);
void gst_rtp_bandwidth_path_unlock (GstRtpBandwidthPath * path);

PspSender *gst_rtp_bandwidth_path_sender (GstRtpBandwidthPath * path);
/* Sets the limits of all members, in bits/s. A negative value leaves a
 * limit as it is. */
void gst_rtp_bandwidth_path_limit (GstRtpBandwidthPath * path, gint64 min,
    gint64 max);
/* Returns the time in ns, of the clock with which rtpsession notes
 * departures. */
gint64 gst_rtp_bandwidth_path_now (GstRtpBandwidthPath * path);
/* Does what is due now. Returns when something is due next. */
gint64 gst_rtp_bandwidth_path_poll (GstRtpBandwidthPath * path, gint64 now);
/* Waits until the time `until`, or until the member is woken. Releases the
 * lock meanwhile. */
void gst_rtp_bandwidth_path_wait (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, gint64 until);
void gst_rtp_bandwidth_path_wake (GstRtpBandwidthMember * member);
/* Wakes all members, because the sender may decide otherwise now. */
void gst_rtp_bandwidth_path_wake_all (GstRtpBandwidthPath * path);

/* Notes that some of the member's streams have transport-wide numbers, by
 * their caps. Until feedback names packets otherwise, other streams do not
 * count. */
void gst_rtp_bandwidth_path_numbered (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member);
/* True if feedback names packets by SSRC and number, so that packets
 * without a transport-wide number count, too. */
gboolean gst_rtp_bandwidth_path_names_streams (const GstRtpBandwidthPath * path,
    const GstRtpBandwidthMember * member);
/* Notes that a packet waits. */
void gst_rtp_bandwidth_path_queued (GstRtpBandwidthPath * path,
    const GstRtpBandwidthPacket * packet);
/* Notes that a packet does not wait any more. */
void gst_rtp_bandwidth_path_unqueued (GstRtpBandwidthPath * path,
    const GstRtpBandwidthPacket * packet);
/* Returns how long the packets that wait take at the target, in ns; 0 =
 * none waits, or nothing is held. */
GstClockTime gst_rtp_bandwidth_path_queue_time (GstRtpBandwidthPath * path);

/* Returns when the next packet may leave; now = at once. */
gint64 gst_rtp_bandwidth_path_slot (GstRtpBandwidthPath * path, gint64 now);
/* Notes that a packet that was queued leaves now. */
void gst_rtp_bandwidth_path_sent (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const GstRtpBandwidthPacket * packet,
    gint64 now);
/* Notes that downstream took packets late, or took none until now. */
void gst_rtp_bandwidth_path_resume (GstRtpBandwidthPath * path, gint64 now);

/* Takes transport-wide feedback from a member's receiver. If a receiver
 * has sent the other kind, it is ignored until that kind has been silent. */
void gst_rtp_bandwidth_path_feedback (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const PspTransportStatus * statuses,
    gsize n);
/* Takes feedback of RFC 8888 in the same way. Returns FALSE if the message is
 * malformed. */
gboolean gst_rtp_bandwidth_path_message (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const PspStreamMessage * message);
/* True if nothing is held, because no feedback came in time after the
 * first packet. */
gboolean gst_rtp_bandwidth_path_is_uncontrolled (GstRtpBandwidthPath * path);

G_END_DECLS

#endif
