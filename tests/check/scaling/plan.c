/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <scaling/plan.h>

/* In coded order, 25 a second: K key, R reference, d disposable. Their ranks are
 * 0, 1 and 2, and 4 and 3 in turn; their floors 10000, 3000 and 1000 bits. */
#define GROUP "KddRddRddRdd"
#define GROUP_FLOOR (10000 + 3 * 3000 + 8 * 1000)
#define GROUP_SECONDS (12 / 25.)

typedef struct
{
  ScalingPlan plan;
  gdouble credit;               /* seconds */
  gint64 target;
  gboolean fill;
  GString *passed;              /* of the last group: its pictures, or - */
} Feed;

static void
feed_init (Feed * f, gdouble group_bits)
{
  memset (f, 0, sizeof *f);
  scaling_plan_init (&f->plan);
  f->target = llround (group_bits / GROUP_SECONDS);
  f->fill = TRUE;
  f->passed = g_string_new (NULL);
}

static gdouble
later (const ScalingPlan * p)
{
  gdouble n = 0;

  for (guint r = 0; r < SCALING_N_SCALES; r++)
    n += p->later[r];
  return n;
}

/* Picture `i` of a group; what passes takes what it would use of what is left. */
static void
feed_picture (Feed * f, const gchar * group, guint i)
{
  const ScalingPicture picture = {
    .readable = TRUE,
    .key = group[i] == 'K',
    .reference = group[i] != 'd',
    .duration = SCALING_SECOND / 25
  };
  guint rank = group[i] == 'K' ? 0 : group[i] == 'd' ? 3 + i % 2 :
      strchr (group, 'R') == group + i ? 1 : 2;
  gdouble floor = rank == 0 ? 10000 : rank > 2 ? 1000 : 3000;
  const ScalingCost cost = { floor / 8, f->credit, .125 };
  gdouble share;
  gboolean passes;

  scaling_plan_add (&f->plan, &picture, rank, &cost, 0);
  scaling_plan_scale (&f->plan, f->target, &share);
  passes = scaling_plan_passes (&f->plan, f->fill);
  g_string_append_c (f->passed, passes ? group[i] : '-');
  if (passes && f->plan.planned && later (&f->plan) == f->plan.later[0])
    floor = fmax (floor, f->target * (f->credit + (strlen (group) - i) / 25.));
  f->credit += 1 / 25. - passes * floor / f->target;
}

static void
feed_groups (Feed * f, const gchar * group, guint n)
{
  while (n-- > 0) {
    g_string_truncate (f->passed, 0);
    for (guint i = 0; group[i]; i++)
      feed_picture (f, group, i);
  }
}

static void
feed_clear (Feed * f)
{
  g_string_free (f->passed, TRUE);
}

/* What a group's bits are enough for, at floors. */
static const struct
{
  gint bits;
  const gchar *passed;
  gint scale;
  gboolean whole;               /* of a rank all or none pass */
} rows[] = {
  {GROUP_FLOOR, GROUP, 4, FALSE},
  {GROUP_FLOOR * 2, GROUP, 4, FALSE},
  {21000, "Kd-R--Rd-R--", 3, FALSE},
  {19000 + 4000, "Kd-Rd-R-dR-d", 3, TRUE},
  {19000, "K--R--R--R--", 2, FALSE},
  {17000, "K--R--R-----", 2, FALSE},
  {14000, "K--R--------", 1, FALSE},
  {11000, "K-----------", 0, FALSE},
  {10600, "K-----------", 0, FALSE},
};

GST_START_TEST (test_group)
{
  Feed f;

  feed_init (&f, rows[__i__].bits);
  f.fill = !rows[__i__].whole;
  feed_groups (&f, GROUP, 10);
  GST_INFO ("%s", f.passed->str);
  /* Which disposable ones pass is not told, but how many. */
  for (guint k = 0; k < 3; k++) {
    guint wanted = 0, got = 0;

    for (guint i = 0; i < f.passed->len; i++) {
      wanted += rows[__i__].passed[i] == "KRd"[k];
      got += f.passed->str[i] == "KRd"[k];
    }
    fail_unless_equals_int (got, wanted);
  }
  fail_unless_equals_int (f.plan.scale, rows[__i__].scale);
  fail_unless (fabs (f.credit) < GROUP_SECONDS / 10 || rows[__i__].bits >
      GROUP_FLOOR, "%g", f.credit);
  feed_clear (&f);
}

GST_END_TEST;

/* Disposable pictures go evenly; no more of the references than must. */
GST_START_TEST (test_evenly)
{
  Feed f;
  guint longest = 0, run = 0;

  feed_init (&f, 19000 + 6000);
  feed_groups (&f, GROUP, 6);
  for (guint i = 0; i < f.passed->len; i++) {
    run = f.passed->str[i] == '-' ? run + 1 : 0;
    longest = MAX (longest, run);
  }
  fail_unless_equals_int (longest, 1);
  feed_clear (&f);
}

GST_END_TEST;

/* What has been sent too much goes before what fits, and only where pictures have
 * used more than they had at their floors. */
