/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "stall.h"

#include "detector.h"
#include "private.h"

/* ns. A receiver acknowledges two segments at once, and a single one within 200
 * ms (Linux; 500 ms at most by RFC 5681, 4.2). */
#define DELAYED (200 * PSP_MSECOND)

void
itcp_stall_init (ItcpStall * s)
{
  s->first = s->n = 0;
  s->reported = false;
  s->acked = 0;
}

static unsigned
place (const ItcpStall * s, unsigned i)
{
  return (s->first + i) % ITCP_STALL_MARKS;
}

/* Removes what is acknowledged and adds what has left since. If there is no
 * room, the newest mark gets a later time, which never reports a stall too
 * early. */
static void
keep (ItcpStall * s, const ItcpStallSample * t)
{
  uint64_t newest;
  unsigned i;

  while (s->n > 0 && s->marks[s->first].sent <= t->acked) {
    s->first = place (s, 1);
    s->n--;
  }
  newest = s->n > 0 ? s->marks[place (s, s->n - 1)].sent : t->acked;
  if (t->sent <= newest)
    return;
  if (s->n < ITCP_STALL_MARKS)
    s->n++;
  i = place (s, s->n - 1);
  s->marks[i].sent = t->sent;
  s->marks[i].at = t->at - MIN (MAX (t->since_sent, 0), ITCP_MAX_TIME);
}

static int64_t
allowed (const ItcpStallSample * t)
{
  return MAX (4 * MIN (MAX (t->deviation, 0), ITCP_MAX_TIME), ITCP_STALL_LEAST);
}

/* Returns when the first unacknowledged data will be late. */
static int64_t
late_at (const ItcpStall * s, const ItcpStallSample * t)
{
  int64_t found = PSP_TIME_NEVER;

  for (unsigned i = 0; i < s->n; i++) {
    uint64_t sent = s->marks[place (s, i)].sent;
    int64_t at = s->marks[place (s, i)].at + MIN (t->rtt, ITCP_MAX_TIME)
        + allowed (t);

    if (sent - t->acked >= 2 * (uint64_t) t->mss)
      return MIN (found, at);
    found = MIN (found, at + DELAYED);
  }
  return found;
}

bool
itcp_stall_sample (ItcpStall * s, const ItcpStallSample * t, int64_t * due)
{
  if (t->acked != s->acked)
    s->reported = false;
  s->acked = t->acked;
  keep (s, t);
  *due = PSP_TIME_NEVER;
  /* In recovery and after a timeout TCP itself has reported it. */
  if (s->reported || t->rtt <= 0 || t->ca_state >= ITCP_CA_RECOVERY)
    return false;
  *due = late_at (s, t);
  if (*due == PSP_TIME_NEVER)
    return false;
  /* Acknowledgements that continue, for any data, are not a stall. */
  *due = MAX (*due, t->at - MAX (t->since_ack, 0) + allowed (t));
  if (t->at < *due)
    return false;
  s->reported = true;
  *due = PSP_TIME_NEVER;
  return true;
}
