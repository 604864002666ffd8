/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/sliceindex.h>
#include <mpeg2/slicereader.h>

#include "../rounds.h"

static void
assert_index (const M2vSliceIndex * index, const guint8 * data, gsize size)
{
  gsize position = 0;
  M2vRange range;
  guint n = 0;

  for (; m2v_slices_next (data, size, &position, &range); n++) {
    M2vRange found;

    fail_unless (n < index->n);
    found = m2v_slice_index_range (index, n);
    fail_unless (found.offset == range.offset && found.size == range.size,
        "range %u", n);
  }
  fail_unless_equals_int (n, index->n);
  fail_unless (index->data == data && index->size == size);
}

/* Start codes in any distance, over and over with one index. */
GST_START_TEST (test_ranges)
{
  static guint8 data[4000];
  GRand *rand = g_rand_new_with_seed (4);
  M2vSliceIndex index = { 0, };

  for (guint round = 0; round < test_rounds (500); round++) {
    gsize size = g_rand_int_range (rand, 0, sizeof data);

    for (gsize i = 0; i < size; i++)
      data[i] = g_rand_int_range (rand, 0, round % 4 + 2) % 4;
    fail_unless (m2v_slice_index_build (&index, data, size));
    assert_index (&index, data, size);
  }
  m2v_slice_index_clear (&index);
  m2v_slice_index_clear (&index);
  g_rand_free (rand);
}

GST_END_TEST;

/* More ranges than any before: it grows, and keeps what it has. */
GST_START_TEST (test_growth)
{
  guint8 *data = g_malloc (40000);
  M2vSliceIndex index = { 0, };
  guint32 *begin;

  for (guint i = 0; i < 10000; i++) {
    data[4 * i] = data[4 * i + 1] = 0;
    data[4 * i + 2] = 1;
    data[4 * i + 3] = i % 175 + 1;
  }
  for (gsize size = 4; size <= 40000; size += 996) {
    fail_unless (m2v_slice_index_build (&index, data, size));
    fail_unless_equals_int (index.n, size / 4);
    assert_index (&index, data, size);
  }
  begin = index.begin;
  fail_unless (m2v_slice_index_build (&index, data, 40000));
  fail_unless (index.begin == begin);
  m2v_slice_index_clear (&index);
  g_free (data);
}

GST_END_TEST;

static Suite *
sliceindex_suite (void)
{
  Suite *s = suite_create ("mpeg2-sliceindex");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_ranges);
  tcase_add_test (tc, test_growth);
  return s;
}

GST_CHECK_MAIN (sliceindex);
