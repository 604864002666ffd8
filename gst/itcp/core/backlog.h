/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Detects that TCP sends less than it is given, long before its retransmission
 * timer expires: the unsent data grew over two ticks to more than a picture. A
 * single look is not enough, because bbr always keeps some data unsent. Ticks
 * without a write do not count, because pictures may come less often than
 * ticks.
 */
#ifndef ITCP_CORE_BACKLOG_H
#define ITCP_CORE_BACKLOG_H

#include "types.h"

/* ns between ticks: a picture's time at 30 per second */
#define ITCP_BACKLOG_TICK (33 * PSP_MSECOND)

typedef struct
{
  /* bytes that were unsent one and two ticks ago, less what was written after
   * that */
  int64_t before[2];
  unsigned n;                   /* how many elements of `before` are known */
  /* bytes unsent when last reported; 0 = fewer than a picture since */
  int64_t reported;
  /* bytes written in a tick that has any, smoothed; 0 = unknown */
  int64_t written;
} ItcpBacklog;

void itcp_backlog_init (ItcpBacklog * b);
/* Looks at the backlog. `written` counts the bytes since the last tick; `rate`
 * is the media's, bits/s, 0 = unknown. Returns true at congestion. It returns
 * true again only if the backlog has doubled since, or was gone in between. */
bool itcp_backlog_tick (ItcpBacklog * b, int64_t unsent, int64_t written,
    int64_t rate);

#endif
