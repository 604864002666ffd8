/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Pictures of no codec: what tests/check/mpeg2scaling/dropper.c has of MPEG
 * video is not repeated here.
 */
#include <gst/check/gstcheck.h>

#include <scaling/selector.h>

/* Pictures in coded order, 25 a second of 1000 bytes: K key, R reference, d
 * disposable, X unreadable; each with its verdict as a letter: p pass, f fill,
 * s beyond the scale, u undecodable, g group. */
static const struct
{
  const gchar *pictures;
  ScalingRule rule;
  gboolean decodable;
  const gchar *verdicts;
} rows[] = {
  {"KRddRddKRdd", {-1, -1, TRUE}, TRUE, "ppppppppppp"},
  {"KRddRddKRdd", {4, -1, TRUE}, TRUE, "ppppppppppp"},
  {"KRddRddKRdd", {3, -1, TRUE}, TRUE, "ppsppspppsp"},
  {"KRddRddKRdd", {2, -1, TRUE}, TRUE, "ppsspssppss"},
  {"KRddRddKRdd", {1, -1, TRUE}, TRUE, "ppsssssppss"},
  {"KRXdRddKRdd", {0, -1, TRUE}, TRUE, "pspssssp"},
  {"KRddRdd", {4, -1, TRUE}, FALSE, "uuuuuuu"},
  {"KRddKRdd", {-1, 0, TRUE}, TRUE, "gggggggg"},
  {"RRddRdd", {0, -1, TRUE}, TRUE, "ppsspss"},
};

static void
make_picture (ScalingPicture * picture, gchar kind, guint distance)
{
  memset (picture, 0, sizeof *picture);
  picture->readable = kind != 'X';
  picture->key = kind == 'K';
  picture->reference = kind == 'K' || kind == 'R';
  picture->distance = distance;
  picture->bytes = 1000;
  picture->duration = SCALING_SECOND / 25;
}

GST_START_TEST (test_rules)
{
  const gchar *letters = "pfsug";
  ScalingSelector s;

  fail_unless (scaling_selector_init (&s));
  scaling_selector_reset (&s, FALSE);
  scaling_selector_set_rule (&s, &rows[__i__].rule);
  for (guint i = 0; rows[__i__].verdicts[i]; i++) {
    ScalingDecision d;
    ScalingPicture picture;

    make_picture (&picture, rows[__i__].pictures[i], 0);
    scaling_selector_decide (&s, &picture, rows[__i__].decodable, 0, &d);
    scaling_selector_done (&s, &picture, 1000);
    fail_unless (letters[d.verdict] == rows[__i__].verdicts[i],
        "picture %u of %s: %c", i, rows[__i__].pictures, letters[d.verdict]);
  }
  scaling_selector_clear (&s);
}

GST_END_TEST;

/* After a stop what passes first is a key picture. */
GST_START_TEST (test_stop)
{
  const ScalingRule stop = { -1, 0, TRUE }, go = { -1, -1, TRUE };
  const gchar *pictures = "KRdRdKR", *passes = "yyynnyy";
  ScalingSelector s;

  fail_unless (scaling_selector_init (&s));
  scaling_selector_reset (&s, FALSE);
  for (guint i = 0; pictures[i]; i++) {
    ScalingDecision d;
    ScalingPicture picture;

    if (i == 3)
      scaling_selector_set_rule (&s, &stop);
    if (i == 4)
      scaling_selector_set_rule (&s, &go);
    make_picture (&picture, pictures[i], 0);
    scaling_selector_decide (&s, &picture, TRUE, 0, &d);
    fail_unless ((d.verdict == SCALING_PASS) == (passes[i] == 'y'));
  }
  scaling_selector_clear (&s);
}

GST_END_TEST;

GST_START_TEST (test_rule)
{
  static const struct
  {
    ScalingRule rule;
    gboolean untouched, stopped;
  } rules[] = {
    {{-1, -1, TRUE}, TRUE, FALSE},
    {{-1, 0, TRUE}, FALSE, TRUE},
    {{-1, 1, TRUE}, FALSE, FALSE},
    {{0, -1, TRUE}, FALSE, FALSE},
    {{4, 0, TRUE}, FALSE, FALSE},
  };
  ScalingSelector s;

  fail_unless (scaling_selector_init (&s));
  scaling_selector_set_rule (&s, &rules[__i__].rule);
  fail_unless_equals_int (scaling_selector_is_untouched (&s),
      rules[__i__].untouched);
  fail_unless_equals_int (scaling_selector_is_stopped (&s),
      rules[__i__].stopped);
  scaling_selector_clear (&s);
}

GST_END_TEST;

/* What no scale passes has a rank, counts among its group, and takes its time
 * but no bytes. */
