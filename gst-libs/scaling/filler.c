/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <scaling/filler.h>

/* ns at the target; the longest backlog. With less, a large key picture leaves
 * no room for the references behind it; with more, the delay grows.
 * docs/mpeg.md, "Scale policy", has what was measured. */
#define LONGEST_BACKLOG (SCALING_SECOND / 4)

void
scaling_filler_init (ScalingFiller * f)
{
  f->backlog = 0;
}

void
scaling_filler_drain (ScalingFiller * f, int64_t target, int64_t duration)
{
  if (target > 0 && duration > 0)
    f->backlog -= (double) target *duration / SCALING_SECOND;
  if (f->backlog < 0)
    f->backlog = 0;
}

bool
scaling_filler_has_room (const ScalingFiller * f, int64_t target, size_t size)
{
  return f->backlog + 8.0 * size <=
      (double) target *LONGEST_BACKLOG / SCALING_SECOND;
}

void
scaling_filler_add (ScalingFiller * f, size_t size)
{
  f->backlog += 8.0 * size;
}
