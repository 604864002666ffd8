/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What several controllers measure: round trips and the rate of arrivals.
 */
#ifndef PSP_CORE_ESTIMATORS_H
#define PSP_CORE_ESTIMATORS_H

#include "report.h"

/* A delay as TCP filters it (RFC 6298 section 2), and its minimum. */
typedef struct
{
  double smoothed;              /* ns; 0 = no sample yet */
  double deviation;             /* ns */
  int64_t min;                  /* ns; PSP_TIME_NEVER = no sample yet */
} PspDelay;

void psp_delay_init (PspDelay * e);
void psp_delay_add (PspDelay * e, int64_t sample);
/* smoothed + 4 deviations: when to stop waiting. */
double psp_delay_timeout (const PspDelay * e);

/* The path as reports show it. RFC 8888 counts arrivals in steps of 1/1024 s,
 * which at thousands of packets/s are several packets: what the sender's own
 * clock can tell is read from there. */
typedef struct
{
  PspDelay rtt;                 /* in the network: no receiver's holding time */
  PspDelay delay;               /* from sending the oldest packet that a report
                                   newly says has arrived, to the report */
  double hold;                  /* smoothed: that packet waited so long at the
                                   receiver, ns */
  int64_t last_rtt;             /* ns; 0 = no sample yet */
  int64_t base_rtt;             /* ns: the least that is certain, rtt.min or
                                   above; PSP_TIME_NEVER = no sample yet */
  uint32_t min_size;            /* of the packet that base_rtt is of, bytes */
} PspPath;

void psp_path_init (PspPath * p);
/* True where the report brings a round-trip sample. */
bool psp_path_add (PspPath * p, const PspReport * report);
/* ns; 0 = no sample yet. */
double psp_path_base_rtt (const PspPath * p);

/* The rate at which packets arrive, from filtered intervals between arrivals
 * as the receiver stamped them: however late and batched reports come, it is
 * the rate of acknowledgements had each packet been acknowledged on arrival.
 * Bytes per time, since a link needs its time for bytes: the sizes are filtered
 * over the same intervals. An interval between arrivals is due to the packet
 * that ends it, one between departures to the packet that begins it. */
typedef struct
{
  double weight;                /* 1 − (1 − gain)^n: corrects for the start */
  double arrival, sent;         /* filtered intervals × weight, ns */
  double arrived_size, sent_size;       /* filtered × weight, bytes: what each
                                           interval was needed for */
  double limited;               /* share of the weight that is the
                                   application's doing × weight */
  double gain;                  /* of the next interval */
  unsigned n;                   /* intervals so far, up to some thousands */
  bool known;                   /* they are enough to tell a rate */
  int64_t last_index;           /* −1 = none to measure from */
  int64_t last_arrival, last_sent;
  uint32_t last_size;
} PspArrivalRate;

void psp_arrival_rate_init (PspArrivalRate * e);
/* Packets arrived. The interval before an app-limited one tells of the
 * application, not of the network: it may raise the rate, never lower it.
 * The filter spans 10 packets or `span` ns, whichever is longer. */
void psp_arrival_rate_add (PspArrivalRate * e, const PspPacketResult * results,
    size_t n, double span);
/* Bytes of RTP packet a second; 0 = not known. */
double psp_arrival_rate_get (const PspArrivalRate * e);
/* … and at which these bytes were sent, as filtered. */
double psp_arrival_rate_sent (const PspArrivalRate * e);
/* The rate is mostly the application's own: a lower bound of the network's. */
bool psp_arrival_rate_limited (const PspArrivalRate * e);

#endif
