/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "symbiosis.h"

#include "private.h"

/* ns between steps: upstream could not obey more of them. */
#define MIN_APART (20 * PSP_MSECOND)

/* Pictures per second: one picture may be unsent without TCP being behind. */
#define PICTURES 30

/* Ticks at the base without a find after which no queue is assumed, because a
 * queue shows with a delay. */
#define SURE_TICKS 3
/* Ticks at the base without a find after which no queue is assumed, if waves
 * made its signs unreliable. */
#define DOUBT_TICKS 16

/* ns. A queue is looked for at least this long, so that pictures of all types
 * are among it. */
#define LOOK (500 * PSP_MSECOND)

/* ns. Growth of the round trip between ticks that counts as a queue, however
 * large the step. */
#define MOST_GROWTH (250 * PSP_MSECOND)

const ItcpSymbiosisParams itcp_symbiosis_defaults = {
  .enabled = true,
  .alpha = 0.55,                /* Khan and Zaghal, Table 2 */
  .base_bitrate = 0,
  .min_bitrate = 100000,
  .step_bitrate = 0,
  .interval = 500 * PSP_MSECOND,        /* 15 pictures at 30 a second */
  .hold = PSP_SECOND,
  .step_back = true,
};

int64_t
itcp_symbiosis_base (const ItcpSymbiosis * s)
{
  return s->params.base_bitrate > 0 ? s->params.base_bitrate : s->measured;
}

bool
itcp_symbiosis_is_known (const ItcpSymbiosis * s)
{
  return itcp_symbiosis_base (s) > 0;
}

static int64_t
step (const ItcpSymbiosis * s)
{
  if (s->params.step_bitrate > 0)
    return s->params.step_bitrate;
  return MAX (itcp_symbiosis_base (s) / 20, 1);
}

/* Takes the parameters. They come from outside; no value may break the
 * arithmetic. */
static void
take_params (ItcpSymbiosis * s, const ItcpSymbiosisParams * params)
{
  ItcpSymbiosisParams *p = &s->params;

  *p = *params;
  p->alpha = p->alpha > 0 ? MIN (p->alpha, 1.0) : 0;    /* NaN is 0 */
  p->base_bitrate = MIN (MAX (p->base_bitrate, 0), PSP_MAX_BITRATE);
  p->min_bitrate = MIN (MAX (p->min_bitrate, 0), PSP_MAX_BITRATE);
  p->step_bitrate = MIN (MAX (p->step_bitrate, 0), PSP_MAX_BITRATE);
  p->interval = MIN (MAX (p->interval, PSP_MSECOND), ITCP_MAX_TIME);
  p->hold = MIN (MAX (p->hold, 0), ITCP_MAX_TIME);
}

void
itcp_symbiosis_look (ItcpSymbiosis * s, int64_t unsent)
{
  if (s->params.step_back && unsent > s->rate / 8 / PICTURES)
    s->behind = true;
  else
    s->kept_up = true;
}

void
itcp_symbiosis_grows (ItcpSymbiosis * s, int64_t now)
{
  if (!s->params.step_back || s->rise == 0 || s->next_step == PSP_TIME_NEVER)
    return;
  s->grows = true;
  s->next_step = MIN (s->next_step, now);
}

static void
look_anew (ItcpSymbiosis * s)
{
  s->kept_up = s->behind = s->grows = false;
}

static void
forget_queue (ItcpSymbiosis * s)
{
  itcp_queue_init (&s->queue);
  s->rise = s->taken = s->drained = 0;
  s->late = false;
  s->began = s->rate;
  s->clear = 0;
}

void
itcp_symbiosis_reset (ItcpSymbiosis * s)
{
  look_anew (s);
  s->rate = itcp_symbiosis_base (s);
  s->reason = PSP_REASON_START;
  forget_queue (s);
  s->next_step = PSP_TIME_NEVER;
  s->quiet_until = INT64_MIN;
}

