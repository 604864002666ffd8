/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The three steps by hand, what has been added to them, and any numbers.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <ratecontrol/tm5.h>
#include <ratecontrol/tm5quantiser.h>

#define PERIOD (RATECONTROL_SECOND / 25)

static void
fail_unless_near (double a, double b)
{
  fail_unless (fabs (a - b) <= 1e-6 * fmax (fabs (b), 1), "%f is not %f", a, b);
}

/* 13818-2 table 7-6. */
static const guint8 nonlinear[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18,
  20, 22, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 88, 96, 104, 112
};

/* Half way between two codes the coarser one is taken. */
GST_START_TEST (test_non_linear_codes)
{
  for (guint code = 1; code < 31; code++) {
    gdouble half = (nonlinear[code - 1] + nonlinear[code]) / 4.;

    fail_unless_equals_int (tm5_nearest_code (TRUE, half - 1e-9, 31), code);
    fail_unless_equals_int (tm5_nearest_code (TRUE, half, 31), code + 1);
    fail_unless_equals_int (tm5_nearest_code (TRUE, half, code), code);
  }
}

GST_END_TEST;

GST_START_TEST (test_codes)
{
  for (guint code = 1; code <= 31; code++) {
    fail_unless_equals_int (tm5_quantiser_scale (FALSE, code), 2 * code);
    fail_unless_equals_int (tm5_quantiser_scale (TRUE, code),
        nonlinear[code - 1]);
    fail_unless_equals_int (tm5_nearest_code (FALSE, code + .49, 31), code);
    fail_unless_equals_int (tm5_nearest_code (FALSE, code - .49, 31), code);
    fail_unless_equals_int (tm5_nearest_code (TRUE, nonlinear[code - 1] / 2.,
            31), code);
    fail_unless_equals_int (tm5_nearest_code (FALSE, 31, code), code);
  }
  fail_unless_equals_int (tm5_nearest_code (TRUE, 29.9, 31), 24);
  fail_unless_equals_int (tm5_nearest_code (TRUE, 30.1, 31), 25);
  fail_unless_equals_int (tm5_nearest_code (FALSE, -1e300, 31), 1);
  fail_unless_equals_int (tm5_nearest_code (TRUE, 1e300, 31), 31);
}

GST_END_TEST;

/* By hand, at 1.15 Mb/s and 25 pictures/s. The first group is taken for
 * I PP BBBB, 0.28 s: R = 322000; a mean picture has 46000, r = 92000. */
typedef struct
{
  Tm5Type type;
  gint64 source_bits;
  double source_quantiser;
  gint64 budget, target;        /* R, T */
  double fullness;              /* d0 */
  gint64 bits;
  double quantiser;
  double complexity;            /* S * Q, Q half of quantiser_scale */
} StepRow;

static const StepRow model_rows[] = {
  /* X 1600000, P and B by 60 / 160, 42 / 160. T = R / (1 + .75 + .75); d0 =
   * X / T * r / 31. */
  {TM5_I, 200000, 16, 322000, 128800, 36866.36, 100000, 20, 1000000},
  /* T = 222000 / (2 + 4 * 262500 / (1.4 * 600000)) */
  {TM5_P, 80000, 15, 222000, 68307, 26068.003, 60000, 20, 600000},
  /* T = 162000 / (4 + 1.4 * 600000 / 420000) */
  {TM5_B, 40000, 21, 162000, 27000, 46164.87, 27000, 280 / 9., 420000},
  /* As many B fewer. The source's X does not matter any more; d0 stays where T
   * was met. */
  {TM5_B, 30000, 21, 135000, 27000, 46164.87, 37000, 280 / 9., 575555.556},
  /* T = 98000 / (2 + 1.4 * 600000 / 575555.556); d0 is 10000 more. */
  {TM5_B, 30000, 21, 98000, 28328, 56164.87, 95000, 20, 950000},
  /* 3000 are left for P and B: no less than 1150000 / 25 / 8. */
  {TM5_B, 30000, 21, 3000, 5750, 122836.75, 5750, 62, 178250},
};

