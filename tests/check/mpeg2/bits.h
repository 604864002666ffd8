/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: fields read bit by bit, and bytes to read them from.
 */
#ifndef TEST_BITS_H
#define TEST_BITS_H

#include <gst/check/gstcheck.h>

#define SIZE 40

/* Bit by bit; zeros past the end. */
static inline guint32
reference (const guint8 * data, gsize size, gsize position, guint n)
{
  guint32 value = 0;

  for (gsize i = position; i < position + n; i++)
    value = value << 1 | (i / 8 < size ? data[i / 8] >> (7 - i % 8) & 1 : 0);
  return value;
}

static inline guint8 *
random_bytes (GRand * rand, gsize size)
{
  guint8 *data = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (rand);
  return data;
}

#endif
