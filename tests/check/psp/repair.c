/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which lost packets are repaired, and what a repair is, in virtual time.
 */
#include <gst/check/gstcheck.h>
#include <gst/rtp/gstrtpbuffer.h>

#include "../rounds.h"
#include "gstpspqueue.h"
#include "gstpsprepair.h"

#include <rtpfeedback/rtcp.h>

#define SSRC 0x11223344
#define MEDIA 96
#define RTX 97
#define PAYLOAD 1000
#define MS PSP_MSECOND
#define RTT (40 * MS)
#define DEADLINE (200 * MS)

static const GstPspRepairConfig own = { RTX, .3, DEADLINE };
static const GstPspRepairConfig of_upstream = { 0, .3, DEADLINE };

static GstPspPacket
packet_new (guint32 ssrc, guint16 seq)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstPspPacket packet;
  GError *error = NULL;
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD, 0, 0);

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, 3000u * seq);
  gst_rtp_buffer_set_payload_type (&rtp, MEDIA);
  gst_rtp_buffer_set_marker (&rtp, seq & 1);
  memset (gst_rtp_buffer_get_payload (&rtp), seq, PAYLOAD);
  gst_rtp_buffer_unmap (&rtp);
  fail_unless (gst_psp_packet_parse (&packet, buffer, &error));
  gst_buffer_unref (buffer);
  return packet;
}

static void
send (GstPspRepair * r, guint32 ssrc, guint16 seq, gint64 now)
{
  GstPspPacket packet = packet_new (ssrc, seq);

  gst_psp_repair_note_sent (r, &packet, now);
  gst_buffer_unref (packet.buffer);
}

/* Some that pay for repairs, from seq 0 on, a millisecond each. */
static gint64
send_many (GstPspRepair * r, guint n)
{
  for (guint i = 0; i < n; i++)
    send (r, SSRC, (guint16) i, i * MS);
  return (n - 1) * MS;
}

static void
ask (GstPspRepair * r, guint32 ssrc, guint16 first, guint16 following,
    gint64 now)
{
  const PspNack nack = { 1, ssrc, first, following };
  guint8 data[PSP_RTCP_NACK_SIZE (1)];
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_nack (&w, &nack, 1);
  fail_unless (gst_psp_repair_is_asked_for (data, w.size));
  gst_psp_repair_receive (r, data, w.size, RTT, now);
}

static GstPspRepairStats
stats_of (const GstPspRepair * r)
{
  GstPspRepairStats stats;

  gst_psp_repair_stats (r, &stats);
  return stats;
}

/* The original sequence number of the next repair, or −1. */
static gint
take (GstPspRepair * r, gint64 now, GstPspPacket * taken)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstPspPacket packet;
  gint osn;

  if (!gst_psp_repair_take (r, &packet, now))
    return -1;
  fail_unless (gst_rtp_buffer_map (packet.buffer, GST_MAP_READ, &rtp));
  osn = GST_READ_UINT16_BE (gst_rtp_buffer_get_payload (&rtp));
  fail_unless_equals_int (gst_rtp_buffer_get_ssrc (&rtp), packet.header.ssrc);
  fail_unless_equals_int (gst_rtp_buffer_get_seq (&rtp), packet.header.seq);
  fail_unless_equals_int (gst_rtp_buffer_get_payload_type (&rtp), RTX);
  fail_unless_equals_int (packet.header.payload_type, RTX);
  fail_unless_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD + 2);
  fail_unless_equals_int (packet.header.payload_size, PAYLOAD + 2);
  fail_unless_equals_int (gst_buffer_get_size (packet.buffer),
      packet.header.size);
  fail_unless_equals_int (gst_rtp_buffer_get_timestamp (&rtp),
      3000u * (guint) osn);
  fail_unless (gst_rtp_buffer_get_marker (&rtp) == (osn & 1));
  fail_unless_equals_int (((guint8 *) gst_rtp_buffer_get_payload (&rtp))[2],
      osn & 0xff);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (packet.buffer);
  if (taken)
    *taken = packet;
  return osn;
}

