/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How long to let be what segments that leave as they should have queued: each
 * would wake, and at 20 Mb/s, paced, one leaves every 0.6 ms. Some looks at once,
 * and on the average not more than one in each interval (the virtual scheduling
 * of GCRA, ITU-T I.371, Annex A). How many events that makes late, and how much,
 * was measured: tests/benchmarks/itcp-detection.py.
 *
 * It costs nothing where a look finds disorder before recovery or loss, for then
 * there is no rest; up to a rest where one acknowledgement tells of all, or
 * where a timer expires amid segments that leave.
 */
#ifndef ITCP_CORE_REST_H
#define ITCP_CORE_REST_H

#include "types.h"

typedef struct
{
  int64_t interval;             /* ns, > 0 */
  unsigned at_once;             /* looks, > 0 */
} ItcpRestParams;

/* Where segments leave in bursts, and one by one at times only. */
#define ITCP_REST_BURSTS { 8 * ITCP_MSECOND, 16 }
/* Where all are paced: more at once would be used up with each picture, and rests
 * are short instead. */
#define ITCP_REST_PACED { 4 * ITCP_MSECOND, 1 }

typedef struct
{
  ItcpRestParams params;
  int64_t due;                  /* when the next look would be on time */
} ItcpRest;

void itcp_rest_init (ItcpRest * r, const ItcpRestParams * params);
/* Counts a look at `now` (ns): until when there is to be no other; `now` where it
 * may come at once. */
int64_t itcp_rest_look (ItcpRest * r, int64_t now);

#endif
