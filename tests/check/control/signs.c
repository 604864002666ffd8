/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include <control/poise/signs.h>

/* One whole sign is not enough, two within 14 s are: 20 s · ln 2. */
GST_START_TEST (test_two)
{
  PspSigns s = { 0 };

  fail_if (psp_signs_add_queue (&s, 3));
  psp_signs_fade (&s, 13.5);
  fail_unless (psp_signs_add_overflow (&s));
  psp_signs_clear (&s);
  fail_if (psp_signs_add_overflow (&s));
  psp_signs_fade (&s, 28);
  fail_if (psp_signs_add_queue (&s, 1));
  /* What is known to be no overflow leaves the sign of the queue. */
  s.overflows = 0;
  fail_unless (psp_signs_add_queue (&s, .6));
}

GST_END_TEST;

/* Signs that are less than whole take more of them, and do not reach it slowly. */
GST_START_TEST (test_parts)
{
  PspSigns s = { 0 };
  int i;

  fail_if (psp_signs_add_queue (&s, .7));
  fail_if (psp_signs_add_queue (&s, .7));
  fail_unless (psp_signs_add_queue (&s, .7));
  psp_signs_clear (&s);
  for (i = 1; i < 100; i++) {
    psp_signs_fade (&s, 15. * i);
    fail_if (psp_signs_add_queue (&s, .7));
  }
}

GST_END_TEST;

/* Losses without a queue make an overflow less of a sign, but are forgotten, however
 * many they were. They stay when signs are forgotten. */
GST_START_TEST (test_strays)
{
  PspSigns s = { 0 };
  int i;

  psp_signs_add_stray (&s);
  psp_signs_clear (&s);
  psp_signs_add_overflow (&s);
  fail_unless (fabs (s.overflows - .25) < 1e-9, "%f", s.overflows);
  for (i = 0; i < 1000; i++)
    psp_signs_add_stray (&s);
  for (i = 0; i < 10; i++)
    fail_if (psp_signs_add_overflow (&s));
  psp_signs_fade (&s, 60);
  psp_signs_clear (&s);
  fail_if (psp_signs_add_overflow (&s));
  fail_unless (s.overflows > .6, "%f", s.overflows);
}

GST_END_TEST;

static Suite *
signs_suite (void)
{
  Suite *s = suite_create ("control-signs");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_two);
  tcase_add_test (tc, test_parts);
  tcase_add_test (tc, test_strays);
  return s;
}

GST_CHECK_MAIN (signs);
