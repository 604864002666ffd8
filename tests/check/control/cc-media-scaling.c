/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "bottleneck.h"
#include "roundtrips.h"

#define RTT ROUNDS_RTT

/* Chung and Claypool, Table 1. */
static const double table1[5] = { 300000, 500000, 700000, 900000, 1100000 };

static void
start (Rounds * s, const PspLimits * limits, const double *bitrates)
{
  rounds_start_with (s, &psp_cc_media_scaling, limits, bitrates);
}

/* A source that is its own clock: each of its packets could have left
 * earlier. */
static void
send (Rounds * s, int n)
{
  rounds_send (s, n, true);
}

/* → the scale. */
static int
report (Rounds * s, int64_t first, const char *outcomes, bool timeout)
{
  rounds_report (s, first, outcomes, timeout);
  return s->d.scale;
}

static int
tick (Rounds * s, int64_t now)
{
  s->now = now;
  if (s->d.next_tick <= now)
    psp_controller_tick (s->c, now, &s->d);
  return s->d.scale;
}

static int
round_trip (Rounds * s, const char *outcomes)
{
  rounds_outcomes (s, outcomes, true);
  return s->d.scale;
}

#define CLEAN "rrrrrrrrrr"
#define LOSSY "rlrrrrrrrr"

static void
climb (Rounds * s, int scale)
{
  while (s->d.scale < scale)
    round_trip (s, CLEAN);
}

/* Section 2, a round trip a letter: '+' without loss, '-' with, 'x' all lost,
 * 'm' with a mark → the scale. What follows a halving is first heard of one
 * round trip later, and has passed after another. */
/* *INDENT-OFF* */
static const struct
{
  const char *what, *rounds, *scales;
} section2[] = {
  {"one up a round trip, four at most", "++++++", "123444"},
  {"half, by integer division", "++++-", "12342"},
  {"half of three is one", "+++-", "1231"},
  {"one loss or ten are a loss", "++++x", "12342"},
  {"half and half again", "++++----", "12342100"},
  {"back", "++++-++++", "123422344"},
  {"a loss at the bottom", "----+++", "0000012"},
  {"a loss when it was up again", "++++-++-", "12342231"},
  {"a mark is a loss", "++m+++", "121123"},
};
/* *INDENT-ON* */

GST_START_TEST (test_section2)
{
  const char *rounds = section2[__i__].rounds;
  Rounds s;
  int i, scale;

  start (&s, NULL, NULL);
  fail_unless_equals_int (s.d.scale, 0);
  fail_unless_equals_int64 (s.d.period, 0);
  fail_unless_equals_int64 (s.d.window, PSP_WINDOW_NONE);
  for (i = 0; rounds[i]; i++) {
    scale = round_trip (&s, rounds[i] == '+' ? CLEAN :
        rounds[i] == '-' ? LOSSY : rounds[i] == 'm' ? "rrcrrrrrrr" :
        "llllllllll");
    fail_unless (scale == section2[__i__].scales[i] - '0', "%s, round %d: %d",
        section2[__i__].what, i, scale);
    fail_unless_equals_int64 (s.d.target_bitrate, (int64_t) table1[scale]);
    fail_unless_equals_int64 (s.d.window, PSP_WINDOW_NONE);
  }
  rounds_end (&s);
}

GST_END_TEST;

/* Nothing is decided before there is a round trip to decide by. */
GST_START_TEST (test_no_rtt)
{
  Rounds s;

  start (&s, NULL, NULL);
  send (&s, 10);
  s.now += PSP_SECOND;
  fail_unless_equals_int (report (&s, 0, "llllllllll", true), 0);
  fail_unless_equals_int64 (s.d.loss_timeout, 0);
  rounds_end (&s);
}

GST_END_TEST;

/* At most one decision a round trip: a loss that is heard of sooner waits, and
 * a tick answers it. */
GST_START_TEST (test_once)
{
  Rounds s;
  int64_t decided;

  start (&s, NULL, NULL);
  climb (&s, 4);
  decided = s.now;
  send (&s, 10);
  s.now += RTT / 2;
  fail_unless_equals_int (report (&s, s.index - 10, "lrrrr", false), 4);
  fail_unless_equals_int64 (s.d.next_tick, decided + RTT);
  fail_unless_equals_int (tick (&s, decided + RTT), 2);
  fail_unless_equals_int (s.d.reason, PSP_REASON_LOSS);
  /* One congestion, one answer: what was sent before is of the past. */
  s.now += RTT;
  fail_unless_equals_int (report (&s, s.index - 5, "lllll", false), 2);
  rounds_end (&s);
}

GST_END_TEST;

