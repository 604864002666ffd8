/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "ratelimit.h"

#include "private.h"

void
itcp_rate_limit_init (ItcpRateLimit * l, const ItcpRateLimitParams * params)
{
  l->params = *params;
  l->due = l->pause_until = INT64_MIN;
  l->refused = 0;
}

int64_t
itcp_rate_limit_count (ItcpRateLimit * l, int64_t now)
{
  int64_t ahead = l->params.at_once * l->params.interval;

  /* The pause is not longer than an interval, even if other calls came during
   * it. */
  l->due = MIN (MAX (l->due, now), now + ahead) + l->params.interval;
  return MAX (l->due - ahead, now);
}

bool
itcp_rate_limit_allow (ItcpRateLimit * l, int64_t now, unsigned *refused)
{
  *refused = l->refused;
  if (now < l->pause_until) {
    l->refused++;
    return false;
  }
  l->refused = 0;
  l->pause_until = itcp_rate_limit_count (l, now);
  return true;
}
