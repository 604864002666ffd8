/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/estimators.h>

#include <math.h>

static const struct
{
  double delay_gain, deviation_gain;
  double delay_deviations;
  double interval_gain;
  double interval_span;
  int64_t arrival_step;
  unsigned min_intervals, exact_gains;
  double life_rtts;
  int64_t max_sample;
  double max_rate;
} defaults = {
  .delay_gain = 1.0 / 8,        /* RFC 6298 section 2.3, alpha */
  .deviation_gain = 1.0 / 4,    /* RFC 6298 section 2.3, beta */
  .delay_deviations = 4,        /* RFC 6298 section 2.3, K */
  /* Cen, Walpole and Pu name a low-pass filter but give no constant; this one
   * is ours. */
  .interval_gain = 0.1,
  /* This is ours: the filter spans at least 10 steps of RFC 8888's 1/1024 s, so
   * that rounding changes the rate by only a few per cent. */
  .interval_span = 10e9 / 1024,
  .arrival_step = PSP_SECOND / 1024,    /* RFC 8888 section 3.1, ATO */
  .min_intervals = 3,           /* ours: a rate from fewer intervals is noise */
  /* This is ours: after this many intervals the gain is updated at each fourth
   * one. */
  .exact_gains = 16,
  /* This is ours: to drain a queue takes a round trip or two. */
  .life_rtts = 40,
  .max_sample = 3600 * PSP_SECOND,      /* a longer sample is nonsense */
  .max_rate = 1e12,             /* bytes/s; no link is faster */
};

/* fmax() and fmin() would be function calls for each packet; there is no NaN
 * here. */
static inline double
larger (double a, double b)
{
  return a > b ? a : b;
}

static inline double
smaller (double a, double b)
{
  return a < b ? a : b;
}

static int64_t
bounded (int64_t later, int64_t earlier)
{
  int64_t d;

  if (__builtin_sub_overflow (later, earlier, &d) || d > defaults.max_sample)
    return later > earlier ? defaults.max_sample : 0;
  return d > 0 ? d : 0;
}

void
psp_minimum_init (PspMinimum * m)
{
  m->value = m->next = PSP_TIME_NEVER;
  m->size = m->next_size = 0;
  m->at = 0;
}

/* A sample that differs by no more than a step of the arrival times confirms
 * the minimum. */
void
psp_minimum_add (PspMinimum * m, int64_t sample, uint32_t size, int64_t now,
    int64_t life)
{
  int64_t age = bounded (now, m->at);

  if (sample < m->value) {
    m->value = sample;
    m->size = size;
  }
  if (sample <= m->value + defaults.arrival_step) {
    m->at = now;
    m->next = PSP_TIME_NEVER;
  } else if (age >= life / 2 && sample < m->next) {
    m->next = sample;
    m->next_size = size;
  }
  if (life <= 0 || age < life || m->next == PSP_TIME_NEVER)
    return;
  m->value = m->next;
  m->size = m->next_size;
  m->at = now;
  m->next = PSP_TIME_NEVER;
}

void
psp_delay_init (PspDelay * e)
{
  e->smoothed = e->deviation = 0;
}

void
psp_delay_add (PspDelay * e, int64_t sample)
{
  if (sample <= 0)
    return;
  if (sample > defaults.max_sample)
    sample = defaults.max_sample;
  if (e->smoothed > 0) {
    e->deviation += defaults.deviation_gain *
        (fabs (e->smoothed - (double) sample) - e->deviation);
    e->smoothed += defaults.delay_gain * ((double) sample - e->smoothed);
  } else {
    e->smoothed = (double) sample;
    e->deviation = (double) sample / 2;
  }
}

double
psp_delay_timeout (const PspDelay * e)
{
  return e->smoothed + defaults.delay_deviations * e->deviation;
}

static int64_t
report_delay (const PspReport * report)
{
  const PspPacketResult *oldest = psp_report_oldest_received (report);

  if (!oldest)
    oldest = psp_report_newest_recovered (report);
  return oldest ? bounded (report->now, oldest->sent_at) : PSP_TIME_UNKNOWN;
}

/* Returns how long the newest packet waited for the report. */
static int64_t
newest_hold (const PspReport * report, const PspPacketResult * newest)
{
  return bounded (bounded (report->now, newest->sent_at), report->rtt_sample);
}

/* Returns the interval between the arrivals of two packets: that between their
 * departures, if the steps of the arrival times admit it. */
