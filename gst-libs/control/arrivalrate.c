/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/arrivalrate.h>

#include <math.h>

static const struct
{
  double interval_gain;
  double interval_span;
  unsigned min_intervals, exact_gains;
  double max_rate;
} defaults = {
  /* Cen, Walpole and Pu name a low-pass filter but give no constant; this one
   * is ours. */
  .interval_gain = 0.1,
  /* This is ours: the filter spans at least 10 steps of RFC 8888's 1/1024 s, so
   * that rounding changes the rate by only a few per cent. */
  .interval_span = 10e9 / 1024,
  .min_intervals = 3,           /* ours: a rate from fewer intervals is noise */
  /* This is ours: after this many intervals the gain is updated at each fourth
   * one. */
  .exact_gains = 16,
  .max_rate = 1e12,             /* bytes/s; no link is faster */
};

/* MAX and MIN stand here instead of fmax() and fmin(), which would be function
 * calls for each packet. */

void
psp_arrival_rate_init (PspArrivalRate * e)
{
  e->weight = e->arrival = e->sent = e->limited = 0;
  e->gain = defaults.interval_gain;
  e->arrived_size = e->sent_size = 0;
  e->n = 0;
  e->known = false;
  e->last_index = -1;
  e->last_arrival = e->last_sent = 0;
  e->last_size = 0;
}

/* With fewer than 1 / gain packets per span the filter goes by packets, with
 * more it goes by time. The gain changes as slowly as the intervals that it is
 * made of. Its division costs more than anything else per packet, so it is done
 * for each fourth packet. */
static void
update_gain (PspArrivalRate * e, double span)
{
  double g;

  if (e->weight <= 0 || (e->n > defaults.exact_gains && e->n % 4))
    return;
  g = MAX (e->arrival, e->sent)
      / (e->weight * MAX (span, defaults.interval_span));
  e->gain = MIN (defaults.interval_gain,
      MAX (g, defaults.interval_gain / 1024));
}

/* An app-limited interval says nothing before there is a rate to raise. The
 * interval between departures decides, because jitter does not change it. The
 * rate is the smaller of two; a comparison with both needs no division. */
static bool
counts (const PspArrivalRate * e, const PspPacketResult * result)
{
  double interval, size;

  if (e->last_index < 0)
    return false;
  if (!result->app_limited)
    return true;
  size = MIN (result->size, e->last_size);
  if (!e->known)
    return e->n >= defaults.min_intervals && size > 0;
  interval = (double) psp_interval (result->sent_at, e->last_sent);
  return interval * e->arrived_size < size * e->arrival
      || interval * e->sent_size < size * e->sent;
}

static void
add_interval (PspArrivalRate * e, const PspPacketResult * result, double g)
{
  /* A packet that was overtaken by the one before it counts as arriving with
   * it. */
  double arrival = (double) psp_interval (result->arrived_at, e->last_arrival);
  double sent = (double) psp_interval (result->sent_at, e->last_sent);

  e->weight += g * (1 - e->weight);
  e->arrival += g * (arrival - e->arrival);
  e->sent += g * (sent - e->sent);
  e->arrived_size += g * (result->size - e->arrived_size);
  e->sent_size += g * (e->last_size - e->sent_size);
  e->limited += g * ((result->app_limited ? 1 : 0) - e->limited);
  e->n = e->n < UINT16_MAX ? e->n + 1 : defaults.exact_gains;
  if (!e->known)
    e->known = e->n >= defaults.min_intervals && (e->arrival > 0 || e->sent > 0)
        && e->arrived_size > 0 && e->sent_size > 0;
}

static inline void
add_packet (PspArrivalRate * e, const PspPacketResult * result, double span)
{
  if (result->arrived_at == PSP_TIME_UNKNOWN)
    return;
  if (counts (e, result)) {
    update_gain (e, span);
    add_interval (e, result, e->gain);
  }
  if (e->last_index < 0 || result->arrived_at > e->last_arrival)
    e->last_arrival = result->arrived_at;
  if (e->last_index < 0 || result->sent_at > e->last_sent) {
    e->last_sent = result->sent_at;
    e->last_size = result->size;
  }
  if (result->index > e->last_index)
    e->last_index = result->index;
}

/* Works on a copy, which the compiler can hold in registers. */
void
psp_arrival_rate_add (PspArrivalRate * e, const PspPacketResult * results,
    size_t n, double span)
{
  PspArrivalRate copy = *e;
  size_t i;

  for (i = 0; i < n; i++)
    add_packet (&copy, &results[i], span);
  *e = copy;
}

void
psp_arrival_rate_interrupt (PspArrivalRate * e)
{
  e->last_index = -1;
}

static double
bytes_per_second (double size, double interval)
{
  if (interval <= 0)
    return size > 0 ? defaults.max_rate : 0;
  return MIN (size * PSP_SECOND / interval, defaults.max_rate);
}

/* The rate never exceeds the rate at which the same packets were sent: arrivals
 * that a link bunched together do not show a faster path
 * (draft-cheng-iccrg-delivery-rate-estimation has the same bound). */
double
psp_arrival_rate_get (const PspArrivalRate * e)
{
  if (!e->known)
    return 0;
  return MIN (bytes_per_second (e->arrived_size, e->arrival),
      bytes_per_second (e->sent_size, e->sent));
}

double
psp_arrival_rate_sent (const PspArrivalRate * e)
{
  double rate = psp_arrival_rate_get (e);

  /* The ratio of the intervals is used, because both begin and end at the same
   * packets. */
  return e->sent > 0 ? rate * fmax (e->arrival / e->sent, 1) : 0;
}

bool
psp_arrival_rate_limited (const PspArrivalRate * e)
{
  return 2 * e->limited > e->weight;
}
