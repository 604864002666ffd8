/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The network as a window sees it, in packets of one size, as papers have it.
 * Real ones differ: what passes, fits and is under way is measured in bytes and
 * told in packets of the mean size.
 */
#ifndef PSP_CORE_PIPE_H
#define PSP_CORE_PIPE_H

#include "controller.h"
#include "estimators.h"

typedef struct
{
  double packet_size;           /* the mean one, bytes; above 0 */
  PspArrivalRate rate;
  PspPath path;
  unsigned doublings;           /* of the timeout, since the last RTT sample */
  int64_t in_flight;            /* packets */
  double flight_bytes;          /* … and their size */
  double peaks[2];              /* bytes in flight, now and before */
  int64_t peak_since;
} PspPipe;

void psp_pipe_init (PspPipe * p, double mean_size);
void psp_pipe_sent (PspPipe * p, const PspSent * sent, double mean_size);
/* Its arrivals are for the caller to add to `rate`. True where it brings
 * a round-trip sample. */
bool psp_pipe_report (PspPipe * p, const PspReport * report, double mean_size);

/* Smallest round trip, ns; 0 = no sample yet. */
double psp_pipe_base_rtt (const PspPipe * p);
/* Packets/s that arrive, and at which the same were sent; 0 = unknown. */
double psp_pipe_rate (const PspPipe * p);
double psp_pipe_sent_rate (const PspPipe * p);
/* Packets that the path itself holds at that rate. */
double psp_pipe_holds (const PspPipe * p, double rate);
/* Packets in flight at most, lately: over max (3 RTT, 1 s), or half of it. */
double psp_pipe_peak (const PspPipe * p);
/* By how many packets that is in flight exceeds its count. */
double psp_pipe_excess (const PspPipe * p);

/* ns after which what is undecided is presumed lost. */
int64_t psp_pipe_timeout (const PspPipe * p);
/* It was: the next one takes twice as long. */
void psp_pipe_double_timeout (PspPipe * p);

#endif
