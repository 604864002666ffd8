/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of the kernels for x86: what needs 128 bits at once. Who includes it
 * defines TARGET, attributes.
 */
#ifndef SCALER_KERNELS128_H
#define SCALER_KERNELS128_H

#include "kernels.h"

/* So that arrays of vectors are registers. */
#define UNROLL _Pragma ("GCC unroll 8")

static inline TARGET __m128i
load_8 (const int16_t * p)
{
  return _mm_loadu_si128 ((const __m128i *) p);
}

static TARGET uint32_t
energy (const int16_t * samples, ptrdiff_t stride)
{
  __m128i sum = _mm_setzero_si128 ();

  UNROLL for (unsigned y = 0; y < 8; y++) {
    __m128i row = load_8 (samples + (ptrdiff_t) y * stride);

    sum = _mm_add_epi32 (sum, _mm_madd_epi16 (row, row));
  }
  sum = _mm_add_epi32 (sum, _mm_shuffle_epi32 (sum, 0x4e));
  sum = _mm_add_epi32 (sum, _mm_shuffle_epi32 (sum, 0xb1));
  return (uint32_t) _mm_cvtsi128_si32 (sum);
}

/* Each line is used for two of a half sample's, and all flags are constants, by
 * inlining. Four samples fit into 16 bits, see SCALER_ERROR_MAX. */
#define INLINE static inline TARGET __attribute__ ((always_inline))

INLINE __m128i
line_8 (const int16_t * from, bool half_x)
{
  return half_x ? _mm_add_epi16 (load_8 (from), load_8 (from + 1))
      : load_8 (from);
}

INLINE void
lines_8 (const ScalerCompensation * c, bool half_x, bool half_y, bool average)
{
  const __m128i up = _mm_set1_epi16 (c->up);
  const __m128i add = _mm_set1_epi16 (half_x && half_y ? 1 + c->up : c->up);
  const int16_t *from = c->from;
  int16_t *to = c->to;
  __m128i next = line_8 (from, half_x);

  for (unsigned y = 0; y < c->height; y++) {
    __m128i value = next;

    from += c->from_stride;
    if (half_y || y + 1 < c->height)
      next = line_8 (from, half_x);
    if (half_y)
      value = _mm_add_epi16 (value, next);
    if (half_x || half_y)
      value = _mm_srai_epi16 (_mm_add_epi16 (value, add), half_x + half_y);
    if (average)
      value = _mm_srai_epi16 (_mm_add_epi16 (_mm_add_epi16 (value,
                  load_8 (to)), up), 1);
    _mm_storeu_si128 ((__m128i *) to, value);
    to += c->to_stride;
  }
}

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

#endif
