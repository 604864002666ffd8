/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Step 2 of N400 on states set by hand, and what has been added to it.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <ratecontrol/tm5quantiser.h>

static void
fail_unless_near (double a, double b)
{
  fail_unless (fabs (a - b) <= 1e-6 * fmax (fabs (b), 1), "%f is not %f", a, b);
}

/* A picture with 46000 bits for it at 1.15 Mb/s, 25 a second. */
static void
set_up (Tm5 * t, const Tm5Params * params, Tm5Type type)
{
  tm5_init (t, params);
  t->target = t->new_target = 1150000;
  t->picture = (Tm5Picture) {
  .type = type,.duration = RATECONTROL_SECOND / 25,.max_code = 31};
  t->picture_target = 46000;
  t->budget = 322000;
  t->complexity[type] = 460000;
  t->r = 92000;
}

/* d0 is 10 r / 31 times K, and r 2 bit_rate / picture_rate. */
GST_START_TEST (test_first)
{
  static const double k[TM5_N_TYPES] = { 1, 1, 1.4 };

  for (guint type = 0; type < TM5_N_TYPES; type++) {
    Tm5 t;

    set_up (&t, &tm5_params_model, type);
    tm5_quantiser_begin (&t);
    fail_unless_near (t.start[type], 10 * k[type]);
    fail_unless_near (t.r, 2 * 1150000 / 25.);
    fail_unless_near (tm5_quantiser_now (&t, 0, 0), 10 * k[type]);
  }
}

GST_END_TEST;

/* A quantiser is X / T once X is known: within half the source's, which changes
 * nothing, and twice the coarsest. */
GST_START_TEST (test_by_complexity)
{
  static const struct
  {
    double complexity, source_quantiser;
    guint max_code;
    double start;
  } rows[] = {
    {460000, 0, 31, 10},
    {920000, 30, 31, 20},
    {460000, 44, 31, 11},
    {46, 0, 31, .5},
    {46e6, 0, 31, 62},
    {46e6, 0, 8, 16},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5 t;

    set_up (&t, NULL, TM5_P);
    t.known[TM5_P] = TRUE;
    t.complexity[TM5_P] = rows[i].complexity;
    t.picture.quantiser = rows[i].source_quantiser;
    t.picture.max_code = rows[i].max_code;
    tm5_quantiser_begin (&t);
    fail_unless_near (t.start[TM5_P], rows[i].start);
  }
}

GST_END_TEST;

/* From picture to picture it follows X / T, at most by 8; d0 of the model does
 * not. */
GST_START_TEST (test_follows)
{
  static const struct
  {
    double change, follows;
  } rows[] = { {1, 1}, {2, 2}, {.5, .5}, {100, 8}, {.01, 1 / 8.} };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5 t;

    set_up (&t, NULL, TM5_P);
    t.known[TM5_P] = TRUE;
    t.start[TM5_P] = 6;
    t.model[TM5_P] = 10 / rows[i].change;
    tm5_quantiser_begin (&t);
    fail_unless_near (t.start[TM5_P], 6 * rows[i].follows);

    set_up (&t, &tm5_params_model, TM5_P);
    t.known[TM5_P] = TRUE;
    t.start[TM5_P] = 6;
    t.model[TM5_P] = 10 / rows[i].change;
    tm5_quantiser_begin (&t);
    fail_unless_near (t.start[TM5_P], 6);
  }
}

GST_END_TEST;

/* Q = 31 d / r, d = d0 + what the picture is ahead. */
GST_START_TEST (test_now_in_model)
{
  Tm5 t;

  set_up (&t, &tm5_params_model, TM5_P);
  t.start[TM5_P] = 10;
  fail_unless_near (tm5_quantiser_now (&t, .5, 0), 10);
  fail_unless_near (tm5_quantiser_now (&t, .5, 9200), 13.1);
  fail_unless_near (tm5_quantiser_now (&t, 0, -9200), 6.9);
}

GST_END_TEST;

/* What is left of the group makes good what the picture is ahead: the coarser,
 * the less is left, and at most 4 times. */
