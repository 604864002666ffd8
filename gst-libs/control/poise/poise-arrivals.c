/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What arrivals show of the path: waits, the capacity, round trips.
 */
#include <control/poise/poise-private.h>

static const struct
{
  double saturated, slowed, tried, train_gain, down_gain, most_down, down_from;
  double stands, competed, counted, backlog;
  double long_wait, long_jitter, span_jitter, span_per_jitter;
  double smooth, fast;
  double filled_life, holds, base_gain, hold_decay, fall_memory;
  double classic_wait, shorter_wait_gain, longer_wait_gain;
} defaults = {
  /* Share of the sent rate. A train that arrives more slowly is saturated. */
  .saturated = .94,
  /* Share of the sent rate. Where the wait is long, C falls to a slower train
   * without smoothing; where more is received, others' packets slowed it. */
  .slowed = .85,
  .tried = .5,                  /* of R; slower trains do not test R */
  .train_gain = .25,            /* C follows a train by this share */
  /* C falls to a train by the share s / h less this. */
  .down_from = .2,
  .down_gain = .025,            /* the smallest such share */
  .most_down = .5,              /* the largest such share */
  .stands = 2,                  /* loops; then a queue is others' */
  .competed = 10,               /* s after competing; a queue may be others' */
  .counted = 30,                /* packets; fewer do not show a rate */
  /* s. If there was always something to send for this long, the source makes
   * more than may leave. */
  .backlog = 1,
  .long_wait = .02,             /* s beside jitter; a longer wait is long */
  .long_jitter = 5,             /* times J; the jitter in a wait */
  /* Times J less span_jitter: the least length of the trains of a
   * measurement. */
  .span_per_jitter = 30,
  .span_jitter = .003,          /* s; more jitter hides how fast a train is */
  .smooth = .5,                 /* weight of a train in the mean ratio */
  .fast = 5e6,                  /* bits/s; above this C the mean ratio counts */
  .filled_life = 4,             /* times `delay-life`, for a filled queue */
  /* Times the longest wait for a report: the least span of a received rate. */
  .holds = 1.5,
  .base_gain = .125,            /* RFC 6298 section 2 */
  .hold_decay = 1. / 40,        /* a report; RFC 8888's are 40 a second */
  .fall_memory = 1,             /* s; time in which a queue drains */
  /* s. What marks no packet earlier is no queue for L4S, which does so after
   * 1 ms (RFC 9332), but CoDel's (RFC 8289; 5 ms) or PIE's (RFC 8033; 15 ms). */
  .classic_wait = .006,
  .shorter_wait_gain = .5,
  .longer_wait_gain = 1. / 16,
};

double
psp_poise_received_rate (const Poise * c, double span)
{
  return psp_received_rate_get (&c->received, span,
      defaults.holds * c->hold);
}

/* True if the wait is long: longer than jitter explains. */
static bool
waits_long (const Poise * c)
{
  double jitter = c->queueing.jitter;
  double wait = jitter < PSP_QUEUEING_LARGE_JITTER ?
      c->queueing.newest : psp_queueing_least (&c->queueing);

  return wait > defaults.long_wait + defaults.long_jitter * jitter;
}

/* Returns the rate at which trains arrived, which is no more than the rate at
 * which they were sent. Jitter makes some trains slower and others faster, but
 * only the slower ones show so. At high rates, where C grows by a smaller
 * share, the mean ratio of trains counts instead while no queue stands. */
static double
arrival_rate (Poise * c, const PspTrainRates * r)
{
  double ratio = log (r->out / r->in);

  c->train_ratio += defaults.smooth * (ratio - c->train_ratio);
  if (c->queueing.jitter > defaults.span_jitter && c->mode != POISE_START
      && c->capacity > defaults.fast
      && psp_queueing_standing (&c->queueing) < c->threshold)
    ratio = c->train_ratio;
  return r->in * exp (fmin (ratio, 0));
}

/* True if a queue still stands after giving way had its effect, or if the
 * sender has just competed. */
