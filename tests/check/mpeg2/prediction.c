/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Clauses are those of 13818-2.
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/macroblock.h>

static M2vPictureParams
picture (M2vPictureType type, M2vStructure structure, unsigned precision)
{
  M2vPictureParams p = {.mpeg2 = true };

  p.type = type;
  p.structure = structure;
  p.n_blocks = 6;
  p.intra_dc_precision = precision;
  return p;
}

/* What no reset leaves. */
static M2vPrediction
any_prediction (void)
{
  M2vPrediction at;

  memset (&at, 0x11, sizeof at);
  return at;
}

static gboolean
vectors_are_zero (const M2vPrediction * at)
{
  static const int16_t zero[2][2][2];

  return memcmp (at->pmv, zero, sizeof zero) == 0;
}

static gboolean
dc_is (const M2vPrediction * at, int y, int cb, int cr)
{
  return at->dc[0] == y && at->dc[1] == cb && at->dc[2] == cr;
}

/* Table 7-2: half of the range of the DC coefficient. */
GST_START_TEST (test_reset)
{
  static const int dc[] = { 128, 256, 512, 1024 };
  M2vPictureParams p = picture (M2V_PICTURE_I, M2V_FRAME_PICTURE, __i__);
  M2vPrediction at = any_prediction ();

  m2v_prediction_reset (&p, &at, 9);
  fail_unless (vectors_are_zero (&at));
  fail_unless (dc_is (&at, dc[__i__], dc[__i__], dc[__i__]));
  fail_unless_equals_int (at.quantiser, 9);
}

GST_END_TEST;

/* Clause 7.6.6: vectors are reset in P, and stay in B. */
GST_START_TEST (test_skip)
{
  M2vPictureType type = __i__ ? M2V_PICTURE_B : M2V_PICTURE_P;
  M2vPictureParams p = picture (type, M2V_FRAME_PICTURE, 0);
  M2vPrediction at = any_prediction (), before = at;

  m2v_prediction_skip (&p, &at);
  fail_unless (dc_is (&at, 128, 128, 128));
  fail_unless_equals_int (at.quantiser, before.quantiser);
  if (type == M2V_PICTURE_P)
    fail_unless (vectors_are_zero (&at));
  else
    fail_unless (memcmp (at.pmv, before.pmv, sizeof at.pmv) == 0);
}

GST_END_TEST;

static void
set_vector (M2vMacroblock * mb, unsigned r, unsigned s, int x, int y)
{
  mb->vectors[r][s].vector[0] = x;
  mb->vectors[r][s].vector[1] = y;
}

static void
assert_vector (const M2vPrediction * at, unsigned r, unsigned s, int x, int y)
{
  fail_unless_equals_int (at->pmv[r][s][0], x);
  fail_unless_equals_int (at->pmv[r][s][1], y);
}

/* DC of the last luminance block and of the last chrominance blocks; the
 * quantiser where there is one. */
GST_START_TEST (test_intra)
{
  M2vPictureParams p = picture (M2V_PICTURE_P, M2V_FRAME_PICTURE, 0);
  M2vPrediction at = any_prediction ();
  M2vMacroblock mb = { 0 };

  p.n_blocks = __i__ ? 8 : 6;
  for (unsigned i = 0; i < p.n_blocks; i++)
    mb.dc[i] = 10 * (i + 1);
  mb.type = M2V_INTRA;
  mb.quantiser = 7;
  m2v_prediction_advance (&p, &at, &mb);
  fail_unless (dc_is (&at, 40, 10 * (p.n_blocks - 1), 10 * p.n_blocks));
  fail_unless_equals_int (at.quantiser, 0x1111);
  fail_unless (vectors_are_zero (&at));

  /* concealment vectors stay */
  mb.type |= M2V_QUANT;
  mb.motion = M2V_MOTION_FRAME;
  set_vector (&mb, 0, 0, 5, -3);
  m2v_prediction_advance (&p, &at, &mb);
  fail_unless_equals_int (at.quantiser, 7);
  assert_vector (&at, 0, 0, 5, -3);
  assert_vector (&at, 1, 0, 5, -3);
}

GST_END_TEST;

/* Table 7-9: both r get one vector, or each its own; of a field in a frame the
 * vertical component is doubled. What has no direction stays. */
GST_START_TEST (test_vectors)
{
  static const struct
  {
    M2vStructure structure;
    M2vMotion motion;
    gboolean two, doubled;
  } rows[] = {
    {M2V_FRAME_PICTURE, M2V_MOTION_FRAME, FALSE, FALSE},
    {M2V_FRAME_PICTURE, M2V_MOTION_FIELD, TRUE, TRUE},
    {M2V_FRAME_PICTURE, M2V_MOTION_DUAL_PRIME, FALSE, TRUE},
    {M2V_TOP_FIELD, M2V_MOTION_FIELD, FALSE, FALSE},
    {M2V_BOTTOM_FIELD, M2V_MOTION_16X8, TRUE, FALSE},
    {M2V_TOP_FIELD, M2V_MOTION_DUAL_PRIME, FALSE, FALSE},
  };
  M2vPictureParams p = picture (M2V_PICTURE_B, rows[__i__].structure, 0);
  int n = rows[__i__].doubled ? 2 : 1;

  for (unsigned s = 0; s < 2; s++) {
    M2vPrediction at = any_prediction ();
    M2vMacroblock mb = { 0 };

    mb.type = s ? M2V_BACKWARD : M2V_FORWARD;
    mb.motion = rows[__i__].motion;
    set_vector (&mb, 0, s, 6, 8);
    set_vector (&mb, 1, s, -2, -4);
    m2v_prediction_advance (&p, &at, &mb);
    fail_unless (dc_is (&at, 128, 128, 128));
    assert_vector (&at, 0, s, 6, 8 * n);
    if (rows[__i__].two)
      assert_vector (&at, 1, s, -2, -4 * n);
    else
      assert_vector (&at, 1, s, 6, 8 * n);
    assert_vector (&at, 0, !s, 0x1111, 0x1111);
  }
}

