/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "media-scaling": Chung and Claypool, "Better-Behaved, Better-Performing
 * Multimedia Networking", Euromedia 2000, section 2. Five scales, of which the
 * application makes five rates: one up after a round trip without loss, half at
 * a loss. Nothing is paced and no window is held: the source is what slows
 * down.
 *
 * The paper's receiver decides; here the sender does, from the same losses.
 * docs/controllers.md names every reading of what the paper leaves open.
 */
#include "controller.h"
#include "estimators.h"

#include <math.h>

static const struct
{
  int64_t bitrates[PSP_SCALES];
  int first_scale;
  int divisor;
  int increment;
  bool ignore_stale;
  double hold;
  int64_t min_timeout;
  int64_t idle;
  double busy_share;
} defaults = {
  .bitrates = {300000, 500000, 700000, 900000, 1100000},        /* Table 1, its
                                                                   scales read as 4 3 2 1 0 */
  .first_scale = 0,             /* section 2, below Table 1 */
  .divisor = 2,                 /* section 2: "reduces its scale value to half
                                   (integer division)" */
  .increment = 1,               /* section 2: "increases the scale value by
                                   one" */
  /* Ours; the paper's receiver cannot tell: what was sent before the scale was
   * halved says nothing about the new one. */
  .ignore_stale = true,
  .hold = 1,                    /* section 2: the timeout is a round trip, here
                                   beyond when news was to be expected */
  .min_timeout = 200 * PSP_MSECOND,     /* ours, as scp's: the paper's hosts
                                           were never late */
  .idle = PSP_SECOND,           /* RFC 5681 section 4.1, RFC 6298 (2.4); above
                                   "the longest possible frame transmission
                                   interval" (section 2) */
  .busy_share = 0.5,            /* RFC 7661 section 4.3: half in use counts as
                                   in use */
};

typedef struct
{
  PspController base;
  int scale, ceiling;
  PspPath path;
  int64_t checkpoint;           /* the round trip without loss begins; NEVER =
                                   when a packet of `episode` or later is
                                   received */
  int64_t losses;               /* since, and not yet answered */
  double bytes;                 /* received since */
  int64_t episode;              /* losses of packets before this index are of
                                   the past: the last halving answered them */
  int64_t decided_at;           /* PSP_TIME_UNKNOWN = not yet */
  int64_t last_sent;            /* index */
  int64_t idle_from;            /* nothing was sent since; NEVER = not yet */
} Scaling;

static bool
has_table (const PspController * base)
{
  return base->limits.scale_bitrates[PSP_SCALES - 1] > 0;
}

/* Above 0, which would mean that nothing may be sent. */
static int64_t
scale_bitrate (const PspController * base, int scale)
{
  int64_t bitrate = has_table (base) ? base->limits.scale_bitrates[scale] :
      defaults.bitrates[scale];

  return bitrate > 0 ? bitrate : 1;
}

/* The highest scale within a bitrate; 0 where none is. */
static int
scale_within (const PspController * base, int64_t bitrate)
{
  int scale = PSP_SCALES - 1;

  while (scale > 0 && scale_bitrate (base, scale) > bitrate)
    scale--;
  return scale;
}

static int64_t
round_trip (const Scaling * c)
{
  return (int64_t) c->path.rtt.smoothed;
}

static bool
may_decide (const Scaling * c, int64_t now)
{
  return c->decided_at == PSP_TIME_UNKNOWN
      || now - c->decided_at >= round_trip (c);
}

static void
publish (Scaling * c, PspDecision * d)
{
  int64_t at = PSP_TIME_NEVER;

  d->scale = c->scale;
  d->target_bitrate = scale_bitrate (&c->base, c->scale);
  if (c->path.last_rtt)
    d->loss_timeout = (int64_t) fmax (psp_delay_timeout (&c->path.delay)
        + defaults.hold * c->path.rtt.smoothed, (double) defaults.min_timeout);
  if (c->idle_from != PSP_TIME_NEVER && c->scale > 0)
    at = c->idle_from + defaults.idle;
  if (c->losses > 0 && c->path.last_rtt && c->decided_at + round_trip (c) < at)
    at = c->decided_at + round_trip (c);
  d->next_tick = at;
}

static void
set_scale (Scaling * c, int scale, PspReason reason, PspDecision * d)
{
  if (scale > c->ceiling)
    scale = c->ceiling;
  if (scale != c->scale)
    d->reason = reason;
  c->scale = scale;
}

/* The scale ends where its bitrate would exceed what may be sent. */
static void
take_ceiling (Scaling * c)
{
  int64_t max = c->base.limits.max_bitrate;

  c->ceiling = has_table (&c->base) && max > 0 ?
      scale_within (&c->base, max) : PSP_SCALES - 1;
}

static void
begin_round_trip (Scaling * c, int64_t now)
{
  c->checkpoint = now;
  c->bytes = 0;
}

