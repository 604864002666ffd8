/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/losstest.h>

#include <math.h>

static const struct
{
  double memory, least, runs, random_life, settle, test, evidence, longest;
  double back_off, growth, doubt, little, least_in_use, most;
} defaults = {
  .memory = 2,                  /* s, at least, for which losses count */
  .least = 20,                  /* packets; fewer show no share */
  /* Least number of runs, faded: about three, the first of them a second
   * ago. */
  .runs = 2.5,
  .random_life = 60,            /* s in which the random share fades */
  /* s, at least, at the start of a test. What is lost in it left before the
   * test. */
  .settle = 1,
  .test = 2,                    /* s, at least, of the test after that */
  /* Losses that are expected in a test if nothing has changed. If fewer are
   * expected, chance may leave none. */
  .evidence = 8,
  .longest = 20,                /* s; without evidence losses are random */
  .back_off = .85,              /* of the rate received; the limit in a test */
  .growth = .02,                /* 1/s; growth of the limit at first */
  /* Share of the rate. If less was received, a policer of so low a rate is not
   * likely. */
  .little = .25,
  .least_in_use = .05,          /* the smallest in_use */
  /* Share of losses. Above it they are no chance: every flow that sends on has
   * a part in them. */
  .most = .15,
  /* s in which the limit begins to grow faster: losses that do not return were
   * chance. */
  .doubt = 10,
};

void
psp_loss_test_init (PspLossTest * t)
{
  t->lost = t->runs = t->decided = t->random = t->limited_at = 0;
  t->limit = INFINITY;
  t->in_use = 1;
  t->settle = defaults.settle;
  t->tested_at = -1;
}

/* Returns the losses of packets that left lately: after an outage old losses
 * become known. Sets n_runs to their runs, because a run is one chance. */
static unsigned
fresh_losses (const PspReport * report, double memory, unsigned *n_runs)
{
  int64_t last = -1;
  unsigned n = 0;
  size_t i;

  *n_runs = 0;
  for (i = 0; report->n_lost > 0 && i < report->n_results; i++) {
    const PspPacketResult *r = &report->results[i];

    if (r->outcome != PSP_OUTCOME_LOST || (double) report->now
        - (double) r->sent_at >= memory * 1e9)
      continue;
    *n_runs += last < 0 || r->index != last + 1;
    last = r->index;
    n++;
  }
  return n;
}

void
psp_loss_test_report (PspLossTest * t, const PspReport * report, double dt,
    double loop, bool queued)
{
  double memory = fmax (defaults.memory, 2 * loop);
  double keep = exp (-dt / memory), lost;
  double now = (double) report->now * 1e-9;
  unsigned n_runs;

  t->random *= 1 - dt / defaults.random_life;
  t->limit *= 1 + defaults.growth / t->in_use * dt * pow (1
      + fmax (now - t->limited_at, 0) / defaults.doubt, 2);
  if (queued)
    t->lost = t->runs = t->decided = 0;
  /* Presumed losses may only be late. */
  if (report->timeout || queued)
    return;
  lost = fresh_losses (report, memory, &n_runs);
  t->settle = fmax (defaults.settle, loop);
  if (t->tested_at >= 0) {
    keep = 1;
    if (now - t->tested_at < t->settle) {
      t->lost = t->runs = t->decided = 0;
      return;
    }
  }
  /* A packet that is reported late, after it was counted as lost, stays lost.
   * This costs a test where packets are reordered. Otherwise a receiver that
   * lies could hide a policer. */
  t->lost = keep * t->lost + lost;
  t->runs = keep * t->runs + n_runs;
  t->decided = keep * t->decided + lost + (double) report->n_received;
}

/* True if a policer made the losses. A test begins when many packets happened
 * to be lost, so chance alone makes fewer losses in the test: half of them, or
 * less by two standard deviations. Only if still fewer are lost, it was a
 * policer. */
static bool
was_policed (const PspLossTest * t)
{
  double chance = t->decided * t->tested_loss / 2;

  return t->lost <= chance - 2 * sqrt (chance);
}

/* Ends a test. Returns the rate to which the sender may return, or 0. */
static double
end_test (PspLossTest * t)
{
  double loss = t->lost / t->decided;
  bool policed = was_policed (t);

  t->tested_at = -1;
  t->lost = t->runs = t->decided = 0;
  /* What is lost below a policer's limit is not lost by the policer. */
  t->random = fmax (t->random, policed ? loss : fmax (loss, t->tested_loss));
  if (policed || loss > defaults.most)
    return 0;
  t->limit = INFINITY;
  return t->tested_rate;
}

/* Returns the length of the test in s. It is shorter if the source made little
 * of the rate, because the test holds the source down once it makes more. */
static double
test_time (const PspLossTest * t)
{
  double least = t->settle + defaults.test;

  if (t->decided * t->tested_loss >= defaults.evidence)
    return least;
  return fmax (defaults.longest * t->in_use, least);
}

double
psp_loss_test_judge (PspLossTest * t, double now, double rate,
    double received, double tolerated)
{
  double loss = t->lost / t->decided;
  double expected = t->decided * fmin (1.5 * t->random + tolerated,
      defaults.most);

  if (t->decided < defaults.least || !(received > 0))
    return 0;
  if (t->tested_at >= 0)
    return now - t->tested_at < test_time (t) ? 0 : end_test (t);
  /* Chance alone seldom exceeds two standard deviations. They are larger where
   * losses come in runs. */
  if (t->runs >= defaults.runs
      && t->lost > expected + 2 * sqrt (expected * t->lost / t->runs)) {
    t->tested_at = t->limited_at = now;
    t->tested_loss = loss;
    t->tested_rate = rate;
    t->in_use = fmin (fmax (received / (defaults.little * rate),
            defaults.least_in_use), 1);
    t->limit = defaults.back_off * received;
  }
  return 0;
}
