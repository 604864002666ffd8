/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/path.h>

#include <math.h>

static const struct
{
  double delay_gain, deviation_gain;
  double delay_deviations;
  int64_t arrival_step;
  double life_rtts;
} defaults = {
  .delay_gain = 1.0 / 8,        /* RFC 6298 section 2.3, alpha */
  .deviation_gain = 1.0 / 4,    /* RFC 6298 section 2.3, beta */
  .delay_deviations = 4,        /* RFC 6298 section 2.3, K */
  .arrival_step = PSP_SECOND / 1024,    /* RFC 8888 section 3.1, ATO */
  /* This is ours: to drain a queue takes a round trip or two. */
  .life_rtts = 40,
};

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
  int64_t age = psp_interval (now, m->at);

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
  if (sample > PSP_MAX_INTERVAL)
    sample = PSP_MAX_INTERVAL;
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
  return oldest ? psp_interval (report->now, oldest->sent_at) :
      PSP_TIME_UNKNOWN;
}

/* Returns how long the newest packet waited for the report. */
static int64_t
newest_hold (const PspReport * report, const PspPacketResult * newest)
{
  return psp_interval (psp_interval (report->now, newest->sent_at),
      report->rtt_sample);
}

/* Returns the interval between the arrivals of two packets: that between their
 * departures, if the steps of the arrival times admit it. */
static int64_t
arrival_gap (const PspPacketResult * newest, const PspPacketResult * oldest)
{
  int64_t arrived = psp_interval (newest->arrived_at, oldest->arrived_at);
  int64_t sent = psp_interval (newest->sent_at, oldest->sent_at);

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
  int64_t most = MIN (report->rtt_sample, PSP_MAX_INTERVAL);
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
  return (int64_t) MAX (life * PSP_SECOND,
      defaults.life_rtts * p->rtt.smoothed);
}

/* If no sample is certain, the smoothed value is used. */
double
psp_path_base_rtt (const PspPath * p)
{
  return p->last_rtt ? MIN ((double) p->base_rtt.value, p->rtt.smoothed) :
      0;
}
