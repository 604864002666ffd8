/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "flight.h"

#include <stdlib.h>

bool
link_flight_reserve (LinkFlight * f, size_t n)
{
  size_t capacity = f->capacity ? f->capacity : 256;
  LinkFlightEntry *entry;

  if (f->capacity - f->n >= n)
    return true;
  while (capacity - f->n < n)
    capacity *= 2;
  entry = realloc (f->entry, capacity * sizeof *entry);
  if (!entry)
    return false;
  f->entry = entry;
  f->capacity = capacity;
  return true;
}

void
link_flight_clear (LinkFlight * f)
{
  free (f->entry);
  f->entry = NULL;
  f->n = f->capacity = 0;
}

static bool
before (const LinkFlightEntry * a, const LinkFlightEntry * b)
{
  return a->at < b->at || (a->at == b->at && a->order < b->order);
}

void
link_flight_put (LinkFlight * f, int64_t at, LinkPacket * packet)
{
  LinkFlightEntry e = { at, f->order++, packet };
  size_t i = f->n++;

  while (i > 0 && before (&e, &f->entry[(i - 1) / 2])) {
    f->entry[i] = f->entry[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  f->entry[i] = e;
}

int64_t
link_flight_next (const LinkFlight * f)
{
  return f->n ? f->entry[0].at : LINK_NEVER;
}

LinkPacket *
link_flight_take (LinkFlight * f)
{
  LinkPacket *packet;
  LinkFlightEntry e;
  size_t i = 0, child;

  if (f->n == 0)
    return NULL;
  packet = f->entry[0].packet;
  e = f->entry[--f->n];
  while ((child = 2 * i + 1) < f->n) {
    if (child + 1 < f->n && before (&f->entry[child + 1], &f->entry[child]))
      child++;
    if (!before (&f->entry[child], &e))
      break;
    f->entry[i] = f->entry[child];
    i = child;
  }
  f->entry[i] = e;
  return packet;
}