/* Two increases within a round trip do not occur either. */
GST_START_TEST (test_reports_within)
{
  Rounds s;
  int i;

  start (&s, NULL, NULL);
  round_trip (&s, CLEAN);
  fail_unless_equals_int (s.d.scale, 1);
  for (i = 0; i < 7; i++) {
    send (&s, 1);
    s.now += RTT / 8;
    fail_unless_equals_int (report (&s, s.index - 1, "r", false), 1);
  }
  send (&s, 1);
  s.now += RTT / 8;
  fail_unless_equals_int (report (&s, s.index - 1, "r", false), 2);
  rounds_end (&s);
}

GST_END_TEST;

/* A late arrival disproves a loss that was not answered yet; one that was
 * answered stays answered. */
GST_START_TEST (test_recovered)
{
  Rounds s;

  start (&s, NULL, NULL);
  climb (&s, 3);
  send (&s, 10);
  s.now += RTT / 4;
  report (&s, s.index - 10, "lrrr", false);
  s.now += RTT / 4;
  report (&s, s.index - 10, "R", false);
  fail_unless_equals_int (tick (&s, s.now + RTT / 2), 3);
  fail_unless_equals_int (report (&s, s.index - 6, "rrrrrr", false), 4);
  round_trip (&s, CLEAN);
  fail_unless_equals_int (round_trip (&s, LOSSY), 2);
  fail_unless_equals_int (report (&s, s.index - 9, "R", false), 2);
  rounds_end (&s);
}

GST_END_TEST;

/* Reports stay away: what is in flight is presumed lost a round trip after
 * the report should have come, and that halves too. */
GST_START_TEST (test_timeout)
{
  Rounds s;
  int i;

  start (&s, NULL, NULL);
  round_trip (&s, CLEAN);
  /* 40, four deviations of 20, and 40 again. */
  fail_unless_equals_int64 (s.d.loss_timeout, 4 * RTT + 40 * PSP_MSECOND);
  for (i = 0; i < 60; i++)
    round_trip (&s, CLEAN);
  fail_unless_equals_int64 (s.d.loss_timeout, 200 * PSP_MSECOND);
  send (&s, 10);
  s.now += s.d.loss_timeout;
  fail_unless_equals_int (report (&s, s.index - 10, "llllllllll", true), 2);
  fail_unless_equals_int (s.d.reason, PSP_REASON_TIMEOUT);
  rounds_end (&s);
}

GST_END_TEST;

GST_START_TEST (test_reasons)
{
  Rounds s;

  start (&s, NULL, NULL);
  fail_unless_equals_int (s.d.reason, PSP_REASON_START);
  climb (&s, 4);
  fail_unless_equals_int (s.d.reason, PSP_REASON_INCREASE);
  round_trip (&s, LOSSY);
  fail_unless_equals_int (s.d.reason, PSP_REASON_LOSS);
  round_trip (&s, "rrcrrrrrrr");
  fail_unless_equals_int (s.d.reason, PSP_REASON_ECN);
  rounds_end (&s);
}

GST_END_TEST;

/* Silence of a second halves, and again: at the paper's receiver it is a
 * loss. Afterwards there is a round trip to pass first. */
GST_START_TEST (test_silence)
{
  Rounds s;
  int64_t last;

  start (&s, NULL, NULL);
  climb (&s, 4);
  send (&s, 10);
  last = s.now;
  s.now += RTT;
  report (&s, s.index - 10, CLEAN, false);
  fail_unless_equals_int64 (s.d.next_tick, last + PSP_SECOND);
  fail_unless_equals_int (tick (&s, last + PSP_SECOND - 1), 4);
  fail_unless_equals_int (tick (&s, last + PSP_SECOND), 2);
  fail_unless_equals_int (s.d.reason, PSP_REASON_LIMIT);
  fail_unless_equals_int (tick (&s, last + 2 * PSP_SECOND), 1);
  fail_unless_equals_int (tick (&s, last + 3 * PSP_SECOND), 0);
  fail_unless_equals_int64 (s.d.next_tick, PSP_TIME_NEVER);
  s.now += 3600 * PSP_SECOND;
  fail_unless_equals_int (round_trip (&s, CLEAN), 0);
  fail_unless_equals_int (round_trip (&s, CLEAN), 1);
  /* Ticks that change nothing. */
  climb (&s, 4);
  s.now += 2 * PSP_SECOND;
  fail_unless_equals_int (round_trip (&s, CLEAN), 1);
  rounds_end (&s);
}

GST_END_TEST;

/* With a table the source must use half of its scale before it gets more: a
 * packet a round trip is 242 kb/s, which is less than half of 500. */
