/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2requantize/levelscale.h>

#define MAX_LEVEL 2047

static const M2vRounding tm5 = { 3, 0 };

/* By hand; scales, not codes. */
static const struct
{
  guint from, to;
  gboolean intra;
  gint level, expected;
} rows[] = {
  /* 1 * 2 / 4 + 3/8 < 1, 2 * 2 / 4 = 1, 3 * 2 / 4 + 3/8 = 1 7/8 */
  {2, 4, TRUE, 1, 0},
  {2, 4, TRUE, 2, 1},
  {2, 4, TRUE, 3, 1},
  {2, 4, TRUE, 5, 2},
  /* 5/8 is the last that stays: 10 / 16 + 3/8 = 1 */
  {10, 16, TRUE, 1, 1},
  {10, 17, TRUE, 1, 0},
  {8, 12, TRUE, 7, 5},
  {8, 12, TRUE, -7, -5},
  {62, 62, TRUE, 2047, 2047},
  {2, 62, TRUE, 19, 0},
  {2, 62, TRUE, 20, 1},
  {2, 62, TRUE, 2047, 66},
  {1, 112, TRUE, 2047, 18},
  /* 1 1/2 * 2 / 4 < 1, 2 1/2 * 2 / 4 = 1 1/4 */
  {2, 4, FALSE, 1, 0},
  {2, 4, FALSE, 2, 1},
  {2, 4, FALSE, 3, 1},
  {2, 4, FALSE, 4, 2},
  /* 1 1/2 * 8 / 12 = 1: just there */
  {8, 12, FALSE, 1, 1},
  {8, 12, FALSE, -1, -1},
  {8, 13, FALSE, 1, 0},
  {8, 13, FALSE, -1, 0},
  {10, 14, FALSE, 6, 4},
  {62, 62, FALSE, -2047, -2047},
  {2, 62, FALSE, 30, 0},
  {2, 62, FALSE, 31, 1},
  {2, 62, FALSE, 2047, 66},
  {1, 112, FALSE, -2047, -18},
};

GST_START_TEST (test_rows)
{
  M2vLevelScale r;

  m2v_level_scale_init (&r, &tm5, rows[__i__].from, rows[__i__].to);
  fail_unless_equals_int (m2v_scale_level (&r, rows[__i__].intra,
          rows[__i__].level), rows[__i__].expected);
}

GST_END_TEST;

static const struct
{
  M2vRounding rounding;
  gboolean intra;
  gint level, expected;         /* from 6 to 12 */
} roundings[] = {
  {{0, 0}, TRUE, 1, 0},
  {{3, 0}, TRUE, 1, 0},
  {{4, 0}, TRUE, 1, 1},
  {{4, 0}, TRUE, 2, 1},
  {{7, 0}, TRUE, 3, 2},
  {{0, 0}, FALSE, 1, 0},
  {{0, 1}, FALSE, 1, 0},
  {{0, 2}, FALSE, 1, 1},
  {{0, 4}, FALSE, 2, 1},
  {{7, 0}, FALSE, 1, 0},
  {{0, 4}, TRUE, 1, 0},
};

GST_START_TEST (test_rounding)
{
  M2vLevelScale r;

  m2v_level_scale_init (&r, &roundings[__i__].rounding, 6, 12);
  fail_unless_equals_int (m2v_scale_level (&r, roundings[__i__].intra,
          roundings[__i__].level), roundings[__i__].expected);
}

GST_END_TEST;

static void
for_each_pair (void (*f) (guint from, guint to, const M2vLevelScale * r))
{
  for (guint type = 0; type < 2; type++) {
    M2vPictureParams p = {.q_scale_type = type };

    for (guint from = 1; from < 32; from++) {
      for (guint to = from; to < 32; to++) {
        guint a = m2v_quantiser_scale (&p, from);
        guint b = m2v_quantiser_scale (&p, to);
        M2vLevelScale r;

        m2v_level_scale_init (&r, &tm5, a, b);
        f (a, b, &r);
      }
    }
  }
}

/* Exactly the quotient, for each sign; equal scales change nothing, and no
 * level ever grows. */
static void
assert_quotient (guint from, guint to, const M2vLevelScale * r)
{
  for (gint level = 1; level <= MAX_LEVEL; level++) {
    gint intra = (8 * level * (gint) from + 3 * (gint) to) / (8 * (gint) to);
    gint other = (2 * level + 1) * (gint) from / (2 * (gint) to);

    if (m2v_scale_level (r, TRUE, level) != intra
        || m2v_scale_level (r, TRUE, -level) != -intra
        || m2v_scale_level (r, FALSE, level) != other
        || m2v_scale_level (r, FALSE, -level) != -other
        || intra > level || other > level)
      fail ("%d from %u to %u", level, from, to);
    if (from == to)
      fail_unless (intra == level && other == level);
  }
}

GST_START_TEST (test_quotients)
{
  for_each_pair (assert_quotient);
}

GST_END_TEST;

/* What a decoder makes of it (clauses 7.4.2.3, 7.4.3). */
static gint
reconstruct (gboolean intra, gint level, gint weight, gint scale)
{
  gint f = (2 * level + (intra ? 0 : (level > 0) - (level < 0))) * weight
      * scale / 32;

  return CLAMP (f, -2048, 2047);
}

/* How far that is from what it was. A step is weight * scale / 16: intra stays
 * within 5/8 of it, others within half, or one where they become 0; the two
 * reconstructions may each be truncated by less than 1. */
static void
assert_error (guint from, guint to, const M2vLevelScale * r)
{
  static const gint weights[] = { 1, 8, 16, 17, 33, 83, 255 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (weights); i++) {
    gint weight = weights[i / 2];
    gdouble step = weight * (gdouble) to / 16;
    gboolean intra = i % 2;

    for (gint level = -MAX_LEVEL; level <= MAX_LEVEL; level += 3) {
      gint left = m2v_scale_level (r, intra, level);
      gint error = ABS (reconstruct (intra, level, weight, from)
          - reconstruct (intra, left, weight, to));
      gdouble bound = step * (intra ? 0.625 : left == 0 ? 1 : 0.5);

      if (level != 0 && error >= bound + 1)
        fail ("%d from %u to %u, weight %d: off by %d", level, from, to,
            weight, error);
    }
  }
}

GST_START_TEST (test_errors)
{
  for_each_pair (assert_error);
}

GST_END_TEST;

/* As a level of 1 is scaled. */
static void
assert_ones (guint from, guint to, const M2vLevelScale * r)
{
  for (guint intra = 0; intra < 2; intra++)
    fail_unless_equals_int (m2v_ones_are_gone (&tm5, intra, from, to),
        m2v_scale_level (r, intra, 1) == 0);
}

GST_START_TEST (test_ones)
{
  for_each_pair (assert_ones);
}

GST_END_TEST;

static Suite *
levelscale_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-levelscale");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_rounding, 0, G_N_ELEMENTS (roundings));
  tcase_add_test (tc, test_quotients);
  tcase_add_test (tc, test_errors);
  tcase_add_test (tc, test_ones);
  return s;
}

GST_CHECK_MAIN (levelscale);
