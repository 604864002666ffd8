/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/poise-private.h>

static const struct
{
  double even_span, empty;
  double longer_noise, longer_wait, longer_rate, longer_memory;
  double helpless, whole_sign, own_wait;
  double drains, drained_after, hidden, near_least, used;
  double known, refilled, grown;
  double overflow, overflow_memory, stray;
  double left_rate, burst_span, known_after, least_rtt;
} defaults = {
  .even_span = .5,              /* s; a part of what an encoder takes to obey */
  .empty = .02,                 /* s; a shorter queue counts as none */
  /* s, without jitter. A wait that does not change by more may be that of a
   * longer path. */
  .longer_noise = .004,
  .longer_wait = .015,          /* s, without jitter; the least such wait */
  .longer_rate = .8,            /* of the old R; safe on a longer path */
  /* s after a queue has passed for a longer path; no path is longer in it */
  .longer_memory = 60,
  .helpless = 1.5,              /* of h; a longer queue is not the sender's own */
  .whole_sign = 1.5,            /* of h; a shorter queue is less of a sign */
  .own_wait = 6,                /* of h; small flows of this kind leave less */
  .drains = .5,                 /* of the longest wait; a shorter one drains */
  .drained_after = 5,           /* s; a queue left after this does not drain */
  .hidden = .5,                 /* of C without a queue; a lower C is unsure */
  /* Times the least rate. A sender with less has given way if others wait. */
  .near_least = 1.3,
  .used = 2,                    /* times what is received; a lower R is in use */
  /* Share of the longest wait while it competed. A longer queue soon afterwards
   * is the same TCP's: flows of this kind leave a shorter one. */
  .refilled = .3,
  .known = .4,                  /* s for which such a queue stands at least */
  /* Times the longest wait since the queue stands. A longer wait is that of
   * another queue. */
  .grown = 2,
  /* Share of the longest wait. A queue with a longer wait overflows if packets
   * are lost. */
  .overflow = .7,
  .overflow_memory = 20,        /* s in which the longest wait fades */
  .stray = .5,                  /* of h; a loss with a shorter wait is chance */
  .left_rate = .9,              /* of what is received, once TCP has left */
  .burst_span = 1,              /* s; longer than the gap of a loss burst */
  .known_after = .5,            /* s; less shows how media begins, no rate */
  .least_rtt = .001,            /* s; shorter ones are those of one machine */
};

double
psp_poise_round_trip (const Poise * c)
{
  return fmax (fmax (c->rtt.smoothed * 1e-9, c->base_rtt
          + c->queueing.newest), defaults.least_rtt);
}

static PspCompetitionInput
competition_input (const Poise * c, double acknowledged)
{
  PspCompetitionInput in = {
    .now = c->now,
    .standing = psp_queueing_least (&c->queueing),
    .newest = c->queueing.newest,
    .rtt = psp_poise_round_trip (c),
    .loop = psp_poise_loop (c),
    .received = psp_poise_received_rate (c, POISE_RECEIVED_SPAN),
    .acknowledged = acknowledged,
    .empty = fmin (c->threshold / 2, defaults.empty),
    .base = c->queueing.base,
    .next_index = c->next_index
  };

  return in;
}

/* Begins to compete with half of what was in use, at least: the other half is
 * the competitor's. */
static void
compete (Poise * c)
{
  PspCompetitionInput in = competition_input (c, 0);

  c->mode = POISE_COMPETE;
  /* The long wait was due to others' queue, not to an outage. It will start
   * again in any case. */
  c->gone = c->hidden = false;
  psp_signs_clear (&c->signs);
  psp_sawtooth_clear (&c->sawtooth);
  psp_competition_begin (&c->competition, fmax (c->rate, c->before / 2), &in);
  /* A window that suited a long queue gives a high rate with a short one. */
  c->even = fmin (c->competition.rate, fmax (c->rate, c->before));
  c->rate = c->competition.rate;
}

/* Competes with TCP whose queue has just overflowed and is gone for now. */
static void
compete_after_tooth (Poise * c)
{
  compete (c);
  c->competition.overflowed = true;
  c->competition.longest = c->sawtooth.longest;
}

/* Returns the threshold of a queue that stands: h of what was in use before. */
static double
contention_threshold (const Poise * c)
{
  return psp_poise_threshold_at (c, fmax (c->before, POISE_START_RATE));
}

/* True if the queue has stood for so long that it is no rest of the sender's
 * own. */
static bool
is_no_rest (const Poise * c)
{
  return c->now - c->stands_since > defaults.drained_after;
}

/* True if the queue is others': longer than any that flows of this kind leave,
 * however small they are, or soon after the sender has competed. */
