/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The code of a slice's macroblock: the wanted one where it saves bits.
 */
#include "slicerewriting.h"

#include <mpeg2requantize/slicecode.h>

/* A macroblock of P with that code is the current one. */
static void
read_one (Fixture * f, guint code)
{
  M2vMacroblock mbs[COLUMNS];

  set_up (f);
  for (guint i = 0; i < COLUMNS; i++)
    init_macroblock (&mbs[i], i, code, FALSE);
  add_level (&mbs[0], 0, 5, 3);
  write_slice (f, mbs, COLUMNS, code);
  start_picture (f);
  m2v_slice_rewriter_begin (&f->r, &f->slice);
  fail_unless (m2v_slice_reader_next (&f->r.reader, &f->r.macroblock));
}

/* Codes are 1 to the maximum; what is at the maximum is counted, as is what is
 * there in the source. */
GST_START_TEST (test_want)
{
  static const struct
  {
    guint code, wanted, max;
    guint expected, at_maximum, coarsest;
  } rows[] = {
    {4, 0, 31, 1, 0, 0}, {4, 9, 31, 9, 0, 0}, {4, 31, 31, 31, 1, 1},
    {4, 99, 12, 12, 1, 1}, {11, 12, 12, 12, 1, 1}, {12, 12, 12, 12, 1, 0},
    {14, 3, 12, 12, 1, 0}, {14, 99, 12, 12, 1, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture f;

    read_one (&f, rows[i].code);
    f.settings.max_code = rows[i].max;
    m2v_slice_code_want (&f.r, rows[i].wanted);
    fail_unless_equals_int (f.r.wanted, rows[i].expected);
    fail_unless_equals_int (f.r.tally.n_quantised, 1);
    fail_unless_equals_int (f.r.tally.n_at_maximum, rows[i].at_maximum);
    fail_unless_equals_int (f.r.tally.n_coarsest, rows[i].coarsest);
  }
}

GST_END_TEST;

/* Never finer than the source's. With a price of bits a coarser one is used
 * where levels of 1 would go, or where nothing is exact any more, as errors are
 * inherited or the prediction has changed. Nearly the one in force stays. */
GST_START_TEST (test_choose)
{
  M2vRuns runs[2] = { 0, };
  M2vLengths lengths;
  Fixture f;

  read_one (&f, 6);
  m2v_lengths_init (&lengths, true);
  m2v_runs_init (&runs[0], &lengths, 0);
  m2v_slice_code_want (&f.r, 3);
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 6);
  m2v_slice_code_want (&f.r, 7);
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 7);
  f.r.levels.runs = runs;
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 6);
  f.r.inherits = true;
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 7);
  f.r.inherits = false;
  f.r.moved = true;
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 7);
  f.r.moved = false;
  m2v_slice_code_want (&f.r, 20);
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 20);
  f.settings.hysteresis = 4;
  f.r.bound = true;
  f.r.code = 19;
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 19);
  f.r.by_cost = true;
  fail_unless_equals_int (m2v_slice_code_choose (&f.r), 20);
}

GST_END_TEST;

static Suite *
slicecode_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-slicecode");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_want);
  tcase_add_test (tc, test_choose);
  return s;
}

GST_CHECK_MAIN (slicecode);
