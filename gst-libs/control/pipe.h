/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The network as a window sees it, in packets of one size, as papers describe
 * it. Real packets differ in size: rates, capacity and packets in flight are
 * measured in bytes and given in packets of the mean size.
 */
#ifndef CONTROL_PIPE_H
#define CONTROL_PIPE_H

#include <control/arrivalrate.h>
#include <control/flight.h>
#include <control/path.h>

typedef struct
{
  PspFlight flight;
  PspArrivalRate rate;
  PspPath path;
  /* doublings of the timeout since the last RTT sample */
  unsigned doublings;
  /* peak bytes in flight, in this period and the one before */
  double peaks[2];
  int64_t peak_since;
} PspPipe;

void psp_pipe_init (PspPipe * p, double mean_size);
void psp_pipe_sent (PspPipe * p, const PspSent * sent, double mean_size);
/* The caller adds the report's arrivals to `rate`. Returns true if the report
 * brings a round-trip sample. life: of the smallest round trip, as in
 * psp_path_add. */
bool psp_pipe_report (PspPipe * p, const PspReport * report, double mean_size,
    double life);

/* Returns the smallest round trip in ns; 0 = no sample yet. */
double psp_pipe_base_rtt (const PspPipe * p);
/* These return the packets/s that arrive, and the rate at which the same
 * packets were sent; 0 = unknown. */
double psp_pipe_rate (const PspPipe * p);
double psp_pipe_sent_rate (const PspPipe * p);
/* Returns how many packets the path itself holds at that rate. */
double psp_pipe_holds (const PspPipe * p, double rate);
/* Returns the largest number of packets in flight over the last max (3 RTT, 1
 * s), or over half of that time. */
double psp_pipe_peak (const PspPipe * p);

/* Returns the age in ns at which an undecided packet is presumed lost. */
int64_t psp_pipe_timeout (const PspPipe * p);
/* A packet was presumed lost: the next timeout is twice as long. */
void psp_pipe_double_timeout (PspPipe * p);

#endif
