/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tm5quantiser.h"

unsigned
tm5_quantiser_scale (bool q_scale_type, unsigned code)
{
  code = code < 1 ? 1 : code > 31 ? 31 : code;
  if (!q_scale_type)
    return 2 * code;
  if (code <= 8)
    return code;
  if (code <= 16)
    return 2 * code - 8;
  return code <= 24 ? 4 * code - 40 : 8 * code - 136;
}

unsigned
tm5_nearest_code (bool q_scale_type, double quantiser, unsigned max_code)
{
  double scale = 2 * quantiser;
  unsigned low = 1, high = max_code;

  while (low < high) {
    unsigned middle = (low + high) / 2;

    if (scale * 2 < tm5_quantiser_scale (q_scale_type, middle) +
        tm5_quantiser_scale (q_scale_type, middle + 1))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
