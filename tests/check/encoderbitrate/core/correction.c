/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The correction around an encoder that is a low-pass with an error.
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "correction.h"

#define MS G_GINT64_CONSTANT (1000000)
#define S (1000 * MS)
#define FRAME (S / 30)
/* As the element does it: a smaller correction is not worth a change. */
#define WORTH 0.02

typedef struct
{
  gdouble error;                /* made over told, in the long run */
  gdouble lag;                  /* s, until 63 % of a change are made */
  gdouble noise;                /* of a frame's size, ± */
  guint key_distance;           /* frames; 0 = no key frames */
  gdouble key_size;             /* in mean frames */
  gdouble counts;               /* frames/s, for its bitrate; 0 = time */
  gint64 spacing;               /* ns between frames; 0 = FRAME */
  gint64 relief;                /* ns; for .2 s of so long nothing is added */

  EncoderCorrection correction;
  GRand *rand;
  gdouble wanted, factor, rate; /* bits/s; what is told over it; what is made */
  gint64 now;
  gdouble least, most;          /* of the factor */
  guint n_frames;
} Encoder;

static void
encoder_start (Encoder * e, gdouble wanted)
{
  encoder_correction_init (&e->correction);
  e->rand = g_rand_new_with_seed (1);
  e->wanted = e->rate = wanted;
  e->factor = 1;
}

static void
encoder_stop (Encoder * e)
{
  g_rand_free (e->rand);
}

static gint64
spacing (const Encoder * e)
{
  return e->spacing > 0 ? e->spacing : FRAME;
}

static gdouble
frame_bits (Encoder * e)
{
  gdouble bits = e->rate * e->error
      * (e->counts > 0 ? 1 / e->counts : 1.0 * spacing (e) / S);
  gdouble share = 1;

  if (e->key_distance > 0) {
    /* The others make room for it. */
    share = (e->key_distance - e->key_size) / (e->key_distance - 1.0);
    if (e->n_frames % e->key_distance == 0)
      share = e->key_size;
  }
  e->n_frames++;
  return bits * share * g_rand_double_range (e->rand, 1 - e->noise,
      1 + e->noise);
}

/* Encodes for `time`; what it made over what was wanted. */
static gdouble
encode (Encoder * e, gint64 time)
{
  gint64 until = e->now + time;
  gdouble made = 0, wanted = 0, told, factor;

  for (; e->now < until; e->now += spacing (e)) {
    told = e->wanted * (e->relief > 0 && e->now % e->relief < S / 5 ?
        MIN (e->factor, 1) : e->factor);
    encoder_correction_set (&e->correction, told, e->wanted * e->factor,
        e->counts);
    e->rate += (told - e->rate) * (1 - exp (-1.0 * spacing (e) / S / e->lag));
    factor = frame_bits (e);
    made += factor;
    wanted += e->wanted * spacing (e) / S;
    encoder_correction_made (&e->correction, e->now, (gsize) (factor / 8));

    factor = encoder_correction_factor (&e->correction);
    fail_unless (factor >= ENCODER_CORRECTION_LEAST
        && factor <= ENCODER_CORRECTION_MOST * (e->counts > 0 ? 4 : 1),
        "%f", factor);
    if (fabs (factor - e->factor) > WORTH) {
      e->factor = factor;
      e->least = MIN (e->least, factor);
      e->most = MAX (e->most, factor);
    }
  }
  return made / wanted;
}

static const Encoder encoders[] = {
  {.error = .93,.lag = .07},
  {.error = .93,.lag = 1},
  {.error = .93,.lag = .3,.noise = .3},
  {.error = .93,.lag = .3,.noise = .3,.key_distance = 60,.key_size = 2.4},
  {.error = .93,.lag = .3,.noise = .3,.key_distance = 60,.key_size = 5},
  {.error = .93,.lag = 1,.noise = .3,.key_distance = 250,.key_size = 5},
  {.error = 1,.lag = .3,.noise = .3,.key_distance = 60,.key_size = 2.4},
  {.error = 1.1,.lag = .3,.noise = .3},
  {.error = 1.24,.lag = 1},
  {.error = .88,.lag = 1,.noise = .3},
};

/* What it makes comes to what is wanted, soon, and stays there. */
GST_START_TEST (test_corrects)
{
  Encoder e = encoders[__i__];
  gdouble made;
  guint i;

  encoder_start (&e, 1e6);
  encode (&e, 30 * S);
  e.least = e.most = e.factor;
  for (i = 0; i < 10; i++) {
    made = encode (&e, 10 * S);
    fail_unless (fabs (made - 1) < WORTH + .01, "row %d: %f", __i__, made);
  }
  /* Key frames of any size, and noise, move it by little more than what is
   * worth a change. */
  fail_unless (e.most - e.least < 2.5 * WORTH, "row %d: %f to %f", __i__,
      e.least, e.most);
  encoder_stop (&e);
}

