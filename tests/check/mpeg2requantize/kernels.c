/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * All kernels that the machine can run against the plain ones, bit for bit, and
 * these against the standard's formulas.
 */
#include <gst/check/gstcheck.h>
#include <math.h>
#include <string.h>

#include "../rounds.h"
#include <mpeg2requantize/kernels.h>

#define N_ROUNDS 600

/* Lines of more than a block, so that writing beyond it shows. */
#define STRIDE 40
#define LINES 24
#define AREA (STRIDE * LINES)

typedef enum
{
  FILL_SMALL,                   /* as errors mostly are */
  FILL_ANY,
  FILL_EXTREME,                 /* one end or the other */
  FILL_HIGHEST,
  FILL_LOWEST,
  FILL_SPARSE,
  N_FILLS
} Fill;

static gint32
pick (GRand * rand, Fill fill, gint32 max)
{
  switch (fill) {
    case FILL_SMALL:
      return g_rand_int_range (rand, -64, 65);
    case FILL_ANY:
      return g_rand_int_range (rand, -max, max + 1);
    case FILL_EXTREME:
      return g_rand_boolean (rand) ? max : -max;
    case FILL_HIGHEST:
      return max;
    case FILL_LOWEST:
      return -max;
    default:
      return g_rand_int_range (rand, 0, 16) == 0
          ? g_rand_int_range (rand, -max, max + 1) : 0;
  }
}

static void
fill_samples (GRand * rand, Fill fill, gint16 * out, guint n)
{
  for (guint i = 0; i < n; i++)
    out[i] = pick (rand, fill, M2V_ERROR_MAX);
}

/* Decoded samples. */
static void
fill_decoded (GRand * rand, gint16 * out, guint n)
{
  Fill fill = g_rand_int_range (rand, 0, N_FILLS);

  for (guint i = 0; i < n; i++) {
    gint32 value = pick (rand, fill, 255);

    out[i] = fill == FILL_EXTREME || fill == FILL_LOWEST ? MAX (value, 0)
        : ABS (value);
  }
}

static void
fill_coefficients (GRand * rand, Fill fill, gint32 max, gint32 out[64])
{
  for (guint i = 0; i < 64; i++)
    out[i] = pick (rand, fill, max);
}

/* What is compared: `k` against the plain ones, with random input. */
typedef void (*Comparison) (const M2vKernels * k, GRand * rand, Fill fill);

static void
compare_forward (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint16 samples[AREA];
  gint32 a[64], b[64];

  fill_samples (rand, fill, samples, AREA);
  m2v_kernels[0]->forward (samples + 3, STRIDE, a);
  k->forward (samples + 3, STRIDE, b);
  fail_unless (memcmp (a, b, sizeof a) == 0);
}

static void
compare_inverse (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint16 a[AREA] = { 0 }, b[AREA] = { 0 };
  gint32 coefficients[64];

  fill_coefficients (rand, fill, M2V_COEFFICIENT_MAX, coefficients);
  m2v_kernels[0]->inverse (coefficients, a + 5, STRIDE);
  k->inverse (coefficients, b + 5, STRIDE);
  fail_unless (memcmp (a, b, sizeof a) == 0);
}

static void
compare_clear (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint32 a[66], b[66];

  for (guint i = 0; i < 66; i++)
    a[i] = b[i] = pick (rand, fill, M2V_COEFFICIENT_MAX);
  m2v_kernels[0]->clear (a + 1);
  k->clear (b + 1);
  fail_unless (memcmp (a, b, sizeof a) == 0);
}

static void
compare_energy (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint16 samples[AREA];

  fill_samples (rand, fill, samples, AREA);
  fail_unless_equals_int64 (k->energy (samples + 1, STRIDE),
      m2v_kernels[0]->energy (samples + 1, STRIDE));
}

static void
compare_compensate (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint16 from[AREA], a[AREA], b[AREA];

  fill_samples (rand, fill, from, AREA);
  fill_samples (rand, fill, a, AREA);
  memcpy (b, a, sizeof b);
  for (guint way = 0; way < 32; way++) {
    M2vCompensation c = {
      .from = from + g_rand_int_range (rand, 0, 8),
      .from_stride = STRIDE,
      .to = a + 7,
      .to_stride = STRIDE,
      .width = way & 16 ? 16 : 8,
      .height = 4u << g_rand_int_range (rand, 0, 3),
      .half_x = way & 1,
      .half_y = way & 2,
      .average = way & 4,
      .up = way & 8
    };

    m2v_kernels[0]->compensate (&c);
    c.to = b + 7;
    k->compensate (&c);
    fail_unless (memcmp (a, b, sizeof a) == 0, "way %u", way);
  }
}

