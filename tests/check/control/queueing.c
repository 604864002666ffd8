/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/poise/queueing.h>

/* A packet each 10 ms of one size; delays in ms beside 1 s between the
 * clocks. */
static double
add (PspQueueing * q, double *at, double delay, bool undisturbed)
{
  *at += .01;
  return psp_queueing_add (q, *at, 1 + delay / 1000, 5,
      undisturbed ? 9600 : 0, 0, 1);
}

GST_START_TEST (test_waits)
{
  PspQueueing q;
  double at = 0;
  int i;

  psp_queueing_init (&q);
  fail_unless (psp_queueing_standing (&q) == 0);
  add (&q, &at, 20, false);
  add (&q, &at, 35, false);
  fail_unless (fabs (q.newest - .015) < 1e-9);
  add (&q, &at, 18, false);
  fail_unless (fabs (q.base - 1.018) < 1e-9);
  /* A burst is no queue that stands; 100 ms of waiting are one. */
  for (i = 0; i < 4; i++)
    add (&q, &at, 58, false);
  fail_unless (psp_queueing_standing (&q) < .001);
  for (i = 0; i < 15; i++)
    add (&q, &at, 58, false);
  fail_unless (fabs (psp_queueing_standing (&q) - .04) < 1e-9);
}

GST_END_TEST;

/* The path becomes longer: forgotten after three slots, or at once. */
GST_START_TEST (test_base_ages)
{
  PspQueueing q;
  double at = 0;
  int i;

  psp_queueing_init (&q);
  add (&q, &at, 20, false);
  for (i = 0; i < 990; i++)
    add (&q, &at, 60, false);
  fail_unless (fabs (q.newest - .04) < 1e-9);
  for (i = 0; i < 600; i++)
    add (&q, &at, 60, false);
  fail_unless (q.newest < 1e-9);
  add (&q, &at, 100, false);
  psp_queueing_shift (&q, .04);
  fail_unless (q.newest < 1e-9);
  add (&q, &at, 103, false);
  fail_unless (fabs (q.newest - .003) < 1e-9);
}

GST_END_TEST;

/* What was seen before a pause of a minute is forgotten: clocks drift. */
GST_START_TEST (test_pause)
{
  PspQueueing q;

  psp_queueing_init (&q);
  psp_queueing_add (&q, 1, 1.02, 5, 0, 0, 1);
  psp_queueing_add (&q, 60, 1.03, 5, 0, 0, 1);
  fail_unless (fabs (q.newest - .01) < 1e-9);
  fail_unless (psp_queueing_add (&q, 601, 1.05, 5, 0, 0, 1) == 0);
  fail_unless (q.newest < 1e-9);
  psp_queueing_add (&q, 601.1, 1.06, 5, 0, 0, 1);
  fail_unless (fabs (q.newest - .01) < 1e-9);
}

GST_END_TEST;

/* A packet that was reported 50 ms after it left did not wait for longer. */
GST_START_TEST (test_longest)
{
  PspQueueing q;

  psp_queueing_init (&q);
  psp_queueing_add (&q, 1, 1.02, 5, 0, 0, .05);
  psp_queueing_add (&q, 1.03, 1.075, 5, 0, 0, .05);
  fail_unless (fabs (q.newest - .05) < 1e-9);
  psp_queueing_add (&q, 1.06, 1.025, 5, 0, 0, -1);
  fail_unless (q.newest == 0);
}

GST_END_TEST;

/* Where the receiver's clock is set forward, and after a minimum that was a lie,
 * packets wait for as long as the one before. */
GST_START_TEST (test_clock_set)
{
  PspQueueing q;
  double at = 0;
  int i;

  psp_queueing_init (&q);
  add (&q, &at, 20, false);
  for (i = 0; i < 30; i++)
    add (&q, &at, 35, false);
  for (i = 0; i < 30; i++)
    add (&q, &at, 5035, false);
  fail_unless (fabs (q.newest - .015) < 1e-9);
  fail_unless (fabs (psp_queueing_standing (&q) - .015) < 1e-9);
  add (&q, &at, 5040, false);
  fail_unless (fabs (q.newest - .02) < 1e-9);
  fail_unless (fabs (q.base - 6.02) < 1e-9);
  /* Back: no queue is that long, so the wait is as it was, too. */
  fail_unless (fabs (add (&q, &at, 30, false) + 5.01) < 1e-9);
  fail_unless (fabs (q.newest - .02) < 1e-9);
  fail_unless (fabs (q.base - 1.01) < 1e-9);
  fail_unless (fabs (psp_queueing_standing (&q) - .015) < 1e-9);
  add (&q, &at, -1e9, false);
  add (&q, &at, 30, false);
  fail_unless (fabs (q.newest - .02) < 1e-9);
  fail_unless (fabs (add (&q, &at, 40, false)) < 1e-9);
  fail_unless (fabs (q.newest - .03) < 1e-9);
}