GST_END_TEST;

/* P without a vector of its own: they are reset (clause 7.6.3.4). */
GST_START_TEST (test_no_vector)
{
  M2vPictureParams p = picture (M2V_PICTURE_P, M2V_FRAME_PICTURE, 0);
  M2vPrediction at = any_prediction ();
  M2vMacroblock mb = { 0 };

  mb.type = M2V_PATTERN;
  mb.motion = M2V_MOTION_FRAME;
  m2v_prediction_advance (&p, &at, &mb);
  fail_unless (vectors_are_zero (&at));
}

GST_END_TEST;

/* Of a field in a frame half the vertical component, downwards (clause
 * 7.6.3.1). */
GST_START_TEST (test_predictor)
{
  M2vPictureParams frame = picture (M2V_PICTURE_P, M2V_FRAME_PICTURE, 0);
  M2vPictureParams field = picture (M2V_PICTURE_P, M2V_TOP_FIELD, 0);
  static const int rows[][2] = { {7, 3}, {6, 3}, {-7, -4}, {-6, -3}, {0, 0} };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    M2vPrediction at = { 0 };
    int value = rows[i][0], half = rows[i][1];

    at.pmv[1][0][0] = at.pmv[1][0][1] = value;
    for (unsigned t = 0; t < 2; t++) {
      fail_unless_equals_int (m2v_vector_predictor (&frame, &at,
              M2V_MOTION_FIELD, 1, 0, t), t ? half : value);
      fail_unless_equals_int (m2v_vector_predictor (&frame, &at,
              M2V_MOTION_DUAL_PRIME, 1, 0, t), t ? half : value);
      fail_unless_equals_int (m2v_vector_predictor (&frame, &at,
              M2V_MOTION_FRAME, 1, 0, t), value);
      fail_unless_equals_int (m2v_vector_predictor (&field, &at,
              M2V_MOTION_FIELD, 1, 0, t), value);
    }
  }
}

GST_END_TEST;

/* From -16 f to 16 f - 1 (clause 7.6.3.1), over both ends. */
GST_START_TEST (test_wrap)
{
  const int range = 32 << (__i__ - 1), low = -range / 2, high = range / 2 - 1;

  for (int v = low; v <= high; v++) {
    fail_unless_equals_int (m2v_vector_wrap (__i__, v), v);
    fail_unless_equals_int (m2v_vector_wrap (__i__, v + range), v);
    fail_unless_equals_int (m2v_vector_wrap (__i__, v - range), v);
  }
}

GST_END_TEST;

/* Of blocks that are empty, full and between. */
GST_START_TEST (test_counts)
{
  static const guint8 counts[] = { 0, 1, 0, 2, 63, 64, 0, 64 };
  M2vMacroblock mb;

  memset (&mb, 0xff, sizeof mb);
  for (guint shift = 0; shift < M2V_MAX_BLOCKS; shift++) {
    guint coded = 0, n = 0;

    for (guint i = 0; i < M2V_MAX_BLOCKS; i++) {
      guint count = counts[(shift + i) % G_N_ELEMENTS (counts)];

      mb.n_coefficients[i] = (guint8) count;
      n += count;
      if (count > 0)
        coded |= 1u << i;
    }
    fail_unless_equals_int (m2v_coded_blocks (&mb), coded);
    fail_unless_equals_int (m2v_count_coefficients (&mb), n);
    fail_unless_equals_int (m2v_load_counts (&mb) >> 56, mb.n_coefficients[0]);
  }
  memset (mb.n_coefficients, 64, sizeof mb.n_coefficients);
  fail_unless_equals_int (m2v_coded_blocks (&mb), 0xff);
  fail_unless_equals_int (m2v_count_coefficients (&mb), 64 * M2V_MAX_BLOCKS);
  memset (mb.n_coefficients, 0, sizeof mb.n_coefficients);
  fail_unless_equals_int (m2v_coded_blocks (&mb), 0);
  fail_unless_equals_int (m2v_count_coefficients (&mb), 0);
}

GST_END_TEST;

/* The bits that were read are no longer those of its vectors. */
GST_START_TEST (test_other_vector)
{
  M2vPictureParams p = picture (M2V_PICTURE_P, M2V_FRAME_PICTURE, 0);
  M2vMacroblock mb;

  memset (&mb, 0, sizeof mb);
  mb.n_motion_bits = 5;
  m2v_macroblock_set_zero (&p, &mb);
  fail_unless_equals_int (mb.n_motion_bits, 0);
}

GST_END_TEST;

static Suite *
prediction_suite (void)
{
  Suite *s = suite_create ("prediction");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_reset, 0, 4);
  tcase_add_loop_test (tc, test_skip, 0, 2);
  tcase_add_loop_test (tc, test_intra, 0, 2);
  tcase_add_loop_test (tc, test_vectors, 0, 6);
  tcase_add_test (tc, test_no_vector);
  tcase_add_test (tc, test_predictor);
  tcase_add_loop_test (tc, test_wrap, 1, 10);
  tcase_add_test (tc, test_counts);
  tcase_add_test (tc, test_other_vector);
  return s;
}

GST_CHECK_MAIN (prediction);
