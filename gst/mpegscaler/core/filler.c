/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "filler.h"

/* What the queue may come to hold: less, and a large I leaves no room for the P
 * frames behind it; more, and it adds to the delay. docs/mpeg.md, "Scale
 * policy", has what was measured. */
#define LONGEST_BACKLOG (MPEG_SECOND / 4)

void
scaler_filler_init (ScalerFiller * f)
{
  f->backlog = 0;
}

void
scaler_filler_drain (ScalerFiller * f, int64_t target, int64_t duration)
{
  if (target > 0 && duration > 0)
    f->backlog -= (double) target *duration / MPEG_SECOND;
  if (f->backlog < 0)
    f->backlog = 0;
}

bool
scaler_filler_has_room (const ScalerFiller * f, int64_t target, size_t size)
{
  return f->backlog + 8.0 * size <=
      (double) target *LONGEST_BACKLOG / MPEG_SECOND;
}

void
scaler_filler_add (ScalerFiller * f, size_t size)
{
  f->backlog += 8.0 * size;
}
