/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "poise": each paced frame measures the capacity, so a flow that is alone
 * keeps neither a queue nor a sawtooth. Only a queue that stands is contention.
 * Flows of this kind answer it by giving way. If giving way does not help, the
 * sender competes as TCP does. docs/controllers.md has the formulas under the
 * names used here.
 */
#include <control/poise/poise-private.h>

/* Where a default comes from. */
#define MEASURED "measured: docs/evidence/poise.md"

static const PspParameter parameters[] = {
  [HEADROOM] = {"headroom", "", .5, 1, .975,
      "Share of the capacity for the media", MEASURED},
  [GAIN] = {"pacing-gain", "", 1, 4, 1.2,
      "Pace of a frame, relative to the capacity", MEASURED},
  [THRESHOLD] = {"threshold", "s", .001, 1, .012,
      "Standing queue that flows leave to one another at 2 Mb/s", MEASURED},
  [DECREASE] = {"decrease", "", .1, 1, .85,
      "Factor of the rate when it gives way", MEASURED},
  [INCREASE] = {"increase", "", 0, 10, .2,
      "Additive increase a second, relative to the root of rate times 1 Mb/s",
      MEASURED},
  [GROWTH] = {"growth", "1/s", 0, 100, 4,
      "Growth of the rate while no other flow contends", MEASURED},
  [DRAIN] = {"drain", "s", .01, 100, .25,
      "Time in which a standing queue drains", MEASURED},
  [SLACK] = {"slack", "s", 0, 1, .003,
      "Length of the window beyond the round trip", MEASURED},
  [SPAN] = {"train", "s", .001, 1, .012,
      "Least length of the packet trains of one measurement", MEASURED},
  [COMPETE_AFTER] = {"compete-after", "s", .1, 100, 1.3,
      "Time for which it gives way before it competes", MEASURED},
  [YIELDED_SHARE] = {"yielded-share", "", 0, 1, .65,
      "Share of the received rate at which it counts as having given way",
      MEASURED},
  [DIP_INTERVAL] = {"dip-interval", "s", 1, 1000, 8,
      "Time between tests whether TCP has left", MEASURED},
  [TOLERATED_LOSS] = {"tolerated-loss", "", 0, 1, .02,
      "Share of loss without a queue that needs no test", MEASURED},
  [BACKLOG_REDUCTION] = {"backlog-reduction", "", 0, 1, .15,
      "Largest reduction of the target while packets wait in the sender",
      MEASURED},
  [DELAY_LIFE] = {"delay-life", "s", 1, 1000, 15,
      "Age at which the smallest delay expires", MEASURED},
  {.name = NULL}
};

static const struct
{
  double reference_rate, min_threshold, max_threshold, scale_rate;
  double reaction, margin, min_interval, free_after;
  double proved, proved_rate;
  double at_cap, cap_time, settle, missed, pause, free_room, use_memory;
  double unseen_queue, in_use, unseen_growth, marked_growth;
  double contended_growth, contended_memory, longest_step;
} defaults = {
  .reference_rate = 2e6,        /* bits/s; R for which `threshold` is given */
  /* s; the least h without jitter: four steps of RFC 8888's 1/1024 s */
  .min_threshold = .0045,
  .max_threshold = .09,         /* s; the largest h without jitter */
  .scale_rate = 1e6,            /* bits/s; the 1 Mb/s in √(R · 1 Mb/s) */
  .reaction = .08,              /* s of the loop: two frames and a report */
  .margin = .05,                /* s beyond a loop between two decreases */
  .min_interval = .35,          /* s; least time between two decreases */
  /* In a cycle, flows that contend grow by what they gave way. After this
   * number of cycles without a decrease, no other flow contends. */
  .free_after = 3,
  .proved = 3,                  /* largest R over the highest rate received */
  .proved_rate = 600e3,         /* bits/s; R up to this needs no proof */
  .at_cap = .98,                /* of `headroom` C; from there on C decides */
  /* s beyond two loops. If others' wait lasts for longer at that cap, the
   * sender gives way all the same. */
  .cap_time = .1,
  /* s. A shorter time without reports is no silence. After a silence, and after
   * competing, the sender does not give way for this long. */
  .settle = 1,
  /* Times the longest wait for a report. A shorter time without reports is
   * neither a silence nor a pause. */
  .missed = 2,
  /* s. A shorter time without reports is no pause, and counts as time in which
   * the sender gave way. */
  .pause = .2,
  .free_room = .5,              /* of h; with less room, others contend */
  .use_memory = 20,             /* s in which the largest R lately fades */
  /* Share of h. While the queue is shorter, C also grows without trains, which
   * do not show all of it. */
  .unseen_queue = .3,
  .in_use = .5,                 /* of R; C grows so only if more is received */
  .unseen_growth = .25,         /* of `increase`; that growth of C */
  .marked_growth = .5,          /* the same while marks are frequent */
  .contended_growth = 2,        /* the same while others slow trains */
  .contended_memory = .5,       /* s for which a slowed train is remembered */
  .longest_step = .2,           /* s; most that a time between reports counts */
};

