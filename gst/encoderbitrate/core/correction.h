/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How much an encoder makes of the bitrate that it is told, and what to tell it
 * so that it makes what is wanted.
 *
 * The ratio is measured against what the encoder was told, correction included.
 * So a correction does not change what is measured of an encoder that makes a
 * constant part of what it is told, and nothing can oscillate. What an encoder
 * is late by moves the ratio a little, for a moment.
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
  double told;                  /* bits/s, 0 = nothing yet */
  double followed;              /* `told`, low-passed: what is steady about it */
  double ratio;                 /* made over told, low-passed */
  bool started;
  int64_t last_at;              /* time of the last frame, ns */
  int64_t settled_at;           /* the encoder follows the last change, ns */
  /* of the present piece of time: s, and bits */
  double piece_time, piece_told, piece_made;
} EncoderCorrection;

/* Starts anew: another encoder. */
void encoder_correction_init (EncoderCorrection * c);
/* The encoder is told this bitrate from now on. */
void encoder_correction_told (EncoderCorrection * c, double bitrate);
/* The encoder made a frame or a part of one. `at` is its decoding time, ns. */
void encoder_correction_made (EncoderCorrection * c, int64_t at, size_t bytes);
/* Returns the factor for what is wanted: 1 while nothing is known. */
double encoder_correction_factor (const EncoderCorrection * c);

#endif
