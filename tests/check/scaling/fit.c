/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Streams of 30 frames/s, most of them the media-scaling paper's: IBBPBBPBB
 * with 11000, 8000 and 2000 bytes (its figure 2).
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <scaling/fit.h>

#include "../rounds.h"
#include "gops.h"

#define FRAME_RATE 30
#define KBIT 1000
#define PAPER "IBBPBBPBB"

/* By type. */
static const gsize paper_sizes[5] = { 0, 11000, 8000, 2000 };

/* Long-run averages of that stream. */
static const gint64 paper_rates[SCALING_N_SCALES] = {
  293333, 506667, 720000, 880000, 1040000
};

/* A stream fed to policy and fit frame by frame. */
typedef struct
{
  ScalingFit *fit;
  GopsPolicy policy;
  const gchar *group;           /* in coded order but for its leading B */
  guint place;
  guint n;                      /* frames so far */
  gdouble size;                 /* of all frames, relative */
  gdouble noise;                /* of each group, relative */
  gdouble group_size;
  GRand *rand;

  gint scale;
  gdouble share;
  guint n_climbs;
  guint64 passed;               /* bytes, above scale -1 */
} Feed;

static void
feed_init (Feed * f, const gchar * group)
{
  memset (f, 0, sizeof *f);
  f->fit = scaling_fit_new ();
  fail_unless (f->fit != NULL);
  gops_policy_init (&f->policy);
  f->group = group;
  f->size = 1;
  f->rand = g_rand_new_with_seed (7);
}

static void
feed_clear (Feed * f)
{
  scaling_fit_free (f->fit);
  g_rand_free (f->rand);
}

/* Runs are of two B, so no temporal references are needed. */
static void
feed_frame (Feed * f, gint64 target)
{
  GopsStyle style = { 0, };
  M2vFrame frame;
  gint scale;
  guint lowest;

  if (f->place == 0)
    f->group_size = f->size * (1 + f->noise * g_rand_double_range (f->rand,
            -1, 1));
  for (guint i = 1; i < 5; i++)
    style.sizes[i] = lround (paper_sizes[i] * f->group_size);
  gops_frame (&frame, f->group[f->place], &style);
  f->place = (f->place + 1) % strlen (f->group);
  f->n++;

  lowest = gops_policy_next (&f->policy, &frame);
  scaling_fit_add (f->fit, &f->policy.picture, lowest, 0);
  scale = scaling_fit_scale (f->fit, target, &f->share);
  /* Of fail_unless each call is recorded, which takes long. */
  if (scale < -1 || scale > SCALING_MAX_SCALE || f->share < 0 || f->share > 1
      || (scale >= 0 && f->share != 1))
    fail ("scale %d, share %g", scale, f->share);
  if (scale > f->scale && f->n > 1)
    f->n_climbs++;
  f->scale = scale;
  if ((gint) lowest <= scale)
    f->passed += frame.size;
}

static void
feed_seconds (Feed * f, gdouble seconds, gint64 target)
{
  for (guint i = 0; i < seconds * FRAME_RATE; i++)
    feed_frame (f, target);
}

GST_START_TEST (test_rates)
{
  Feed f;

  feed_init (&f, PAPER);
  feed_seconds (&f, 0.2, 1000 * KBIT);
  for (guint s = 0; s < SCALING_N_SCALES; s++)
    fail_unless_equals_int64 (scaling_fit_rate (f.fit, s), 0);
  feed_seconds (&f, 10, 1000 * KBIT);
  for (guint s = 0; s < SCALING_N_SCALES; s++)
    fail_unless (ABS (scaling_fit_rate (f.fit, s) - paper_rates[s]) <= 1,
        "scale %u: %" G_GINT64_FORMAT, s, scaling_fit_rate (f.fit, s));

  scaling_fit_reset (f.fit);
  fail_unless_equals_int64 (scaling_fit_rate (f.fit, 4), 0);
  feed_clear (&f);
}

GST_END_TEST;

