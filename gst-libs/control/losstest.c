/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/losstest.h>

#include <math.h>

static const struct
{
  double memory, least, random_life, test, back_off, growth;
} defaults = {
  .memory = 2,                  /* s */
  .least = 20,                  /* packets; fewer show no share */
  .random_life = 60,            /* s */
  .test = 3,                    /* s; the losses before are then forgotten */
  .back_off = .85,
  .growth = .02,                /* 1/s: a policer may have been changed */
};

void
psp_loss_test_init (PspLossTest * t)
{
  t->lost = t->decided = t->random = 0;
  t->limit = INFINITY;
  t->tested_at = -1;
}

/* Losses of packets that left lately: after an outage old ones become known. */
static unsigned
fresh_losses (const PspReport * report)
{
  unsigned n = 0;
  size_t i;

  for (i = 0; report->n_lost > 0 && i < report->n_results; i++)
    if (report->results[i].outcome == PSP_OUTCOME_LOST
        && (double) report->now - (double) report->results[i].sent_at
        < defaults.memory * 1e9)
      n++;
  return n;
}

void
psp_loss_test_report (PspLossTest * t, const PspReport * report, double dt,
    bool queued)
{
  double keep = exp (-dt / defaults.memory), lost;

  t->random *= 1 - dt / defaults.random_life;
  t->limit *= 1 + defaults.growth * dt;
  if (queued)
    t->lost = t->decided = 0;
  /* Presumed losses may only be late. */
  if (report->timeout || queued)
    return;
  lost = fresh_losses (report);
  t->lost = fmax (keep * t->lost + lost - (double) report->n_recovered, 0);
  t->decided = keep * t->decided + lost + (double) report->n_received;
}

double
psp_loss_test_judge (PspLossTest * t, double now, double rate,
    double received, double tolerated)
{
  double loss = t->lost / t->decided;
  double expected = t->decided * (1.5 * t->random + tolerated);

  if (t->decided < defaults.least)
    return 0;
  if (t->tested_at >= 0) {
    if (now - t->tested_at < defaults.test)
      return 0;
    t->tested_at = -1;
    t->lost = t->decided = 0;
    if (loss <= t->tested_loss / 2)
      return 0;
    t->random = fmax (loss, t->tested_loss);
    t->limit = INFINITY;
    return t->tested_rate;
  }
  /* Chance alone exceeds two standard deviations seldom. */
  if (t->lost > expected + 2 * sqrt (expected)) {
    t->tested_at = now;
    t->tested_loss = loss;
    t->tested_rate = rate;
    t->limit = defaults.back_off * received;
  }
  return 0;
}
