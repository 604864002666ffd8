/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Detects that a rise of the media rate fills a queue in the network. That is
 * known long before TCP falls behind, because TCP's window has to fill first.
 * The smallest smoothed round trip between two ticks shows a standing queue;
 * pictures of unequal sizes do not affect it.
 *
 * Only growth counts, because other flows may cause a standing queue. Other
 * flows may also cause growth: if the queue keeps growing after all steps were
 * taken back, these steps are given back, and the round trip is ignored until
 * the rate has reached the base. Of waves that return repeatedly only large
 * ones count. After too many in a row none counts until then: either the rate
 * reaches the base among them, or TCP really falls behind.
 */
#ifndef ITCP_CORE_QUEUE_H
#define ITCP_CORE_QUEUE_H

#include "types.h"

/* ns. Smoothing and waves of other flows may add this much. It is also the
 * smallest queue that counts. */
#define ITCP_QUEUE_LEAST (20 * PSP_MSECOND)
/* The limit on steps taken back in a wave; the first one, of the rise, counts
 * as two. */
#define ITCP_QUEUE_MOST_STEPS 5
/* Ticks that a queue may stand before another step lets it drain. */
#define ITCP_QUEUE_SLOW 4
/* Ticks that a queue has for draining; other flows cause what remains after
 * them. */
#define ITCP_QUEUE_DRAIN_TICKS 12
/* Waves in a row after which a wave counts only if it is twice as large. */
#define ITCP_QUEUE_WAVES 4
/* Waves in a row after which no wave counts for a while. */
#define ITCP_QUEUE_MOST_WAVES 20
/* Ticks at the base for which the round trip is ignored after too many waves,
 * or after steps were given back. */
#define ITCP_QUEUE_IGNORED 4

typedef enum
{
  ITCP_QUEUE_CLEAR,             /* no queue: go on */
  ITCP_QUEUE_GREW,              /* take back the rise and one more step */
  /* the queue grows or does not drain: take back another step */
  ITCP_QUEUE_GROWS,
  ITCP_QUEUE_DRAINS,            /* the queue drains: wait */
  ITCP_QUEUE_OTHERS             /* other flows: give back the steps taken */
} ItcpQueueVerdict;

typedef struct
{
  /* ns; smallest round trip since the last tick, and before it; 0 = unknown */
  int64_t least, before;
  int64_t stood;                /* ns; smallest of all; 0 = unknown */
  /* the round trip was close to `stood` at the last tick */
  bool drained;
  unsigned steps;               /* steps taken back in this wave; 0 = no wave */
  unsigned waited;              /* ticks without growth in this wave */
  /* ticks at the base for which no round trip counts */
  unsigned ignored;
  unsigned waves;               /* waves in a row that grew */
} ItcpQueue;

/* Starts anew. It is also called after an event, because its round trips belong
 * to a recovery. */
void itcp_queue_init (ItcpQueue * q);
/* Takes a smoothed round trip (ns); 0 = unknown. */
void itcp_queue_look (ItcpQueue * q, int64_t rtt);
/* Forgets the round trips since the last tick. */
void itcp_queue_look_anew (ItcpQueue * q);
/* `rose` is true if the last tick that changed the rate raised it; `at_base` is
 * true if it raised it to the base. `limit` is the growth in ns since the last
 * tick that counts. */
ItcpQueueVerdict itcp_queue_tick (ItcpQueue * q, bool rose, bool at_base,
    int64_t limit);
/* Returns true if there were waves: a few ticks without a queue then prove
 * little. */
bool itcp_queue_doubts (const ItcpQueue * q);

#endif
