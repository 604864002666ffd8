/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which scale fits a target bitrate: the rates that each scale would have had
 * over the last groups, measured on the source, with hysteresis.
 */
#ifndef SCALER_FIT_H
#define SCALER_FIT_H

#include "policy.h"

/* Groups (I to I) the rates are measured over. */
#define SCALER_FIT_GROUPS 4

typedef struct ScalerFit ScalerFit;

/* NULL where memory is short. */
ScalerFit *scaler_fit_new (void);
void scaler_fit_free (ScalerFit * f);

/* Forgets the rates too. */
void scaler_fit_reset (ScalerFit * f);

/* Something else has ruled meanwhile: the next choice owes nothing to the
 * last. */
void scaler_fit_restart (ScalerFit * f);

/* Once a frame, in coded order; `lowest_scale` as the policy gave it, and what
 * the scales below emit for the frame: 0, or the size of its replacement. */
void scaler_fit_add (ScalerFit * f, const MpegFrame * frame,
    unsigned lowest_scale, size_t replaced_size);

/* What passing the frame just added comes to, where something behind makes it
 * smaller: what else has been and will be of its lowest scale shrinks
 * likewise. */
void scaler_fit_cost (ScalerFit * f, size_t cost);

/* They cost their size again. */
void scaler_fit_forget_costs (ScalerFit * f);

/* Bits per second of the source that scale passes; 0: not known yet. */
int64_t scaler_fit_rate (const ScalerFit * f, unsigned scale);

/* target: bits per second, 0: stop. Falls at once where the present scale does
 * not fit; climbs only where the higher scale has fitted with a margin for a
 * while. Returns 0..4, or -1 where not even scale 0 fits: then *share
 * (0..1) of the groups may pass; else *share is 1. Target 0 gives -1 and 0. */
int scaler_fit_scale (ScalerFit * f, int64_t target, double *share);

#endif
