/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <startcode/startcode.h>

/* More than twice what the scan tests at once. */
#define MAX_SIZE 70

static size_t
reference (const uint8_t * data, size_t size, size_t from)
{
  for (size_t i = from; i + 3 < size; i++) {
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1)
      return i;
  }
  return size;
}

/* In memory of its exact size, so that a sanitizer sees every read outside. */
static void
check_all_offsets (const uint8_t * data, size_t size)
{
  uint8_t *copy = g_memdup2 (data, size);

  for (size_t from = 0; from <= size; from++) {
    size_t found = start_code_find (copy, size, from);

    /* Millions of times: only where it fails there is something to note. */
    if (found != reference (data, size, from))
      fail ("size %zu from %zu: %zu", size, from, found);
  }
  g_free (copy);
}

GST_START_TEST (test_one_prefix)
{
  static const uint8_t fills[] = { 0x00, 0x01, 0x80, 0x81, 0xff };
  uint8_t data[MAX_SIZE];

  memset (data, fills[__i__], sizeof data);
  for (size_t size = 0; size <= MAX_SIZE; size++) {
    check_all_offsets (data, size);
    for (size_t at = 0; at + 3 <= size; at++) {
      memcpy (data + at, "\0\0\1", 3);
      check_all_offsets (data, size);
      memset (data + at, fills[__i__], 3);
    }
  }
}

GST_END_TEST;

/* All strings of three bytes that differ from the prefix in one bit, and such
 * that a word's subtraction borrows over. */
GST_START_TEST (test_near_prefixes)
{
  uint8_t data[MAX_SIZE];

  for (unsigned fill = 0; fill < 256; fill += 51) {
    for (unsigned bit = 0; bit < 24; bit++) {
      memset (data, (int) fill, sizeof data);
      for (size_t at = 0; at + 3 <= MAX_SIZE; at += 3) {
        memcpy (data + at, "\0\0\1", 3);
        data[at + bit / 8] ^= (uint8_t) (1u << bit % 8);
      }
      check_all_offsets (data, sizeof data);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_random)
{
  static const uint8_t values[] = { 0, 0, 0, 1, 1, 2, 0x80, 0xff };
  GRand *rand = g_rand_new_with_seed (1);
  uint8_t data[4 * MAX_SIZE];
  unsigned n_found = 0;

  for (unsigned round = 0; round < 2000; round++) {
    size_t size = (size_t) g_rand_int_range (rand, 0, sizeof data + 1);
    /* From few to most bytes out of the list above. */
    gint others = g_rand_int_range (rand, 0, 256);

    for (size_t i = 0; i < size; i++)
      data[i] = g_rand_int_range (rand, 0, 256) < others
          ? (uint8_t) g_rand_int (rand)
          : values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))];
    check_all_offsets (data, size);
    n_found += start_code_find (data, size, 0) < size;
  }
  fail_unless (n_found > 500 && n_found < 2000, "%u found", n_found);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_outside)
{
  static const uint8_t data[] = { 0, 0, 1, 0, 0, 1 };

  fail_unless_equals_uint64 (start_code_find (NULL, 0, 0), 0);
  fail_unless_equals_uint64 (start_code_find (data, 6, 7), 6);
  fail_unless_equals_uint64 (start_code_find (data, 6, SIZE_MAX), 6);
  /* A prefix without its value is none, at the beginning and the end. */
  fail_unless_equals_uint64 (start_code_find (data, 3, 0), 3);
  fail_unless_equals_uint64 (start_code_find (data, 4, 0), 0);
  fail_unless_equals_uint64 (start_code_find (data, 6, 1), 6);
}

GST_END_TEST;

static Suite *
startcode_suite (void)
{
  Suite *s = suite_create ("startcode");
  TCase *tc = tcase_create ("scan");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_one_prefix, 0, 5);
  tcase_add_test (tc, test_near_prefixes);
  tcase_add_test (tc, test_random);
  tcase_add_test (tc, test_outside);
  return s;
}

GST_CHECK_MAIN (startcode);
