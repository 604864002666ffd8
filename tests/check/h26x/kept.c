/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <h26x/kept.h>

static H26xPicture
make_picture (guint64 id, gint64 order)
{
  H26xPicture p = { 0 };

  p.readable = p.counts = true;
  p.id = id;
  p.order = order;
  p.order_cycle = 16;
  return p;
}

static H26xPicture
make_key (guint64 id, gint64 order, gboolean idr)
{
  H26xPicture p = make_picture (id, order);

  p.random_access = true;
  p.idr = idr;
  return p;
}

static gboolean
has_reference (const H26xKept * k, guint64 id, gboolean lacking)
{
  H26xPicture p = make_picture (1000000, 0);

  p.n_references = 1;
  p.references[0] = id;
  return h26x_kept_has_references (k, &p, lacking);
}

GST_START_TEST (test_references)
{
  H26xKept k;
  H26xPicture p = make_key (1, 0, TRUE);

  h26x_kept_init (&k);
  fail_if (has_reference (&k, 1, TRUE));
  h26x_kept_pass (&k, &p, false);
  fail_unless (has_reference (&k, 1, FALSE));
  p = make_picture (2, 1);
  h26x_kept_drop (&k, &p);
  fail_if (has_reference (&k, 2, TRUE));
  /* not yet there, and what the source lacks */
  fail_if (has_reference (&k, 3, TRUE));
  fail_if (has_reference (&k, 0, FALSE));
  fail_unless (has_reference (&k, 0, TRUE));
  /* what never came has not passed */
  p = make_picture (7, 2);
  h26x_kept_pass (&k, &p, false);
  fail_if (has_reference (&k, 5, FALSE));
  fail_unless (has_reference (&k, 7, FALSE) && has_reference (&k, 1, FALSE));
  /* an IDR picture ends all, even one that goes */
  p = make_key (8, 0, TRUE);
  h26x_kept_drop (&k, &p);
  fail_if (has_reference (&k, 7, FALSE) || has_reference (&k, 8, FALSE));
}

GST_END_TEST;

/* A long-term reference is older than the window: as the first group was whole,
 * it is known to be there. */
GST_START_TEST (test_window)
{
  H26xKept k;
  H26xPicture p = make_key (1, 0, TRUE);

  h26x_kept_init (&k);
  h26x_kept_pass (&k, &p, false);
  for (guint64 id = 2; id < 3 * H26X_KEPT_WINDOW; id++) {
    p = make_picture (id, 0);
    p.disposable = id % 2;
    if (id == H26X_KEPT_WINDOW / 2 || p.disposable)
      h26x_kept_drop (&k, &p);
    else
      h26x_kept_pass (&k, &p, false);
    fail_unless (has_reference (&k, 1, FALSE));
    fail_unless (has_reference (&k, id, FALSE) == (id % 2 == 0
            && id != H26X_KEPT_WINDOW / 2));
    if (id > H26X_KEPT_WINDOW / 2)
      fail_if (has_reference (&k, H26X_KEPT_WINDOW / 2, FALSE));
  }
}

GST_END_TEST;

/* Steps of picture order count, from 0, in a cycle of 16. */
static const struct
{
  gint64 step;
  gboolean random_access;
  H26xContinuity expected;
} steps[] = {
  {7, FALSE, H26X_CONTINUES},
  {-7, FALSE, H26X_CONTINUES},
  {8, FALSE, H26X_BREAKS},
  {-8, FALSE, H26X_BREAKS},
  {17, FALSE, H26X_BREAKS},
  {7, TRUE, H26X_CONTINUES},
  {8, TRUE, H26X_BREAKS},
  {15, TRUE, H26X_BREAKS},
  {16, TRUE, H26X_BREAKS},
  {18, TRUE, H26X_BREAKS},      /* below what is displayed already */
  {19, TRUE, H26X_BEGINS},
  {23, TRUE, H26X_BEGINS},
  {24, TRUE, H26X_BREAKS},
};

GST_START_TEST (test_order)
{
  H26xKept k;
  H26xPicture p = make_key (1, 0, TRUE);

  h26x_kept_init (&k);
  fail_unless_equals_int (h26x_kept_continuity (&k, &p, false), H26X_CONTINUES);
  h26x_kept_pass (&k, &p, false);
  p = make_picture (2, 2);
  p.counts = false;
  h26x_kept_pass (&k, &p, false);
  p = make_picture (3, steps[__i__].step);
  p.random_access = steps[__i__].random_access;
  fail_unless_equals_int (h26x_kept_continuity (&k, &p, false),
      steps[__i__].expected);
  /* what begins anew has lost what was before it */
  h26x_kept_pass (&k, &p, steps[__i__].expected == H26X_BEGINS);
  fail_unless (has_reference (&k, 1, FALSE) ==
      (steps[__i__].expected != H26X_BEGINS));
  p = make_key (4, 1000, TRUE);
  fail_unless_equals_int (h26x_kept_continuity (&k, &p, false), H26X_CONTINUES);
}

GST_END_TEST;

/* How many references in a row may go. */
GST_START_TEST (test_frame_num)
{
  H26xKept k;
  H26xPicture p = make_key (1, 0, TRUE), next;

  h26x_kept_init (&k);
  h26x_kept_pass (&k, &p, false);
  for (guint n = 1; n < 10; n++) {
    p = make_picture (n + 1, 0);
    p.frame_num_gap_limit = 8;
    next = p;
    next.disposable = true;
    next.counts = false;
    h26x_kept_drop (&k, &p);
    fail_unless_equals_int (h26x_kept_continuity (&k, &next, false),
        H26X_BREAKS);
    fail_unless_equals_int (h26x_kept_continuity (&k, &next, true),
        n < 8 ? H26X_CONTINUES : H26X_BREAKS);
    next.random_access = true;
    fail_unless_equals_int (h26x_kept_continuity (&k, &next, false),
        H26X_CONTINUES);
  }
}

GST_END_TEST;

static Suite *
kept_suite (void)
{
  Suite *s = suite_create ("h26x-kept");
  TCase *tc = tcase_create ("kept");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_references);
  tcase_add_test (tc, test_window);
  tcase_add_loop_test (tc, test_order, 0, G_N_ELEMENTS (steps));
  tcase_add_test (tc, test_frame_num);
  return s;
}

GST_CHECK_MAIN (kept);
