/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2requantize/levelworth.h>

/* Leaving a coefficient out takes as much as the formula says. */
GST_START_TEST (test_worth)
{
  for (gint value = 16; value < 400; value += 7) {
    for (gint result = value - 15; result < value + 15; result += 3) {
      gint more = value * value - (value - result) * (value - result);

      fail_unless (m2v_worth (value, result, 1 / 64.f) == more / 64.f);
    }
  }
}

GST_END_TEST;

/* Behind the longest run, and all shorter ones, a level's code has no more bits
 * than it is worth; behind longer ones it has. */
GST_START_TEST (test_runs)
{
  const guint table = __i__ % 2;
  M2vLengths lengths;
  M2vRuns runs;

  m2v_lengths_init (&lengths, __i__ / 2);
  m2v_runs_init (&runs, &lengths, table);
  for (guint level = 1; level < M2V_N_WORTH_LEVELS; level++) {
    for (guint bits = 0; bits < M2V_MAX_WORTH; bits++) {
      gint longest = m2v_longest_run (&runs, level, bits + .5f);

      for (gint run = 0; run < 64; run++)
        fail_unless_equals_int (run <= longest,
            lengths.bits[table][level][run] <= bits);
    }
    fail_unless_equals_int (m2v_longest_run (&runs, level, M2V_MAX_WORTH), 63);
    /* The worth of the largest coefficients at the lowest price. */
    fail_unless_equals_int (m2v_longest_run (&runs, level, 1e16f), 63);
  }
}

GST_END_TEST;

/* None is left of a level of 0, and all of the largest. */
GST_START_TEST (test_ends)
{
  M2vLengths lengths;
  M2vRuns runs;

  m2v_lengths_init (&lengths, TRUE);
  m2v_runs_init (&runs, &lengths, 0);
  for (guint bits = 0; bits <= M2V_MAX_WORTH; bits++)
    fail_unless_equals_int (m2v_longest_run (&runs, 0, bits), -1);
  fail_unless_equals_int (m2v_longest_run (&runs, 2047, M2V_MAX_WORTH), 63);
}

GST_END_TEST;

static Suite *
levelworth_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-levelworth");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_worth);
  tcase_add_loop_test (tc, test_runs, 0, 4);
  tcase_add_test (tc, test_ends);
  return s;
}

GST_CHECK_MAIN (levelworth);