GST_END_TEST;

/* A queue that drains between two packets is no clock: it can have been as long
 * as the older packet was under way. */
GST_START_TEST (test_drains_at_once)
{
  PspQueueing q;
  int i;

  psp_queueing_init (&q);
  for (i = 0; i < 30; i++)
    psp_queueing_add (&q, .03 * i, 1.3, 5, 0, 0, .32);
  fail_unless (psp_queueing_add (&q, .9, 1, 5, 0, 0, .04) == 0);
  fail_unless (q.base == 1 && q.newest == 0);
}

GST_END_TEST;

/* Only packets that found nothing of their own, of one size. */
GST_START_TEST (test_jitter)
{
  PspQueueing q;
  double at = 0;
  int i;

  psp_queueing_init (&q);
  for (i = 0; i < 400; i++)
    add (&q, &at, i % 2 ? 20 : 60, false);
  fail_unless_equals_float (q.jitter, .002);
  for (i = 0; i < 400; i++)
    add (&q, &at, i % 2 ? 20 : 28, true);
  fail_unless (fabs (q.jitter - .008) < .0005, "%f", q.jitter);
  /* The least of a few packets is above the least of all by some of it. */
  for (i = 0; i < 20; i++)
    add (&q, &at, 40, false);
  fail_unless (fabs (psp_queueing_least (&q) - .02) < 1e-9);
  fail_unless (fabs (psp_queueing_standing (&q) - .014) < .0005);
}

GST_END_TEST;

/* An encoder hands slices over one by one: the small packet that begins a frame and
 * the larger one right behind it both find the sender's queue empty. */
GST_START_TEST (test_jitter_of_slices)
{
  PspQueueing q;
  int i;

  psp_queueing_init (&q);
  for (i = 0; i < 400; i++) {
    double at = i * .033, delay = i % 2 ? .02 : .028;

    psp_queueing_add (&q, at, delay, 5, 400, 0, 1);
    psp_queueing_add (&q, at + .0003, delay + .001, 5, 8000, 0, 1);
  }
  fail_unless (fabs (q.jitter - .008) < .0005, "%f", q.jitter);
}

GST_END_TEST;

/* A radio keeps packets for 70 ms. That is a queue that stands where delays are
 * even, if it begins with a window, and none where they are not. */
static double
held (bool jitter, int phase)
{
  double at = 0, most = 0;
  PspQueueing q;
  int i;

  psp_queueing_init (&q);
  for (i = 0; jitter && i < 400; i++)
    add (&q, &at, i % 2 ? 20 : 28, true);
  for (i = 0; i < 20 + phase; i++)
    add (&q, &at, 20, false);
  for (i = 0; i < 7; i++) {
    add (&q, &at, 90, false);
    most = fmax (most, psp_queueing_least (&q));
  }
  return most;
}

GST_START_TEST (test_held)
{
  double even = 0, uneven = 0;
  int phase;

  for (phase = 0; phase < 16; phase++) {
    even = fmax (even, held (false, phase));
    uneven = fmax (uneven, held (true, phase));
  }
  fail_unless (fabs (even - .07) < 1e-9, "%f", even);
  fail_unless (uneven < 1e-9, "%f", uneven);
}

GST_END_TEST;

/* What the sender queued itself is no wait behind others. */
GST_START_TEST (test_others)
{
  PspQueueing q;
  double at = 0;
  int i;

  psp_queueing_init (&q);
  add (&q, &at, 20, false);
  for (i = 0; i < 15; i++) {
    at += .01;
    psp_queueing_add (&q, at, 1.06, 5, 0, .03, 1);
  }
  fail_unless (fabs (psp_queueing_standing (&q) - .04) < 1e-9);
  fail_unless (fabs (psp_queueing_others (&q) - .01) < 1e-9);
  psp_queueing_shift (&q, .005);
  fail_unless (fabs (psp_queueing_others (&q) - .005) < 1e-9);
  for (i = 0; i < 15; i++) {
    at += .01;
    psp_queueing_add (&q, at, 1.06, 5, 0, .05, 1);
  }
  fail_unless (psp_queueing_others (&q) == 0);
}

GST_END_TEST;

static Suite *
queueing_suite (void)
{
  Suite *s = suite_create ("control-queueing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_waits);
  tcase_add_test (tc, test_base_ages);
  tcase_add_test (tc, test_pause);
  tcase_add_test (tc, test_longest);
  tcase_add_test (tc, test_clock_set);
  tcase_add_test (tc, test_drains_at_once);
  tcase_add_test (tc, test_jitter);
  tcase_add_test (tc, test_jitter_of_slices);
  tcase_add_test (tc, test_held);
  tcase_add_test (tc, test_others);
  return s;
}

GST_CHECK_MAIN (queueing);