static void
begin (Tm5 * t, Tm5Type type, gint64 bits, double quantiser)
{
  const Tm5Picture p = {
    .type = type,
    .duration = PERIOD,
    .bits = bits,
    .quantiser = quantiser
  };

  fail_unless_equals_int (tm5_picture_begin (t, &p), TM5_REDUCE);
}

static void
end (Tm5 * t, gint64 bits, double quantiser)
{
  const Tm5Coded c = {.bits = bits,.quantiser = quantiser };

  tm5_picture_end (t, &c);
}

GST_START_TEST (test_steps)
{
  Tm5Stats stats;
  Tm5 t;

  tm5_init (&t, &tm5_params_model);
  tm5_set_target (&t, 1150000);
  for (guint i = 0; i < G_N_ELEMENTS (model_rows); i++) {
    const StepRow *row = &model_rows[i];

    GST_DEBUG ("row %u", i);
    begin (&t, row->type, row->source_bits, row->source_quantiser);
    tm5_get_stats (&t, &stats);
    fail_unless_equals_int64 (stats.budget, row->budget);
    fail_unless_equals_int64 (stats.picture_target, row->target);
    fail_unless (fabs (stats.fullness[row->type] - row->fullness) < .01,
        "row %u: d0 %f", i, stats.fullness[row->type]);
    end (&t, row->bits, row->quantiser);
    tm5_get_stats (&t, &stats);
    fail_unless_near (stats.complexity[row->type], row->complexity);
  }
}

GST_END_TEST;

/* Where no quantiser is known: X 160, 60, 42 bit_rate / 115, and 10 r / 31. */
GST_START_TEST (test_first)
{
  static const double start[] = { 10, 10, 14 };
  static const gint64 target[] = { 128800, 64400, 43000 };

  for (guint type = 0; type < TM5_N_TYPES; type++) {
    Tm5Stats stats;
    Tm5 t;

    tm5_init (&t, &tm5_params_model);
    tm5_set_target (&t, 1150000);
    begin (&t, type, 200000, 0);
    tm5_get_stats (&t, &stats);
    if (type == TM5_I)
      fail_unless_equals_int64 (stats.picture_target, target[type]);
    fail_unless_near (stats.fullness[type], start[type] * 92000 / 31);
  }
}

GST_END_TEST;

/* In the first I of the rows, d0 of which means 12.42: what is ahead of T, as
 * macroblocks go, adds 31 / r. */
typedef struct
{
  double done, activity;
  gint64 ahead;
  guint code;                   /* linear */
  guint nonlinear;              /* of the scale nearest to twice that */
} MacroblockRow;

static const MacroblockRow macroblock_rows[] = {
  {0, 1, 0, 12, 16},            /* 12.42; 24.84 */
  {1, 1, 0, 12, 16},
  {.5, 1, 0, 12, 16},
  {.5, 1, 8904, 15, 18},        /* 15.42; 30.84 */
  {.5, 1, -14839, 7, 11},       /* 7.42; 14.84 */
  {.5, 2, 0, 25, 22},           /* 24.84; 49.69 */
  {.5, .5, 0, 6, 10},           /* 6.21; 12.42 */
  {.5, 100, 0, 25, 22},         /* activity is within 1/2 .. 2 */
  {.5, 1e-9, 0, 6, 10},
  {.5, 0, 0, 12, 16},           /* not known */
  {.5, -1, 0, 12, 16},
  {.5, NAN, 0, 12, 16},
  {-3, 1, 0, 12, 16},
  {7, 1, 0, 12, 16},
  {1, 1, 50000, 29, 24},        /* 29.27; 58.54 */
  {.5, 1, -60000, 1, 1},
  {1, 2, 50000, 31, 31},
};

