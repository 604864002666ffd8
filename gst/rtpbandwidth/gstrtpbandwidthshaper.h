/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A traffic shaper between the two pads: the element's queue, and its
 * membership of a path, which says when a packet may leave. The sink pad's
 * streaming thread puts packets and events in, the source pad's task takes
 * them out.
 *
 * It exists between start and stop, while it has a path. There are two
 * locks, and the object's lock is taken first:
 *
 * - The object's lock of the element protects `path`. Streaming threads and
 *   the task do without it, because the path changes only while nothing
 *   streams.
 * - The path's lock protects all else.
 */
#ifndef __GST_RTP_BANDWIDTH_SHAPER_H__
#define __GST_RTP_BANDWIDTH_SHAPER_H__

#include <gst/gst.h>

#include "gstrtpbandwidthflow.h"
#include "gstrtpbandwidthpath.h"
#include "gstrtpbandwidthqueue.h"
#include "gstrtpbandwidthstats.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GstRtpBandwidthPath *path;    /* NULL = not started */

  GstRtpBandwidthMember member;
  GstRtpBandwidthQueue *queue;  /* NULL = not started */
  GstRtpBandwidthFlow flow;
  guint64 max_queue_time;       /* ns; 0 = no limit */
  /* When a key frame was last requested; PSP_TIME_UNKNOWN = never. */
  gint64 key_frame_at;
  guint64 unnumbered_packets;   /* that left */
} GstRtpBandwidthShaper;

void gst_rtp_bandwidth_shaper_init (GstRtpBandwidthShaper * s,
    GstElement * element);
/* Joins the group's path; see gst_rtp_bandwidth_path_join(). The notifier
 * must exist until the shaper has stopped. Returns FALSE if memory runs
 * out. The caller holds no lock. */
gboolean gst_rtp_bandwidth_shaper_start (GstRtpBandwidthShaper * s,
    const gchar * group, const GstRtpBandwidthPathConfig * config,
    GstNotifier * notifier);
/* Leaves the path, and discards what waits. The task has stopped. The caller
 * holds no lock. */
void gst_rtp_bandwidth_shaper_stop (GstRtpBandwidthShaper * s);
/* Takes both locks, for threads that do not stream. Returns NULL and takes
 * no lock if the shaper has not started. */
GstRtpBandwidthPath *gst_rtp_bandwidth_shaper_lock (GstRtpBandwidthShaper * s);
void gst_rtp_bandwidth_shaper_unlock (GstRtpBandwidthShaper * s);

/* For the sink pad's streaming thread, which holds no lock. They take the
 * buffer, list or event, and return GST_FLOW_OK if it was queued or dropped
 * for max_queue_time, or the flow's status if nothing flows. */
GstFlowReturn gst_rtp_bandwidth_shaper_push (GstRtpBandwidthShaper * s,
    GstBuffer * buffer);
GstFlowReturn gst_rtp_bandwidth_shaper_push_list (GstRtpBandwidthShaper * s,
    GstBufferList * list);
GstFlowReturn gst_rtp_bandwidth_shaper_push_event (GstRtpBandwidthShaper * s,
    GstEvent * event);

/* Takes an event from downstream, GstRTPRetransmissionRequest, and
 * translates it. Returns NULL if no element upstream could answer it. The
 * caller holds no lock. */
GstEvent *gst_rtp_bandwidth_shaper_request (GstRtpBandwidthShaper * s,
    GstEvent * event);

/* The caller of the functions below holds the path's lock. */

/* Sets `reserved` in bits/s and `max_queue_time` in ns. This needs no lock
 * before the start. */
void gst_rtp_bandwidth_shaper_configure (GstRtpBandwidthShaper * s,
    guint64 reserved, guint64 max_queue_time);
/* Waits until something may leave, and moves it to *item. Returns FALSE and
 * sets nothing if nothing flows any more. Releases the lock meanwhile. */
gboolean gst_rtp_bandwidth_shaper_pop (GstRtpBandwidthShaper * s,
    GstRtpBandwidthItem * item);
/* Discards what waits, and returns its events in order. */
GList *gst_rtp_bandwidth_shaper_clear (GstRtpBandwidthShaper * s);
/* Fills in what the shaper and its path know. */
void gst_rtp_bandwidth_shaper_stats (GstRtpBandwidthShaper * s,
    GstRtpBandwidthStats * stats);

G_END_DECLS

#endif
