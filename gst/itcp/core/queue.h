/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether a rise of the media rate fills a queue in the network, which is known
 * long before TCP is behind: its window has to fill first. The least smoothed
 * round trip from tick to tick, which pictures of unequal sizes do not touch,
 * tells of a queue that stands. Only growth counts, for what stands may be
 * other flows'. So may what grows: where it goes on to grow behind five steps
 * down these are given back, and the round trip is not looked at for a while.
 * Of waves that return again and again only large ones count, and after so many
 * in a row none does for a while: either the rate comes to the base among them,
 * or TCP is behind indeed.
 */
#ifndef ITCP_CORE_QUEUE_H
#define ITCP_CORE_QUEUE_H

#include "types.h"

/* What smoothing and waves of other flows may be; at once the least queue that
 * counts as one. */
#define ITCP_QUEUE_LEAST (20 * ITCP_MSECOND)
#define ITCP_QUEUE_MOST_STEPS 5 /* down */
#define ITCP_QUEUE_SLOW 4       /* ticks; then another step lets it drain */
#define ITCP_QUEUE_PATIENCE 12  /* ticks until it has drained */
#define ITCP_QUEUE_WAVES 4      /* until they have to be twice as large */
#define ITCP_QUEUE_MOST_WAVES 20
#define ITCP_QUEUE_DEAF 16      /* ticks: the way from alpha to the base, nearly
                                   twice */

typedef enum
{
  ITCP_QUEUE_CLEAR,             /* go on */
  ITCP_QUEUE_GREW,              /* back to what it was drained at, less
                                   a step; the rise at least, five steps at
                                   the most */
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
  unsigned steps;               /* taken back; 0 = it does not grow */
  unsigned waited, deaf;        /* ticks; left */
  unsigned waves;               /* that grew */
} ItcpQueue;

/* After an event too, whose round trips are those of a recovery. */
void itcp_queue_init (ItcpQueue * q);
/* A round trip, smoothed (ns); 0 = unknown. */
void itcp_queue_look (ItcpQueue * q, int64_t rtt);
/* Forgets those since the last tick. */
void itcp_queue_look_anew (ItcpQueue * q);
/* rose: the rate was raised with the last tick; limit: growth since then that
 * would be expected of that (ns). */
ItcpQueueVerdict itcp_queue_tick (ItcpQueue * q, bool rose, int64_t limit);
/* A tick that finds nothing does not say that there is nothing. */
bool itcp_queue_doubts (const ItcpQueue * q);

#endif
