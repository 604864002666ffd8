/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What several controllers measure of the path: round trips.
 */
#ifndef CONTROL_PATH_H
#define CONTROL_PATH_H

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

#endif
