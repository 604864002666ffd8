/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Keeps the packets on the wire, earliest first. Packets of the same time are
 * in the order in which they were put in.
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

/* Makes room for `n` more packets. Returns false if memory runs out. */
bool link_flight_reserve (LinkFlight * f, size_t n);
void link_flight_clear (LinkFlight * f);
/* Puts a packet in. There must be room. */
void link_flight_put (LinkFlight * f, int64_t at, LinkPacket * packet);
/* Returns the time of the earliest packet, or LINK_NEVER. */
int64_t link_flight_next (const LinkFlight * f);
/* Takes out the earliest packet; NULL = none. */
LinkPacket *link_flight_take (LinkFlight * f);

#endif