/* The windows are the last groups, as many as promised. */
GST_START_TEST (test_rates_of_last_groups)
{
  Feed f;
  gint64 before;

  feed_init (&f, PAPER);
  feed_seconds (&f, 3, 100 * KBIT);
  f.size = 2;
  for (guint i = 0; i < SCALING_FIT_GROUPS; i++) {
    before = scaling_fit_rate (f.fit, 4);
    /* The I of the next group ends one. */
    do
      feed_frame (&f, 100 * KBIT);
    while (f.place != 1);
    if (i > 0)
      fail_unless (scaling_fit_rate (f.fit, 4) > before);
  }
  feed_seconds (&f, 0.3, 100 * KBIT);
  fail_unless (ABS (scaling_fit_rate (f.fit, 4) - 2 * paper_rates[4]) <= 2);
  feed_clear (&f);
}

GST_END_TEST;

static const struct
{
  gint64 target;                /* kb/s */
  gint scale;
} choices[] = {
  {5000, 4}, {1041, 4}, {1038, 3}, {882, 3}, {878, 2}, {722, 2}, {718, 1},
  {508, 1}, {505, 0}, {294, 0}, {292, -1}, {10, -1}, {0, -1}
};

/* The highest that fits; and a fall to it at once, wherever in the group. */
GST_START_TEST (test_choice)
{
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++) {
    Feed f;

    feed_init (&f, PAPER);
    feed_seconds (&f, 3, 9000 * KBIT);
    fail_unless_equals_int (f.scale, 4);
    for (guint k = 0; k < i; k++)
      feed_frame (&f, 9000 * KBIT);
    feed_frame (&f, choices[i].target * KBIT);
    fail_unless (f.scale == choices[i].scale, "%d kb/s: %d instead of %d",
        (gint) choices[i].target, f.scale, choices[i].scale);
    if (f.scale < 0)
      fail_unless (fabs (f.share - choices[i].target / 293.333) < 1e-3);
    feed_seconds (&f, 20, choices[i].target * KBIT);
    fail_unless_equals_int (f.scale, choices[i].scale);
    fail_unless_equals_int (f.n_climbs, 0);
    feed_clear (&f);
  }
}

GST_END_TEST;

/* A target that is a scale's rate to the bit: that scale, for good. */
GST_START_TEST (test_target_at_rate)
{
  for (gint s = 0; s < SCALING_N_SCALES; s++) {
    Feed f;

    feed_init (&f, PAPER);
    feed_seconds (&f, 3, 9000 * KBIT);
    for (guint i = 0; i < 60 * FRAME_RATE; i++) {
      feed_frame (&f, paper_rates[s]);
      fail_unless_equals_int (f.scale, s);
    }
    feed_clear (&f);
  }
}

GST_END_TEST;

/* Climbs to the highest that fits with a margin, after a second, no more. */
GST_START_TEST (test_climb)
{
  static const struct
  {
    gint64 target;
    gint scale;
  } climbs[] = {
    {9000, 4}, {1095, 4}, {1085, 3}, {930, 3}, {920, 2}, {760, 2}, {750, 1},
    {535, 1}, {530, 0}, {310, 0}
  };

  for (guint i = 0; i < G_N_ELEMENTS (climbs); i++) {
    Feed f;

    feed_init (&f, PAPER);
    feed_seconds (&f, 3, 100 * KBIT);
    fail_unless_equals_int (f.scale, -1);
    feed_seconds (&f, 0.9, climbs[i].target * KBIT);
    fail_unless_equals_int (f.scale, -1);
    feed_seconds (&f, 0.2, climbs[i].target * KBIT);
    fail_unless (f.scale == climbs[i].scale, "%d kb/s: %d instead of %d",
        (gint) climbs[i].target, f.scale, climbs[i].scale);
    feed_seconds (&f, 20, climbs[i].target * KBIT);
    fail_unless_equals_int (f.scale, climbs[i].scale);
    fail_unless_equals_int (f.n_climbs, 1);
    feed_clear (&f);
  }
}

GST_END_TEST;

