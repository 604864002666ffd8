/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/flight.h>

#include <math.h>

void
psp_flight_init (PspFlight * f, double mean_size)
{
  f->packet_size = fmax (mean_size, 1);
  f->packets = 0;
  f->bytes = 0;
}

/* Packets that were sent before a reset, or that the history has forgotten
 * since, are counted with the mean size. */
static void
count (PspFlight * f, int64_t expected, int64_t in_flight)
{
  f->bytes += (double) (in_flight - expected) * f->packet_size;
  f->packets = in_flight;
  if (in_flight <= 0 || f->bytes < 0)
    f->bytes = 0;
}

void
psp_flight_sent (PspFlight * f, const PspSent * sent, double mean_size)
{
  f->packet_size = fmax (mean_size, 1);
  f->bytes += sent->size;
  count (f, f->packets + 1, sent->in_flight);
}

void
psp_flight_report (PspFlight * f, const PspReport * report, double mean_size)
{
  int64_t expected = f->packets, bytes = 0;
  size_t i;

  f->packet_size = fmax (mean_size, 1);
  for (i = 0; i < report->n_results; i++)
    if (report->results[i].outcome != PSP_OUTCOME_RECOVERED) {
      bytes += report->results[i].size;
      expected--;
    }
  f->bytes -= (double) bytes;
  count (f, expected, report->in_flight);
}

double
psp_flight_excess (const PspFlight * f)
{
  return f->bytes / f->packet_size - (double) f->packets;
}
