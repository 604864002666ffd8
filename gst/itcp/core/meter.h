/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Measures the input rate: the maximum over any second, so that a stream which
 * obeys a lower rate keeps its original rate.
 */
#ifndef ITCP_CORE_METER_H
#define ITCP_CORE_METER_H

#include "types.h"

/* Bins per second: the second that is measured advances by 100 ms. */
#define ITCP_METER_BINS 10

typedef struct
{
  int64_t started_at;           /* ns, or PSP_TIME_UNKNOWN */
  int64_t bin;                  /* number of the newest bin of 100 ms */
  int64_t bytes[ITCP_METER_BINS];
  int64_t sum;
  int64_t peak;                 /* bits/s; 0 = no whole second yet */
  /* bits/s, the peak before a restart, until a new one is known */
  int64_t earlier;
} ItcpMeter;

void itcp_meter_init (ItcpMeter * m);
/* Starts a new section of media; the peak stays. */
void itcp_meter_restart (ItcpMeter * m);
/* Adds input. `now` may be of any one clock. If it goes back by more than
 * reordered pictures explain, the meter restarts. */
void itcp_meter_add (ItcpMeter * m, int64_t now, int64_t bytes);
/* Returns bits/s; 0 = unknown, until 200 ms have passed. */
int64_t itcp_meter_peak (ItcpMeter * m, int64_t now);

/* The media's clock: the stamps of buffers, of which some may have none. */
typedef struct
{
  int64_t time;                 /* ns, of the last buffer, or PSP_TIME_UNKNOWN */
  int64_t stamp;                /* ns, of the last one that had a stamp */
  int64_t stamped_at;           /* monotonic ns, when that came */
} ItcpMediaClock;

void itcp_media_clock_init (ItcpMediaClock * c);
/* Takes the stamp of a buffer, PSP_TIME_UNKNOWN = it has none. */
void itcp_media_clock_buffer (ItcpMediaClock * c, int64_t stamp, int64_t now);

#endif
