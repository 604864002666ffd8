/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether a rise of the media rate fills a queue in the network, which is known
 * long before TCP is behind: its window has to fill first. The least smoothed
 * round trip from tick to tick, which pictures of unequal sizes do not touch,
 * tells of a queue that stands. Only growth counts, for what stands may be
 * other flows'. So may what grows: where it goes on to grow behind all that was
 * taken back, that is given back, and the round trip is not listened to until the
 * rate has come to the base. Of waves that return again and again only large ones
 * count, and after so many in a row none does until then: either the rate comes
 * to the base among them, or TCP is behind indeed.
 */
#ifndef ITCP_CORE_QUEUE_H
#define ITCP_CORE_QUEUE_H

#include "types.h"

/* What smoothing and waves of other flows may be; at once the least queue that
 * counts as one. */
#define ITCP_QUEUE_LEAST (20 * ITCP_MSECOND)
#define ITCP_QUEUE_MOST_STEPS 5 /* in a wave; the first, of the rise, is two */
#define ITCP_QUEUE_SLOW 4       /* ticks; then another step lets it drain */
#define ITCP_QUEUE_PATIENCE 12  /* ticks until it has drained */
#define ITCP_QUEUE_WAVES 4      /* until they have to be twice as large */
#define ITCP_QUEUE_MOST_WAVES 20
#define ITCP_QUEUE_DEAF 4       /* ticks at the base */

typedef enum
{
  ITCP_QUEUE_CLEAR,             /* go on */
  ITCP_QUEUE_GREW,              /* take the rise back, and a step more */
  ITCP_QUEUE_GROWS,             /* or does not drain: another step */
  ITCP_QUEUE_DRAINS,            /* wait */
  ITCP_QUEUE_OTHERS             /* give back what was taken */
} ItcpQueueVerdict;

typedef struct
{
  int64_t least, before;        /* round trip since the last tick, and before
                                   it, ns; 0 = unknown */
  int64_t stood;                /* the least of all, ns; 0 = unknown */
  bool drained;                 /* to about that, at the last tick */
  unsigned steps;               /* taken back in this wave; 0 = there is none */
  unsigned waited;              /* ticks that it did not grow in this wave */
  unsigned deaf;                /* ticks at the base that it still is */
  unsigned waves;               /* that grew */
} ItcpQueue;

/* After an event too, whose round trips are those of a recovery. */
void itcp_queue_init (ItcpQueue * q);
/* A round trip, smoothed (ns); 0 = unknown. */
void itcp_queue_look (ItcpQueue * q, int64_t rtt);
/* Forgets those since the last tick. */
void itcp_queue_look_anew (ItcpQueue * q);
/* rose: the rate was raised with the last tick that changed it; at_base: to the
 * base; limit: ns of growth since the last tick that count. */
ItcpQueueVerdict itcp_queue_tick (ItcpQueue * q, bool rose, bool at_base,
    int64_t limit);
/* There were waves: a few ticks that find nothing say little. */
bool itcp_queue_doubts (const ItcpQueue * q);

#endif
