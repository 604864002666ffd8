/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <h26x/budget.h>

#define PICTURE (40 * GST_MSECOND)

/* Groups of 25 pictures, 1 s: what passes of one with a key picture of 300 bits
 * and others, in turn references and disposable, of 40 and 10. */
static gdouble
run_group (H26xBudget * b, H26xGroups * g, guint n, guint passed[2],
    gdouble * share)
{
  gdouble spent = 0;

  passed[0] = passed[1] = 0;
  for (guint i = 0; i < n; i++) {
    guint class = i % 2 ? 0 : 1;
    gdouble bits = i == 0 ? 300 : class == 0 ? 40 : 10;
    H26xPicture p = { 0 };
    gboolean passes;

    p.readable = true;
    p.random_access = p.idr = i == 0;
    h26x_groups_add (g, &p, class, bits, PICTURE, false);
    if (i == 0)
      *share = h26x_budget_begin (b, g, bits);
    passes = i == 0 || h26x_budget_fits (b, g, class, bits, TRUE);
    h26x_budget_spend (b, g, passes ? bits : 0, false);
    spent += passes ? bits : 0;
    if (i > 0 && passes)
      passed[class]++;
  }
  return spent;
}

static const struct
{
  guint target;
  guint references, least, most;        /* disposables */
} rows[] = {
  {1000, 12, 12, 12},
  {900, 12, 11, 12},
  {840, 12, 5, 7},
  {780, 12, 0, 1},
  {700, 10, 0, 1},
  {300, 0, 0, 0},
};

GST_START_TEST (test_group)
{
  H26xBudget b;
  H26xGroups g;
  guint passed[2];
  gdouble share, spent;

  h26x_budget_init (&b);
  h26x_groups_init (&g);
  b.target = rows[__i__].target;
  run_group (&b, &g, 25, passed, &share);
  run_group (&b, &g, 25, passed, &share);
  for (guint i = 0; i < 5; i++) {
    spent = run_group (&b, &g, 25, passed, &share);
    fail_unless (share == 1);
    fail_unless (spent <= rows[__i__].target);
    fail_unless_equals_int (passed[0], rows[__i__].references);
    fail_unless (passed[1] >= rows[__i__].least
        && passed[1] <= rows[__i__].most, "%u", passed[1]);
  }
}

GST_END_TEST;

/* A group that ends early has used more than its due; the next one gives it
 * back. One that ends late spends no more than it lasts. */
GST_START_TEST (test_length)
{
  H26xBudget b;
  H26xGroups g;
  guint passed[2];
  gdouble share, spent;

  h26x_budget_init (&b);
  h26x_groups_init (&g);
  b.target = 700;
  run_group (&b, &g, 25, passed, &share);
  run_group (&b, &g, 25, passed, &share);
  spent = run_group (&b, &g, 10, passed, &share);
  fail_unless (spent > 280);
  spent += run_group (&b, &g, 25, passed, &share);
  fail_unless (spent <= 280 + 700);
  spent = run_group (&b, &g, 50, passed, &share);
  fail_unless (spent <= 1400);
}

GST_END_TEST;

/* Key pictures that have no room by themselves; what they are over is not paid
 * back, for other groups go. */
GST_START_TEST (test_share)
{
  H26xBudget b;
  H26xGroups g;
  guint passed[2];
  gdouble share;

  h26x_budget_init (&b);
  h26x_groups_init (&g);
  b.target = 100;
  for (guint i = 0; i < 3; i++)
    run_group (&b, &g, 25, passed, &share);
  fail_unless (share > .33 && share < .34);
  fail_unless_equals_int (passed[0] + passed[1], 0);
  b.target = 1000;
  run_group (&b, &g, 25, passed, &share);
  fail_unless (share == 1);
  fail_unless_equals_int (passed[0] + passed[1], 24);
}

GST_END_TEST;

/* What is held takes room, and makes no debt. */
GST_START_TEST (test_held)
{
  H26xBudget b;
  H26xGroups g;
  H26xPicture p = { 0 };
  guint passed[2];
  gdouble share;

  h26x_budget_init (&b);
  h26x_groups_init (&g);
  b.target = 800;
  run_group (&b, &g, 25, passed, &share);
  p.readable = true;
  for (guint i = 0; i < 25; i++) {
    p.random_access = p.idr = i == 0;
    h26x_groups_add (&g, &p, 0, 100, PICTURE, false);
    if (i == 0)
      h26x_budget_begin (&b, &g, 100);
    fail_if (i > 8 && h26x_budget_fits (&b, &g, 1, 1, FALSE));
    h26x_budget_spend (&b, &g, 100, true);
  }
  run_group (&b, &g, 25, passed, &share);
  fail_unless_equals_int (passed[0], 12);
}

GST_END_TEST;

static Suite *
budget_suite (void)
{
  Suite *s = suite_create ("h26x-budget");
  TCase *tc = tcase_create ("groups");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_group, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_length);
  tcase_add_test (tc, test_share);
  tcase_add_test (tc, test_held);
  return s;
}

GST_CHECK_MAIN (budget);