static void
compare_add (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint16 a[AREA], b[AREA], block[65];

  fill_samples (rand, fill, block, 65);
  fill_decoded (rand, a, AREA);
  memcpy (b, a, sizeof b);
  m2v_kernels[0]->add (block + 1, a + 9, STRIDE);
  k->add (block + 1, b + 9, STRIDE);
  fail_unless (memcmp (a, b, sizeof a) == 0);
}

/* As many as the largest macroblock has, and any number up to them. */
#define N_LINEAR 512

static guint
random_n (GRand * rand)
{
  return g_rand_boolean (rand) ? N_LINEAR : 8 * g_rand_int_range (rand, 0,
      N_LINEAR / 8 + 1);
}

static void
compare_average (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint16 x[N_LINEAR + 1], y[N_LINEAR + 1], a[N_LINEAR + 16], b[N_LINEAR + 16];
  guint n = random_n (rand);

  fill_decoded (rand, x, G_N_ELEMENTS (x));
  fill_decoded (rand, y, G_N_ELEMENTS (y));
  fill_samples (rand, fill, a, G_N_ELEMENTS (a));
  memcpy (b, a, sizeof b);
  m2v_kernels[0]->average (x + 1, y, a + 3, n);
  k->average (x + 1, y, b + 3, n);
  fail_unless (memcmp (a, b, sizeof a) == 0, "%u samples", n);
}

static void
compare_distance (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint16 a[N_LINEAR + 1], b[N_LINEAR + 1];
  guint n = random_n (rand);

  fill_decoded (rand, a, G_N_ELEMENTS (a));
  fill_decoded (rand, b, G_N_ELEMENTS (b));
  /* The farthest that they can be. */
  for (guint i = 0; i < G_N_ELEMENTS (a); i++) {
    if (fill == FILL_HIGHEST || fill == FILL_LOWEST) {
      a[i] = fill == FILL_HIGHEST ? 255 : 0;
      b[i] = 255 - a[i];
    }
  }
  fail_unless_equals_int64 (k->distance (a + 1, b, n),
      m2v_kernels[0]->distance (a + 1, b, n));
}

static void
fill_matrix (GRand * rand, Fill fill, guint8 matrix[64])
{
  for (guint i = 0; i < 64; i++)
    matrix[i] = fill == FILL_HIGHEST ? 255 : fill == FILL_LOWEST ? 1
        : fill == FILL_SMALL ? 16 : g_rand_int_range (rand, 1, 256);
}

/* On and around what separates a level from the next, too. */
static void
fill_targets (GRand * rand, Fill fill, const guint8 matrix[64], guint scale,
    gint32 targets[64])
{
  fill_coefficients (rand, fill, M2V_COEFFICIENT_MAX, targets);
  for (guint i = 0; i < 64; i += 2) {
    gint32 eighth = matrix[i] * scale;
    gint32 value = eighth * g_rand_int_range (rand, 0, 40) / 4
        + g_rand_int_range (rand, -1, 2);

    if (value <= M2V_COEFFICIENT_MAX)
      targets[i] = g_rand_boolean (rand) ? value : -value;
  }
}

static void
compare_quantise (const M2vKernels * k, GRand * rand, Fill fill)
{
  gint max = g_rand_boolean (rand) ? 2047 : 255;
  guint scale = g_rand_int_range (rand, 1, 113);
  guint rounding = g_rand_int_range (rand, 0, 8);
  gint16 a[64], b[64];
  gint32 targets[64];
  guint8 matrix[64];
  guint64 present;

  fill_matrix (rand, fill, matrix);
  fill_targets (rand, fill, matrix, scale, targets);
  present = m2v_kernels[0]->quantise (targets, matrix, scale, rounding, max, a);
  fail_unless_equals_uint64 (present, k->quantise (targets, matrix, scale,
          rounding, max, b));
  for (guint i = 0; i < 64; i++) {
    if (present >> i & 1)
      fail_unless_equals_int (a[i], b[i]);
  }
}

