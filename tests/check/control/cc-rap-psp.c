/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "bottleneck.h"
#include "roundtrips.h"

#define RTT ROUNDS_RTT

static void
start (Rounds * p, int64_t start_bitrate)
{
  PspLimits limits = {.start_bitrate = start_bitrate };

  rounds_start (p, "rap-psp", &limits);
}

static int64_t
spacing (const Rounds * p)
{
  return (p->d.period + PSP_USECOND / 2) / PSP_USECOND;
}

/* An epoch of its own, wholly reported a round trip later; the spacing, us. */
static int64_t
round_trip (Rounds * p, int sent, int received, bool app_limited)
{
  rounds_round_trip (p, sent, received, app_limited);
  return spacing (p);
}

/* Before the first loss: a packet a round trip, doubled a round trip. */
GST_START_TEST (test_start)
{
  Rounds p;

  start (&p, 0);
  fail_unless_equals_int64 (p.d.period, 100 * PSP_MSECOND);
  fail_unless_equals_int64 (round_trip (&p, 1, 1, false), 20000);
  fail_unless_equals_int64 (round_trip (&p, 2, 2, false), 10000);
  fail_unless_equals_int64 (round_trip (&p, 4, 4, false), 5000);
  fail_unless_equals_int (p.d.reason, PSP_REASON_INCREASE);
  /* The loss takes the last doubling back; then it is one packet more. */
  fail_unless_equals_int64 (round_trip (&p, 8, 7, false), 10000);
  fail_unless_equals_int (p.d.reason, PSP_REASON_LOSS);
  fail_unless_equals_int64 (round_trip (&p, 4, 4, false), 8000);
  rounds_end (&p);

  start (&p, 1000000);
  fail_unless_equals_int64 (p.d.target_bitrate, 1000000);
  rounds_end (&p);
}

GST_END_TEST;

/* RAP: packets a round trip go n → n + 1, and half at a loss, whatever n: the
 * spacing is RTT / n. */
GST_START_TEST (test_additive)
{
  Rounds p;
  int n, i;

  start (&p, 0);
  round_trip (&p, 1, 1, false);
  round_trip (&p, 2, 2, false);
  fail_unless_equals_int64 (round_trip (&p, 4, 3, false), 20000);
  for (n = 3; n < 60; n++)
    fail_unless_equals_int64 (round_trip (&p, n - 1, n - 1, false),
        (80000 + n) / (2 * n));
  for (i = 1; i < 5; i++)
    fail_unless_equals_int64 (round_trip (&p, 59 >> (i - 1), 1, false),
        ((40000 << i) + 29) / 59);
  rounds_end (&p);
}

GST_END_TEST;

/* Never further apart than a round trip, as PSP. */
GST_START_TEST (test_at_most_an_rtt)
{
  Rounds p;
  int i;

  start (&p, 0);
  round_trip (&p, 1, 1, false);
  for (i = 0; i < 10; i++)
    round_trip (&p, 2, 0, false);
  fail_unless_equals_int64 (p.d.period, RTT);
  rounds_end (&p);
}

GST_END_TEST;

/* A loss is answered as soon as it is known, once: what was sent before the
 * answer is of the past, whether lost or not. */
GST_START_TEST (test_cluster)
{
  Rounds p;

  start (&p, 9120000);
  fail_unless_equals_int64 (spacing (&p), 1000);
  rounds_send (&p, 40, false);
  p.now += RTT;
  rounds_report (&p, 0, "rrrr", false);
  rounds_send (&p, 40, false);
  p.now += PSP_MSECOND;
  rounds_report (&p, 4, "lrrr", false);
  fail_unless_equals_int64 (spacing (&p), 2000);
  fail_unless_equals_int (p.d.reason, PSP_REASON_LOSS);
  p.now += PSP_MSECOND;
  rounds_report (&p, 8,
      "llllllllllllllllllllllllllllllllrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"
      "rrrrrrrrrrr", false);
  fail_unless_equals_int64 (spacing (&p), 2000);
  p.now += RTT;
  fail_unless_equals_int64 (round_trip (&p, 20, 20, false), 1905);
  fail_unless_equals_int64 (round_trip (&p, 20, 19, false), 3810);
  rounds_end (&p);
}

GST_END_TEST;

/* Fine-grain adaptation: while the round trip is longer than usual packets
 * wait, and no longer when it is not; the gap itself is not changed by that. */
