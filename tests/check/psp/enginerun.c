/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "enginerun.h"

#include <errno.h>
#include <gst/check/gstcheck.h>
#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtcp.h>

GST_DEBUG_CATEGORY (gst_psp_sink_debug);

#define HEADER 12               /* bytes, of RTP */

GstPspEngine *
make_engine (const gchar * controller, gint64 now)
{
  /* The period of "fixed"; "none" has no parameter. */
  static const gdouble parameters[PSP_MAX_PARAMETERS] = { SPACING };
  GstPspEngineConfig config = {
    .controller = psp_controller_find (controller),
    .parameters = parameters
  };
  GstPspEngine *engine = gst_psp_engine_new (&config, now);

  fail_unless (engine != NULL);
  gst_psp_engine_set_playing (engine, TRUE, now);
  return engine;
}

guint8 media_type = 96;
guint n_freed;

static void
note_freed (gpointer data, GstMiniObject * buffer)
{
  (void) data;
  (void) buffer;
  n_freed++;
}

gboolean stamped;

/* RFC 8285 section 4.2: one element of two bytes. */
static void
stamp (guint8 * header, guint16 number)
{
  header[0] |= 0x10;
  GST_WRITE_UINT32_BE (header + HEADER, 0xbede0001);
  GST_WRITE_UINT32_BE (header + HEADER + 4, (TRANSPORT_ID << 4 | 1u) << 24 |
      (guint32) number << 8);
}

/* FALSE: the packet has none. */
gboolean
read_number (GstBuffer * packet, guint16 * number)
{
  guint8 data[SIZE];

  return psp_rtp_read_extension (data, gst_buffer_extract (packet, 0, data,
          sizeof data), TRANSPORT_ID, number);
}

void
queue_packet (GstPspEngine * engine, guint32 ssrc, guint16 seq, gint64 now)
{
  guint8 header[HEADER + 8] = { 0x80, media_type };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  GstPspPacket packet;

  gst_buffer_memset (buffer, 0, 0, SIZE);
  GST_WRITE_UINT16_BE (header + 2, seq);
  GST_WRITE_UINT32_BE (header + 4, seq);        /* each is a picture */
  GST_WRITE_UINT32_BE (header + 8, ssrc);
  if (stamped)
    stamp (header, seq);
  gst_buffer_fill (buffer, 0, header, stamped ? sizeof header : HEADER);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), note_freed, NULL);
  fail_unless (gst_psp_packet_parse (&packet, buffer, NULL));
  gst_buffer_unref (buffer);
  fail_unless_equals_int (gst_psp_engine_queue (engine, &packet, now),
      GST_PSP_QUEUE_TAKEN);
}

void
queue_packets (GstPspEngine * engine, guint32 ssrc, gint64 now)
{
  for (guint i = 0; i < N_PACKETS; i++)
    queue_packet (engine, ssrc, (guint16) i, now);
}

/* Transport-wide numbers follow each other, whatever leaves. */
static void
note_number (Member * m, GstBuffer * packet)
{
  guint16 number;

  if (!read_number (packet, &number))
    return;
  if (m->n_numbered++ > 0)
    fail_unless_equals_int (number, (guint16) (m->number + 1));
  m->number = number;
}

/* As a socket would: all leave, or none. */
static void
send_batch (Member * m, GstPspBatch * b, gint64 now)
{
  gboolean fails = m->fault && now < m->until;

  b->error = m->fault;
  b->sent = fails && m->fault == EAGAIN ? 0 : b->n;
  b->lost = fails && m->fault != EAGAIN ? b->n : 0;
  for (guint i = 0; i < b->sent; i++) {
    guint8 header[4];

    gst_buffer_extract (b->buffers[i], 0, header, 4);
    note_number (m, b->buffers[i]);
    gst_buffer_unref (b->buffers[i]);
    m->n_repairs += header[1] == 97;
    if (fails || header[1] != media_type)
      continue;
    fail_unless (m->n_sent < N_PACKETS);
    m->seqs[m->n_sent] = GST_READ_UINT16_BE (header + 2);
    m->sent_at[m->n_sent++] = now;
  }
  gst_clear_buffer (&b->released);
  gst_psp_engine_sent (m->engine, b, now);
}

