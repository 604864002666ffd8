/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/pipe.h>

#include <math.h>
#include <string.h>

static const struct
{
  double peak_rtts;
  int64_t peak_span;
  int64_t min_timeout, start_timeout, max_doubled;
  unsigned max_doublings;
} defaults = {
  /* RFC 7661 section 4.2: the pipeACK sampling period is max (3 RTT, 1 s). */
  .peak_rtts = 3,
  .peak_span = PSP_SECOND,      /* ns; the least such period */
  .min_timeout = 200 * PSP_MSECOND,     /* ours, as Linux's TCP */
  .start_timeout = PSP_SECOND,  /* RFC 6298 (2.1) */
  /* This is ours: doubling ends when packets leave once a second, as RFC 8083's
   * probes do. */
  .max_doubled = PSP_SECOND,
  .max_doublings = 16,
};

void
psp_pipe_init (PspPipe * p, double mean_size)
{
  memset (p, 0, sizeof *p);
  psp_flight_init (&p->flight, mean_size);
  psp_arrival_rate_init (&p->rate);
  psp_path_init (&p->path);
}

void
psp_pipe_sent (PspPipe * p, const PspSent * sent, double mean_size)
{
  double span = fmax (defaults.peak_rtts * p->path.delay.smoothed,
      (double) defaults.peak_span);

  psp_flight_sent (&p->flight, sent, mean_size);
  if ((double) (sent->now - p->peak_since) >= span / 2) {
    p->peaks[1] = p->peaks[0];
    p->peaks[0] = 0;
    p->peak_since = sent->now;
  }
  p->peaks[0] = fmax (p->peaks[0], p->flight.bytes);
}

bool
psp_pipe_report (PspPipe * p, const PspReport * report, double mean_size,
    double life)
{
  psp_flight_report (&p->flight, report, mean_size);
  if (!psp_path_add (&p->path, report, life))
    return false;
  p->doublings = 0;
  return true;
}

double
psp_pipe_base_rtt (const PspPipe * p)
{
  return psp_path_base_rtt (&p->path);
}

double
psp_pipe_rate (const PspPipe * p)
{
  return psp_arrival_rate_get (&p->rate) / p->flight.packet_size;
}

double
psp_pipe_sent_rate (const PspPipe * p)
{
  return psp_arrival_rate_sent (&p->rate) / p->flight.packet_size;
}

/* If sizes are mixed, the smallest round trip is that of a small packet. A
 * larger packet spends more time on the link; that time is added at the link's
 * rate. */
double
psp_pipe_holds (const PspPipe * p, double rate)
{
  double difference = 1 - p->path.base_rtt.size / p->flight.packet_size;

  return rate * psp_pipe_base_rtt (p) / PSP_SECOND + fmax (difference, 0);
}

double
psp_pipe_peak (const PspPipe * p)
{
  return fmax (p->peaks[0], p->peaks[1]) / p->flight.packet_size;
}

int64_t
psp_pipe_timeout (const PspPipe * p)
{
  double t = (double) defaults.start_timeout, doubled;

  if (p->path.delay.smoothed > 0)
    t = fmax (psp_delay_timeout (&p->path.delay),
        (double) defaults.min_timeout);
  doubled = t * (double) (UINT64_C (1) << p->doublings);
  return (int64_t) fmin (doubled, fmax (2 * t, (double) defaults.max_doubled));
}

void
psp_pipe_double_timeout (PspPipe * p)
{
  if (p->doublings < defaults.max_doublings)
    p->doublings++;
}
