/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The judge of bits is the block writer, that of distortion inverse
 * quantisation as clause 7.4.2.3 has it.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "../often.h"
#include <mpeg2/blockwriter.h>
#include <mpeg2requantize/ratedistortion.h>

#define N_BLOCKS 300
#define N_SEARCHED 60           /* wholly */
#define N_SMALL 5               /* targets of those */

static M2vVlc vlc;

typedef struct
{
  M2vPictureParams picture;
  guint8 matrix[64];
  M2vQuantiser quantiser;
  M2vLengths lengths;
} Fixture;

/* Bit 0: intra, bit 1: MPEG-2, bit 2: table B.15. */
#define N_KINDS 8

static void
set_up (Fixture * f, guint kind, GRand * rand)
{
  memset (f, 0, sizeof *f);
  f->picture.mpeg2 = kind >> 1 & 1;
  f->picture.intra_vlc_format = f->picture.mpeg2 && (kind >> 2 & 1);
  f->picture.type = M2V_PICTURE_P;
  f->picture.structure = M2V_FRAME_PICTURE;
  f->picture.n_blocks = 6;
  f->picture.columns = f->picture.rows = 2;
  f->picture.frame_pred_frame_dct = true;
  for (guint i = 0; i < 64; i++)
    f->matrix[i] = (guint8) g_rand_int_range (rand, 8, 100);
  f->quantiser.lengths = &f->lengths;
  f->quantiser.intra = kind & 1;
  f->quantiser.table = f->quantiser.intra && f->picture.intra_vlc_format;
  f->quantiser.scale = (guint) g_rand_int_range (rand, 1, 113);
  f->quantiser.matrix = f->matrix;
  m2v_lengths_init (&f->lengths, f->picture.mpeg2);
}

/* What a block's coefficients and end of block take; without any: of an intra
 * block the end. */
static guint
written_bits (const Fixture * f, const M2vCoefficient * coefficients, guint n)
{
  guint8 bytes[M2V_SLICE_WRITER_RESERVE];
  M2vSliceWriter w;
  M2vMacroblock mb;
  guint bits[2];

  if (n == 0 && !f->quantiser.intra)
    return 0;
  memset (&mb, 0, sizeof mb);
  mb.type = f->quantiser.intra ? M2V_INTRA : M2V_PATTERN;
  mb.pattern = 1;
  for (guint i = 0; i < 2; i++) {
    m2v_slice_writer_init (&w, &f->picture, &vlc, bytes, sizeof bytes);
    if (i == 1) {
      mb.n_coefficients[0] = (guint8) n;
      memcpy (mb.coefficients[0], coefficients, n * sizeof *coefficients);
    }
    if (i == 1 || f->quantiser.intra)
      often_fail_unless (m2v_write_blocks (&w, &mb));
    bits[i] = (guint) m2v_bit_writer_position (&w.bits);
  }
  if (f->quantiser.intra)
    bits[0] -= m2v_end_of_block[f->picture.intra_vlc_format].length;
  return bits[1] - bits[0];
}

#define MIN_VALUE (-2048 * 32)
#define MAX_VALUE (2047 * 32)

/* Without saturation. */
static gint64
multiply (const Fixture * f, gint level, guint position)
{
  gint sign = (level > 0) - (level < 0);

  return (gint64) (2 * level + (f->quantiser.intra ? 0 : sign))
      * f->matrix[position] * (gint) f->quantiser.scale;
}

static gint64
reconstruct (const Fixture * f, gint level, guint position)
{
  return CLAMP (multiply (f, level, position), MIN_VALUE, MAX_VALUE);
}

static gint64
square (gint64 x)
{
  return x * x;
}

/* Less that of the empty block. */
static gint64
distortion (const Fixture * f, const M2vTarget * targets, guint n_targets,
    const M2vCoefficient * coefficients, guint n)
{
  gint64 sum = 0;

  for (guint i = 0, k = 0; i < n_targets; i++) {
    if (k == n || coefficients[k].position != targets[i].position)
      continue;
    sum += square (targets[i].value - reconstruct (f, coefficients[k].level,
            targets[i].position)) - square (targets[i].value);
    k++;
  }
  return sum;
}

static gint
max_level (const Fixture * f)
{
  return f->picture.mpeg2 ? 2047 : 255;
}

/* Found by trying; of two as near the smaller. */
static gint
nearest (const Fixture * f, const M2vTarget * target)
{
  gint64 value = CLAMP (target->value, MIN_VALUE, MAX_VALUE);
  gint best = 0, sign = value < 0 ? -1 : 1;

  for (gint level = 1; level <= max_level (f); level++) {
    if (square (value - multiply (f, sign * level, target->position))
        < square (value - multiply (f, sign * best, target->position)))
      best = level;
    else if (level > best + 1)
      break;
  }
  return sign * best;
}

