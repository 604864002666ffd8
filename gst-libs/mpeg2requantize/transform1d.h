/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of the kernels: the transform in one dimension, of as many columns as a
 * Vector has elements. The including file defines Vector, VECTOR_OF (a
 * constant) and TARGET (attributes). The operations and their order do not
 * depend on them, so the results are the same.
 *
 * Y. Arai, T. Agui, M. Nakajima: A fast DCT-SQ scheme for images. Transactions
 * of the IEICE E71 (1988), 1095-1097. The caller applies a factor to each
 * coefficient: 1 / (8 * s[u] * s[v]) after the forward transform, s[u] * s[v] /
 * 8 before the inverse one. The result is orthonormal. s[0] = 1,
 * s[k] = sqrt (2) * cos (k * pi / 16).
 */
#ifndef MPEG2REQUANTIZE_TRANSFORM1D_H
#define MPEG2REQUANTIZE_TRANSFORM1D_H

#define HALF_ROOT 0.70710678118654752f  /* sqrt (1/2) */
#define ROOT 1.41421356237309505f       /* sqrt (2) */
#define COS_2 0.92387953251128676f      /* cos (2 pi / 16) */
#define COS_6 0.38268343236508977f      /* cos (6 pi / 16) */

static inline TARGET void
transform_forward (Vector x[8])
{
  Vector sum0 = x[0] + x[7], difference0 = x[0] - x[7];
  Vector sum1 = x[1] + x[6], difference1 = x[1] - x[6];
  Vector sum2 = x[2] + x[5], difference2 = x[2] - x[5];
  Vector sum3 = x[3] + x[4], difference3 = x[3] - x[4];
  Vector even0 = sum0 + sum3, even3 = sum0 - sum3;
  Vector even1 = sum1 + sum2, even2 = sum1 - sum2;
  Vector odd0 = difference3 + difference2;
  Vector odd1 = difference2 + difference1;
  Vector odd2 = difference1 + difference0;
  Vector rotated = (even2 + even3) * VECTOR_OF (HALF_ROOT);
  Vector common = (odd0 - odd2) * VECTOR_OF (COS_6);
  Vector low = odd0 * VECTOR_OF (COS_2 - COS_6) + common;
  Vector high = odd2 * VECTOR_OF (COS_2 + COS_6) + common;
  Vector middle = odd1 * VECTOR_OF (HALF_ROOT);
  Vector plus = difference0 + middle, minus = difference0 - middle;

  x[0] = even0 + even1;
  x[4] = even0 - even1;
  x[2] = even3 + rotated;
  x[6] = even3 - rotated;
  x[5] = minus + low;
  x[3] = minus - low;
  x[1] = plus + high;
  x[7] = plus - high;
}

static inline TARGET void
transform_inverse (Vector x[8])
{
  Vector sum04 = x[0] + x[4], difference04 = x[0] - x[4];
  Vector sum26 = x[2] + x[6];
  Vector rotated = (x[2] - x[6]) * VECTOR_OF (ROOT) - sum26;
  Vector even0 = sum04 + sum26, even3 = sum04 - sum26;
  Vector even1 = difference04 + rotated, even2 = difference04 - rotated;
  Vector sum53 = x[5] + x[3], difference53 = x[5] - x[3];
  Vector sum17 = x[1] + x[7], difference17 = x[1] - x[7];
  Vector common = (difference53 + difference17) * VECTOR_OF (2 * COS_2);
  Vector odd0 = sum17 + sum53;
  Vector odd1 = common - difference53 * VECTOR_OF (2 * (COS_2 + COS_6)) - odd0;
  Vector odd2 = (sum17 - sum53) * VECTOR_OF (ROOT) - odd1;
  Vector odd3 = common - difference17 * VECTOR_OF (2 * (COS_2 - COS_6)) - odd2;

  x[0] = even0 + odd0;
  x[7] = even0 - odd0;
  x[1] = even1 + odd1;
  x[6] = even1 - odd1;
  x[2] = even2 + odd2;
  x[5] = even2 - odd2;
  x[3] = even3 + odd3;
  x[4] = even3 - odd3;
}

#endif
