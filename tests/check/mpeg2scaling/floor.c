/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <mpeg2scaling/floor.h>

/* Bits as quantiser_scale^-slope. */
static M2vFloorPicture
power_picture (M2vPictureType type, gdouble slope, gdouble scale_in,
    gdouble scale_out)
{
  M2vFloorPicture p = { type, 80000, 0, scale_in, scale_out, 62 };

  p.bits_out = p.bits_in * pow (scale_in / scale_out, slope);
  return p;
}

#define assert_near(a, b, error) \
  fail_unless (fabs ((a) - (b)) <= (error), "%g is not %g", (gdouble) (a), \
      (gdouble) (b))

/* Nothing is known of a type before the first of its pictures has been recoded,
 * but that bits fall with the quantiser, and less than it grows. */
GST_START_TEST (test_unknown)
{
  M2vFloorPicture p = { M2V_PICTURE_P, 80000, 0, 10, 0, 62 };
  M2vFloor f;
  gdouble share;

  m2v_floor_init (&f);
  share = m2v_floor_share (&f, &p);
  fail_unless (share >= 10. / 62 && share < .5, "%g", share);
  p.scale_in = 62;
  fail_unless (m2v_floor_share (&f, &p) == 1);
  p.scale_in = 112;
  fail_unless (m2v_floor_share (&f, &p) == 1);
}

GST_END_TEST;

/* What cannot be told leaves all as it is. */
GST_START_TEST (test_unusable)
{
  const M2vFloorPicture good = power_picture (M2V_PICTURE_I, .6, 8, 20);
  M2vFloorPicture rows[] = {
    {M2V_PICTURE_D, 80000, 40000, 8, 20, 62},
    {0, 80000, 40000, 8, 20, 62},
    {7, 80000, 40000, 8, 20, 62},
    {M2V_PICTURE_I, 0, 40000, 8, 20, 62},
    {M2V_PICTURE_I, 80000, 40000, 0, 20, 62},
    {M2V_PICTURE_I, 80000, 40000, 8, 20, 0},
  };
  M2vFloor f, before;

  m2v_floor_init (&f);
  m2v_floor_learn (&f, &good);
  before = f;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    fail_unless (m2v_floor_share (&f, &rows[i]) == 1);
    m2v_floor_learn (&f, &rows[i]);
    fail_unless (memcmp (&f, &before, sizeof f) == 0, "row %u", i);
  }
  /* Not known, or finer than it was. */
  rows[0] = good;
  rows[0].bits_out = 0;
  m2v_floor_learn (&f, &rows[0]);
  rows[0] = good;
  rows[0].scale_out = 7;
  m2v_floor_learn (&f, &rows[0]);
  fail_unless (memcmp (&f, &before, sizeof f) == 0);
}

GST_END_TEST;

static const gdouble slopes[] = { .3, .6, .9, 1.2 };

/* The slope up to the quantisers at hand tells the share at the coarsest one, the
 * better the coarser they are. */
GST_START_TEST (test_slope)
{
  const gdouble slope = slopes[__i__], exact = pow (8. / 62, slope);
  gdouble last = INFINITY;

  for (guint scale_out = 14; scale_out <= 62; scale_out += 8) {
    const M2vFloorPicture p = power_picture (M2V_PICTURE_B, slope, 8,
        scale_out);
    gdouble error;
    M2vFloor f;

    m2v_floor_init (&f);
    for (guint i = 0; i < 40; i++)
      m2v_floor_learn (&f, &p);
    error = fabs (log (m2v_floor_share (&f, &p) / exact));
    GST_INFO ("%g, to %u: %g", slope, scale_out, error);
    fail_unless (error < last);
    last = error;
  }
  assert_near (last, 0, 1e-6);
}

GST_END_TEST;

/* At the coarsest, what comes of a picture is the answer itself, whatever the
 * slope. */
GST_START_TEST (test_at_floor)
{
  M2vFloorPicture p = { M2V_PICTURE_I, 80000, 24000, 8, 62, 62 };
  M2vFloor f;

  m2v_floor_init (&f);
  m2v_floor_learn (&f, &p);
  assert_near (m2v_floor_share (&f, &p), .3, 1e-9);
  p.bits_out = 16000;
  for (guint i = 0; i < 20; i++)
    m2v_floor_learn (&f, &p);
  assert_near (m2v_floor_share (&f, &p), .2, 1e-3);
}

GST_END_TEST;

/* Four times the complexity comes to twice as much; of a type that has not been
 * met, no more than of those that have. */
GST_START_TEST (test_complexity)
{
  M2vFloorPicture p = { M2V_PICTURE_P, 80000, 20000, 8, 62, 62 };
  M2vFloor f;

  m2v_floor_init (&f);
  m2v_floor_learn (&f, &p);
  p.bits_in *= 2;
  p.scale_in *= 2;
  assert_near (m2v_floor_share (&f, &p) * p.bits_in, 40000, 1e-6);
  p.type = M2V_PICTURE_B;
  fail_unless (m2v_floor_share (&f, &p) * p.bits_in <= 40000);
}

GST_END_TEST;

/* Slightly coarser quantisers say little of a slope: bits that do not fit are
 * not made into one. */
GST_START_TEST (test_near)
{
  M2vFloorPicture p = { M2V_PICTURE_P, 80000, 20000, 20, 21, 62 };
  M2vFloor f;
  gdouble slope;

  m2v_floor_init (&f);
  slope = f.types[M2V_PICTURE_P].slope;
  m2v_floor_learn (&f, &p);
  fail_unless (f.types[M2V_PICTURE_P].slope == slope);
}

GST_END_TEST;

/* Any numbers: the share is one. */
GST_START_TEST (test_random)
{
  GRand *rand = g_rand_new_with_seed (7);
  M2vFloor f;

  m2v_floor_init (&f);
  for (guint i = 0; i < 100000; i++) {
    const M2vFloorPicture p = {
      g_rand_int_range (rand, 0, 6),
      exp (g_rand_double_range (rand, -10, 30)),
      exp (g_rand_double_range (rand, -10, 30)),
      g_rand_double_range (rand, -1, 112), g_rand_double_range (rand, -1, 112),
      g_rand_double_range (rand, -1, 112)
    };
    gdouble share;

    m2v_floor_learn (&f, &p);
    share = m2v_floor_share (&f, &p);
    fail_unless (share >= 0 && share <= 1, "%g", share);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
floor_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-floor");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_unknown);
  tcase_add_test (tc, test_unusable);
  tcase_add_loop_test (tc, test_slope, 0, G_N_ELEMENTS (slopes));
  tcase_add_test (tc, test_at_floor);
  tcase_add_test (tc, test_complexity);
  tcase_add_test (tc, test_near);
  tcase_add_test (tc, test_random);
  return s;
}

GST_CHECK_MAIN (floor);
