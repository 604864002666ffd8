/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Chooses the scale that fits a target bitrate. It measures on the source what
 * rate each scale would have had over the last groups, and has hysteresis.
 */
#ifndef SCALING_FIT_H
#define SCALING_FIT_H

#include <scaling/policy.h>

/* Number of groups (key picture to key picture) that a rate is the mean of. */
#define SCALING_FIT_GROUPS 4

typedef struct ScalingFit ScalingFit;

/* Returns NULL if memory runs out. */
ScalingFit *scaling_fit_new (void);
void scaling_fit_free (ScalingFit * f);

/* Forgets the last choice and the rates. */
void scaling_fit_reset (ScalingFit * f);

/* Forgets the last choice, because something else than a target has chosen the
 * pictures since. */
void scaling_fit_restart (ScalingFit * f);

/* Adds a picture; call it for each one in coded order. `lowest_scale` is that
 * of the policy. The scales below emit `replaced_size` bytes for the picture:
 * 0, or the size of its replacement. */
void scaling_fit_add (ScalingFit * f, const ScalingPicture * picture,
    unsigned lowest_scale, size_t replaced_size);

/* Returns how many bits per second of the source the scale passes; 0 = not
 * known yet. */
int64_t scaling_fit_rate (const ScalingFit * f, unsigned scale);

/* Chooses the scale for `target` bits per second; 0 = stop. Falls at once if
 * the current scale does not fit. Climbs only if the higher scale has fitted
 * with a margin for a while. Returns 0..4, or -1 if not even scale 0 fits: then
 * *share (0..1) of the groups may pass; otherwise *share is 1. Target 0 gives
 * -1 and 0. */
int scaling_fit_scale (ScalingFit * f, int64_t target, double *share);

#endif
