/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/poise/receivedrate.h>

GST_START_TEST (test_rate)
{
  PspReceivedRate r;
  int i;

  psp_received_rate_init (&r, 10);
  for (i = 0; i < 100; i++) {
    psp_received_rate_advance (&r, 10 + i * .01);
    psp_received_rate_add (&r, 10000);
  }
  fail_unless (fabs (psp_received_rate_get (&r, .3, 0) / 1e6 - 1) < 1e-6);
  fail_unless (fabs (r.peak / 1e6 - 1) < .05, "%f", r.peak);
  /* Half of the rate for 2 s: the peak fades. */
  for (i = 0; i < 200; i++) {
    psp_received_rate_advance (&r, 11 + i * .01);
    psp_received_rate_add (&r, 5000);
  }
  fail_unless (fabs (psp_received_rate_get (&r, .3, 0) / 5e5 - 1) < 1e-6);
  fail_unless (r.peak > .55e6 && r.peak < .7e6, "%f", r.peak);
  /* No more is known than the slots hold. */
  fail_unless (fabs (psp_received_rate_span (&r) / .05
          - (PSP_RECEIVED_SLOTS - 1)) < 1e-6);
  /* An hour of silence ends the rate, but nothing was disproved. */
  psp_received_rate_advance (&r, 3600);
  fail_unless (psp_received_rate_get (&r, .3, 0) == 0);
  fail_unless (psp_received_rate_span (&r) == 0);
  fail_unless (r.peak > .55e6);
}

GST_END_TEST;

/* There is little to look back on, and before it was no silence. */
GST_START_TEST (test_begin)
{
  PspReceivedRate r;
  int i;

  psp_received_rate_init (&r, 10);
  psp_received_rate_advance (&r, 10.13);
  for (i = 0; i < 11; i++) {
    psp_received_rate_add (&r, 10000);
    psp_received_rate_advance (&r, 10.14 + i * .01);
  }
  fail_unless (fabs (psp_received_rate_get (&r, .3, 0) / 1e6 - 1) < .15, "%f",
      psp_received_rate_get (&r, .3, 0));
  /* That a frame came at once proves no rate. */
  fail_unless (r.peak < .5e6, "%f", r.peak);
}

GST_END_TEST;

/* What waited for its report came over that time, not since the silence. */
GST_START_TEST (test_withheld)
{
  PspReceivedRate r;

  psp_received_rate_init (&r, 10);
  psp_received_rate_advance (&r, 20);
  psp_received_rate_add (&r, 1e6);
  psp_received_rate_advance (&r, 20.06);
  fail_unless (fabs (psp_received_rate_get (&r, 1, 1) / 1e6 - 1) < 1e-6, "%f",
      psp_received_rate_get (&r, 1, 1));
  /* There are no slots of an hour. */
  fail_unless (psp_received_rate_get (&r, 3600, 3600) > .6e6);
}

GST_END_TEST;

static Suite *
receivedrate_suite (void)
{
  Suite *s = suite_create ("control-receivedrate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_rate);
  tcase_add_test (tc, test_begin);
  tcase_add_test (tc, test_withheld);
  return s;
}

GST_CHECK_MAIN (receivedrate);
