/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The closed loop's errors where macroblocks are missing, or come twice.
 */
#include <gst/check/gstcheck.h>

#include "drift.h"

#define COLUMNS 4
#define ROWS 3
#define N (COLUMNS * ROWS)

static ScalerDriftLoop loop;
static ScalerPicture picture;

static void
begin (MpegPictureType type)
{
  memset (&picture, 0, sizeof picture);
  picture.mpeg2 = true;
  picture.type = type;
  picture.structure = MPEG_FRAME_PICTURE;
  picture.columns = COLUMNS;
  picture.rows = ROWS;
  picture.n_blocks = 6;
  picture.frame_pred_frame_dct = true;
  fail_unless (scaler_drift_begin (&loop, &picture, true));
}

/* Gives it errors of its own; 0: those that it inherits. */
static void
add (guint address, gint error)
{
  static ScalerMacroblock mb;

  memset (&mb, 0, sizeof mb);
  mb.address = address;
  mb.type = picture.type == MPEG_PICTURE_I ? SCALER_INTRA : SCALER_FORWARD;
  mb.motion = picture.type == MPEG_PICTURE_I ? 0 : SCALER_MOTION_FRAME;
  scaler_drift_macroblock (&loop, &mb);
  if (error == 0)
    return;
  scaler_drift_touch (&loop);
  for (guint i = 0; i < picture.n_blocks; i++) {
    ScalerErrorBlock b = scaler_drift_block (&loop, false, i);

    for (guint k = 0; k < 64; k++)
      b.samples[k / 8 * b.stride + k % 8] = error;
  }
}

static void
assert_errors (guint address, gint error)
{
  const ScalerErrorFrame *frame = &loop.frames[loop.newest];

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
  loop.kernels = scaler_kernels_best ();
  begin (MPEG_PICTURE_I);
  for (guint i = 0; i < N; i++)
    add (i, 100 + (gint) i);
  scaler_drift_end (&loop);
}

/* As many come as there are, but some twice: the others are not forgotten. */
GST_START_TEST (test_missing_in_p)
{
  start ();
  begin (MPEG_PICTURE_P);
  for (guint i = 0; i < N; i++)
    add (i % 3 == 0 ? i : i - i % 3, i % 3 == 0 ? 0 : -7);
  scaler_drift_end (&loop);
  for (guint i = 0; i < N; i++)
    assert_errors (i, i % 3 == 0 ? -7 : 100 + (gint) i);
  scaler_drift_free (&loop);
}

GST_END_TEST;

/* Nothing at all is there. */
GST_START_TEST (test_no_macroblocks)
{
  start ();
  begin (MPEG_PICTURE_P);
  scaler_drift_end (&loop);
  for (guint i = 0; i < N; i++)
    assert_errors (i, 100 + (gint) i);
  scaler_drift_free (&loop);
}

GST_END_TEST;

/* What a decoder puts there has nothing to do with the frame before. */
GST_START_TEST (test_missing_in_i)
{
  start ();
  begin (MPEG_PICTURE_I);
  add (1, 55);
  scaler_drift_end (&loop);
  for (guint i = 0; i < N; i++)
    assert_errors (i, i == 1 ? 55 : 0);
  scaler_drift_free (&loop);
}

GST_END_TEST;

static Suite *
driftdamage_suite (void)
{
  Suite *s = suite_create ("scaler-core-driftdamage");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_missing_in_p);
  tcase_add_test (tc, test_no_macroblocks);
  tcase_add_test (tc, test_missing_in_i);
  return s;
}

GST_CHECK_MAIN (driftdamage);
