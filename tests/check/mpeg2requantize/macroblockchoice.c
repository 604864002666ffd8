/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The macroblock stands between two others in a slice that the slice writer
 * writes. Its cost is that slice's bits, and the distortion; every pattern with
 * every code is tried.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2requantize/macroblockchoice.h>
#include <mpeg2/slicewriter.h>

#include "../rounds.h"

#define N_MACROBLOCKS 400
#define COLUMNS 40

static M2vVlc vlc;

typedef struct
{
  M2vPictureParams picture;
  M2vMatrices matrices;
  M2vChooser chooser;
  M2vChoice choice;
  gint32 dense[M2V_MAX_BLOCKS][64];     /* targets by position */
  M2vMacroblock before, macroblock, after;
} Fixture;

typedef struct
{
  M2vPictureType type;
  gboolean mpeg2, frame_pred_frame_dct, intra;
  guint n_blocks;
  guint8 prediction;            /* of type */
  gboolean still;               /* with the vectors that a skipped one has */
  gboolean last;                /* of its slice */
} Kind;

static const Kind kinds[] = {
  {M2V_PICTURE_I, TRUE, TRUE, TRUE, 6, 0, FALSE, FALSE},
  {M2V_PICTURE_I, FALSE, TRUE, TRUE, 6, 0, FALSE, FALSE},
  {M2V_PICTURE_P, TRUE, FALSE, TRUE, 8, 0, FALSE, FALSE},
  {M2V_PICTURE_P, TRUE, TRUE, FALSE, 6, 0, FALSE, FALSE},
  {M2V_PICTURE_P, FALSE, TRUE, FALSE, 6, 0, FALSE, FALSE},
  {M2V_PICTURE_P, TRUE, FALSE, FALSE, 6, 0, FALSE, TRUE},
  {M2V_PICTURE_P, TRUE, TRUE, FALSE, 6, M2V_FORWARD, FALSE, FALSE},
  {M2V_PICTURE_P, TRUE, FALSE, FALSE, 8, M2V_FORWARD, TRUE, FALSE},
  {M2V_PICTURE_B, TRUE, TRUE, FALSE, 6, M2V_FORWARD, TRUE, FALSE},
  {M2V_PICTURE_B, FALSE, TRUE, FALSE, 6, M2V_BACKWARD, FALSE, FALSE},
  {M2V_PICTURE_B, TRUE, FALSE, FALSE, 6, M2V_FORWARD | M2V_BACKWARD,
      TRUE, FALSE},
  {M2V_PICTURE_B, TRUE, FALSE, FALSE, 8, M2V_FORWARD | M2V_BACKWARD,
      FALSE, FALSE},
  {M2V_PICTURE_B, TRUE, FALSE, FALSE, 6, M2V_BACKWARD, TRUE, TRUE},
};

static void
set_picture (M2vPictureParams * p, const Kind * kind)
{
  memset (p, 0, sizeof *p);
  p->mpeg2 = kind->mpeg2;
  p->type = kind->type;
  p->structure = M2V_FRAME_PICTURE;
  p->columns = COLUMNS;
  p->rows = 1;
  p->n_blocks = kind->n_blocks;
  p->frame_pred_frame_dct = kind->frame_pred_frame_dct;
  for (guint i = 0; i < 4; i++)
    p->f_code[i / 2][i % 2] = 1;
}

static void
set_macroblock (const M2vPictureParams * p, M2vMacroblock * mb,
    const Kind * kind, guint address)
{
  memset (mb, 0, sizeof *mb);
  mb->address = address;
  mb->type = kind->intra ? M2V_INTRA : kind->prediction;
  mb->motion = kind->intra ? 0 : M2V_MOTION_FRAME;
  mb->pattern = kind->intra ? 0xff : 0;
  mb->quantiser = 1;
  for (guint s = 0; s < 2 && !kind->intra && kind->prediction; s++)
    mb->vectors[0][s].vector[0] = kind->type == M2V_PICTURE_B ? 3 : 0;
  if (kind->prediction == 0 && !kind->intra)
    m2v_macroblock_set_zero (p, mb);
}

/* The neighbours have no coefficients, so that they do not care for the
 * quantiser, nor, behind it, for vectors. */