double
psp_poise_packet_bits (const Poise * c)
{
  return 8 * fmax (c->base.mean_size, 1) + POISE_HEADERS;
}

double
psp_poise_loop (const Poise * c)
{
  return c->base_rtt + psp_queueing_least (&c->queueing) + defaults.reaction;
}

double
psp_poise_threshold_at (const Poise * c, double rate)
{
  return psp_poise_clamp (c->base.parameters[THRESHOLD]
      * sqrt (defaults.reference_rate / rate), defaults.min_threshold,
      defaults.max_threshold) + c->queueing.jitter;
}

void
psp_poise_decrease (Poise * c, double factor, PspReason reason, PspDecision * d)
{
  c->rate *= factor;
  c->decreased_at = c->now;
  d->reason = reason;
}

void
psp_poise_enter_delay (Poise * c)
{
  c->mode = POISE_DELAY;
  c->decreased_at = -INFINITY;
  c->stands_since = -1;
  c->disturbed = true;
  c->regained = 0;
}

static void
increase (Poise * c, double standing, double dt)
{
  const double *p = c->base.parameters;
  double room = 1 - standing / c->threshold;

  /* Flows that contend give way each time they have grown by as much. */
  if (c->now - c->decreased_at > defaults.free_after * (1 - p[DECREASE])
      / p[INCREASE] * sqrt (c->rate / defaults.scale_rate)
      && room > defaults.free_room)
    c->rate += p[GROWTH] * c->rate * room * dt;
  else
    c->rate += p[INCREASE] * sqrt (c->rate * defaults.scale_rate)
        * psp_poise_clamp (room / defaults.free_room, -1, 1) * dt;
}

/* Returns the growth of C, of `increase`, that trains do not show: the last few
 * per cent of the capacity, and more where marks limit their pace. Among others'
 * packets a train shows its part of what passes, which would stay as it is. */
static double
unseen_growth (const Poise * c)
{
  if (c->now - c->among_others_at < defaults.contended_memory)
    return defaults.contended_growth;
  return psp_poise_is_marked_often (c) ? defaults.marked_growth :
      defaults.unseen_growth;
}

static void
run_delay (Poise * c, double dt, double acknowledged, PspDecision * d)
{
  const double *p = c->base.parameters;
  double standing = psp_queueing_standing (&c->queueing);
  double at_cap, since;

  psp_poise_follow_bursts (c);
  at_cap = defaults.at_cap * p[HEADROOM] * c->capacity;
  since = c->now - c->decreased_at;
  /* At the cap the capacity decides, unless that does not help. */
  if (c->rate < at_cap)
    c->capped_since = c->now;
  if (psp_queueing_others (&c->queueing) <= c->threshold)
    increase (c, standing, dt);
  else if (since > fmax (psp_poise_loop (c) + defaults.margin,
          defaults.min_interval)
      && !(c->now - c->settled_at < defaults.settle)
      && (c->rate < at_cap || c->now - c->capped_since
          > 2 * psp_poise_loop (c) + defaults.cap_time))
    psp_poise_decrease (c, p[DECREASE], PSP_REASON_DELAY, d);
  psp_poise_follow_marks (c, acknowledged);
  /* An idle source shows nothing. */
  if (c->rate > at_cap && standing < defaults.unseen_queue * c->threshold
      && psp_poise_received_rate (c, POISE_RECEIVED_SPAN)
      > defaults.in_use * c->rate)
    c->capacity += unseen_growth (c) * p[INCREASE]
        * sqrt (c->capacity * defaults.scale_rate) * dt;
  c->before = fmax (c->rate, c->before * (1 - dt / defaults.use_memory));
  psp_poise_follow_standing (c);
  psp_poise_start_again (c);
  if (c->mode == POISE_DELAY)
    c->rate = fmin (fmin (c->rate, c->loss_test.limit),
        p[HEADROOM] * c->capacity);
}

/* Returns the rate of IP packets that carry this rate of payload. */
static double
ip_rate (const Poise * c, double payload)
{
  return payload * psp_poise_packet_bits (c)
      / psp_controller_mean_bits (&c->base);
}

/* Returns the largest R that is proved, because silence shows no capacity. R
 * may be as much as the application asks for if trains have shown that lately.
 * With an unproved_bitrate of 0 it asks for all that they have shown. */
