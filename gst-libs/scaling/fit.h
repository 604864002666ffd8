/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which scale fits a target bitrate: the rates that each scale would have had
 * over the last groups, measured on the source, with hysteresis.
 */
#ifndef SCALING_FIT_H
#define SCALING_FIT_H

#include <scaling/policy.h>

/* Groups (key picture to key picture) the rates are measured over. */
#define SCALING_FIT_GROUPS 4

typedef struct ScalingFit ScalingFit;

/* NULL where memory is short. */
ScalingFit *scaling_fit_new (void);
void scaling_fit_free (ScalingFit * f);

/* Forgets the rates too. */
void scaling_fit_reset (ScalingFit * f);

/* Something else has ruled meanwhile: the next choice owes nothing to the
 * last. */
void scaling_fit_restart (ScalingFit * f);

/* Once a picture, in coded order; `lowest_scale` as the policy gave it, and
 * what the scales below emit for the picture: 0, or the size of its
 * replacement. */
void scaling_fit_add (ScalingFit * f, const ScalingPicture * picture,
    unsigned lowest_scale, size_t replaced_size);

/* Bits per second of the source that scale passes; 0: not known yet. */
int64_t scaling_fit_rate (const ScalingFit * f, unsigned scale);

/* target: bits per second, 0: stop. Falls at once where the present scale does
 * not fit; climbs only where the higher scale has fitted with a margin for a
 * while. Returns 0..4, or -1 where not even scale 0 fits: then *share
 * (0..1) of the groups may pass; else *share is 1. Target 0 gives -1 and 0. */
int scaling_fit_scale (ScalingFit * f, int64_t target, double *share);

#endif
