/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "scp": the Streaming Control Protocol of Cen, Pu and Walpole, "Flow and
 * Congestion Control for Internet Media Streaming Applications", SPIE 3310,
 * 1998, section 2. Once the path is full, the window is what the path holds at
 * the rate of acknowledgements, plus W_Δ packets that queue in it. So the delay
 * stays low however deep the buffers are.
 *
 * docs/controllers.md names every reading of what the paper leaves open, and
 * every place where this departs from it: batched reports, sources that are
 * idle between frames, time-outs.
 */
#include <control/controller.h>
#include <control/drain.h>
#include <control/pipe.h>

#include <math.h>

enum
{
  LIFE
};

static const PspParameter parameters[] = {
  [LIFE] = PSP_LIFE_PARAMETER,
  {.name = NULL}
};

static const struct
{
  double increment, backoff;
  double min_window, max_window, start_window, cautious_growth;
  int64_t min_queueing;
  double queue_share, use;
  int64_t pause_after;
  double headroom;
  double drained;
} defaults = {
  .increment = 3,               /* W_Δ: section 5 */
  .backoff = 0.5,               /* section 2.2 */
  .min_window = 1,              /* section 2.2, initialization */
  /* L: section 2.2 gives no number. This is half of the packets that the
   * history remembers. */
  .max_window = 8192,
  /* RFC 6928. This applies when a start bitrate is given. */
  .start_window = 10,
  .cautious_growth = 0.25,      /* RFC 9406 section 4.3, CSS_GROWTH_DIVISOR */
  .min_queueing = 4 * PSP_MSECOND,      /* RFC 9406 4.3, MIN_RTT_THRESH */
  /* This is ours, a share of W_Δ: packets that are in flight when the queue is
   * detected add the rest. */
  .queue_share = 0.5,
  /* RFC 7661 section 4.3: a window must not grow if less than this share of it
   * was used lately. */
  .use = 0.5,
  /* RFC 5681 section 4.1: the sender is idle for more than one RTO, whose
   * minimum is in RFC 6298 (2.4). */
  .pause_after = PSP_SECOND,
  /* This is ours: a queue in the sender can drain. */
  .headroom = 0.95,
  .drained = 0.5,               /* BBR's ProbeRTTCwndGain */
};

/* The states of Table 1. */
typedef enum
{
  SCP_PAUSED,
  SCP_SLOW_START,
  SCP_STEADY,
  SCP_CONGESTED
} ScpState;

typedef struct
{
  PspController base;
  ScpState state;
  bool cautious;                /* slow start is near its end */
  double window;                /* W_l, packets */
  double threshold;             /* W_ss, packets */
  PspPipe pipe;                 /* r̂, T_brtt, T_rtt, rto */
  int64_t last_sent;            /* index */
  /* The last back-off already answered losses of packets before this index. */
  int64_t episode;
  double undo_window;           /* W_l before the last back-off */
  /* losses that led to the last back-off and have not been disproved */
  int64_t undo_losses;
  /* when the last packet in flight was decided; PSP_TIME_NEVER = some are in
   * flight */
  int64_t idle_since;
  int64_t paused_at;
  PspDrain drain;
} Scp;

/* These values are computed once per report, so that a packet costs no division
 * in the steady state. */
typedef struct
{
  size_t acknowledged;          /* packets acknowledged in the steady state */
  double base_rtt;              /* ns */
  double queued;                /* ns that the newest packet waited in queues */
  /* W_l grows only while it is below this; packets */
  double growth_limit;
} Round;

/* Windows are compared in whole packets: a rounding error such as 7 − 1e-15
 * must count as 7. */
static const double rounding = 1e-6;

static double
whole (double window)
{
  return floor (window + rounding);
}

static double
bounded_window (double window)
{
  return fmin (fmax (window, defaults.min_window), defaults.max_window);
}

/* Returns the round trip in the network, above 0. In slow start the smoothed
 * round trip lags behind a window that doubles. */
static double
round_trip (const Scp * c)
{
  const PspPath *path = &c->pipe.path;
  double rtt = fmax (path->rtt.smoothed, psp_path_base_rtt (path));

  if (c->state == SCP_SLOW_START)
    return fmax (rtt, (double) path->last_rtt);
  return rtt;
}