GST_START_TEST (test_now)
{
  double last = 0;
  Tm5 t, late;

  set_up (&t, NULL, TM5_P);
  t.start[TM5_P] = 10;
  late = t;
  late.budget = t.picture_target;
  fail_unless_near (tm5_quantiser_now (&t, .5, 0), 10);
  for (double ahead = -1e6; ahead <= 1e6; ahead += 1000) {
    double q = tm5_quantiser_now (&t, .5, ahead);

    fail_unless (q > 0 && q >= last && q <= 40 + 1e-9);
    if (ahead > 0)
      fail_unless (q > 10 && tm5_quantiser_now (&late, .5, ahead) >= q);
    last = q;
  }
  fail_unless_near (last, 40);
}

GST_END_TEST;

/* X = S Q; d0 becomes d0 + S - T. */
GST_START_TEST (test_learn_in_model)
{
  Tm5 t;

  set_up (&t, &tm5_params_model, TM5_P);
  t.start[TM5_P] = 10;
  tm5_quantiser_learn (&t, 55200, 12);
  fail_unless (t.known[TM5_P]);
  fail_unless_near (t.complexity[TM5_P], 55200 * 12);
  fail_unless_near (t.start[TM5_P], 10 + 31 * 9200 / 92000.);
  fail_if (t.at_floor[TM5_P]);
  /* A picture without bits: X is no less than 1, it will be divided by. */
  tm5_quantiser_learn (&t, 0, 1);
  fail_unless_near (t.complexity[TM5_P], 1);
}

GST_END_TEST;

/* Where quantisers have lost their effect X is at most 1.5 of the source's. */
GST_START_TEST (test_learn_bounds_complexity)
{
  Tm5 t;

  set_up (&t, NULL, TM5_P);
  t.start[TM5_P] = 10;
  t.source_complexity[TM5_P] = 100000;
  tm5_quantiser_learn (&t, 46000, 30);
  fail_unless_near (t.complexity[TM5_P], 150000);
  tm5_quantiser_learn (&t, 46000, 2);
  fail_unless_near (t.complexity[TM5_P], 92000);
}

GST_END_TEST;

/* With the coarsest quantiser, and too large in spite of it. What finer ones
 * come to bounds the floor, and the coarsest tells it. */
GST_START_TEST (test_learn_floor)
{
  Tm5 t;

  set_up (&t, NULL, TM5_B);
  t.start[TM5_B] = 20;
  tm5_quantiser_learn (&t, 60000, 20);
  fail_if (t.at_floor[TM5_B]);
  fail_unless_near (t.floor_bits[TM5_B], 0);
  tm5_quantiser_learn (&t, 50000, 31);
  fail_unless (t.at_floor[TM5_B]);
  fail_unless_near (t.floor_bits[TM5_B], 50000);
  tm5_quantiser_learn (&t, 60000, 31);
  fail_unless (t.floor_bits[TM5_B] > 50000 && t.floor_bits[TM5_B] < 60000);
  tm5_quantiser_learn (&t, 40000, 20);
  fail_if (t.at_floor[TM5_B]);
  fail_unless_near (t.floor_bits[TM5_B], 40000);
  /* The coarsest, but it fits. */
  tm5_quantiser_learn (&t, 46000, 31);
  fail_if (t.at_floor[TM5_B]);
  /* The coarsest that is allowed. */
  t.picture.max_code = 10;
  tm5_quantiser_learn (&t, 60000, 10);
  fail_unless (t.at_floor[TM5_B]);
}

GST_END_TEST;

static Suite *
tm5quantiser_suite (void)
{
  Suite *s = suite_create ("ratecontrol-tm5quantiser");
  TCase *tc = tcase_create ("quantisers");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_first);
  tcase_add_test (tc, test_by_complexity);
  tcase_add_test (tc, test_follows);
  tcase_add_test (tc, test_now_in_model);
  tcase_add_test (tc, test_now);
  tcase_add_test (tc, test_learn_in_model);
  tcase_add_test (tc, test_learn_bounds_complexity);
  tcase_add_test (tc, test_learn_floor);
  return s;
}

GST_CHECK_MAIN (tm5quantiser);
