/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Step 1 of N400 on states set by hand, and what has been added to it.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <ratecontrol/tm5plan.h>

#define TARGET 1000000

static void
fail_unless_near (double a, double b)
{
  fail_unless (fabs (a - b) <= 1e-6 * fmax (fabs (b), 1), "%f is not %f", a, b);
}

/* The first P, or the I, of I PP BBBB at 25 pictures a second, not the first
 * group; the source has more than enough of everything. */
static void
set_up (Tm5 * t, Tm5Rest * rest, const Tm5Params * params, Tm5Type type)
{
  static const double complexity[] = { 160, 60, 42 };

  tm5_init (t, params);
  t->target = t->new_target = TARGET;
  t->n_past = 1;
  t->picture = (Tm5Picture) {
  .type = type,.duration = RATECONTROL_SECOND / 25};
  t->expected = (Tm5Group) {
  .n = { 1, 2, 4 },.duration = 7 * RATECONTROL_SECOND / 25};
  *rest = (Tm5Rest) {
  .n = { 1, 2, 4 },.seconds = .28};
  t->group.n[TM5_I] = 1;
  t->group.duration = t->picture.duration;
  if (type != TM5_I) {
    t->group.n[type] = 1;
    t->group.duration *= 2;
    rest->n[TM5_I] = 0;
    rest->seconds -= .04;
  }
  for (guint i = 0; i < TM5_N_TYPES; i++) {
    t->coded[i] = t->group.n[i];
    t->complexity[i] = complexity[i] * 1e4;
    t->source_bits[i] = 1e9;
  }
}

/* T = R / (sum of N X Ki / (Xi K)), as the model has it for each type. */
GST_START_TEST (test_target)
{
  static const double k[] = { 1, 1, 1.4 };

  for (guint type = 0; type < TM5_N_TYPES; type++) {
    double pictures = 0;
    Tm5Rest rest;
    Tm5 t;

    set_up (&t, &rest, &tm5_params_model, type);
    t.budget = 322000;
    for (guint i = 0; i < TM5_N_TYPES; i++)
      pictures += rest.n[i] * t.complexity[i] * k[type] /
          (t.complexity[type] * k[i]);
    fail_unless_near (tm5_plan_target (&t, &rest), 322000 / pictures);
    /* There is nothing to give: the least that there is is tm5.c's. */
    t.budget = 0;
    fail_unless_near (tm5_plan_target (&t, &rest), 0);
    t.budget = -1e6;
    fail_unless (tm5_plan_target (&t, &rest) <= 0);
  }
}

GST_END_TEST;

/* What B cannot do without, I and P lack, by their weights. */
GST_START_TEST (test_target_above_floors)
{
  Tm5Params params = tm5_params_model;
  Tm5Rest rest;
  Tm5 t;

  params.kb = 1;
  set_up (&t, &rest, &params, TM5_I);
  t.budget = 322000;
  t.floor_bits[TM5_B] = 50000;
  fail_unless_near (tm5_plan_target (&t, &rest),
      (322000. - 4 * 50000) * 160 / (160 + 2 * 60));
  /* The floors of all of them are more than there is. */
  t.floor_bits[TM5_B] = 90000;
  fail_unless_near (tm5_plan_target (&t, &rest), 0);
}

GST_END_TEST;

/* What P and B cannot use, since the source has no more, is the I's. */
GST_START_TEST (test_target_below_source)
{
  Tm5Params params = tm5_params_model;
  Tm5Rest rest;
  Tm5 t;

  params.kb = 1;
  set_up (&t, &rest, &params, TM5_I);
  t.budget = 322000;
  t.source_bits[TM5_B] = 10000;
  fail_unless_near (tm5_plan_target (&t, &rest),
      (322000. - 4 * 10000) * 160 / (160 + 2 * 60));
}

GST_END_TEST;

