/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/bitreader.h>
#include <mpeg2/bitwriter.h>

#include "bits.h"

GST_START_TEST (test_round_trip)
{
  GRand *rand = g_rand_new_with_seed (2);
  uint8_t data[1024];
  uint32_t values[256];
  unsigned sizes[256];

  for (unsigned round = 0; round < 200; round++) {
    M2vBitWriter w;
    M2vBitReader r;
    size_t bits = 0, size;

    m2v_bit_writer_init (&w, data, sizeof data);
    for (unsigned i = 0; i < 256; i++) {
      sizes[i] = (unsigned) g_rand_int_range (rand, 0, 33);
      values[i] = sizes[i] ? g_rand_int (rand) >> (32 - sizes[i]) : 0;
      m2v_write_bits (&w, values[i], sizes[i]);
      bits += sizes[i];
      fail_unless (m2v_bit_writer_position (&w) == bits);
    }
    fail_unless_equals_uint64 (m2v_write_align (&w), (bits + 7) / 8);
    fail_unless_equals_uint64 (m2v_write_align (&w), (bits + 7) / 8);
    fail_if (w.error);

    size = m2v_write_align (&w);
    m2v_bit_reader_init (&r, data, size);
    for (unsigned i = 0; i < 256; i++)
      fail_unless (m2v_read_bits (&r, sizes[i]) == values[i]);
    fail_unless_equals_int (m2v_read_bits (&r, (unsigned) (size * 8 - bits)),
        0);
    fail_if (m2v_bit_reader_error (&r));
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_write_start_code)
{
  static const uint8_t expected[] =
      { 0xa0, 0, 0, 1, 0xb5, 0, 0, 1, 0x00, 0xff };
  uint8_t data[10];
  M2vBitWriter w;

  m2v_bit_writer_init (&w, data, sizeof data);
  m2v_write_bits (&w, 5, 3);
  m2v_write_start_code (&w, M2V_CODE_EXTENSION);
  m2v_write_start_code (&w, M2V_CODE_PICTURE);
  m2v_write_bits (&w, 0xff, 8);
  fail_unless (m2v_write_align (&w) == 10 && !w.error);
  fail_unless (memcmp (data, expected, 10) == 0);
}

GST_END_TEST;

/* What does not fit whole is not written, nor anything after it. */
GST_START_TEST (test_write_past_capacity)
{
  for (size_t capacity = 0; capacity <= 6; capacity++) {
    for (unsigned n = 1; n <= 32; n++) {
      uint8_t data[8];
      M2vBitWriter w;
      size_t bits = 0, size;

      memset (data, 0x55, sizeof data);
      m2v_bit_writer_init (&w, data, capacity);
      while ((bits + n) / 8 <= capacity) {
        m2v_write_bits (&w, 0, n);
        bits += n;
        fail_if (w.error);
      }
      size = m2v_bit_writer_size (&w);
      fail_unless_equals_uint64 (size, bits / 8);
      m2v_write_bits (&w, 0, n);
      fail_unless (w.error);
      m2v_write_bits (&w, 1, 1);
      m2v_write_start_code (&w, 0);
      fail_unless (m2v_write_align (&w) == size && w.error);
      for (size_t i = size; i < sizeof data; i++)
        fail_unless_equals_int (data[i], 0x55);
    }
  }
}

GST_END_TEST;

/* The last bits of a byte that is beyond the capacity. */
GST_START_TEST (test_align_past_capacity)
{
  uint8_t data[2] = { 0, 0x55 };
  M2vBitWriter w;

  m2v_bit_writer_init (&w, data, 1);
  m2v_write_bits (&w, 0xff, 8);
  m2v_write_bits (&w, 1, 1);
  fail_if (w.error);
  fail_unless_equals_uint64 (m2v_write_align (&w), 1);
  fail_unless (w.error);
  fail_unless (data[0] == 0xff && data[1] == 0x55);
}

GST_END_TEST;

GST_START_TEST (test_put)
{
  GRand *rand = g_rand_new_with_seed (2);

  for (guint round = 0; round < 2000; round++) {
    guint8 *data =
        random_bytes (rand, SIZE), out[SIZE + M2V_BIT_WRITER_SLACK + 4];
    gsize end = g_rand_int_range (rand, 0, SIZE * 8 + 1), size = (end + 7) / 8;
    M2vBitWriter w;

    memset (out, 0x55, sizeof out);
    m2v_bit_writer_init (&w, out, size + M2V_BIT_WRITER_SLACK + 1);
    for (gsize position = 0; position < end;) {
      gsize n = g_rand_int_range (rand, 1, 33);

      if (g_rand_boolean (rand)) {
        n = g_rand_int_range (rand, 0, (gint) (end - position) + 1);
        m2v_copy_bits (&w, data, position, n);
      } else {
        n = MIN (n, end - position);
        fail_unless (m2v_reserve_bytes (&w, (n + 7) / 8));
        m2v_put_reserved (&w, reference (data, SIZE, position, n), n);
      }
      position += n;
    }
    fail_unless_equals_uint64 (m2v_write_align (&w), size);
    fail_if (w.error);
    for (gsize i = 0; i < size; i++)
      fail_unless_equals_int (out[i], reference (data, end / 8 + 1, i * 8, 8)
          & (i < end / 8 ? 0xff : 0xff00 >> end % 8));
    for (gsize i = size + M2V_BIT_WRITER_SLACK + 1; i < sizeof out; i++)
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
    M2vBitWriter w;
    gsize n = 0;

    m2v_bit_writer_init (&w, out, capacity);
    while (m2v_reserve_bytes (&w, 4)) {
      m2v_put_reserved (&w, 0x12345678, 32);
      n += 4;
    }
    fail_unless_equals_uint64 (n, capacity < M2V_BIT_WRITER_SLACK ? 0
        : (capacity - M2V_BIT_WRITER_SLACK) / 4 * 4);
    fail_unless (w.error);
    fail_if (m2v_reserve_bytes (&w, 0));
    m2v_copy_bits (&w, data, 0, 8);
    fail_unless_equals_uint64 (m2v_write_align (&w), n);
    g_free (out);
  }
}

GST_END_TEST;

static Suite *
bitwriter_suite (void)
{
  Suite *s = suite_create ("mpeg2-bitwriter");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_round_trip);
  tcase_add_test (tc, test_write_start_code);
  tcase_add_test (tc, test_write_past_capacity);
  tcase_add_test (tc, test_align_past_capacity);
  tcase_add_test (tc, test_put);
  tcase_add_test (tc, test_no_room);
  return s;
}

GST_CHECK_MAIN (bitwriter);
