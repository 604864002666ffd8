/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Uses the bits of a target between two scales: pictures of the next higher
 * scale pass while a queue that drains at the target stays short. The pictures
 * of the scale itself fill that queue too, so that the rate does not exceed the
 * target in the long run.
 */
#ifndef SCALING_FILLER_H
#define SCALING_FILLER_H

#include <scaling/picture.h>

typedef struct
{
  double backlog;               /* bits */
} ScalingFiller;

void scaling_filler_init (ScalingFiller * f);

/* Drains the queue for `duration` ns at target bits per second. */
void scaling_filler_drain (ScalingFiller * f, int64_t target, int64_t duration);

/* True if a picture beyond the scale may pass. */
bool scaling_filler_has_room (const ScalingFiller * f, int64_t target,
    size_t size);

/* Adds a picture that has passed, for whatever reason. */
void scaling_filler_add (ScalingFiller * f, size_t size);

#endif