GST_END_TEST;

static const struct
{
  gdouble error, least, most;
} bounds[] = {
  {2, .8, .8},
  {1.5, .8, .8},
  {.85, 1.17, 1.18},
  {.75, 1.2, 1.2},
  /* There is nothing to code. */
  {.69, 1, 1},
  {.01, 1, 1},
};

GST_START_TEST (test_bounds)
{
  Encoder e = {.error = bounds[__i__].error,.lag = .3 };

  encoder_start (&e, 1e6);
  encode (&e, 60 * S);
  fail_unless (e.factor >= bounds[__i__].least - WORTH
      && e.factor <= bounds[__i__].most + WORTH, "row %d: %f", __i__, e.factor);
  encoder_stop (&e);
}

GST_END_TEST;

/* Between busy times there is next to nothing to code, as on a desktop. Only
 * what the encoder makes when it is busy counts. */
GST_START_TEST (test_content)
{
  Encoder e = {.error = .93,.lag = .3,.noise = .3 };
  gdouble made;
  guint i;

  encoder_start (&e, 1e6);
  for (i = 0; i < 20; i++) {
    e.error = .93;
    made = encode (&e, 5 * S);
    fail_unless (i < 10 || fabs (made - 1) < .06, "%f", made);
    e.error = .05;
    encode (&e, 5 * S);
  }
  encode (&e, 600 * S);
  fail_unless (fabs (e.factor * .93 - 1) < .04, "%f", e.factor);
  encoder_stop (&e);
}

GST_END_TEST;

/* An encoder without an error that is late: no change of its bitrate passes for
 * one. */
static const struct
{
  gdouble factors[4];           /* of the bitrate, in turns */
  gint64 each;
} courses[] = {
  {{1, .5, 2, .25}, 1 * S},
  {{1, .5, 1, .5}, 5 * S},
  {{1, .3, .3, .3}, 10 * S},
  {{1, .95, 1, .9}, S / 2},
  {{1, .95, .9, .95}, 2 * S},
};

GST_START_TEST (test_changes)
{
  Encoder e = {.error = 1,.lag = 1 };
  guint i;

  encoder_start (&e, 1e6);
  for (i = 0; i < 200; i++) {
    e.wanted = 1e6 * courses[__i__].factors[i % 4];
    encode (&e, courses[__i__].each);
    fail_unless (fabs (e.factor - 1) < .04, "row %d: %f", __i__, e.factor);
  }
  encoder_stop (&e);
}

GST_END_TEST;

/* A session begins slowly, and the encoder is late all the time. */
GST_START_TEST (test_ramp)
{
  Encoder e = {.error = 1,.lag = 1 };

  encoder_start (&e, 1e5);
  while (e.wanted < 2e7) {
    e.wanted *= 1.02;
    encode (&e, S / 10);
    fail_unless (e.factor == 1, "%f", e.factor);
  }
  encoder_stop (&e);
}

GST_END_TEST;

/* No frames come, or one from time to time: that is no error. */
GST_START_TEST (test_idle)
{
  Encoder e = {.error = .93,.lag = .3 };
  gdouble factor;
  guint i;

  encoder_start (&e, 1e6);
  encode (&e, 40 * S);
  factor = e.factor;
  fail_unless (fabs (factor * .93 - 1) < .025, "%f", factor);
  for (i = 0; i < 100; i++) {
    e.now += S;
    encode (&e, FRAME);
    fail_unless (e.factor == factor);
  }
  e.now += 3600 * S;
  encode (&e, 10 * S);
  fail_unless (e.factor == factor);
  encoder_stop (&e);
}

GST_END_TEST;

/* A camera in the dark, and in the light again, where 30 frames/s are
 * counted. */
static const struct
{
  gint64 dark;                  /* ns between frames */
  gdouble error, factor;
} cameras[] = {
  {S / 15, 1, 2},
  {S / 15, .93, 2.15},
  {S / 10, 1.05, 2.86},
  {S / 25, .9, 1.33},
  {S / 29, 1, 1},
  {S / 15, .01, 2},             /* nothing to code */
  {S / 5, 1, 4},                /* more is not made up for */
};

