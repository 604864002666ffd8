/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of the kernels for x86: motion compensation of blocks that are as wide
 * as a vector of samples. The including file defines that vector, SAMPLES, and
 * the names of the functions, LINE and LINES. This file undefines them again.
 */
#include <mpeg2requantize/kernels128.h>

INLINE SAMPLES
LINE (const int16_t * from, bool half_x)
{
  SAMPLES here, right;

  memcpy (&here, from, sizeof here);
  if (!half_x)
    return here;
  memcpy (&right, from + 1, sizeof right);
  return here + right;
}

/* Each line is loaded once for two lines of half samples. All flags are
 * constants by inlining. The sum of four samples fits into 16 bits, see
 * M2V_ERROR_MAX. */
INLINE void
LINES (const M2vCompensation * c, bool half_x, bool half_y, bool average)
{
  const int16_t up = c->up, add = half_x && half_y ? 1 + up : up;
  const int16_t *from = c->from;
  int16_t *to = c->to;
  SAMPLES next = LINE (from, half_x);

  for (unsigned y = 0; y < c->height; y++) {
    SAMPLES value = next;

    from += c->from_stride;
    __builtin_prefetch (from + PREFETCH);
    if (half_y || y + 1 < c->height)
      next = LINE (from, half_x);
    if (half_y)
      value += next;
    if (half_x || half_y)
      value = (value + add) >> (half_x + half_y);
    if (average)
      value = (value + LINE (to, false) + up) >> 1;
    memcpy (to, &value, sizeof value);
    to += c->to_stride;
  }
}

#undef SAMPLES
#undef LINE
#undef LINES