GST_START_TEST (test_skip)
{
  const gchar *pictures = "KddRddRddRdd";
  ScalingSelector s;

  fail_unless (scaling_selector_init (&s));
  scaling_selector_reset (&s, FALSE);
  for (guint i = 0; i < 25 * 10; i++) {
    gchar kind = pictures[i % 12];
    ScalingDecision d;
    ScalingPicture picture;

    make_picture (&picture, kind, 0);
    if (kind == 'R' && i % 12 == 9) {
      fail_unless_equals_int (scaling_selector_skip (&s, &picture), 2);
      continue;
    }
    scaling_selector_decide (&s, &picture, TRUE, 0, &d);
    scaling_selector_done (&s, &picture, 1000);
    fail_unless (kind != 'R' || d.lowest_scale == (i % 12 == 3 ? 1 : 2));
  }
  /* 1, 2, 3 of 12 pictures, 25 of 8 kb a second */
  fail_unless (ABS (scaling_fit_rate (s.fit, 0) - 200000 / 12) < 2000);
  fail_unless (ABS (scaling_fit_rate (s.fit, 2) - 3 * 200000 / 12) < 4000);
  fail_unless (ABS (scaling_fit_rate (s.fit, 4) - 11 * 200000 / 12) < 6000);
  scaling_selector_clear (&s);
}

GST_END_TEST;

/* Of 200 kb/s a third are references; returns how many pictures pass. */
static guint
passed_at (gint64 target, gboolean fill, gsize floor)
{
  const ScalingRule rule = { -1, target, fill };
  const gchar *pictures = "KddRddRddRdd";
  ScalingCost cost = {.floor = floor };
  ScalingSelector s;
  guint n = 0;

  fail_unless (scaling_selector_init (&s));
  scaling_selector_reset (&s, FALSE);
  scaling_selector_set_rule (&s, &rule);
  for (guint i = 0; i < 25 * 60; i++) {
    ScalingDecision d;
    ScalingPicture picture;
    gboolean passes;

    scaling_selector_set_cost (&s, cost.floor > 0 ? &cost : NULL);
    make_picture (&picture, pictures[i % 12], 0);
    scaling_selector_decide (&s, &picture, TRUE, 0, &d);
    passes = d.verdict == SCALING_PASS || d.verdict == SCALING_FILL;
    scaling_selector_done (&s, &picture, passes ? 1000 : 0);
    cost.credit += (target / 25. - 8. * floor * passes) / target;
    n += passes;
  }
  scaling_selector_clear (&s);
  return n;
}

GST_START_TEST (test_target)
{
  guint plain = passed_at (100000, FALSE, 0);
  guint filled = passed_at (100000, TRUE, 0);

  fail_unless_equals_int (passed_at (250000, TRUE, 0), 25 * 60);
  fail_unless (plain > 25 * 60 * .3 && plain < 25 * 60 * .4, "%u", plain);
  fail_unless (filled > 25 * 60 * .45 && filled < 25 * 60 * .52, "%u", filled);
  /* Half the size behind us: all fit, or nine tenths. */
  fail_unless_equals_int (passed_at (101000, FALSE, 500), 25 * 60);
  filled = passed_at (90000, TRUE, 500);
  fail_unless (filled > 25 * 60 * .88 && filled < 25 * 60 * .92, "%u", filled);
}

GST_END_TEST;

/* Whether the first picture of a group passes, and its others are decided. */
static gboolean
group_passes (ScalingSelector * s, const ScalingCost * cost)
{
  const gchar *pictures = "KddRddRddRdd";
  gboolean key_passes = FALSE;

  for (guint i = 0; pictures[i]; i++) {
    ScalingDecision d;
    ScalingPicture picture;

    scaling_selector_set_cost (s, cost);
    make_picture (&picture, pictures[i], 0);
    scaling_selector_decide (s, &picture, TRUE, 0, &d);
    scaling_selector_done (s, &picture, d.verdict <= SCALING_FILL ? 1000 : 0);
    key_passes |= i == 0 && d.verdict == SCALING_PASS;
  }
  return key_passes;
}

/* Of two that are alike one is asked for a key picture: its next group passes,
 * the other's does not, and in the end as many have passed. By the fit, and by
 * the plan. */
GST_START_TEST (test_key_wanted)
{
  const ScalingRule rule = { -1, 5000, TRUE };
  const ScalingCost cost = {.floor = 1000 };
  ScalingSelector s[2];
  gboolean passes[2] = { FALSE, FALSE };
  guint n[2] = { 0, 0 }, n_asked = 0;

  for (guint k = 0; k < 2; k++) {
    fail_unless (scaling_selector_init (&s[k]));
    scaling_selector_reset (&s[k], FALSE);
    scaling_selector_set_rule (&s[k], &rule);
  }
  for (guint i = 0; i < 200; i++) {
    gboolean asked = i > 20 && n_asked == 0 && passes[0];

    if (asked)
      scaling_selector_want_key (&s[1]);
    n_asked += asked;
    for (guint k = 0; k < 2; k++) {
      passes[k] = group_passes (&s[k], __i__ ? &cost : NULL);
      n[k] += passes[k];
    }
    fail_unless (!asked || (passes[1] && !passes[0]));
    fail_unless (n_asked || n[0] == n[1]);
  }
  fail_unless (n_asked == 1 && n[0] > 20 && n[1] <= n[0] + 1,
      "%u, asked %u", n[0], n[1]);
  scaling_selector_clear (&s[0]);
  scaling_selector_clear (&s[1]);
}

GST_END_TEST;

static Suite *
selector_suite (void)
{
  Suite *s = suite_create ("scaling-selector");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rules, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_stop);
  tcase_add_loop_test (tc, test_rule, 0, 5);
  tcase_add_test (tc, test_skip);
  tcase_add_test (tc, test_target);
  tcase_add_loop_test (tc, test_key_wanted, 0, 2);
  return s;
}

GST_CHECK_MAIN (selector);
