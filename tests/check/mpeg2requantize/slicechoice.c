/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What is chosen for a slice's macroblock: macroblockchoice.c tries whether it
 * is the best. Here it has to be told how the macroblock stands.
 */
#include "slicerewriting.h"

#include <mpeg2requantize/slicechoice.h>
#include <mpeg2requantize/slicetarget.h>

/* The slice's macroblock at that address is read, and its target are its own
 * coefficients. */
static void
read_macroblock (Fixture * f, guint address)
{
  f->settings.rate_distortion = true;
  start_picture (f);
  m2v_slice_rewriter_set_dense (&f->r, &f->matrices, NULL);
  m2v_slice_rewriter_begin (&f->r, &f->slice);
  do {
    fail_unless (m2v_slice_reader_next (&f->r.reader, &f->r.macroblock));
  } while (f->r.macroblock.address < address);
  m2v_slice_target_set (&f->r, false, f->r.macroblock.quantiser);
}

static void
write_level (Fixture * f, guint code, gint level)
{
  M2vMacroblock mbs[COLUMNS];

  set_up (f);
  for (guint i = 0; i < COLUMNS; i++)
    init_macroblock (&mbs[i], i, code, FALSE);
  add_level (&mbs[2], 0, 5, level);
  write_slice (f, mbs, COLUMNS, code);
}

/* At the source's own price a large level stays what it is; where bits are dear
 * a small one goes, and the macroblock can be skipped then. */
GST_START_TEST (test_worth)
{
  unsigned code;
  Fixture f;

  write_level (&f, 1, 20);
  read_macroblock (&f, 2);
  fail_if (m2v_slice_choice_make (&f.r, 1, &code));
  fail_unless_equals_int (code, 1);
  fail_unless_equals_int (f.r.macroblock.n_coefficients[0], 1);
  fail_unless_equals_int (f.r.macroblock.coefficients[0][0].level, 20);
  fail_unless_equals_int (f.r.macroblock.coefficients[0][0].position, 5);

  write_level (&f, 1, 1);
  read_macroblock (&f, 2);
  fail_unless (m2v_slice_choice_make (&f.r, 31, &code));
  fail_unless_equals_int (f.r.macroblock.n_coefficients[0], 0);
  /* The type is for who writes it. */
  fail_unless (f.r.macroblock.type & M2V_PATTERN);
}

GST_END_TEST;

/* Codes are the source's, the one that is wanted if that is coarser, or the one
 * in force. None finer, though the target is between the levels that the
 * source's stand for. */
GST_START_TEST (test_codes)
{
  for (guint wanted = 1; wanted <= 31; wanted++) {
    for (guint in_force = 0; in_force <= 31; in_force += 3) {
      unsigned code;
      Fixture f;

      write_level (&f, 6, 100);
      read_macroblock (&f, 2);
      f.r.target.block[0][f.r.levels.places[5]] += 100;
      f.r.bound = in_force > 0;
      f.r.code = in_force;
      m2v_slice_choice_make (&f.r, wanted, &code);
      fail_unless (code == 6 || (code == wanted && wanted > 6)
          || (code == in_force && in_force > 0));
    }
  }
}

GST_END_TEST;

/* Before anything is written, what comes first is told from the reader. */
GST_START_TEST (test_writer_is_placed)
{
  unsigned code;
  Fixture f;

  write_level (&f, 4, 9);
  read_macroblock (&f, 2);
  f.r.direction = M2V_FORWARD;
  m2v_slice_choice_make (&f.r, 4, &code);
  fail_unless_equals_int (f.r.writer.address, 1);
  fail_unless_equals_int (f.r.writer.direction, M2V_FORWARD);
  fail_if (f.r.writer.first);
  fail_unless (memcmp (&f.r.writer.prediction, &f.r.macroblock.before,
          sizeof f.r.writer.prediction) == 0);
  /* Once there is output the writer knows. */
  f.r.started = true;
  f.r.writer.address = 0;
  m2v_slice_choice_make (&f.r, 4, &code);
  fail_unless_equals_int (f.r.writer.address, 0);
}

GST_END_TEST;

static Suite *
slicechoice_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-slicechoice");
  TCase *tc = tcase_create ("choices");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_worth);
  tcase_add_test (tc, test_codes);
  tcase_add_test (tc, test_writer_is_placed);
  return s;
}

GST_CHECK_MAIN (slicechoice);
