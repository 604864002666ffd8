/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * TM5's step 2, and quantisers and their codes. For tm5.c only.
 */
#ifndef RATECONTROL_TM5QUANTISER_H
#define RATECONTROL_TM5QUANTISER_H

#include <ratecontrol/tm5.h>

/* Sets the quantiser that the current picture starts with. Its target must be
 * set. */
void tm5_quantiser_begin (Tm5 * tm5);

/* Returns the quantiser if a share `done` of the picture is `ahead` bits ahead
 * of its target. */
double tm5_quantiser_now (const Tm5 * tm5, double done, double ahead);

/* Learns from a picture that was recoded to so many bits with that mean
 * quantiser. */
void tm5_quantiser_learn (Tm5 * tm5, double bits, double quantiser);

/* Returns the code, up to max_code, whose quantiser_scale is nearest to twice
 * the model's quantiser. */
unsigned tm5_nearest_code (bool q_scale_type, double quantiser,
    unsigned max_code);

#endif