static bool
has_others (const Poise * c)
{
  return (c->stands_since >= 0
      && c->now - c->stands_since > defaults.stands * psp_poise_loop (c))
      || c->now - c->competition.left_at < defaults.competed;
}

/* Returns the rate below which C does not fall. Others' packets slow trains,
 * the more the fewer packets a train has, but what is received does pass. */
static double
least_capacity (const Poise * c)
{
  if (!has_others (c))
    return 0;
  return psp_poise_received_rate (c, fmax (POISE_RECEIVED_SPAN,
          defaults.counted * psp_poise_packet_bits (c) / c->rate));
}

/* True if others' packets slowed a train. More was received meanwhile, so the
 * path is faster than the train. Large jitter slows trains, too. */
static bool
is_among_others (const Poise * c, const PspTrainRates * r)
{
  return c->queueing.jitter < PSP_QUEUEING_LARGE_JITTER
      && r->out < defaults.slowed * fmin (c->capacity, r->in)
      && r->out < psp_poise_received_rate (c, POISE_RECEIVED_SPAN);
}

/* Adjusts C to a measurement by trains. */
static void
follow (Poise * c, const PspTrainRates * r)
{
  double standing = psp_queueing_standing (&c->queueing), gain;

  /* If the first answer is late, packets leave far below R. */
  if (c->mode == POISE_START && r->in < defaults.tried * c->rate)
    return;
  c->n_saturated = r->out < defaults.saturated * r->in ? c->n_saturated + 1 : 0;
  c->n_free = c->n_saturated == 0 && r->out > c->capacity ? c->n_free + 1 : 0;
  if (is_among_others (c, r))
    c->among_others_at = c->now;
  if (c->mode == POISE_COMPETE)
    return;
  if (c->n_saturated == 0) {
    /* One free train may be noise where delays differ; several in a row are a
     * rise. */
    gain =
        c->mode == POISE_START ? 1 : fmin (c->n_free * defaults.train_gain, 1);
    c->capacity += gain * fmax (r->out - c->capacity, 0);
  } else if (c->mode == POISE_START) {
    if (c->n_saturated < 2)
      return;
    c->capacity = r->out;
    psp_poise_end_start (c);
  } else if (r->out > c->capacity) {
    c->capacity += defaults.train_gain * (r->out - c->capacity);
  } else {
    /* Contention and jitter slow trains, too, so C falls little without a
     * queue. */
    gain = psp_poise_clamp (standing / c->threshold - defaults.down_from,
        psp_poise_is_scalable (c) ? 0 : defaults.down_gain, defaults.most_down);
    if (waits_long (c) && r->out < defaults.slowed * r->in
        && c->n_saturated >= 2)
      gain = 1;
    c->capacity += gain * fmin (fmax (r->out, least_capacity (c))
        - c->capacity, 0);
  }
}

/* Takes a measurement by trains. `verified` is kept apart from C, because in
 * the start C also grows without trains. */
static void
measure (Poise * c, PspTrainRates r)
{
  r.out = arrival_rate (c, &r);
  c->trained_at = c->now;
  follow (c, &r);
  c->verified = fmin (c->capacity, fmax (r.out, c->verified));
}

/* True if a packet waited for no other packet of its own flow, so that it shows
 * the jitter. There was nothing to send before it; or, if the source always
 * makes more than may leave, the path has carried its predecessors since. */
static bool
is_undisturbed (const Poise * c, const PspPacketResult * r)
{
  if (c->stands_since >= 0 || c->mode == POISE_COMPETE)
    return false;
  return r->app_limited
      || (c->own <= 0 && c->now - c->limited_at > defaults.backlog);
}

bool
psp_poise_is_scalable (const Poise * c)
{
  return c->ect1 && c->marked_wait <= defaults.classic_wait;
}

/* Follows the shortest waits of marked packets. In any queue some of them wait
 * for long, but only one for L4S marks what has hardly waited. */