GST_START_TEST (test_macroblocks)
{
  for (guint type = 0; type < 2; type++) {
    for (guint i = 0; i < G_N_ELEMENTS (macroblock_rows); i++) {
      const MacroblockRow *row = &macroblock_rows[i];
      Tm5Picture p = {
        .type = TM5_I,
        .duration = PERIOD,
        .bits = 200000,
        .quantiser = 16,
        .q_scale_type = type
      };
      guint code = type ? row->nonlinear : row->code;
      gint64 bits = (gint64) (128800 * CLAMP (row->done, 0, 1)) + row->ahead;
      Tm5 t;

      tm5_init (&t, &tm5_params_model);
      tm5_set_target (&t, 1150000);
      fail_unless_equals_int (tm5_picture_begin (&t, &p), TM5_REDUCE);
      fail_unless (tm5_macroblock (&t, row->done, bits, row->activity) == code,
          "row %u: %u", i, tm5_macroblock (&t, row->done, bits, row->activity));

      tm5_init (&t, &tm5_params_model);
      tm5_set_target (&t, 1150000);
      p.max_code = 9;
      tm5_picture_begin (&t, &p);
      fail_unless (tm5_macroblock (&t, row->done, bits, row->activity) <= 9);
    }
  }
}

GST_END_TEST;

/* Of a known group whose pictures meet their targets: the first P gets half as
 * much again as an even share, the second half of the group even shares, and
 * the group's bits are used up. */
GST_START_TEST (test_front_load)
{
  Tm5Params params = tm5_params_default;
  Tm5Stats stats;
  Tm5 t;
  gint64 sum = 0, targets[12];

  params.kp = params.front_load = 1;
  tm5_init (&t, &params);
  tm5_set_target (&t, 1000000);
  for (guint i = 0; i < 12 * 8; i++) {
    begin (&t, i % 12 == 0 ? TM5_I : TM5_P, i % 12 == 0 ? 240000 : 120000, 10);
    tm5_get_stats (&t, &stats);
    end (&t, stats.picture_target, 24);
    targets[i % 12] = stats.picture_target;
    sum = i % 12 == 0 ? stats.picture_target : sum + stats.picture_target;
  }
  fail_unless (ABS (sum - 480000) < 20, "%" G_GINT64_FORMAT, sum);
  fail_unless (fabs (targets[1] * 11. / (480000 - targets[0]) - 1.5) < 1e-3);
  for (guint i = 2; i < 12; i++)
    fail_unless (targets[i] <= targets[i - 1] + 1);
  fail_unless (ABS (targets[6] - targets[7]) > 100);
  for (guint i = 8; i < 12; i++)
    fail_unless (ABS (targets[i] - targets[7]) <= 5);
}

GST_END_TEST;

/* A second I field, or a P one, belongs to the frame before. */
GST_START_TEST (test_second_fields)
{
  static const Tm5Type fields[] = { TM5_I, TM5_P };

  for (guint k = 0; k < G_N_ELEMENTS (fields); k++) {
    Tm5Stats stats;
    Tm5 t;

    tm5_init (&t, NULL);
    tm5_set_target (&t, 1000000);
    for (guint i = 0; i < 8 * 5; i++) {
      Tm5Picture p = {
        .type = i % 8 == 0 ? TM5_I : i % 8 == 1 ? fields[k] : TM5_B,
        .second_field = i % 2,
        .duration = PERIOD / 2,
        .bits = 60000,
        .quantiser = 10
      };

      tm5_picture_begin (&t, &p);
      end (&t, 20000, 20);
    }
    tm5_get_stats (&t, &stats);
    fail_unless_equals_int (stats.n_predicted[TM5_I], 2 - k);
    fail_unless_equals_int (stats.n_predicted[TM5_P], k);
    fail_unless_equals_int (stats.n_predicted[TM5_B], 6);
  }
}

GST_END_TEST;

/* A picture that just meets its target; returns that. */
static gint64
meet (Tm5 * t, Tm5Type type, gint64 source_bits, gint64 duration)
{
  const Tm5Picture p = {
    .type = type,
    .duration = duration,
    .bits = source_bits,
    .quantiser = 10
  };
  Tm5Stats stats;

  fail_unless_equals_int (tm5_picture_begin (t, &p), TM5_REDUCE);
  tm5_get_stats (t, &stats);
  /* X stays. */
  end (t, stats.picture_target, 10. * source_bits / stats.picture_target);
  return stats.picture_target;
}