static int64_t
arrival_gap (const PspPacketResult * newest, const PspPacketResult * oldest)
{
  int64_t arrived = bounded (newest->arrived_at, oldest->arrived_at);
  int64_t sent = bounded (newest->sent_at, oldest->sent_at);

  if (sent < arrived - defaults.arrival_step)
    return arrived - defaults.arrival_step;
  if (sent > arrived + defaults.arrival_step)
    return arrived + defaults.arrival_step;
  return sent;
}

/* Returns how long the receiver held the oldest newly reported packet back. */
static int64_t
report_hold (const PspReport * report)
{
  const PspPacketResult *oldest = psp_report_oldest_received (report);
  const PspPacketResult *newest = psp_report_newest_received (report);

  if (!oldest || report->rtt_sample == PSP_TIME_UNKNOWN)
    return PSP_TIME_UNKNOWN;
  if (newest->arrived_at == PSP_TIME_UNKNOWN
      || oldest->arrived_at == PSP_TIME_UNKNOWN)
    return PSP_TIME_UNKNOWN;
  return newest_hold (report, newest) + arrival_gap (newest, oldest);
}

/* A round trip less a rounded hold may be half a step too short, and the
 * minimum of many samples would be such a sample. A sample without a hold is
 * exact. */
static void
note_minima (PspPath * p, const PspReport * report, int64_t life)
{
  const PspPacketResult *newest = psp_report_newest_received (report);
  int64_t most = MIN (report->rtt_sample, defaults.max_sample);
  uint32_t size = newest ? newest->size : 0;

  psp_minimum_add (&p->min_rtt, most, size, report->now, life);
  if (newest && newest_hold (report, newest) > 0)
    most += defaults.arrival_step / 2;
  psp_minimum_add (&p->base_rtt, most, size, report->now, life);
}

void
psp_path_init (PspPath * p)
{
  psp_delay_init (&p->rtt);
  psp_delay_init (&p->delay);
  psp_minimum_init (&p->min_rtt);
  psp_minimum_init (&p->base_rtt);
  p->hold = 0;
  p->last_rtt = 0;
}

bool
psp_path_add (PspPath * p, const PspReport * report, double life)
{
  int64_t hold = report_hold (report);

  psp_delay_add (&p->delay, report_delay (report));
  if (report->rtt_sample <= 0)
    return false;
  if (hold != PSP_TIME_UNKNOWN)
    p->hold += (p->last_rtt ? defaults.delay_gain : 1)
        * ((double) hold - p->hold);
  p->last_rtt = report->rtt_sample;
  note_minima (p, report, psp_path_life (p, life));
  psp_delay_add (&p->rtt, report->rtt_sample);
  return true;
}

int64_t
psp_path_life (const PspPath * p, double life)
{
  if (life <= 0)
    return 0;
  return (int64_t) larger (life * PSP_SECOND,
      defaults.life_rtts * p->rtt.smoothed);
}

/* If no sample is certain, the smoothed value is used. */
double
psp_path_base_rtt (const PspPath * p)
{
  return p->last_rtt ? smaller ((double) p->base_rtt.value, p->rtt.smoothed) :
      0;
}

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
  g = larger (e->arrival, e->sent)
      / (e->weight * larger (span, defaults.interval_span));
  e->gain = smaller (defaults.interval_gain,
      larger (g, defaults.interval_gain / 1024));
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
  size = smaller (result->size, e->last_size);
  if (!e->known)
    return e->n >= defaults.min_intervals && size > 0;
  interval = (double) bounded (result->sent_at, e->last_sent);
  return interval * e->arrived_size < size * e->arrival
      || interval * e->sent_size < size * e->sent;
}

static void
add_interval (PspArrivalRate * e, const PspPacketResult * result, double g)
{
  /* A packet that was overtaken by the one before it counts as arriving with
   * it. */
  double arrival = (double) bounded (result->arrived_at, e->last_arrival);
  double sent = (double) bounded (result->sent_at, e->last_sent);

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
  return smaller (size * PSP_SECOND / interval, defaults.max_rate);
}

/* The rate never exceeds the rate at which the same packets were sent: arrivals
 * that a link bunched together do not show a faster path
 * (draft-cheng-iccrg-delivery-rate-estimation has the same bound). */
double
psp_arrival_rate_get (const PspArrivalRate * e)
{
  if (!e->known)
    return 0;
  return smaller (bytes_per_second (e->arrived_size, e->arrival),
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