static double
proved_rate (const Poise * c)
{
  const PspLimits *l = &c->base.limits;
  double proved = fmax (defaults.proved * c->received.peak,
      defaults.proved_rate), asked = INFINITY;

  if (l->unproved_bitrate > 0)
    asked = ip_rate (c, (double) MAX (l->unproved_bitrate, l->start_bitrate));
  if (c->now - c->trained_at > c->base.parameters[DELAY_LIFE])
    return proved;
  return fmax (proved, fmin (asked, c->verified));
}

static void
poise_init (PspController * base, int64_t now, PspDecision * d)
{
  Poise *c = (Poise *) base;
  double start = (double) base->limits.start_bitrate;

  psp_queueing_init (&c->queueing);
  psp_trains_init (&c->trains);
  psp_delay_init (&c->rtt);
  psp_flight_init (&c->flight, base->mean_size);
  psp_loss_test_init (&c->loss_test);
  psp_competition_init (&c->competition, base->parameters[DIP_INTERVAL]);
  c->rate =
      psp_poise_clamp (start > 0 ? start : POISE_START_RATE, POISE_MIN_RATE,
      POISE_MAX_RATE);
  c->capacity = c->rate;
  c->now = c->bucket_at = c->trained_at = (double) now *1e-9;
  psp_received_rate_init (&c->received, c->now);
  c->received.peak = ip_rate (c, (double) base->in_use_bitrate);
  c->decreased_at = c->overflowed_at = c->settled_at = -INFINITY;
  c->among_others_at = -INFINITY;
  c->marked_at = c->marks_at = -INFINITY;
  c->base_before = c->longer_base = c->mistaken_at = -INFINITY;
  c->lost_at = c->calm.since = c->calm.until = -INFINITY;
  c->limited_at = c->received_at = c->now;
  c->stands_since = -1;
  psp_poise_publish (c, d);
}

/* Leaves a pause without arrivals out of the time for which a queue stands: the
 * effect of giving way does not show in it. A round trip is no pause, because a
 * window may let packets go only once in it. */
static void
follow_silence (Poise * c)
{
  double gap = c->now - c->received_at;

  if (c->stands_since >= 0
      && gap > fmax (defaults.pause, defaults.missed
          * fmax (c->hold, c->rtt.smoothed * 1e-9))) {
    c->stands_since += gap;
    psp_sawtooth_begin (&c->sawtooth);
  }
  c->received_at = c->now;
}

static void
poise_on_limits (PspController * base, int64_t now, PspDecision * d)
{
  Poise *c = (Poise *) base;

  (void) now;
  (void) d;
  psp_competition_set_interval (&c->competition,
      base->parameters[DIP_INTERVAL]);
}

static void
poise_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Poise *c = (Poise *) base;
  double now = (double) report->now * 1e-9, acknowledged;
  double dt = psp_poise_clamp (now - c->now, 0, defaults.longest_step);

  /* After a silence, in which not even losses were presumed, a queue may
   * consist of packets that had to wait for the path. */
  if (now - c->now > fmax (defaults.settle, defaults.missed * c->hold))
    c->settled_at = now;
  c->now = now;
  /* Presumed losses are no reports. */
  if (report->n_received > 0) {
    psp_received_rate_advance (&c->received, now);
    follow_silence (c);
  }
  if (report->n_received + report->n_recovered > 0) {
    c->sent_unanswered = -INFINITY;
    c->answer_late = false;
  }
  psp_flight_report (&c->flight, report, base->mean_size);
  acknowledged = psp_poise_take_arrivals (c, report, dt);
  c->threshold = psp_poise_threshold_at (c, c->rate);
  psp_poise_answer_signals (c, report, dt, d);
  if (c->mode == POISE_DELAY)
    run_delay (c, dt, acknowledged, d);
  else if (c->mode == POISE_COMPETE)
    psp_poise_run_compete (c, report, dt, acknowledged);
  else if (report->n_received > 0)
    psp_poise_run_start (c, dt);
  /* Presumed losses do not limit a start that was never answered. */
  if (c->mode != POISE_COMPETE && c->sent_unanswered < 0)
    c->rate = fmin (c->rate, proved_rate (c));
  c->rate = psp_poise_clamp (c->rate, POISE_MIN_RATE, POISE_MAX_RATE);
  c->capacity =
      psp_poise_clamp (c->capacity, POISE_MIN_RATE, POISE_MAX_RATE);
  psp_poise_publish (c, d);
}

const PspControllerClass psp_cc_poise = {
  .name = "poise",
  .size = sizeof (Poise),
  .needs_feedback = true,
  .scalable = true,
  .parameters = parameters,
  .init = poise_init,
  .on_sent = psp_poise_on_sent,
  .on_feedback = poise_on_feedback,
  .on_limits = poise_on_limits,
};