/* Only what fitted all the time: a dip lowers it, a miss begins anew. */
GST_START_TEST (test_climb_interrupted)
{
  Feed f;

  feed_init (&f, PAPER);
  feed_seconds (&f, 3, 550 * KBIT);
  feed_seconds (&f, 0.5, 9000 * KBIT);
  feed_frame (&f, 800 * KBIT);
  feed_seconds (&f, 0.55, 9000 * KBIT);
  fail_unless_equals_int (f.scale, 2);

  feed_seconds (&f, 0.9, 9000 * KBIT);
  feed_frame (&f, 750 * KBIT);
  feed_seconds (&f, 0.9, 9000 * KBIT);
  fail_unless_equals_int (f.scale, 2);
  feed_seconds (&f, 0.2, 9000 * KBIT);
  fail_unless_equals_int (f.scale, 4);
  feed_clear (&f);
}

GST_END_TEST;

/* Noise of the target, of the groups, of both, around each scale's rate: a
 * climb every 10 s at most in the long run, and what passes fits in the mean. */
GST_START_TEST (test_no_flapping)
{
  static const struct
  {
    gdouble target_noise, group_noise;
  } noises[] = {
    {0.02, 0}, {0.1, 0}, {0.3, 0}, {0, 0.05}, {0, 0.1}, {0, 0.3}, {0.1, 0.1}
  };
  const guint seconds = 120;

  for (guint i = 0; i < G_N_ELEMENTS (noises); i++) {
    for (guint k = 0; k < 5 * 4; k++) {
      gdouble mean = paper_rates[k % 5] * (0.95 + 0.05 * (k / 5)), sum = 0;
      Feed f;

      if (!test_taken (k + i))
        continue;
      feed_init (&f, PAPER);
      f.noise = noises[i].group_noise;
      for (guint n = 0; n < seconds * FRAME_RATE; n++) {
        gdouble target = mean * (1 + noises[i].target_noise *
            g_rand_double_range (f.rand, -1, 1));

        feed_frame (&f, target);
        sum += target;
      }
      fail_unless (f.n_climbs <= seconds / 10, "noise %g of the target, %g of "
          "the groups, around %g: %u climbs", noises[i].target_noise,
          noises[i].group_noise, mean, f.n_climbs);
      fail_unless (f.passed * 8.0 * FRAME_RATE < sum * 1.01,
          "noise %g of the target, %g of the groups, around %g: %g passed",
          noises[i].target_noise, noises[i].group_noise, mean,
          f.passed * 8.0 / seconds);
      feed_clear (&f);
    }
  }
}

GST_END_TEST;

/* A square wave of the target: the hold grows, and shrinks again after. */
GST_START_TEST (test_hold)
{
  guint climbs;
  Feed f;

  feed_init (&f, PAPER);
  for (guint i = 0; i < 25; i++) {
    feed_seconds (&f, 2, 1200 * KBIT);
    feed_seconds (&f, 2, 800 * KBIT);
  }
  fail_unless (f.n_climbs >= 1 && f.n_climbs <= 3, "%u climbs", f.n_climbs);

  /* Quiet: after the long hold it climbs, and having stayed there long, the
   * holds are shorter again. */
  for (guint i = 0; i < 6; i++) {
    feed_seconds (&f, 80, 1200 * KBIT);
    fail_unless_equals_int (f.scale, 4);
    feed_seconds (&f, 0.1, 800 * KBIT);
    fail_unless_equals_int (f.scale, 2);
  }
  climbs = f.n_climbs;
  feed_seconds (&f, 1.1, 1200 * KBIT);
  fail_unless_equals_int (f.n_climbs, climbs + 1);
  feed_clear (&f);
}

GST_END_TEST;

/* Falls soon after climbs: the next climb takes twice as long, 16 s at most; two
 * falls in a row count once. */