/* Returns how many packets have arrived and wait at the receiver until a report
 * is due. The paper's receiver acknowledges each packet at once, so these
 * packets are no longer in the network, which is what W_l bounds. */
static double
waiting (const Scp * c)
{
  double rate = psp_pipe_rate (&c->pipe);

  if (c->pipe.path.last_rtt == 0)
    return 0;
  if (rate <= 0)
    rate = c->window * PSP_SECOND / round_trip (c);
  return fmin (rate * c->pipe.path.hold / PSP_SECOND, defaults.max_window);
}

/* Returns the limit below which W_l may grow, in packets. A larger window would
 * not have been used enough. */
static double
growth_limit (const Scp * c)
{
  return floor (psp_pipe_peak (&c->pipe) / defaults.use) + 1 - rounding
      - waiting (c);
}

/* Returns the rate for the media in packets/s. The path carries one window per
 * round trip. While nothing queues, that rate is above r̂ by W_Δ per base round
 * trip. The excess suits probing with packets, but an encoder cannot follow it.
 * The media therefore gets r̂, unless r̂ only repeats the rate that the encoder
 * sends. */
static double
media_rate (const Scp * c)
{
  double rate = psp_pipe_rate (&c->pipe);
  double passes = (c->window + waiting (c) / 2) * PSP_SECOND / round_trip (c);

  if (c->state != SCP_STEADY || rate <= 0
      || psp_arrival_rate_limited (&c->pipe.rate))
    return passes;
  return defaults.headroom * fmin (rate, passes);
}

/* Publishes how many packets may be in flight if the next ones have the mean
 * size. */
static void
publish_window (const Scp * c, PspDecision * d)
{
  double window = c->window, fits;

  if (psp_drain_is_on (&c->drain))
    window = defaults.drained * (window - defaults.increment);
  fits = window + waiting (c) - psp_flight_excess (&c->pipe.flight);

  d->window = (int64_t) fmax (whole (fits), defaults.min_window);
}

/* Packets are paced no faster than W_l / T_brtt (section 2). Pacing goes by
 * size, because a link carries small packets faster. The gap is never longer
 * than at W_l = 1. */
static void
publish (Scp * c, PspDecision * d)
{
  int64_t old = d->target_bitrate;

  d->loss_timeout = psp_pipe_timeout (&c->pipe);
  publish_window (c, d);
  if (c->pipe.path.last_rtt == 0)
    return;
  d->period = (int64_t) (psp_pipe_base_rtt (&c->pipe) / c->window);
  d->longest_slot = (int64_t) psp_pipe_base_rtt (&c->pipe);
  d->target_bitrate =
      psp_controller_bitrate (&c->base, PSP_SECOND / media_rate (c));
  if (c->state != SCP_CONGESTED && d->target_bitrate != old)
    d->reason = d->target_bitrate > old ? PSP_REASON_INCREASE :
        PSP_REASON_DELAY;
}

/* The rest of the state is 0 at the start. */
static void
scp_init (PspController * base, int64_t now, PspDecision * d)
{
  Scp *c = (Scp *) base;
  int64_t start = base->limits.start_bitrate;

  c->state = SCP_PAUSED;
  c->window = start > 0 ? defaults.start_window : defaults.min_window;
  c->threshold = defaults.max_window;
  psp_pipe_init (&c->pipe, base->mean_size);
  c->last_sent = -1;
  c->idle_since = PSP_TIME_NEVER;
  c->paused_at = PSP_TIME_UNKNOWN;
  psp_drain_init (&c->drain, now);
  if (start > 0) {
    d->period = psp_controller_period (base, start);
    d->target_bitrate = start;
  }
  publish (c, d);
}

/* Changes from Paused to slowStart: W_l is halved for every T_brtt of the
 * pause. */
static void
resume (Scp * c, int64_t now)
{
  double rtt = psp_pipe_base_rtt (&c->pipe), halvings = 0;

  if (c->paused_at != PSP_TIME_UNKNOWN && rtt > 0)
    halvings = fmin ((double) (now - c->paused_at) / rtt, 64);
  c->window = bounded_window (ldexp (c->window, -(int) halvings));
  psp_arrival_rate_init (&c->pipe.rate);
  c->state = SCP_SLOW_START;
  c->cautious = false;
}

