/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Computes the time before which no acknowledgement can arrive. Data in flight
 * left after the last look that did not see it as sent, and no round trip is
 * shorter than the smallest one measured. While TCP's state is Open nothing can
 * happen to a connection until then, because its timers are longer too.
 */
#ifndef ITCP_CORE_FLIGHT_H
#define ITCP_CORE_FLIGHT_H

#include "types.h"

/* number of looks per round trip that are remembered; with more looks the
 * result becomes less exact */
#define ITCP_FLIGHT_MARKS 32

/* Bytes are counted since the connection started, without retransmissions. */
typedef struct
{
  int64_t at;                   /* ns */
  /* when the first data left that was sent since the last look;
   * PSP_TIME_UNKNOWN = not reported */
  int64_t first;
  uint64_t sent, acked;
  int64_t min_rtt;              /* ns; 0 = unknown */
} ItcpFlightSample;

typedef struct
{
  struct
  {
    uint64_t sent;              /* bytes; later ones left after `at` */
    int64_t at;                 /* ns; bytes after `sent` left after this */
  } marks[ITCP_FLIGHT_MARKS];   /* a ring */
  unsigned first, n;
} ItcpFlight;

void itcp_flight_init (ItcpFlight * f);
/* Looks must come in order. Returns the time before which no acknowledgement
 * can arrive; INT64_MIN = unknown. */
int64_t itcp_flight_look (ItcpFlight * f, const ItcpFlightSample * sample);

#endif