static void
set_up (Fixture * f, const Kind * kind, GRand * rand)
{
  static const Kind intra = {.intra = TRUE };
  guint address = g_rand_boolean (rand) ? 1
      : (guint) g_rand_int_range (rand, 1, COLUMNS - 1);

  set_picture (&f->picture, kind);
  for (guint i = 0; i < M2V_N_MATRICES; i++) {
    for (guint k = 0; k < 64; k++)
      f->matrices.matrix[i][k] = (guint8) g_rand_int_range (rand, 8, 60);
  }
  m2v_chooser_init (&f->chooser, &f->picture, &vlc, &f->matrices);
  set_macroblock (&f->picture, &f->before, kind, 0);
  if (f->before.type == 0)
    f->before.type = M2V_FORWARD;
  f->before.first = true;
  set_macroblock (&f->picture, &f->macroblock, kind, kind->intra ? 1 : address);
  if (!kind->still && kind->prediction)
    f->macroblock.vectors[0][kind->prediction == M2V_BACKWARD].vector[1] = 5;
  set_macroblock (&f->picture, &f->after, &intra, f->macroblock.address + 1);
  f->macroblock.last = kind->last;
  f->after.last = true;
  f->after.dc[0] = 100;
}

/* All that there are; intra DC is none. */
static void
set_targets (Fixture * f, guint block)
{
  M2vChoice *c = &f->choice;
  guint n = 0;

  for (guint k = (f->macroblock.type & M2V_INTRA) != 0; k < 64; k++) {
    if (f->dense[block][k] == 0)
      continue;
    c->targets[block][n].value = f->dense[block][k];
    c->targets[block][n++].position = (guint8) k;
  }
  c->n_targets[block] = n;
}

/* Codes and what the blocks ought to have. */
static void
set_choice (Fixture * f, GRand * rand)
{
  M2vChoice *c = &f->choice;
  guint dense = (guint) g_rand_int_range (rand, 1, 6);
  gint range = 300 << g_rand_int_range (rand, 0, 6);

  memset (c, 0, sizeof *c);
  memset (f->dense, 0, sizeof f->dense);
  c->n_codes = (guint) g_rand_int_range (rand, 1, 4);
  for (guint i = 0; i < c->n_codes; i++)
    c->codes[i] = (guint) g_rand_int_range (rand, 1, 32);
  c->in_force = g_rand_boolean (rand) ? c->codes[c->n_codes - 1]
      : (guint) g_rand_int_range (rand, 1, 32);
  c->lambda = m2v_lambda ((guint) g_rand_int_range (rand, 2, 63));
  c->increment = f->macroblock.address;
  for (guint i = 0; i < f->picture.n_blocks; i++) {
    if (g_rand_boolean (rand))
      continue;
    for (guint k = 0; k < dense; k++)
      f->dense[i][g_rand_int_range (rand, 0, 64)] =
          g_rand_int_range (rand, -range, range);
    set_targets (f, i);
  }
}

/* The code, as the requantizer writes macroblocks; counts its bits. */
static guint
write_slice (const Fixture * f, const M2vMacroblock * with, guint code,
    gboolean * may_skip)
{
  static const M2vSlice header;
  guint8 bytes[4 * M2V_SLICE_WRITER_RESERVE];
  M2vMacroblock mb = *with, before = f->before;
  M2vSliceWriter w;
  guint n = 0;

  m2v_slice_writer_init (&w, &f->picture, &vlc, bytes, sizeof bytes);
  m2v_slice_writer_begin (&w, &header, f->choice.in_force);
  mb.quantiser = (guint8) code;
  for (guint i = 0; i < f->picture.n_blocks; i++)
    n += mb.n_coefficients[i];
  if (n == 0)
    mb.quantiser = (guint8) f->choice.in_force;
  before.quantiser = (guint8) f->choice.in_force;
  m2v_slice_writer_put (&w, &before);
  if (!m2v_macroblock_set_pattern (&f->picture, &mb))
    m2v_macroblock_empty (&f->picture, &mb);
  *may_skip = m2v_slice_writer_may_skip (&w, &mb);
  if (!*may_skip)
    m2v_slice_writer_put (&w, &mb);
  if (!f->macroblock.last) {
    mb = f->after;
    mb.quantiser = (guint8) w.prediction.quantiser;
    m2v_slice_writer_put (&w, &mb);
  }
  fail_if (w.error);
  return (guint) m2v_bit_writer_position (&w.bits);
}

