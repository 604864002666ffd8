/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/drain.h>

void
psp_drain_init (PspDrain * d, int64_t now)
{
  d->from = d->to = 0;
  d->ended_at = now;
}

bool
psp_drain_is_on (const PspDrain * d)
{
  return d->to == INT64_MAX;
}

bool
psp_drain_covers (const PspDrain * d, int64_t index)
{
  return index >= d->from && index < d->to;
}

void
psp_drain_run (PspDrain * d, const PspDrainInput * in)
{
  int64_t since = MAX (in->base_rtt_at, d->ended_at);

  if (psp_drain_is_on (d)) {
    if (in->keeps_queue && in->newest_index < d->from)
      return;
    d->to = in->next_index;
    d->ended_at = in->now;
  } else if (in->life > 0 && in->keeps_queue
      && in->now - since >= in->life / 4 * 3) {
    d->from = in->next_index;
    d->to = INT64_MAX;
  }
}
