/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/bitreader.h>

#include "bits.h"

static const uint8_t bytes[] =
    { 0x93, 0xc5, 0x0f, 0x61, 0xfe, 0x28, 0x7b, 0xd4, 0x3a };

GST_START_TEST (test_read)
{
  for (size_t position = 0; position <= 40; position++) {
    for (unsigned n = 0; n <= 32; n++) {
      M2vBitReader r;

      m2v_bit_reader_init (&r, bytes, sizeof bytes);
      m2v_skip_bits (&r, position);
      fail_unless (m2v_read_bits (&r, n) == reference (bytes, sizeof bytes,
              position, n), "%u bits at %zu", n, position);
      fail_unless (m2v_bit_reader_position (&r) == position + n
          && !m2v_bit_reader_error (&r));
    }
  }
}

GST_END_TEST;

/* Up to the last bit all is there; beyond it are zeros, for good. */
GST_START_TEST (test_read_past_end)
{
  for (size_t size = 0; size <= 5; size++) {
    for (unsigned n = 1; n <= 32; n++) {
      M2vBitReader r;
      uint8_t *copy = g_memdup2 (bytes, size);
      size_t position = 0;

      m2v_bit_reader_init (&r, copy, size);
      for (; position + n <= size * 8; position += n)
        fail_unless (m2v_read_bits (&r, n) == reference (bytes, sizeof bytes,
                position, n));
      fail_if (m2v_bit_reader_error (&r));
      fail_unless_equals_int (m2v_read_bits (&r, n), 0);
      fail_unless (m2v_bit_reader_error (&r));
      fail_unless_equals_int (m2v_read_bits (&r, 1), 0);
      fail_unless (m2v_bit_reader_error (&r));
      g_free (copy);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_skip)
{
  M2vBitReader r;

  m2v_bit_reader_init (&r, bytes, sizeof bytes);
  m2v_skip_bits (&r, sizeof bytes * 8 - 1);
  fail_if (m2v_bit_reader_error (&r));
  fail_unless_equals_int (m2v_read_bits (&r, 1), 0x3a & 1);
  m2v_skip_bits (&r, 0);
  fail_if (m2v_bit_reader_error (&r));
  m2v_skip_bits (&r, 1);
  fail_unless (m2v_bit_reader_error (&r));

  m2v_bit_reader_init (&r, bytes, sizeof bytes);
  m2v_skip_bits (&r, 5);
  m2v_skip_bits (&r, SIZE_MAX);
  fail_unless (m2v_bit_reader_error (&r));
  fail_unless_equals_int (m2v_read_bits (&r, 8), 0);

  m2v_bit_reader_init (&r, NULL, 0);
  fail_unless_equals_int (m2v_read_bits (&r, 0), 0);
  fail_if (m2v_bit_reader_error (&r));
}

GST_END_TEST;

GST_START_TEST (test_start_code)
{
  static const uint8_t codes[] = { 0, 0, 1, 0xb3, 0, 0, 1, 0xb8, 0, 1, 0xb8 };
  M2vBitReader r;

  m2v_bit_reader_init (&r, codes, sizeof codes);
  fail_unless (m2v_read_start_code (&r, 0xb3));
  fail_if (m2v_read_start_code (&r, 0xb3));
  fail_unless_equals_int (m2v_bit_reader_position (&r), 64);
  /* cut short */
  fail_if (m2v_read_start_code (&r, 0xb8));
  fail_unless (m2v_bit_reader_error (&r));
}

GST_END_TEST;

/* Any sizes of fields, up to far behind the end of an allocation of exactly
 * that size. */
GST_START_TEST (test_fill)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (gsize size = 0; size <= SIZE; size++) {
    guint8 *data = g_realloc (random_bytes (rand, size), MAX (size, 1));
    M2vBitReader r;
    gsize position = 0;

    m2v_bit_reader_init (&r, data, size);
    while (position < size * 8 + 100) {
      guint n = g_rand_int_range (rand, 1, 33);

      if (r.n_cached < n || g_rand_boolean (rand))
        m2v_fill_bits (&r);
      fail_unless (r.n_cached >= n);
      fail_unless (m2v_peek_filled (&r, n)
          == reference (data, size, position, n));
      if (g_rand_boolean (rand))
        m2v_skip_filled (&r, n);
      else
        fail_unless (m2v_read_filled (&r, n)
            == reference (data, size, position, n));
      position += n;
      fail_unless_equals_uint64 (m2v_bit_reader_position (&r), position);
    }
    g_free (data);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Big-endian, from any address. */
GST_START_TEST (test_load)
{
  GRand *rand = g_rand_new_with_seed (2);
  guint8 *data = random_bytes (rand, 16);

  for (gsize i = 0; i <= 8; i++)
    fail_unless (m2v_load_64 (data + i)
        == ((guint64) reference (data, 16, 8 * i, 32) << 32
            | reference (data, 16, 8 * i + 32, 32)));
  g_free (data);
  g_rand_free (rand);
}

GST_END_TEST;

/* The way to fill near the end does the same anywhere: at least 56 bits, zeros
 * past the end, which do count as read past. */
GST_START_TEST (test_fill_slowly)
{
  for (size_t size = 0; size <= sizeof bytes; size++) {
    uint8_t *copy = g_memdup2 (bytes, MAX (size, 1));

    for (unsigned n = 0; n <= 32; n++) {
      M2vBitReader r;

      m2v_bit_reader_init (&r, copy, size);
      m2v_fill_bits_slowly (&r);
      m2v_skip_filled (&r, n);
      m2v_fill_bits_slowly (&r);
      fail_unless (r.n_cached >= 56 && r.n_cached <= 64);
      fail_unless_equals_uint64 (m2v_bit_reader_position (&r), n);
      fail_unless (m2v_bit_reader_error (&r) == (n > size * 8));
      fail_unless (m2v_peek_filled (&r, 32)
          == reference (copy, size, n, 32));
    }
    g_free (copy);
  }
}

GST_END_TEST;

static Suite *
bitreader_suite (void)
{
  Suite *s = suite_create ("mpeg2-bitreader");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_read);
  tcase_add_test (tc, test_read_past_end);
  tcase_add_test (tc, test_skip);
  tcase_add_test (tc, test_start_code);
  tcase_add_test (tc, test_fill);
  tcase_add_test (tc, test_load);
  tcase_add_test (tc, test_fill_slowly);
  return s;
}

GST_CHECK_MAIN (bitreader);
