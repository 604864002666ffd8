/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The rate at which packets arrive, from filtered intervals between the
 * receiver's arrival times. It equals the rate of acknowledgements if each
 * packet were acknowledged on arrival, however late and batched reports are. It
 * counts bytes, because a link needs its time for bytes; sizes are filtered
 * over the same intervals. An interval between arrivals belongs to the packet
 * that ends it; an interval between departures belongs to the packet that
 * begins it.
 */
#ifndef CONTROL_ARRIVALRATE_H
#define CONTROL_ARRIVALRATE_H

#include <control/report.h>

typedef struct
{
  double weight;                /* 1 − (1 − gain)^n, corrects for the start */
  double arrival;               /* ns; filtered arrival intervals × weight */
  double sent;                  /* ns; filtered departure intervals × weight */
  double arrived_size;          /* bytes of `arrival`, filtered × weight */
  double sent_size;             /* bytes of `sent`, filtered × weight */
  /* share of the weight that the application limited, × weight */
  double limited;
  double gain;                  /* of the next interval */
  unsigned n;                   /* intervals so far; stops at some thousands */
  bool known;                   /* there are enough intervals for a rate */
  int64_t last_index;           /* −1 = none to measure from */
  int64_t last_arrival, last_sent;
  uint32_t last_size;
} PspArrivalRate;

void psp_arrival_rate_init (PspArrivalRate * e);
/* Adds packets that arrived. The interval before an app-limited packet shows
 * what the application did, not what the network can carry. It may raise the
 * rate but never lower it. The filter spans 10 packets or `span` ns, whichever
 * is longer. */
void psp_arrival_rate_add (PspArrivalRate * e, const PspPacketResult * results,
    size_t n, double span);
/* Leaves out the interval before the next packet. */
void psp_arrival_rate_interrupt (PspArrivalRate * e);
/* Returns the bytes of packets per second; 0 = unknown. */
double psp_arrival_rate_get (const PspArrivalRate * e);
/* Returns the filtered rate at which these bytes were sent. */
double psp_arrival_rate_sent (const PspArrivalRate * e);
/* True if mostly the application limited the rate, which is then a lower bound
 * of the network's. */
bool psp_arrival_rate_limited (const PspArrivalRate * e);

#endif
