/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A queue of RTP packets and serialized events that wait to leave. They
 * leave in order, but retransmissions and packets that are not paced come
 * first, though never before a sticky event that came before them, nor after
 * one that came after them. Pictures that find no room are dropped, and later
 * packets are renumbered.
 */
#ifndef __GST_RTP_BANDWIDTH_QUEUE_H__
#define __GST_RTP_BANDWIDTH_QUEUE_H__

#include <gst/gst.h>

#include "core/shedder.h"
#include "gstrtpbandwidthpath.h"

G_BEGIN_DECLS

/* The most packets and events that the queue holds, whatever their
 * duration. */
#define GST_RTP_BANDWIDTH_QUEUE_CAPACITY 16384

typedef struct
{
  GstMiniObject *object;        /* a buffer or an event */
  guint64 place;                /* of the order in which items came */
  GstRtpBandwidthPacket packet; /* only of a buffer */
} GstRtpBandwidthItem;

typedef struct _GstRtpBandwidthQueue GstRtpBandwidthQueue;

GstRtpBandwidthQueue *gst_rtp_bandwidth_queue_new (void);
void gst_rtp_bandwidth_queue_free (GstRtpBandwidthQueue * q);

/* Reads from caps which header extension has the transport-wide number.
 * Returns TRUE if these or earlier caps name one. */
gboolean gst_rtp_bandwidth_queue_set_caps (GstRtpBandwidthQueue * q,
    const GstCaps * caps);
/* Takes the buffer. Returns what was queued, valid until the queue
 * changes, or NULL if the packet is dropped. `over`: there is no time for
 * further pictures. `paces_all`: packets without a transport-wide number
 * are paced, too. Sets *shed if it has dropped a part of a picture. */
const GstRtpBandwidthPacket *gst_rtp_bandwidth_queue_packet (GstRtpBandwidthQueue
    * q, GstBuffer * buffer, gboolean over, gboolean paces_all,
    gboolean * shed);
/* Takes the event. */
void gst_rtp_bandwidth_queue_event (GstRtpBandwidthQueue * q, GstEvent * event);

/* Returns what leaves next, or NULL if nothing waits. */
const GstRtpBandwidthItem *gst_rtp_bandwidth_queue_head (GstRtpBandwidthQueue *
    q);
/* Removes the head and returns it; the caller owns the object. */
GstRtpBandwidthItem gst_rtp_bandwidth_queue_pop (GstRtpBandwidthQueue * q);
/* Removes the head and returns it. The caller discards it with all that
 * waits. */
GstRtpBandwidthItem gst_rtp_bandwidth_queue_discard (GstRtpBandwidthQueue * q);
guint gst_rtp_bandwidth_queue_length (GstRtpBandwidthQueue * q);

/* Takes a GstRTPRetransmissionRequest and translates it. Returns NULL if
 * its packet is not known any more, or still waits. */
GstEvent *gst_rtp_bandwidth_queue_request (GstRtpBandwidthQueue * q,
    GstEvent * event);
guint64 gst_rtp_bandwidth_queue_dropped_packets (GstRtpBandwidthQueue * q);
guint64 gst_rtp_bandwidth_queue_dropped_pictures (GstRtpBandwidthQueue * q);

G_END_DECLS

#endif
