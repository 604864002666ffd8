/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "rest.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

void
itcp_rest_init (ItcpRest * r, const ItcpRestParams * params)
{
  r->params = *params;
  r->due = INT64_MIN;
}

int64_t
itcp_rest_look (ItcpRest * r, int64_t now)
{
  int64_t ahead = r->params.at_once * r->params.interval;

  /* No longer than an interval, though looks came during a rest. */
  r->due = MIN (MAX (r->due, now), now + ahead) + r->params.interval;
  return MAX (r->due - ahead, now);
}