GST_START_TEST (test_application_limited)
{
  Rounds s;
  int i;

  start (&s, NULL, table1);
  for (i = 0; i < 100; i++) {
    send (&s, 1);
    s.now += RTT;
    report (&s, s.index - 1, "r", false);
    fail_unless (s.d.scale == 1, "round %d: %d", i, s.d.scale);
  }
  /* 485 kb/s are less than half of 1100, but that is the top. */
  for (i = 0; i < 3; i++) {
    send (&s, 2);
    s.now += RTT;
    report (&s, s.index - 2, "rr", false);
  }
  fail_unless_equals_int (s.d.scale, 4);
  /* Losses count all the same. */
  send (&s, 1);
  s.now += RTT;
  fail_unless_equals_int (report (&s, s.index - 1, "l", false), 2);
  rounds_end (&s);
}

GST_END_TEST;

/* The table's bitrates are the targets; where to start, and where the maximum
 * ends it. */
GST_START_TEST (test_table)
{
  PspLimits limits = { 0 };
  double bitrates[5] = { 1, 2, 30, 400, 5000 };
  Rounds s;

  start (&s, &limits, bitrates);
  climb (&s, 4);
  fail_unless_equals_int64 (s.d.target_bitrate, 5000);
  limits.max_bitrate = 399;
  psp_controller_set_limits (s.c, &limits, s.now, &s.d);
  fail_unless_equals_int (s.d.scale, 2);
  fail_unless_equals_int64 (s.d.target_bitrate, 30);
  fail_unless_equals_int (s.d.reason, PSP_REASON_LIMIT);
  round_trip (&s, CLEAN);
  round_trip (&s, CLEAN);
  fail_unless_equals_int (s.d.scale, 2);
  limits.max_bitrate = 0;
  psp_controller_set_limits (s.c, &limits, s.now, &s.d);
  bitrates[2] = 31;
  psp_controller_set_parameters (s.c, bitrates, s.now, &s.d);
  fail_unless_equals_int64 (s.d.target_bitrate, 31);
  round_trip (&s, CLEAN);
  fail_unless_equals_int (s.d.scale, 3);
  rounds_end (&s);

  limits.start_bitrate = 100;
  start (&s, &limits, bitrates);
  fail_unless_equals_int (s.d.scale, 2);
  rounds_end (&s);
  limits.start_bitrate = 2000000;
  start (&s, &limits, table1);
  fail_unless_equals_int (s.d.scale, 4);
  rounds_end (&s);
  /* A target of 0 would mean that nothing may be sent. */
  memset (&limits, 0, sizeof (limits));
  memset (bitrates, 0, sizeof (bitrates));
  bitrates[4] = 1000;
  start (&s, &limits, bitrates);
  fail_unless_equals_int64 (s.d.target_bitrate, 1);
  rounds_end (&s);
}

GST_END_TEST;

/* Closed loop, Table 1 and a source that keeps to it: on a link with room for
 * all scales there is no loss after the ascent. With room for 600 kb/s it moves
 * around that; a step each 40 ms is more than a queue of 10 packets bears, so
 * the published rule overshoots. */
GST_START_TEST (test_closed_loop)
{
  const int64_t rate = __i__ ? 600000 : 2000000;
  BnConfig config = {
    .controller = "media-scaling",
    .steps = {{0, rate}},
    .delay = 20 * PSP_MSECOND,
    .queue = 10,
    .payload = 1200,
    .overhead = 40,
    .report_packets = 8,
    .report_interval = 25 * PSP_MSECOND,
    .fps = 30,
    .parameters = table1,
    .start_bitrate = 300000,
    .seed = 1
  };
  Bn *b = bn_new (&config);

  bn_run (b, 5 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 65 * PSP_SECOND);
  if (rate == 600000) {
    fail_unless (bn_goodput (b) > 0.8 * 600e3, "%f", bn_goodput (b));
    fail_unless (bn_loss (b) < 0.25, "%f", bn_loss (b));
  } else {
    fail_unless (bn_goodput (b) > 0.97 * 1100e3, "%f", bn_goodput (b));
    fail_unless (bn_loss (b) == 0, "%f", bn_loss (b));
    fail_unless_equals_int (b->decision.scale, 4);
  }
  bn_free (b);
}

GST_END_TEST;

static Suite *
cc_media_scaling_suite (void)
{
  Suite *s = suite_create ("control-cc-media-scaling");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_section2, 0, G_N_ELEMENTS (section2));
  tcase_add_test (tc, test_no_rtt);
  tcase_add_test (tc, test_once);
  tcase_add_test (tc, test_reports_within);
  tcase_add_test (tc, test_recovered);
  tcase_add_test (tc, test_timeout);
  tcase_add_test (tc, test_reasons);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_application_limited);
  tcase_add_test (tc, test_table);
  tcase_add_loop_test (tc, test_closed_loop, 0, 2);
  return s;
}

GST_CHECK_MAIN (cc_media_scaling);