GST_START_TEST (test_repairs)
{
  GstPspRepair *r = gst_psp_repair_new (&own);
  GstPspPacket a, b, c;
  gint64 now = send_many (r, 60);

  fail_unless_equals_int (gst_psp_repair_waiting (r), 0);
  ask (r, SSRC, 10, 1 << 15 | 1, now);
  fail_unless_equals_int (gst_psp_repair_waiting (r), 3);
  fail_unless_equals_int (take (r, now, &a), 10);
  fail_unless_equals_int (take (r, now, &b), 11);
  fail_unless_equals_int (take (r, now, &c), 26);
  fail_unless_equals_int (take (r, now, NULL), -1);
  /* A stream of its own (RFC 4588 section 4). */
  fail_if (a.header.ssrc == SSRC);
  fail_unless (a.header.ssrc == b.header.ssrc);
  fail_unless_equals_int ((guint16) (a.header.seq + 1), b.header.seq);
  fail_unless_equals_int ((guint16) (a.header.seq + 2), c.header.seq);
  fail_unless_equals_uint64 (stats_of (r).requested, 3);
  fail_unless_equals_uint64 (stats_of (r).sent, 3);
  fail_unless_equals_uint64 (stats_of (r).sent_bytes, 3 * (PAYLOAD + 2));
  gst_psp_repair_free (r);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  GstPspRepair *r = gst_psp_repair_new (&own);
  gint64 now = send_many (r, 60);
  const struct
  {
    guint32 ssrc;
    guint16 seq;
    gint64 at;
  } rows[] = {
    {SSRC, 60, now},            /* not sent yet */
    {SSRC, 65535, now},         /* before the first */
    {SSRC + 1, 10, now},
    {SSRC, 10, 10 * MS + DEADLINE + 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    ask (r, rows[i].ssrc, rows[i].seq, 0, rows[i].at);
    fail_unless_equals_int (gst_psp_repair_waiting (r), 0);
    fail_unless_equals_uint64 (stats_of (r).refused, i + 1);
  }
  /* In time when it was asked for, and too late when it could leave. */
  ask (r, SSRC, 10, 0, 10 * MS + DEADLINE);
  fail_unless_equals_int (take (r, 10 * MS + DEADLINE + 1, NULL), -1);
  fail_unless_equals_uint64 (stats_of (r).refused, 5);
  fail_unless_equals_uint64 (stats_of (r).sent, 0);
  gst_psp_repair_free (r);
}

GST_END_TEST;

/* However often a packet is asked for: the more is lost, the more often. */
static const struct
{
  guint each;                   /* one in so many is lost */
  guint n_repairs;              /* in 100 ms */
} losses[] = {
  {0, 3},
  {20, 3},
  {10, 5},
  {5, 10},
};

GST_START_TEST (test_repeated)
{
  GstPspRepair *r = gst_psp_repair_new (&own);
  guint64 before;
  gint64 now = 0;

  for (guint i = 0; i < 1000; i++) {
    send (r, SSRC, (guint16) i, now = i * MS);
    if (losses[__i__].each > 0 && i % losses[__i__].each == 0)
      ask (r, SSRC, (guint16) i, 0, now);
    while (take (r, now, NULL) >= 0);
  }
  before = stats_of (r).sent;
  for (guint i = 0; i < 100; i++) {
    ask (r, SSRC, 999, 0, now + i * MS);
    while (take (r, now + i * MS, NULL) >= 0);
  }
  fail_unless_equals_uint64 (stats_of (r).sent - before,
      losses[__i__].n_repairs);
  gst_psp_repair_free (r);
}

GST_END_TEST;

/* Whoever asks for all again gets the share, and no more. */
GST_START_TEST (test_share)
{
  static const gdouble shares[] = { 0, .1, .3, .5 };
  GstPspRepairConfig config = own;
  const guint n = MAX (1000, test_rounds (5000));
  gdouble repairs, media = (gdouble) n * PAYLOAD;
  GstPspRepair *r;

  config.share = shares[__i__];
  r = gst_psp_repair_new (&config);
  for (guint i = 0; i < n; i++) {
    gint64 now = i * MS;

    send (r, SSRC, (guint16) i, now);
    for (guint k = 0; k < 10; k++)
      ask (r, SSRC, (guint16) (i - 17 * k), 0xffff, now);
    while (take (r, now, NULL) >= 0);
  }
  repairs = stats_of (r).sent_bytes;
  fail_unless (repairs <= (media + repairs) * config.share +
      (config.share > 0 ? 4000 : 0), "%f of %f", repairs, media);
  fail_unless (repairs >= .95 * (media + repairs) * config.share);
  gst_psp_repair_free (r);
}

GST_END_TEST;

/* Streams apart, numbers that wrap, that jump, and that come twice. */
GST_START_TEST (test_streams)
{
  GstPspRepair *r = gst_psp_repair_new (&own);
  GstPspPacket a, b;

  for (guint i = 0; i < 40; i++) {
    send (r, SSRC, (guint16) (65530 + i), i * MS);
    send (r, SSRC + 1, (guint16) (100 + i), i * MS);
    send (r, SSRC + 1, (guint16) (100 + i), i * MS);
  }
  ask (r, SSRC, 65534, 1 << 3, 40 * MS);
  ask (r, SSRC + 1, 101, 0, 40 * MS);
  fail_unless_equals_int (take (r, 40 * MS, &a), 65534);
  fail_unless_equals_int (take (r, 40 * MS, NULL), 2);
  fail_unless_equals_int (take (r, 40 * MS, &b), 101);
  fail_if (a.header.ssrc == b.header.ssrc);

  /* A gap upstream: what never left is not repaired. */
  send (r, SSRC, 200, 50 * MS);
  ask (r, SSRC, 100, 0, 50 * MS);
  fail_unless_equals_int (take (r, 50 * MS, NULL), -1);
  ask (r, SSRC, 200, 0, 50 * MS);
  fail_unless_equals_int (take (r, 50 * MS, NULL), 200);
  /* Media that upstream reordered. */
  send (r, SSRC, 150, 55 * MS);
  ask (r, SSRC, 150, 0, 55 * MS);
  fail_unless_equals_int (take (r, 55 * MS, NULL), 150);
  /* The stream begins anew. */
  send (r, SSRC, 40000, 60 * MS);
  ask (r, SSRC, 200, 0, 100 * MS);
  fail_unless_equals_int (take (r, 100 * MS, NULL), -1);
  ask (r, SSRC, 40000, 0, 100 * MS);
  fail_unless_equals_int (take (r, 100 * MS, NULL), 40000);

  gst_psp_repair_forget (r);
  ask (r, SSRC, 40000, 0, 150 * MS);
  fail_unless_equals_int (take (r, 150 * MS, NULL), -1);
  gst_psp_repair_free (r);
}

GST_END_TEST;

/* So much is kept as the deadline says, however many packets that are; and more
 * streams than can be known do no harm. */
GST_START_TEST (test_kept)
{
  GstPspRepair *r = gst_psp_repair_new (&own);
  GstPspPacket packet = packet_new (SSRC, 0);

  for (guint i = 0; i < 40000; i++) {
    packet.header.seq = (guint16) i;
    gst_psp_repair_note_sent (r, &packet, i * PSP_USECOND);
  }
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (packet.buffer),
      1 + GST_PSP_QUEUE_CAPACITY);
  packet.header.seq++;
  gst_psp_repair_note_sent (r, &packet, PSP_SECOND);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (packet.buffer), 2);
  for (guint i = 0; i < 10 * PSP_MAX_STREAMS; i++) {
    packet.header.ssrc++;
    gst_psp_repair_note_sent (r, &packet, PSP_SECOND);
  }
  fail_unless (GST_MINI_OBJECT_REFCOUNT_VALUE (packet.buffer) <=
      1 + PSP_MAX_STREAMS);
  gst_psp_repair_free (r);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (packet.buffer), 1);
  gst_buffer_unref (packet.buffer);
}

