/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include <control/gapstats.h>

GST_START_TEST (test_empty)
{
  PspGapStats s;

  psp_gap_stats_init (&s);
  fail_unless (psp_gap_stats_deviation (&s) == 0);
  fail_unless_equals_int64 (psp_gap_stats_quantile (&s, 0.99), 0);
  psp_gap_stats_add (&s, 5, true);      /* one packet makes no gap */
  fail_unless_equals_uint64 (s.n, 0);
}

GST_END_TEST;

GST_START_TEST (test_moments)
{
  PspGapStats s;
  int64_t now = 0;

  psp_gap_stats_init (&s);
  psp_gap_stats_add (&s, now, true);
  for (int i = 0; i < 1000; i++) {
    now += i % 2 ? 900000 : 1100000;
    psp_gap_stats_add (&s, now, true);
    now += PSP_SECOND;          /* an empty queue is no gap */
    psp_gap_stats_add (&s, now, false);
  }
  fail_unless_equals_uint64 (s.n, 1000);
  fail_unless (fabs (s.mean - 1000000) < 1e-3);
  fail_unless (fabs (psp_gap_stats_deviation (&s) - 100050) < 1);
}

GST_END_TEST;

/* Within the width of a bucket, a quarter of an octave, wherever it lies. */
GST_START_TEST (test_quantile)
{
  for (int64_t gap = 6000; gap < 200 * PSP_MSECOND; gap = gap * 5 / 4) {
    PspGapStats s;
    int64_t now = 0, p50, p99;

    psp_gap_stats_init (&s);
    psp_gap_stats_add (&s, now, true);
    for (int i = 0; i < 1000; i++)
      psp_gap_stats_add (&s, now += i < 980 ? gap / 2 : gap, true);
    p50 = psp_gap_stats_quantile (&s, 0.5);
    p99 = psp_gap_stats_quantile (&s, 0.99);
    fail_unless (p99 >= gap * 4 / 5 && p99 <= gap * 5 / 4,
        "%" G_GINT64_FORMAT " for %" G_GINT64_FORMAT, p99, gap);
    if (gap > 12000)
      fail_unless (p50 >= gap * 2 / 5 && p50 <= gap * 5 / 8);
  }
}

GST_END_TEST;

GST_START_TEST (test_extremes)
{
  PspGapStats s;

  psp_gap_stats_init (&s);
  psp_gap_stats_add (&s, 0, true);
  psp_gap_stats_add (&s, 0, true);
  psp_gap_stats_add (&s, INT64_MAX / 2, true);
  psp_gap_stats_add (&s, 7, true);      /* a clock that went back */
  fail_unless_equals_uint64 (s.n, 2);
  fail_unless (psp_gap_stats_quantile (&s, 0) >= 0);
  fail_unless (psp_gap_stats_quantile (&s, 1) >= 200 * PSP_MSECOND);
  s.buckets[0] = UINT32_MAX;
  psp_gap_stats_add (&s, 7, true);
  fail_unless_equals_int (s.buckets[0], UINT32_MAX / 2 + 1);
}

GST_END_TEST;

static Suite *
gapstats_suite (void)
{
  Suite *s = suite_create ("control-gapstats");
  TCase *tc = tcase_create ("gapstats");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_empty);
  tcase_add_test (tc, test_moments);
  tcase_add_test (tc, test_quantile);
  tcase_add_test (tc, test_extremes);
  return s;
}

GST_CHECK_MAIN (gapstats);
