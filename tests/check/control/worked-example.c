/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The tests of the worked example of docs/controllers.md, "Add one in an
 * hour", as they would be in cc-aimd.c here.
 */
#include <gst/check/gstcheck.h>

#include "bottleneck.h"

/* controller.h would have this line. */
extern const PspControllerClass psp_cc_aimd;

#define RTT (40 * PSP_MSECOND)

static void
feed (PspController * c, PspDecision * d, int64_t first, const char *outcomes)
{
  PspPacketResult results[64];
  PspReport report = { 0 };
  PspSent sent = { 0 };
  size_t i;

  memset (results, 0, sizeof results);
  for (i = 0; outcomes[i]; i++) {
    sent.index = results[i].index = first + (int64_t) i;
    results[i].outcome = outcomes[i] == 'l' ? PSP_OUTCOME_LOST :
        PSP_OUTCOME_RECEIVED;
    results[i].app_limited = outcomes[i] == 'a';
    report.n_lost += outcomes[i] == 'l';
    report.n_received += outcomes[i] != 'l';
    psp_controller_sent (c, &sent, d);
  }
  report.rtt_sample = RTT;
  report.results = results;
  report.n_results = i;
  psp_controller_feedback (c, &report, d);
}

/* Rows for the rules: what happens to ten packets → the window after it. */
/* *INDENT-OFF* */
static const struct
{
  const char *outcomes;
  int64_t window;
} rules[] = {
  {"rrrrrrrrrr", 10},           /* 10 + 10 × 1/10.5 = 10.95 */
  {"rrrrrrrrrrr", 11},
  {"rrrrlrrrrr", 6},            /* 10.4 / 2 = 5.2, and five acknowledged */
  {"llllllllll", 5},            /* one flight, one answer */
  {"aaaaaaaaaa", 10},
};
/* *INDENT-ON* */

GST_START_TEST (test_rules)
{
  PspLimits limits = { 0 };
  PspDecision d;
  PspController *c = psp_controller_new (&psp_cc_aimd, &limits, NULL, 0, &d);
  int64_t window;

  fail_unless_equals_int64 (d.window, 10);
  feed (c, &d, 0, rules[__i__].outcomes);
  window = d.window;
  fail_unless (window == rules[__i__].window, "%s: %" G_GINT64_FORMAT,
      rules[__i__].outcomes, window);
  psp_controller_free (c);
}

GST_END_TEST;

/* The loop closed over 2 Mb/s, 40 ms and a queue of 10 packets. */
GST_START_TEST (test_closed_loop)
{
  BnConfig config = {
    .klass = &psp_cc_aimd,
    .steps = {{0, 2000000}
        },
    .delay = 20 * PSP_MSECOND,
    .queue = 10,
    .payload = 1200,
    .overhead = 40,
    .report_packets = 8,
    .report_interval = 25 * PSP_MSECOND,
    .seed = 1
  };
  Bn *b = bn_new (&config);

  bn_run (b, 5 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 60 * PSP_SECOND);
  fail_unless (bn_throughput (b) > 0.9 * 2e6, "%f", bn_throughput (b));
  fail_unless (bn_loss (b) < 0.02, "%f", bn_loss (b));
  bn_free (b);
}

GST_END_TEST;

static Suite *
worked_example_suite (void)
{
  Suite *s = suite_create ("control-worked-example");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rules, 0, G_N_ELEMENTS (rules));
  tcase_add_test (tc, test_closed_loop);
  return s;
}

GST_CHECK_MAIN (worked_example);
