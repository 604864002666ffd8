/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * One estimate for those that send over one path: the elements of a group, or
 * one element alone. A path has a sender, the clock by which it paces, and the
 * lock of all of it. Functions are called with the lock unless they say
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
  GST_RTP_BANDWIDTH_NAMES_UNKNOWN,      /* none has come yet */
  GST_RTP_BANDWIDTH_NAMES_TRANSPORT,    /* by transport-wide numbers */
  GST_RTP_BANDWIDTH_NAMES_STREAM        /* by SSRC and number (RFC 8888) */
} GstRtpBandwidthNames;

/* A packet that leaves. */
typedef struct
{
  guint32 ssrc;
  guint16 number;
  guint payload_size;           /* bytes */
  gboolean marker;              /* it ends a picture */
  gboolean numbered;            /* rtpsession numbers it transport-wide */
  gboolean counted;             /* the path paces it and accounts for it */
} GstRtpBandwidthPacket;

/* An element on a path. */
typedef struct
{
  guint32 series;               /* of the keys of its packets */
  guint8 receiver;              /* its own, of the path's */
  GstNotifier *notifier;
  guint64 reserved_bitrate;     /* of the target that is announced to it */

  GstClockID id;                /* or NULL */
  gboolean waiting;             /* a thread waits for the id */
  gboolean woken;

  GstRtpBandwidthNames names;
  gint64 named_at;              /* the last feedback of that kind; or
                                   PSP_TIME_UNKNOWN */
  gboolean numbers;             /* some of its streams have transport-wide
                                   numbers */
  PspStreamNumbers streams;
  PspRtcpFeedback rtcp;         /* its memory comes with the first report */

  PspTransportTime time;        /* the receiver's */
  GArray *acknowledgements;     /* PspAcknowledgement, not yet taken */
  gint64 reported_at;           /* when the receiver reported them */
} GstRtpBandwidthMember;

typedef struct
{
  const PspControllerClass *controller;
  const gdouble *parameters;    /* as in PspSenderConfig */
  PspLimits limits;
} GstRtpBandwidthPathConfig;

/* Without the lock. The path of that group; NULL or empty: one of its own. The
 * config counts where it is new. Returns NULL if memory runs out. */
GstRtpBandwidthPath *gst_rtp_bandwidth_path_join (const gchar * group,
    const GstRtpBandwidthPathConfig * config, GstRtpBandwidthMember * member);
void gst_rtp_bandwidth_path_leave (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member);
void gst_rtp_bandwidth_path_lock (GstRtpBandwidthPath * path);
void gst_rtp_bandwidth_path_unlock (GstRtpBandwidthPath * path);

PspSender *gst_rtp_bandwidth_path_sender (GstRtpBandwidthPath * path);
/* A negative limit stays as it is; the others count for all members. */
void gst_rtp_bandwidth_path_limit (GstRtpBandwidthPath * path, gint64 min,
    gint64 max);
/* Returns ns of the clock by which rtpsession notes departures, too. */
gint64 gst_rtp_bandwidth_path_now (GstRtpBandwidthPath * path);
/* Does what is due now; returns when something is next. */
gint64 gst_rtp_bandwidth_path_poll (GstRtpBandwidthPath * path, gint64 now);
/* Waits without the lock until `until`, or until the member is woken. */
void gst_rtp_bandwidth_path_wait (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, gint64 until);
void gst_rtp_bandwidth_path_wake (GstRtpBandwidthMember * member);
/* Wakes all members: what the sender decides may have changed. */
void gst_rtp_bandwidth_path_wake_all (GstRtpBandwidthPath * path);

/* Some of the member's streams have transport-wide numbers, by their caps:
 * until feedback says otherwise, others do not count. */
void gst_rtp_bandwidth_path_numbered (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member);
/* Whether packets are named by SSRC and number, so that those without a
 * transport-wide one count, too. */
gboolean gst_rtp_bandwidth_path_names_streams (const GstRtpBandwidthPath * path,
    const GstRtpBandwidthMember * member);
/* A packet waits, or does not any more. */
void gst_rtp_bandwidth_path_queued (GstRtpBandwidthPath * path,
    const GstRtpBandwidthPacket * packet);
void gst_rtp_bandwidth_path_unqueued (GstRtpBandwidthPath * path,
    const GstRtpBandwidthPacket * packet);
/* Returns what waits, as time at the target; 0 = nothing, or no target. */
GstClockTime gst_rtp_bandwidth_path_queue_time (GstRtpBandwidthPath * path);

/* Returns when the next packet may leave: not after now = at once. */
gint64 gst_rtp_bandwidth_path_slot (GstRtpBandwidthPath * path, gint64 now);
/* A packet that was queued leaves now. */
void gst_rtp_bandwidth_path_sent (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const GstRtpBandwidthPacket * packet,
    gint64 now);
/* Downstream has taken packets late, or none until now. */
void gst_rtp_bandwidth_path_resume (GstRtpBandwidthPath * path, gint64 now);

/* What a member's receiver says. Whoever reports in one way is not listened to
 * in the other, until it has been silent. The second function returns FALSE if
 * the message is malformed. */
void gst_rtp_bandwidth_path_feedback (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const PspTransportStatus * statuses,
    gsize n);
gboolean gst_rtp_bandwidth_path_message (GstRtpBandwidthPath * path,
    GstRtpBandwidthMember * member, const PspStreamMessage * message);
/* No feedback came within the time after the first packet: nothing is held. */
gboolean gst_rtp_bandwidth_path_is_uncontrolled (GstRtpBandwidthPath * path);

G_END_DECLS

#endif