GST_START_TEST (test_missing_frames)
{
  Encoder e = {.error = cameras[__i__].error,.lag = .3,.noise = .1,
    .counts = 30
  };
  gdouble bright;

  encoder_start (&e, 1e6);
  encode (&e, 30 * S);
  bright = e.factor;
  e.spacing = cameras[__i__].dark;
  encode (&e, 30 * S);
  fail_unless (fabs (e.factor / cameras[__i__].factor - 1) < .04,
      "row %d: %f", __i__, e.factor);
  e.spacing = FRAME;
  encode (&e, S / 4);
  fail_unless (e.factor < 1.35, "row %d: %f", __i__, e.factor);
  encode (&e, 10 * S);
  fail_unless (fabs (e.factor / bright - 1) < .04, "row %d: %f and %f", __i__,
      bright, e.factor);
  encoder_stop (&e);
}

GST_END_TEST;

/* It never makes far too much for a second, however many frames come, and
 * whether or not there is something to code. */
GST_START_TEST (test_twilight)
{
  static const guint rates[] = { 25, 10, 16, 10, 30, 12, 15, 30, 5, 7, 30 };
  Encoder e = {.error = 1,.lag = .1,.counts = 30 };
  gdouble made;
  guint i, k;

  encoder_start (&e, 1e6);
  for (i = 0; i < 10 * G_N_ELEMENTS (rates); i++) {
    e.spacing = S / rates[i % G_N_ELEMENTS (rates)];
    e.error = i % 3 == 2 ? .4 : 1;
    for (k = 0; k < 6; k++) {
      made = encode (&e, S);
      fail_unless (made < 1.7, "%u, second %u: %f", i, k, made);
      fail_unless (e.error < 1 || k < 2 || e.spacing > S / 8 || made > .85,
          "%u, second %u: %f", i, k, made);
    }
  }
  encoder_stop (&e);
}

GST_END_TEST;

/* Huge key frames among few frames are forgotten soon. */
GST_START_TEST (test_huge_key_frames)
{
  Encoder e = {.error = 1,.lag = .3,.counts = 30,.spacing = S / 10,
    .key_distance = 60,.key_size = 8
  };

  encoder_start (&e, 1e6);
  encode (&e, 30 * S);
  e.least = e.most = e.factor;
  encode (&e, 60 * S);
  fail_unless (e.least > 2.4 && e.most < 3.6, "%f to %f", e.least, e.most);
  encoder_stop (&e);
}

GST_END_TEST;

/* What is taken back now and then, as packets wait, does not keep it from
 * measuring. */
GST_START_TEST (test_measures_between_reliefs)
{
  Encoder e = {.error = .84,.lag = .1,.relief = 3 * S / 2 };

  encoder_start (&e, 1e6);
  encode (&e, 30 * S);
  fail_unless (e.factor > 1.14, "%f", e.factor);
  e.error = .95;
  encode (&e, 40 * S);
  fail_unless (e.factor < 1.08, "%f", e.factor);
  encoder_stop (&e);
}

GST_END_TEST;

/* Frames are counted where the encoder does not. */
GST_START_TEST (test_frame_rate)
{
  Encoder e = {.error = 1,.lag = .3,.spacing = S / 15 };

  encoder_start (&e, 1e6);
  fail_unless (encoder_correction_frame_rate (&e.correction) == 0);
  encode (&e, 5 * S);
  fail_unless (fabs (encoder_correction_frame_rate (&e.correction) - 15) < 1);
  fail_unless (fabs (e.factor - 1) < WORTH, "%f", e.factor);
  encoder_stop (&e);
}

GST_END_TEST;

/* A frame in parts, as slices or packets, is one frame. */
GST_START_TEST (test_parts)
{
  EncoderCorrection whole, parts;
  guint i, k;

  encoder_correction_init (&whole);
  encoder_correction_init (&parts);
  encoder_correction_set (&whole, 1e6, 1e6, 0);
  encoder_correction_set (&parts, 1e6, 1e6, 0);
  for (i = 0; i < 600; i++) {
    encoder_correction_made (&whole, i * FRAME, 4000);
    for (k = 0; k < 4; k++)
      encoder_correction_made (&parts, i * FRAME, 1000);
  }
  fail_unless (fabs (whole.ratio - .96) < .01, "%f", whole.ratio);
  fail_unless (fabs (whole.ratio - parts.ratio) < 1e-9);
}

GST_END_TEST;

static const gint64 times[] = { 0, G_MAXINT64, G_MAXINT64 - 1, -1, G_MININT64,
  5 * S, 4 * S, 4 * S, 3600 * S, 3600 * S + 1, G_MAXINT64 / 2
};

