/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/stream.h>

#define SSRC 0x11223344
#define CLOCK_RATE 90000

static PspReceiverResult
arrive (PspStream * s, uint16_t seq, uint8_t ecn, int64_t at)
{
  PspArrival arrival = { {0}, at, ecn };

  arrival.header.ssrc = SSRC;
  arrival.header.seq = seq;
  arrival.header.timestamp = (uint32_t) (at / (PSP_SECOND / CLOCK_RATE));
  arrival.header.size = 112;
  arrival.header.payload_size = 100;
  return psp_stream_packet (s, &arrival, 0);
}

static PspStream *
new_stream (uint16_t seq)
{
  PspStream *s = g_new (PspStream, 1);
  PspRtpHeader header = {.ssrc = SSRC,.seq = seq };

  psp_stream_init (s, &header, 0);
  return s;
}

#define OK PSP_RECEIVER_OK
#define DUP PSP_RECEIVER_DUPLICATE
#define PROB PSP_RECEIVER_PROBATION

/* Packets 1 ms apart, and what is counted after them. A stream starts with the
 * first. n ends where seq is −1. */
static const struct
{
  const char *what;
  struct
  {
    int seq;
    PspReceiverResult result;
  } packets[8];
  uint64_t received, expected, duplicates, reordered;
  uint32_t highest;             /* extended */
} sequence_rows[] = {
  {"one", {{7, OK}, {-1, OK}}, 1, 1, 0, 0, 7},
  {"in order", {{7, OK}, {8, OK}, {9, OK}, {-1, OK}}, 3, 3, 0, 0, 9},
  {"a gap", {{7, OK}, {9, OK}, {-1, OK}}, 2, 3, 0, 0, 9},
  {"late", {{7, OK}, {9, OK}, {8, OK}, {-1, OK}}, 3, 3, 0, 1, 9},
  {"twice at once", {{7, OK}, {7, DUP}, {-1, OK}}, 2, 1, 1, 0, 7},
  {"twice, later", {{7, OK}, {8, OK}, {9, OK}, {7, DUP}, {-1, OK}},
      4, 3, 1, 0, 9},
  {"late and twice", {{7, OK}, {9, OK}, {8, OK}, {8, DUP}, {-1, OK}},
      4, 3, 1, 1, 9},
  {"over the end", {{65534, OK}, {65535, OK}, {0, OK}, {1, OK}, {-1, OK}},
      4, 4, 0, 0, 65537},
  {"late over the end", {{65534, OK}, {0, OK}, {65535, OK}, {-1, OK}},
      3, 3, 0, 1, 65536},
  {"before the first", {{0, OK}, {65535, OK}, {1, OK}, {-1, OK}},
      3, 2, 0, 1, 1},
  {"largest dropout", {{0, OK}, {2999, OK}, {-1, OK}}, 2, 3000, 0, 0, 2999},
  {"a jump", {{0, OK}, {3000, PROB}, {-1, OK}}, 1, 1, 0, 0, 0},
  {"a jump, confirmed", {{0, OK}, {3000, PROB}, {3001, OK}, {3002, OK},
          {-1, OK}}, 4, 4, 0, 0, 3002},
  {"a jump, not confirmed", {{0, OK}, {3000, PROB}, {1, OK}, {3001, PROB},
          {2, OK}, {-1, OK}}, 3, 3, 0, 0, 2},
  {"a jump, gap behind it", {{0, OK}, {3000, PROB}, {3002, PROB}, {3003, OK},
          {-1, OK}}, 3, 3, 0, 0, 3003},
  {"most misordered", {{200, OK}, {101, OK}, {-1, OK}}, 2, 1, 0, 1, 200},
  {"jump back", {{200, OK}, {100, PROB}, {50, PROB}, {51, OK}, {-1, OK}},
      3, 3, 0, 0, 51},
  {"late at a high rate", {{200, OK}, {1100, OK}, {500, OK}, {500, PROB},
          {-1, OK}}, 3, 901, 0, 1, 1100},
  {"most that a window has", {{200, OK}, {1300, OK}, {277, OK}, {276, PROB},
          {-1, OK}}, 3, 1101, 0, 1, 1300},
  {"a short stream again", {{0, OK}, {1, OK}, {400, OK}, {0, PROB}, {1, OK},
          {-1, OK}}, 5, 403, 0, 0, 1},
  {"same seq after a jump", {{200, OK}, {9000, PROB}, {9001, OK},
          {9000, DUP}, {-1, OK}}, 4, 3, 1, 0, 9001},
};