void
itcp_symbiosis_init (ItcpSymbiosis * s, const ItcpSymbiosisParams * params)
{
  take_params (s, params);
  s->measured = 0;
  s->rtt = 0;
  itcp_symbiosis_reset (s);
}

/* Bounds the rate by the floor and the base. */
static void
settle (ItcpSymbiosis * s, int64_t rate)
{
  int64_t base = itcp_symbiosis_base (s);

  rate = MAX (rate, MIN (s->params.min_bitrate, base));
  s->rate = MIN (rate, base);
}

bool
itcp_symbiosis_set_params (ItcpSymbiosis * s,
    const ItcpSymbiosisParams * params, int64_t now)
{
  int64_t before = s->rate, base = itcp_symbiosis_base (s);
  bool reduced = s->next_step != PSP_TIME_NEVER;
  bool step_back = s->params.step_back;

  take_params (s, params);
  if (!reduced || !s->params.enabled) {
    itcp_symbiosis_reset (s);
  } else {
    settle (s, s->rate);
    s->next_step = MIN (s->next_step, now + MAX (s->params.hold,
            s->params.interval));
    if (step_back != s->params.step_back || base != itcp_symbiosis_base (s))
      forget_queue (s);
  }
  s->reason = PSP_REASON_LIMIT;
  return s->rate != before;
}

bool
itcp_symbiosis_set_measured (ItcpSymbiosis * s, int64_t bitrate)
{
  int64_t before = s->rate;
  bool at_base = s->rate >= itcp_symbiosis_base (s);

  s->measured = MIN (MAX (bitrate, 0), PSP_MAX_BITRATE);
  settle (s, at_base ? INT64_MAX : s->rate);
  return s->rate != before;
}

void
itcp_symbiosis_set_rtt (ItcpSymbiosis * s, int64_t rtt)
{
  s->rtt = MIN (MAX (rtt, 0), ITCP_MAX_TIME);
  itcp_queue_look (&s->queue, s->rtt);
}

static void
be_quiet (ItcpSymbiosis * s, int64_t now)
{
  s->quiet_until = now + MAX (s->rtt, MIN_APART);
}

static int64_t
lowered (const ItcpSymbiosis * s)
{
  return (int64_t) ((double) s->rate * s->params.alpha);
}

static void
lower (ItcpSymbiosis * s)
{
  settle (s, lowered (s));
  forget_queue (s);
}

bool
itcp_symbiosis_event (ItcpSymbiosis * s, PspReason reason, int64_t now)
{
  int64_t before = s->rate;

  if (!s->params.enabled || !itcp_symbiosis_is_known (s))
    return false;
  /* A hold time shorter than the interval does not allow an earlier step. */
  s->next_step = now + MAX (s->params.hold, s->params.interval);
  be_quiet (s, now);
  look_anew (s);
  lower (s);
  s->reason = reason;
  if (s->rate == itcp_symbiosis_base (s))
    s->next_step = PSP_TIME_NEVER;
  return s->rate != before;
}

/* Asks for the verdict on the queue. A rate one step above what the network
 * carries leaves step / rate of each interval in the network's queue; half of
 * that counts. */
static ItcpQueueVerdict
ask_queue (ItcpSymbiosis * s)
{
  double left = (double) s->params.interval * (double) step (s)
      / (double) MAX (s->rate, 1);

  if (!s->params.step_back)
    return ITCP_QUEUE_CLEAR;
  return itcp_queue_tick (&s->queue, s->rise > 0,
      s->rate >= itcp_symbiosis_base (s),
      (int64_t) MIN (left / 2, (double) MOST_GROWTH));
}

/* Returns the rise in bits/s that led to a queue. */
static int64_t
risen (const ItcpSymbiosis * s)
{
  int64_t most = (ITCP_QUEUE_MOST_STEPS - 1) * step (s);

  if (s->drained == 0)
    return s->rise;
  return MAX (s->rise, MIN (s->rate - s->drained, most));
}

/* Takes back no more than an event would, and hardly below the rate where the
 * rise began: growth caused by other flows must not lower the rate further each
 * time. */
