/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Limits how often something may be done: a few times at once, and on average
 * not more than once per interval (the virtual scheduling of GCRA, ITU-T I.371,
 * Annex A).
 */
#ifndef ITCP_CORE_RATELIMIT_H
#define ITCP_CORE_RATELIMIT_H

#include "types.h"

typedef struct
{
  int64_t interval;             /* ns, > 0 */
  /* above 0; one more is allowed before a pause */
  unsigned at_once;
} ItcpRateLimitParams;

typedef struct
{
  ItcpRateLimitParams params;
  int64_t due;                  /* when the next time would conform */
  /* end of the pause after the last time that was allowed */
  int64_t pause_until;
  /* refusals since the last time that was allowed */
  unsigned refused;
} ItcpRateLimit;

void itcp_rate_limit_init (ItcpRateLimit * l,
    const ItcpRateLimitParams * params);
/* Counts what is done at `now` (ns), allowed or not. Returns until when it
 * should not be done again; `now` if it may be done at once. */
int64_t itcp_rate_limit_count (ItcpRateLimit * l, int64_t now);
/* Returns true if it may be done at `now`, and counts it. `refused` is the
 * number of refusals since the last time that was allowed. */
bool itcp_rate_limit_allow (ItcpRateLimit * l, int64_t now, unsigned *refused);

#endif