static const Comparison comparisons[] = {
  compare_forward, compare_inverse, compare_clear, compare_energy,
  compare_compensate, compare_quantise, compare_add, compare_average,
  compare_distance
};

GST_START_TEST (test_twins)
{
  for (guint i = 1; m2v_kernels[i] != NULL; i++) {
    const M2vKernels *k = m2v_kernels[i];
    GRand *rand;

    if (!m2v_kernels_runnable (k)) {
      g_print ("SKIP: this machine lacks %s\n", k->name);
      continue;
    }
    rand = g_rand_new_with_seed (__i__);
    for (guint round = 0; round < test_rounds (N_ROUNDS); round++)
      comparisons[__i__] (k, rand, round % N_FILLS);
    g_rand_free (rand);
    if (__i__ == 0)
      g_print ("tested: %s\n", k->name);
  }
}

GST_END_TEST;

GST_START_TEST (test_best)
{
  const M2vKernels *best = m2v_kernels_best ();

  fail_unless (m2v_kernels_runnable (m2v_kernels[0]));
  fail_unless (m2v_kernels_runnable (best));
  for (guint i = 0; m2v_kernels[i] != NULL; i++) {
    if (m2v_kernels[i] == best) {
      while (m2v_kernels[++i] != NULL)
        fail_if (m2v_kernels_runnable (m2v_kernels[i]));
      return;
    }
  }
  fail ("the best one is not listed");
}

GST_END_TEST;

/* The formulas (annex A). */
static gdouble
basis (guint u, guint x)
{
  static gdouble table[8][8];

  if (table[0][0] == 0) {
    for (guint i = 0; i < 8; i++) {
      for (guint k = 0; k < 8; k++)
        table[i][k] = (i == 0 ? G_SQRT2 / 4 : 0.5)
            * cos ((2 * k + 1) * i * G_PI / 16);
    }
  }
  return table[u][x];
}

/* samples at 8 * y + x, coefficients at 8 * u + v. */
static void
exact_forward (const gdouble samples[64], gdouble coefficients[64])
{
  for (guint i = 0; i < 64; i++) {
    coefficients[i] = 0;
    for (guint k = 0; k < 64; k++)
      coefficients[i] += samples[k] * basis (i / 8, k % 8)
          * basis (i % 8, k / 8);
  }
}

static void
exact_inverse (const gint32 coefficients[64], gdouble samples[64])
{
  for (guint k = 0; k < 64; k++) {
    samples[k] = 0;
    for (guint i = 0; i < 64; i++)
      samples[k] += coefficients[i] * basis (i / 8, k % 8)
          * basis (i % 8, k / 8);
  }
}

/* As IEEE 1180 counts them, in the unit: 32nds. */
typedef struct
{
  gdouble peak;                 /* of one error */
  gdouble sum[64], squares[64]; /* by place */
  guint n;
} Errors;

static void
add_errors (Errors * e, guint place, gdouble error)
{
  e->peak = MAX (e->peak, fabs (error));
  e->sum[place] += error;
  e->squares[place] += error * error;
}

/* Rounding to the nearest is off by 1/2 at most, by 1/12 in the mean square,
 * and by nothing in the mean. Of n blocks the mean may stray 5 times
 * 0.29 / sqrt (n), that is 0.033 of 2000; coefficients that are 0 exactly do not. */
static void
assert_errors (const Errors * e)
{
  const gdouble stray = sqrt (2000.0 / e->n);

  fail_unless (e->peak <= 0.52, "%g", e->peak);
  for (guint i = 0; i < 64; i++) {
    fail_unless (fabs (e->sum[i] / e->n) < 0.033 * stray, "%u: mean %g", i,
        e->sum[i] / e->n);
    fail_unless (e->squares[i] / e->n < 1.0 / 12 + 0.0086 * stray,
        "%u: mean square %g", i, e->squares[i] / e->n);
  }
}

/* IEEE 1180's ranges of samples, and errors as they mostly are. */
static const gint ranges[] = { 5 * 32, 256 * 32 - 1, 300, 20 };