static void
take_back (ItcpSymbiosis * s, int64_t bitrate)
{
  int64_t before = s->rate, least = MAX (lowered (s), s->began - 2 * step (s));

  settle (s, MAX (s->rate - bitrate, MIN (least, s->rate)));
  s->taken += before - s->rate;
}

static void
step_up (ItcpSymbiosis * s, int64_t intervals)
{
  int64_t missing = (itcp_symbiosis_base (s) - s->rate) / step (s) + 1;

  settle (s, s->rate + MIN (intervals, missing) * step (s));
}

/* Steps up if nothing is wrong; a late tick makes up for lost time. At the base
 * it waits first, because queues in the network hide for a while that TCP is
 * behind. */
static void
climb (ItcpSymbiosis * s, int64_t intervals)
{
  unsigned enough = itcp_queue_doubts (&s->queue) ? DOUBT_TICKS : SURE_TICKS;

  if (s->rate < itcp_symbiosis_base (s)) {
    s->clear = 0;
    step_up (s, intervals);
  } else if (s->behind || s->queue.ignored > 0) {
    s->clear = 0;
  } else if (++s->clear >= enough || !s->params.step_back) {
    forget_queue (s);
    s->next_step = PSP_TIME_NEVER;
  }
}

/* Returns the reason for a change of the rate. */
static PspReason
change (ItcpSymbiosis * s, int64_t intervals)
{
  ItcpQueueVerdict verdict = ask_queue (s);

  if (s->queue.drained)
    s->drained = s->rate;
  if (s->grows || (s->behind && !s->kept_up)) {
    lower (s);
    return PSP_REASON_BACKLOG;
  }
  switch (verdict) {
    case ITCP_QUEUE_GREW:
      s->taken = 0;
      take_back (s, risen (s) + step (s));
      return PSP_REASON_DELAY;
    case ITCP_QUEUE_GROWS:
      take_back (s, step (s));
      return PSP_REASON_DELAY;
    case ITCP_QUEUE_OTHERS:
      settle (s, s->rate + s->taken);
      s->taken = 0;
      break;
    case ITCP_QUEUE_CLEAR:
      climb (s, intervals);
      break;
    case ITCP_QUEUE_DRAINS:
      break;
  }
  return PSP_REASON_INCREASE;
}

/* Returns true in the second half of an interval, but at least for LOOK before
 * its end: a queue shows then. */
static bool
is_late (const ItcpSymbiosis * s, int64_t now)
{
  return now >= s->next_step - MAX (s->params.interval / 2, LOOK);
}

bool
itcp_symbiosis_tick (ItcpSymbiosis * s, int64_t now)
{
  int64_t before = s->rate;
  PspReason reason;
  int64_t n;

  if (s->next_step == PSP_TIME_NEVER)
    return false;
  if (!s->late && is_late (s, now)) {
    s->late = true;
    if (s->drained > 0)         /* not before the first step */
      itcp_queue_look_anew (&s->queue);
  }
  if (now < itcp_symbiosis_next (s))
    return false;
  if (s->grows)                 /* due once it may be announced */
    s->next_step = MAX (s->next_step, s->quiet_until);
  n = 1 + (now - s->next_step) / s->params.interval;
  s->next_step += n * s->params.interval;
  reason = change (s, n);
  if (s->rate != before) {
    s->reason = reason;
    s->rise = MAX (s->rate - before, 0);
  }
  /* a look's result is as old as its round trip */
  be_quiet (s, now);
  look_anew (s);
  s->late = is_late (s, now);
  return s->rate != before;
}

void
itcp_symbiosis_decide (const ItcpSymbiosis * s, PspDecision * d)
{
  *d = (PspDecision) {
  .window = PSP_WINDOW_NONE};
  d->target_bitrate = itcp_symbiosis_is_known (s) ? s->rate :
      PSP_BITRATE_UNKNOWN;
  d->scale = -1;
  d->reason = s->reason;
  d->next_tick = itcp_symbiosis_next (s);
}