static M2vQuantiser
quantiser_of (const Fixture * f, guint block, guint code, guint8 matrix[64])
{
  gboolean intra = (f->macroblock.type & M2V_INTRA) != 0;
  guint which = intra ? M2V_MATRIX_INTRA : M2V_MATRIX_NON_INTRA;
  M2vQuantiser q = {
    .lengths = &f->chooser.lengths,
    .intra = intra,
    .scale = m2v_quantiser_scale (&f->picture, code),
    .matrix = matrix
  };

  if (f->picture.n_blocks > 6 && block >= 4)
    which = intra ? M2V_MATRIX_CHROMA_INTRA : M2V_MATRIX_CHROMA_NON_INTRA;
  m2v_matrix_in_scan_order (&f->picture, f->matrices.matrix[which], matrix);
  return q;
}

/* Squared errors of all blocks. */
static gint64
distortion (const Fixture * f, const M2vMacroblock * mb, guint code)
{
  gint64 sum = 0;

  for (guint i = 0; i < f->picture.n_blocks; i++) {
    gint32 errors[64];
    guint8 matrix[64];
    M2vQuantiser q = quantiser_of (f, i, code, matrix);

    memcpy (errors, f->dense[i], sizeof errors);
    for (guint k = 0; k < mb->n_coefficients[i]; k++) {
      const M2vCoefficient *c = &mb->coefficients[i][k];
      gint twice = 2 * c->level + (q.intra ? 0 : c->level > 0 ? 1 : -1);

      errors[c->position] -= CLAMP (twice * (gint) (matrix[c->position]
              * q.scale), -2048 * 32, 2047 * 32);
    }
    for (guint k = q.intra; k < 64; k++)
      sum += (gint64) errors[k] * errors[k];
  }
  return sum;
}

static gint64
cost_of (const Fixture * f, const M2vMacroblock * mb, guint code)
{
  gboolean skipped;

  return distortion (f, mb, code)
      + f->choice.lambda * write_slice (f, mb, code, &skipped);
}

/* Of all patterns with a code, each block as it costs least alone. */
static gint64
search (const Fixture * f, guint code)
{
  M2vMacroblock all = f->macroblock, mb;
  gboolean intra = (all.type & M2V_INTRA) != 0;
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < f->picture.n_blocks; i++) {
    M2vCandidates candidates;
    M2vBlockCost cost;
    guint8 matrix[64];
    M2vQuantiser q = quantiser_of (f, i, code, matrix);

    m2v_find_candidates (&q, f->choice.lambda, f->choice.targets[i],
        f->choice.n_targets[i], &candidates);
    all.n_coefficients[i] = (guint8) m2v_choose_block (&q, f->choice.lambda,
        &candidates, all.coefficients[i], &cost);
  }
  if (intra)
    return cost_of (f, &all, code);
  for (guint pattern = 0; pattern >> f->picture.n_blocks == 0; pattern++) {
    gboolean possible = TRUE;

    mb = all;
    for (guint i = 0; i < f->picture.n_blocks; i++) {
      if (!(pattern >> i & 1))
        mb.n_coefficients[i] = 0;
      else if (mb.n_coefficients[i] == 0)
        possible = FALSE;
    }
    if (possible)
      best = MIN (best, cost_of (f, &mb, code));
  }
  return best;
}

GST_START_TEST (test_nothing_costs_less)
{
  GRand *rand = g_rand_new_with_seed (1 + (guint32) __i__);
  const guint n_macroblocks = MAX (100, test_rounds (N_MACROBLOCKS));
  guint n_empty = 0;

  m2v_vlc_init (&vlc);
  for (guint i = 0; i < n_macroblocks; i++) {
    gint64 best = G_MAXINT64;
    M2vMacroblock mb;
    gboolean may_skip;
    bool changed;
    Fixture f;
    guint code, n = 0;

    set_up (&f, &kinds[__i__], rand);
    set_choice (&f, rand);
    write_slice (&f, &f.macroblock, 1, &may_skip);
    f.choice.may_skip = may_skip;
    fail_unless (may_skip == (!kinds[__i__].intra && !kinds[__i__].last
            && (kinds[__i__].still || !kinds[__i__].prediction)));
    mb = f.macroblock;
    code = m2v_choose_macroblock (&f.chooser, &f.choice, &mb, &changed);
    for (guint k = 0; k < f.choice.n_codes; k++)
      best = MIN (best, search (&f, f.choice.codes[k]));
    fail_unless_equals_int64 (cost_of (&f, &mb, code), best);
    for (guint k = 0; k < f.picture.n_blocks; k++)
      n += mb.n_coefficients[k];
    fail_unless (changed == (n > 0));
    n_empty += n == 0;
  }
  fail_unless (n_empty > n_macroblocks / 20 && n_empty < n_macroblocks * 3 / 4);
  g_rand_free (rand);
}

