/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "media-scaling": Chung and Claypool, "Better-Behaved, Better-Performing
 * Multimedia Networking", Euromedia 2000, section 2. There are five scales, of
 * which the application makes five rates. The scale rises by one after a round
 * trip without loss, and halves at a loss. Nothing is paced and no window is
 * held: the source slows down.
 *
 * The paper's receiver decides; here the sender does, from the same losses.
 * docs/controllers.md names every reading of what the paper leaves open.
 */
#include <control/controller.h>
#include <control/path.h>

#include <math.h>

#define N_SCALES 5              /* scales 0 to 4 */

/* The rates of the scales, 0 = those of Table 1. */
#define SCALE(i) {"scale-" #i "-bitrate", "bit/s", 0, 1e12, 0, \
    "Media rate at scale " #i "; 0 for all five is the paper's Table 1", \
    "section 2, Table 1"}
static const PspParameter parameters[] = {
  SCALE (0), SCALE (1), SCALE (2), SCALE (3), SCALE (4), {.name = NULL}
};

static const struct
{
  int64_t bitrates[N_SCALES];
  int first_scale;
  int divisor;
  int increment;
  bool ignore_stale;
  double hold;
  int64_t min_timeout;
  int64_t idle;
  double busy_share;
} defaults = {
  /* Table 1; its scales are read as 4 3 2 1 0. */
  .bitrates = {300000, 500000, 700000, 900000, 1100000},
  .first_scale = 0,             /* section 2, below Table 1 */
  .divisor = 2,                 /* section 2: "reduces its scale value to half
                                   (integer division)" */
  .increment = 1,               /* section 2: "increases the scale value by
                                   one" */
  /* This is ours; the paper's receiver cannot know it: packets that were sent
   * before the scale was halved say nothing about the new scale. */
  .ignore_stale = true,
  /* Section 2: the timeout is a round trip. Here it starts when the report
   * should have come. */
  .hold = 1,
  /* This is ours, as in scp: the paper's hosts were never late. */
  .min_timeout = 200 * PSP_MSECOND,
  /* RFC 5681 section 4.1, RFC 6298 (2.4). It is longer than "the longest
   * possible frame transmission interval" (section 2). */
  .idle = PSP_SECOND,
  /* RFC 7661 section 4.3: a rate counts as used if half of it is used. */
  .busy_share = 0.5,
};

typedef struct
{
  PspController base;
  int scale, ceiling;
  PspPath path;
  /* when the round trip without loss begins; NEVER = when a packet of `episode`
   * or later is received */
  int64_t checkpoint;
  /* losses since the checkpoint that have not been answered */
  int64_t losses;
  double bytes;                 /* bytes received since the checkpoint */
  /* The last halving already answered losses of packets before this index. */
  int64_t episode;
  int64_t decided_at;           /* PSP_TIME_UNKNOWN = no decision yet */
  int64_t last_sent;            /* index */
  /* when sending stopped; NEVER = it has not stopped */
  int64_t idle_from;
} Scaling;

static bool
has_table (const PspController * base)
{
  return base->parameters[N_SCALES - 1] > 0;
}

/* Returns the rate of a scale. It is above 0, because 0 would mean that nothing
 * may be sent. */
static int64_t
scale_bitrate (const PspController * base, int scale)
{
  int64_t bitrate = has_table (base) ? (int64_t) base->parameters[scale] :
      defaults.bitrates[scale];

  return bitrate > 0 ? bitrate : 1;
}

/* Returns the highest scale whose rate is within the bitrate, or 0 if there is
 * none. */
static int
scale_within (const PspController * base, int64_t bitrate)
{
  int scale = N_SCALES - 1;

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

/* Limits the scale by the bitrate that may be sent. */
static void
take_ceiling (Scaling * c)
{
  int64_t max = c->base.limits.max_bitrate;

  c->ceiling = has_table (&c->base) && max > 0 ?
      scale_within (&c->base, max) : N_SCALES - 1;
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

/* Halves the scale for each second of silence. The paper's receiver takes each
 * interval of silence for a loss. Silence also does not show the sender what
 * rate the network would carry. */
static void
answer_silence (Scaling * c, int64_t now, PspDecision * d)
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

  answer_silence (c, now, d);
  if (c->losses > 0 && c->path.last_rtt && may_decide (c, now))
    halve (c, now, PSP_REASON_LOSS, d);
  publish (c, d);
}

static void
scaling_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  Scaling *c = (Scaling *) base;

  answer_silence (c, sent->now, d);
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
  if (psp_result_is_congestion (r)) {
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

/* True if the source used its scale. A source that sent little proves no
 * capacity. */
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

  psp_path_add (&c->path, report, 0);
  for (i = 0; i < report->n_results; i++)
    count (c, &report->results[i], report->now);
  if (c->path.last_rtt) {
    if (c->losses == 0)
      end_round_trip (c, report->now, d);
    else if (may_decide (c, report->now))
      halve (c, report->now, psp_report_reason (report), d);
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
  .parameters = parameters,
  .init = scaling_init,
  .on_sent = scaling_on_sent,
  .on_feedback = scaling_on_feedback,
  .on_tick = scaling_on_tick,
  .on_limits = scaling_on_limits,
};
