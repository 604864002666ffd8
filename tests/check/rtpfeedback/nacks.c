/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/nacks.h>

#define OWN 0x0bad0bad
#define MS PSP_MSECOND
#define INTERVAL (40 * MS)
#define N_STREAMS 2
#define MAX_NUMBERS 1024

static PspStream streams[N_STREAMS];
static PspNacks nacks;

/* Streams of SSRC 0 and 1, from their first packet at time 0 on. */
static void
begin (uint16_t seq)
{
  psp_nacks_init (&nacks);
  for (unsigned i = 0; i < N_STREAMS; i++) {
    PspRtpHeader header = {.ssrc = i,.seq = seq };

    psp_stream_init (&streams[i], &header, 0);
  }
}

static void
arrive (uint32_t ssrc, uint16_t seq, int64_t at)
{
  PspArrival a = { {.ssrc = ssrc,.seq = seq}, at, 0 };

  fail_unless (psp_stream_packet (&streams[ssrc], &a, 0) == PSP_RECEIVER_OK);
}

static bool
add (int ssrc, uint16_t number, int64_t now)
{
  uint32_t named = (uint32_t) ssrc;

  return psp_nacks_add (streams, N_STREAMS, ssrc < 0 ? NULL : &named, number,
      INTERVAL, now);
}

static int64_t
next (int64_t now)
{
  return psp_nacks_next (&nacks, streams, N_STREAMS, now);
}

/* Returns how many numbers of the stream are asked for. */
static unsigned
pack (uint32_t ssrc, int64_t now, size_t room, uint16_t numbers[MAX_NUMBERS])
{
  uint8_t data[2048];
  PspWriter w = psp_writer (data, room);
  PspRtcpPacket packet;
  PspNack nack;
  size_t position = 0;
  unsigned n = 0;

  psp_nacks_pack (&nacks, streams, N_STREAMS, OWN, now, &w);
  fail_if (w.error);
  while (psp_rtcp_next (data, w.size, &position, &packet))
    for (unsigned i = 0; psp_rtcp_parse_nack (&packet, i, &nack); i++) {
      fail_unless_equals_int64 (nack.source, OWN);
      if (nack.ssrc != ssrc)
        continue;
      numbers[n++] = nack.first;
      for (unsigned k = 0; k < 16; k++)
        if (nack.following & 1 << k)
          numbers[n++] = (uint16_t) (nack.first + 1 + k);
    }
  return n;
}

GST_START_TEST (test_what_is_asked)
{
  uint16_t numbers[MAX_NUMBERS];

  begin (65530);
  arrive (0, 65530, 0);
  arrive (0, 5, 10 * MS);
  fail_unless_equals_int64 (next (10 * MS), PSP_TIME_NEVER);

  fail_if (add (0, 65529, 10 * MS));    /* before the first */
  fail_if (add (0, 65530, 10 * MS));    /* it came */
  fail_if (add (0, 5, 10 * MS));
  fail_if (add (0, 6, 10 * MS));        /* nobody knows whether it exists */
  fail_if (add (0, 30000, 10 * MS));
  fail_if (add (7, 2, 10 * MS));        /* no such stream */
  fail_if (add (1, 2, 10 * MS));
  fail_unless (add (0, 65531, 10 * MS));
  fail_unless (add (0, 3, 10 * MS));
  fail_if (add (0, 3, 10 * MS));        /* it is about to leave */
  fail_unless_equals_int64 (next (10 * MS), 10 * MS);

  /* Over the wrap, in one item. */
  fail_unless_equals_int (pack (0, 10 * MS, PSP_RTCP_NACK_SIZE (1), numbers),
      2);
  fail_unless_equals_int (numbers[0], 65531);
  fail_unless_equals_int (numbers[1], 3);
  fail_unless_equals_int64 (next (10 * MS), PSP_TIME_NEVER);
  fail_unless_equals_uint64 (nacks.n_asked, 2);
}

GST_END_TEST;

GST_START_TEST (test_interval)
{
  uint16_t numbers[MAX_NUMBERS];
  unsigned n = 0;

  begin (0);
  arrive (0, 0, 0);
  arrive (0, 2, 0);
  for (int64_t now = 0; now < 400 * MS; now += MS) {
    add (-1, 1, now);
    n += pack (0, now, 100, numbers);
  }
  fail_unless_equals_int (n, 10);
  /* It comes at last, late. */
  arrive (0, 1, 400 * MS);
  fail_if (add (-1, 1, 440 * MS));
}