static void
pause_if_idle (Scp * c, int64_t now)
{
  if (c->idle_since == PSP_TIME_NEVER
      || now - c->idle_since < defaults.pause_after)
    return;
  c->paused_at = c->idle_since + defaults.pause_after;
  c->idle_since = PSP_TIME_NEVER;
  c->state = SCP_PAUSED;
}

static void
scp_on_tick (PspController * base, int64_t now, PspDecision * d)
{
  Scp *c = (Scp *) base;

  pause_if_idle (c, now);
  if (c->idle_since == PSP_TIME_NEVER)
    d->next_tick = PSP_TIME_NEVER;
}

static void
scp_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  Scp *c = (Scp *) base;

  pause_if_idle (c, sent->now);
  c->idle_since = PSP_TIME_NEVER;
  d->next_tick = PSP_TIME_NEVER;
  c->last_sent = sent->index;
  psp_pipe_sent (&c->pipe, sent, base->mean_size);
  if (c->state == SCP_PAUSED) {
    resume (c, sent->now);
    publish (c, d);
  }
  publish_window (c, d);
}

/* Applies the start bitrate: the first RTT turns this rate into a window. */
static void
start_from_bitrate (Scp * c)
{
  int64_t start = c->base.limits.start_bitrate;

  if (start > 0)
    c->window = fmin (c->window, bounded_window (psp_pipe_base_rtt (&c->pipe)
            / (double) psp_controller_period (&c->base, start)));
}

/* Answers losses by section 2.2's exponential back-off. */
static void
back_off (Scp * c, const PspReport * report, int64_t losses)
{
  c->undo_window = c->window;
  c->undo_losses = losses;
  /* The window that was used was too large, not the window that was allowed
   * (RFC 7661 section 4.4.1). */
  if (c->window >= growth_limit (c))
    c->window = psp_pipe_peak (&c->pipe);
  c->window = bounded_window (c->window * defaults.backoff);
  c->threshold = c->window;
  psp_arrival_rate_init (&c->pipe.rate);
  if (report->timeout)
    psp_pipe_double_timeout (&c->pipe);
  c->episode = c->last_sent + 1;
  c->state = SCP_CONGESTED;
}

/* Takes a late report that disproves a loss. If all losses are disproved, the
 * back-off was wrong and is undone (as in RFC 4015). */
static void
disprove (Scp * c)
{
  if (c->undo_losses == 0 || --c->undo_losses > 0)
    return;
  c->window = fmax (c->window, c->undo_window);
  c->threshold = fmax (c->threshold, c->window);
  if (c->state == SCP_CONGESTED)
    c->state = SCP_STEADY;
}

/* Slow start adds one for each packet acknowledged, which doubles W_l per round
 * trip, until W_l is above Equation 1. Because r̂ is a round trip old, the path
 * may not be full then. Growth continues at a quarter, as in HyStart++ (RFC
 * 9406 section 4.2), until packets arrive more slowly than they were sent or
 * wait in a queue. */
static void
slow_start (Scp * c, double queued)
{
  double rate = psp_pipe_rate (&c->pipe);
  double sent = psp_pipe_sent_rate (&c->pipe);
  double eq1 = psp_pipe_holds (&c->pipe, rate) + defaults.increment;

  c->window = bounded_window (c->window
      + (c->cautious ? defaults.cautious_growth : 1));
  if (rate > 0 && c->window > eq1)
    c->cautious = true;
  if (c->window >= c->threshold)
    c->state = SCP_STEADY;
  else if (c->cautious && (psp_pipe_holds (&c->pipe, sent) > eq1
          || (queued > (double) defaults.min_queueing
              && queued * rate / PSP_SECOND
              > defaults.queue_share * defaults.increment)))
    c->state = SCP_STEADY;
}

/* Drains the queue of W_Δ packets that W_l keeps, when it is time. */
static void
drain (Scp * c, const PspReport * report)
{
  PspDrainInput in = {
    .now = report->now,
    .next_index = c->last_sent + 1,
    .newest_index = report->newest_index,
    .base_rtt_at = c->pipe.path.base_rtt.at,
    .life = psp_path_life (&c->pipe.path, c->base.parameters[LIFE]),
    .keeps_queue = c->state == SCP_STEADY
  };

  psp_drain_run (&c->drain, &in);
}