GST_START_TEST (test_longest_hold)
{
  static const guint holds[] = { 1, 2, 4, 8, 16, 16 };
  Feed f;

  feed_init (&f, PAPER);
  feed_seconds (&f, 3, 600 * KBIT);
  for (guint i = 0; i < G_N_ELEMENTS (holds); i++) {
    feed_seconds (&f, holds[i] - 0.1, 9000 * KBIT);
    fail_unless_equals_int (f.scale, 1);
    feed_seconds (&f, 0.2, 9000 * KBIT);
    fail_unless_equals_int (f.scale, 4);
    feed_frame (&f, 800 * KBIT);
    fail_unless_equals_int (f.scale, 2);
    feed_frame (&f, 600 * KBIT);
    fail_unless_equals_int (f.scale, 1);
  }
  feed_clear (&f);
}

GST_END_TEST;

/* What passes from the very first frame on: the budget of half a second may be
 * spent before anything is known. */
GST_START_TEST (test_start)
{
  static const gchar *const groups[] = {
    PAPER, "IBBPBBPBBPBB", "IPPPPPPPPPPPPPPPPPPPPPPPPPPPPP", "PPPP",
    "IBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBBPBB"
  };

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    for (gint64 target = 300 * KBIT; target < 2000 * KBIT; target += 100 * KBIT) {
      Feed f;

      feed_init (&f, groups[i]);
      for (guint n = 1; n <= 5 * FRAME_RATE; n++) {
        feed_frame (&f, target);
        /* Nothing can be done about streams of P only. */
        if (i != 3)
          fail_unless (f.passed * 8 <= target * (n / 30.0 + 0.7) + 8 * 11000,
              "%s, %d b/s: %d bytes in %u frames", groups[i], (gint) target,
              (gint) f.passed, n);
      }
      feed_clear (&f);
    }
  }
}

GST_END_TEST;

/* A first group without its leading B seems to have a higher rate: that is soon
 * forgotten. */
GST_START_TEST (test_first_group)
{
  Feed f;

  feed_init (&f, "IPBBPBB");
  for (guint i = 0; i < 7; i++)
    feed_frame (&f, 1140 * KBIT);
  f.group = PAPER;
  feed_frame (&f, 1140 * KBIT);
  fail_unless_equals_int (f.scale, 3);
  feed_seconds (&f, 0.3, 1140 * KBIT);
  fail_unless (ABS (scaling_fit_rate (f.fit, 4) - paper_rates[4]) <= 1);
  feed_seconds (&f, 1.1, 1140 * KBIT);
  fail_unless_equals_int (f.scale, 4);
  feed_clear (&f);
}

GST_END_TEST;

/* The frames grow: a fall within the group that is over, before its end. */
GST_START_TEST (test_growing_frames)
{
  Feed f;

  feed_init (&f, PAPER PAPER);
  feed_seconds (&f, 6, 1100 * KBIT);
  fail_unless_equals_int (f.scale, 4);
  while (f.place != 0)
    feed_frame (&f, 1100 * KBIT);
  f.size = 1.5;
  feed_seconds (&f, 0.5, 1100 * KBIT);
  fail_unless (f.scale < 4);
  feed_seconds (&f, 0.1, 1100 * KBIT);
  fail_unless_equals_int (f.scale, 2);
  feed_seconds (&f, 10, 1100 * KBIT);
  fail_unless_equals_int (f.scale, 2);
  feed_clear (&f);
}

GST_END_TEST;

/* One scene is quieter than the next: no climb on the mean where one of the
 * groups would not have fitted. */
GST_START_TEST (test_climb_needs_every_group)
{
  Feed f;

  feed_init (&f, PAPER);
  for (guint i = 0; i < 200; i++) {
    f.size = i % 4 == 0 ? 1.2 : 0.9;
    feed_seconds (&f, 0.3, i < 10 ? 700 * KBIT : 1110 * KBIT);
  }
  /* Mean 1014, one of four 1248 kb/s. */
  fail_unless_equals_int (f.n_climbs, 1);
  fail_unless_equals_int (f.scale, 3);
  feed_clear (&f);
}

GST_END_TEST;