GST_START_TEST (test_debt)
{
  Feed f;

  feed_init (&f, GROUP_FLOOR * 1.05);
  feed_groups (&f, GROUP, 4);
  fail_unless_equals_string (f.passed->str, GROUP);
  f.credit = -.15 * GROUP_SECONDS;
  feed_groups (&f, GROUP, 1);
  fail_unless (strchr (f.passed->str, '-') != NULL);
  fail_unless (strchr (f.passed->str, 'R') == f.passed->str + 3);

  /* In the middle of a group nothing that others refer to goes. */
  f.credit = 0;
  feed_groups (&f, GROUP, 1);
  f.credit = 0;
  feed_picture (&f, GROUP, 0);
  f.credit = -.9 * GROUP_SECONDS;
  g_string_truncate (f.passed, 0);
  for (guint i = 1; i < 12; i++)
    feed_picture (&f, GROUP, i);
  fail_unless_equals_string (f.passed->str, "--R--R--R--");
  feed_clear (&f);
}

GST_END_TEST;

/* The first group passes as far as it is thought to go on; in the second, that
 * has more pictures behind its key picture, they count. */
GST_START_TEST (test_first)
{
  Feed f;

  feed_init (&f, GROUP_FLOOR * 1.2);
  feed_groups (&f, "KRddRdd", 1);
  fail_unless_equals_string (f.passed->str, "KRddRdd");
  f.credit = 0;
  feed_groups (&f, "KddRddRdd", 1);
  fail_unless_equals_string (f.passed->str, "KddRddRdd");
  feed_clear (&f);

  feed_init (&f, 5000);
  feed_groups (&f, GROUP, 1);
  fail_unless_equals_int (f.passed->str[0], 'K');
  fail_unless (strchr (f.passed->str, '-') != NULL);
  feed_clear (&f);
}

GST_END_TEST;

/* Below the key pictures' own rate a share of the groups passes. */
GST_START_TEST (test_below)
{
  ScalingPicture picture = {.readable = TRUE,.duration = SCALING_SECOND / 25 };
  const ScalingCost cost = { 10000 / 8, 0, .125 };
  gdouble share;
  Feed f;

  feed_init (&f, 5000);
  feed_groups (&f, GROUP, 4);
  picture.key = picture.reference = TRUE;
  scaling_plan_add (&f.plan, &picture, 0, &cost, 0);
  fail_unless_equals_int (scaling_plan_scale (&f.plan, f.target, &share), -1);
  fail_unless (fabs (share - .5) < .01, "%g", share);
  feed_clear (&f);
}

GST_END_TEST;

/* A scale says what is still to come, too; at the highest one all. */
GST_START_TEST (test_follow)
{
  Feed f;

  feed_init (&f, GROUP_FLOOR * 2);
  feed_groups (&f, GROUP, 3);
  feed_picture (&f, GROUP, 0);
  scaling_plan_follow (&f.plan, 2);
  fail_unless (f.plan.planned);
  fail_unless (f.plan.later[1] == 1 && f.plan.later[2] == 2);
  fail_unless (f.plan.later[3] == 0 && f.plan.later[4] == 0);
  scaling_plan_follow (&f.plan, SCALING_MAX_SCALE);
  fail_unless (!f.plan.planned);
  feed_clear (&f);
}

GST_END_TEST;

/* Any numbers: counts stay counts. */
GST_START_TEST (test_random)
{
  GRand *rand = g_rand_new_with_seed (3);
  ScalingPlan p;

  scaling_plan_init (&p);
  for (guint i = 0; i < 20000; i++) {
    ScalingPicture picture = {
      .readable = TRUE,
      .key = g_rand_int_range (rand, 0, 9) == 0,
      .duration = llround (exp (g_rand_double_range (rand, -2, 44)))
    };
    guint rank = picture.key ? 0 : g_rand_int_range (rand, 1, 5);
    const ScalingCost cost = {
      g_rand_int_range (rand, 0, 1 << 30), g_rand_double_range (rand, -1, 1),
      g_rand_double_range (rand, 0, 1)
    };
    gdouble share;

    scaling_plan_add (&p, &picture, rank, &cost, g_rand_int_range (rand, 0,
            1000));
    scaling_plan_scale (&p, 1 + llround (exp (g_rand_double_range (rand, 0,
                    40))), &share);
    fail_unless (share >= 0 && share <= 1);
    fail_unless (scaling_plan_passes (&p, i % 2) || rank > 0);
    for (guint r = 0; r < SCALING_N_SCALES; r++)
      fail_unless (p.later[r] >= 0 && p.later[r] <= 20000);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
plan_suite (void)
{
  Suite *s = suite_create ("scaling-plan");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_group, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_evenly);
  tcase_add_test (tc, test_debt);
  tcase_add_test (tc, test_first);
  tcase_add_test (tc, test_below);
  tcase_add_test (tc, test_follow);
  tcase_add_test (tc, test_random);
  return s;
}

GST_CHECK_MAIN (plan);
