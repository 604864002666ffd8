/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Uses what a target leaves between two scales: pictures of the next higher
 * scale pass while a queue that is emptied at the target stays short. What the
 * scale itself passes fills that queue too, so that over a while no more than
 * the target leaves.
 */
#ifndef SCALING_FILLER_H
#define SCALING_FILLER_H

#include <scaling/picture.h>

typedef struct
{
  double backlog;               /* bits */
} ScalingFiller;

void scaling_filler_init (ScalingFiller * f);

/* Time passes: what is left after `duration` ns at target bits per second. */
void scaling_filler_drain (ScalingFiller * f, int64_t target, int64_t duration);

/* Whether a picture beyond the scale may pass. */
bool scaling_filler_has_room (const ScalingFiller * f, int64_t target,
    size_t size);

/* A picture has passed, for whatever reason. */
void scaling_filler_add (ScalingFiller * f, size_t size);

#endif
