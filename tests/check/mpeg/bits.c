/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "bitreader.h"
#include "bitwriter.h"

static const uint8_t bytes[] =
    { 0x93, 0xc5, 0x0f, 0x61, 0xfe, 0x28, 0x7b, 0xd4, 0x3a };

/* Bit by bit. */
static uint32_t
reference (size_t position, unsigned n)
{
  uint32_t value = 0;

  for (size_t i = position; i < position + n; i++)
    value = value << 1 | (bytes[i / 8] >> (7 - i % 8) & 1);
  return value;
}

GST_START_TEST (test_read)
{
  for (size_t position = 0; position <= 40; position++) {
    for (unsigned n = 0; n <= 32; n++) {
      MpegBitReader r;

      mpeg_bit_reader_init (&r, bytes, sizeof bytes);
      mpeg_skip_bits (&r, position);
      fail_unless (mpeg_read_bits (&r, n) == reference (position, n),
          "%u bits at %zu", n, position);
      fail_unless (r.position == position + n && !r.error);
    }
  }
}

GST_END_TEST;

/* Up to the last bit all is there; beyond it are zeros, for good. */
GST_START_TEST (test_read_past_end)
{
  for (size_t size = 0; size <= 5; size++) {
    for (unsigned n = 1; n <= 32; n++) {
      MpegBitReader r;
      uint8_t *copy = g_memdup2 (bytes, size);
      size_t position = 0;

      mpeg_bit_reader_init (&r, copy, size);
      for (; position + n <= size * 8; position += n)
        fail_unless (mpeg_read_bits (&r, n) == reference (position, n));
      fail_if (r.error);
      fail_unless_equals_int (mpeg_read_bits (&r, n), 0);
      fail_unless (r.error && r.position == size * 8);
      fail_unless_equals_int (mpeg_read_bits (&r, 1), 0);
      fail_unless (r.error);
      g_free (copy);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_skip)
{
  MpegBitReader r;

  mpeg_bit_reader_init (&r, bytes, sizeof bytes);
  mpeg_skip_bits (&r, sizeof bytes * 8 - 1);
  fail_if (r.error);
  fail_unless_equals_int (mpeg_read_bits (&r, 1), 0x3a & 1);
  mpeg_skip_bits (&r, 0);
  fail_if (r.error);
  mpeg_skip_bits (&r, 1);
  fail_unless (r.error);

  mpeg_bit_reader_init (&r, bytes, sizeof bytes);
  mpeg_skip_bits (&r, 5);
  mpeg_skip_bits (&r, SIZE_MAX);
  fail_unless (r.error);
  fail_unless_equals_int (mpeg_read_bits (&r, 8), 0);

  mpeg_bit_reader_init (&r, NULL, 0);
  fail_unless_equals_int (mpeg_read_bits (&r, 0), 0);
  fail_if (r.error);
}

GST_END_TEST;

GST_START_TEST (test_round_trip)
{
  GRand *rand = g_rand_new_with_seed (2);
  uint8_t data[1024];
  uint32_t values[256];
  unsigned sizes[256];

  for (unsigned round = 0; round < 200; round++) {
    MpegBitWriter w;
    MpegBitReader r;
    size_t bits = 0;

    mpeg_bit_writer_init (&w, data, sizeof data);
    for (unsigned i = 0; i < 256; i++) {
      sizes[i] = (unsigned) g_rand_int_range (rand, 0, 33);
      values[i] = sizes[i] ? g_rand_int (rand) >> (32 - sizes[i]) : 0;
      mpeg_write_bits (&w, values[i], sizes[i]);
      bits += sizes[i];
      fail_unless (w.size == bits / 8);
    }
    fail_unless_equals_uint64 (mpeg_write_align (&w), (bits + 7) / 8);
    fail_unless_equals_uint64 (mpeg_write_align (&w), (bits + 7) / 8);
    fail_if (w.error);

    mpeg_bit_reader_init (&r, data, w.size);
    for (unsigned i = 0; i < 256; i++)
      fail_unless (mpeg_read_bits (&r, sizes[i]) == values[i]);
    fail_unless_equals_int (mpeg_read_bits (&r, (unsigned) (w.size * 8 - bits)),
        0);
    fail_if (r.error);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_write_start_code)
{
  static const uint8_t expected[] =
      { 0xa0, 0, 0, 1, 0xb5, 0, 0, 1, 0x00, 0xff };
  uint8_t data[10];
  MpegBitWriter w;

  mpeg_bit_writer_init (&w, data, sizeof data);
  mpeg_write_bits (&w, 5, 3);
  mpeg_write_start_code (&w, MPEG_CODE_EXTENSION);
  mpeg_write_start_code (&w, MPEG_CODE_PICTURE);
  mpeg_write_bits (&w, 0xff, 8);
  fail_unless (w.size == 10 && !w.error);
  fail_unless (memcmp (data, expected, 10) == 0);
}

GST_END_TEST;

/* What does not fit whole is not written, nor anything after it. */
GST_START_TEST (test_write_past_capacity)
{
  for (size_t capacity = 0; capacity <= 6; capacity++) {
    for (unsigned n = 1; n <= 32; n++) {
      uint8_t data[8];
      MpegBitWriter w;
      size_t bits = 0, size;

      memset (data, 0x55, sizeof data);
      mpeg_bit_writer_init (&w, data, capacity);
      while ((bits + n) / 8 <= capacity) {
        mpeg_write_bits (&w, 0, n);
        bits += n;
        fail_if (w.error);
      }
      size = w.size;
      fail_unless_equals_uint64 (size, bits / 8);
      mpeg_write_bits (&w, 0, n);
      fail_unless (w.error);
      mpeg_write_bits (&w, 1, 1);
      mpeg_write_start_code (&w, 0);
      fail_unless (mpeg_write_align (&w) == size && w.error);
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
  MpegBitWriter w;

  mpeg_bit_writer_init (&w, data, 1);
  mpeg_write_bits (&w, 0xff, 8);
  mpeg_write_bits (&w, 1, 1);
  fail_if (w.error);
  fail_unless_equals_uint64 (mpeg_write_align (&w), 1);
  fail_unless (w.error);
  fail_unless (data[0] == 0xff && data[1] == 0x55);
}

GST_END_TEST;

static Suite *
bits_suite (void)
{
  Suite *s = suite_create ("bits");
  TCase *tc = tcase_create ("bits");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_read);
  tcase_add_test (tc, test_read_past_end);
  tcase_add_test (tc, test_skip);
  tcase_add_test (tc, test_round_trip);
  tcase_add_test (tc, test_write_start_code);
  tcase_add_test (tc, test_write_past_capacity);
  tcase_add_test (tc, test_align_past_capacity);
  return s;
}

GST_CHECK_MAIN (bits);
