/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Quantised coefficients from one quantiser_scale to a coarser one.
 *
 * Inverse quantisation (13818-2 clause 7.4.2) gives level * W * q / 16 where
 * intra, (level + 1/2 * sign) * W * q / 16 where not. Quantising that again
 * divides it by W * q' / 16, so that W cancels: with r, what is added before
 * truncation,
 *
 *   intra:     level' = sign * floor (|level| * q / q' + r)
 *   non-intra: level' = sign * floor ((|level| + 1/2) * q / q' + r)
 *
 * The decoder's truncation to integers is left out. It moves a result by one
 * only where that is as near to the coefficient as the other.
 */
#ifndef MPEG2REQUANTIZE_LEVELSCALE_H
#define MPEG2REQUANTIZE_LEVELSCALE_H

#include <mpeg2/macroblock.h>

/* r in eighths of a step. Non-intra at most 4, intra at most 7: then no level
 * ever grows. */
typedef struct
{
  unsigned intra;
  unsigned non_intra;
} M2vRounding;

/* From one quantiser_scale to another. */
typedef struct
{
  unsigned from, to;
  uint64_t factor;
  uint64_t offset[2];           /* non-intra, intra */
} M2vLevelScale;

/* Scales, not codes: 1..112; to >= from. */
void m2v_level_scale_init (M2vLevelScale * r,
    const M2vRounding * rounding, unsigned from, unsigned to);

/* Whether levels of 1 become 0. */
static inline bool
m2v_ones_are_gone (const M2vRounding * rounding, bool intra, unsigned from,
    unsigned to)
{
  return intra ? 8 * from < (8 - rounding->intra) * to
      : 12 * from < (8 - rounding->non_intra) * to;
}

static inline int
m2v_scale_level (const M2vLevelScale * r, bool intra, int level)
{
  uint32_t magnitude = (uint32_t) (level < 0 ? -level : level);
  int to = (int) ((magnitude * r->factor + r->offset[intra]) >> 32);

  return level < 0 ? -to : to;
}

#endif
