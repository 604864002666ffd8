/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds that TCP sends less than it is given, long before its retransmission
 * timer does: what it has not sent yet grew over two ticks to more than
 * a picture. A single look does not do, for bbr always keeps some unsent.
 * Ticks in which nothing was written do not count, for pictures may come at
 * longer intervals than ticks do.
 */
#ifndef ITCP_CORE_BACKLOG_H
#define ITCP_CORE_BACKLOG_H

#include "types.h"

#define ITCP_BACKLOG_TICK (33 * ITCP_MSECOND)

typedef struct
{
  int64_t before[2];            /* unsent bytes one and two ticks ago, what was
                                   left of them before more was written */
  unsigned n;                   /* how many of them are known */
  int64_t reported;             /* unsent when last reported; 0 = it has been
                                   below a picture since */
  int64_t written;              /* a tick with any, smoothed; 0 = unknown */
} ItcpBacklog;

void itcp_backlog_init (ItcpBacklog * b);
/* written: bytes since the last tick; rate: of the media, bits/s, 0 = unknown.
 * True: congestion; again only where the backlog has doubled since, or was
 * gone in between. */
bool itcp_backlog_tick (ItcpBacklog * b, int64_t unsent, int64_t written,
    int64_t rate);

#endif
