/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "symbiosis.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define MAX_BITRATE INT64_C(1000000000000)
#define MAX_TIME (3600 * ITCP_SECOND)
#define MIN_APART (20 * ITCP_MSECOND)
#define PICTURES 30             /* a second: one may be on its way */

const ItcpSymbiosisParams itcp_symbiosis_defaults = {
  .enabled = true,
  .alpha = 0.55,                /* Khan and Zaghal, Table 2 */
  .base_bitrate = 0,
  .min_bitrate = 100000,
  .step_bitrate = 0,
  .interval = 500 * ITCP_MSECOND,       /* 15 pictures at 30 a second */
  .hold = ITCP_SECOND,
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

/* Settings come from outside; no value of theirs may break the arithmetic. */
static void
take_params (ItcpSymbiosis * s, const ItcpSymbiosisParams * params)
{
  ItcpSymbiosisParams *p = &s->params;

  *p = *params;
  p->alpha = p->alpha > 0 ? MIN (p->alpha, 1.0) : 0;    /* NaN is 0 */
  p->base_bitrate = MIN (MAX (p->base_bitrate, 0), MAX_BITRATE);
  p->min_bitrate = MIN (MAX (p->min_bitrate, 0), MAX_BITRATE);
  p->step_bitrate = MIN (MAX (p->step_bitrate, 0), MAX_BITRATE);
  p->interval = MIN (MAX (p->interval, ITCP_MSECOND), MAX_TIME);
  p->hold = MIN (MAX (p->hold, 0), MAX_TIME);
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
  if (!s->params.step_back || !s->rose || s->next_step == ITCP_TIME_NEVER)
    return;
  s->grows = true;
  s->next_step = MIN (s->next_step, now);
}

static void
look_anew (ItcpSymbiosis * s)
{
  s->kept_up = s->behind = s->grows = false;
}

void
itcp_symbiosis_reset (ItcpSymbiosis * s)
{
  look_anew (s);
  s->rose = false;
  s->rate = itcp_symbiosis_base (s);
  s->next_step = ITCP_TIME_NEVER;
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

/* Bounds the rate. */
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
  int64_t before = s->rate;
  bool reduced = s->next_step != ITCP_TIME_NEVER;

  take_params (s, params);
  if (!reduced || !s->params.enabled) {
    itcp_symbiosis_reset (s);
  } else {
    settle (s, s->rate);
    if (s->rate < itcp_symbiosis_base (s))
      s->next_step = MIN (s->next_step, now + MAX (s->params.hold,
              s->params.interval));
    else
      s->next_step = ITCP_TIME_NEVER;
  }
  return s->rate != before;
}

bool
itcp_symbiosis_set_measured (ItcpSymbiosis * s, int64_t bitrate)
{
  int64_t before = s->rate;
  bool at_base = s->rate >= itcp_symbiosis_base (s);

  s->measured = MIN (MAX (bitrate, 0), MAX_BITRATE);
  settle (s, at_base ? INT64_MAX : s->rate);
  return s->rate != before;
}

void
itcp_symbiosis_set_rtt (ItcpSymbiosis * s, int64_t rtt)
{
  s->rtt = MIN (MAX (rtt, 0), MAX_TIME);
}

static void
be_quiet (ItcpSymbiosis * s, int64_t now)
{
  s->quiet_until = now + MAX (s->rtt, MIN_APART);
}

bool
itcp_symbiosis_event (ItcpSymbiosis * s, int64_t now)
{
  int64_t before = s->rate;

  if (!s->params.enabled || !itcp_symbiosis_is_known (s))
    return false;
  /* A hold time shorter than the interval is no reason to step sooner. */
  s->next_step = now + MAX (s->params.hold, s->params.interval);
  be_quiet (s, now);
  look_anew (s);
  s->rose = false;
  settle (s, (int64_t) ((double) s->rate * s->params.alpha));
  if (s->rate == itcp_symbiosis_base (s))
    s->next_step = ITCP_TIME_NEVER;
  return s->rate != before;
}

bool
itcp_symbiosis_tick (ItcpSymbiosis * s, int64_t now)
{
  int64_t before = s->rate;
  int64_t n, missing;

  if (s->next_step == ITCP_TIME_NEVER || now < itcp_symbiosis_next (s))
    return false;
  if (s->grows)                 /* due when it may be told */
    s->next_step = MAX (s->next_step, s->quiet_until);
  n = 1 + (now - s->next_step) / s->params.interval;
  s->next_step += n * s->params.interval;
  if (s->grows || (s->behind && !s->kept_up)) {
    settle (s, (int64_t) ((double) s->rate * s->params.alpha));
  } else if (s->rate >= itcp_symbiosis_base (s)) {
    /* Not yet where some looks found it behind: queues in the network hide for
     * a while that it is. */
    if (!s->behind)
      s->next_step = ITCP_TIME_NEVER;
  } else {
    /* The rise is one in time: a tick that comes late makes up for it. */
    missing = (itcp_symbiosis_base (s) - s->rate) / step (s) + 1;
    settle (s, s->rate + MIN (n, missing) * step (s));
  }
  if (s->rate != before) {
    s->rose = s->rate > before;
    be_quiet (s, now);
  }
  look_anew (s);
  return s->rate != before;
}
