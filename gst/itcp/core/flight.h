/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Until when no acknowledgement can come: what is in flight left no sooner than
 * some look found that it had not, and no round trip is shorter than the least
 * there was. While TCP's state is Open that is how long nothing can happen to a
 * connection, for its timers are longer than that too.
 */
#ifndef ITCP_CORE_FLIGHT_H
#define ITCP_CORE_FLIGHT_H

#include "types.h"

#define ITCP_FLIGHT_MARKS 32

/* Bytes are since the connection began, without what was sent again. */
typedef struct
{
  int64_t at;                   /* ns */
  int64_t first;                /* when the first left that did since the look
                                   before; ITCP_TIME_UNKNOWN = not told */
  uint64_t sent, acked;
  int64_t min_rtt;              /* ns; 0 = unknown */
} ItcpFlightSample;

typedef struct
{
  struct
  {
    uint64_t sent;              /* what came behind this */
    int64_t at;                 /* had not left by then */
  } marks[ITCP_FLIGHT_MARKS];   /* a ring */
  unsigned first, n;
} ItcpFlight;

void itcp_flight_init (ItcpFlight * f);
/* Looks come in their order. The time before which no acknowledgement can come;
 * INT64_MIN where that is not known. */
int64_t itcp_flight_look (ItcpFlight * f, const ItcpFlightSample * sample);

#endif
