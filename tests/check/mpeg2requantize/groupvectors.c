/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When pictures choose their vectors.
 */
#include <gst/check/gstcheck.h>

#include <mpeg2requantize/groupvectors.h>

/* A group whose vectors have that share of the bits; returns what was said at
 * its I. It stays said to its end. */
static gboolean
group (M2vGroupVectors * g, gdouble share, guint vector_bits)
{
  static const M2vPictureType types[] = { M2V_PICTURE_I, M2V_PICTURE_P,
    M2V_PICTURE_B
  };
  gboolean chooses = m2v_group_vectors_begin (g, M2V_PICTURE_I, share);

  for (guint i = 1; i < G_N_ELEMENTS (types); i++)
    fail_unless (m2v_group_vectors_begin (g, types[i], share) == chooses);
  g->vector_bits += vector_bits;
  g->bits += 1000;
  return chooses;
}

/* In the first group; then by what the group before had. Once chosen for that,
 * down to half of the share. */
GST_START_TEST (test_share)
{
  M2vGroupVectors g = { 0, };

  fail_unless (group (&g, .2, 199));
  fail_if (group (&g, .2, 200));
  fail_if (group (&g, .2, 201));
  fail_unless (group (&g, .2, 101));
  fail_unless (group (&g, .2, 100));
  fail_if (group (&g, .2, 150));
  fail_if (group (&g, .2, 900));
  fail_unless (group (&g, .2, 0));
  fail_if (group (&g, .2, 0));
}

GST_END_TEST;

/* 0: always; 1: never. */
GST_START_TEST (test_ends)
{
  M2vGroupVectors always = { 0, }, never = { 0, };

  for (guint i = 0; i < 4; i++)
    fail_unless (group (&always, 0, 0));
  for (guint i = 0; i < 4; i++)
    fail_if (group (&never, 1, 1000));
}

GST_END_TEST;

/* What has no room for a B needs it. */
GST_START_TEST (test_omitted)
{
  M2vGroupVectors g = { 0, };

  group (&g, .2, 0);
  fail_if (group (&g, .2, 0));
  g.omitted = true;
  fail_unless (group (&g, .2, 0));
  fail_if (group (&g, .2, 0));
  g.omitted = true;
  fail_if (group (&g, 1, 0));
}

GST_END_TEST;

/* The group behind one that took so many quantisers, so many of them the
 * coarsest. */
static gboolean
group_behind (M2vGroupVectors * g, guint n_quantised, guint n_coarsest)
{
  g->n_quantised = n_quantised;
  g->n_coarsest = n_coarsest;
  return group (g, .2, 0);
}

/* What most macroblocks want coarser than there is, no quantiser makes smaller.
 * Once it is so, hardly any will do. It counts group by group. */
GST_START_TEST (test_coarsest)
{
  M2vGroupVectors g = { 0, };

  group (&g, .2, 0);
  fail_if (group (&g, .2, 0));
  fail_if (group_behind (&g, 100, 50));
  fail_unless (group_behind (&g, 100, 51));
  fail_unless (group_behind (&g, 1000, 11));
  fail_if (group_behind (&g, 1000, 10));
  fail_unless (group_behind (&g, 100, 100));
  fail_if (group (&g, .2, 0));
  g.n_quantised = g.n_coarsest = 100;
  fail_if (group (&g, 1, 0));
}

GST_END_TEST;

/* Two I pictures, as of two fields, are the beginning of one group. */
GST_START_TEST (test_fields)
{
  M2vGroupVectors g = { 0, };

  group (&g, .2, 0);
  group (&g, .2, 500);
  fail_unless (m2v_group_vectors_begin (&g, M2V_PICTURE_I, .2));
  fail_unless (m2v_group_vectors_begin (&g, M2V_PICTURE_I, .2));
}

GST_END_TEST;

/* More has to be wanted where nothing is known, but for whom it is always. */
GST_START_TEST (test_coarser)
{
  M2vGroupVectors g = { 0, };

  group (&g, .2, 500);
  fail_unless_equals_int (m2v_group_vectors_coarser (&g, .2), 4);
  fail_unless_equals_int (m2v_group_vectors_coarser (&g, 0), 1);
  group (&g, .2, 500);
  fail_unless_equals_int (m2v_group_vectors_coarser (&g, .2), 1);
}

GST_END_TEST;

static Suite *
groupvectors_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-groupvectors");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_share);
  tcase_add_test (tc, test_ends);
  tcase_add_test (tc, test_omitted);
  tcase_add_test (tc, test_coarsest);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_coarser);
  return s;
}

GST_CHECK_MAIN (groupvectors);
