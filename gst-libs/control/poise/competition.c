/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/competition.h>

#include <math.h>

static const struct
{
  double first_window, recent;
  double dip, longest_dip, verdict, longest_interval;
  double gone, gone_for, longest_gone, least_fall;
} defaults = {
  .first_window = 10,           /* segments; RFC 6928 section 2 */
  .recent = 10,                 /* s; CUBIC needs as long to fill a queue */
  .dip = .6,                    /* share of the received rate in a dip */
  .longest_dip = 1.5,           /* s beyond a loop; the longest dip */
  /* s beyond a loop. By then half of the fall must show. */
  .verdict = .3,
  .longest_interval = 40,       /* s; longest time between dips */
  /* Share of the longest wait. A queue with a shorter wait is gone. */
  .gone = .1,
  /* s without a queue. A competitor that only backed off fills the queue again
   * within it. */
  .gone_for = .5,
  .longest_gone = 1,            /* s; the largest gone_for, after errors */
  .least_fall = .02,            /* s; jitter moves the base by less */
};

void
psp_competition_init (PspCompetition * c, double dip_interval)
{
  psp_cubic_init (&c->cubic, 0);
  c->rate = c->longest = 0;
  c->episode = 0;
  c->overflowed = false;
  c->dip_until = -1;
  c->dip_interval = c->first_interval = dip_interval;
  c->left_at = -INFINITY;
  c->gone_for = defaults.gone_for;
}

void
psp_competition_set_interval (PspCompetition * c, double dip_interval)
{
  if (c->first_interval != dip_interval)
    c->dip_interval = c->first_interval = dip_interval;
}

bool
psp_competition_is_recent (const PspCompetition * c, double now)
{
  return c->overflowed && now - c->left_at < defaults.recent;
}

void
psp_competition_begin (PspCompetition * c, double rate,
    const PspCompetitionInput * in)
{
  if (psp_competition_is_recent (c, in->now)) {
    /* It was an error to stop. A dip costs a part of the share, so dips become
     * rarer. */
    c->dip_interval = fmin (2 * c->dip_interval, defaults.longest_interval);
    c->gone_for = fmin (2 * c->gone_for, defaults.longest_gone);
    c->cubic.epoch = -1;
  } else {
    psp_cubic_init (&c->cubic, fmax (rate * in->rtt / PSP_SEGMENT,
            defaults.first_window));
    c->overflowed = false;
  }
  c->longest = in->newest;
  c->base = in->base;
  c->rate = c->cubic.window * PSP_SEGMENT / in->rtt;
  c->episode = in->next_index;
  c->lost = 0;
  c->last_dip = c->stood_at = in->now;
  c->dip_until = -1;
}

/* True as often as a segment's worth was lost. Where queues count packets,
 * small packets are lost more often than TCP's of the same rate (RFC 7141
 * section 2.3). The remainder is carried over. */
static bool
loses (PspCompetition * c, const PspReport * report)
{
  size_t i;

  for (i = 0; i < report->n_results; i++) {
    const PspPacketResult *r = &report->results[i];

    if (r->index >= c->episode && psp_result_is_congestion (r))
      c->lost += 8.0 * r->size / PSP_SEGMENT;
  }
  if (c->lost < .5)
    return false;
  c->lost = fmax (fmin (c->lost - 1, .5), -.5);
  return true;
}

/* Runs a dip. If a sender that sends less is alone, its queue falls by as much
 * and stays gone for as long. Otherwise the dip ends. */
static void
dip (PspCompetition * c, const PspCompetitionInput * in)
{
  double late = in->now - c->dip_from - in->loop;

  c->rate = fmin (c->rate, c->dip_rate);
  if (c->stood_at < in->now)
    return;
  if (in->now > c->dip_until || (late > defaults.verdict
          && c->dip_wait - in->standing < (1 - defaults.dip) * late / 2)) {
    c->dip_until = -1;
    c->last_dip = in->now;
  }
}

/* True if a queue is gone that was there from the beginning and had passed for
 * the path. TCP that stays keeps such a queue, so TCP has left. How often it
 * only seemed to have left before does not count any more. */
static bool
base_fell (PspCompetition * c, const PspCompetitionInput * in)
{
  if (in->base > c->base - defaults.least_fall)
    return false;
  c->base = in->base;
  c->dip_interval = c->first_interval;
  c->gone_for = defaults.gone_for;
  return true;
}

static void
begin_dip (PspCompetition * c, const PspCompetitionInput * in)
{
  c->dip_from = in->now;
  c->dip_wait = in->standing;
  c->dip_rate = defaults.dip * in->received;
  c->dip_until = in->now + in->loop + fmin (fmax (1.2 * in->standing
          / (1 - defaults.dip), defaults.gone_for), defaults.longest_dip);
}

bool
psp_competition_run (PspCompetition * c, const PspReport * report,
    const PspCompetitionInput * in)
{
  double before = c->rate;

  c->longest = fmax (in->newest, c->longest);
  if (in->standing >= fmax (in->empty, defaults.gone * c->longest))
    c->stood_at = in->now;
  if (loses (c, report)) {
    c->overflowed = true;
    /* A full queue waits for as long as the capacity says now: the wait of an
     * outage would make this queue count as gone. */
    c->longest = in->newest;
    psp_cubic_lost (&c->cubic);
    c->episode = in->next_index;
    if (c->dip_until < 0 && in->now - c->last_dip > c->dip_interval)
      begin_dip (c, in);
  } else {
    psp_cubic_acked (&c->cubic, in->now, in->acknowledged / PSP_SEGMENT,
        in->rtt);
  }
  if (base_fell (c, in) && c->dip_until < 0)
    begin_dip (c, in);
  c->rate = c->cubic.window * PSP_SEGMENT / in->rtt;
  /* W / RTT grows as the queue falls, without evidence that the path carries
   * it. */
  if (c->stood_at < in->now)
    c->rate = fmin (c->rate, fmax (before, in->received));
  if (c->dip_until >= 0)
    dip (c, in);
  if (in->now - c->stood_at < c->gone_for)
    return true;
  c->left_at = in->now;
  return false;
}
