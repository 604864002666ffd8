/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/poise/trains.h>

/* Sends packets of these sizes at `pace` over a link that is idle before;
 * both in bits/s. Returns whether a measurement came. */
static bool
send (PspTrains * t, const uint32_t * sizes, unsigned n, double pace,
    double link, int64_t * index, PspTrainRates * rates)
{
  PspPacketResult r = { 0 };
  double sent_at = (double) *index, arrived_at = 0;
  bool measured = false;
  unsigned i;

  for (i = 0; i < n; i++) {
    double bits = 8.0 * sizes[i];

    arrived_at = fmax (arrived_at, sent_at) + bits / link;
    r.index = (*index)++;
    r.sent_at = (int64_t) (sent_at * 1e9);
    r.arrived_at = (int64_t) (arrived_at * 1e9);
    r.app_limited = i == 0;
    measured |= psp_trains_add (t, &r, bits, .012, rates);
    sent_at += bits / pace;
  }
  return measured;
}

static const uint32_t even[] = { 1200, 1200, 1200, 1200, 1200, 1200 };
static const uint32_t slices[] = { 40, 1200, 1200, 300, 1200, 1200, 150 };

/* Packets of any size: the link where it is the slower one, else the pace. */
GST_START_TEST (test_rates)
{
  const uint32_t *sizes = __i__ ? slices : even;
  unsigned n = __i__ ? G_N_ELEMENTS (slices) : G_N_ELEMENTS (even);
  PspTrainRates r;
  PspTrains t;
  int64_t index = 0;

  psp_trains_init (&t);
  fail_unless (send (&t, sizes, n, 2.4e6, 2e6, &index, &r));
  fail_unless (fabs (r.in / 2.4e6 - 1) < .001, "%f", r.in);
  fail_unless (fabs (r.out / 2e6 - 1) < .001, "%f", r.out);
  psp_trains_init (&t);
  fail_unless (send (&t, sizes, n, 1.2e6, 2e6, &index, &r));
  fail_unless (fabs (r.in / 1.2e6 - 1) < .001, "%f", r.in);
  fail_unless (r.out >= 1.199e6, "%f", r.out);
}

GST_END_TEST;

/* Two packets are too short; those of several frames add up, without the time
 * between the frames. */
GST_START_TEST (test_sums)
{
  PspTrainRates r;
  PspTrains t;
  int64_t index = 0;

  psp_trains_init (&t);
  fail_if (send (&t, even, 2, 2.4e6, 2e6, &index, &r));
  fail_if (send (&t, even, 2, 2.4e6, 2e6, &index, &r));
  fail_unless (send (&t, even, 2, 2.4e6, 2e6, &index, &r)
      || send (&t, even, 2, 2.4e6, 2e6, &index, &r));
  fail_unless (fabs (r.out / 2e6 - 1) < .001, "%f", r.out);
}

GST_END_TEST;

/* Four slices of a small frame are measured, though no two are alike; a faster
 * link makes the last one come sooner, and nothing faster than the pace. */
GST_START_TEST (test_unlike)
{
  static const uint32_t small[] = { 30, 500, 250, 150, 700 };
  PspTrainRates r;
  PspTrains t;
  int64_t index = 0;

  psp_trains_init (&t);
  fail_unless (send (&t, small, G_N_ELEMENTS (small), .6e6, .5e6, &index, &r));
  fail_unless (fabs (r.in / .6e6 - 1) < .001, "%f", r.in);
  fail_unless (fabs (r.out / .5e6 - 1) < .001, "%f", r.out);
  psp_trains_init (&t);
  fail_unless (send (&t, small, G_N_ELEMENTS (small), .6e6, 20e6, &index, &r));
  fail_unless (r.out >= .599e6, "%f", r.out);
}

GST_END_TEST;
/* Jitter held the first ones: they arrive faster than they left, but by no more than
 * can be believed. */
GST_START_TEST (test_held)
{
  static const double arrivals[] = { .030, .032, .034, .036, .038 };
  PspPacketResult packet = {.size = 1200 };
  PspTrainRates r;
  PspTrains t;

  for (int at_once = 0; at_once < 2; at_once++) {
    psp_trains_init (&t);
    for (int i = 0; i < 5; i++) {
      packet.index = i;
      packet.sent_at = i * 4 * PSP_MSECOND;
      packet.arrived_at = (int64_t) (1e9 * arrivals[at_once ? 0 : i]);
      packet.app_limited = i == 0;
      fail_unless_equals_int (psp_trains_add (&t, &packet, 9600, .016, &r),
          i == 4);
    }
    fail_unless (fabs (r.in / 2.4e6 - 1) < .001, "%f", r.in);
    fail_unless (fabs (r.out / (at_once ? 9.6e6 : 4.8e6) - 1) < .001, "%f",
        r.out);
  }
}

GST_END_TEST;

/* What follows a larger packet ends nothing: its own time would be missing. */
GST_START_TEST (test_smaller)
{
  static const uint32_t falling[] = { 1200, 900, 700, 500, 300 };
  PspTrainRates r;
  PspTrains t;
  int64_t index = 0;
  int i;

  psp_trains_init (&t);
  for (i = 0; i < 10; i++)
    fail_if (send (&t, falling, G_N_ELEMENTS (falling), 2.4e6, 2e6, &index,
            &r));
}

GST_END_TEST;

static Suite *
trains_suite (void)
{
  Suite *s = suite_create ("control-trains");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rates, 0, 2);
  tcase_add_test (tc, test_sums);
  tcase_add_test (tc, test_unlike);
  tcase_add_test (tc, test_held);
  tcase_add_test (tc, test_smaller);
  return s;
}

GST_CHECK_MAIN (trains);