GST_START_TEST (test_forward)
{
  GRand *rand = g_rand_new_with_seed (1);
  Errors e = {.n = test_rounds (2000) };

  for (guint round = 0; round < e.n; round++) {
    gdouble exact[64], samples[64];
    gint32 coefficients[64];
    gint16 in[64];

    for (guint i = 0; i < 64; i++)
      samples[i] = in[i] = g_rand_int_range (rand, -ranges[__i__],
          ranges[__i__] + 1);
    exact_forward (samples, exact);
    m2v_kernels[0]->forward (in, 8, coefficients);
    for (guint i = 0; i < 64; i++)
      add_errors (&e, i, coefficients[i] - exact[i]);
  }
  assert_errors (&e);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_inverse)
{
  GRand *rand = g_rand_new_with_seed (2);
  Errors e = {.n = test_rounds (2000) };

  for (guint round = 0; round < e.n; round++) {
    gdouble exact[64], samples[64];
    gint32 coefficients[64];
    gint16 out[64];

    for (guint i = 0; i < 64; i++)
      samples[i] = g_rand_int_range (rand, -ranges[__i__], ranges[__i__] + 1);
    exact_forward (samples, exact);
    for (guint i = 0; i < 64; i++)
      coefficients[i] = lrint (exact[i]);
    exact_inverse (coefficients, exact);
    m2v_kernels[0]->inverse (coefficients, out, 8);
    for (guint i = 0; i < 64; i++) {
      /* Rounded coefficients may exceed the range a little. */
      add_errors (&e, i, out[i] - CLAMP (exact[i], -M2V_ERROR_MAX,
              M2V_ERROR_MAX));
    }
  }
  assert_errors (&e);
  g_rand_free (rand);
}

GST_END_TEST;

/* Each sample by the words of clause 7.6.4, in exact fractions. */
GST_START_TEST (test_compensate)
{
  GRand *rand = g_rand_new_with_seed (3);
  gint16 from[AREA], before[AREA], to[AREA];

  for (guint way = 0; way < 16; way++) {
    M2vCompensation c = {
      .from = from,.from_stride = STRIDE,
      .to = to,.to_stride = STRIDE,
      .width = 16,.height = 16,
      .half_x = way & 1,.half_y = way & 2,
      .average = way & 4,.up = way & 8
    };

    fill_samples (rand, FILL_ANY, from, AREA);
    fill_samples (rand, FILL_ANY, before, AREA);
    memcpy (to, before, sizeof to);
    m2v_kernels[0]->compensate (&c);
    for (guint y = 0; y < 16; y++) {
      for (guint x = 0; x < 16; x++) {
        guint right = x + c.half_x, below = y + c.half_y;
        gdouble value = (from[y * STRIDE + x] + from[y * STRIDE + right]
            + from[below * STRIDE + x] + from[below * STRIDE + right]) / 4.0;

        /* Rounding down in two dimensions is by 1/4, so that both ways are as
         * far from exact. */
        value = floor (value + (c.half_x && c.half_y ? (c.up ? 0.5 : 0.25)
                : c.up ? 0.5 : 0));
        if (c.average)
          value = floor ((value + before[y * STRIDE + x] + c.up) / 2);
        fail_unless_equals_int (to[y * STRIDE + x], value);
      }
    }
  }
  g_rand_free (rand);
}

GST_END_TEST;

static const struct
{
  gint32 target;
  guint8 weight;
  guint scale, rounding;
  gint max, level;
} quantised[] = {
  {2 * 16 * 5 - 1, 16, 5, 0, 2047, 0},
  {2 * 16 * 5, 16, 5, 0, 2047, 1},
  {-2 * 16 * 5, 16, 5, 0, 2047, -1},
  {3 * 2 * 16 * 5 - 1, 16, 5, 0, 2047, 2},
  /* 5/8 of a step, and 3/8 more. */
  {100, 16, 5, 3, 2047, 1},
  {99, 16, 5, 3, 2047, 0},
  {-100, 16, 5, 3, 2047, -1},
  {M2V_COEFFICIENT_MAX, 1, 1, 0, 2047, 2047},
  {-M2V_COEFFICIENT_MAX, 1, 1, 0, 255, -255},
  {2 * 255 * 112, 255, 112, 0, 2047, 1},
  {2 * 255 * 112 - 1, 255, 112, 0, 2047, 0},
};

