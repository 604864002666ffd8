/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The closed loop's errors where macroblocks are missing, or come twice,
 * or references are.
 */
#include <gst/check/gstcheck.h>

#include <mpeg2requantize/drift.h>

#define COLUMNS 4
#define ROWS 3
#define N (COLUMNS * ROWS)

static M2vDriftLoop loop;
static M2vPictureParams picture;

static void
begin (M2vPictureType type)
{
  memset (&picture, 0, sizeof picture);
  picture.mpeg2 = true;
  picture.type = type;
  picture.structure = M2V_FRAME_PICTURE;
  picture.columns = COLUMNS;
  picture.rows = ROWS;
  picture.n_blocks = 6;
  picture.frame_pred_frame_dct = true;
  fail_unless (m2v_drift_begin (&loop, &picture, true));
}

/* Gives it errors of its own; 0: those that it inherits. */
static void
add (guint address, gint error)
{
  static M2vMacroblock mb;

  memset (&mb, 0, sizeof mb);
  mb.address = address;
  mb.type = picture.type == M2V_PICTURE_I ? M2V_INTRA : M2V_FORWARD;
  mb.motion = picture.type == M2V_PICTURE_I ? 0 : M2V_MOTION_FRAME;
  m2v_drift_macroblock (&loop, &mb);
  if (error == 0)
    return;
  m2v_drift_touch (&loop);
  for (guint i = 0; i < picture.n_blocks; i++) {
    M2vErrorBlock b = m2v_drift_block (&loop, false, i);

    for (guint k = 0; k < 64; k++)
      b.samples[k / 8 * b.stride + k % 8] = error;
  }
}

static void
assert_errors (guint address, gint error)
{
  const M2vErrorFrame *frame = &loop.frames[loop.newest];

  for (guint i = 0; i < 3; i++) {
    guint size = i > 0 ? 8 : 16, line = size * COLUMNS;
    const int16_t *samples = frame->planes[i]
        + address / COLUMNS * size * line + address % COLUMNS * size;

    for (guint k = 0; k < size * size && !frame->zero; k++)
      fail_unless (samples[k / size * line + k % size] == error,
          "macroblock %u: %d instead of %d", address,
          samples[k / size * line + k % size], error);
    fail_unless (!frame->zero || error == 0);
  }
}

static void
start (void)
{
  memset (&loop, 0, sizeof loop);
  loop.kernels = m2v_kernels_best ();
  begin (M2V_PICTURE_I);
  for (guint i = 0; i < N; i++)
    add (i, 100 + (gint) i);
  m2v_drift_end (&loop);
}

/* As many come as there are, but some twice: the others are not forgotten. */
GST_START_TEST (test_missing_in_p)
{
  start ();
  begin (M2V_PICTURE_P);
  for (guint i = 0; i < N; i++)
    add (i % 3 == 0 ? i : i - i % 3, i % 3 == 0 ? 0 : -7);
  m2v_drift_end (&loop);
  for (guint i = 0; i < N; i++)
    assert_errors (i, i % 3 == 0 ? -7 : 100 + (gint) i);
  m2v_drift_free (&loop);
}

GST_END_TEST;

/* Nothing at all is there. */
GST_START_TEST (test_no_macroblocks)
{
  start ();
  begin (M2V_PICTURE_P);
  m2v_drift_end (&loop);
  for (guint i = 0; i < N; i++)
    assert_errors (i, 100 + (gint) i);
  m2v_drift_free (&loop);
}

GST_END_TEST;

/* What a decoder puts there has nothing to do with the frame before. */
GST_START_TEST (test_missing_in_i)
{
  start ();
  begin (M2V_PICTURE_I);
  add (1, 55);
  m2v_drift_end (&loop);
  for (guint i = 0; i < N; i++)
    assert_errors (i, i == 1 ? 55 : 0);
  m2v_drift_free (&loop);
}

GST_END_TEST;

/* References are gone: nothing is inherited, and nothing is until there are
 * errors again. */
GST_START_TEST (test_lost)
{
  start ();
  fail_if (m2v_drift_is_free (&loop));
  begin (M2V_PICTURE_P);
  fail_if (m2v_drift_is_free (&loop));
  m2v_drift_lost (&loop);
  fail_unless (m2v_drift_is_free (&loop));
  begin (M2V_PICTURE_P);
  fail_unless (m2v_drift_is_free (&loop));
  m2v_drift_end (&loop);
  for (guint i = 0; i < N; i++)
    assert_errors (i, 0);
  begin (M2V_PICTURE_P);
  add (0, 9);
  fail_if (m2v_drift_is_free (&loop));
  m2v_drift_end (&loop);
  assert_errors (0, 9);
  assert_errors (1, 0);
  /* Nothing refers to what was before an I. */
  begin (M2V_PICTURE_I);
  fail_unless (m2v_drift_is_free (&loop));
  m2v_drift_free (&loop);
}

GST_END_TEST;

static Suite *
driftdamage_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-driftdamage");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_missing_in_p);
  tcase_add_test (tc, test_no_macroblocks);
  tcase_add_test (tc, test_missing_in_i);
  tcase_add_test (tc, test_lost);
  return s;
}

GST_CHECK_MAIN (driftdamage);