/* Times that go back or nowhere, sizes and bitrates without measure. */
GST_START_TEST (test_hostile)
{
  Encoder e = {.error = 1,.lag = .3 };
  GRand *rand = g_rand_new_with_seed (2);
  guint i;

  encoder_start (&e, 1e6);
  for (i = 0; i < 10000; i++) {
    gint64 at = times[g_rand_int_range (rand, 0, G_N_ELEMENTS (times))];

    if (i % 3 == 0)
      encoder_correction_set (&e.correction, i % 2 ? 1 : 1e18,
          i % 2 ? 1 : 1e18, i % 5 ? 30 : 0);
    at = (gint64) ((guint64) at + i % 7 * FRAME);
    encoder_correction_made (&e.correction, at, i % 5 ? 0 : G_MAXSIZE);
    fail_unless (encoder_correction_factor (&e.correction) >= .8);
    fail_unless (encoder_correction_factor (&e.correction) <= 4.8);
  }
  e.now = 7200 * S;
  encode (&e, 60 * S);
  fail_unless (fabs (e.factor - 1) < .03, "%f", e.factor);
  encoder_stop (&e);
  g_rand_free (rand);
}

GST_END_TEST;

/* ms that media wait, and that the largest frame takes; factors */
static const struct
{
  gint64 waits, longest;
  gdouble factor, expect;
  gboolean dark;                /* a third of the frames that are counted */
} reliefs[] = {
  {0, 80, 1.1, 1.1, FALSE},
  {40, 80, 1.1, 1.1, FALSE},
  {50, 80, 1.1, 1.075, FALSE},
  {60, 80, 1.1, 1.05, FALSE},
  {80, 80, 1.1, 1, FALSE},
  {60000, 80, 1.1, 1, FALSE},
  {60000, 80, .9, .9, FALSE},
  {60000, 80, 1, 1, FALSE},
  {60000, 0, 1.1, 1.1, FALSE},  /* the largest frame is unknown */
  /* Frames come each 200 ms; two of them are the largest. */
  {200, 10, 1.1, 1.1, FALSE},
  {300, 10, 1.1, 1.05, FALSE},
  {400, 10, 1.1, 1, FALSE},
  {400, 800, 1.1, 1.1, FALSE},
  /* What missing frames need stays. */
  {0, 80, 3.3, 3.3, TRUE},
  {60, 80, 3.3, 3.3, TRUE},
  {200, 80, 3.3, 3, TRUE},
  {200, 80, 2.7, 2.7, TRUE},
};

GST_START_TEST (test_relief)
{
  EncoderCorrection c;
  gdouble factor;
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (reliefs); i++) {
    encoder_correction_init (&c);
    encoder_correction_set (&c, 1e6, 1e6, 0);
    encoder_correction_made (&c, 0, 1000);
    encoder_correction_made (&c, reliefs[i].longest == 10 ? 200 * MS : FRAME,
        1000);
    for (k = 1; reliefs[i].dark && k <= 50; k++) {
      encoder_correction_set (&c, 1e6, 1e6, 30);
      encoder_correction_made (&c, k * S / 10, 4000);
    }
    factor = encoder_correction_relieved (&c, reliefs[i].factor,
        reliefs[i].waits * MS, reliefs[i].longest * MS);
    fail_unless (fabs (factor - reliefs[i].expect) < 1e-9, "%u: %f", i, factor);
  }
}

GST_END_TEST;

/* Before it knows a bitrate or a frame. */
GST_START_TEST (test_nothing)
{
  EncoderCorrection c;

  encoder_correction_init (&c);
  fail_unless (encoder_correction_factor (&c) == 1);
  encoder_correction_made (&c, 0, 1000);
  encoder_correction_made (&c, FRAME, 1000);
  fail_unless (encoder_correction_factor (&c) == 1);
  fail_unless (encoder_correction_relieved (&c, 1, S, 80 * MS) == 1);
}

GST_END_TEST;

static Suite *
correction_suite (void)
{
  Suite *suite = suite_create ("encoderbitrate-core-correction");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_corrects, 0, G_N_ELEMENTS (encoders));
  tcase_add_loop_test (tcase, test_bounds, 0, G_N_ELEMENTS (bounds));
  tcase_add_loop_test (tcase, test_changes, 0, G_N_ELEMENTS (courses));
  tcase_add_test (tcase, test_content);
  tcase_add_test (tcase, test_ramp);
  tcase_add_test (tcase, test_idle);
  tcase_add_loop_test (tcase, test_missing_frames, 0, G_N_ELEMENTS (cameras));
  tcase_add_test (tcase, test_twilight);
  tcase_add_test (tcase, test_huge_key_frames);
  tcase_add_test (tcase, test_measures_between_reliefs);
  tcase_add_test (tcase, test_frame_rate);
  tcase_add_test (tcase, test_parts);
  tcase_add_test (tcase, test_relief);
  tcase_add_test (tcase, test_hostile);
  tcase_add_test (tcase, test_nothing);
  return suite;
}

GST_CHECK_MAIN (correction);
