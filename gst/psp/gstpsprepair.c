/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpsprepair.h"
#include "gstpspqueue.h"

#include <rtpfeedback/rtcp.h>

/* Packets of a stream that the ring has room for at first; a power of two. */
#define MIN_KEPT 64
/* Most packets of a stream that are kept; a power of two. */
#define MAX_KEPT GST_PSP_QUEUE_CAPACITY
/* Most repairs, or requests for upstream, that wait. */
#define MAX_WAITING 256
/* Most repairs of one packet in a round trip. A request that comes less than a
 * round trip after a repair cannot know of it: one repair is enough if little
 * is lost. */
#define REPAIRS_A_ROUND_TRIP 4
/* Share of lost packets for each further repair in a round trip, because the
 * repair may be lost, too. */
#define LOSS_A_REPAIR 0.06
/* Packets over which the share of lost packets is averaged. */
#define LOSS_PACKETS 256
/* ns; assumed round-trip time while it is unknown. */
#define UNKNOWN_RTT (100 * PSP_MSECOND)
/* Bytes of payload that repairs may have before any media has left: a few
 * packets. Saved credit is at most this, or the repairs' share of the kept
 * packets. */
#define FIRST_CREDIT 4000
/* Bytes of payload assumed for an unknown packet that upstream may have: this
 * fits most paths. */
#define UNKNOWN_SIZE 1200
/* Bytes of the original sequence number before the payload (RFC 4588 section
 * 4). */
#define OSN_SIZE 2

/* A packet that left. */
typedef struct
{
  GstBuffer *buffer;            /* owned; NULL = upstream makes repairs */
  PspRtpHeader header;
  gint64 sent_at;               /* PSP_TIME_UNKNOWN = no such packet left */
  gint64 repaired_at;           /* last repair, or PSP_TIME_UNKNOWN */
} Kept;

/* The packets of one SSRC that left. Sequence numbers are extended to 64
 * bits. */
typedef struct
{
  guint32 ssrc;
  guint32 rtx_ssrc;             /* SSRC of its retransmissions */
  guint16 rtx_seq;              /* number of the next retransmission */
  Kept *kept;                   /* a ring */
  guint allocated;              /* size of the ring, a power of two */
  gint64 oldest, newest;        /* first and last number that is kept */
  gint64 bytes;                 /* payload of the kept packets */
} Stream;

/* A ready packet, or the original of a repair that is not made yet. */
typedef struct
{
  GstPspPacket ready;           /* valid if its buffer is not NULL */
  GstPspRepairRequest original;
  gint64 since;                 /* ns; when the wait began */
} Waiting;

struct _GstPspRepair
{
  GstPspRepairConfig config;
  Stream streams[PSP_MAX_STREAMS];
  guint n_streams;
  gdouble credit;               /* bytes of payload that repairs may have */
  gdouble loss;                 /* share of requested packets */
  Waiting waiting[MAX_WAITING]; /* a ring */
  guint head, tail;             /* free-running */
  GstPspRepairStats stats;
};

/* Kept packets */

static Kept *
kept_at (const Stream * s, gint64 seq)
{
  return &s->kept[seq & (s->allocated - 1)];
}

static void
drop_oldest (Stream * s)
{
  Kept *k = kept_at (s, s->oldest++);

  if (k->sent_at != PSP_TIME_UNKNOWN)
    s->bytes -= k->header.payload_size;
  gst_clear_buffer (&k->buffer);
}

static void
drop_all (Stream * s)
{
  while (s->oldest <= s->newest)
    drop_oldest (s);
}

static void
grow (Stream * s)
{
  Stream before = *s;

  s->allocated *= 2;
  s->kept = g_new0 (Kept, s->allocated);
  for (gint64 seq = s->oldest; seq <= s->newest; seq++)
    *kept_at (s, seq) = *kept_at (&before, seq);
  g_free (before.kept);
}

static Stream *
find_stream (GstPspRepair * r, guint32 ssrc)
{
  for (guint i = 0; i < r->n_streams; i++)
    if (r->streams[i].ssrc == ssrc)
      return &r->streams[i];
  return NULL;
}

/* Adds a stream. If there is no room, replaces the stream with the fewest kept
 * bytes. */