void
run_member (Member * m, gint64 now)
{
  static GstPspBatch batch;
  guint8 data[GST_PSP_RTCP_SIZE];
  GstPspReply reply;

  while (gst_psp_engine_poll (m->engine, now, &batch, &reply) !=
      GST_PSP_REPLY_WAIT) {
    fail_unless (++m->n_polls < MAX_POLLS);
    if (reply.kind == GST_PSP_REPLY_SEND)
      send_batch (m, &batch, now);
    else if (reply.kind == GST_PSP_REPLY_RTCP)
      while (gst_psp_engine_pack_rtcp (m->engine, now, 0, PSP_TIME_UNKNOWN,
              FALSE, data) > 0);
    m->n_key_frames += reply.kind == GST_PSP_REPLY_KEY_FRAME;
    m->n_requests += reply.kind == GST_PSP_REPLY_RETRANSMISSION;
    if (reply.kind == GST_PSP_REPLY_NOTICE) {
      m->n_notices++;
      gst_congestion_info_free (reply.info);
    }
    if (reply.kind == GST_PSP_REPLY_WARNING) {
      m->n_warnings++;
      g_strlcpy (m->warning, reply.text, sizeof m->warning);
      g_free (reply.text);
      g_free (reply.debug);
    }
  }
  m->blocked = reply.blocked;
  m->due_at = MIN (reply.slot, reply.timer);
  fail_unless (m->due_at > now);
  if (m->blocked && m->until > now)
    m->due_at = MIN (m->due_at, m->until);
}

guint32 reporter_ssrc = 1;

gsize
write_ccfb (guint8 * data, gsize room, guint16 seq, gint64 now)
{
  PspCcfbMetric metric = {.received = true };
  PspCcfbPacker packer;
  PspWriter w = psp_writer (data, room);

  psp_ccfb_begin (&packer, &w, reporter_ssrc);
  psp_ccfb_stream (&packer, 0, seq);
  psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, (guint32) ((now << 16) / PSP_SECOND));
  fail_if (w.error);
  return w.size;
}

void
receive_from (GstPspEngine * engine, guint16 port, const guint8 * data,
    gsize size, gint64 now)
{
  PspAddress from;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", port, AF_INET,
          &from), 0);
  gst_psp_engine_receive (engine, &from, data, size, now);
}

/* The receiver's host reports packet `seq` from this port. */
void
report (GstPspEngine * engine, guint16 port, guint16 seq, gint64 now)
{
  guint8 data[64];

  receive_from (engine, port, data, write_ccfb (data, sizeof data, seq, now),
      now);
}

void
request_packets (GstPspEngine * engine, guint16 port, guint16 number,
    guint16 following, gint64 now)
{
  const PspNack nack = { 1, 0, number, following };
  guint8 data[PSP_RTCP_NACK_SIZE (1)];
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_nack (&w, &nack, 1);
  receive_from (engine, port, data, w.size, now);
}

guint16 last_seq;

/* A packet is queued each 20 ms, if few wait. */
void
run_media (Member * m, guint from_ms, guint to_ms)
{
  for (guint ms = from_ms; ms < to_ms; ms += 20) {
    gint64 now = ms * PSP_MSECOND;

    m->n_sent = m->n_polls = 0;
    if (gst_psp_engine_queued (m->engine) < 10)
      queue_packet (m->engine, 0, (guint16) (ms / 20), now);
    run_member (m, now);
    if (m->n_sent > 0)
      last_seq = m->seqs[m->n_sent - 1];
  }
}

void
check_feedback (GstPspEngine * engine, guint ms, PspReportKind kind,
    gint64 target)
{
  GstPspEngineStats stats;

  gst_psp_engine_stats (engine, ms * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.feedback, kind);
  fail_unless_equals_string (stats.controller, "poise");
  if (target >= 0)
    fail_unless_equals_int64 (stats.sender.target_bitrate, target);
}

void
open_engine (GstPspEngine * engine)
{
  PspAddress to;

  fail_unless_equals_int (psp_address_resolve ("192.0.2.1", 5004, AF_INET,
          &to), 0);
  gst_psp_engine_open (engine, &to, 0);
}

GstPspEngine *
make_open_engine (void)
{
  GstPspEngine *engine = make_engine ("poise", 0);

  gst_psp_engine_set_queue_limits (engine, GST_PSP_LEAKY_NO, 3600 * GST_SECOND);
  open_engine (engine);
  return engine;
}
