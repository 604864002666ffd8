/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of the kernels for x86: functions that need 128 bits at once. The
 * including file defines TARGET, the functions' attributes.
 */
#ifndef MPEG2REQUANTIZE_KERNELS128_H
#define MPEG2REQUANTIZE_KERNELS128_H

#include <string.h>

#include <mpeg2requantize/kernels.h>

/* Unrolls a loop, so that arrays of vectors are registers. */
#define UNROLL _Pragma ("GCC unroll 8")

static inline TARGET __m128i
load_8 (const int16_t * p)
{
  return _mm_loadu_si128 ((const __m128i *) p);
}

/* Returns the sum of four numbers. */
static inline TARGET uint32_t
sum_of (__m128i sum)
{
  sum = _mm_add_epi32 (sum, _mm_shuffle_epi32 (sum, 0x4e));
  sum = _mm_add_epi32 (sum, _mm_shuffle_epi32 (sum, 0xb1));
  return (uint32_t) _mm_cvtsi128_si32 (sum);
}

static TARGET uint32_t
energy (const int16_t * samples, ptrdiff_t stride)
{
  __m128i sum = _mm_setzero_si128 ();

  UNROLL for (unsigned y = 0; y < 8; y++) {
    __m128i row = load_8 (samples + (ptrdiff_t) y * stride);

    sum = _mm_add_epi32 (sum, _mm_madd_epi16 (row, row));
  }
  return sum_of (sum);
}

static TARGET void
add (const int16_t block[64], int16_t * samples, ptrdiff_t stride)
{
  const __m128i half = _mm_set1_epi16 (16), max = _mm_set1_epi16 (255);

  UNROLL for (unsigned y = 0; y < 8; y++) {
    __m128i *to = (__m128i *) (samples + (ptrdiff_t) y * stride);
    __m128i row = _mm_srai_epi16 (_mm_add_epi16 (load_8 (block + 8 * y), half),
        5);

    row = _mm_add_epi16 (row, _mm_loadu_si128 (to));
    row = _mm_max_epi16 (_mm_min_epi16 (row, max), _mm_setzero_si128 ());
    _mm_storeu_si128 (to, row);
  }
}

static TARGET void
average (const int16_t * a, const int16_t * b, int16_t * to, unsigned n)
{
  for (unsigned i = 0; i < n; i += 8)
    _mm_storeu_si128 ((__m128i *) (to + i),
        _mm_avg_epu16 (load_8 (a + i), load_8 (b + i)));
}

static TARGET uint32_t
distance (const int16_t * a, const int16_t * b, unsigned n)
{
  __m128i sum = _mm_setzero_si128 ();

  for (unsigned i = 0; i < n; i += 8) {
    __m128i difference = _mm_sub_epi16 (load_8 (a + i), load_8 (b + i));

    sum = _mm_add_epi32 (sum, _mm_madd_epi16 (difference, difference));
  }
  return sum_of (sum);
}

/* Inlines a function into one that is compiled for the same kind of machine. */
#define INLINE static inline TARGET __attribute__ ((always_inline))

/* A vector of 8 samples. */
typedef int16_t Samples8 __attribute__ ((vector_size (16)));
/* A vector of 16 samples. */
typedef int16_t Samples16 __attribute__ ((vector_size (32)));

/* Samples: how far to the right of the current one lines are prefetched. The
 * next macroblocks mostly have like vectors. */
#define PREFETCH 64

/* Calls f with the flags as constants. */
#define BY_FLAGS(f, c) \
  switch ((c)->half_x | (c)->half_y << 1 | (c)->average << 2) { \
    case 0: f (c, false, false, false); break; \
    case 1: f (c, true, false, false); break; \
    case 2: f (c, false, true, false); break; \
    case 3: f (c, true, true, false); break; \
    case 4: f (c, false, false, true); break; \
    case 5: f (c, true, false, true); break; \
    case 6: f (c, false, true, true); break; \
    default: f (c, true, true, true); \
  }

/* M2vKernels with the functions of the including file. */
#define KERNELS(kind) { \
    .name = kind, \
    .forward = forward, \
    .inverse = inverse, \
    .clear = clear, \
    .energy = energy, \
    .compensate = compensate, \
    .add = add, \
    .average = average, \
    .distance = distance, \
    .quantise = quantise \
  }

#endif