static Stream *
add_stream (GstPspRepair * r, guint32 ssrc, guint16 seq)
{
  Stream *s = &r->streams[0];

  if (r->n_streams < PSP_MAX_STREAMS) {
    s = &r->streams[r->n_streams++];
    s->allocated = MIN_KEPT;
    s->kept = g_new0 (Kept, s->allocated);
  } else {
    for (guint i = 1; i < r->n_streams; i++)
      if (r->streams[i].bytes < s->bytes)
        s = &r->streams[i];
    drop_all (s);
  }
  s->ssrc = ssrc;
  /* A random SSRC is unique (RFC 3550 section 8). */
  s->rtx_ssrc = g_random_int ();
  s->rtx_seq = (guint16) g_random_int ();
  s->oldest = seq;
  s->newest = s->oldest - 1;
  return s;
}

/* Makes room for sequence numbers up to `seq`. */
static void
advance (Stream * s, gint64 seq, gint64 keep_since)
{
  while (s->oldest <= s->newest &&
      (seq - s->oldest >= MAX_KEPT ||
          kept_at (s, s->oldest)->sent_at < keep_since))
    drop_oldest (s);
  if (s->oldest > s->newest)
    s->oldest = seq;
  while (seq - s->oldest >= s->allocated)
    grow (s);
  for (s->newest = MAX (s->newest, s->oldest - 1); s->newest < seq;) {
    Kept *k = kept_at (s, ++s->newest);

    memset (k, 0, sizeof *k);
    k->sent_at = k->repaired_at = PSP_TIME_UNKNOWN;
  }
}

void
gst_psp_repair_note_sent (GstPspRepair * r, const GstPspPacket * packet,
    gint64 now)
{
  const PspRtpHeader *h = &packet->header;
  Stream *s = find_stream (r, h->ssrc);
  gint64 seq, kept = 0;
  Kept *k;

  if (!s)
    s = add_stream (r, h->ssrc, h->seq);
  seq = s->newest + psp_seq_distance (h->seq, (guint16) s->newest);
  if (seq - s->newest > MAX_KEPT || s->newest - seq > MAX_KEPT) {
    drop_all (s);               /* the stream begins anew */
    s->oldest = h->seq;
    s->newest = s->oldest - 1;
    seq = h->seq;
  }
  if (seq > s->newest)
    advance (s, seq, now - (gint64) r->config.deadline);
  k = kept_at (s, seq);
  /* The packet is too old, or leaves again and is already kept. */
  if (seq < s->oldest || k->sent_at != PSP_TIME_UNKNOWN)
    return;
  k->buffer = r->config.payload_type > 0 ? gst_buffer_ref (packet->buffer) :
      NULL;
  k->header = *h;
  k->sent_at = now;
  s->bytes += h->payload_size;
  r->loss -= r->loss / LOSS_PACKETS;

  /* Media earns credit so that repairs are at most `share` of all payload. */
  for (guint i = 0; i < r->n_streams; i++)
    kept += r->streams[i].bytes;
  r->credit += h->payload_size * r->config.share / (1 - r->config.share);
  r->credit = MIN (r->credit, MAX (FIRST_CREDIT, r->config.share * kept));
}

/* Requests */

static Waiting *
waiting_at (GstPspRepair * r, guint i)
{
  return &r->waiting[i & (MAX_WAITING - 1)];
}

guint
gst_psp_repair_waiting (const GstPspRepair * r)
{
  return r->config.payload_type > 0 || r->head == r->tail ||
      r->waiting[r->head & (MAX_WAITING - 1)].ready.buffer ?
      r->tail - r->head : 0;
}

static Kept *
find_kept (GstPspRepair * r, guint32 ssrc, guint16 number, Stream ** stream)
{
  Stream *s = *stream = find_stream (r, ssrc);
  gint64 seq;

  if (!s)
    return NULL;
  seq = s->newest + psp_seq_distance (number, (guint16) s->newest);
  return seq >= s->oldest && seq <= s->newest &&
      kept_at (s, seq)->sent_at != PSP_TIME_UNKNOWN ? kept_at (s, seq) : NULL;
}

static gboolean
is_late (const GstPspRepair * r, const Kept * k, gint64 now)
{
  return now - k->sent_at > (gint64) r->config.deadline;
}

/* True if the packet left before the first NACK, so that it is unknown here.
 * Upstream may have it, and then decides about the repair. */