/* Of the pictures behind the one at hand; nobody needs more than it has. */
GST_START_TEST (test_floor)
{
  static const struct
  {
    Tm5Type type;
    double floors[TM5_N_TYPES], source_of_b, sum;
  } rows[] = {
    {TM5_I, {50000, 20000, 10000}, 1e9, 2 * 20000 + 4 * 10000},
    {TM5_P, {50000, 20000, 10000}, 1e9, 20000 + 4 * 10000},
    {TM5_B, {50000, 20000, 10000}, 1e9, 2 * 20000 + 3 * 10000},
    {TM5_P, {50000, 20000, 10000}, 5000, 20000 + 4 * 5000},
    {TM5_P, {50000, 0, 0}, 1e9, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5Rest rest;
    Tm5 t;

    set_up (&t, &rest, &tm5_params_model, rows[i].type);
    memcpy (t.floor_bits, rows[i].floors, sizeof t.floor_bits);
    t.source_bits[TM5_B] = rows[i].source_of_b;
    fail_unless_near (tm5_plan_floor (&t, &rest), rows[i].sum);
  }
}

GST_END_TEST;

/* The target's bits until the group ends, and what the balance has. A debt
 * beyond a quarter of a second is forgotten; where pictures pass, all is. */
GST_START_TEST (test_budget)
{
  static const struct
  {
    double balance;
    gboolean passing;
    double budget;
  } rows[] = {
    {0, FALSE, 280000},
    {5000, FALSE, 285000},
    {-5000, FALSE, 275000},
    {-10e6, FALSE, 280000 - .25 * TARGET},
    {-5000, TRUE, 280000},
    {5000, TRUE, 280000},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5Rest rest;
    Tm5 t;

    set_up (&t, &rest, &tm5_params_model, TM5_I);
    t.balance = rows[i].balance;
    t.passing = rows[i].passing;
    fail_unless_near (tm5_plan_budget (&t, &rest), rows[i].budget);
    fail_unless_near (t.balance, rows[i].budget - 280000);
    fail_unless_near (t.deviation, rows[i].budget - 280000);
  }
}

GST_END_TEST;

/* The group before has left 14000 bits: that is part of the plan. */
GST_START_TEST (test_budget_with_grant)
{
  Tm5Rest rest;
  Tm5 t;

  set_up (&t, &rest, &tm5_params_model, TM5_I);
  t.balance = t.grant = 14000;
  fail_unless_near (tm5_plan_budget (&t, &rest), 294000);
  fail_unless_near (t.deviation, 0);
}

GST_END_TEST;

/* All of the group is planned at the new target. What waits never takes
 * longer. A quantiser stands for X / T: where X does not follow, it is coarser
 * as the target is lower. */
GST_START_TEST (test_retarget)
{
  for (guint i = 0; i < 2; i++) {
    const double ratio = i == 0 ? .5 : 2;
    const gint64 to = i == 0 ? TARGET / 2 : 2 * TARGET;
    Tm5Rest rest;
    Tm5 t;

    set_up (&t, &rest, &tm5_params_model, TM5_I);
    t.new_target = to;
    t.level = 1000;
    t.source_level = 3000;
    t.start[TM5_P] = 10;
    tm5_plan_retarget (&t, &rest);
    fail_unless_equals_int64 (t.target, to);
    fail_unless_near (t.balance, 0);
    fail_unless_near (t.level, i == 0 ? 500 : 1000);
    fail_unless_near (t.source_level, i == 0 ? 1500 : 3000);
    fail_unless_near (t.start[TM5_P], 10 / ratio);
    fail_unless_near (tm5_plan_budget (&t, &rest), (double) to * .28);

    set_up (&t, &rest, &tm5_params_default, TM5_I);
    t.new_target = to;
    t.start[TM5_P] = 10;
    tm5_plan_retarget (&t, &rest);
    fail_unless_near (t.start[TM5_P], 10);
  }
}

GST_END_TEST;

/* Of what the group was off its plan, no more than 3 % of it stays. */
GST_START_TEST (test_retarget_bounds_deviation)
{
  for (gint sign = -1; sign <= 1; sign += 2) {
    Tm5Rest rest;
    Tm5 t;

    set_up (&t, &rest, &tm5_params_model, TM5_I);
    t.balance = sign * 1e6;
    t.aside = sign * 1e6;
    t.new_target = TARGET / 2;
    tm5_plan_retarget (&t, &rest);
    fail_unless_near (t.balance, sign * .03 * (TARGET / 2) * .28);
    fail_unless_near (t.aside, t.balance);
  }
}

GST_END_TEST;

/* Debts of a group of 0.28 s at 1 Mb/s: instalments of half of them, up to 2 %
 * of its budget; a third of what is due beyond that too, where groups are
 * regular no more than as much again. What is put aside ends at .25 s of debt
 * and .04 s of credit. The model carries all. */
GST_START_TEST (test_carry)
{
  static const struct
  {
    double all;
    gboolean model, irregular, thinned;
    double grant, aside;
  } rows[] = {
    {-5e6, TRUE, FALSE, FALSE, -5e6, 0},
    {5e6, TRUE, FALSE, FALSE, 5e6, 0},
    {0, FALSE, FALSE, FALSE, 0, 0},
    {8000, FALSE, FALSE, FALSE, 4000, 4000},
    {40000, FALSE, FALSE, FALSE, 5600, 34400},
    {900000, FALSE, FALSE, FALSE, 5600, 40000},
    {-8000, FALSE, FALSE, FALSE, -4000, -4000},
    {-17200, FALSE, FALSE, FALSE, -5600 - 1000, -10600},
    {-171200, FALSE, FALSE, FALSE, -2 * 5600, -160000},
    {-171200, FALSE, TRUE, FALSE, -5600 - 80000 / 3., -138933.333333},
    {-171200, FALSE, FALSE, TRUE, -85600, -85600},
    {-900000, FALSE, FALSE, TRUE, -450000, -250000},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5Rest rest;
    Tm5 t;

    set_up (&t, &rest, rows[i].model ? &tm5_params_model : NULL, TM5_I);
    t.n_past = 4;
    for (guint k = 0; k < t.n_past; k++) {
      t.past[k] = t.expected;
      t.past[k].thinned = rows[i].thinned;
      if (rows[i].irregular)
        t.past[k].duration /= 2;
    }
    /* Whether it was put aside before does not matter. */
    t.balance = rows[i].all / 4;
    t.aside = rows[i].all - t.balance;
    fail_unless_near (tm5_plan_grant (&t, rows[i].thinned), rows[i].grant);
    tm5_plan_carry (&t);
    fail_unless_near (t.grant, rows[i].grant);
    fail_unless_near (t.balance, rows[i].grant);
    fail_unless_near (t.aside, rows[i].aside);
  }
}

GST_END_TEST;

/* A group of 0.28 s at 1 Mb/s that ends at 1 s: an I after it should be at most
 * 80000 bits ahead. It holds back what that lacks, no more than 3 % of its bits,
 * and pays its debt first. */
GST_START_TEST (test_hold)
{
  static const struct
  {
    double lead, aside, held, grant, seconds;
    guint n_past;
    gboolean planned;
    double more;
  } rows[] = {
    {80000, 0, 0, 0, .76, 1, FALSE, 0},
    {85000, 0, 0, 0, .76, 1, FALSE, 5000},
    {85000, 2000, 0, 0, .76, 1, FALSE, 3000},
    {85000, -2000, 0, 0, .76, 1, FALSE, 7000},
    {85000, 0, 4000, 0, .76, 1, FALSE, 1000},
    {85000, 0, 6000, 0, .76, 1, FALSE, 0},
    {120000, 0, 0, 0, .76, 1, FALSE, 8400},
    {120000, 0, 0, 1000, .76, 1, FALSE, 8400},
    {120000, 0, 0, -5000, .76, 1, FALSE, 3400},
    {120000, 0, 0, -9000, .76, 1, FALSE, 0},
    {300000, 0, 0, 0, 2, 1, FALSE, 0},  /* no short clip */
    {120000, 0, 0, 0, .76, 0, FALSE, 0},        /* nothing is known yet */
    {120000, 0, 0, 0, .76, 1, TRUE, 0}, /* at the floor */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Tm5Rest rest;
    Tm5 t;

    set_up (&t, &rest, &tm5_params_default, TM5_I);
    t.lead = rows[i].lead;
    t.aside = rows[i].aside;
    t.held = rows[i].held;
    t.balance = t.grant = rows[i].grant;
    t.n_past = rows[i].n_past;
    t.picture.planned = rows[i].planned;
    /* With the I, which has not been sent. */
    t.seconds = rows[i].seconds;
    tm5_plan_hold (&t);
    fail_unless_near (t.held - rows[i].held, rows[i].more);
    fail_unless_near (t.grant, rows[i].grant - rows[i].more);
    fail_unless_near (t.balance, t.grant);
  }
}

GST_END_TEST;

static Suite *
tm5plan_suite (void)
{
  Suite *s = suite_create ("ratecontrol-tm5plan");
  TCase *tc = tcase_create ("plan");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_target);
  tcase_add_test (tc, test_target_above_floors);
  tcase_add_test (tc, test_target_below_source);
  tcase_add_test (tc, test_floor);
  tcase_add_test (tc, test_budget);
  tcase_add_test (tc, test_budget_with_grant);
  tcase_add_test (tc, test_retarget);
  tcase_add_test (tc, test_retarget_bounds_deviation);
  tcase_add_test (tc, test_carry);
  tcase_add_test (tc, test_hold);
  return s;
}

GST_CHECK_MAIN (tm5plan);