static const struct
{
  const gchar *group;
  gdouble rates[2];             /* scales 0, 4; kb/s in the long run */
  gdouble tolerance;
} structures[] = {
  {"I", {2640, 2640}, 0.001},
  {"IP", {1320, 2280}, 0.001},
  {"IBB", {880, 1200}, 0.001},
  /* Longer than a window: what a window holds differs. */
  {"IPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP"
        "PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP",
      {20, 1925}, 0.35},
  {"P", {1920, 1920}, 0.001},
  {"PBB", {640, 960}, 0.15},
};

GST_START_TEST (test_structures)
{
  for (guint i = 0; i < G_N_ELEMENTS (structures); i++) {
    Feed f;

    feed_init (&f, structures[i].group);
    feed_seconds (&f, 20, 9000 * KBIT);
    for (guint k = 0; k < 2; k++) {
      gdouble rate = scaling_fit_rate (f.fit, 4 * k);
      gdouble expected = structures[i].rates[k] * KBIT;

      fail_unless (fabs (rate - expected) <= expected * structures[i].tolerance
          + 1, "%s: %g instead of %g", structures[i].group, rate, expected);
    }
    fail_unless_equals_int (f.scale, 4);
    feed_clear (&f);
  }
}

GST_END_TEST;

/* Every frame an I: an even share of them. */
GST_START_TEST (test_share)
{
  Feed f;

  feed_init (&f, "I");
  feed_seconds (&f, 3, 9000 * KBIT);
  feed_frame (&f, 1320 * KBIT);
  fail_unless_equals_int (f.scale, -1);
  fail_unless (fabs (f.share - 0.5) < 1e-3);
  /* It fits again, though not for long enough yet: all pass. */
  feed_frame (&f, 2700 * KBIT);
  fail_unless (f.share == 1);
  feed_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_stop)
{
  Feed f;

  feed_init (&f, PAPER);
  feed_seconds (&f, 3, 9000 * KBIT);
  feed_frame (&f, 0);
  fail_unless_equals_int (f.scale, -1);
  fail_unless (f.share == 0);
  feed_seconds (&f, 1, 0);
  feed_frame (&f, 900 * KBIT);
  fail_unless_equals_int (f.scale, 3);

  scaling_fit_restart (f.fit);
  feed_frame (&f, 9000 * KBIT);
  fail_unless_equals_int (f.scale, 4);
  feed_clear (&f);
}

GST_END_TEST;

static void
add_frame (ScalingFit * fit, const M2vFrame * frame, guint lowest_scale,
    gsize replaced_size)
{
  M2vLastReference last = { FALSE, 0 };
  ScalingPicture picture;

  m2v_scaling_picture (&last, frame, &picture);
  scaling_fit_add (fit, &picture, lowest_scale, replaced_size);
}

/* Replacements count where they are emitted. */
GST_START_TEST (test_replaced)
{
  ScalingFit *fit = scaling_fit_new ();
  GopsStyle style = { 0, };
  M2vFrame frame;

  memcpy (style.sizes, paper_sizes, sizeof paper_sizes);
  for (guint i = 0; i < 90; i++) {
    gops_frame (&frame, PAPER[i % 9], &style);
    add_frame (fit, &frame, i % 9 == 0 ? 0 : i % 3 == 0 ? 2 : 4, 500);
  }
  fail_unless (ABS (scaling_fit_rate (fit, 4) - 1040 * KBIT) <= 1);
  fail_unless (ABS (scaling_fit_rate (fit, 3) - 800 * KBIT) <= 1);
  fail_unless (ABS (scaling_fit_rate (fit, 1) - 400 * KBIT) <= 1);
  scaling_fit_free (fit);
}

GST_END_TEST;

/* A group with a gap is not counted. */
GST_START_TEST (test_discontinuity)
{
  GopsStyle style = { 0, };
  M2vFrame frame;
  Feed f;

  feed_init (&f, PAPER);
  feed_seconds (&f, 1.5, 9000 * KBIT);
  fail_unless_equals_int (f.place, 0);
  for (guint i = 0; i < 5; i++)
    feed_frame (&f, 9000 * KBIT);
  memcpy (style.sizes, paper_sizes, sizeof paper_sizes);
  gops_frame (&frame, 'I', &style);
  frame.discont = TRUE;
  add_frame (f.fit, &frame, 0, 0);
  f.place = 1;
  feed_seconds (&f, 0.3, 9000 * KBIT);
  fail_unless (ABS (scaling_fit_rate (f.fit, 4) - paper_rates[4]) <= 1);
  feed_clear (&f);
}