static gboolean
is_older_than_known (const GstPspRepair * r, const Stream * s, guint16 number)
{
  return r->config.payload_type == 0 && (!s ||
      s->newest + psp_seq_distance (number, (guint16) s->newest) < s->oldest);
}

static gboolean
may_repair (const GstPspRepair * r, const Kept * k, gint64 rtt, gint64 now)
{
  gint times = MIN (1 + (gint) (r->loss / LOSS_A_REPAIR), REPAIRS_A_ROUND_TRIP);
  gint64 interval = (rtt >= 0 ? rtt : UNKNOWN_RTT) / times;

  return !is_late (r, k, now) && (k->repaired_at == PSP_TIME_UNKNOWN ||
      now - k->repaired_at >= interval);
}

static gboolean
ask (GstPspRepair * r, guint32 ssrc, guint16 number, gint64 rtt, gint64 now)
{
  Stream *s;
  Kept *k = find_kept (r, ssrc, number, &s);
  gdouble size = k ? k->header.payload_size + OSN_SIZE : UNKNOWN_SIZE;
  Waiting *w;

  if (r->config.share <= 0 || r->credit < size ||
      r->tail - r->head == MAX_WAITING)
    return FALSE;
  if (k ? !may_repair (r, k, rtt, now) : !is_older_than_known (r, s, number))
    return FALSE;
  r->credit -= size;
  if (k) {
    if (k->repaired_at == PSP_TIME_UNKNOWN)
      r->loss += 1.0 / LOSS_PACKETS;
    k->repaired_at = now;
  }
  w = waiting_at (r, r->tail++);
  memset (w, 0, sizeof *w);
  w->original.ssrc = ssrc;
  w->original.seq = number;
  w->since = now;
  return TRUE;
}

static void
note_request (GstPspRepair * r, guint32 ssrc, guint16 number, gint64 rtt,
    gint64 now)
{
  r->stats.requested++;
  if (!ask (r, ssrc, number, rtt, now))
    r->stats.refused++;
}

gboolean
gst_psp_repair_is_asked_for (const guint8 * data, gsize size)
{
  PspRtcpPacket packet;
  gsize position = 0;
  PspNack nack;

  if (!psp_rtcp_validate (data, size))
    return FALSE;
  while (psp_rtcp_next (data, size, &position, &packet))
    if (psp_rtcp_parse_nack (&packet, 0, &nack))
      return TRUE;
  return FALSE;
}

void
gst_psp_repair_receive (GstPspRepair * r, const guint8 * data, gsize size,
    gint64 rtt, gint64 now)
{
  PspRtcpPacket packet;
  gsize position = 0;
  PspNack nack;

  if (!psp_rtcp_validate (data, size))
    return;
  while (psp_rtcp_next (data, size, &position, &packet))
    for (guint i = 0; psp_rtcp_parse_nack (&packet, i, &nack); i++) {
      note_request (r, nack.ssrc, nack.first, rtt, now);
      for (guint k = 0; k < PSP_RTCP_NACK_SPAN - 1; k++)
        if (nack.following & 1 << k)
          note_request (r, nack.ssrc, (guint16) (nack.first + 1 + k), rtt, now);
    }
}

/* Repairs */

GstBuffer *
gst_psp_repair_make (GstBuffer * original, PspRtpHeader * header,
    guint payload_type, guint32 ssrc, guint16 seq)
{
  gsize size = PSP_RTP_HEADER_SIZE, whole = gst_buffer_get_size (original);
  guint8 start[PSP_RTP_HEADER_SIZE], extension[4], *data;
  GstBuffer *buffer;
  GstMapInfo map;

  if (gst_buffer_extract (original, 0, start, sizeof start) != sizeof start)
    return NULL;
  size += 4 * (start[0] & 0x0f);
  if (start[0] & 0x10) {
    if (gst_buffer_extract (original, size, extension, 4) != 4)
      return NULL;
    size += 4 + 4 * (gsize) GST_READ_UINT16_BE (extension + 2);
  }
  if (size + header->payload_size > whole)
    return NULL;
  buffer = gst_buffer_new_allocate (NULL, size + OSN_SIZE, NULL);
  if (!buffer || !gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&buffer);
    return NULL;
  }
  data = map.data;
  gst_buffer_extract (original, 0, data, size);
  GST_WRITE_UINT16_BE (data + size, header->seq);
  data[0] &= (guint8) ~ 0x20;   /* no padding */
  data[1] = (guint8) ((data[1] & 0x80) | payload_type);
  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_copy_into (buffer, original, GST_BUFFER_COPY_MEMORY, size,
      header->payload_size);

  header->ssrc = ssrc;
  header->seq = seq;
  header->payload_type = (guint8) payload_type;
  /* Encryption adds the same size as to the original. */
  header->size -= (guint32) (whole - gst_buffer_get_size (buffer));
  header->payload_size += OSN_SIZE;
  return buffer;
}

