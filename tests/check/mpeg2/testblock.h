/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: from a block's quantised coefficients to its samples, as the
 * standard words it (clauses 7.3 to 7.5; 11172-2 clauses 2.4.4.1, 2.4.4.2).
 */
#ifndef TEST_BLOCK_H
#define TEST_BLOCK_H

#include "testframe.h"

/* F[v][u] at 8 * v + u of a block that is coded: inverse quantised, saturated,
 * with mismatch control. */
void test_dequantise (const M2vPictureParams * picture,
    const M2vMatrices * matrices, const M2vMacroblock * mb, guint block,
    gint out[64]);

/* f[y][x] at 8 * y + x, not rounded. */
void test_transform (const gint in[64], gdouble out[64]);

#endif
