/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a macroblock ought to be where its reference is off by the same
 * everywhere: by Parseval a block has that 8 times in its DC, and 64 times its
 * square as energy.
 */
#include "slicerewriting.h"

#include <mpeg2requantize/slicetarget.h>

/* 32nds. */
#define ERROR 80

static void
set_up_target (Fixture * f, gboolean intra)
{
  set_up (f);
  f->settings.rounding.non_intra = 0;
  start_picture (f);
  begin_drift (f, ERROR);
  m2v_slice_rewriter_set_dense (&f->r, &f->matrices, &f->drift);
  init_macroblock (&f->r.macroblock, 1, 4, intra);
}

GST_START_TEST (test_inherit)
{
  Fixture f;

  set_up_target (&f, FALSE);
  add_level (&f.r.macroblock, 3, 0, 1);
  fail_unless (m2v_slice_target_inherit (&f.r));
  for (guint i = 0; i < 6; i++)
    fail_unless_equals_uint64 (f.r.energies[i],
        i == 3 ? UINT32_MAX : 64 * ERROR * ERROR);
  /* Intra inherits nothing. */
  init_macroblock (&f.r.macroblock, 2, 4, TRUE);
  fail_if (m2v_slice_target_inherit (&f.r));
  /* Nor does anything in the open loop. */
  init_macroblock (&f.r.macroblock, 3, 4, FALSE);
  f.r.drift = NULL;
  fail_if (m2v_slice_target_inherit (&f.r));
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

/* Energies are those of the errors that the macroblock has got since, but for
 * blocks with coefficients. */
GST_START_TEST (test_measure)
{
  static const M2vSamples more = {.planes = {{[255] = 3}} };
  Fixture f;

  set_up_target (&f, FALSE);
  add_level (&f.r.macroblock, 2, 0, 1);
  fail_unless (m2v_slice_target_inherit (&f.r));
  m2v_drift_add (&f.drift, &more);
  m2v_slice_target_measure (&f.r);
  for (guint i = 0; i < 6; i++)
    fail_unless_equals_uint64 (f.r.energies[i], i == 2 ? UINT32_MAX
        : 64 * ERROR * ERROR + (i == 3 ? 2 * 3 * ERROR + 3 * 3 : 0));
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

/* A level of 1 is near where the DC is 2 * W * q at least, q twice the code:
 * 8 * 80 = 2 * 16 * 2 * 10. */
GST_START_TEST (test_needs)
{
  Fixture f;

  set_up_target (&f, FALSE);
  fail_unless (m2v_slice_target_inherit (&f.r));
  for (guint code = 1; code <= 31; code++)
    fail_unless (m2v_slice_target_needs (&f.r, code) == (code <= 10), "%u",
        code);
  /* One block is enough. */
  for (guint i = 0; i < 6; i++)
    f.r.energies[i] = i == 5 ? UINT32_MAX : 0;
  fail_unless (m2v_slice_target_needs (&f.r, 31));
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

/* Blocks with coefficients have them and the errors; others the errors, if they
 * would come to a level. */
GST_START_TEST (test_set)
{
  static const struct
  {
    gboolean inherits;
    guint code;
    guint pattern;
  } rows[] = { {TRUE, 10, 0x3f}, {TRUE, 11, 0x08}, {FALSE, 10, 0x08} };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture f;

    set_up_target (&f, FALSE);
    add_level (&f.r.macroblock, 3, 0, 2);
    fail_unless (m2v_slice_target_inherit (&f.r));
    m2v_slice_target_set (&f.r, rows[i].inherits, rows[i].code);
    fail_unless_equals_int (f.r.target.pattern, rows[i].pattern);
    for (guint block = 0; block < 6; block++) {
      gint32 dc = rows[i].inherits ? 8 * ERROR : 0;

      if (!(rows[i].pattern >> block & 1))
        continue;
      if (block == 3)
        dc += (2 * 2 + 1) * 16 * 8;
      fail_unless_equals_int (f.r.target.block[block][0], dc);
      for (guint k = 1; k < 64; k++)
        fail_unless_equals_int (f.r.target.block[block][k], 0);
    }
    m2v_drift_free (&f.drift);
  }
}

GST_END_TEST;

/* Of the frame, one block changes. */
GST_START_TEST (test_store)
{
  gint16 *luma;
  Fixture f;

  set_up_target (&f, FALSE);
  fail_unless (m2v_slice_target_inherit (&f.r));
  luma = f.drift.frames[f.drift.newest].planes[0];
  memset (&f.r.target, 0, sizeof f.r.target);
  m2v_slice_target_store (&f.r);
  f.r.target.block[2][0] = 8 * 7;
  /* It is not in the pattern yet. */
  m2v_slice_target_store (&f.r);
  for (guint round = 0; round < 2; round++) {
    for (guint y = 0; y < 16; y++) {
      for (guint x = 16; x < 32; x++) {
        gboolean in_block = y >= 8 && x < 24;

        fail_unless_equals_int (luma[y * 16 * COLUMNS + x],
            round == 1 && in_block ? 7 : ERROR);
      }
    }
    f.r.target.pattern = 1 << 2;
    m2v_slice_target_store (&f.r);
  }
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

/* Nothing refers to B: what they are left with is nobody's. In the open loop
 * nothing is. */
GST_START_TEST (test_nothing_is_stored_of_b)
{
  M2vErrorBlock errors;
  Fixture f;

  set_up_target (&f, FALSE);
  f.picture.type = M2V_PICTURE_B;
  fail_unless (m2v_drift_begin (&f.drift, &f.picture, true));
  fail_unless (m2v_slice_target_inherit (&f.r));
  memset (&f.r.target, 0, sizeof f.r.target);
  f.r.target.pattern = 0x3f;
  m2v_slice_target_store (&f.r);
  errors = m2v_drift_block (&f.drift, false, 0);
  fail_unless_equals_int (errors.samples[0], ERROR);
  f.r.drift = NULL;
  m2v_slice_target_store (&f.r);
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

static Suite *
slicetarget_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-slicetarget");
  TCase *tc = tcase_create ("targets");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_inherit);
  tcase_add_test (tc, test_measure);
  tcase_add_test (tc, test_needs);
  tcase_add_test (tc, test_set);
  tcase_add_test (tc, test_store);
  tcase_add_test (tc, test_nothing_is_stored_of_b);
  return s;
}

GST_CHECK_MAIN (slicetarget);