static bool
is_others (const Poise * c, double standing)
{
  return psp_competition_is_recent (&c->competition, c->now)
      || standing > defaults.own_wait * psp_poise_threshold_at (c,
      fmax (c->rate, POISE_START_RATE));
}

/* True if giving way did not help: the queue is above h, and no rest. */
static bool
is_helpless (const Poise * c, double standing)
{
  return standing > c->stands_above
      && (is_no_rest (c) || standing > defaults.drains * c->most_wait);
}

/* Judges a queue that stands although the sender gave way: either the path
 * became longer, or others fill the queue. */
static void
judge_standing (Poise * c, double standing)
{
  double jitter = c->queueing.jitter;

  if (c->now - c->mistaken_at > defaults.longer_memory
      && c->most_wait - c->least_wait < defaults.longer_noise + 2 * jitter
      && c->least_wait > defaults.longer_wait + 2 * jitter) {
    psp_queueing_shift (&c->queueing, c->least_wait);
    c->longer_base = c->queueing.base - c->least_wait / 2;
    c->stands_since = -1;
    psp_signs_clear (&c->signs);
    c->rate = fmax (c->rate, defaults.longer_rate * c->before);
  } else if (is_helpless (c, standing)) {
    if (is_no_rest (c) || is_others (c, standing)) {
      compete (c);
    } else if (!c->sign_counted) {
      c->sign_counted = true;
      if (psp_signs_add_queue (&c->signs,
              standing / (defaults.whole_sign * c->stands_above)))
        compete (c);
    }
  }
}

/* Finds out that the path had not become longer: the queue that passed for it is
 * gone. BBR empties its queue each 10 s. */
static void
find_mistake (Poise * c)
{
  if (c->queueing.base >= c->longer_base)
    return;
  c->longer_base = -INFINITY;
  c->mistaken_at = c->now;
}

/* True if R itself shows that the sender has given way. An encoder that makes
 * no less shows no less received, and trains among others' packets keep R above
 * the least rate. An R that is far above what is received gives nothing up. */
static bool
has_given_up (const Poise * c, double received)
{
  return c->rate <= defaults.near_least * POISE_MIN_RATE
      || (is_no_rest (c) && c->rate < defaults.used * received
      && c->rate < c->base.parameters[YIELDED_SHARE] * c->before);
}

/* True if the sender has given way as far as it can, or so far that a queue of
 * its own would have drained. Near the least rate R itself counts, because
 * packets are too few to show what is received. */
static bool
has_given_way (const Poise * c, double received)
{
  double left = c->rate < 2 * POISE_MIN_RATE ? c->rate : received;

  return c->rate <= POISE_MIN_RATE
      || left < c->base.parameters[YIELDED_SHARE] * c->received_before
      || (psp_queueing_others (&c->queueing) > c->stands_above
      && has_given_up (c, received));
}

/* True if the competitor with which the sender has just competed is still
 * there. */
static bool
is_back (const Poise * c, double standing, double lasts)
{
  return psp_competition_is_recent (&c->competition, c->now)
      && lasts > fmax (defaults.known, 2 * psp_poise_loop (c))
      && standing > fmax (defaults.helpless * c->stands_above,
      defaults.refilled * c->competition.longest);
}

/* True if others' queue may have hidden the capacity. Beside a page that loads
 * over TCP, trains arrive as slowly as if the capacity had fallen. But a queue
 * of the sender's own drains once C has come down. h is that of the present R:
 * after a real fall as much may stand without others. */
static bool
hides_capacity (const Poise * c, double standing, double lasts)
{
  return lasts > 2 * psp_poise_loop (c)
      && standing > fmax (defaults.helpless * c->threshold,
      defaults.drains * c->most_wait)
      && c->capacity < defaults.hidden * c->calm.capacity;
}

/* From now on another queue stands. */
static void
begin_queue (Poise * c)
{
  c->stands_since = c->now;
  c->received_before = -1;
  c->sign_counted = false;
  psp_sawtooth_begin (&c->sawtooth);
}