/* An I that should have most of four seconds has 0.9 of what is left of the bucket,
 * of half a second; the coarsest code keeps it from having more than all of it. */
GST_START_TEST (test_bucket)
{
  gint64 target = 0;
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_target (&t, 1000000);
  for (guint i = 0; i <= 300; i++) {
    if (i % 100 == 0)
      target = meet (&t, TM5_I, 9000000, PERIOD);
    else
      meet (&t, TM5_P, 60000, PERIOD);
  }
  fail_unless (target <= 450000 && target > 300000, "%" G_GINT64_FORMAT,
      target);
  begin (&t, TM5_I, 9000000, 2);
  fail_unless (t.ceiling < 500000 && t.start[TM5_I] < 31);
  fail_unless_equals_int (tm5_macroblock (&t, 1, (gint64) t.ceiling + 2, .5),
      31);
  t.start[TM5_I] = 1;
  fail_unless (tm5_macroblock (&t, 1, (gint64) t.picture_target, 1) < 3);
  fail_unless_equals_int (tm5_macroblock (&t, 1, (gint64) t.ceiling + 2, .5),
      31);
}

GST_END_TEST;

/* What waits takes no longer at a lower target, and keeps its bits at a higher
 * one: 240000 bits, 40000 of which have left, and 10000 or 160000 more. */
GST_START_TEST (test_wait)
{
  static const gint64 targets[] = { 250000, 4000000 };
  static const gdouble waits[] = { .16, .01 };

  for (guint i = 0; i < 2; i++) {
    Tm5Stats stats;
    Tm5 t;

    tm5_init (&t, NULL);
    tm5_set_target (&t, 1000000);
    begin (&t, TM5_I, 800000, 10);
    end (&t, 240000, 20);
    tm5_get_stats (&t, &stats);
    fail_unless_near (stats.wait, .2);
    tm5_set_target (&t, targets[i]);
    begin (&t, TM5_P, 400000, 10);
    end (&t, 0, 20);
    tm5_get_stats (&t, &stats);
    fail_unless_near (stats.wait, waits[i]);
  }
}

GST_END_TEST;

/* Of the B behind the second group's I the first group had none. */
GST_START_TEST (test_leading)
{
  static const gchar types[] = "IPBBPBBPBB" "IBBP" "B";
  Tm5Stats stats;
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_target (&t, 1000000);
  for (guint i = 0; types[i]; i++)
    meet (&t, types[i] == 'I' ? TM5_I : types[i] == 'P' ? TM5_P : TM5_B, 150000,
        PERIOD);
  tm5_get_stats (&t, &stats);
  fail_unless_equals_int (stats.n_predicted[TM5_P], 3);
  fail_unless_equals_int (stats.n_predicted[TM5_B], 8);
}

GST_END_TEST;

/* Without I groups are cut; with one, late. */
GST_START_TEST (test_no_i)
{
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_target (&t, 1000000);
  for (guint i = 0; i < 100; i++) {
    meet (&t, TM5_P, 100000, PERIOD);
    fail_unless (t.group.duration <= RATECONTROL_SECOND / 2 + PERIOD);
  }
  fail_unless (t.n_past > 6);
  meet (&t, TM5_I, 300000, PERIOD);
  for (guint i = 0; i < 249; i++)
    meet (&t, TM5_P, 100000, PERIOD);
  fail_unless_equals_int64 (t.group.duration, 10 * RATECONTROL_SECOND);
  meet (&t, TM5_P, 100000, PERIOD);
  fail_unless_equals_int64 (t.group.duration, PERIOD);
}

GST_END_TEST;

/* Four pictures that last as long as the twelve before have all their bits; and
 * beyond a group's expected end P still has more than B. */
