/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <h26x/groups.h>

#define PICTURE (40 * GST_MSECOND)

static H26xPicture
make_picture (gboolean key, gboolean idr, gint64 order)
{
  H26xPicture p = { 0 };

  p.readable = true;
  p.random_access = key;
  p.idr = idr;
  p.order = order;
  return p;
}

/* A key picture and n - 1 others of class 0, 100 bits each. */
static void
add_group (H26xGroups * g, gboolean idr, gint64 order, guint n)
{
  for (guint i = 0; i < n; i++) {
    H26xPicture p = make_picture (i == 0, idr && i == 0, order + 2 * i);

    h26x_groups_add (g, &p, 0, 100, PICTURE, false);
  }
}

GST_START_TEST (test_length)
{
  H26xGroups g;

  h26x_groups_init (&g);
  add_group (&g, TRUE, 0, 10);
  /* as long as most */
  fail_unless_equals_int64 (h26x_groups_rest (&g), 2 * GST_SECOND -
      9 * PICTURE);
  fail_unless_equals_int (g.n_past, 0);
  add_group (&g, TRUE, 0, 1);
  fail_unless_equals_int64 (h26x_groups_rest (&g), 10 * PICTURE);
  fail_unless (h26x_groups_place (&g) == 0);
  fail_unless (h26x_groups_idr (&g));
  add_group (&g, FALSE, 2, 5);
  /* one picture, of 1 expected */
  fail_unless_equals_int64 (h26x_groups_rest (&g), PICTURE);
  fail_unless_equals_int64 (g.span, 2);
  fail_if (h26x_groups_idr (&g));
  add_group (&g, TRUE, 0, 1);
  /* the middle one of 10, 1 and 5 */
  fail_unless_equals_int64 (h26x_groups_rest (&g), 5 * PICTURE);
  fail_if (h26x_groups_idr (&g));
}

GST_END_TEST;

/* Pictures in two parts are as those in one. */
GST_START_TEST (test_parts)
{
  H26xGroups whole, parts;

  h26x_groups_init (&whole);
  h26x_groups_init (&parts);
  for (guint i = 0; i < 8; i++) {
    H26xPicture p = make_picture (i % 4 == 0, TRUE, 2 * i);

    h26x_groups_add (&whole, &p, i % 2, 300, PICTURE, false);
    h26x_groups_add (&parts, &p, i % 2, 100, PICTURE / 4, false);
    h26x_groups_more (&parts, i % 4 == 0, i % 2, 200, 3 * PICTURE / 4);
    fail_unless_equals_int64 (h26x_groups_rest (&parts),
        h26x_groups_rest (&whole) - PICTURE / 4);
    for (guint class = 0; class < 2; class++) {
      fail_unless_equals_int (h26x_groups_count (&parts, class),
          h26x_groups_count (&whole, class));
      fail_unless_equals_float (h26x_groups_rate (&parts, class),
          h26x_groups_rate (&whole, class));
    }
  }
}

GST_END_TEST;

/* What is not whole tells nothing of others. */
GST_START_TEST (test_whole)
{
  H26xGroups g;
  H26xPicture p = make_picture (FALSE, FALSE, 8);

  h26x_groups_init (&g);
  add_group (&g, TRUE, 0, 4);
  h26x_groups_add (&g, &p, 0, 100, PICTURE, true);
  add_group (&g, TRUE, 0, 4);
  fail_unless_equals_int (g.n_past, 0);
  p.readable = false;
  h26x_groups_add (&g, &p, 0, 100, PICTURE, false);
  add_group (&g, TRUE, 0, 4);
  fail_unless_equals_int (g.n_past, 0);
  add_group (&g, TRUE, 0, 1);
  fail_unless_equals_int (g.n_past, 1);
}

GST_END_TEST;

GST_START_TEST (test_classes)
{
  H26xGroups g;
  H26xPicture p = make_picture (FALSE, FALSE, 8);

  fail_unless_equals_int (h26x_class (&p, true), 0);
  p.layer = 2;
  fail_unless_equals_int (h26x_class (&p, true), 3);
  fail_unless_equals_int (h26x_class (&p, false), 0);
  p.disposable = true;
  fail_unless_equals_int (h26x_class (&p, false), 3);
  p.layer = 0;
  fail_unless_equals_int (h26x_class (&p, true), 1);
  p.layer = 100;
  fail_unless_equals_int (h26x_class (&p, true), H26X_N_CLASSES - 1);

  h26x_groups_init (&g);
  fail_unless (h26x_groups_rate (&g, 1) == 0);
  add_group (&g, TRUE, 0, 4);
  h26x_groups_add (&g, &p, 1, 50, PICTURE, false);
  add_group (&g, TRUE, 0, 4);
  fail_unless_equals_int (h26x_groups_count (&g, 0), 3);
  fail_unless_equals_int (h26x_groups_count (&g, 1), 1);
  fail_unless_equals_int ((gint) (h26x_groups_rate (&g, 0) + .5),
      (gint) (600 / .28 + .5));
}

GST_END_TEST;

/* Lower classes first, and evenly where there is not room for all of one. */
GST_START_TEST (test_share)
{
  const gdouble amounts[H26X_N_CLASSES] = { 99, 10, 20, 40 };
  static const gdouble rooms[] = { 0, 5, 10, 15, 30, 40, 70, 99 };
  static const guint expected[][4] = {
    {0, 0, 0, 0}, {0, 50, 0, 0}, {0, 100, 0, 0}, {0, 100, 25, 0},
    {0, 100, 100, 0}, {0, 100, 100, 25}, {0, 100, 100, 100},
    {0, 100, 100, 100},
  };
  const gdouble room = rooms[__i__];
  H26xShare share;
  guint n[4] = { 0 };

  h26x_share_init (&share);
  for (guint i = 0; i < 100; i++)
    for (guint c = 1; c < 4; c++)
      n[c] += h26x_share_passes (&share, c, room, amounts);
  for (guint c = 1; c < 4; c++)
    fail_unless_equals_int (n[c], expected[__i__][c]);
}

GST_END_TEST;

static Suite *
groups_suite (void)
{
  Suite *s = suite_create ("h26x-groups");
  TCase *tc = tcase_create ("groups");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_length);
  tcase_add_test (tc, test_parts);
  tcase_add_test (tc, test_whole);
  tcase_add_test (tc, test_classes);
  tcase_add_loop_test (tc, test_share, 0, 8);
  return s;
}

GST_CHECK_MAIN (groups);
