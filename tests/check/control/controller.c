/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include <control/controller.h>

/* *INDENT-OFF* */
static const struct
{
  const char *symbol;           /* psp_cc_… */
  const PspControllerClass *klass;
} listed[] = {
#define ROW(name) {#name, &psp_cc_##name},
  PSP_CONTROLLERS (ROW)
};
/* *INDENT-ON* */

GST_START_TEST (test_table)
{
  const PspControllerClass *const *list = psp_controller_list ();
  char name[64];
  unsigned i;

  for (i = 0; i < G_N_ELEMENTS (listed); i++) {
    fail_unless (list[i] == listed[i].klass);
    g_strlcpy (name, listed[i].symbol, sizeof name);
    fail_unless_equals_string (list[i]->name, g_strdelimit (name, "_", '-'));
    fail_unless (psp_controller_find (name) == list[i]);
    fail_unless (list[i]->size >= sizeof (PspController));
    /* Who handles feedback is lost without it. */
    fail_unless_equals_int (list[i]->needs_feedback,
        list[i]->on_feedback != NULL);
  }
  fail_unless (list[i] == NULL);
  fail_unless (psp_controller_find ("") == NULL);
  fail_unless (psp_controller_find ("SCP") == NULL);
  fail_unless (psp_controller_find (NULL) == NULL);
}

GST_END_TEST;

/* 1400 bytes every 5000 us are 2.24 Mb/s: Kapadia, Feng and Feng, section 3,
 * print 2.23. */
/* *INDENT-OFF* */
static const struct
{
  double payload, period;       /* bytes, ns */
  int64_t bitrate;
} bitrate_rows[] = {
  {1200, 0, PSP_BITRATE_UNKNOWN},
  {1200, -1, PSP_BITRATE_UNKNOWN},
  {1200, 9600e3, 1000000},
  {1400, 5000e3, 2240000},
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
  PspController *c = psp_controller_new (&psp_cc_none, &limits, NULL, 0, &d);
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
  PspLimits limits = { -1, -2, -3, -4 };
  PspDecision d;
  PspController *c = psp_controller_new (&psp_cc_fixed, &limits, NULL, 0, &d);

  fail_unless_equals_int64 (c->limits.min_bitrate, 0);
  fail_unless_equals_int64 (c->limits.unproved_bitrate, 0);
  fail_unless_equals_int64 (c->limits.max_bitrate, 0);
  fail_unless_equals_int64 (c->limits.start_bitrate, 0);
  limits.max_bitrate = INT64_MAX;
  psp_controller_set_limits (c, &limits, 0, &d);
  fail_unless (c->limits.max_bitrate < INT64_MAX);
  psp_controller_free (c);
}

GST_END_TEST;

/* What is no value of the parameter changes nothing, and a reset keeps what was
 * set. */
GST_START_TEST (test_parameters)
{
  static const double refused[] = { -1, 3601e9, (double) NAN,
    (double) INFINITY
  };
  PspLimits limits = { 0 };
  double period = -5;
  PspDecision d;
  PspController *c = psp_controller_new (&psp_cc_fixed, &limits, &period, 0,
      &d);

  fail_unless_equals_int64 (d.period, 1500 * PSP_USECOND);
  period = 7 * PSP_MSECOND;
  psp_controller_set_parameters (c, &period, 0, &d);
  for (unsigned i = 0; i < G_N_ELEMENTS (refused); i++) {
    psp_controller_set_parameters (c, &refused[i], 0, &d);
    fail_unless_equals_int64 (d.period, 7 * PSP_MSECOND);
  }
  psp_controller_set_parameters (c, NULL, 0, &d);
  psp_controller_reset (c, 1, &d);
  fail_unless_equals_int64 (d.period, 7 * PSP_MSECOND);
  psp_controller_free (c);
}

GST_END_TEST;