GST_START_TEST (test_sequence)
{
  const char *what = sequence_rows[__i__].what;
  PspStream *s = new_stream ((uint16_t) sequence_rows[__i__].packets[0].seq);
  PspRtcpReportBlock block;

  for (unsigned i = 0; i < 8 && sequence_rows[__i__].packets[i].seq >= 0; i++) {
    fail_unless (arrive (s, (uint16_t) sequence_rows[__i__].packets[i].seq, 0,
            i * PSP_MSECOND) == sequence_rows[__i__].packets[i].result,
        "%s: packet %u", what, i);
  }
  fail_unless (s->counts.packets == sequence_rows[__i__].received, "%s", what);
  fail_unless (s->counts.payload_bytes == 100 * s->counts.packets);
  fail_unless (s->counts.bytes == 112 * s->counts.packets);
  fail_unless (psp_stream_expected (s) == sequence_rows[__i__].expected,
      "%s", what);
  fail_unless_equals_int64 (psp_stream_lost (s),
      (int64_t) sequence_rows[__i__].expected -
      (int64_t) sequence_rows[__i__].received);
  fail_unless (s->duplicates == sequence_rows[__i__].duplicates, "%s", what);
  fail_unless (s->reordered == sequence_rows[__i__].reordered, "%s", what);
  psp_stream_report_block (s, PSP_SECOND, &block);
  fail_unless (block.highest_seq == sequence_rows[__i__].highest, "%s", what);
  g_free (s);
}

GST_END_TEST;

/* A probe a second: each is accepted, however far the number has moved. */
GST_START_TEST (test_jump_after_silence)
{
  PspStream *s = new_stream (0);

  for (unsigned i = 0; i < 20; i++) {
    fail_unless_equals_int (arrive (s, (uint16_t) (i * 10000), 0,
            i * PSP_SECOND), PSP_RECEIVER_OK);
    fail_unless_equals_int (s->n_unreported, 1);
    psp_stream_reported (s, s->highest);
  }
  fail_unless_equals_int (arrive (s, (uint16_t) (20 * 10000), 0,
          19 * PSP_SECOND + PSP_STREAM_SILENCE - 1), PSP_RECEIVER_PROBATION);
  fail_unless_equals_int (arrive (s, (uint16_t) (21 * 10000), 0,
          19 * PSP_SECOND + PSP_STREAM_SILENCE), PSP_RECEIVER_OK);
  g_free (s);
}

GST_END_TEST;

/* What is more than 100 numbers behind is late if it is so by half a second at
 * most, whatever the rate. */
GST_START_TEST (test_late_by_time)
{
  for (int ms = 1; ms <= 5; ms += 4) {
    PspStream *s = new_stream (0);

    for (int i = 0; i <= 200; i++)
      if (i != 1)
        fail_unless_equals_int (arrive (s, (uint16_t) i, 0,
                i * ms * PSP_MSECOND), OK);
    fail_unless_equals_int (arrive (s, 1, 0, 200 * ms * PSP_MSECOND),
        ms == 1 ? OK : PROB);
    g_free (s);
  }
}

GST_END_TEST;

/* RFC 3550 appendix A.8 by hand, over what the stream says. */
GST_START_TEST (test_jitter)
{
  static const int deviation[] = { 0, 10, 0, 900, 0, 3, 5000, 0, 0, 0 };
  PspStream *s = new_stream (0);
  uint32_t j = 0;
  int last = 0;

  for (unsigned i = 0; i < G_N_ELEMENTS (deviation); i++) {
    PspArrival a = { {.ssrc = SSRC,.seq = (uint16_t) i}, 0, 0 };
    int d = ABS (deviation[i] - last);

    /* The time stamps pass over the end of their range. */
    a.header.timestamp = UINT32_MAX - 4000 + i * 3000;
    a.arrived_at = ((int64_t) i * 3000 + deviation[i]) * PSP_SECOND;
    a.arrived_at = a.arrived_at / CLOCK_RATE + 5;       /* as it is cut off */
    fail_unless_equals_int (psp_stream_packet (s, &a, CLOCK_RATE), OK);
    if (i > 0)
      j += d - ((j + 8) >> 4);
    last = deviation[i];
    fail_unless_equals_int (psp_stream_jitter (s), j >> 4);
  }
  fail_unless (psp_stream_jitter (s) > 300);
  psp_stream_reset_jitter (s);
  fail_unless_equals_int (psp_stream_jitter (s), 0);
  g_free (s);
}

