/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/levelscale.h>

/* With one denominator, the formulas of the header are
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

  r->from = from;
  r->to = to;
  r->factor = 8 * from * m;
  r->offset[true] = rounding->intra * to * m;
  r->offset[false] = (4 * from + rounding->non_intra * to) * m;
}
