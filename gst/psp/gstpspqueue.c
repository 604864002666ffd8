/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspqueue.h"

/* Packets that the ring has room for at first; a power of two. */
#define MIN_ALLOCATED 128

/* The state of one SSRC's pictures. */
typedef struct
{
  guint32 ssrc;
  gboolean seen;                /* the members below are set */
  guint32 newest;               /* timestamp of the last picture offered */
  gboolean refused;             /* further packets of that one are dropped */
  gboolean left_any, dropped_any;
  guint32 left;                 /* timestamp of the last packet popped */
  guint32 dropped;              /* timestamp of the last packet dropped */
  /* The dropped pictures up to the last one offered, and up to the last one
   * popped. */
  GstPspMissing offered_missing, left_missing;
  guint64 used;                 /* value of `offered` at the last use */
} Stream;

struct _GstPspQueue
{
  /* A ring. Dropped packets leave a NULL buffer, never at either end. */
  GstPspPacket *packets;
  guint allocated;              /* size of the ring, a power of two */
  guint head, tail;             /* free-running */
  guint n_packets;
  guint64 payload_bytes;

  Stream streams[PSP_MAX_STREAMS];
  guint64 offered;
  guint64 dropped_packets, dropped_pictures, dropped_references;
};

GstPspQueue *
gst_psp_queue_new (void)
{
  GstPspQueue *q = g_new0 (GstPspQueue, 1);

  q->allocated = MIN_ALLOCATED;
  q->packets = g_new (GstPspPacket, q->allocated);
  return q;
}

static GstPspPacket *
packet_at (const GstPspQueue * q, guint i)
{
  return &q->packets[i & (q->allocated - 1)];
}

static void
grow (GstPspQueue * q)
{
  GstPspPacket *packets = g_new (GstPspPacket, 2 * q->allocated);

  for (guint i = q->head; i != q->tail; i++)
    packets[i & (2 * q->allocated - 1)] = *packet_at (q, i);
  g_free (q->packets);
  q->packets = packets;
  q->allocated *= 2;
}

void
gst_psp_queue_free (GstPspQueue * q)
{
  gst_psp_queue_flush (q);
  g_free (q->packets);
  g_free (q);
}

guint
gst_psp_queue_packets (const GstPspQueue * q)
{
  return q->n_packets;
}

guint64
gst_psp_queue_payload_bytes (const GstPspQueue * q)
{
  return q->payload_bytes;
}

guint64
gst_psp_queue_dropped_packets (const GstPspQueue * q)
{
  return q->dropped_packets;
}

guint64
gst_psp_queue_dropped_pictures (const GstPspQueue * q)
{
  return q->dropped_pictures;
}

guint64
gst_psp_queue_dropped_references (const GstPspQueue * q)
{
  return q->dropped_references;
}

GstClockTime
gst_psp_queue_time (const GstPspQueue * q, gint64 bitrate, gint64 now)
{
  const GstPspPacket *oldest = packet_at (q, q->head);
  GstClockTime first, last;

  if (q->n_packets == 0)
    return 0;
  if (bitrate > 0)
    return gst_util_uint64_scale (q->payload_bytes, 8 * GST_SECOND, bitrate);

  first = oldest->running_time;
  last = packet_at (q, q->tail - 1)->running_time;
  if (GST_CLOCK_TIME_IS_VALID (first) && GST_CLOCK_TIME_IS_VALID (last))
    return last > first ? last - first : 0;
  return MAX (now - oldest->queued_at, 0);
}

/* Returns the state of an SSRC. The SSRC that was idle for longest makes room
 * for a new one. */
static Stream *
get_stream (GstPspQueue * q, guint32 ssrc)
{
  Stream *oldest = &q->streams[0];

  for (guint i = 0; i < PSP_MAX_STREAMS; i++) {
    Stream *s = &q->streams[i];

    if (s->seen && s->ssrc == ssrc)
      return s;
    if (!s->seen || (oldest->seen && s->used < oldest->used))
      oldest = s;
    if (!s->seen)
      break;
  }
  memset (oldest, 0, sizeof *oldest);
  oldest->ssrc = ssrc;
  return oldest;
}

static void
note_drop (GstPspQueue * q, Stream * s, const GstPspPacket * p)
{
  guint32 timestamp = p->header.timestamp;

  q->dropped_packets++;
  if (!s->dropped_any || s->dropped != timestamp) {
    q->dropped_pictures++;
    if (!p->place.disposable)
      q->dropped_references++;
  }
  s->dropped_any = TRUE;
  s->dropped = timestamp;
  if (p->place.known) {
    gst_psp_missing_add (&s->offered_missing, p->place.id);
    gst_psp_missing_add (&s->left_missing, p->place.id);
  }
}

static void
trim (GstPspQueue * q)
{
  while (q->head != q->tail && !packet_at (q, q->head)->buffer)
    q->head++;
  while (q->head != q->tail && !packet_at (q, q->tail - 1)->buffer)
    q->tail--;
}

static void
forget_packet (GstPspQueue * q, GstPspPacket * p)
{
  p->buffer = NULL;
  q->n_packets--;
  q->payload_bytes -= p->header.payload_size;
}

/* Drops the waiting packets of a picture and of the pictures that refer to it,
 * and refuses their later packets. */
