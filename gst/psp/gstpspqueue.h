/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RTP packets waiting to leave, in order, bounded, dropped by whole pictures: a
 * picture is what shares an SSRC and an RTP timestamp. Where pictures say what
 * they refer to, those that refer to a dropped one are dropped as well. Not
 * thread-safe.
 */
#ifndef __GST_PSP_QUEUE_H__
#define __GST_PSP_QUEUE_H__

#include <gst/gst.h>

#include <rtpfeedback/rtp.h>

#include "gstpspenums.h"
#include "gstpspmissing.h"

G_BEGIN_DECLS

/* Packets, whatever their time; a power of two. */
#define GST_PSP_QUEUE_CAPACITY 16384

/* An RTP packet on its way out. */
typedef struct
{
  GstBuffer *buffer;            /* owned */
  PspRtpHeader header;
  GstPspPlace place;            /* of its picture */
  GstClockTime running_time;    /* or GST_CLOCK_TIME_NONE */
  gint64 queued_at;             /* by the queue's clock; set by the queue */
} GstPspPacket;

/* Takes a reference to the buffer. Where it is no RTP packet, or one that
 * cannot share the port with RTCP: FALSE, a GST_STREAM_ERROR with a sentence
 * for the user, and nothing taken. */
gboolean gst_psp_packet_parse (GstPspPacket * packet, GstBuffer * buffer,
    GError ** error);

/* Its running time as a time of the sender's reports, ns; PSP_TIME_UNKNOWN = it has
 * none. */
gint64 gst_psp_packet_media_time (const GstPspPacket * packet);

typedef struct
{
  GstPspLeaky leaky;
  GstClockTime max_time;        /* 0 = only the capacity bounds it */
  gint64 bitrate;               /* at which it empties; ≤ 0 = unknown */
  gint64 now;                   /* ns of any clock that only goes on */
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

/* Takes the buffer unless the result is FULL. When leaky, the limit counts at
 * the start of a picture: once its first packet is in, the rest follows, so
 * that a picture larger than the limit still gets through. */
GstPspQueueResult gst_psp_queue_offer (GstPspQueue * q,
    const GstPspPacket * packet, const GstPspQueueLimits * limits);
/* The oldest packet, now the caller's; FALSE when empty. */
gboolean gst_psp_queue_pop (GstPspQueue * q, GstPspPacket * packet);
/* Empties it and forgets what it knew, as for a flush; nothing is counted. */
void gst_psp_queue_flush (GstPspQueue * q);
/* Drops and counts all that waits; what is still to come of its pictures is
 * refused. */
void gst_psp_queue_drop_all (GstPspQueue * q);

guint gst_psp_queue_packets (const GstPspQueue * q);
guint64 gst_psp_queue_payload_bytes (const GstPspQueue * q);
/* What waits, as time at `bitrate`; where that is unknown, the running time
 * that it spans; where that is too, how long the oldest has waited until
 * `now`. */
GstClockTime gst_psp_queue_time (const GstPspQueue * q, gint64 bitrate,
    gint64 now);
guint64 gst_psp_queue_dropped_packets (const GstPspQueue * q);
/* Pictures of which at least one packet was dropped. */
guint64 gst_psp_queue_dropped_pictures (const GstPspQueue * q);
/* Of these, those that others may refer to. */
guint64 gst_psp_queue_dropped_references (const GstPspQueue * q);

G_END_DECLS

#endif
