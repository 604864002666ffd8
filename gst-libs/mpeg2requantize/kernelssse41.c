/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The kernels for SSE4.1. They are always compiled on x86-64, and used if the
 * machine has SSE4.1 at run time.
 */
#include <mpeg2requantize/kernelscale.h>

#ifdef M2V_HAVE_X86

#include <smmintrin.h>

/* Compiles a function for this kind of machine. */
#define TARGET __attribute__ ((target ("sse4.1")))

/* What transform1d.h needs: a vector, and one of equal numbers. */
typedef __m128 Vector;
#define VECTOR_OF(x) _mm_set1_ps (x)
#include <mpeg2requantize/transform1d.h>
#include <mpeg2requantize/kernels128.h>

/* A block is two times eight vectors: left and right with four columns each, or
 * transposed, upper and lower with four lines each. */
static inline TARGET void
transpose_4 (const __m128 in[4], __m128 out[4])
{
  __m128 low = _mm_unpacklo_ps (in[0], in[1]);
  __m128 low2 = _mm_unpacklo_ps (in[2], in[3]);
  __m128 high = _mm_unpackhi_ps (in[0], in[1]);
  __m128 high2 = _mm_unpackhi_ps (in[2], in[3]);

  out[0] = _mm_movelh_ps (low, low2);
  out[1] = _mm_movehl_ps (low2, low);
  out[2] = _mm_movelh_ps (high, high2);
  out[3] = _mm_movehl_ps (high2, high);
}

static inline TARGET void
transpose (__m128 left[8], __m128 right[8])
{
  __m128 upper[8], lower[8];

  transpose_4 (left, upper);
  transpose_4 (right, upper + 4);
  transpose_4 (left + 4, lower);
  transpose_4 (right + 4, lower + 4);
  UNROLL for (unsigned i = 0; i < 8; i++) {
    left[i] = upper[i];
    right[i] = lower[i];
  }
}

static inline TARGET __m128i
load_4 (const int32_t * p)
{
  return _mm_loadu_si128 ((const __m128i *) p);
}

static TARGET void
forward (const int16_t * samples, ptrdiff_t stride, int32_t coefficients[64])
{
  __m128 left[8], right[8];

  UNROLL for (unsigned y = 0; y < 8; y++) {
    __m128i row = load_8 (samples + (ptrdiff_t) y * stride);

    left[y] = _mm_cvtepi32_ps (_mm_cvtepi16_epi32 (row));
    right[y] = _mm_cvtepi32_ps (_mm_cvtepi16_epi32 (_mm_srli_si128 (row, 8)));
  }
  transform_forward (left);
  transform_forward (right);
  transpose (left, right);
  transform_forward (left);
  transform_forward (right);
  UNROLL for (unsigned u = 0; u < 8; u++) {
    const float *scale = m2v_forward_scale + 8 * u;
    __m128i *out = (__m128i *) (coefficients + 8 * u);

    _mm_storeu_si128 (out, _mm_cvtps_epi32 (left[u] * _mm_loadu_ps (scale)));
    _mm_storeu_si128 (out + 1,
        _mm_cvtps_epi32 (right[u] * _mm_loadu_ps (scale + 4)));
  }
}

static TARGET void
inverse (const int32_t coefficients[64], int16_t * samples, ptrdiff_t stride)
{
  const __m128i max = _mm_set1_epi16 (M2V_ERROR_MAX);
  const __m128i min = _mm_set1_epi16 (-M2V_ERROR_MAX);
  __m128 upper[8], lower[8];

  UNROLL for (unsigned u = 0; u < 8; u++) {
    const float *scale = m2v_inverse_scale + 8 * u;

    upper[u] = _mm_cvtepi32_ps (load_4 (coefficients + 8 * u))
        * _mm_loadu_ps (scale);
    lower[u] = _mm_cvtepi32_ps (load_4 (coefficients + 8 * u + 4))
        * _mm_loadu_ps (scale + 4);
  }
  transform_inverse (upper);
  transform_inverse (lower);
  transpose (upper, lower);
  transform_inverse (upper);
  transform_inverse (lower);
  UNROLL for (unsigned y = 0; y < 8; y++) {
    __m128i row = _mm_packs_epi32 (_mm_cvtps_epi32 (upper[y]),
        _mm_cvtps_epi32 (lower[y]));

    row = _mm_max_epi16 (_mm_min_epi16 (row, max), min);
    _mm_storeu_si128 ((__m128i *) (samples + (ptrdiff_t) y * stride), row);
  }
}

static TARGET void
clear (int32_t coefficients[64])
{
  UNROLL for (unsigned i = 0; i < 64; i += 4)
    _mm_storeu_si128 ((__m128i *) (coefficients + i), _mm_setzero_si128 ());
}

/* Prediction by lines of 8 samples. */
#define SAMPLES Samples8
#define LINE line_8
#define LINES lines_8
#include <mpeg2requantize/compensate.h>

static TARGET void
compensate (const M2vCompensation * c)
{
  M2vCompensation half = *c;

  for (unsigned x = 0; x < c->width; x += 8) {
    half.from = c->from + x;
    half.to = c->to + x;
    BY_FLAGS (lines_8, &half);
  }
}

/* See kernelsavx2.c for the rounding. */
static TARGET uint64_t
quantise (const int32_t target[64], const uint8_t matrix[64], unsigned scale,
    unsigned rounding, int max, int16_t levels[64])
{
  const __m128i twice = _mm_set1_epi32 ((int) (2 * scale));
  const __m128i round = _mm_set1_epi32 ((int) rounding);
  uint64_t present = 0;

  for (unsigned i = 0; i < 64; i += 4) {
    __m128i values = load_4 (target + i), step, divisor, eighths, level;
    unsigned some;
    int weights;

    memcpy (&weights, matrix + i, sizeof weights);
    step = _mm_mullo_epi32 (twice,
        _mm_cvtepu8_epi32 (_mm_cvtsi32_si128 (weights)));
    divisor = _mm_slli_epi32 (step, 3);
    eighths = _mm_add_epi32 (_mm_mullo_epi32 (step, round),
        _mm_slli_epi32 (_mm_abs_epi32 (values), 3));
    some = 0xf & ~(unsigned) _mm_movemask_ps (_mm_castsi128_ps
        (_mm_cmpgt_epi32 (divisor, eighths)));
    level = _mm_cvttps_epi32 (_mm_div_ps (_mm_cvtepi32_ps (eighths),
            _mm_cvtepi32_ps (divisor)));
    level = _mm_sign_epi32 (_mm_min_epi32 (level, _mm_set1_epi32 (max)),
        values);
    _mm_storel_epi64 ((__m128i *) (levels + i), _mm_packs_epi32 (level, level));
    present |= (uint64_t) some << i;
  }
  return present;
}

const M2vKernels m2v_kernels_sse41 = KERNELS ("SSE4.1");

#endif