GST_START_TEST (test_other_groups)
{
  gint64 sum = 0, p = 0, b = 0;
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_target (&t, 1000000);
  for (guint i = 0; i < 48; i++)
    meet (&t, i % 12 == 0 ? TM5_I : i % 3 == 0 ? TM5_P : TM5_B,
        i % 12 == 0 ? 250000 : i % 3 == 0 ? 150000 : 50000, PERIOD);
  for (guint i = 0; i < 24; i++) {
    Tm5Type type = i == 0 ? TM5_I : i % 3 == 0 ? TM5_P : TM5_B;
    gint64 target = meet (&t, type, i == 0 ? 250000 : i % 3 == 0 ? 150000 :
        50000, PERIOD);

    if (i >= 12)
      *(type == TM5_P ? &p : &b) += target;
  }
  /* Thrice X at 1.4 / 2.5 of the K, so 5.36 times as much each. */
  fail_unless (ABS (p - 349533) < 3600, "%" G_GINT64_FORMAT, p);
  fail_unless (ABS (b - 130467) < 1300, "%" G_GINT64_FORMAT, b);
  for (guint i = 0; i < 4; i++)
    sum += meet (&t, i == 0 ? TM5_I : TM5_P, i == 0 ? 250000 : 150000,
        3 * PERIOD);
  fail_unless (ABS (sum - 480000) < 48000, "%" G_GINT64_FORMAT, sum);
}

GST_END_TEST;

/* 0.04 s at 1 Mb/s are 40 kbit; the first group is taken to have 0.28 s. */
GST_START_TEST (test_credit)
{
  Tm5Picture p = {.type = TM5_I,.duration = RATECONTROL_SECOND / 25,
    .bits = 100000
  };
  Tm5 t;

  tm5_init (&t, NULL);
  fail_unless (tm5_credit (&t, FALSE) == 0 && tm5_credit (&t, TRUE) == 0);
  tm5_set_target (&t, 1000000);
  tm5_picture_left_out (&t, &p, 0);
  fail_unless (fabs (tm5_credit (&t, FALSE) - .04) < 1e-9);
  fail_unless (fabs (tm5_rest (&t) - .24) < 1e-9, "%f", tm5_rest (&t));
  p.type = TM5_P;
  tm5_picture_left_out (&t, &p, 100000);
  fail_unless (fabs (tm5_credit (&t, FALSE) + .02) < 1e-9, "%f",
      tm5_credit (&t, FALSE));
  /* A group takes over a part of it. */
  fail_unless (tm5_credit (&t, TRUE) < 0 && tm5_credit (&t, TRUE) >= -.02);
}

GST_END_TEST;

/* What is left out takes its time and counts for the source; what is planned to
 * be gets no bits. */
GST_START_TEST (test_left_out)
{
  const Tm5Picture b = {.type = TM5_B,.duration = PERIOD,.bits = 50000,
    .planned = TRUE,.later = {[TM5_P] = 3}
  };
  gint64 all = 0, with_b = 0;
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_target (&t, 1000000);
  for (guint i = 0; i < 49; i++)
    with_b = meet (&t, i % 12 == 0 ? TM5_I : i % 3 == 0 ? TM5_P : TM5_B,
        i % 12 == 0 ? 250000 : i % 3 == 0 ? 150000 : 50000, PERIOD);
  for (guint i = 1; i < 12; i++)
    tm5_picture_left_out (&t, &b, 0);
  fail_unless (fabs (t.level) < 1);
  fail_unless_equals_int64 (t.group.duration, 12 * PERIOD);
  fail_unless (t.group.thinned && t.coded[TM5_B] == 0);

  for (guint i = 0; i < 24; i++) {
    Tm5Picture p = b;
    Tm5Coded coded = { 0, 20, 10 };

    p.type = i % 12 == 0 ? TM5_I : i % 3 == 0 ? TM5_P : TM5_B;
    p.bits = p.type == TM5_I ? 250000 : p.type == TM5_P ? 150000 : 50000;
    p.quantiser = 10;
    p.later[TM5_P] = 3 - i % 12 / 3;
    if (p.type == TM5_B) {
      tm5_picture_left_out (&t, &p, 100);
      all += 100 * (i >= 12);
      continue;
    }
    tm5_picture_begin (&t, &p);
    coded.bits = t.picture_target;
    fail_unless (i != 12 || coded.bits > with_b * 1.1);
    all += coded.bits * (i >= 12);
    tm5_picture_end (&t, &coded);
  }
  fail_unless (ABS (all - 480000) < 10000, "%" G_GINT64_FORMAT, all);
}