void
psp_poise_follow_standing (Poise * c)
{
  const double *p = c->base.parameters;
  double standing = psp_queueing_least (&c->queueing), lasts;
  double received = psp_poise_received_rate (c, POISE_RECEIVED_SPAN);

  find_mistake (c);
  if (c->stands_since < 0 && standing > contention_threshold (c)) {
    begin_queue (c);
    c->stands_above = contention_threshold (c);
  }
  if (c->stands_since < 0 || c->received_at < c->now)
    return;
  /* If the capacity has fallen meanwhile, another queue stands. */
  if (c->received_before >= 0 && standing > defaults.grown * c->most_wait)
    begin_queue (c);
  lasts = c->now - c->stands_since;
  /* Jitter alone does not keep a queue standing. */
  if (psp_queueing_standing (&c->queueing) < c->stands_above / 2) {
    c->stands_since = -1;
    if (psp_sawtooth_end (&c->sawtooth, c->now, psp_poise_loop (c)))
      compete_after_tooth (c);
  }
  if (c->stands_since < 0 || lasts < psp_poise_loop (c))
    return;
  if (c->received_before < 0) {
    /* If the capacity fell, no more than C can be received. */
    c->received_before = fmin (received, c->capacity);
    c->least_wait = c->most_wait = standing;
  }
  c->least_wait = fmin (c->least_wait, standing);
  c->most_wait = fmax (c->most_wait, standing);
  psp_sawtooth_follow (&c->sawtooth, c->now,
      psp_queueing_standing (&c->queueing),
      c->decreased_at >= c->stands_since ? c->decreased_at : -1);
  c->hidden = c->hidden || hides_capacity (c, standing, lasts);
  /* If the path is all but gone, others do not fill it. */
  if (c->gone && received < 2 * POISE_MIN_RATE)
    return;
  if (is_back (c, standing, lasts))
    compete (c);
  else if (lasts > fmax (p[COMPETE_AFTER], 2 * psp_poise_loop (c))
      && has_given_way (c, received))
    judge_standing (c, standing);
}

/* A queue that overflows is a sign: others fill it, because flows of this kind
 * give way before. */
static void
follow_losses (Poise * c)
{
  double above = contention_threshold (c);

  if (fmax (c->stood, c->queueing.newest) < defaults.stray * above) {
    psp_signs_add_stray (&c->signs);
  } else if (c->queueing.newest >= defaults.overflow * c->longest_wait
      && psp_queueing_others (&c->queueing) >= above
      && c->now - c->overflowed_at >= 2 * psp_poise_loop (c)) {
    c->overflowed_at = c->now;
    if (psp_signs_add_overflow (&c->signs))
      compete (c);
  }
}

/* Returns the rate received that a loss test falls back to, or 0 before it is
 * known: at the start and after a silence. A burst of losses leaves a gap in the
 * shorter span. */
static double
known_received_rate (const Poise * c)
{
  if (psp_received_rate_span (&c->received) < defaults.known_after)
    return 0;
  return fmax (psp_poise_received_rate (c, POISE_RECEIVED_SPAN),
      psp_poise_received_rate (c, defaults.burst_span));
}

void
psp_poise_answer_signals (Poise * c, const PspReport * report, double dt,
    PspDecision * d)
{
  const double *p = c->base.parameters;
  double restored;

  /* A queue explains its losses also in the report that shows its end. */
  psp_loss_test_report (&c->loss_test, report, dt, psp_poise_loop (c),
      c->stood > defaults.helpless * c->threshold || c->mode == POISE_COMPETE);
  c->longest_wait = fmax (c->queueing.newest, c->longest_wait
      * (1 - dt / defaults.overflow_memory));
  psp_signs_fade (&c->signs, c->now);
  /* A packet that was only overtaken does not show a queue that overflowed. */
  if (report->n_recovered > 0)
    c->signs.overflows = 0;
  if (c->n_arrived > 0
      && c->now - c->marks_at > c->rtt.smoothed * 1e-9)
    psp_poise_answer_marks (c, d);
  if (report->n_lost == 0 || report->timeout)
    return;
  if (c->stood > c->threshold)
    c->lost_at = c->now;
  if (c->mode == POISE_DELAY && c->stood > c->threshold
      && c->now - c->decreased_at > psp_poise_loop (c))
    psp_poise_decrease (c, p[DECREASE], PSP_REASON_LOSS, d);
  restored = psp_loss_test_judge (&c->loss_test, c->now, c->rate,
      known_received_rate (c), p[TOLERATED_LOSS]);
  c->rate = fmax (c->rate, restored);
  if (c->mode == POISE_START && c->loss_test.tested_at >= 0)
    psp_poise_end_start (c);
  if (c->mode == POISE_DELAY)
    follow_losses (c);
}

void
psp_poise_run_compete (Poise * c, const PspReport * report, double dt,
    double acknowledged)
{
  PspCompetitionInput in = competition_input (c, acknowledged);
  bool stays = psp_competition_run (&c->competition, report, &in);

  c->rate = c->competition.rate;
  c->even += (c->rate - c->even) * fmin (dt / defaults.even_span, 1);
  if (stays)
    return;
  c->rate = defaults.left_rate * fmax (in.received, c->rate / 2);
  c->capacity = fmax (in.received, c->rate);
  c->settled_at = c->now;
  psp_poise_enter_start (c);
}
