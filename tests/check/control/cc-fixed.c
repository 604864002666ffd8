/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/controller.h>

/* Figures 8 to 10 and 14 of Kapadia, Feng and Feng: the sending rate of one
 * agent with 1400-byte packets, as far as the access link lets it. */
/* *INDENT-OFF* */
static const struct
{
  int64_t period;               /* us */
  int64_t bitrate;
} rows[] = {
  {0, PSP_BITRATE_UNKNOWN},
  {50, 224000000},
  {1000, 11200000},             /* printed: 11 Mb/s */
  {1050, 10666666},
  {5000, 2240000},              /* printed: 2.23 Mb/s */
};
/* *INDENT-ON* */

GST_START_TEST (test_rates)
{
  PspLimits limits = { 0 };
  double period = (double) (rows[__i__].period * PSP_USECOND);
  PspSent sent = { 0 };
  PspDecision d;
  PspController *c =
      psp_controller_new (&psp_cc_fixed, &limits, &period, 0, &d);

  c->mean_payload = 1400;
  psp_controller_sent (c, &sent, &d);
  fail_unless_equals_int64 (d.period, (int64_t) period);
  fail_unless_equals_int64 (d.target_bitrate, rows[__i__].bitrate);
  fail_unless_equals_int64 (d.window, PSP_WINDOW_NONE);
  fail_unless_equals_int (d.reason, PSP_REASON_START);
  psp_controller_free (c);
}

GST_END_TEST;

GST_START_TEST (test_change)
{
  PspLimits limits = { 0 };
  double period = (double) (PSP_MSECOND);
  PspDecision d;
  PspController *c =
      psp_controller_new (&psp_cc_fixed, &limits, &period, 0, &d);

  fail_unless_equals_int64 (d.target_bitrate, 9600000);
  psp_controller_set_limits (c, &limits, 1, &d);
  fail_unless_equals_int (d.reason, PSP_REASON_START);
  period = 2 * PSP_MSECOND;
  psp_controller_set_parameters (c, &period, 1, &d);
  fail_unless_equals_int (d.reason, PSP_REASON_LIMIT);
  fail_unless_equals_int64 (d.period, 2 * PSP_MSECOND);
  fail_unless_equals_int64 (d.target_bitrate, 4800000);
  psp_controller_free (c);
}

GST_END_TEST;

/* Losses change nothing: "PSAs implement packet spacing without feedback". */
GST_START_TEST (test_blind)
{
  PspLimits limits = { 0 };
  double period = (double) (PSP_MSECOND);
  PspPacketResult lost = {.outcome = PSP_OUTCOME_LOST };
  PspReport report = {.results = &lost,.n_results = 1,.n_lost = 1 };
  PspDecision d, before;
  PspController *c =
      psp_controller_new (&psp_cc_fixed, &limits, &period, 0, &d);

  before = d;
  psp_controller_feedback (c, &report, &d);
  fail_unless (memcmp (&d, &before, sizeof (d)) == 0);
  psp_controller_free (c);
}

GST_END_TEST;

static Suite *
cc_fixed_suite (void)
{
  Suite *s = suite_create ("control-cc-fixed");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rates, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_change);
  tcase_add_test (tc, test_blind);
  return s;
}

GST_CHECK_MAIN (cc_fixed);
