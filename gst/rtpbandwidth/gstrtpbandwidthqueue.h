/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RTP packets and serialized events that wait to leave, in order, but for
 * retransmissions and packets that are not paced, which come first. Pictures that
 * have no room are left out, and the packets behind them are renumbered.
 */
#ifndef __GST_RTP_BANDWIDTH_QUEUE_H__
#define __GST_RTP_BANDWIDTH_QUEUE_H__

#include <gst/gst.h>

#include "core/shedder.h"
#include "gstrtpbandwidthpath.h"

G_BEGIN_DECLS

/* Packets and events, whatever their time. */
#define GST_RTP_BANDWIDTH_QUEUE_CAPACITY 16384

typedef struct
{
  GstMiniObject *object;        /* a buffer or an event */
  GstRtpBandwidthPacket packet; /* of a buffer */
} GstRtpBandwidthItem;

typedef struct _GstRtpBandwidthQueue GstRtpBandwidthQueue;

GstRtpBandwidthQueue *gst_rtp_bandwidth_queue_new (void);
void gst_rtp_bandwidth_queue_free (GstRtpBandwidthQueue * q);

/* Caps may say by which header extension packets are numbered. Returns TRUE if
 * these or earlier ones do. */
gboolean gst_rtp_bandwidth_queue_set_caps (GstRtpBandwidthQueue * q,
    const GstCaps * caps);
/* Both take the object. Returns NULL where the packet is left out; otherwise
 * what was queued, until the queue changes. over: there is no time for further
 * pictures. paces_all: packets without a transport-wide number, too. *shed: it
 * was part of a picture. */
const GstRtpBandwidthPacket *gst_rtp_bandwidth_queue_packet (GstRtpBandwidthQueue
    * q, GstBuffer * buffer, gboolean over, gboolean paces_all,
    gboolean * shed);
void gst_rtp_bandwidth_queue_event (GstRtpBandwidthQueue * q, GstEvent * event);

/* Returns NULL if nothing waits. */
const GstRtpBandwidthItem *gst_rtp_bandwidth_queue_head (GstRtpBandwidthQueue *
    q);
/* The head, which is now the caller's. */
GstRtpBandwidthItem gst_rtp_bandwidth_queue_pop (GstRtpBandwidthQueue * q);
/* The same, to discard it with all that waits. */
GstRtpBandwidthItem gst_rtp_bandwidth_queue_discard (GstRtpBandwidthQueue * q);
guint gst_rtp_bandwidth_queue_length (GstRtpBandwidthQueue * q);

/* Translates a GstRTPRetransmissionRequest, which it takes; NULL: for a packet
 * that is not known any more. */
GstEvent *gst_rtp_bandwidth_queue_request (GstRtpBandwidthQueue * q,
    GstEvent * event);
guint64 gst_rtp_bandwidth_queue_dropped_packets (GstRtpBandwidthQueue * q);
guint64 gst_rtp_bandwidth_queue_dropped_pictures (GstRtpBandwidthQueue * q);

G_END_DECLS

#endif
