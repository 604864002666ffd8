/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What is written reads as it was meant, and takes no more than it must.
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/twccwriter.h>

#include "../rounds.h"

#define TICK (250 * PSP_USECOND)
#define MS PSP_MSECOND

static PspTwccPacket packets[PSP_TWCC_MAX_WRITTEN];
static uint8_t data[PSP_TWCC_SIZE (PSP_TWCC_MAX_WRITTEN)];

/* Reads it back, the times from `reference` on, and compares. */
static void
check_report (size_t size, unsigned n)
{
  uint8_t *copy = g_memdup2 (data, size);
  PspTwccIterator it;
  PspTwccPacket packet;
  PspTwcc twcc;
  int64_t reference;

  fail_unless (psp_twcc_parse (copy, size, &twcc));
  fail_unless_equals_int64 (twcc.sender_ssrc, 0x01020304);
  fail_unless_equals_int64 (twcc.media_ssrc, 0xdeadbeef);
  fail_unless_equals_int (twcc.count, 7);
  fail_unless_equals_int (twcc.begin_seq, packets[0].seq);
  fail_unless_equals_int (twcc.n_packets, n);
  fail_unless (twcc.has_times);
  reference = psp_twcc_reference_time (&twcc, PSP_TIME_UNKNOWN);
  psp_twcc_begin (&twcc, reference, &it);
  for (unsigned i = 0; i < n; i++) {
    fail_unless (psp_twcc_next (&it, &packet));
    fail_unless_equals_int (packet.seq, packets[i].seq);
    fail_unless (packet.received == packets[i].received);
    if (packet.received)
      fail_unless_equals_int64 (packet.arrived_at,
          packets[i].arrived_at / TICK * TICK);
  }
  fail_if (psp_twcc_next (&it, &packet));
  g_free (copy);
}

static size_t
write_report (unsigned n, unsigned expected)
{
  PspWriter w = psp_writer (data, sizeof data);

  fail_unless_equals_int (psp_twcc_write (&w, 0x01020304, 0xdeadbeef, 7,
          packets, n), expected);
  fail_if (w.error);
  fail_unless (w.size <= PSP_TWCC_SIZE (n));
  if (expected > 0)
    check_report (w.size, expected);
  return w.size;
}

/* Each character is a packet: '.' was lost, '1' came 1 ms after the one before,
 * 'L' 100 ms after, and 'r' 10 ms before. */
static unsigned
make (const char *pattern, uint16_t first)
{
  int64_t at = 640 * MS;
  unsigned n = 0;

  for (; pattern[n]; n++) {
    at += pattern[n] == '1' ? MS : pattern[n] == 'L' ? 100 * MS :
        pattern[n] == 'r' ? -10 * MS : 0;
    packets[n].seq = (uint16_t) (first + n);
    packets[n].received = pattern[n] != '.';
    packets[n].arrived_at = packets[n].received ? at : PSP_TIME_UNKNOWN;
  }
  return n;
}

static const struct
{
  const char *pattern;
  size_t size;                  /* bytes, with what fills the last word */
} rows[] = {
  {"1", 20 + 2 + 1 + 1},
  {"11111111", 20 + 2 + 8 + 2}, /* a run */
  {".1", 20 + 2 + 1 + 1},       /* a vector of one bit each */
  {"1.1.1.1.1.1.1.", 20 + 2 + 7 + 3},
  {"1.1.1.1.1.1.1.1", 20 + 4 + 8},
  {"1L.r", 20 + 2 + 5 + 1},     /* a vector of two bits each */
  {"LLLLLLLLLLLLLLLL", 20 + 4 + 31 + 1},        /* the first from the reference */
  {"1....................1", 20 + 4 + 2 + 2},   /* a vector, and the rest */
};

GST_START_TEST (test_patterns)
{
  unsigned n = make (rows[__i__].pattern, 65530);

  fail_unless (write_report (n, n) == rows[__i__].size, "%s: %zu",
      rows[__i__].pattern, write_report (n, n));
}

GST_END_TEST;

/* Losses, pauses and packets out of order, of all lengths. */
GST_START_TEST (test_random)
{
  GRand *random = g_rand_new_with_seed (1);

  for (guint round = test_rounds (3000); round > 0; round--) {
    unsigned n = (unsigned) g_rand_int_range (random, 1, PSP_TWCC_MAX_WRITTEN
        + 1);
    double loss = g_rand_double (random) * .9;
    int64_t at = g_rand_int_range (random, 0, G_MAXINT32) * PSP_USECOND;
    bool any = false;

    for (unsigned i = 0; i < n; i++) {
      at += g_rand_boolean (random) ? g_rand_int_range (random, 0, 3) * MS :
          g_rand_int_range (random, 0, 8000) * MS
          / g_rand_int_range (random, 1, 9999);
      if (g_rand_int_range (random, 0, 20) == 0)
        at = MAX (at - g_rand_int_range (random, 0, 200) * MS, 0);
      packets[i].seq = (uint16_t) (65000 + i);
      packets[i].received = g_rand_double (random) >= loss;
      packets[i].arrived_at = at;
      any |= packets[i].received;
    }
    write_report (n, any ? n : 0);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* What is too late to be said begins another report. */
GST_START_TEST (test_pauses)
{
  unsigned n = make ("11.1111", 0);

  for (unsigned i = 4; i < n; i++)
    packets[i].arrived_at += 9 * PSP_SECOND;
  write_report (n, 4);
  packets[0].arrived_at += 9 * PSP_SECOND;
  write_report (n, 1);
}

GST_END_TEST;

/* Nothing is written where there is no room, or nothing to say. */
GST_START_TEST (test_no_report)
{
  PspWriter w = psp_writer (data, PSP_TWCC_SIZE (3) - 1);

  make ("111", 0);
  fail_unless_equals_int (psp_twcc_write (&w, 1, 2, 3, packets, 3), 0);
  fail_unless_equals_int (w.size, 0);
  fail_if (w.error);
  fail_unless_equals_int (psp_twcc_write (&w, 1, 2, 3, packets,
          PSP_TWCC_MAX_WRITTEN + 1), 0);
  make ("...", 0);
  write_report (3, 0);
}

GST_END_TEST;

static Suite *
twccwriter_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-twccwriter");
  TCase *tc = tcase_create ("twccwriter");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_patterns, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_random);
  tcase_add_test (tc, test_pauses);
  tcase_add_test (tc, test_no_report);
  return s;
}

GST_CHECK_MAIN (twccwriter);