GST_START_TEST (test_fine_grain)
{
  Rounds p;
  int64_t before, slow;

  start (&p, 9120000);
  round_trip (&p, 40, 39, true);
  before = p.d.period;
  p.rtt = 60 * PSP_MSECOND;
  slow = round_trip (&p, 1, 1, true) * PSP_USECOND;
  /* 40 + .9 × 20 = 58 by 40 + .01 × 20 = 40.2 ms. */
  fail_unless (slow > before * 1.43 && slow < before * 1.45,
      "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, slow, before);
  p.rtt = RTT;
  round_trip (&p, 1, 1, true);
  round_trip (&p, 1, 1, true);
  fail_unless (p.d.period < before * 1.01 && p.d.period > before * 0.99);
  rounds_end (&p);
}

GST_END_TEST;

/* Where the source had nothing more to send, no loss is no evidence; RAP's
 * threshold is half. */
GST_START_TEST (test_app_limited)
{
  Rounds p;
  int64_t before;

  start (&p, 9120000);
  round_trip (&p, 40, 39, true);
  before = spacing (&p);
  fail_unless_equals_int64 (before, 2000);
  fail_unless_equals_int64 (round_trip (&p, 9, 9, true), 2000);
  fail_unless_equals_int64 (round_trip (&p, 11, 11, true), 1905);
  fail_unless_equals_int64 (round_trip (&p, 2, 1, true), 3810);
  rounds_end (&p);
}

GST_END_TEST;

/* A spacing that was not in use, whether for want of data or because the host's
 * own interface is slower, is not what congested the path: what was in use is
 * halved. */
GST_START_TEST (test_in_use)
{
  Rounds p;
  int i;

  start (&p, 9120000);
  for (i = 0; i < 40; i++)
    round_trip (&p, 10, 10, i % 2);
  fail_unless_equals_int64 (spacing (&p), 1000);
  fail_unless_equals_int64 (round_trip (&p, 10, 9, false), 8000);
  rounds_end (&p);
}

GST_END_TEST;

GST_START_TEST (test_timeout_and_mark)
{
  Rounds p;

  start (&p, 9120000);
  rounds_send (&p, 4, false);
  p.now += PSP_SECOND;
  /* Before there is a round trip nothing is decided. */
  rounds_report (&p, 0, "llll", true);
  fail_unless_equals_int64 (spacing (&p), 1000);
  round_trip (&p, 40, 40, false);
  rounds_send (&p, 4, false);
  p.now += RTT;
  rounds_report (&p, p.index - 4, "rcrr", false);
  fail_unless_equals_int (p.d.reason, PSP_REASON_ECN);
  rounds_send (&p, 4, false);
  p.now += p.d.loss_timeout;
  rounds_report (&p, p.index - 4, "llll", true);
  fail_unless_equals_int (p.d.reason, PSP_REASON_TIMEOUT);
  fail_unless (p.d.loss_timeout >= 2 * RTT);
  rounds_end (&p);
}

GST_END_TEST;

/* Closed loop: quick where psp takes minutes, and a fall and a rise of the
 * link's rate are followed. */
GST_START_TEST (test_closed_loop)
{
  BnConfig config = {
    .controller = "rap-psp",
    .steps = {{0, 2000000}, {60 * PSP_SECOND, 800000}, {90 * PSP_SECOND,
            2000000}
        },
    .delay = 20 * PSP_MSECOND,
    .queue = 10,
    .payload = 1200,
    .overhead = 40,
    .report_packets = 8,
    .report_interval = 25 * PSP_MSECOND,
    .seed = 1
  };
  Bn *b;

  if (__i__) {
    /* … and with an encoder that follows the target. */
    config.fps = 25;
    config.noise = 0.2;
    config.start_bitrate = 300000;
    config.max_bitrate = 4000000;
  }
  b = bn_new (&config);
  bn_run (b, 5 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 60 * PSP_SECOND);
  fail_unless (bn_throughput (b) > (__i__ ? 0.75 : 0.93) * 2e6, "%f",
      bn_throughput (b));
  fail_unless (bn_loss (b) < 0.04, "%f", bn_loss (b));
  bn_run (b, 65 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 90 * PSP_SECOND);
  fail_unless (bn_throughput (b) > (__i__ ? 0.75 : 0.93) * 0.8e6, "%f",
      bn_throughput (b));
  fail_unless (bn_loss (b) < 0.06, "%f", bn_loss (b));
  bn_run (b, 93 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 120 * PSP_SECOND);
  fail_unless (bn_throughput (b) > (__i__ ? 0.75 : 0.93) * 2e6, "%f",
      bn_throughput (b));
  bn_free (b);
}

GST_END_TEST;

static Suite *
cc_rap_psp_suite (void)
{
  Suite *s = suite_create ("control-cc-rap-psp");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_start);
  tcase_add_test (tc, test_additive);
  tcase_add_test (tc, test_at_most_an_rtt);
  tcase_add_test (tc, test_cluster);
  tcase_add_test (tc, test_fine_grain);
  tcase_add_test (tc, test_app_limited);
  tcase_add_test (tc, test_in_use);
  tcase_add_test (tc, test_timeout_and_mark);
  tcase_add_loop_test (tc, test_closed_loop, 0, 2);
  return s;
}

GST_CHECK_MAIN (cc_rap_psp);
