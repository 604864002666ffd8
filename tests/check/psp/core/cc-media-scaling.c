/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "bottleneck.h"

#define RTT (40 * PSP_MSECOND)
#define SIZE 1212

/* Chung and Claypool, Table 1. */
static const PspLimits table1 = {
  .scale_bitrates = {300000, 500000, 700000, 900000, 1100000}
};

typedef struct
{
  PspController *c;
  PspDecision d;
  int64_t now, index;
} Scaling;

static void
start (Scaling * s, const PspLimits * limits)
{
  static const PspLimits none = { 0 };

  memset (s, 0, sizeof (*s));
  s->c = psp_controller_new (psp_controller_find ("media-scaling"),
      limits ? limits : &none, 0, &s->d);
}

static void
send (Scaling * s, int n)
{
  PspSent sent = {.size = SIZE,.window = PSP_WINDOW_NONE };

  /* A source that is its own clock: each of its packets could have left
   * earlier. */
  sent.app_limited = true;
  for (; n > 0; n--) {
    sent.now = s->now;
    sent.index = s->index++;
    psp_controller_sent (s->c, &sent, &s->d);
  }
}

/* 'r', 'l', 'R', 'c': received, lost, recovered, marked; '.' = no news. */
static int
report (Scaling * s, int64_t first, const char *outcomes, bool timeout)
{
  PspPacketResult results[64];
  PspReport r = { 0 };
  int64_t i;

  memset (results, 0, sizeof (results));
  for (i = 0; outcomes[i]; i++) {
    PspPacketResult *x = &results[r.n_results];

    if (outcomes[i] == '.')
      continue;
    x->index = first + i;
    x->sent_at = s->now - RTT;
    x->arrived_at = PSP_TIME_UNKNOWN;
    x->size = SIZE;
    x->outcome = outcomes[i] == 'l' ? PSP_OUTCOME_LOST :
        outcomes[i] == 'R' ? PSP_OUTCOME_RECOVERED : PSP_OUTCOME_RECEIVED;
    x->ecn = outcomes[i] == 'c' ? PSP_ECN_CE : PSP_ECN_NOT_ECT;
    r.n_results++;
    r.n_received += x->outcome == PSP_OUTCOME_RECEIVED;
    r.n_lost += x->outcome == PSP_OUTCOME_LOST;
    r.n_recovered += x->outcome == PSP_OUTCOME_RECOVERED;
    r.n_ce += x->ecn == PSP_ECN_CE;
  }
  r.now = s->now;
  r.timeout = timeout;
  r.rtt_sample = timeout ? PSP_TIME_UNKNOWN : RTT;
  r.results = results;
  psp_controller_feedback (s->c, &r, &s->d);
  return s->d.scale;
}

static int
tick (Scaling * s, int64_t now)
{
  s->now = now;
  if (s->d.next_tick <= now)
    psp_controller_tick (s->c, now, &s->d);
  return s->d.scale;
}

/* Ten packets, and a round trip later the news of them. */
static int
round_trip (Scaling * s, const char *outcomes)
{
  int64_t first = s->index;

  send (s, 10);
  s->now += RTT;
  return report (s, first, outcomes, false);
}

#define CLEAN "rrrrrrrrrr"
#define LOSSY "rlrrrrrrrr"

static void
climb (Scaling * s, int scale)
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
  Scaling s;
  int i, scale;

  start (&s, NULL);
  fail_unless_equals_int (s.d.scale, 0);
  fail_unless_equals_int64 (s.d.period, 0);
  fail_unless_equals_int64 (s.d.window, PSP_WINDOW_NONE);
  for (i = 0; rounds[i]; i++) {
    scale = round_trip (&s, rounds[i] == '+' ? CLEAN :
        rounds[i] == '-' ? LOSSY : rounds[i] == 'm' ? "rrcrrrrrrr" :
        "llllllllll");
    fail_unless (scale == section2[__i__].scales[i] - '0', "%s, round %d: %d",
        section2[__i__].what, i, scale);
    fail_unless_equals_int64 (s.d.target_bitrate, table1.scale_bitrates[scale]);
    fail_unless_equals_int64 (s.d.window, PSP_WINDOW_NONE);
  }
  psp_controller_free (s.c);
}

