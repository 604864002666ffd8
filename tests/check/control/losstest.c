/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/poise/losstest.h>

typedef struct
{
  unsigned n_lost, burst;       /* packets; so many one after the other */
  bool claimed;                 /* as many came after all, it says */
  double round_trip;            /* s */
} Lossy;

/* A report of 10 packets that left a round trip ago. */
static void
report_lost (PspLossTest * t, double now, Lossy l)
{
  static const PspPacketResult none;
  PspPacketResult lost[10];
  PspReport report = {.now = (int64_t) (now * 1e9),.results = lost,
    .n_results = l.n_lost,.n_lost = l.n_lost,.n_received = 10 - l.n_lost,
    .n_recovered = l.claimed ? l.n_lost : 0
  };

  for (unsigned i = 0; i < l.n_lost; i++) {
    lost[i] = none;
    lost[i].outcome = PSP_OUTCOME_LOST;
    lost[i].sent_at = report.now - (int64_t) (l.round_trip * 1e9);
    lost[i].index = (int64_t) (now * 1e3) + i + i / l.burst;
  }
  psp_loss_test_report (t, &report, .05, l.round_trip + .1, false);
}

/* Such a report each 50 ms, of which this share is lost, on average; returns the
 * rate to go back to. */
static double
run_bursts (PspLossTest * t, double *now, double seconds, double share,
    unsigned burst, double rate, bool claimed)
{
  double end = *now + seconds, owed = 0, restored = 0, r;

  for (; *now < end; *now += .05) {
    Lossy l = {.burst = burst,.claimed = claimed };

    owed += 10 * share;
    l.n_lost = owed < burst ? 0 : (unsigned) (owed / burst) * burst;
    owed -= l.n_lost;
    report_lost (t, *now, l);
    r = psp_loss_test_judge (t, *now, rate, rate * (1 - share), .02);
    restored = fmax (restored, r);
  }
  return restored;
}

static double
run (PspLossTest * t, double *now, double seconds, double share, double rate)
{
  return run_bursts (t, now, seconds, share, 1, rate, false);
}

static void
run_into_limit (PspLossTest * t, double *now, double share, double rate)
{
  int i;

  for (i = 0; isinf (t->limit) && i < 100; i++)
    run (t, now, .2, share, rate);
  fail_unless (isfinite (t->limit));
}

/* It gave way, and as much is lost: that is chance, and the rate comes back. */
GST_START_TEST (test_random)
{
  PspLossTest t;
  double now = 0;

  psp_loss_test_init (&t);
  fail_unless (run (&t, &now, 10, .015, 2e6) == 0);
  fail_unless (isinf (t.limit));
  fail_unless (run (&t, &now, 2, .05, 2e6) == 0);
  fail_unless (t.limit < 1.75e6, "%f", t.limit);
  fail_unless_equals_float (run (&t, &now, 4, .05, 1.7e6), 2e6);
  fail_unless (isinf (t.limit));
  fail_unless (run (&t, &now, 10, .05, 2e6) == 0);
  fail_unless (isinf (t.limit));
}

GST_END_TEST;

/* So many are not lost by chance, whatever a lower rate does to them: it stays low. */
GST_START_TEST (test_most)
{
  PspLossTest t;
  double now = 0, limit;

  psp_loss_test_init (&t);
  run_into_limit (&t, &now, .3, 2e6);
  limit = t.limit;
  fail_unless (run (&t, &now, 3.2, .3, 1.2e6) == 0);
  fail_unless (t.limit < 1.2 * limit, "%f", t.limit / limit);
  /* And lower. */
  run (&t, &now, 3.2, .3, 1.2e6);
  fail_unless (t.limit < .8 * limit, "%f", t.limit / limit);
}

GST_END_TEST;

/* That they came after all is only said: a policer is found all the same. */
GST_START_TEST (test_claimed)
{
  PspLossTest t;
  double now = 0;

  psp_loss_test_init (&t);
  run_bursts (&t, &now, 2, .1, 1, 2e6, true);
  fail_unless (t.limit > 1.4e6 && t.limit < 1.7e6, "%f", t.limit);
}

GST_END_TEST;

/* It gave way, and that helped: a policer. The limit rises slowly; after some
 * time the losses were chance, after all. */
GST_START_TEST (test_policer)
{
  PspLossTest t;
  double now = 0, limit;

  psp_loss_test_init (&t);
  run_into_limit (&t, &now, .1, 2e6);
  limit = t.limit;
  fail_unless (limit > 1.4e6 && limit < 1.7e6, "%f", limit);
  fail_unless (run (&t, &now, 4, 0, 1.6e6) == 0);
  fail_unless (t.limit > 1.07 * limit && t.limit < 1.25 * limit, "%f",
      t.limit / limit);
  fail_unless (run (&t, &now, 20, 0, 1.6e6) == 0);
  fail_unless (t.limit > 3 * limit, "%f", t.limit / limit);
}

GST_END_TEST;

/* A limit to what a source made that made little of the rate is soon none. */
GST_START_TEST (test_little_in_use)
{
  PspLossTest t;
  double now = 0, limit;

  psp_loss_test_init (&t);
  for (unsigned i = 0; isinf (t.limit) && i < 100; i++, now += .05) {
    Lossy l = {.n_lost = i % 2 == 0,.burst = 1 };

    report_lost (&t, now, l);
    psp_loss_test_judge (&t, now, 2e6, 30e3, .02);
  }
  limit = t.limit;
  fail_unless (limit < 30e3, "%f", limit);
  fail_unless (run (&t, &now, 5, 0, limit) == 0);
  fail_unless (t.limit > 5 * limit, "%f", t.limit / limit);
}