GST_END_TEST;

/* RFC 3550 appendix A.3 */
GST_START_TEST (test_report_block)
{
  PspStream *s = new_stream (100);
  PspRtcpReportBlock block;

  fail_if (psp_stream_heard (s));
  arrive (s, 100, 0, 0);
  arrive (s, 103, 0, 0);
  fail_unless (psp_stream_heard (s));
  psp_stream_report_block (s, 0, &block);
  fail_unless_equals_int64 (block.ssrc, SSRC);
  fail_unless_equals_int (block.fraction_lost, 128);
  fail_unless_equals_int (block.cumulative_lost, 2);
  fail_unless_equals_int (block.last_sr, 0);
  fail_unless_equals_int (block.delay_since_last_sr, 0);

  /* More arrive than were expected: nothing lost, and less in all. */
  fail_if (psp_stream_heard (s));
  arrive (s, 104, 0, 0);
  arrive (s, 101, 0, 0);
  arrive (s, 102, 0, 0);
  arrive (s, 102, 0, 0);
  psp_stream_sender_report (s, UINT64_C (0x1234567890abcdef), PSP_SECOND);
  psp_stream_report_block (s, 5 * PSP_SECOND / 2, &block);
  fail_unless_equals_int (block.fraction_lost, 0);
  fail_unless_equals_int (block.cumulative_lost, -1);
  fail_unless_equals_int64 (block.last_sr, 0x567890ab);
  fail_unless_equals_int (block.delay_since_last_sr, 65536 * 3 / 2);

  /* Long after, and clocks that went back. */
  psp_stream_report_block (s, 70000 * PSP_SECOND, &block);
  fail_unless_equals_int64 (block.delay_since_last_sr, UINT32_MAX);
  psp_stream_report_block (s, 0, &block);
  fail_unless_equals_int64 (block.delay_since_last_sr, 0);
  g_free (s);
}

GST_END_TEST;

static void
assert_range (const PspStream * s, int64_t wanted, int64_t required)
{
  PspStreamRange range;

  psp_stream_range (s, &range);
  fail_unless_equals_int64 (range.wanted, wanted);
  fail_unless_equals_int64 (range.required, required);
}

GST_START_TEST (test_ranges)
{
  PspStream *s = new_stream (100);
  PspCcfbMetric metric;
  bool received;
  int64_t at;

  arrive (s, 100, 0, 0);
  arrive (s, 101, PSP_ECN_CE, 5);
  assert_range (s, 100, 100);
  fail_if (s->urgent);
  psp_stream_reported (s, 101);
  fail_unless_equals_int (s->n_unreported, 0);

  /* A gap is wanted, its end is required, the report before is repeated. */
  arrive (s, 104, 0, 10);
  fail_unless (s->urgent);
  assert_range (s, 100, 104);
  psp_stream_metric (s, 101, 15, &metric);
  fail_unless (metric.received);
  fail_unless_equals_int (metric.ecn, PSP_ECN_CE);
  fail_unless_equals_int64 (metric.offset, 10);
  psp_stream_metric (s, 102, 15, &metric);
  fail_if (metric.received);
  psp_stream_arrival (s, 101, &received, &at);
  fail_unless (received);
  fail_unless_equals_int64 (at, 5);
  psp_stream_arrival (s, 102, &received, &at);
  fail_if (received);
  fail_unless_equals_int64 (at, PSP_TIME_UNKNOWN);
  psp_stream_reported (s, 104);
  fail_if (s->urgent);

  arrive (s, 105, 0, 20);
  assert_range (s, 100, 105);
  psp_stream_reported (s, 105);
  arrive (s, 106, 0, 20);
  assert_range (s, 102, 106);
  psp_stream_reported (s, 106);

  /* Late: reported again, whatever is between. */
  arrive (s, 102, 0, 30);
  fail_unless_equals_int (s->n_unreported, 1);
  assert_range (s, 102, 102);
  psp_stream_reported (s, 106);
  arrive (s, 107, 0, 30);
  assert_range (s, 102, 107);
  psp_stream_reported (s, 107);

  /* What does not fit into one report stays unreported. */
  for (uint16_t seq = 108; seq < 120; seq++)
    arrive (s, seq, 0, 40 + seq);
  fail_unless_equals_int (s->n_unreported, 12);
  psp_stream_reported (s, 111);
  fail_unless (s->urgent);
  fail_unless_equals_int (s->n_unreported, 8);
  fail_unless_equals_int64 (s->oldest_unreported_at, 40 + 112);
  assert_range (s, 107, 112);
  g_free (s);
}

