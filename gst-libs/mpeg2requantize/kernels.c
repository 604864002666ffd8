/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The plain kernels, and the choice of kernels.
 */
#include <mpeg2requantize/kernels.h>

#include <math.h>
#include <string.h>

#include <mpeg2requantize/kernelscale.h>

/* What transform1d.h needs: here a vector is one number, for any machine. */
typedef float Vector;
#define VECTOR_OF(x) (x)
#define TARGET
#include <mpeg2requantize/transform1d.h>

static void
forward (const int16_t * samples, ptrdiff_t stride, int32_t coefficients[64])
{
  float column[8], rows[8][8];  /* [v][x] */

  for (unsigned x = 0; x < 8; x++) {
    for (unsigned y = 0; y < 8; y++)
      column[y] = samples[(ptrdiff_t) y * stride + (ptrdiff_t) x];
    transform_forward (column);
    for (unsigned v = 0; v < 8; v++)
      rows[v][x] = column[v];
  }
  for (unsigned v = 0; v < 8; v++) {
    transform_forward (rows[v]);
    for (unsigned u = 0; u < 8; u++)
      coefficients[8 * u + v] = (int32_t) lrintf (rows[v][u]
          * m2v_forward_scale[8 * u + v]);
  }
}

static inline int16_t
saturate (long value)
{
  return (int16_t) (value > M2V_ERROR_MAX ? M2V_ERROR_MAX
      : value < -M2V_ERROR_MAX ? -M2V_ERROR_MAX : value);
}

static void
inverse (const int32_t coefficients[64], int16_t * samples, ptrdiff_t stride)
{
  float row[8], columns[8][8];  /* [x][v] */

  for (unsigned v = 0; v < 8; v++) {
    for (unsigned u = 0; u < 8; u++)
      row[u] = (float) coefficients[8 * u + v] * m2v_inverse_scale[8 * u + v];
    transform_inverse (row);
    for (unsigned x = 0; x < 8; x++)
      columns[x][v] = row[x];
  }
  for (unsigned x = 0; x < 8; x++) {
    transform_inverse (columns[x]);
    for (unsigned y = 0; y < 8; y++)
      samples[(ptrdiff_t) y * stride + (ptrdiff_t) x] =
          saturate (lrintf (columns[x][y]));
  }
}

static void
clear (int32_t coefficients[64])
{
  memset (coefficients, 0, 64 * sizeof *coefficients);
}

static uint32_t
energy (const int16_t * samples, ptrdiff_t stride)
{
  uint32_t sum = 0;

  for (unsigned y = 0; y < 8; y++) {
    for (unsigned x = 0; x < 8; x++)
      sum += (uint32_t) (samples[x] * samples[x]);
    samples += stride;
  }
  return sum;
}

static void
compensate (const M2vCompensation * c)
{
  const int16_t *from = c->from;
  ptrdiff_t below = c->half_y ? c->from_stride : 0;
  unsigned right = c->half_x;
  /* Always 4 samples are added: without half_x or half_y two count twice, or
   * one four times. */
  int add = c->half_x && c->half_y ? 1 + c->up : 2 * c->up;
  int16_t *to = c->to;

  for (unsigned y = 0; y < c->height; y++) {
    for (unsigned x = 0; x < c->width; x++) {
      const int16_t *lower = from + below;
      int value = (from[x] + from[x + right] + lower[x] + lower[x + right]
          + add) >> 2;

      to[x] = (int16_t) (c->average ? (to[x] + value + c->up) >> 1 : value);
    }
    from += c->from_stride;
    to += c->to_stride;
  }
}

static void
add (const int16_t block[64], int16_t * samples, ptrdiff_t stride)
{
  for (unsigned i = 0; i < 64; i++) {
    int16_t *to = &samples[(ptrdiff_t) (i / 8) * stride + (ptrdiff_t) (i % 8)];
    int value = *to + ((block[i] + 16) >> 5);

    *to = (int16_t) (value < 0 ? 0 : value > 255 ? 255 : value);
  }
}

static void
average (const int16_t * a, const int16_t * b, int16_t * to, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    to[i] = (int16_t) ((a[i] + b[i] + 1) >> 1);
}

static uint32_t
distance (const int16_t * a, const int16_t * b, unsigned n)
{
  uint32_t sum = 0;

  for (unsigned i = 0; i < n; i++)
    sum += (uint32_t) ((a[i] - b[i]) * (a[i] - b[i]));
  return sum;
}

static uint64_t
quantise (const int32_t target[64], const uint8_t matrix[64], unsigned scale,
    unsigned rounding, int max, int16_t levels[64])
{
  uint64_t present = 0;

  for (unsigned i = 0; i < 64; i++) {
    unsigned step = 2 * scale * matrix[i];
    unsigned magnitude = (unsigned) (target[i] < 0 ? -target[i] : target[i]);
    unsigned eighths = 8 * magnitude + rounding * step;
    int level;

    if (eighths < 8 * step)
      continue;
    level = (int) (eighths / (8 * step));
    level = level < max ? level : max;
    levels[i] = (int16_t) (target[i] < 0 ? -level : level);
    present |= UINT64_C (1) << i;
  }
  return present;
}

static const M2vKernels plain = {
  .name = "plain",
  .forward = forward,
  .inverse = inverse,
  .clear = clear,
  .energy = energy,
  .compensate = compensate,
  .add = add,
  .average = average,
  .distance = distance,
  .quantise = quantise
};

const M2vKernels *const m2v_kernels[] = {
  &plain,
#ifdef M2V_HAVE_X86
  &m2v_kernels_sse41,
  &m2v_kernels_avx2,
#endif
  NULL
};

bool
m2v_kernels_runnable (const M2vKernels * k)
{
#ifdef M2V_HAVE_X86
  if (k == &m2v_kernels_sse41)
    return __builtin_cpu_supports ("sse4.1");
  if (k == &m2v_kernels_avx2)
    return __builtin_cpu_supports ("avx2");
#endif
  return k == &plain;
}

const M2vKernels *
m2v_kernels_best (void)
{
  const M2vKernels *best = &plain;

  for (unsigned i = 0; m2v_kernels[i]; i++) {
    if (m2v_kernels_runnable (m2v_kernels[i]))
      best = m2v_kernels[i];
  }
  return best;
}