GST_END_TEST;

/* Upstream is asked, and what it sends leaves; nothing is kept here. */
GST_START_TEST (test_of_upstream)
{
  GstPspRepair *r = gst_psp_repair_new (&of_upstream);
  GstPspRepairRequest request;
  GstPspPacket packet, taken;
  gint64 now = send_many (r, 60);

  /* Of what left before anybody asked, upstream knows. */
  ask (r, SSRC, 65535, 0, now);
  fail_unless (gst_psp_repair_take_request (r, &request, now));
  fail_unless_equals_int (request.seq, 65535);
  ask (r, SSRC, 60, 0, now);
  fail_if (gst_psp_repair_take_request (r, &request, now));
  ask (r, SSRC, 50, 0, now);
  fail_unless_equals_int (gst_psp_repair_waiting (r), 0);
  packet = packet_new (SSRC + 7, 1);
  gst_psp_repair_add (r, &packet, now);
  fail_unless (gst_psp_repair_take_request (r, &request, now));
  fail_unless_equals_int (request.ssrc, SSRC);
  fail_unless_equals_int (request.seq, 50);
  fail_if (gst_psp_repair_take_request (r, &request, now));
  fail_unless_equals_int (gst_psp_repair_waiting (r), 1);
  fail_unless (gst_psp_repair_take (r, &taken, now));
  fail_unless (taken.buffer == packet.buffer);
  fail_unless_equals_uint64 (stats_of (r).sent, 1);
  gst_buffer_unref (taken.buffer);
  fail_unless (gst_psp_repair_knows (r, SSRC));
  fail_if (gst_psp_repair_knows (r, SSRC + 7));
  /* What waited for too long is of no use. */
  packet = packet_new (SSRC + 7, 1);
  gst_psp_repair_add (r, &packet, now);
  fail_if (gst_psp_repair_take (r, &taken, now + DEADLINE + 1));
  /* More than can wait. */
  for (guint i = 0; i < 1000; i++) {
    packet = packet_new (SSRC + 7, 2);
    gst_psp_repair_add (r, &packet, now);
  }
  fail_unless (gst_psp_repair_waiting (r) < 1000);
  gst_psp_repair_free (r);
}