GST_END_TEST;

/* Losses are tested when many happened to come together. That fewer come
 * afterwards is no policer. */
GST_START_TEST (test_fewer)
{
  PspLossTest t;
  double now = 0;

  psp_loss_test_init (&t);
  run_into_limit (&t, &now, .05, 2e6);
  fail_unless_equals_float (run (&t, &now, 3.2, .022, 1.7e6), 2e6);
  fail_unless (isinf (t.limit));
}

GST_END_TEST;

/* A policer takes nothing of what is below its limit: what is lost there is
 * chance, and no second policer. */
GST_START_TEST (test_below_policer)
{
  PspLossTest t;
  double now = 0, limit;

  psp_loss_test_init (&t);
  run_into_limit (&t, &now, .2, 2e6);
  limit = t.limit;
  fail_unless (run (&t, &now, 3.2, .04, 1.3e6) == 0);
  fail_unless (t.limit > limit);
  /* Nothing to go back to: it was not tested again. */
  fail_unless (run (&t, &now, 10, .05, 1.3e6) == 0);
  fail_unless (t.limit > limit);
}

GST_END_TEST;

/* Four lost packets in a row are one chance, not four. */
GST_START_TEST (test_bursts)
{
  PspLossTest t;
  double now = 0;

  psp_loss_test_init (&t);
  run_bursts (&t, &now, 60, .02, 4, 2e6, false);
  fail_unless (isinf (t.limit));
  run (&t, &now, 2, .06, 2e6);
  fail_unless (isfinite (t.limit));
}

GST_END_TEST;

/* A test at so low a rate that nothing would be lost in it tells nothing. */
GST_START_TEST (test_no_evidence)
{
  PspLossTest t;
  double now = 0, end;
  double restored = 0;

  psp_loss_test_init (&t);
  run (&t, &now, 1.5, .05, 2e6);
  fail_unless (isfinite (t.limit));
  for (end = now + 25; now < end; now += .5) {
    PspReport report = {.now = (int64_t) (now * 1e9),.n_received = 1 };

    psp_loss_test_report (&t, &report, .5, .1, false);
    restored = fmax (restored, psp_loss_test_judge (&t, now, 1e5, 1e5, .02));
  }
  fail_unless (restored == 2e6, "%f", restored);
}

GST_END_TEST;

/* What is received is not known yet: a share of it is no limit. */
GST_START_TEST (test_unknown_rate)
{
  const PspPacketResult lost = {.outcome = PSP_OUTCOME_LOST };
  PspReport report = {.n_lost = 1,.n_received = 5,.n_results = 1,
    .results = &lost
  };
  PspLossTest t;
  int i;

  psp_loss_test_init (&t);
  for (i = 0; i < 10; i++) {
    psp_loss_test_report (&t, &report, .01, .1, false);
    fail_unless (psp_loss_test_judge (&t, i * .01, 1e6, 0, .02) == 0);
  }
  fail_unless (isinf (t.limit));
}

GST_END_TEST;

/* Losses that are only presumed, that a queue explains, or that an outage has
 * left behind, do not count. */
GST_START_TEST (test_other_losses)
{
  PspLossTest t;
  const PspPacketResult lost = {.outcome = PSP_OUTCOME_LOST };
  PspReport report = {.n_lost = 1,.n_received = 5,.n_results = 1,
    .results = &lost
  };
  int i;

  psp_loss_test_init (&t);
  for (i = 0; i < 100; i++) {
    report.timeout = i % 2;
    psp_loss_test_report (&t, &report, .05, .1, !report.timeout);
    fail_unless (psp_loss_test_judge (&t, i * .05, 1e6, 5e5, .02) == 0);
  }
  for (i = 0; i < 100; i++) {
    report.timeout = false;
    report.now = 10 * PSP_SECOND;
    psp_loss_test_report (&t, &report, .05, .1, false);
    fail_unless (psp_loss_test_judge (&t, 10, 1e6, 5e5, .02) == 0);
  }
  fail_unless (isinf (t.limit));
}

GST_END_TEST;

/* Where the round trip is long, losses are known late, and so is what a lower rate
 * does to them. */
GST_START_TEST (test_far)
{
  PspLossTest t;
  double now = 10, since = 0;

  psp_loss_test_init (&t);
  /* A fifth is lost until the lower rate arrives. */
  for (; since == 0 || now < since + 6; now += .05) {
    Lossy l = {.burst = 1,.round_trip = 2.4 };

    l.n_lost = since == 0 || now < since + l.round_trip ? 2 : 0;
    fail_unless (now < 20);
    report_lost (&t, now, l);
    fail_unless (psp_loss_test_judge (&t, now, 1e6, 8e5, .02) == 0);
    if (since == 0 && isfinite (t.limit))
      since = now;
  }
  fail_unless (isfinite (t.limit));
}

GST_END_TEST;

static Suite *
losstest_suite (void)
{
  Suite *s = suite_create ("control-losstest");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_random);
  tcase_add_test (tc, test_most);
  tcase_add_test (tc, test_claimed);
  tcase_add_test (tc, test_policer);
  tcase_add_test (tc, test_little_in_use);
  tcase_add_test (tc, test_fewer);
  tcase_add_test (tc, test_below_policer);
  tcase_add_test (tc, test_bursts);
  tcase_add_test (tc, test_no_evidence);
  tcase_add_test (tc, test_unknown_rate);
  tcase_add_test (tc, test_other_losses);
  tcase_add_test (tc, test_far);
  return s;
}

GST_CHECK_MAIN (losstest);
