/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "rap-psp": the packet-spacing protocol of cc-psp.c with the rule for the
 * spacing taken from RAP: Rejaie, Handley and Estrin, "RAP: An End-to-end
 * Rate-based Congestion Control Mechanism for Realtime Streams in the
 * Internet", INFOCOM 1999, section II. PSP's decrease is a constant in period,
 * so the faster of two flows gains more. RAP's is a constant in rate, and RAP
 * halves the rate at a loss: additive increase and multiplicative decrease,
 * which converges to equal shares (Chiu and Jain 1989).
 *
 * Epochs and their verdicts are PSP's. docs/controllers.md says what is whose.
 */
#include <control/epochs.h>
#include <control/path.h>

#include <math.h>

static const struct
{
  double increase;
  double decrease;
  double start_gain;
  double short_gain, long_gain;
  double first_spacing, least_spacing;
  double hold, min_timeout;
  double busy_share, least_fine_grain;
  double peak_decay, in_use;
  double headroom;
} defaults = {
  .increase = 1,                /* RAP: one packet more a round trip */
  .decrease = 0.5,              /* RAP: beta */
  .start_gain = 2,              /* RFC 5681 section 3.1, slow start */
  .short_gain = 0.9,            /* RAP, fine-grain adaptation: K_frtt */
  .long_gain = 0.01,            /* RAP, the same: K_xrtt */
  /* These are RFC 6928's ten packets in RFC 6298's first second, until an RTT
   * is known. */
  .first_spacing = 100 * PSP_MSECOND,
  .least_spacing = PSP_USECOND, /* This is ours: 12 Gb/s with full packets. */
  /* As in psp: the controller waits one more RTT for a missing verdict. */
  .hold = 1,
  .min_timeout = 200 * PSP_MSECOND,     /* as in scp: hosts may be late */
  /* The authors of RAP use this threshold in ns-2; RFC 7661 section 4.3 has the
   * same one. */
  .busy_share = 0.5,
  .least_fine_grain = 0.5,      /* This is ours, for that share. */
  /* This is ours: the peak use is forgotten within about ten round trips. */
  .peak_decay = 7.0 / 8,
  /* This is ours: late packets and rounding take up the rest. */
  .in_use = 0.8,
  /* As in scp: a queue in the sender can drain. */
  .headroom = 0.95,
};

typedef struct
{
  PspController base;
  double ps;                    /* inter-packet gap, ns, > 0 */
  bool starting;                /* until the first loss */
  /* Epochs that began before this time say nothing about ps. */
  int64_t epochs_from;
  int64_t last_sent;            /* index */
  /* The last back-off already answered losses of packets before this index. */
  int64_t episode;
  int64_t counted_from;         /* since when n_sent counts */
  int64_t n_sent;               /* packets sent */
  double peak;                  /* recent peak of packets per round trip */
  double frtt;                  /* ns; RTT over a few reports; 0 = none yet */
  double xrtt;                  /* ns; RTT over many reports; 0 = none yet */
  PspPath path;
  PspEpochs epochs;
} Rap;

/* Returns the smoothed RTT. It is RAP's step and its C, a packet's time at one
 * packet per round trip. Flows that share a queue agree on the smoothed RTT,
 * whenever they started. */
static double
round_trip (const Rap * c)
{
  return c->path.rtt.smoothed;
}

static int64_t
epoch_length (const Rap * c)
{
  return c->path.last_rtt ? (int64_t) round_trip (c) : PSP_TIME_NEVER;
}

/* Returns the factor of RAP's fine-grain adaptation: packets wait longer while
 * a queue grows. */
static double
fine_grain (const Rap * c)
{
  return c->xrtt > 0 ? c->frtt / c->xrtt : 1;
}

static void
measure (Rap * c, const PspReport * report)
{
  double sample;

  if (!psp_path_add (&c->path, report, 0))
    return;
  sample = (double) c->path.last_rtt;
  if (c->xrtt <= 0)
    c->frtt = c->xrtt = sample;
  c->frtt += defaults.short_gain * (sample - c->frtt);
  c->xrtt += defaults.long_gain * (sample - c->xrtt);
  c->ps = fmin (c->ps, round_trip (c));
}