GST_END_TEST;

/* What arrives between request and departure is not asked for. */
GST_START_TEST (test_arrives_meanwhile)
{
  uint16_t numbers[MAX_NUMBERS];

  begin (0);
  arrive (0, 0, 0);
  arrive (0, 3, 0);
  fail_unless (add (-1, 1, 0));
  fail_unless (add (-1, 2, 0));
  arrive (0, 1, MS);
  fail_unless_equals_int (pack (0, MS, 100, numbers), 1);
  fail_unless_equals_int (numbers[0], 2);
  fail_unless_equals_int64 (next (MS), PSP_TIME_NEVER);
}

GST_END_TEST;

GST_START_TEST (test_silence)
{
  begin (0);
  arrive (0, 0, 0);
  arrive (0, 2, 0);
  fail_if (add (-1, 1, PSP_STREAM_SILENCE));
  fail_unless (add (-1, 1, PSP_STREAM_SILENCE - 1));

  streams[0].bye_at = 0;
  arrive (1, 0, 0);
  arrive (1, 3, 0);
  fail_if (add (0, 1, MS));
  fail_unless (add (1, 1, MS));
}

GST_END_TEST;

/* A burst is asked for as credit and room allow, and none of it is forgotten. */
GST_START_TEST (test_credit_and_room)
{
  uint16_t numbers[MAX_NUMBERS];
  unsigned n;

  begin (0);
  arrive (0, 0, 0);
  arrive (0, 1000, 0);
  for (uint16_t i = 1; i < 1000; i++)
    fail_unless (add (-1, i, 0));
  /* Two items of room. */
  n = pack (0, 0, PSP_RTCP_NACK_SIZE (2) + 3, numbers);
  fail_unless_equals_int (n, 2 * PSP_RTCP_NACK_SPAN);
  fail_unless_equals_int (numbers[n - 1], n);
  /* What is left of the credit, which never is below 0. */
  while (next (0) == 0) {
    unsigned more = pack (0, 0, 1200, numbers);

    fail_unless (more > 0);
    fail_unless_equals_int (numbers[0], n + 1);
    n += more;
  }
  fail_unless (nacks.credit >= 0 && nacks.credit < PSP_RTCP_NACK_SIZE (1));
  fail_unless (n < 1000);
  /* Media pays for the rest. */
  while (n < 999) {
    psp_nacks_earn (&nacks, 1200);
    n += pack (0, 0, 1200, numbers);
  }
  fail_unless_equals_uint64 (nacks.n_asked, 999);
  for (unsigned i = 0; i < 1000; i++)
    psp_nacks_earn (&nacks, 1200);
  fail_unless (nacks.credit <= PSP_NACKS_MAX_CREDIT);
}

GST_END_TEST;

/* What the window no longer holds is not asked for, nor a jump's past. */
GST_START_TEST (test_window)
{
  uint16_t numbers[MAX_NUMBERS];

  begin (0);
  arrive (0, 0, 0);
  arrive (0, 2, 0);
  fail_unless (add (-1, 1, 0));
  arrive (0, PSP_STREAM_WINDOW + 2, 0);
  fail_unless_equals_int64 (psp_stream_window_start (&streams[0]), 3);
  fail_if (add (-1, 2, 0));
  fail_unless_equals_int (pack (0, 0, 100, numbers), 0);
  fail_unless_equals_int64 (next (0), PSP_TIME_NEVER);

  fail_unless (add (-1, PSP_STREAM_WINDOW, 0));
  arrive (0, 40000, 2 * PSP_STREAM_SILENCE);
  fail_unless_equals_int64 (next (2 * PSP_STREAM_SILENCE), PSP_TIME_NEVER);
  fail_unless_equals_int (pack (0, 2 * PSP_STREAM_SILENCE, 100, numbers), 0);
}

GST_END_TEST;

static Suite *
nacks_suite (void)
{
  Suite *s = suite_create ("nacks");
  TCase *tc = tcase_create ("nacks");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_what_is_asked);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_arrives_meanwhile);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_credit_and_room);
  tcase_add_test (tc, test_window);
  return s;
}

GST_CHECK_MAIN (nacks);