GST_END_TEST;

/* A copy's CE mark counts and is reported again; its time is not. */
GST_START_TEST (test_duplicates)
{
  PspStream *s = new_stream (1);
  PspCcfbMetric metric;

  arrive (s, 1, PSP_ECN_ECT0, 0);
  arrive (s, 1, PSP_ECN_ECT1, 7);
  fail_unless_equals_int (s->n_unreported, 1);
  psp_stream_metric (s, 1, 10, &metric);
  fail_unless_equals_int (metric.ecn, PSP_ECN_ECT0);
  fail_unless_equals_int64 (metric.offset, 10);
  psp_stream_reported (s, 1);

  arrive (s, 1, PSP_ECN_ECT0, 8);
  fail_unless_equals_int (s->n_unreported, 0);
  arrive (s, 1, PSP_ECN_CE, 9);
  fail_unless_equals_int (s->n_unreported, 1);
  psp_stream_metric (s, 1, 10, &metric);
  fail_unless_equals_int (metric.ecn, PSP_ECN_CE);
  fail_unless_equals_int64 (metric.offset, 10);
  arrive (s, 1, PSP_ECN_CE, 9);
  fail_unless_equals_int (s->n_unreported, 1);
  g_free (s);
}

GST_END_TEST;

/* A sender that has not heard of a packet probes with it once more. */
GST_START_TEST (test_probe_by_duplicate)
{
  PspStream *s = new_stream (1);

  arrive (s, 1, 0, 0);
  psp_stream_reported (s, 1);
  arrive (s, 1, 0, PSP_STREAM_SILENCE - 1);
  fail_unless_equals_int (s->n_unreported, 0);
  arrive (s, 1, 0, 2 * PSP_STREAM_SILENCE);
  fail_unless_equals_int (s->n_unreported, 1);
  g_free (s);
}

GST_END_TEST;

/* Unreported for longer than the window remembers. */
GST_START_TEST (test_window)
{
  PspStream *s = new_stream (0);
  PspCcfbMetric metric;

  arrive (s, 0, 0, 0);
  for (unsigned seq = 1; seq < 3000; seq += 1 + seq % 2)
    arrive (s, (uint16_t) seq, 0, 0);
  assert_range (s, s->highest - PSP_STREAM_WINDOW + 1,
      s->highest - PSP_STREAM_WINDOW + 1);
  for (int64_t seq = s->highest - PSP_STREAM_WINDOW + 1; seq <= s->highest;
      seq++) {
    psp_stream_metric (s, seq, 0, &metric);
    fail_unless (metric.received == seq % 2);
  }

  /* A gap clears what it passes over. */
  arrive (s, (uint16_t) (s->highest + 2000), 0, 0);
  for (int64_t seq = s->highest - PSP_STREAM_WINDOW + 1; seq < s->highest;
      seq++) {
    psp_stream_metric (s, seq, 0, &metric);
    fail_if (metric.received);
  }
  g_free (s);
}

GST_END_TEST;

GST_START_TEST (test_bye)
{
  PspStream *s = new_stream (0);

  arrive (s, 0, 0, 0);
  s->bye_at = 1;
  arrive (s, 1, 0, PSP_STREAM_SILENCE);
  fail_unless_equals_int64 (s->bye_at, 1);
  arrive (s, 2, 0, PSP_STREAM_SILENCE + 1);
  fail_unless_equals_int64 (s->bye_at, PSP_TIME_UNKNOWN);
  g_free (s);
}

GST_END_TEST;

static Suite *
stream_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-stream");
  TCase *tc = tcase_create ("stream");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_sequence, 0, G_N_ELEMENTS (sequence_rows));
  tcase_add_test (tc, test_jump_after_silence);
  tcase_add_test (tc, test_late_by_time);
  tcase_add_test (tc, test_jitter);
  tcase_add_test (tc, test_report_block);
  tcase_add_test (tc, test_ranges);
  tcase_add_test (tc, test_duplicates);
  tcase_add_test (tc, test_probe_by_duplicate);
  tcase_add_test (tc, test_window);
  tcase_add_test (tc, test_bye);
  return s;
}

GST_CHECK_MAIN (stream);
