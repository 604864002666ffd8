/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "backlog.h"

void
itcp_backlog_init (ItcpBacklog * b)
{
  b->before[0] = b->before[1] = 0;
  b->n = 0;
  b->reported = 0;
}

bool
itcp_backlog_tick (ItcpBacklog * b, int64_t unsent, int64_t picture)
{
  bool grows = b->n == 2 && unsent > b->before[0]
      && b->before[0] > b->before[1];
  bool found;

  if (unsent <= picture)
    b->reported = 0;
  found = grows && unsent > picture && unsent / 2 >= b->reported;
  if (found)
    b->reported = unsent;

  b->before[1] = b->before[0];
  b->before[0] = unsent;
  if (b->n < 2)
    b->n++;
  return found;
}