GST_END_TEST;

/* A group longer than usual is over only where its rate is. */
GST_START_TEST (test_long_group)
{
  Feed f;

  feed_init (&f, PAPER);
  feed_seconds (&f, 3, 1140 * KBIT);
  for (guint i = 0; i < 60; i++) {
    if (f.place == 0)
      f.group = i == 0 ? "IBBPBBPBB" : "PBBPBBPBB";
    feed_frame (&f, 1140 * KBIT);
    fail_unless_equals_int (f.scale, 4);
  }
  feed_clear (&f);
}

GST_END_TEST;

/* Without I what is measured is the last two seconds. */
GST_START_TEST (test_rolling)
{
  Feed f;

  feed_init (&f, "P");
  feed_seconds (&f, 10, 9000 * KBIT);
  f.size = 2;
  feed_seconds (&f, 2.5, 9000 * KBIT);
  fail_unless (ABS (scaling_fit_rate (f.fit, 0) - 2 * 1920 * KBIT) <= 2);
  feed_clear (&f);
}

GST_END_TEST;

/* Durations and sizes that no stream has. */
GST_START_TEST (test_odd_frames)
{
  static const gint64 durations[] = {
    0, -1, G_MININT64, G_MAXINT64, 1, 33333333
  };
  static const gsize sizes[] = { 0, 1, G_MAXUINT32 };
  static const gint64 targets[] = { 1, 300000, G_MAXINT64, -5, 0 };
  ScalingFit *fit = scaling_fit_new ();
  GRand *rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < 20000; i++) {
    GopsStyle style = { 0, };
    gdouble share = -1;
    M2vFrame frame;
    gint scale;

    gops_frame (&frame, "IPBX"[g_rand_int_range (rand, 0, 4)], &style);
    frame.duration = durations[(i / 100 + g_rand_int_range (rand, 0, 2)) % 6];
    frame.size = sizes[g_rand_int_range (rand, 0, 3)];
    frame.discont = g_rand_int_range (rand, 0, 50) == 0;
    add_frame (fit, &frame, g_rand_int_range (rand, 0, 6), 0);
    scale = scaling_fit_scale (fit, targets[i / 50 % 5], &share);
    fail_unless (scale >= -1 && scale <= SCALING_MAX_SCALE);
    fail_unless (share >= 0 && share <= 1);
    for (guint s = 0; s < 7; s++)
      fail_unless (scaling_fit_rate (fit, s) >= 0);
  }
  g_rand_free (rand);
  scaling_fit_free (fit);
}

GST_END_TEST;

static Suite *
fit_suite (void)
{
  Suite *s = suite_create ("scaling-fit");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_rates);
  tcase_add_test (tc, test_rates_of_last_groups);
  tcase_add_test (tc, test_choice);
  tcase_add_test (tc, test_target_at_rate);
  tcase_add_test (tc, test_climb);
  tcase_add_test (tc, test_climb_interrupted);
  tcase_add_test (tc, test_no_flapping);
  tcase_add_test (tc, test_hold);
  tcase_add_test (tc, test_longest_hold);
  tcase_add_test (tc, test_start);
  tcase_add_test (tc, test_first_group);
  tcase_add_test (tc, test_growing_frames);
  tcase_add_test (tc, test_climb_needs_every_group);
  tcase_add_test (tc, test_structures);
  tcase_add_test (tc, test_share);
  tcase_add_test (tc, test_stop);
  tcase_add_test (tc, test_replaced);
  tcase_add_test (tc, test_discontinuity);
  tcase_add_test (tc, test_long_group);
  tcase_add_test (tc, test_rolling);
  tcase_add_test (tc, test_odd_frames);
  return s;
}

GST_CHECK_MAIN (fit);
