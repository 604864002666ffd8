/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/levelscale.h>

/* Brought to one denominator,
 *
 *   intra:     (8 * q * |level| + r * q') / (8 * q')
 *   non-intra: (8 * q * |level| + 4 * q + r * q') / (8 * q')
 *
 * with r in eighths. floor (n / d) is n * m >> 32, m = ceil (2^32 / d), where
 * n * (m * d - 2^32) < 2^32. Here n <= 8 * 112 * 2047 + 11 * 112 < 2^21, and
 * m * d - 2^32 < d <= 8 * 112 < 2^10. */
void
m2v_level_scale_init (M2vLevelScale * r,
    const M2vRounding * rounding, unsigned from, unsigned to)
{
  uint64_t d = 8 * to, m = ((UINT64_C (1) << 32) + d - 1) / d;

  r->factor = 8 * from * m;
  r->offset[true] = rounding->intra * to * m;
  r->offset[false] = (4 * from + rounding->non_intra * to) * m;
}

/* Without a branch: whether a coefficient stays is hard to foretell. */
unsigned
m2v_scale_block (const M2vLevelScale * r, bool intra,
    M2vCoefficient * coefficients, unsigned n)
{
  const M2vLevelScale copy = *r;        /* for registers */
  unsigned n_left = 0;

  for (unsigned i = 0; i < n; i++) {
    int level = m2v_scale_level (&copy, intra, coefficients[i].level);

    coefficients[n_left].level = (int16_t) level;
    coefficients[n_left].position = coefficients[i].position;
    coefficients[n_left].form = M2V_FORM_SHORTEST;
    n_left += level != 0;
  }
  return n_left;
}

void
m2v_scale_macroblock (const M2vLevelScale * r,
    const M2vPictureParams * p, M2vMacroblock * mb)
{
  bool intra = mb->type & M2V_INTRA;

  for (unsigned i = 0; i < p->n_blocks; i++) {
    if (mb->n_coefficients[i] > 0)
      mb->n_coefficients[i] = (uint8_t) m2v_scale_block (r, intra,
          mb->coefficients[i], mb->n_coefficients[i]);
  }
}