/* At places that ascend, of levels mostly small. */
static guint
make_targets (const Fixture * f, guint max, gboolean large, GRand * rand,
    M2vTarget targets[64])
{
  guint first = f->quantiser.intra, n = 0;

  for (guint i = first; i < 64 && n < max; i++) {
    gint half = f->matrix[i] * (gint) f->quantiser.scale;
    gint range = (g_rand_int_range (rand, 0, 4) ? 6 : 60) * half;

    if (max < 64 && g_rand_int_range (rand, 0, 8))
      continue;
    if (large && g_rand_int_range (rand, 0, 4) == 0)
      range = MIN (5000 * half, 1 << 26);
    targets[n].position = (guint8) i;
    targets[n].value = g_rand_int_range (rand, -range, range);
    n++;
  }
  return n;
}

static guint
choose (const Fixture * f, gint64 lambda, const M2vTarget * targets, guint n,
    M2vCoefficient out[64], M2vBlockCost * cost)
{
  M2vCandidates candidates;

  m2v_find_candidates (&f->quantiser, lambda, targets, n, &candidates);
  return m2v_choose_block (&f->quantiser, lambda, &candidates, out, cost);
}

static gint64
make_lambda (const Fixture * f, GRand * rand)
{
  gdouble k = g_rand_double_range (rand, 0, .5);

  return (gint64) (k * square (f->quantiser.scale) * 1024);
}

/* Tries all: of each target the nearest level, one less, 0. Blocks that are not
 * intra have at least one, where there is any. */
static gint64
search (const Fixture * f, gint64 lambda, const M2vTarget * targets,
    guint n, guint i, M2vCoefficient * so_far, guint n_so_far)
{
  gint64 best;
  gint level;

  if (i == n) {
    if (n_so_far == 0 && !f->quantiser.intra)
      return G_MAXINT64;
    return distortion (f, targets, n, so_far, n_so_far)
        + lambda * written_bits (f, so_far, n_so_far);
  }
  best = search (f, lambda, targets, n, i + 1, so_far, n_so_far);
  level = nearest (f, &targets[i]);
  for (guint k = 0; k < 2 && level != 0; k++) {
    so_far[n_so_far].level = (gint16) level;
    so_far[n_so_far].position = targets[i].position;
    so_far[n_so_far].form = M2V_FORM_SHORTEST;
    best = MIN (best, search (f, lambda, targets, n, i + 1, so_far,
            n_so_far + 1));
    level -= level > 0 ? 1 : -1;
  }
  return best;
}

