/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The worked example of docs/controllers.md, "Add one in an hour": a controller
 * from nothing to its tests. What stands between the two lines would be
 * gst/psp/core/cc-aimd.c.
 */
#include <gst/check/gstcheck.h>

#include "bottleneck.h"

/* ---- gst/psp/core/cc-aimd.c ---- */

/* "aimd": congestion avoidance of RFC 5681 section 3.1, and nothing else. A
 * window that grows by one packet a round trip and halves at a loss. */
#include "estimators.h"

#include <math.h>

static const struct
{
  double first_window, min_window, max_window;
  double increase, decrease;
} defaults = {
  .first_window = 10,           /* RFC 6928 */
  .min_window = 2,              /* RFC 5681 equation 4 */
  .max_window = 8192,           /* ours: half of what the history remembers */
  .increase = 1,                /* RFC 5681 equation 3 */
  .decrease = 0.5,              /* RFC 5681 equation 4 */
};

typedef struct
{
  PspController base;           /* first */
  double window;                /* packets */
  int64_t last_sent;            /* index */
  int64_t episode;              /* losses before this index are answered */
  PspPath path;
} Aimd;

static void
publish (Aimd * c, PspDecision * d)
{
  double rtt = c->path.rtt.smoothed;

  d->window = (int64_t) c->window;
  if (!c->path.last_rtt)
    return;
  d->period = (int64_t) (rtt / c->window);
  d->target_bitrate = psp_controller_bitrate (&c->base, rtt / c->window);
}

static void
aimd_init (PspController * base, int64_t now, PspDecision * d)
{
  Aimd *c = (Aimd *) base;

  (void) now;
  c->window = defaults.first_window;
  c->last_sent = -1;
  psp_path_init (&c->path);
  publish (c, d);
}

static void
aimd_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  (void) d;
  ((Aimd *) base)->last_sent = sent->index;
}

/* One back-off for what was lost in one flight. */
static void
back_off (Aimd * c, const PspReport * report, PspDecision * d)
{
  c->window = fmax (c->window * defaults.decrease, defaults.min_window);
  c->episode = c->last_sent + 1;
  d->reason = report->timeout ? PSP_REASON_TIMEOUT : PSP_REASON_LOSS;
}

static void
aimd_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Aimd *c = (Aimd *) base;
  size_t i;

  psp_path_add (&c->path, report);
  for (i = 0; i < report->n_results; i++) {
    const PspPacketResult *r = &report->results[i];

    if (r->outcome == PSP_OUTCOME_LOST || r->ecn == PSP_ECN_CE) {
      if (r->index >= c->episode)
        back_off (c, report, d);
    } else if (r->outcome == PSP_OUTCOME_RECEIVED && !r->app_limited) {
      /* Silence is not capacity: what the application held back shows none. */
      c->window = fmin (c->window + defaults.increase / c->window,
          defaults.max_window);
      d->reason = PSP_REASON_INCREASE;
    }
  }
  publish (c, d);
}

static const PspControllerClass psp_cc_aimd = {
  .name = "aimd",
  .size = sizeof (Aimd),
  .needs_feedback = true,
  .init = aimd_init,
  .on_sent = aimd_on_sent,
  .on_feedback = aimd_on_feedback,
};

/* ---- tests/check/psp/core/cc-aimd.c ---- */

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
  PspController *c = psp_controller_new (&psp_cc_aimd, &limits, 0, &d);
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
  Suite *s = suite_create ("worked-example");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rules, 0, G_N_ELEMENTS (rules));
  tcase_add_test (tc, test_closed_loop);
  return s;
}

GST_CHECK_MAIN (worked_example);
