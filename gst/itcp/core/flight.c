/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "flight.h"

#include "private.h"

void
itcp_flight_init (ItcpFlight * f)
{
  f->first = f->n = 0;
}

static unsigned
place (const ItcpFlight * f, unsigned i)
{
  return (f->first + i) % ITCP_FLIGHT_MARKS;
}

/* Moves the newest mark to a later time: nothing has left since the last look,
 * or nothing before `first`. */
static void
refine (ItcpFlight * f, const ItcpFlightSample * t)
{
  unsigned newest = place (f, f->n - 1);
  int64_t until = t->at;

  if (t->sent > f->marks[newest].sent)
    until = MIN (until, t->first);      /* an unknown time is not later */
  if (until > f->marks[newest].at)
    f->marks[newest].at = until;
}

/* Adds a mark. If there is no room, the newest mark is dropped. Data that left
 * after it then gets the time of the mark before, which is never too late. */
static void
keep (ItcpFlight * f, const ItcpFlightSample * t)
{
  unsigned i;

  if (f->n > 0) {
    refine (f, t);
    if (t->sent <= f->marks[place (f, f->n - 1)].sent)
      return;
  }
  if (f->n < ITCP_FLIGHT_MARKS)
    f->n++;
  i = place (f, f->n - 1);
  f->marks[i].sent = t->sent;
  f->marks[i].at = t->at;
}

int64_t
itcp_flight_look (ItcpFlight * f, const ItcpFlightSample * t)
{
  keep (f, t);
  while (f->n > 1 && f->marks[place (f, 1)].sent <= t->acked) {
    f->first = place (f, 1);
    f->n--;
  }
  if (t->min_rtt <= 0 || t->min_rtt > ITCP_MAX_TIME
      || f->marks[f->first].sent > t->acked)
    return INT64_MIN;
  return f->marks[f->first].at + t->min_rtt;
}