GST_END_TEST;

/* What a macroblock has already is no change. */
GST_START_TEST (test_changed)
{
  GRand *rand = g_rand_new_with_seed (31);
  M2vMacroblock mb;
  Fixture f;
  bool changed;

  m2v_vlc_init (&vlc);
  for (guint i = 0; i < N_MACROBLOCKS; i++) {
    set_up (&f, &kinds[5], rand);
    set_choice (&f, rand);
    f.choice.n_codes = 1;
    mb = f.macroblock;
    m2v_choose_macroblock (&f.chooser, &f.choice, &mb, &changed);
    if (!changed)
      continue;
    m2v_choose_macroblock (&f.chooser, &f.choice, &mb, &changed);
    fail_if (changed);
    for (guint k = 0; k < 6; k++) {
      if (mb.n_coefficients[k] > 0)
        mb.coefficients[k][0].level++;
    }
    m2v_choose_macroblock (&f.chooser, &f.choice, &mb, &changed);
    fail_unless (changed);
    for (guint k = 0; k < 6; k++) {
      if (mb.n_coefficients[k] > 1)
        mb.coefficients[k][1].position++;
      else if (mb.n_coefficients[k] == 1)
        mb.n_coefficients[k]++;
    }
    m2v_choose_macroblock (&f.chooser, &f.choice, &mb, &changed);
    fail_unless (changed);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Forbidden, and yet it may come. */
GST_START_TEST (test_matrix_of_zeros)
{
  GRand *rand = g_rand_new_with_seed (41);
  M2vMacroblock mb;
  Fixture f;
  bool changed;

  m2v_vlc_init (&vlc);
  set_up (&f, &kinds[0], rand);
  set_choice (&f, rand);
  memset (&f.matrices, 0, sizeof f.matrices);
  m2v_chooser_init (&f.chooser, &f.picture, &vlc, &f.matrices);
  mb = f.macroblock;
  m2v_choose_macroblock (&f.chooser, &f.choice, &mb, &changed);
  g_rand_free (rand);
}

GST_END_TEST;

/* A single level that is worth a little more than its bits: the bound of what
 * any choice costs must not hide it. */
GST_START_TEST (test_bound)
{
  static const Kind kind = { M2V_PICTURE_P, TRUE, TRUE, FALSE, 6, M2V_FORWARD,
    FALSE, FALSE
  };
  GRand *rand = g_rand_new_with_seed (1);
  const gint64 value = 3 * 16 * 8;      /* a level of 1 with code 4 */
  bool changed;
  Fixture f;

  m2v_vlc_init (&vlc);
  set_up (&f, &kind, rand);
  memset (f.matrices.matrix, 16, sizeof f.matrices.matrix);
  m2v_chooser_init (&f.chooser, &f.picture, &vlc, &f.matrices);
  memset (&f.choice, 0, sizeof f.choice);
  f.choice.increment = f.macroblock.address;
  f.choice.n_codes = 1;
  f.choice.codes[0] = f.choice.in_force = 4;
  f.choice.n_targets[0] = 1;
  f.choice.targets[0][0].value = value;
  f.choice.lambda = value * value / 7;
  m2v_choose_macroblock (&f.chooser, &f.choice, &f.macroblock, &changed);
  fail_unless_equals_int (f.macroblock.n_coefficients[0], 1);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
m2v_macroblock_choice_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-macroblockchoice");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_nothing_costs_less, 0, G_N_ELEMENTS (kinds));
  tcase_add_test (tc, test_changed);
  tcase_add_test (tc, test_bound);
  tcase_add_test (tc, test_matrix_of_zeros);
  return s;
}

GST_CHECK_MAIN (m2v_macroblock_choice);