/* Each controller's table says what a user has to know. */
GST_START_TEST (test_parameter_tables)
{
  const PspControllerClass *klass = psp_controller_list ()[__i__];
  const PspParameter *table = klass->parameters;
  double values[PSP_MAX_PARAMETERS];
  unsigned n = psp_parameter_count (table);

  psp_parameter_defaults (table, values);
  for (unsigned i = 0; i < PSP_MAX_PARAMETERS; i++) {
    if (i >= n) {
      fail_unless (values[i] == 0);
      continue;
    }
    fail_unless_equals_int (psp_parameter_find (table, table[i].name), i);
    fail_unless (table[i].unit != NULL && strlen (table[i].blurb) > 10);
    fail_unless (table[i].source != NULL && strlen (table[i].source) > 5);
    fail_unless (psp_parameter_allows (&table[i], values[i]));
    fail_unless (psp_parameter_allows (&table[i], table[i].least));
    fail_unless (psp_parameter_allows (&table[i], table[i].most));
    fail_if (psp_parameter_allows (&table[i], table[i].least - 1));
  }
  fail_unless_equals_int (psp_parameter_find (table, "no-such"), -1);
  /* All entries of the table count. */
  fail_unless (table == NULL || table[n].name == NULL);
}

GST_END_TEST;

/* Users set a parameter by its name alone, for whichever controller they
 * choose later: two controllers mean the same by one name. */
GST_START_TEST (test_shared_parameters)
{
  const PspControllerClass *const *all = psp_controller_list ();
  const PspParameter *table = all[__i__]->parameters;

  for (unsigned i = 0; i < psp_parameter_count (table); i++)
    for (unsigned k = 0; all[k]; k++) {
      int at = psp_parameter_find (all[k]->parameters, table[i].name);
      const PspParameter *other = at < 0 ? &table[i] : &all[k]->parameters[at];

      fail_unless_equals_string (other->unit, table[i].unit);
      fail_unless (other->least == table[i].least
          && other->most == table[i].most
          && other->standard == table[i].standard, "%s of %s and %s",
          table[i].name, all[__i__]->name, all[k]->name);
      fail_unless_equals_string (other->blurb, table[i].blurb);
    }
}

GST_END_TEST;

/* Presumed losses are a time-out's; marks count where nothing was lost. */
GST_START_TEST (test_report_reason)
{
  PspReport report = {.n_lost = 1,.n_ce = 1 };

  fail_unless_equals_int (psp_report_reason (&report), PSP_REASON_LOSS);
  report.n_lost = 0;
  fail_unless_equals_int (psp_report_reason (&report), PSP_REASON_ECN);
  report.timeout = true;
  fail_unless_equals_int (psp_report_reason (&report), PSP_REASON_TIMEOUT);
}

GST_END_TEST;

/* Decides nothing but answers everything. */
GST_START_TEST (test_none)
{
  PspLimits limits = { 0 };
  PspDecision d, initial;
  PspController *c = psp_controller_new (&psp_cc_none, &limits, NULL, 5, &d);
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
  PspLimits limits = {.start_bitrate = 500000 };
  PspDecision d, initial;
  PspController *c = psp_controller_new (klass, &limits, NULL, 0, &d);
  PspPacketResult lost = {.outcome = PSP_OUTCOME_LOST };
  PspReport report = {.results = &lost,.n_results = 1,.n_lost = 1 };
  PspSent sent = {.in_flight = 1 };
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
  fail_unless (psp_controller_mean_bits (c) == 8 * 777);
  psp_controller_reset (c, 101 * PSP_SECOND, &d);
  fail_unless (c->mean_payload == 777);
  fail_unless_equals_int64 (c->limits.start_bitrate, 500000);
  psp_controller_free (c);
}

GST_END_TEST;

static Suite *
controller_suite (void)
{
  Suite *s = suite_create ("control-controller");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_table);
  tcase_add_test (tc, test_bitrate);
  tcase_add_test (tc, test_limits_sane);
  tcase_add_test (tc, test_parameters);
  tcase_add_loop_test (tc, test_parameter_tables, 0, G_N_ELEMENTS (listed));
  tcase_add_loop_test (tc, test_shared_parameters, 0, G_N_ELEMENTS (listed));
  tcase_add_test (tc, test_report_reason);
  tcase_add_test (tc, test_none);
  tcase_add_loop_test (tc, test_reset, 0, G_N_ELEMENTS (listed));
  return s;
}

GST_CHECK_MAIN (controller);
