/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The arithmetic on whole blocks, in as many ways as there are kinds of
 * machines. All ways give the same, bit for bit.
 *
 * Samples are errors: differences of samples, in 32nds, within
 * +-M2V_ERROR_MAX. Coefficients are in 32nds too, the transform is
 * orthonormal (13818-2 annex A), and a block of them lies column by column,
 * 8 * u + v, which spares the transform a transposition.
 */
#ifndef MPEG2REQUANTIZE_KERNELS_H
#define MPEG2REQUANTIZE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 256 samples, less one 32nd: so that four of them can be added up. */
#define M2V_ERROR_MAX 8191

/* Inverse quantisation saturates coefficients to -2048..2047 (clause 7.4.3), in
 * 32nds. */
#define M2V_SATURATED_MIN (-2048 * 32)
#define M2V_SATURATED_MAX (2047 * 32)

/* Of a coefficient that is transformed or quantised. */
#define M2V_COEFFICIENT_MAX (1 << 18)

/* Motion compensation (clause 7.6.4). */
typedef struct
{
  const int16_t *from;          /* the vector's whole part applied */
  ptrdiff_t from_stride;
  int16_t *to;
  ptrdiff_t to_stride;
  unsigned width, height;       /* width: 8, 16 */
  bool half_x, half_y;
  /* With what is there (clause 7.6.7). */
  bool average;
  /* Halves up, else down: rounding always the same way would add up. */
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

  /* Sum of the squares of 8x8 samples; by Parseval, of their coefficients. */
  uint32_t (*energy) (const int16_t * samples, ptrdiff_t stride);

  void (*compensate) (const M2vCompensation * c);

  /* sign * floor (|target| / (2 * matrix * scale) + rounding / 8), at most
   * `max` in magnitude; returns which are not 0, bit by bit, and sets these.
   * Others are undefined. scale <= 112, rounding <= 7. */
  uint64_t (*quantise) (const int32_t target[64], const uint8_t matrix[64],
      unsigned scale, unsigned rounding, int max, int16_t levels[64]);
} M2vKernels;

/* All there are, the plainest first; NULL ends them. Whether this machine can
 * run one is not said. */
extern const M2vKernels *const m2v_kernels[];

/* Whether it can. */
bool m2v_kernels_runnable (const M2vKernels * k);

/* The fastest that it can. */
const M2vKernels *m2v_kernels_best (void);

#endif
