/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A bounded queue of RTP packets that wait to leave in order. It drops whole
 * pictures; the packets of a picture share an SSRC and an RTP timestamp. If the
 * references of pictures are known, those that refer to a dropped one are
 * dropped as well. Not thread-safe.
 */
#ifndef __GST_PSP_QUEUE_H__
#define __GST_PSP_QUEUE_H__

#include <gst/gst.h>

#include "gstpspenums.h"
#include "gstpsppacket.h"

G_BEGIN_DECLS

/* Most packets in the queue, at any limit of time; a power of two. */
#define GST_PSP_QUEUE_CAPACITY 16384

typedef struct
{
  GstPspLeaky leaky;
  GstClockTime max_time;        /* 0 = only the capacity limits the queue */
  gint64 bitrate;               /* bits/s that leave the queue; ≤ 0 = unknown */
  gint64 now;                   /* ns of any monotonic clock */
} GstPspQueueLimits;

typedef enum
{
  GST_PSP_QUEUE_TAKEN,
  GST_PSP_QUEUE_DROPPED,
  GST_PSP_QUEUE_FULL            /* only with GST_PSP_LEAKY_NO: wait, then offer
                                   the packet again */
} GstPspQueueResult;

typedef struct _GstPspQueue GstPspQueue;

GstPspQueue *gst_psp_queue_new (void);
void gst_psp_queue_free (GstPspQueue * q);

/* Takes the buffer unless the result is FULL. A leaky queue checks the time
 * limit only at the start of a picture and takes the rest after its first
 * packet, so that a picture larger than the limit still gets through. */
GstPspQueueResult gst_psp_queue_offer (GstPspQueue * q,
    const GstPspPacket * packet, const GstPspQueueLimits * limits);
/* Takes the oldest packet, which becomes the caller's. Returns FALSE if the
 * queue is empty. */
gboolean gst_psp_queue_pop (GstPspQueue * q, GstPspPacket * packet);
/* Drops all packets and forgets all pictures, as for a flush, without counting
 * the drops. */
void gst_psp_queue_flush (GstPspQueue * q);
/* Drops and counts all packets. Later packets of the same pictures are
 * refused. */
void gst_psp_queue_drop_all (GstPspQueue * q);

guint gst_psp_queue_packets (const GstPspQueue * q);
guint64 gst_psp_queue_payload_bytes (const GstPspQueue * q);
/* Returns the time to send all packets at `bitrate`. If the bitrate is unknown,
 * it is the running time that they span; if that is unknown, too, the time that
 * the oldest one has waited until `now`. */
GstClockTime gst_psp_queue_time (const GstPspQueue * q, gint64 bitrate,
    gint64 now);
guint64 gst_psp_queue_dropped_packets (const GstPspQueue * q);
/* Returns the number of pictures of which at least one packet was dropped. */
guint64 gst_psp_queue_dropped_pictures (const GstPspQueue * q);
/* Returns the number of dropped pictures that others may refer to. */
guint64 gst_psp_queue_dropped_references (const GstPspQueue * q);

G_END_DECLS

#endif
