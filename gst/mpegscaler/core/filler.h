/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Uses what a target leaves between two scales: frames of the next higher
 * scale pass while a queue that is emptied at the target stays short. What the
 * scale itself passes fills that queue too, so that over a while no more than
 * the target leaves.
 */
#ifndef SCALER_FILLER_H
#define SCALER_FILLER_H

#include "types.h"

typedef struct
{
  double backlog;               /* bits */
} ScalerFiller;

void scaler_filler_init (ScalerFiller * f);

/* Time passes: what is left after `duration` ns at target bits per second. */
void scaler_filler_drain (ScalerFiller * f, int64_t target, int64_t duration);

/* Whether a frame beyond the scale may pass. */
bool scaler_filler_has_room (const ScalerFiller * f, int64_t target,
    size_t size);

/* A frame has passed, for whatever reason. */
void scaler_filler_add (ScalerFiller * f, size_t size);

#endif
