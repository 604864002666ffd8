/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2/stuffing.h>

typedef struct
{
  const gchar *in;
  gsize in_size;
  const gchar *out;
  gsize out_size;
} Row;

#define ROW(in, out) { in, sizeof in - 1, out, sizeof out - 1 }

/* Two bytes may be the end of what is before, two are the next start code's. */
static const Row rows[] = {
  ROW ("", ""),
  ROW ("\0\0\0\0", "\0\0\0\0"),
  ROW ("\0\0\0\0\0\0\0", "\0\0"),
  ROW ("a\0\0\1\5b", "a\0\0\1\5b"),
  ROW ("a\0\0\0\0\1\5b", "a\0\0\0\0\1\5b"),
  ROW ("a\0\0\0\0\0\1\5b", "a\0\0\0\0\1\5b"),
  ROW ("\0\0\0\0\0\0\0\0\1\5b", "\0\0\0\0\1\5b"),
  ROW ("a\0\0\0\0\0\0\0\0\0\1\0bc\0\0\0\0\0\1\1d\0\0\0\0\0\0",
      "a\0\0\0\0\1\0bc\0\0\0\0\1\1d\0\0"),
  /* No start code: damage, which stays as it is. */
  ROW ("a\0\0\0\0\0\0\0\0\0\2b\0\0\0\0\0\0\1c",
      "a\0\0\0\0\0\0\0\0\0\2b\0\0\0\0\1c"),
};

GST_START_TEST (test_rows)
{
  const Row *row = &rows[__i__];
  guint8 *in = g_memdup2 (row->in, row->in_size);
  guint8 *out = g_malloc0 (row->in_size + 1);
  const guint8 *data = (const guint8 *) row->in;

  fail_unless_equals_int (m2v_remove_stuffing (data, row->in_size, NULL),
      row->out_size);
  fail_unless_equals_int (m2v_remove_stuffing (data, row->in_size, out),
      row->out_size);
  fail_unless (memcmp (out, row->out, row->out_size) == 0);
  /* in place, in memory of its exact size */
  fail_unless_equals_int (m2v_remove_stuffing (in, row->in_size, in),
      row->out_size);
  fail_unless (row->out_size == 0 || memcmp (in, row->out, row->out_size) == 0);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* Runs of all lengths at all places. */
GST_START_TEST (test_places)
{
  guint8 in[64], out[64], wanted[64];

  for (guint before = 0; before < 20; before++) {
    for (guint n = 0; n < 30; n++) {
      guint kept = MIN (n, 4), size = before + n + 6;

      memset (in, 0xff, sizeof in);
      memset (in + before, 0, n);
      in[before + n] = 1;
      memcpy (wanted, in, before + kept);
      memcpy (wanted + before + kept, in + before + n, 6);
      fail_unless_equals_int (m2v_remove_stuffing (in, size, out),
          size - n + kept);
      fail_unless (memcmp (out, wanted, size - n + kept) == 0);
    }
  }
}

GST_END_TEST;

static Suite *
stuffing_suite (void)
{
  Suite *s = suite_create ("mpeg2-stuffing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_places);
  return s;
}

GST_CHECK_MAIN (stuffing);