static void
follow_marked_wait (Poise * c)
{
  double wait = fmax (c->queueing.newest - fmax (c->queueing.jitter
          - PSP_QUEUEING_FIRST_JITTER, 0), 0);

  c->marked_wait += (wait < c->marked_wait ? defaults.shorter_wait_gain :
      defaults.longer_wait_gain) * (wait - c->marked_wait);
}

static void
take_arrival (Poise * c, const PspPacketResult * r, double rtt)
{
  const double *p = c->base.parameters;
  double bits = 8.0 * r->size + POISE_HEADERS;
  double sent_at = (double) r->sent_at * 1e-9;
  bool filled = c->gone || c->mode == POISE_COMPETE;
  PspTrainRates rates;
  double step;

  psp_received_rate_add (&c->received, bits);
  if (r->sent_ecn != PSP_ECN_NOT_ECT)
    c->ect1 = r->sent_ecn == PSP_ECN_ECT1;
  c->n_arrived++;
  c->n_marked += r->ecn == PSP_ECN_CE;
  if (r->app_limited && sent_at <= c->now)
    c->limited_at = fmax (c->limited_at, sent_at);
  if (r->arrived_at == PSP_TIME_UNKNOWN)
    return;
  c->own = fmax (c->own - c->capacity * (sent_at - c->own_at), 0);
  c->own_at = sent_at;
  /* A filled queue must not become the base. */
  step = psp_queueing_add (&c->queueing, sent_at,
      (double) r->arrived_at * 1e-9 - sent_at,
      p[DELAY_LIFE] / PSP_QUEUEING_SLOTS * (filled ? defaults.filled_life : 1),
      is_undisturbed (c, r) ? bits : 0, c->own / c->capacity,
      fmax (c->now - sent_at, rtt));
  if (r->ecn == PSP_ECN_CE)
    follow_marked_wait (c);
  c->base_before += step;
  c->longer_base += step;
  c->competition.base += step;
  c->stood = fmax (c->stood, psp_queueing_standing (&c->queueing));
  /* A queue is no longer than the wait in it. */
  c->own = fmin (c->own, c->queueing.newest * c->capacity) + bits;
  if (psp_trains_add (&c->trains, r, bits,
          waits_long (c) ? p[SPAN] :
          fmax (p[SPAN], defaults.span_per_jitter
              * (c->queueing.jitter - defaults.span_jitter)), &rates))
    measure (c, rates);
}

static void
take_round_trip (Poise * c, const PspReport * report)
{
  const PspPacketResult *oldest = psp_report_oldest_received (report);
  double base, hold;

  if (report->rtt_sample == PSP_TIME_UNKNOWN || !oldest)
    return;
  psp_delay_add (&c->rtt, report->rtt_sample);
  base =
      psp_poise_clamp ((double) report->rtt_sample * 1e-9 - c->queueing.newest,
      .001, 10);
  c->base_rtt += (c->base_rtt > 0 ? defaults.base_gain : 1)
      * (base - c->base_rtt);
  hold = ((double) report->now - (double) oldest->sent_at
      - (double) report->rtt_sample) * 1e-9;
  c->hold = fmax (psp_poise_clamp (hold, 0, 1),
      c->hold * (1 - defaults.hold_decay));
}

/* Lets the base of a second ago fall to the present one. */
static void
follow_base (Poise * c, double dt)
{
  double fall = fmax (c->base_before - c->queueing.base, 0);

  c->base_before = c->queueing.base
      + fall * fmax (1 - dt / defaults.fall_memory, 0);
}

double
psp_poise_take_arrivals (Poise * c, const PspReport * report, double dt)
{
  double rtt = (double) report->rtt_sample * 1e-9, bits = 0;
  size_t i;

  c->stood = psp_queueing_standing (&c->queueing);
  for (i = 0; i < report->n_results; i++)
    if (report->results[i].outcome == PSP_OUTCOME_RECEIVED) {
      take_arrival (c, &report->results[i], rtt);
      bits += 8.0 * report->results[i].size + POISE_HEADERS;
    }
  take_round_trip (c, report);
  if (bits > 0)
    follow_base (c, dt);
  return bits;
}
