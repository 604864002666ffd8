/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/headers.h>
#include <mpeg2/patch.h>

#define SIZE 12

static unsigned
bit (const uint8_t * data, size_t position)
{
  return data[position / 8] >> (7 - position % 8) & 1;
}

/* The bits of the field are those of value, all others as before. */
static void
check_patched (const uint8_t * before, const uint8_t * after, size_t position,
    unsigned n, uint32_t value)
{
  for (size_t i = 0; i < SIZE * 8; i++) {
    unsigned expected = bit (before, i);

    if (i >= position && i < position + n)
      expected = value >> (n - 1 - (i - position)) & 1;
    if (bit (after, i) != expected)
      fail ("bit %zu of %u at %zu", i, n, position);
  }
}

static void
fill (GRand * rand, uint8_t * data, unsigned code)
{
  for (unsigned i = 0; i < SIZE; i++)
    data[i] = (uint8_t) g_rand_int (rand);
  data[0] = data[1] = 0;
  data[2] = 1;
  data[3] = (uint8_t) code;
}

GST_START_TEST (test_bits)
{
  GRand *rand = g_rand_new_with_seed (3);
  uint8_t before[SIZE], after[SIZE];

  for (size_t position = 0; position < 40; position++) {
    for (unsigned n = 1; n <= 32; n++) {
      uint32_t value = g_rand_int (rand) >> (32 - n);

      fill (rand, before, 0);
      memcpy (after, before, SIZE);
      m2v_patch_bits (after, position, n, value);
      check_patched (before, after, position, n, value);
    }
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_picture)
{
  GRand *rand = g_rand_new_with_seed (4);
  uint8_t before[SIZE], after[SIZE];

  for (unsigned round = 0; round < 1000; round++) {
    M2vPictureHeader header;
    unsigned delay = g_rand_int (rand) & 0xffff;

    fill (rand, before, M2V_CODE_PICTURE);
    memcpy (after, before, SIZE);
    fail_unless (m2v_patch_vbv_delay (after, SIZE, delay));
    check_patched (before, after, 32 + 13, 16, delay);

    m2v_patch_bits (after, 32 + 10, 3, M2V_PICTURE_I);
    after[7] &= 0xf8;           /* no extra_information_picture */
    fail_unless (m2v_parse_picture_header (after, SIZE, &header));
    fail_unless_equals_int (header.vbv_delay, delay);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Refused, and nothing changed. */
static void
check_refused (const uint8_t * data, size_t size)
{
  uint8_t *copy = g_memdup2 (data, size);

  fail_if (m2v_patch_vbv_delay (copy, size, 0x5555));
  fail_unless (size == 0 || memcmp (copy, data, size) == 0);
  g_free (copy);
}

GST_START_TEST (test_refused)
{
  uint8_t data[SIZE] = { 0, 0, 1 };

  for (unsigned code = 0; code < 256; code++) {
    data[3] = (uint8_t) code;
    for (size_t size = 0; size < 8; size++)
      check_refused (data, size);
    if (code != M2V_CODE_PICTURE)
      check_refused (data, 8);
  }
  data[3] = M2V_CODE_PICTURE;
  fail_unless (m2v_patch_vbv_delay (data, 8, 0));
  for (unsigned i = 0; i < 24; i++) {
    data[i / 8] ^= (uint8_t) (1u << i % 8);
    check_refused (data, SIZE);
    data[i / 8] ^= (uint8_t) (1u << i % 8);
  }
}

GST_END_TEST;

static Suite *
patch_suite (void)
{
  Suite *s = suite_create ("mpeg2-patch");
  TCase *tc = tcase_create ("patch");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_bits);
  tcase_add_test (tc, test_picture);
  tcase_add_test (tc, test_refused);
  return s;
}

GST_CHECK_MAIN (patch);
