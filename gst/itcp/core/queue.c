/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "queue.h"

#include <string.h>

void
itcp_queue_init (ItcpQueue * q)
{
  memset (q, 0, sizeof *q);
}

void
itcp_queue_look (ItcpQueue * q, int64_t rtt)
{
  if (rtt > 0 && (q->least == 0 || rtt < q->least))
    q->least = rtt;
}

void
itcp_queue_look_anew (ItcpQueue * q)
{
  q->least = 0;
}

static void
ignore_round_trip (ItcpQueue * q)
{
  q->stood = 0;
  q->ignored = ITCP_QUEUE_IGNORED;
}

static ItcpQueueVerdict
begin (ItcpQueue * q, bool grew)
{
  if (!grew)
    return ITCP_QUEUE_CLEAR;
  if (++q->waves > ITCP_QUEUE_MOST_WAVES) {
    q->waves = 0;
    ignore_round_trip (q);
    return ITCP_QUEUE_CLEAR;
  }
  q->steps = 2;
  q->waited = 0;
  return ITCP_QUEUE_GREW;
}

/* Waits until the queue has drained. If that takes long, another step is taken
 * back. */
static ItcpQueueVerdict
wait_for_drain (ItcpQueue * q)
{
  q->waited++;
  if (q->waited % ITCP_QUEUE_SLOW == 0 && q->steps < ITCP_QUEUE_MOST_STEPS) {
    q->steps++;
    return ITCP_QUEUE_GROWS;
  }
  if (q->waited <= ITCP_QUEUE_DRAIN_TICKS)
    return ITCP_QUEUE_DRAINS;
  q->stood = 0;                 /* other flows cause what remains */
  q->steps = 0;
  return ITCP_QUEUE_CLEAR;
}

static ItcpQueueVerdict
go_on (ItcpQueue * q, bool grew)
{
  if (q->least == 0 || (!grew && q->least > q->stood + ITCP_QUEUE_LEAST))
    return wait_for_drain (q);
  if (grew && q->steps < ITCP_QUEUE_MOST_STEPS) {
    q->steps++;
    return ITCP_QUEUE_GROWS;
  }
  q->steps = 0;
  if (!grew)
    return ITCP_QUEUE_CLEAR;
  ignore_round_trip (q);
  return ITCP_QUEUE_OTHERS;
}

static ItcpQueueVerdict
judge (ItcpQueue * q, bool rose, bool at_base, int64_t limit)
{
  int64_t most = limit > ITCP_QUEUE_LEAST ? limit : ITCP_QUEUE_LEAST;
  int64_t growth = q->least > 0 && q->before > 0 ? q->least - q->before : 0;

  if (q->ignored > 0) {
    if (at_base)
      q->ignored--;
    return ITCP_QUEUE_CLEAR;
  }
  if (q->steps > 0)
    return go_on (q, growth > most);
  if (!rose)
    return ITCP_QUEUE_CLEAR;
  if (q->waves >= ITCP_QUEUE_WAVES && !at_base)
    most *= 2;
  return begin (q, growth > most);
}

ItcpQueueVerdict
itcp_queue_tick (ItcpQueue * q, bool rose, bool at_base, int64_t limit)
{
  ItcpQueueVerdict verdict = judge (q, rose, at_base, limit);

  q->drained = false;
  if (q->least == 0)
    return verdict;
  if (q->stood == 0 || q->least < q->stood)
    q->stood = q->least;
  q->drained = q->least <= q->stood + ITCP_QUEUE_LEAST;
  q->before = q->least;
  q->least = 0;
  return verdict;
}

bool
itcp_queue_doubts (const ItcpQueue * q)
{
  return q->waves >= ITCP_QUEUE_WAVES;
}
