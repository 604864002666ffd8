/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Rate control against a modelled encoder: bits fall as quantiser^-1.2. Real
 * ones: rate.c.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include "core/ratecontrol.h"

#define FRAME (RATECONTROL_SECOND / 25)
#define SOURCE_QUANTISER 6.     /* quantiser_scale */

/* Bits at the source's quantiser; 1.5 Mb/s in groups of 12. */
static const gint64 source_bits[TM5_N_TYPES] = { 150000, 90000, 40000 };

static Tm5Type
type_of (guint i)
{
  return i % 12 == 0 ? TM5_I : i % 3 == 0 ? TM5_P : TM5_B;
}

/* Here the source costs `factor` of its bits at its quantiser. */
static gdouble
run (TranscoderRate * r, guint begin, guint end, gdouble factor, guint max_code)
{
  gdouble sum = 0;
  guint i;

  for (i = begin; i < end; i++) {
    Tm5Type type = type_of (i);
    gdouble noise = 1 + .1 * sin (i * 12.9898);
    TranscoderSource source = { type, source_bits[type] * noise,
      SOURCE_QUANTISER
    };
    guint code = transcoder_rate_begin (r, type, &source, FRAME, max_code);
    gdouble bits = factor * source.bits * pow (2 * code / SOURCE_QUANTISER,
        -1.2);

    fail_unless (code >= SOURCE_QUANTISER / 2 && code <= max_code);
    transcoder_rate_end (r, bits);
    sum += bits;
  }
  return sum / ((end - begin) * .04);
}

GST_START_TEST (test_rate)
{
  static const struct
  {
    gint64 target;
    gdouble factor;
  } rows[] = {
    {1000000, 1}, {700000, 1}, {500000, 1}, {500000, .7}, {500000, 2},
  };
  gint64 target = rows[__i__].target;
  TranscoderRate r;
  gdouble rate;

  transcoder_rate_init (&r);
  transcoder_rate_set_target (&r, target);
  run (&r, 0, 24, rows[__i__].factor, 31);
  rate = run (&r, 24, 24 + 48 * 12, rows[__i__].factor, 31);
  fail_unless (fabs (rate / target - 1) < .03, "%f of the target",
      rate / target);
}

GST_END_TEST;

/* No target, or more than is needed: the source's quantiser, not a finer one. */
GST_START_TEST (test_enough)
{
  static const gint64 targets[] = { INT64_MAX, 5000000, 1800000 };
  TranscoderRate r;
  guint i;

  transcoder_rate_init (&r);
  transcoder_rate_set_target (&r, targets[__i__]);
  run (&r, 0, 240, 1, 31);
  for (i = 240; i < 264; i++) {
    run (&r, i, i + 1, 1, 31);
    fail_unless_equals_int (r.code, SOURCE_QUANTISER / 2);
  }
}

GST_END_TEST;

/* The very next picture is coarser than it would have been. */
GST_START_TEST (test_change)
{
  TranscoderRate r, same;
  gdouble rate;
  guint begin;

  for (begin = 252; begin < 264; begin++) {
    transcoder_rate_init (&r);
    transcoder_rate_set_target (&r, 1000000);
    run (&r, 0, begin, 1, 31);
    same = r;
    transcoder_rate_set_target (&r, 400000);
    run (&r, begin, begin + 1, 1, 31);
    run (&same, begin, begin + 1, 1, 31);
    fail_unless (r.code > 1.5 * same.code, "%u: %u after %u", begin, r.code,
        same.code);
    rate = run (&r, begin + 1, begin + 25, 1, 31);
    fail_unless (rate < 440000, "%u: %f", begin, rate);
  }
}

GST_END_TEST;

GST_START_TEST (test_floor)
{
  TranscoderRate r;
  Tm5Stats stats;

  transcoder_rate_init (&r);
  transcoder_rate_set_target (&r, 400000);
  run (&r, 0, 120, 1, 8);
  tm5_get_stats (&r.tm5, &stats);
  fail_unless (stats.floor);
  run (&r, 120, 240, 1, 31);
  tm5_get_stats (&r.tm5, &stats);
  fail_if (stats.floor);
}

GST_END_TEST;

/* Anything may be damaged: no number leads to a crash or to a code out of range. */
GST_START_TEST (test_hostile)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  TranscoderRate r;
  guint i;

  transcoder_rate_init (&r);
  for (i = 0; i < 2000; i++) {
    TranscoderSource source = { g_rand_int_range (rand, 0, 4),
      (gint64) exp (g_rand_double_range (rand, 0, 43)),
      g_rand_double_range (rand, -1, 200)
    };
    guint max_code = g_rand_int_range (rand, 1, 32), code;

    if (g_rand_int_range (rand, 0, 10) == 0)
      transcoder_rate_set_target (&r,
          (gint64) exp (g_rand_double_range (rand, 0, 43)));
    code = transcoder_rate_begin (&r, g_rand_int_range (rand, 0, 3), &source,
        (gint64) exp (g_rand_double_range (rand, 0, 43)), max_code);
    fail_unless (code >= 1 && code <= max_code);
    transcoder_rate_end (&r, (gint64) exp (g_rand_double_range (rand, 0, 43)));
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
ratecontrol_suite (void)
{
  Suite *s = suite_create ("ratecontrol");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rate, 0, 5);
  tcase_add_loop_test (tc, test_enough, 0, 3);
  tcase_add_test (tc, test_change);
  tcase_add_test (tc, test_floor);
  tcase_add_loop_test (tc, test_hostile, 0, 20);
  return s;
}

GST_CHECK_MAIN (ratecontrol);
