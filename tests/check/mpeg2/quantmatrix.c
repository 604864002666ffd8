/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The extension with all its matrices: headers.c, patch.c, carry.c.
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/quantmatrix.h>

#include "headerwriter.h"

/* A load flag, and where it is set the entries 1 to 64; `zero` is 0. */
static void
write (HeaderWriter * w, gboolean load, gint zero)
{
  uint8_t matrix[64];

  for (guint i = 0; i < 64; i++)
    matrix[i] = (gint) i == zero ? 0 : i + 1;
  header_writer_init (w);
  write_matrix (w, load ? matrix : NULL);
  m2v_write_align (&w->bits);
}

static gboolean
is_default (const M2vMatrices * m, guint which)
{
  M2vMatrices defaults;

  m2v_matrices_init (&defaults);
  return memcmp (m->matrix[which], defaults.matrix[which], 64) == 0;
}

/* A luminance matrix is the chrominance matrix as well (clause 6.3.11). */
GST_START_TEST (test_read)
{
  guint which = __i__;
  unsigned loaded = 0;
  HeaderWriter w;
  M2vBitReader r;
  M2vMatrices m;

  write (&w, TRUE, -1);
  m2v_matrices_init (&m);
  m2v_bit_reader_init (&r, w.data, 65);
  fail_unless (m2v_read_matrix (&r, &m, which, &loaded));
  fail_unless_equals_int (loaded, 1 << which);
  fail_unless_equals_int (m2v_bit_reader_position (&r), 1 + 64 * 8);
  for (guint i = 0; i < M2V_N_MATRICES; i++) {
    gboolean is_loaded = i == which
        || (which < M2V_MATRIX_CHROMA_INTRA && i == which + 2);

    fail_unless_equals_int (is_default (&m, i), !is_loaded);
    fail_unless (!is_loaded || m.matrix[i][63] == 64);
  }
}

GST_END_TEST;

GST_START_TEST (test_not_loaded)
{
  unsigned loaded = 0;
  HeaderWriter w;
  M2vBitReader r;
  M2vMatrices m;

  write (&w, FALSE, -1);
  m2v_matrices_init (&m);
  m2v_bit_reader_init (&r, w.data, 1);
  fail_unless (m2v_read_matrix (&r, &m, M2V_MATRIX_INTRA, &loaded));
  fail_unless_equals_int (loaded, 0);
  fail_unless_equals_int (m2v_bit_reader_position (&r), 1);
  fail_unless (is_default (&m, M2V_MATRIX_INTRA));
}

GST_END_TEST;

/* An entry of 0 is forbidden, and what is cut off reads as one. */
GST_START_TEST (test_damaged)
{
  unsigned loaded = 0;
  HeaderWriter w;
  M2vBitReader r;
  M2vMatrices m;

  for (gint i = 0; i < 64; i++) {
    write (&w, TRUE, i);
    m2v_bit_reader_init (&r, w.data, 65);
    fail_if (m2v_read_matrix (&r, &m, M2V_MATRIX_INTRA, &loaded));
    write (&w, TRUE, -1);
    m2v_bit_reader_init (&r, w.data, i + 1);
    fail_if (m2v_read_matrix (&r, &m, M2V_MATRIX_INTRA, &loaded));
  }
  fail_unless_equals_int (loaded, 0);
}

GST_END_TEST;

static Suite *
quantmatrix_suite (void)
{
  Suite *s = suite_create ("quantmatrix");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_read, 0, M2V_N_MATRICES);
  tcase_add_test (tc, test_not_loaded);
  tcase_add_test (tc, test_damaged);
  return s;
}

GST_CHECK_MAIN (quantmatrix);
