/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What several controllers measure: round trips and the rate of arrivals.
 */
#ifndef CONTROL_ESTIMATORS_H
#define CONTROL_ESTIMATORS_H

#include <control/report.h>

/* The smallest of the samples of its life. A path that became longer, or a
 * forged sample, is forgotten when the life is over. */
typedef struct
{
  int64_t value;                /* ns; PSP_TIME_NEVER = no sample yet */
  uint32_t size;                /* bytes of the packet that it belongs to */
  int64_t at;                   /* ns; when its life began */
  /* smallest sample of the second half of its life, which takes its place */
  int64_t next;
  uint32_t next_size;           /* bytes of the packet that `next` belongs to */
} PspMinimum;

/* The parameter of controllers that decide by such a minimum: its life. */
#define PSP_LIFE_PARAMETER {"life", "s", 0, 1000, 10, \
    "Age at which the smallest round trip expires; 0 keeps it", \
    "BBR's MinRTTFilterLen"}

void psp_minimum_init (PspMinimum * m);
/* Adds a sample. life: ns; 0 = for ever. */
void psp_minimum_add (PspMinimum * m, int64_t sample, uint32_t size,
    int64_t now, int64_t life);

/* A delay as TCP filters it (RFC 6298 section 2). */
typedef struct
{
  double smoothed;              /* ns; 0 = no sample yet */
  double deviation;             /* ns */
} PspDelay;

void psp_delay_init (PspDelay * e);
void psp_delay_add (PspDelay * e, int64_t sample);
/* Returns smoothed + 4 deviations. A sender waits no longer than this. */
double psp_delay_timeout (const PspDelay * e);

/* The path as reports show it. RFC 8888 counts arrivals in steps of 1/1024 s,
 * in which several packets may arrive. The sender's own clock is used wherever
 * it suffices. */
typedef struct
{
  /* the time in the network, without the receiver's holding time */
  PspDelay rtt;
  /* The time from the departure of the oldest packet that a report newly
   * acknowledges until the report. */
  PspDelay delay;
  /* ns; how long that packet waited at the receiver, smoothed */
  double hold;
  int64_t last_rtt;             /* ns; 0 = no sample yet */
  PspMinimum min_rtt;           /* the smallest sample */
  /* the smallest value that is certain, which may be larger */
  PspMinimum base_rtt;
} PspPath;

void psp_path_init (PspPath * p);
/* Returns true if the report brings a round-trip sample. life: that of the
 * minima in s; 0 = for ever. */
bool psp_path_add (PspPath * p, const PspReport * report, double life);
/* Returns the life in ns. It is no fewer round trips than it takes to measure a
 * minimum. */
int64_t psp_path_life (const PspPath * p, double life);
/* Returns the smallest round trip in ns; 0 = no sample yet. */
double psp_path_base_rtt (const PspPath * p);

/* The rate at which packets arrive, from filtered intervals between the
 * receiver's arrival times. It equals the rate of acknowledgements if each
 * packet were acknowledged on arrival, however late and batched reports are. It
 * counts bytes, because a link needs its time for bytes; sizes are filtered
 * over the same intervals. An interval between arrivals belongs to the packet
 * that ends it; an interval between departures belongs to the packet that
 * begins it. */
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
