/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "controller.h"

static const char *const names[] = { "none", "fixed", "psp", "damped-psp",
  "rap-psp", "scp", "media-scaling"
};

GST_START_TEST (test_table)
{
  const PspControllerClass *const *list = psp_controller_list ();
  unsigned i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    fail_unless_equals_string (list[i]->name, names[i]);
    fail_unless (psp_controller_find (names[i]) == list[i]);
    fail_unless (list[i]->size >= sizeof (PspController));
    fail_unless_equals_int (list[i]->needs_feedback, i >= 2);
  }
  fail_unless (list[i] == NULL);
  fail_unless (psp_controller_find ("") == NULL);
  fail_unless (psp_controller_find ("SCP") == NULL);
  fail_unless (psp_controller_find (NULL) == NULL);
}

GST_END_TEST;

/* *INDENT-OFF* */
static const struct
{
  double payload, period;       /* bytes, ns */
  int64_t bitrate;
} bitrate_rows[] = {
  {1200, 0, PSP_BITRATE_UNKNOWN},
  {1200, -1, PSP_BITRATE_UNKNOWN},
  {1200, 9600e3, 1000000},
  {1400, 5000e3, 2240000},      /* facts 4.1: 2.24 Mb/s at 5000 us */
  {1400, 50e3, 224000000},
  {0, 8e9, 1},                  /* never 0: that would stop the media */
  {1, 3600e9, 1},
  {1500, 1e-9, INT64_C (1000000000000)},
};
/* *INDENT-ON* */

GST_START_TEST (test_bitrate)
{
  PspLimits limits = { 0 };
  PspDecision d;
  PspController *c = psp_controller_new (&psp_cc_none, &limits, 0, &d);
  unsigned i;

  for (i = 0; i < G_N_ELEMENTS (bitrate_rows); i++) {
    c->mean_payload = bitrate_rows[i].payload;
    fail_unless_equals_int64 (psp_controller_bitrate (c,
            bitrate_rows[i].period), bitrate_rows[i].bitrate);
  }
  c->mean_payload = 1200;
  fail_unless_equals_int64 (psp_controller_period (c, 1000000), 9600000);
  fail_unless_equals_int64 (psp_controller_period (c, 0), 0);
  psp_controller_free (c);
}

GST_END_TEST;

GST_START_TEST (test_limits_sane)
{
  PspLimits limits = { -1, -2, -3, -4, {-5, -6, -7, -8, -9}
  };
  PspDecision d;
  PspController *c = psp_controller_new (&psp_cc_fixed, &limits, 0, &d);

  fail_unless_equals_int64 (c->limits.min_bitrate, 0);
  fail_unless_equals_int64 (c->limits.max_bitrate, 0);
  fail_unless_equals_int64 (c->limits.start_bitrate, 0);
  fail_unless_equals_int64 (d.period, 0);
  fail_unless_equals_int64 (c->limits.scale_bitrates[4], 0);
  limits.max_bitrate = limits.fixed_period = INT64_MAX;
  psp_controller_set_limits (c, &limits, 0, &d);
  fail_unless (c->limits.max_bitrate < INT64_MAX);
  fail_unless_equals_int64 (d.period, 3600 * PSP_SECOND);
  psp_controller_free (c);
}

GST_END_TEST;

/* Decides nothing but answers everything. */
GST_START_TEST (test_none)
{
  PspLimits limits = { 0 };
  PspDecision d, initial;
  PspController *c = psp_controller_new (&psp_cc_none, &limits, 5, &d);
  PspSent sent = { 0 };
  PspReport report = { 0 };

  fail_unless_equals_int64 (d.period, 0);
  fail_unless_equals_int64 (d.window, PSP_WINDOW_NONE);
  fail_unless_equals_int64 (d.target_bitrate, PSP_BITRATE_UNKNOWN);
  fail_unless_equals_int (d.scale, -1);
  fail_unless_equals_int (d.reason, PSP_REASON_START);
  fail_unless_equals_int64 (d.loss_timeout, 0);
  fail_unless_equals_int64 (d.next_tick, PSP_TIME_NEVER);
  initial = d;
  psp_controller_sent (c, &sent, &d);
  psp_controller_feedback (c, &report, &d);
  psp_controller_tick (c, 6, &d);
  psp_controller_set_limits (c, &limits, 7, &d);
  fail_unless (memcmp (&d, &initial, sizeof (d)) == 0);
  psp_controller_free (c);
}

GST_END_TEST;

/* After a reset every controller decides what it decided at first, from the
 * same limits; what was measured of the packets stays. */
GST_START_TEST (test_reset)
{
  const PspControllerClass *klass = psp_controller_list ()[__i__];
  PspLimits limits = {.start_bitrate = 500000,.fixed_period = 1500 * PSP_USECOND
  };
  PspDecision d, initial;
  PspController *c = psp_controller_new (klass, &limits, 0, &d);
  PspPacketResult lost = {.outcome = PSP_OUTCOME_LOST };
  PspReport report = {.results = &lost,.n_results = 1,.n_lost = 1 };
  PspSent sent = {.in_flight = 1,.window = 1 };
  int i;

  initial = d;
  for (i = 0; i < 50; i++) {
    sent.index = lost.index = i;
    sent.now = i * PSP_SECOND;
    psp_controller_sent (c, &sent, &d);
    report.now = sent.now + 40 * PSP_MSECOND;
    report.rtt_sample = 40 * PSP_MSECOND;
    psp_controller_feedback (c, &report, &d);
  }
  psp_controller_reset (c, 100 * PSP_SECOND, &d);
  fail_unless_equals_int (d.reason, PSP_REASON_RESET);
  d.reason = initial.reason;
  fail_unless (memcmp (&d, &initial, sizeof (d)) == 0, "%s", klass->name);
  c->mean_payload = 777;
  psp_controller_reset (c, 101 * PSP_SECOND, &d);
  fail_unless (c->mean_payload == 777);
  fail_unless_equals_int64 (c->limits.start_bitrate, 500000);
  psp_controller_free (c);
}

GST_END_TEST;

static Suite *
controller_suite (void)
{
  Suite *s = suite_create ("controller");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_table);
  tcase_add_test (tc, test_bitrate);
  tcase_add_test (tc, test_limits_sane);
  tcase_add_test (tc, test_none);
  tcase_add_loop_test (tc, test_reset, 0, G_N_ELEMENTS (names));
  return s;
}

GST_CHECK_MAIN (controller);