GST_START_TEST (test_quantise)
{
  for (guint place = 0; place < 64; place++) {
    gint32 targets[64] = { 0 };
    guint8 matrix[64];
    gint16 levels[64];
    guint64 present;

    memset (matrix, 77, sizeof matrix);
    matrix[place] = quantised[__i__].weight;
    targets[place] = quantised[__i__].target;
    present = m2v_kernels[0]->quantise (targets, matrix,
        quantised[__i__].scale, quantised[__i__].rounding,
        quantised[__i__].max, levels);
    if (quantised[__i__].level == 0) {
      fail_unless_equals_uint64 (present, 0);
    } else {
      fail_unless_equals_uint64 (present, G_GUINT64_CONSTANT (1) << place);
      fail_unless_equals_int (levels[place], quantised[__i__].level);
    }
  }
}

GST_END_TEST;

/* What a sum of prediction and block is: the transform's result is rounded to
 * the nearest integer, halves up, and the sum saturates (annex A, clause
 * 7.6.8). */
static gint
added (gint sample, gint block)
{
  return CLAMP (sample + (gint) floor (block / 32.0 + 0.5), 0, 255);
}

/* Every sample with what decides between two results, and with the ends; in
 * every place, and nothing around it. */
GST_START_TEST (test_add)
{
  static const gint others[] = { -M2V_ERROR_MAX, -16, 15, 16, M2V_ERROR_MAX };
  const guint first = 4 * STRIDE + 11;

  for (guint i = 0; i < 256 + G_N_ELEMENTS (others); i++) {
    for (guint sample = 0; sample < 256; sample++) {
      gint16 to[AREA], block[64];

      for (guint k = 0; k < AREA; k++)
        to[k] = (sample + k) % 256;
      for (guint k = 0; k < 64; k++)
        block[k] = i < 256 ? 32 * ((gint) i - 128) + (gint) k - 32
            : others[i - 256];
      m2v_kernels[0]->add (block, to + first, STRIDE);
      for (guint k = 0; k < AREA; k++) {
        guint y = (k - first) / STRIDE, x = (k - first) % STRIDE;
        gint before = (sample + k) % 256;

        if (to[k] != (k >= first && y < 8 && x < 8
                ? added (before, block[8 * y + x]) : before))
          fail ("place %u, %d and block %u: %d", k, before, i, to[k]);
      }
    }
  }
}

GST_END_TEST;

/* All pairs of samples: halves are rounded up (clause 7.6.7.1). */
GST_START_TEST (test_average)
{
  for (guint value = 0; value < 256; value++) {
    gint16 a[256], b[256], to[256 + 2];

    for (guint i = 0; i < 256; i++) {
      a[i] = value;
      b[i] = i;
    }
    memset (to, 0x55, sizeof to);
    m2v_kernels[0]->average (a, b, to + 1, 256);
    for (guint i = 0; i < 256; i++) {
      if (to[1 + i] != floor ((value + i) / 2.0 + 0.5))
        fail ("%u and %u: %d", value, i, to[1 + i]);
    }
    fail_unless (to[0] == 0x5555 && to[257] == 0x5555);
    /* Of none nothing is written. */
    m2v_kernels[0]->average (a, b, to + 257, 0);
    fail_unless_equals_int (to[257], 0x5555);
  }
}

GST_END_TEST;

GST_START_TEST (test_distance)
{
  GRand *rand = g_rand_new_with_seed (4);

  for (guint n = 0; n <= N_LINEAR; n += 8) {
    gint16 a[N_LINEAR], b[N_LINEAR];
    guint64 sum = 0;

    fill_decoded (rand, a, N_LINEAR);
    fill_decoded (rand, b, N_LINEAR);
    for (guint i = 0; i < n; i++)
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    fail_unless_equals_uint64 (m2v_kernels[0]->distance (a, b, n), sum);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
kernels_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-kernels");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_twins, 0, G_N_ELEMENTS (comparisons));
  tcase_add_test (tc, test_best);
  tcase_add_loop_test (tc, test_forward, 0, G_N_ELEMENTS (ranges));
  tcase_add_loop_test (tc, test_inverse, 0, G_N_ELEMENTS (ranges));
  tcase_add_test (tc, test_compensate);
  tcase_add_loop_test (tc, test_quantise, 0, G_N_ELEMENTS (quantised));
  tcase_add_test (tc, test_add);
  tcase_add_test (tc, test_average);
  tcase_add_test (tc, test_distance);
  return s;
}

GST_CHECK_MAIN (kernels);
