/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How much an encoder makes of the bitrate that it is set to, and what to set it
 * to so that it makes what is wanted.
 *
 * The ratio is measured against the bitrate that was set, correction included.
 * An encoder that makes a constant part of that shows the same ratio whatever the
 * correction is, so nothing can oscillate. An encoder that follows late moves the
 * ratio a little, for a moment.
 */
#ifndef ENCODER_CORRECTION_H
#define ENCODER_CORRECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds of the factor. */
#define ENCODER_CORRECTION_LEAST 0.8
#define ENCODER_CORRECTION_MOST 1.2

typedef struct
{
  double set;                   /* bits/s, 0 = nothing yet */
  double followed;              /* `set`, low-passed: what is steady about it */
  double ratio;                 /* made over set, low-passed */
  bool started;
  int64_t last_at;              /* time of the last frame, ns */
  int64_t settled_at;           /* the encoder follows the last change, ns */
  double piece_time;            /* s of the present piece of time */
  double piece_set;             /* bits in it at the bitrate that was set */
  double piece_made;            /* bits in it that the encoder made */
} EncoderCorrection;

/* Starts anew: another encoder. */
void encoder_correction_init (EncoderCorrection * c);
/* The encoder is set to this bitrate from now on. */
void encoder_correction_set (EncoderCorrection * c, double bitrate);
/* The encoder made a frame or a part of one. `at` is its decoding time, ns. */
void encoder_correction_made (EncoderCorrection * c, int64_t at, size_t bytes);
/* Returns the factor for what is wanted: 1 while nothing is known. */
double encoder_correction_factor (const EncoderCorrection * c);

#endif