GST_END_TEST;

/* Header extension, CSRCs and padding (RFC 4588 section 4). */
GST_START_TEST (test_header)
{
  GstBuffer *original = gst_rtp_buffer_new_allocate (5, 3, 2), *repair;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 extension[] = { 1, 2, 3, 4 };
  GstPspPacket packet;
  GError *error = NULL;
  gpointer data;
  guint size;

  gst_rtp_buffer_map (original, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_seq (&rtp, 0x1234);
  gst_rtp_buffer_set_csrc (&rtp, 1, 77);
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, 3, extension,
          sizeof extension));
  memcpy (gst_rtp_buffer_get_payload (&rtp), "hello", 5);
  gst_rtp_buffer_unmap (&rtp);
  fail_unless (gst_psp_packet_parse (&packet, original, &error));
  fail_unless_equals_int (packet.header.payload_size, 5);

  repair = gst_psp_repair_make (original, &packet.header, RTX, SSRC, 9);
  fail_unless (gst_rtp_buffer_map (repair, GST_MAP_READ, &rtp));
  fail_if (gst_rtp_buffer_get_padding (&rtp));
  fail_unless_equals_int (gst_rtp_buffer_get_csrc (&rtp, 1), 77);
  fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp, 3, 0, &data,
          &size));
  fail_unless (size == sizeof extension && memcmp (data, extension, size) == 0);
  fail_unless_equals_int (gst_rtp_buffer_get_payload_len (&rtp), 7);
  fail_unless (memcmp (gst_rtp_buffer_get_payload (&rtp), "\x12\x34hello",
          7) == 0);
  gst_rtp_buffer_unmap (&rtp);
  fail_unless_equals_int (packet.header.size, gst_buffer_get_size (repair));
  gst_buffer_unref (repair);
  gst_buffer_unref (packet.buffer);
  gst_buffer_unref (original);

  original = gst_buffer_new_allocate (NULL, 11, NULL);
  fail_if (gst_psp_repair_make (original, &packet.header, RTX, SSRC, 9));
  gst_buffer_unref (original);
}

GST_END_TEST;

/* Anything may come under this name. */
GST_START_TEST (test_hostile)
{
  GstPspRepair *r = gst_psp_repair_new (&own);
  GRand *random = g_rand_new_with_seed (1);
  guint8 data[64];

  send_many (r, 60);
  for (guint i = 0; i < 20000; i++) {
    gsize size = (gsize) g_rand_int_range (random, 0, sizeof data);

    for (guint k = 0; k < size; k++)
      data[k] = (guint8) g_rand_int (random);
    if (size > 3 && i & 1) {
      data[0] = 0x81;
      data[1] = PSP_RTCP_RTPFB;
      data[2] = 0;
      data[3] = (guint8) (size / 4 - 1);
      if (size >= 16 && i & 2) {
        GST_WRITE_UINT32_BE (data + 8, SSRC);
        data[12] = 0;
      }
    }
    gst_psp_repair_receive (r, data, size, -1, 60 * MS);
    gst_psp_repair_is_asked_for (data, size);
    while (take (r, 60 * MS, NULL) >= 0);
  }
  /* Each once, as no time goes by. */
  fail_unless (stats_of (r).sent > 0 && stats_of (r).sent <= 60);
  fail_unless (stats_of (r).requested > 1000);
  g_rand_free (random);
  gst_psp_repair_free (r);
}

GST_END_TEST;

static Suite *
repair_suite (void)
{
  Suite *s = suite_create ("psp_repair");
  TCase *tc = tcase_create ("repair");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_repairs);
  tcase_add_test (tc, test_refused);
  tcase_add_loop_test (tc, test_repeated, 0, G_N_ELEMENTS (losses));
  tcase_add_loop_test (tc, test_share, 0, 4);
  tcase_add_test (tc, test_streams);
  tcase_add_test (tc, test_kept);
  tcase_add_test (tc, test_of_upstream);
  tcase_add_test (tc, test_header);
  tcase_add_test (tc, test_hostile);
  return s;
}

GST_CHECK_MAIN (repair);
