/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The rate of what comes in: the most of any second, so that a stream which
 * obeys a lower rate is still known for what it was.
 */
#ifndef ITCP_CORE_METER_H
#define ITCP_CORE_METER_H

#include "types.h"

#define ITCP_METER_BINS 10

typedef struct
{
  int64_t started_at;           /* or ITCP_TIME_UNKNOWN */
  int64_t bin;                  /* number of the newest, of 100 ms each */
  int64_t bytes[ITCP_METER_BINS];
  int64_t sum;
  int64_t peak;                 /* bits/s; 0 = no whole second yet */
  int64_t earlier;              /* known before a restart, until more is */
} ItcpMeter;

void itcp_meter_init (ItcpMeter * m);
/* A new stretch of media begins, and the peak stays. */
void itcp_meter_restart (ItcpMeter * m);
/* now: of any one clock. Where it goes back by more than pictures are reordered
 * by, it restarts. */
void itcp_meter_add (ItcpMeter * m, int64_t now, int64_t bytes);
/* bits/s; 0 = unknown, for less than 200 ms have passed. */
int64_t itcp_meter_peak (ItcpMeter * m, int64_t now);

#endif
