/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Converts quantised coefficients from one quantiser_scale to a coarser one.
 *
 * Inverse quantisation (13818-2 clause 7.4.2) gives level * W * q / 16 for
 * intra, (level + 1/2 * sign) * W * q / 16 for non-intra. Quantising that again
 * divides it by W * q' / 16, so that W cancels. With r, the rounding that is
 * added before truncation,
 *
 *   intra:     level' = sign * floor (|level| * q / q' + r)
 *   non-intra: level' = sign * floor ((|level| + 1/2) * q / q' + r)
 *
 * The decoder's truncation to integers is left out. It changes a result by one
 * only if both are equally near to the coefficient.
 */
#ifndef MPEG2REQUANTIZE_LEVELSCALE_H
#define MPEG2REQUANTIZE_LEVELSCALE_H

#include <mpeg2/macroblock.h>

/* r in eighths of a step. Within these bounds no level ever grows. */
typedef struct
{
  unsigned intra;               /* at most 7 */
  unsigned non_intra;           /* at most 4 */
} M2vRounding;

/* The factors from one quantiser_scale to another. */
typedef struct
{
  unsigned from, to;            /* quantiser_scale */
  uint64_t factor;
  uint64_t offset[2];           /* non-intra, intra */
} M2vLevelScale;

/* Sets the factors between two scales (not codes), 1..112; to >= from. */
void m2v_level_scale_init (M2vLevelScale * r,
    const M2vRounding * rounding, unsigned from, unsigned to);

/* True if levels of 1 become 0. */
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