GST_END_TEST;

/* Nothing is decided before there is a round trip to decide by. */
GST_START_TEST (test_no_rtt)
{
  Scaling s;

  start (&s, NULL);
  send (&s, 10);
  s.now += PSP_SECOND;
  fail_unless_equals_int (report (&s, 0, "llllllllll", true), 0);
  fail_unless_equals_int64 (s.d.loss_timeout, 0);
  psp_controller_free (s.c);
}

GST_END_TEST;

/* At most one decision a round trip: a loss that is heard of sooner waits, and
 * a tick answers it. */
GST_START_TEST (test_once)
{
  Scaling s;
  int64_t decided;

  start (&s, NULL);
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
  psp_controller_free (s.c);
}

GST_END_TEST;

/* Two increases within a round trip do not occur either. */
GST_START_TEST (test_reports_within)
{
  Scaling s;
  int i;

  start (&s, NULL);
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
  psp_controller_free (s.c);
}

GST_END_TEST;

/* A late arrival disproves a loss that was not answered yet; one that was
 * answered stays answered. */
GST_START_TEST (test_recovered)
{
  Scaling s;

  start (&s, NULL);
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
  psp_controller_free (s.c);
}

GST_END_TEST;

/* Reports stay away: what is in flight is presumed lost a round trip after
 * news was to be expected, and that halves too. */
GST_START_TEST (test_timeout)
{
  Scaling s;
  int i;

  start (&s, NULL);
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
  psp_controller_free (s.c);
}

GST_END_TEST;

GST_START_TEST (test_reasons)
{
  Scaling s;

  start (&s, NULL);
  fail_unless_equals_int (s.d.reason, PSP_REASON_START);
  climb (&s, 4);
  fail_unless_equals_int (s.d.reason, PSP_REASON_INCREASE);
  round_trip (&s, LOSSY);
  fail_unless_equals_int (s.d.reason, PSP_REASON_LOSS);
  round_trip (&s, "rrcrrrrrrr");
  fail_unless_equals_int (s.d.reason, PSP_REASON_ECN);
  psp_controller_free (s.c);
}

GST_END_TEST;

/* Silence of a second halves, and again: at the paper's receiver it is a
 * loss. Afterwards there is a round trip to pass first. */
GST_START_TEST (test_silence)
{
  Scaling s;
  int64_t last;

  start (&s, NULL);
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
  /* Ticks that nobody heeded. */
  climb (&s, 4);
  s.now += 2 * PSP_SECOND;
  fail_unless_equals_int (round_trip (&s, CLEAN), 1);
  psp_controller_free (s.c);
}

GST_END_TEST;

/* With a table the source must use half of its scale before it gets more: a
 * packet a round trip is 242 kb/s, which is less than half of 500. */
GST_START_TEST (test_application_limited)
{
  Scaling s;
  int i;

  start (&s, &table1);
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
  psp_controller_free (s.c);
}

GST_END_TEST;

/* The table's bitrates are the targets; where to start, and where the maximum
 * ends it. */
GST_START_TEST (test_table)
{
  PspLimits limits = {.scale_bitrates = {1, 2, 30, 400, 5000}
  };
  Scaling s;

  start (&s, &limits);
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
  limits.scale_bitrates[2] = 31;
  psp_controller_set_limits (s.c, &limits, s.now, &s.d);
  fail_unless_equals_int64 (s.d.target_bitrate, 31);
  round_trip (&s, CLEAN);
  fail_unless_equals_int (s.d.scale, 3);
  psp_controller_free (s.c);

  limits.start_bitrate = 100;
  start (&s, &limits);
  fail_unless_equals_int (s.d.scale, 2);
  psp_controller_free (s.c);
  limits = table1;
  limits.start_bitrate = 2000000;
  start (&s, &limits);
  fail_unless_equals_int (s.d.scale, 4);
  psp_controller_free (s.c);
  /* A target of 0 would mean that nothing may be sent. */
  memset (&limits, 0, sizeof (limits));
  limits.scale_bitrates[4] = 1000;
  start (&s, &limits);
  fail_unless_equals_int64 (s.d.target_bitrate, 1);
  psp_controller_free (s.c);
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
    .limits = table1,
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
  Suite *s = suite_create ("cc-media-scaling");
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
