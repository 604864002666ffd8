/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The kernels for AVX2. They are always compiled on x86-64, and used if the
 * machine has AVX2 at run time.
 */
#include <mpeg2requantize/kernelscale.h>

#ifdef M2V_HAVE_X86

#include <immintrin.h>

/* FMA is not used, because it rounds once where the plain kernels round
 * twice. */
#define TARGET __attribute__ ((target ("avx2")))

/* What transform1d.h needs: a vector, and one of equal numbers. */
typedef __m256 Vector;
#define VECTOR_OF(x) _mm256_set1_ps (x)
#include <mpeg2requantize/transform1d.h>
#include <mpeg2requantize/kernels128.h>

static inline TARGET void
transpose (__m256 x[8])
{
  __m256 pairs[8], fours[8];

  UNROLL for (unsigned i = 0; i < 4; i++) {
    pairs[2 * i] = _mm256_unpacklo_ps (x[2 * i], x[2 * i + 1]);
    pairs[2 * i + 1] = _mm256_unpackhi_ps (x[2 * i], x[2 * i + 1]);
  }
  UNROLL for (unsigned i = 0; i < 8; i += 4) {
    UNROLL for (unsigned k = 0; k < 2; k++) {
      fours[i + 2 * k] = _mm256_shuffle_ps (pairs[i + k], pairs[i + 2 + k],
          0x44);
      fours[i + 2 * k + 1] = _mm256_shuffle_ps (pairs[i + k],
          pairs[i + 2 + k], 0xee);
    }
  }
  UNROLL for (unsigned i = 0; i < 4; i++) {
    x[i] = _mm256_permute2f128_ps (fours[i], fours[i + 4], 0x20);
    x[i + 4] = _mm256_permute2f128_ps (fours[i], fours[i + 4], 0x31);
  }
}

static inline TARGET __m256i
load_coefficients (const int32_t * p)
{
  return _mm256_loadu_si256 ((const __m256i *) p);
}

static TARGET void
forward (const int16_t * samples, ptrdiff_t stride, int32_t coefficients[64])
{
  __m256 x[8];

  UNROLL for (unsigned y = 0; y < 8; y++)
    x[y] = _mm256_cvtepi32_ps (_mm256_cvtepi16_epi32 (load_8 (samples
                + (ptrdiff_t) y * stride)));
  transform_forward (x);
  transpose (x);
  transform_forward (x);
  UNROLL for (unsigned u = 0; u < 8; u++) {
    __m256 scaled = x[u] * _mm256_loadu_ps (m2v_forward_scale + 8 * u);

    _mm256_storeu_si256 ((__m256i *) (coefficients + 8 * u),
        _mm256_cvtps_epi32 (scaled));
  }
}

static TARGET void
inverse (const int32_t coefficients[64], int16_t * samples, ptrdiff_t stride)
{
  const __m256i max = _mm256_set1_epi16 (M2V_ERROR_MAX);
  const __m256i min = _mm256_set1_epi16 (-M2V_ERROR_MAX);
  __m256 x[8];

  UNROLL for (unsigned u = 0; u < 8; u++)
    x[u] = _mm256_cvtepi32_ps (load_coefficients (coefficients + 8 * u))
        * _mm256_loadu_ps (m2v_inverse_scale + 8 * u);
  transform_inverse (x);
  transpose (x);
  transform_inverse (x);
  UNROLL for (unsigned y = 0; y < 8; y += 2) {
    /* Each half has four samples of each row. */
    __m256i rows = _mm256_packs_epi32 (_mm256_cvtps_epi32 (x[y]),
        _mm256_cvtps_epi32 (x[y + 1]));

    rows = _mm256_permute4x64_epi64 (rows, 0xd8);
    rows = _mm256_max_epi16 (_mm256_min_epi16 (rows, max), min);
    _mm_storeu_si128 ((__m128i *) (samples + (ptrdiff_t) y * stride),
        _mm256_castsi256_si128 (rows));
    _mm_storeu_si128 ((__m128i *) (samples + (ptrdiff_t) (y + 1) * stride),
        _mm256_extracti128_si256 (rows, 1));
  }
}

/* The start of memset is slow for a single block. */
static TARGET void
clear (int32_t coefficients[64])
{
  UNROLL for (unsigned i = 0; i < 64; i += 8)
    _mm256_storeu_si256 ((__m256i *) (coefficients + i),
        _mm256_setzero_si256 ());
}

/* Prediction by lines of 8 samples, then of 16. */
#define SAMPLES Samples8
#define LINE line_8
#define LINES lines_8
#include <mpeg2requantize/compensate.h>

#define SAMPLES Samples16
#define LINE line_16
#define LINES lines_16
#include <mpeg2requantize/compensate.h>

static TARGET void
compensate (const M2vCompensation * c)
{
  if (c->width == 16) {
    BY_FLAGS (lines_16, c);
  } else {
    BY_FLAGS (lines_8, c);
  }
}

/* Returns the quotient rounded down. All operands are below 2^22 and so exact
 * in floats. A quotient below an integer k is at least 1 / divisor below it. It
 * would be rounded up to k only if k * 2^-24 were as much, but k * divisor is
 * less than 2^23. */
static inline TARGET __m256i
divide (__m256i eighths, __m256i divisor)
{
  return _mm256_cvttps_epi32 (_mm256_div_ps (_mm256_cvtepi32_ps (eighths),
          _mm256_cvtepi32_ps (divisor)));
}

/* A branch on empty rows could not be predicted, so all are divided. */
static TARGET uint64_t
quantise (const int32_t target[64], const uint8_t matrix[64], unsigned scale,
    unsigned rounding, int max, int16_t levels[64])
{
  const __m256i twice = _mm256_set1_epi32 ((int) (2 * scale));
  const __m256i round = _mm256_set1_epi32 ((int) rounding);
  uint64_t present = 0;

  for (unsigned i = 0; i < 64; i += 8) {
    __m256i values = load_coefficients (target + i);
    __m256i step = _mm256_mullo_epi32 (twice, _mm256_cvtepu8_epi32
        (_mm_loadl_epi64 ((const __m128i *) (matrix + i))));
    __m256i divisor = _mm256_slli_epi32 (step, 3);
    __m256i eighths = _mm256_add_epi32 (_mm256_mullo_epi32 (step, round),
        _mm256_slli_epi32 (_mm256_abs_epi32 (values), 3));
    __m256i none = _mm256_cmpgt_epi32 (divisor, eighths);
    unsigned some = 0xff
        & ~(unsigned) _mm256_movemask_ps (_mm256_castsi256_ps (none));
    __m256i level;

    level = _mm256_min_epi32 (divide (eighths, divisor),
        _mm256_set1_epi32 (max));
    level = _mm256_sign_epi32 (level, values);
    level = _mm256_permute4x64_epi64 (_mm256_packs_epi32 (level, level), 0xd8);
    _mm_storeu_si128 ((__m128i *) (levels + i), _mm256_castsi256_si128 (level));
    present |= (uint64_t) some << i;
  }
  return present;
}

const M2vKernels m2v_kernels_avx2 = KERNELS ("AVX2");

#endif
