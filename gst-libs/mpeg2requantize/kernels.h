/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The arithmetic on whole blocks, in one implementation for each kind of
 * machine. All have the same results, bit for bit.
 *
 * Samples are errors: differences of samples, in 32nds, within
 * +-M2V_ERROR_MAX. "Decoded" samples are 0 to 255. Coefficients are in 32nds
 * too, and the transform is orthonormal (13818-2 annex A). A block of them is
 * stored column by column, 8 * u + v, so that the transform needs one
 * transposition less.
 */
#ifndef MPEG2REQUANTIZE_KERNELS_H
#define MPEG2REQUANTIZE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest error: 256 sample steps less one 32nd, so that the sum of four errors
 * fits into 16 bits. */
#define M2V_ERROR_MAX 8191

/* The lowest coefficient after inverse quantisation, which saturates to
 * -2048..2047 (clause 7.4.3), in 32nds. */
#define M2V_SATURATED_MIN (-2048 * 32)
/* The highest coefficient after inverse quantisation, in 32nds. */
#define M2V_SATURATED_MAX (2047 * 32)

/* Largest magnitude of a coefficient that is transformed or quantised. */
#define M2V_COEFFICIENT_MAX (1 << 18)

/* Motion compensation (clause 7.6.4). */
typedef struct
{
  /* first sample; the vector's integer part is applied */
  const int16_t *from;
  ptrdiff_t from_stride;
  int16_t *to;
  ptrdiff_t to_stride;
  unsigned width, height;       /* samples; the width is 8 or 16 */
  bool half_x, half_y;          /* the vector has a half sample */
  /* The result is averaged with the samples at `to` (clause 7.6.7). */
  bool average;
  /* Halves are rounded up, as a decoder does, otherwise down. Errors would
   * accumulate if they were always rounded alike. */
  bool up;
} M2vCompensation;

typedef struct
{
  const char *name;

  void (*forward) (const int16_t * samples, ptrdiff_t stride,
      int32_t coefficients[64]);
  void (*inverse) (const int32_t coefficients[64], int16_t * samples,
      ptrdiff_t stride);

  void (*clear) (int32_t coefficients[64]);

  /* Returns the sum of the squares of 8x8 samples; by Parseval, of their
   * coefficients. */
  uint32_t (*energy) (const int16_t * samples, ptrdiff_t stride);

  void (*compensate) (const M2vCompensation * c);

  /* Adds a block in 32nds to decoded samples (clause 7.6.8). */
  void (*add) (const int16_t block[64], int16_t * samples, ptrdiff_t stride);

  /* Averages n decoded samples of two predictions (clause 7.6.7); n is a
   * multiple of 8. */
  void (*average) (const int16_t * a, const int16_t * b, int16_t * to,
      unsigned n);

  /* Returns the sum of the squared differences of n decoded samples; n is a
   * multiple of 8, up to 512. */
  uint32_t (*distance) (const int16_t * a, const int16_t * b, unsigned n);

  /* Sets levels to sign * floor (|target| / (2 * matrix * scale) + rounding /
   * 8), at most `max` in magnitude. Returns which are not 0, bit by bit; the
   * others are undefined. scale <= 112, rounding <= 7. */
  uint64_t (*quantise) (const int32_t target[64], const uint8_t matrix[64],
      unsigned scale, unsigned rounding, int max, int16_t levels[64]);
} M2vKernels;

/* All kernels, from the slowest to the fastest; NULL ends the list. This
 * machine may not be able to run all of them. */
extern const M2vKernels *const m2v_kernels[];

/* True if this machine can run the kernels. */
bool m2v_kernels_runnable (const M2vKernels * k);

/* Returns the fastest kernels that this machine can run. */
const M2vKernels *m2v_kernels_best (void);

#endif