static gboolean
make (GstPspRepair * r, const GstPspRepairRequest * original,
    GstPspPacket * packet, gint64 now)
{
  Stream *s;
  Kept *k = find_kept (r, original->ssrc, original->seq, &s);

  if (!k || is_late (r, k, now))
    return FALSE;
  memset (packet, 0, sizeof *packet);
  packet->header = k->header;
  packet->running_time = GST_CLOCK_TIME_NONE;
  packet->buffer = gst_psp_repair_make (k->buffer, &packet->header,
      r->config.payload_type, s->rtx_ssrc, s->rtx_seq);
  if (!packet->buffer)
    return FALSE;
  s->rtx_seq++;
  return TRUE;
}

static void
note_repair (GstPspRepair * r, const GstPspPacket * packet)
{
  r->stats.sent++;
  r->stats.sent_bytes += packet->header.payload_size;
}

gboolean
gst_psp_repair_take (GstPspRepair * r, GstPspPacket * packet, gint64 now)
{
  while (gst_psp_repair_waiting (r) > 0) {
    Waiting *w = waiting_at (r, r->head++);

    if (w->ready.buffer && now - w->since <= (gint64) r->config.deadline) {
      *packet = w->ready;
      w->ready.buffer = NULL;
    } else if (w->ready.buffer) {
      gst_clear_buffer (&w->ready.buffer);
      r->stats.refused++;
      continue;
    } else if (!make (r, &w->original, packet, now)) {
      r->stats.refused++;
      continue;
    }
    note_repair (r, packet);
    return TRUE;
  }
  return FALSE;
}

gboolean
gst_psp_repair_take_request (GstPspRepair * r, GstPspRepairRequest * request,
    gint64 now)
{
  while (r->config.payload_type == 0 && r->head != r->tail &&
      !waiting_at (r, r->head)->ready.buffer) {
    const Waiting *w = waiting_at (r, r->head++);

    *request = w->original;
    if (now - w->since <= (gint64) r->config.deadline)
      return TRUE;
    r->stats.refused++;
  }
  return FALSE;
}

gboolean
gst_psp_repair_knows (GstPspRepair * r, guint32 ssrc)
{
  return find_stream (r, ssrc) != NULL;
}

void
gst_psp_repair_add (GstPspRepair * r, const GstPspPacket * packet, gint64 now)
{
  Waiting *w;

  if (r->tail - r->head == MAX_WAITING) {
    gst_buffer_unref (packet->buffer);
    r->stats.refused++;
    return;
  }
  w = waiting_at (r, r->tail++);
  memset (w, 0, sizeof *w);
  w->ready = *packet;
  w->since = now;
}

/* Life */

GstPspRepair *
gst_psp_repair_new (const GstPspRepairConfig * config)
{
  GstPspRepair *r = g_new0 (GstPspRepair, 1);

  r->config = *config;
  r->credit = FIRST_CREDIT;
  return r;
}

void
gst_psp_repair_free (GstPspRepair * r)
{
  if (!r)
    return;
  gst_psp_repair_forget (r);
  for (guint i = 0; i < r->n_streams; i++)
    g_free (r->streams[i].kept);
  g_free (r);
}

void
gst_psp_repair_configure (GstPspRepair * r, const GstPspRepairConfig * config)
{
  r->config.share = config->share;
  r->config.deadline = config->deadline;
}

void
gst_psp_repair_forget (GstPspRepair * r)
{
  for (guint i = 0; i < r->n_streams; i++)
    drop_all (&r->streams[i]);
  for (; r->head != r->tail; r->head++)
    gst_clear_buffer (&waiting_at (r, r->head)->ready.buffer);
  r->credit = FIRST_CREDIT;
  r->loss = 0;
}

void
gst_psp_repair_stats (const GstPspRepair * r, GstPspRepairStats * stats)
{
  *stats = r->stats;
}