GST_END_TEST;

/* Without a target a picture has neither share nor budget, also when there is a
 * target before the next one is coded. */
GST_START_TEST (test_no_target)
{
  const Tm5Picture p = {.type = TM5_P,.duration = PERIOD,.bits = 150000 };
  const Tm5Coded unchanged = {.bits = 150000 };
  Tm5Stats stats;
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_target (&t, G_MAXINT64);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (tm5_picture_begin (&t, &p), TM5_PASS);
    tm5_picture_end (&t, &unchanged);
  }
  tm5_set_target (&t, 1000000);
  tm5_picture_left_out (&t, &p, 0);
  tm5_get_stats (&t, &stats);
  fail_unless_equals_int64 (stats.target, 1000000);
  fail_unless_equals_int64 (stats.picture_target, 0);
  fail_unless_equals_int64 (stats.budget, 0);
}

GST_END_TEST;

/* What has passed since the last one was recoded says where to begin. */
GST_START_TEST (test_after_passing)
{
  Tm5Stats stats;
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_target (&t, 1000000);
  begin (&t, TM5_I, 400000, 10);
  end (&t, 180000, 60);
  tm5_set_target (&t, INT64_MAX);
  for (guint i = 0; i < 3; i++) {
    const Tm5Picture p = {.type = TM5_I,.duration = PERIOD,.bits = 400000,
      .quantiser = 4
    };

    fail_unless_equals_int (tm5_picture_begin (&t, &p), TM5_PASS);
    fail_unless_equals_int (tm5_macroblock (&t, 0, 0, 1), 1);
    end (&t, 400000, 0);
  }
  tm5_set_target (&t, 1000000);
  begin (&t, TM5_I, 400000, 4);
  tm5_get_stats (&t, &stats);
  fail_unless_near (stats.complexity[TM5_I], 800000);
  fail_unless (fabs (t.start[TM5_I] - 800000 / t.picture_target) < 1e-9);
}

GST_END_TEST;

/* A header that allows for big I lets them pass over half a second. */
GST_START_TEST (test_header)
{
  guint n_reduced = 0;
  Tm5 t;

  tm5_init (&t, NULL);
  tm5_set_source (&t, 4000000, 2000000);
  tm5_set_target (&t, 2000000);
  for (guint i = 0; i < 240; i++) {
    const Tm5Picture p = {
      .type = i % 24 == 0 ? TM5_I : TM5_P,
      .duration = PERIOD,
      .bits = i % 24 == 0 ? 1200000 : 24000,
      .quantiser = 8
    };
    const Tm5Coded c = {.bits = p.bits };

    if (tm5_picture_begin (&t, &p) == TM5_REDUCE && i >= 72)
      n_reduced++;
    tm5_picture_end (&t, &c);
  }
  fail_unless_equals_int (n_reduced, 0);
}

GST_END_TEST;

/* Any calls with any numbers: finite state, codes in range, targets too. */
static gint64
any (GRand * r, gint64 usual)
{
  static const gint64 extremes[] = { 0, 1, -1, G_MAXINT64, G_MININT64,
    G_MAXINT32, RATECONTROL_SECOND * 3600
  };

  if (g_rand_int_range (r, 0, 8) == 0)
    return extremes[g_rand_int_range (r, 0, G_N_ELEMENTS (extremes))];
  return (gint64) (usual * g_rand_double_range (r, 0, 2));
}