static void
publish (Rap * c, PspDecision * d)
{
  double rtt = round_trip (c), period;

  c->ps = fmax (c->ps, defaults.least_spacing);
  period = fmax (c->ps * fine_grain (c), defaults.least_spacing);
  if (c->path.last_rtt)
    period = fmin (period, rtt);
  d->period = (int64_t) (period + 0.5);
  /* The time that a packet takes on a link depends on its bytes. */
  d->longest_slot = (int64_t) fmax (c->ps, rtt);
  d->target_bitrate =
      psp_controller_bitrate (&c->base, c->ps / defaults.headroom);
  if (c->path.delay.smoothed > 0 && c->path.last_rtt)
    d->loss_timeout = (int64_t) fmax (psp_delay_timeout (&c->path.delay)
        + defaults.hold * rtt, defaults.min_timeout);
}

static void
rap_init (PspController * base, int64_t now, PspDecision * d)
{
  Rap *c = (Rap *) base;
  int64_t start = base->limits.start_bitrate;

  c->ps = start > 0 ? defaults.headroom
      * (double) psp_controller_period (base, start) : defaults.first_spacing;
  c->starting = true;
  c->epochs_from = c->counted_from = now;
  c->last_sent = -1;
  psp_path_init (&c->path);
  psp_epochs_init (&c->epochs);
  publish (c, d);
}

static void
note_use (Rap * c, int64_t now)
{
  double rtt = round_trip (c), time = (double) (now - c->counted_from);

  if (!c->path.last_rtt || time < rtt)
    return;
  c->peak = fmax ((double) c->n_sent * rtt / time,
      c->peak * defaults.peak_decay);
  c->counted_from = now;
  c->n_sent = 0;
}

static void
rap_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  Rap *c = (Rap *) base;

  (void) d;
  note_use (c, sent->now);
  c->n_sent++;
  c->last_sent = sent->index;
  psp_epochs_sent (&c->epochs, sent, epoch_length (c));
}

/* Answers a loss. RAP: packets in flight were sent before the sender answered,
 * so losses among them belong to the same congestion. The rate that was used
 * was too high, not the rate that was allowed (RFC 7661 section 4.4.1). */
static void
back_off (Rap * c, int64_t now)
{
  double used = c->peak > 0 ? round_trip (c) / c->peak / fine_grain (c) : 0;

  if (c->ps < defaults.in_use * used)
    c->ps = used;
  c->ps = fmin (c->ps / defaults.decrease, round_trip (c));
  c->starting = false;
  c->epochs_from = now;
  c->episode = c->last_sent + 1;
}

/* Makes ps shorter. RAP: IPG' = IPG C / (IPG + C), so 1/IPG' = 1/IPG + 1/C. */
static void
increase (Rap * c, int64_t now)
{
  double packet = round_trip (c) / defaults.increase;

  if (c->starting) {
    c->ps /= defaults.start_gain;
    c->epochs_from = now;
  } else {
    c->ps = c->ps * packet / (c->ps + packet);
  }
}

/* True if a loss is not answered yet. */
static bool
has_new_loss (const Rap * c, const PspReport * report)
{
  size_t i;

  for (i = 0; i < report->n_results; i++) {
    const PspPacketResult *r = &report->results[i];

    if (r->index >= c->episode && psp_result_is_congestion (r))
      return true;
  }
  return false;
}

static double
packets_a_round_trip (const Rap * c, const PspEpoch * e)
{
  double rtt = round_trip (c);

  return (double) e->sent * rtt
      / fmax (rtt, (double) (e->last_at - e->begun_at));
}

/* Judges an epoch that has its verdict. If the application or the host's own
 * interface kept packets from leaving, the higher rate has not been tried. The
 * source follows ps, not the fine grain, which stays next to nothing for a long
 * time after round trips of seconds. */
static void
judge (Rap * c, const PspEpoch * e, int64_t now, PspDecision * d)
{
  if (e->lost > 0 || e->begun_at < c->epochs_from
      || packets_a_round_trip (c, e) * fmax ((double) d->period,
          defaults.least_fine_grain * c->ps)
      < defaults.busy_share * round_trip (c))
    return;
  increase (c, now);
  d->reason = PSP_REASON_INCREASE;
}

static void
rap_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Rap *c = (Rap *) base;
  const PspEpoch *e;

  measure (c, report);
  note_use (c, report->now);
  psp_epochs_report (&c->epochs, report, epoch_length (c));
  if (c->path.last_rtt && has_new_loss (c, report)) {
    back_off (c, report->now);
    d->reason = psp_report_reason (report);
  }
  while ((e = psp_epochs_take (&c->epochs, report)))
    judge (c, e, report->now, d);
  publish (c, d);
}

const PspControllerClass psp_cc_rap_psp = {
  .name = "rap-psp",
  .size = sizeof (Rap),
  .needs_feedback = true,
  .init = rap_init,
  .on_sent = rap_on_sent,
  .on_feedback = rap_on_feedback,
};
