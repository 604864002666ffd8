/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a stream decoded by the test decoder and by a real one.
 */
#ifndef TEST_COMPARING_H
#define TEST_COMPARING_H

#include "decoding.h"

/* Compares the first dozens of frames twice, and fails where samples differ
 * more than by the other decoder's rounding:
 * - `alone`: all that a picture refers to is the other decoder's. The bound is
 *   that of its inverse transform, from the exact value.
 * - `running`: the stream as a whole. Both decoders' transforms round to values
 *   that differ by 1 at most, and prediction does not make a difference more
 *   (interpolation and averages are monotonic, and shift as their arguments
 *   do). So the bound is the number of pictures that were predicted from each
 *   other up to this one. It is hardly ever reached: the mean has a bound,
 *   too. */
void compare_decoded (const gchar * name, const guint8 * data, gsize size,
    Decoder decoder);

#endif
