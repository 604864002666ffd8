/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Packets on the wire, earliest first; of the same time, in the order they
 * were put in.
 */
#ifndef LINK_FLIGHT_H
#define LINK_FLIGHT_H

#include "packet.h"

typedef struct
{
  int64_t at;
  uint64_t order;
  LinkPacket *packet;
} LinkFlightEntry;

typedef struct
{
  LinkFlightEntry *entry;       /* a binary heap */
  size_t n, capacity;
  uint64_t order;
} LinkFlight;

/* Makes room for `n` more; false: no memory. */
bool link_flight_reserve (LinkFlight * f, size_t n);
void link_flight_clear (LinkFlight * f);
/* There must be room. */
void link_flight_put (LinkFlight * f, int64_t at, LinkPacket * packet);
int64_t link_flight_next (const LinkFlight * f);        /* or LINK_NEVER */
LinkPacket *link_flight_take (LinkFlight * f);  /* the earliest, or NULL */

#endif
