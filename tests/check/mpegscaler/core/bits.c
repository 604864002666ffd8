/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "bits.h"

#define SIZE 40

/* Bit by bit; zeros past the end. */
static guint32
reference (const guint8 * data, gsize size, gsize position, guint n)
{
  guint32 value = 0;

  for (gsize i = position; i < position + n; i++)
    value = value << 1 | (i / 8 < size ? data[i / 8] >> (7 - i % 8) & 1 : 0);
  return value;
}

static guint8 *
random_bytes (GRand * rand, gsize size)
{
  guint8 *data = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (rand);
  return data;
}

/* Any sizes of fields, up to far behind the end of an allocation of exactly
 * that size. */
GST_START_TEST (test_read)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (gsize size = 0; size <= SIZE; size++) {
    guint8 *data = g_realloc (random_bytes (rand, size), MAX (size, 1));
    ScalerBitReader r;
    gsize position = 0;

    scaler_bits_init (&r, data, size);
    while (position < size * 8 + 100) {
      guint n = g_rand_int_range (rand, 1, 33);

      if (r.n_cached < n || g_rand_boolean (rand))
        scaler_bits_fill (&r);
      fail_unless (r.n_cached >= n);
      fail_unless (scaler_bits_get (&r, n)
          == reference (data, size, position, n));
      position += n;
      fail_unless_equals_uint64 (scaler_bits_position (&r), position);
    }
    g_free (data);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_write)
{
  GRand *rand = g_rand_new_with_seed (2);

  for (guint round = 0; round < 2000; round++) {
    guint8 *data = random_bytes (rand, SIZE), out[SIZE + SCALER_BITS_SLACK + 4];
    gsize end = g_rand_int_range (rand, 0, SIZE * 8 + 1), size = (end + 7) / 8;
    ScalerBitWriter w;

    memset (out, 0x55, sizeof out);
    scaler_bits_start_writing (&w, out, size + SCALER_BITS_SLACK + 1);
    for (gsize position = 0; position < end;) {
      gsize n = g_rand_int_range (rand, 1, 33);

      if (g_rand_boolean (rand)) {
        n = g_rand_int_range (rand, 0, (gint) (end - position) + 1);
        scaler_bits_copy (&w, data, position, n);
      } else {
        n = MIN (n, end - position);
        fail_unless (scaler_bits_reserve (&w, (n + 7) / 8));
        scaler_bits_put (&w, reference (data, SIZE, position, n), n);
      }
      position += n;
    }
    fail_unless_equals_uint64 (scaler_bits_align (&w), size);
    fail_if (w.error);
    for (gsize i = 0; i < size; i++)
      fail_unless_equals_int (out[i], reference (data, end / 8 + 1, i * 8, 8)
          & (i < end / 8 ? 0xff : 0xff00 >> end % 8));
    for (gsize i = size + SCALER_BITS_SLACK + 1; i < sizeof out; i++)
      fail_unless_equals_int (out[i], 0x55);
    g_free (data);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_no_room)
{
  static const guint8 data[8] = { 0 };

  for (gsize capacity = 0; capacity < 40; capacity++) {
    guint8 *out = g_malloc (capacity + 1);
    ScalerBitWriter w;
    gsize n = 0;

    scaler_bits_start_writing (&w, out, capacity);
    while (scaler_bits_reserve (&w, 4)) {
      scaler_bits_put (&w, 0x12345678, 32);
      n += 4;
    }
    fail_unless_equals_uint64 (n, capacity < SCALER_BITS_SLACK ? 0
        : (capacity - SCALER_BITS_SLACK) / 4 * 4);
    fail_unless (w.error);
    fail_if (scaler_bits_reserve (&w, 0));
    scaler_bits_copy (&w, data, 0, 8);
    fail_unless_equals_uint64 (scaler_bits_align (&w), n);
    g_free (out);
  }
}

GST_END_TEST;

static Suite *
bits_suite (void)
{
  Suite *s = suite_create ("bits");
  TCase *tc = tcase_create ("bits");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_read);
  tcase_add_test (tc, test_write);
  tcase_add_test (tc, test_no_room);
  return s;
}

GST_CHECK_MAIN (bits);