static void
scaling_init (PspController * base, int64_t now, PspDecision * d)
{
  Scaling *c = (Scaling *) base;
  int64_t start = base->limits.start_bitrate;

  take_ceiling (c);
  c->scale = start > 0 ? scale_within (base, start) : defaults.first_scale;
  set_scale (c, c->scale, PSP_REASON_START, d);
  psp_path_init (&c->path);
  begin_round_trip (c, now);
  c->decided_at = PSP_TIME_UNKNOWN;
  c->last_sent = -1;
  c->idle_from = PSP_TIME_NEVER;
  publish (c, d);
}

static void
halve (Scaling * c, int64_t now, PspReason reason, PspDecision * d)
{
  set_scale (c, c->scale / defaults.divisor, reason, d);
  c->decided_at = now;
  c->losses = 0;
  begin_round_trip (c, now);
  if (defaults.ignore_stale) {
    c->episode = c->last_sent + 1;
    c->checkpoint = PSP_TIME_NEVER;
  }
}

/* To the paper's receiver, silence is a loss, again and again; nor does it tell
 * the sender what the network would carry. */
static void
heed_silence (Scaling * c, int64_t now, PspDecision * d)
{
  int64_t times;

  if (c->idle_from == PSP_TIME_NEVER || now - c->idle_from < defaults.idle)
    return;
  times = (now - c->idle_from) / defaults.idle;
  c->idle_from += times * defaults.idle;
  do
    halve (c, now, PSP_REASON_LIMIT, d);
  while (--times > 0 && c->scale > 0);
}

static void
scaling_on_tick (PspController * base, int64_t now, PspDecision * d)
{
  Scaling *c = (Scaling *) base;

  heed_silence (c, now, d);
  if (c->losses > 0 && c->path.last_rtt && may_decide (c, now))
    halve (c, now, PSP_REASON_LOSS, d);
  publish (c, d);
}

static void
scaling_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  Scaling *c = (Scaling *) base;

  heed_silence (c, sent->now, d);
  if (c->idle_from == PSP_TIME_NEVER)
    begin_round_trip (c, sent->now);
  c->idle_from = sent->now;
  c->last_sent = sent->index;
  publish (c, d);
}

static void
count (Scaling * c, const PspPacketResult * r, int64_t now)
{
  if (r->index < c->episode)
    return;
  /* RFC 3168 section 5: a mark is answered as a loss is. */
  if (r->outcome == PSP_OUTCOME_LOST || r->ecn == PSP_ECN_CE) {
    c->losses++;
  } else if (r->outcome == PSP_OUTCOME_RECOVERED) {
    if (c->losses > 0)
      c->losses--;
  } else {
    c->bytes += r->size;
    if (c->checkpoint == PSP_TIME_NEVER)
      begin_round_trip (c, now);
  }
}

/* Did the source use its scale? Silence is not capacity. */
static bool
used (const Scaling * c, int64_t now)
{
  if (c->bytes <= 0 || !has_table (&c->base))
    return c->bytes > 0;
  return 8 * c->bytes * PSP_SECOND >= defaults.busy_share
      * (double) scale_bitrate (&c->base, c->scale)
      * (double) (now - c->checkpoint);
}

static void
end_round_trip (Scaling * c, int64_t now, PspDecision * d)
{
  if (c->checkpoint == PSP_TIME_NEVER || now - c->checkpoint < round_trip (c))
    return;
  if (used (c, now) && c->scale < c->ceiling) {
    set_scale (c, c->scale + defaults.increment, PSP_REASON_INCREASE, d);
    c->decided_at = now;
  }
  begin_round_trip (c, now);
}

static void
scaling_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Scaling *c = (Scaling *) base;
  size_t i;

  psp_path_add (&c->path, report);
  for (i = 0; i < report->n_results; i++)
    count (c, &report->results[i], report->now);
  if (c->path.last_rtt) {
    if (c->losses == 0)
      end_round_trip (c, report->now, d);
    else if (may_decide (c, report->now))
      halve (c, report->now, report->timeout ? PSP_REASON_TIMEOUT :
          report->n_lost == 0 && report->n_ce ? PSP_REASON_ECN :
          PSP_REASON_LOSS, d);
  }
  publish (c, d);
}

static void
scaling_on_limits (PspController * base, int64_t now, PspDecision * d)
{
  Scaling *c = (Scaling *) base;
  int64_t before = d->target_bitrate;

  (void) now;
  take_ceiling (c);
  set_scale (c, c->scale, PSP_REASON_LIMIT, d);
  publish (c, d);
  if (d->target_bitrate != before)
    d->reason = PSP_REASON_LIMIT;
}

const PspControllerClass psp_cc_media_scaling = {
  .name = "media-scaling",
  .size = sizeof (Scaling),
  .needs_feedback = true,
  .init = scaling_init,
  .on_sent = scaling_on_sent,
  .on_feedback = scaling_on_feedback,
  .on_tick = scaling_on_tick,
  .on_limits = scaling_on_limits,
};