static void
drop_picture (GstPspQueue * q, Stream * s, guint32 timestamp)
{
  GstPspMissing missing = s->left_missing;

  if (s->newest == timestamp)
    s->refused = TRUE;
  for (guint i = q->head; i != q->tail; i++) {
    GstPspPacket *p = packet_at (q, i);
    gboolean lacks = FALSE;

    if (!p->buffer || p->header.ssrc != s->ssrc)
      continue;
    if (p->place.known)
      lacks = gst_psp_missing_next (&missing, &p->place);
    if (!lacks && p->header.timestamp != timestamp)
      continue;
    if (lacks && s->newest == p->header.timestamp)
      s->refused = TRUE;
    note_drop (q, s, p);
    if (p->place.known)
      gst_psp_missing_add (&missing, p->place.id);
    gst_buffer_unref (p->buffer);
    forget_packet (q, p);
  }
  trim (q);
}

/* Drops the oldest picture of which nothing has left. Returns FALSE if there is
 * none. */
static gboolean
drop_oldest_picture (GstPspQueue * q)
{
  for (guint i = q->head; i != q->tail; i++) {
    GstPspPacket *p = packet_at (q, i);
    Stream *s;

    if (!p->buffer)
      continue;
    s = get_stream (q, p->header.ssrc);
    if (s->seen && s->left_any && s->left == p->header.timestamp)
      continue;
    s->seen = TRUE;
    drop_picture (q, s, p->header.timestamp);
    return TRUE;
  }
  return FALSE;
}

static gboolean
is_over (const GstPspQueue * q, const GstPspQueueLimits * limits)
{
  return limits->max_time > 0 &&
      gst_psp_queue_time (q, limits->bitrate, limits->now) >= limits->max_time;
}

static gboolean
is_full (const GstPspQueue * q)
{
  return q->tail - q->head == GST_PSP_QUEUE_CAPACITY;
}

/* Makes room for a packet of the stream, or refuses its picture. */
static void
leak (GstPspQueue * q, Stream * s, gboolean begins,
    const GstPspQueueLimits * limits)
{
  if (limits->leaky == GST_PSP_LEAKY_DOWNSTREAM) {
    while (((begins && is_over (q, limits)) || is_full (q)) &&
        drop_oldest_picture (q));
  } else if (begins && is_over (q, limits)) {
    s->refused = TRUE;
  }
  if (is_full (q) && !s->refused) {
    if (s->left_any && s->left == s->newest)
      s->refused = TRUE;        /* drops only its later packets */
    else
      drop_picture (q, s, s->newest);
  }
}

/* Refuses the packet's picture, or makes room for it. */
static void
admit (GstPspQueue * q, Stream * s, const GstPspPacket * packet,
    gboolean begins, const GstPspQueueLimits * limits)
{
  const GstPspPlace *place = &packet->place;
  gboolean lacks = FALSE, is_new = FALSE;

  if (place->known) {
    is_new = !s->offered_missing.begun
        || s->offered_missing.newest != place->id;
    lacks = gst_psp_missing_next (&s->offered_missing, place);
  }
  if (limits->leaky == GST_PSP_LEAKY_NO || s->refused)
    return;
  if (!lacks)
    leak (q, s, begins, limits);
  /* A picture that it refers to may just have been dropped. */
  if (lacks || (is_new && !s->refused
          && gst_psp_missing_concerns (&s->offered_missing, place)))
    drop_picture (q, s, s->newest);
}

GstPspQueueResult
gst_psp_queue_offer (GstPspQueue * q, const GstPspPacket * packet,
    const GstPspQueueLimits * limits)
{
  const PspRtpHeader *h = &packet->header;
  GstPspPacket *p;
  Stream *s;
  gboolean begins;

  if (limits->leaky == GST_PSP_LEAKY_NO && (is_full (q) || is_over (q, limits)))
    return GST_PSP_QUEUE_FULL;

  s = get_stream (q, h->ssrc);
  s->used = ++q->offered;
  begins = !s->seen || s->newest != h->timestamp;
  s->seen = TRUE;
  if (begins) {
    s->newest = h->timestamp;
    s->refused = FALSE;
  }
  admit (q, s, packet, begins, limits);
  if (s->refused) {
    note_drop (q, s, packet);
    gst_buffer_unref (packet->buffer);
    return GST_PSP_QUEUE_DROPPED;
  }

  if (q->tail - q->head == q->allocated)
    grow (q);
  p = packet_at (q, q->tail++);
  *p = *packet;
  p->queued_at = limits->now;
  q->n_packets++;
  q->payload_bytes += h->payload_size;
  return GST_PSP_QUEUE_TAKEN;
}

gboolean
gst_psp_queue_pop (GstPspQueue * q, GstPspPacket * packet)
{
  GstPspPacket *p = packet_at (q, q->head);
  Stream *s;

  if (q->n_packets == 0)
    return FALSE;
  *packet = *p;
  s = get_stream (q, p->header.ssrc);
  s->seen = TRUE;
  s->left_any = TRUE;
  s->left = p->header.timestamp;
  if (p->place.known)
    gst_psp_missing_next (&s->left_missing, &p->place);
  forget_packet (q, p);
  trim (q);
  return TRUE;
}

void
gst_psp_queue_drop_all (GstPspQueue * q)
{
  while (q->n_packets > 0) {
    PspRtpHeader *h = &packet_at (q, q->head)->header;
    Stream *s = get_stream (q, h->ssrc);

    s->seen = TRUE;
    drop_picture (q, s, h->timestamp);
  }
}

void
gst_psp_queue_flush (GstPspQueue * q)
{
  GstPspPacket packet;

  while (gst_psp_queue_pop (q, &packet))
    gst_buffer_unref (packet.buffer);
  memset (q->streams, 0, sizeof q->streams);
}