/* Returns how many results it used. In the steady state adjust() uses the whole
 * report. Packets that left while the queue drained show no rate. */
static size_t
acknowledge (Scp * c, const PspReport * report, size_t first, Round * round)
{
  const PspPacketResult *results = &report->results[first];
  size_t n =
      c->state == SCP_STEADY ? psp_report_received_run (report, first) : 1;

  if (c->state == SCP_CONGESTED || c->state == SCP_PAUSED)
    return 1;
  while (n > 1 && psp_drain_covers (&c->drain, results[n - 1].index)
      != psp_drain_covers (&c->drain, results[0].index))
    n--;
  if (psp_drain_covers (&c->drain, results[0].index)) {
    psp_arrival_rate_interrupt (&c->pipe.rate);
    return n;
  }
  psp_arrival_rate_add (&c->pipe.rate, results, n, round->base_rtt);
  if (c->state == SCP_STEADY)
    round->acknowledged += n;
  else if (c->window < round->growth_limit)
    slow_start (c, round->queued);
  return n;
}

/* Sets W_l by Equation 1. */
static void
apply_rate (Scp * c, double rate)
{
  const PspPipe *p = &c->pipe;
  double window = bounded_window (psp_pipe_holds (p, rate)
      + defaults.increment);

  if (window > c->window)
    window = fmax (c->window, fmin (window, psp_pipe_peak (p) / defaults.use));
  c->window = c->threshold = window;
}

/* Adjusts W_l to r̂. While r̂ is unknown, W_l grows as in RFC 5681 section 3.1:
 * by one per window of acknowledgements. */
static void
adjust (Scp * c, const Round * round)
{
  double rate = psp_pipe_rate (&c->pipe);

  if (c->state != SCP_STEADY)
    return;
  if (rate > 0 && c->pipe.path.last_rtt > 0)
    apply_rate (c, rate);
  else if (rate <= 0 && c->window < round->growth_limit)
    c->window = bounded_window (c->window
        + fmin ((double) round->acknowledged / c->window, 1));
}

static void
scp_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Scp *c = (Scp *) base;
  bool first = c->pipe.path.last_rtt == 0;
  Round round = { 0 };
  int64_t losses = 0;
  size_t i, taken;

  if (psp_pipe_report (&c->pipe, report, base->mean_size,
          base->parameters[LIFE])) {
    if (first)
      start_from_bitrate (c);
    round.queued = (double) report->rtt_sample - psp_pipe_base_rtt (&c->pipe);
  }
  round.base_rtt = psp_pipe_base_rtt (&c->pipe);
  round.growth_limit = growth_limit (c);
  for (i = 0; i < report->n_results; i += taken) {
    const PspPacketResult *r = &report->results[i];
    bool past = r->index < c->episode;

    taken = 1;
    if (psp_result_is_congestion (r)) {
      if (!past)
        losses++;
      else if (c->undo_losses > 0)
        c->undo_losses++;
    } else if (r->outcome == PSP_OUTCOME_RECOVERED) {
      disprove (c);
    } else {
      /* The first packet that was sent in the congested state arrived. */
      if (c->state == SCP_CONGESTED && !past && !losses)
        c->state = SCP_STEADY;
      taken = acknowledge (c, report, i, &round);
    }
  }
  drain (c, report);
  adjust (c, &round);
  if (losses)
    back_off (c, report, losses);
  if (report->in_flight <= 0 && c->state != SCP_PAUSED) {
    c->idle_since = report->now;
    d->next_tick = report->now + defaults.pause_after;
  }
  publish (c, d);
  if (losses)
    d->reason = psp_report_reason (report);
}

const PspControllerClass psp_cc_scp = {
  .name = "scp",
  .size = sizeof (Scp),
  .needs_feedback = true,
  .parameters = parameters,
  .init = scp_init,
  .on_sent = scp_on_sent,
  .on_feedback = scp_on_feedback,
  .on_tick = scp_on_tick,
};