static double
any_quantiser (GRand * r)
{
  static const double extremes[] =
      { 0, -1, 1e300, -1e300, INFINITY, NAN, 1e-9 };

  if (g_rand_int_range (r, 0, 8) == 0)
    return extremes[g_rand_int_range (r, 0, G_N_ELEMENTS (extremes))];
  return g_rand_double_range (r, 1, 62);
}

static gboolean
is_sane (const Tm5 * t)
{
  gboolean sane = t->picture_target >= 0;
  Tm5Stats stats;

  tm5_get_stats (t, &stats);
  sane &= isfinite (t->balance) && isfinite (t->aside) && isfinite (t->grant) &&
      isfinite (t->level) && isfinite (t->r) && isfinite (t->budget) &&
      isfinite (t->source_level) && isfinite (t->picture_target);
  sane &= isfinite (stats.wait) && stats.wait >= 0 &&
      stats.picture_target >= 0 && stats.source_rate >= 0;
  for (guint i = 0; i < TM5_N_TYPES; i++)
    sane &= isfinite (t->complexity[i]) && t->complexity[i] >= 0 &&
        isfinite (t->start[i]) && t->start[i] >= 0 && isfinite (t->model[i]);
  return sane;
}

GST_START_TEST (test_random)
{
  for (guint32 seed = 0; seed < 150; seed++) {
    GRand *r = g_rand_new_with_seed (seed);
    Tm5 t;

    tm5_init (&t, seed % 2 ? &tm5_params_model : NULL);
    for (guint i = 0; i < 300; i++) {
      Tm5Picture p = {
        .type = (Tm5Type) g_rand_int_range (r, 0, i % 50 ? 3 : 9),
        .second_field = g_rand_int_range (r, 0, 4) == 0,
        .duration = any (r, PERIOD),
        .bits = any (r, 160000),
        .quantiser = any_quantiser (r),
        .q_scale_type = g_rand_boolean (r),
        .max_code = (guint) any (r, 31)
      };
      Tm5Coded c = { any (r, 80000), any_quantiser (r), any_quantiser (r) };

      if (g_rand_int_range (r, 0, 20) == 0)
        tm5_set_target (&t, any (r, 2000000));
      if (g_rand_int_range (r, 0, 8) == 0) {
        tm5_picture_left_out (&t, &p, any (r, 2000));
        fail_unless (is_sane (&t));
        continue;
      }
      if (g_rand_int_range (r, 0, 50) == 0)
        tm5_set_source (&t, any (r, 4000000), any (r, 1835008));
      tm5_picture_begin (&t, &p);
      fail_unless (is_sane (&t));
      for (guint k = 0; k < 4; k++) {
        guint code = tm5_macroblock (&t, any_quantiser (r) / 50, any (r, 80000),
            any_quantiser (r) / 30);

        if (code < 1 || code > t.picture.max_code || code > 31)
          fail ("code %u", code);
      }
      tm5_picture_end (&t, &c);
      fail_unless (is_sane (&t));
    }
    g_rand_free (r);
  }
}

GST_END_TEST;

static Suite *
tm5_suite (void)
{
  Suite *s = suite_create ("ratecontrol-tm5");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_codes);
  tcase_add_test (tc, test_non_linear_codes);
  tcase_add_test (tc, test_steps);
  tcase_add_test (tc, test_first);
  tcase_add_test (tc, test_macroblocks);
  tcase_add_test (tc, test_front_load);
  tcase_add_test (tc, test_second_fields);
  tcase_add_test (tc, test_bucket);
  tcase_add_test (tc, test_wait);
  tcase_add_test (tc, test_leading);
  tcase_add_test (tc, test_no_i);
  tcase_add_test (tc, test_other_groups);
  tcase_add_test (tc, test_credit);
  tcase_add_test (tc, test_left_out);
  tcase_add_test (tc, test_no_target);
  tcase_add_test (tc, test_after_passing);
  tcase_add_test (tc, test_header);
  tcase_add_test (tc, test_random);
  return s;
}

GST_CHECK_MAIN (tm5);