GST_START_TEST (test_nothing_costs_less)
{
  GRand *rand = g_rand_new_with_seed (1 + (guint32) __i__);
  M2vCoefficient out[64], tried[64];
  M2vTarget targets[64];
  M2vBlockCost cost;
  Fixture f;

  m2v_vlc_init (&vlc);
  for (guint i = 0; i < N_SEARCHED; i++) {
    gint64 lambda, best;
    guint n;

    set_up (&f, (guint) __i__, rand);
    lambda = make_lambda (&f, rand);
    n = make_targets (&f, N_SMALL, i % 4 == 0, rand, targets);
    best = search (&f, lambda, targets, n, 0, tried, 0);
    if (best == G_MAXINT64)
      best = 0;
    choose (&f, lambda, targets, n, out, &cost);
    fail_unless_equals_int64 (m2v_block_cost (&cost, lambda), best);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Of whole blocks, too. */
GST_START_TEST (test_costs_are_true)
{
  GRand *rand = g_rand_new_with_seed (11 + (guint32) __i__);
  M2vCoefficient out[64];
  M2vTarget targets[64];
  M2vBlockCost cost;
  Fixture f;

  m2v_vlc_init (&vlc);
  for (guint i = 0; i < N_BLOCKS; i++) {
    guint n, n_out;

    set_up (&f, (guint) __i__, rand);
    n = make_targets (&f, i % 2 ? 64 : 12, TRUE, rand, targets);
    n_out = choose (&f, make_lambda (&f, rand), targets, n, out, &cost);
    fail_unless_equals_int64 (cost.distortion, distortion (&f, targets, n, out,
            n_out));
    fail_unless_equals_int (cost.bits, written_bits (&f, out, n_out));
    for (guint k = 0; k < n_out; k++) {
      fail_unless (out[k].level != 0 && ABS (out[k].level) <= max_level (&f));
      fail_unless (k == 0 ? out[k].position >= f.quantiser.intra
          : out[k].position > out[k - 1].position);
    }
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_free_bits_give_nearest_levels)
{
  GRand *rand = g_rand_new_with_seed (21 + (guint32) __i__);
  M2vCoefficient out[64];
  M2vTarget targets[64];
  M2vBlockCost cost;
  Fixture f;

  m2v_vlc_init (&vlc);
  for (guint i = 0; i < N_BLOCKS; i++) {
    guint n, n_out, k = 0;

    set_up (&f, (guint) __i__, rand);
    n = make_targets (&f, 64, i % 4 == 0, rand, targets);
    n_out = choose (&f, 0, targets, n, out, &cost);
    for (guint j = 0; j < n; j++) {
      gint level = nearest (&f, &targets[j]);

      if (level == 0)
        continue;
      often_fail_unless (k < n_out);
      often_fail_unless_equals (out[k].position, targets[j].position);
      often_fail_unless_equals (out[k].level, level);
      k++;
    }
    fail_unless_equals_int (k, n_out);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_dear_bits_leave_least)
{
  GRand *rand = g_rand_new_with_seed (31 + (guint32) __i__);
  M2vCoefficient out[64];
  M2vTarget targets[64];
  M2vBlockCost cost;
  Fixture f;
  guint n, n_out;

  m2v_vlc_init (&vlc);
  set_up (&f, (guint) __i__, rand);
  for (guint i = 0; i < 64; i++) {
    targets[i].position = (guint8) i;
    targets[i].value = 20 * f.matrix[i] * (gint) f.quantiser.scale;
  }
  n = 64 - f.quantiser.intra;
  n_out = choose (&f, G_MAXUINT32, targets + f.quantiser.intra, n, out, &cost);
  fail_unless_equals_int (n_out, f.quantiser.intra ? 0 : 1);
  fail_unless_equals_int (cost.bits, written_bits (&f, out, n_out));

  n_out = choose (&f, 1, NULL, 0, out, &cost);
  fail_unless_equals_int (n_out, 0);
  fail_unless_equals_int (cost.bits, written_bits (&f, out, 0));
  fail_unless_equals_int64 (cost.distortion, 0);
  g_rand_free (rand);
}

GST_END_TEST;

/* Nothing costs less than is said before the choice, and where bits are free
 * that is what it costs. */
GST_START_TEST (test_least_cost)
{
  GRand *rand = g_rand_new_with_seed (41 + (guint32) __i__);
  guint n_near = 0;

  m2v_vlc_init (&vlc);
  for (guint i = 0; i < N_BLOCKS; i++) {
    M2vCandidates candidates;
    M2vCoefficient out[64];
    M2vTarget targets[64];
    M2vBlockCost cost;
    gint64 lambda, least, found;
    Fixture f;
    guint n;

    set_up (&f, (guint) __i__, rand);
    lambda = i % 3 ? make_lambda (&f, rand) : 0;
    n = make_targets (&f, i % 2 ? 64 : 12, i % 4 == 0, rand, targets);
    m2v_find_candidates (&f.quantiser, lambda, targets, n, &candidates);
    m2v_choose_block (&f.quantiser, lambda, &candidates, out, &cost);
    least = candidates.least_cost;
    found = m2v_block_cost (&cost, lambda);
    fail_unless (found >= least);
    if (lambda == 0)
      fail_unless_equals_int64 (found, least);
    n_near += found - least <= ABS (found) / 20;
  }
  fail_unless (n_near > N_BLOCKS / 2);
  g_rand_free (rand);
}

GST_END_TEST;

/* The choice forgets ways that end earlier and cost no less. */
GST_START_TEST (test_longer_runs_cost_no_less)
{
  M2vLengths lengths;

  m2v_lengths_init (&lengths, __i__ & 1);
  for (guint row = 1; row < M2V_N_LENGTHS; row++) {
    for (guint run = 1; run < 64; run++)
      fail_unless (lengths.bits[__i__ >> 1][row][run]
          >= lengths.bits[__i__ >> 1][row][run - 1]);
  }
}

GST_END_TEST;

static Suite *
m2v_rate_distortion_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-ratedistortion");
  TCase *tc = tcase_create ("block");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_nothing_costs_less, 0, N_KINDS);
  tcase_add_loop_test (tc, test_costs_are_true, 0, N_KINDS);
  tcase_add_loop_test (tc, test_free_bits_give_nearest_levels, 0, N_KINDS);
  tcase_add_loop_test (tc, test_dear_bits_leave_least, 0, N_KINDS);
  tcase_add_loop_test (tc, test_least_cost, 0, N_KINDS);
  tcase_add_loop_test (tc, test_longer_runs_cost_no_less, 0, 4);
  return s;
}

GST_CHECK_MAIN (m2v_rate_distortion);
