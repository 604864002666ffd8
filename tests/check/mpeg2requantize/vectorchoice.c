/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The prediction of a macroblock: no other costs less, and what it lacks is what
 * the two differ by.
 */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "../rounds.h"
#include <mpeg2/motionbits.h>
#include <mpeg2requantize/ratedistortion.h>
#include <mpeg2requantize/vectorchoice.h>

#define COLUMNS 6
#define ROWS 6
#define N_ROUNDS 400

typedef struct
{
  GRand *rand;
  M2vVlc vlc;
  M2vPictureParams picture;
  M2vLevels levels;
  M2vSourceFrames frames;
  M2vVectorChooser chooser;
  M2vSliceWriter writer;        /* where the macroblock is written */
  guint8 out[4096];
} Fixture;

static void
set_levels (Fixture * f)
{
  const M2vRounding rounding = { 3, 0 };

  m2v_levels_init (&f->levels, f->frames.loop.kernels, &f->picture, NULL,
      &rounding, NULL);
}

/* A picture of intra macroblocks whose blocks have a level of brightness and a
 * slope, each a little other than its neighbour, so that vectors matter. */
static void
decode_intra (Fixture * f)
{
  f->picture.type = M2V_PICTURE_I;
  set_levels (f);
  fail_unless (m2v_source_frames_begin (&f->frames, &f->picture, true));
  for (guint address = 0; address < f->picture.columns * f->picture.rows;
      address++) {
    M2vMacroblock mb = { 0, };

    mb.address = address;
    mb.type = M2V_INTRA;
    mb.quantiser = 4;
    for (guint i = 0; i < f->picture.n_blocks; i++) {
      mb.dc[i] = g_rand_int_range (f->rand, 40, 200);
      mb.n_coefficients[i] = 2;
      for (guint k = 0; k < 2; k++) {
        mb.coefficients[i][k].position = 1 + k;
        mb.coefficients[i][k].level = g_rand_boolean (f->rand) ? 3 : -4;
      }
    }
    m2v_source_frames_macroblock (&f->frames, &f->levels, &mb);
  }
  m2v_source_frames_end (&f->frames);
}

/* Two frames, and a picture of that type and structure. */
static void
set_up (Fixture * f, guint seed, M2vPictureType type, M2vStructure structure,
    guint n_blocks)
{
  memset (f, 0, sizeof *f);
  f->rand = g_rand_new_with_seed (seed);
  m2v_vlc_init (&f->vlc);
  m2v_source_frames_init (&f->frames, m2v_kernels_best ());
  f->picture.mpeg2 = true;
  f->picture.structure = M2V_FRAME_PICTURE;
  f->picture.columns = COLUMNS;
  f->picture.rows = ROWS;
  f->picture.n_blocks = n_blocks;
  for (guint s = 0; s < 2; s++)
    f->picture.f_code[s][0] = f->picture.f_code[s][1] = 3;
  decode_intra (f);
  decode_intra (f);
  f->picture.type = type;
  f->picture.structure = structure;
  if (structure != M2V_FRAME_PICTURE)
    f->picture.rows /= 2;
  set_levels (f);
  fail_unless (m2v_source_frames_begin (&f->frames, &f->picture, true));
  m2v_vector_chooser_init (&f->chooser, &f->frames, &f->vlc);
  m2v_slice_writer_init (&f->writer, &f->picture, &f->vlc, f->out,
      sizeof f->out);
}

static void
tear_down (Fixture * f)
{
  m2v_source_frames_free (&f->frames);
  g_rand_free (f->rand);
}

/* Within the frame, whose middle macroblocks are used. */
static void
pick_vector (Fixture * f, gint16 vector[2])
{
  vector[0] = g_rand_int_range (f->rand, -30, 31);
  vector[1] = g_rand_int_range (f->rand, -14, 15);
}

static guint
pick_direction (Fixture * f)
{
  return f->picture.type == M2V_PICTURE_P ? M2V_FORWARD
      : 2 * g_rand_int_range (f->rand, 1, 4);
}

static void
pick_macroblock (Fixture * f, M2vMacroblock * mb)
{
  gboolean is_field = m2v_is_field (&f->picture);

  memset (mb, 0, sizeof *mb);
  mb->address = COLUMNS + 1 + g_rand_int_range (f->rand, 0, COLUMNS - 2);
  mb->quantiser = 6;
  mb->type = pick_direction (f);
  mb->motion = g_rand_boolean (f->rand) ? M2V_MOTION_FIELD : M2V_MOTION_FRAME;
  if (f->picture.type == M2V_PICTURE_P && g_rand_int_range (f->rand, 0, 4) == 0)
    mb->motion = M2V_MOTION_DUAL_PRIME;
  for (guint i = 0; i < 4; i++) {
    pick_vector (f, mb->vectors[i / 2][i % 2].vector);
    mb->vectors[i / 2][i % 2].bottom = (is_field
        || mb->motion == M2V_MOTION_FIELD) && g_rand_boolean (f->rand);
  }
  if (g_rand_boolean (f->rand)) {
    mb->type |= M2V_PATTERN;
    mb->field_dct = !is_field && g_rand_boolean (f->rand);
    mb->n_coefficients[0] = mb->n_coefficients[4] = 1;
    mb->coefficients[0][0].level = g_rand_int_range (f->rand, 1, 30);
    mb->coefficients[4][0].level = -3;
    mb->coefficients[4][0].position = 9;
  }
}

static void
pick_writer (Fixture * f)
{
  f->writer.first = g_rand_int_range (f->rand, 0, 4) == 0;
  f->writer.direction = pick_direction (f);
  for (guint i = 0; i < 4; i++)
    pick_vector (f, f->writer.prediction.pmv[i / 2][i % 2]);
}

static guint
direction (guint s)
{
  return s == 0 ? M2V_FORWARD : M2V_BACKWARD;
}

static guint
height (const Fixture * f, guint plane)
{
  return plane == 0 || f->picture.n_blocks == 8 ? 16 : 8;
}

static void
predict (Fixture * f, const M2vMacroblock * mb, M2vSamples * to)
{
  m2v_drift_predict (&f->frames.loop, mb, to);
}

/* In P the choice skips only what has no vector. */
static gboolean
is_skipped (Fixture * f, const M2vMacroblock * mb, const M2vMacroblock * empty)
{
  return m2v_slice_writer_may_skip (&f->writer, empty)
      && (f->picture.type == M2V_PICTURE_B || !(mb->type & M2V_FORWARD));
}

/* What the macroblock lacks if it is not corrected, and its bits. */
static gint64
cost_of (Fixture * f, const M2vSamples * source, gint64 lambda,
    const M2vMacroblock * mb)
{
  const M2vPictureParams *p = &f->picture;
  M2vMacroblock empty = *mb;
  guint bits = 2;
  M2vSamples samples;
  gint64 sum = 0;

  predict (f, mb, &samples);
  for (guint i = 0; i < 3; i++) {
    for (guint k = 0; k < height (f, i) * (i > 0 ? 8 : 16); k++) {
      gint d = source->planes[i][k] - samples.planes[i][k];

      sum += d * d;
    }
  }
  m2v_macroblock_empty (p, &empty);
  if (is_skipped (f, mb, &empty))
    return 1024 * sum;
  if (!(mb->type & (M2V_FORWARD | M2V_BACKWARD)))
    return 1024 * sum
        + lambda * f->vlc.type_codes[p->type - 1][M2V_PATTERN].length;
  bits += f->vlc.type_codes[p->type - 1][mb->type].length;
  for (guint s = 0; s < 2; s++) {
    const M2vVector vectors[] = { mb->vectors[0][s], mb->vectors[1][s] };

    if (mb->type & direction (s))
      bits += m2v_motion_bits (p, &f->vlc, &f->writer.prediction, mb->motion,
          s, vectors);
  }
  return 1024 * sum + lambda * bits;
}

/* The source's vectors, their mean, the predictors, or none, in that
 * direction. */
static gboolean
set_vectors (Fixture * f, const M2vMacroblock * own, guint s, guint kind,
    M2vMacroblock * mb)
{
  const M2vVector *v0 = &own->vectors[0][s], *v1 = &own->vectors[1][s];
  gint16 *vector = mb->vectors[0][s].vector;
  guint motion = m2v_implied_motion (&f->picture);

  if (kind == 0) {
    motion = own->motion;
    mb->vectors[0][s] = *v0;
    mb->vectors[1][s] = *v1;
  } else {
    mb->vectors[0][s].bottom = f->picture.structure == M2V_BOTTOM_FIELD;
    if (kind == 2 && m2v_is_field (&f->picture)
        && f->picture.type == M2V_PICTURE_P
        && own->motion != M2V_MOTION_DUAL_PRIME)
      mb->vectors[0][s].bottom = v0->bottom;
  }
  if (kind == 1 && m2v_is_field (&f->picture)) {
    if (own->motion != M2V_MOTION_16X8 || v0->bottom != v1->bottom)
      return FALSE;
    mb->vectors[0][s].bottom = v0->bottom;
    vector[0] = (v0->vector[0] + v1->vector[0]) >> 1;
    vector[1] = (v0->vector[1] + v1->vector[1]) >> 1;
  } else if (kind == 1) {
    if (own->motion != M2V_MOTION_FIELD)
      return FALSE;
    vector[0] = (v0->vector[0] + v1->vector[0]) >> 1;
    vector[1] = v0->vector[1] + v1->vector[1] + v0->bottom - !v1->bottom;
  } else if (kind == 2) {
    memcpy (vector, f->writer.prediction.pmv[0][s], sizeof (gint16[2]));
  } else if (kind == 3) {
    if (f->picture.type == M2V_PICTURE_B)
      return FALSE;
    mb->type &= ~M2V_FORWARD;
    memset (vector, 0, sizeof (gint16[2]));
  }
  if (mb->motion != 0 && mb->motion != motion)
    return FALSE;
  mb->motion = motion;
  return TRUE;
}

/* The least that any way costs, tried one by one. */
static gint64
least_cost (Fixture * f, const M2vSamples * source, gint64 lambda,
    const M2vMacroblock * own)
{
  gint64 least = cost_of (f, source, lambda, own);

  for (guint type = 2; type <= 6; type += 2) {
    for (guint kinds = 0; kinds < 16; kinds++) {
      guint kind[] = { kinds % 4, kinds / 4 };
      gboolean possible = TRUE, all_predicted = TRUE;
      M2vMacroblock mb = *own;

      mb.type = (own->type & M2V_PATTERN) | type;
      mb.motion = 0;
      for (guint s = 0; s < 2; s++) {
        if (!(type & direction (s)))
          continue;
        all_predicted = all_predicted && kind[s] == 2;
        possible = possible && set_vectors (f, own, s, kind[s], &mb);
      }
      if ((type & ~own->type) && !(all_predicted
              && type == f->writer.direction && !f->writer.first))
        possible = FALSE;
      if (possible)
        least = MIN (least, cost_of (f, source, lambda, &mb));
    }
  }
  return least;
}

static void
assert_difference (Fixture * f, const M2vSamples * before,
    const M2vMacroblock * mb)
{
  M2vSamples after;

  predict (f, mb, &after);
  for (guint i = 0; i < 3; i++) {
    for (guint k = 0; k < height (f, i) * (i > 0 ? 8 : 16); k++)
      fail_unless_equals_int (f->chooser.difference.planes[i][k],
          (before->planes[i][k] - after.planes[i][k]) * 32);
  }
}

static void
choose_one (Fixture * f, gint64 lambda, guint * n_moved)
{
  M2vSamples before, source;
  M2vMacroblock mb, own;
  gint64 least;

  pick_macroblock (f, &mb);
  pick_writer (f);
  f->writer.address = mb.address - 1;
  own = mb;
  predict (f, &own, &before);
  source = before;
  m2v_source_frames_add (&f->frames, &f->levels, &own, &source);
  least = least_cost (f, &source, lambda, &own);
  if (m2v_choose_vectors (&f->chooser, &f->levels, &f->writer, lambda, &mb)) {
    (*n_moved)++;
    fail_unless_equals_int (mb.n_motion_bits, 0);
    fail_unless (least < cost_of (f, &source, lambda, &own));
    assert_difference (f, &before, &mb);
  } else {
    fail_unless (memcmp (&mb, &own, sizeof mb) == 0);
  }
  fail_unless_equals_int64 (cost_of (f, &source, lambda, &mb), least);
}

static const struct
{
  M2vPictureType type;
  M2vStructure structure;
  guint n_blocks;
} pictures[] = {
  {M2V_PICTURE_B, M2V_FRAME_PICTURE, 6},
  {M2V_PICTURE_B, M2V_FRAME_PICTURE, 8},
  {M2V_PICTURE_B, M2V_TOP_FIELD, 6},
  {M2V_PICTURE_B, M2V_BOTTOM_FIELD, 8},
  {M2V_PICTURE_P, M2V_FRAME_PICTURE, 6},
  {M2V_PICTURE_P, M2V_FRAME_PICTURE, 8},
  {M2V_PICTURE_P, M2V_BOTTOM_FIELD, 6},
  {M2V_PICTURE_P, M2V_TOP_FIELD, 8},
};

/* At all prices: where bits cost nothing as where they cost all. */
GST_START_TEST (test_least)
{
  guint n_moved = 0;
  Fixture f;

  set_up (&f, __i__ + 1, pictures[__i__].type, pictures[__i__].structure,
      pictures[__i__].n_blocks);
  for (guint i = 0; i < test_rounds (N_ROUNDS); i++) {
    gint64 lambda = i % 8 == 0 ? 0 : (gint64) 1 << (10 + i % 20);

    choose_one (&f, lambda, &n_moved);
  }
  fail_unless (n_moved > test_rounds (N_ROUNDS) / 16, "%u", n_moved);
  tear_down (&f);
}

GST_END_TEST;

/* A vector that points out of the frame, as predictors may where they have not
 * been used, is not chosen, whatever it saves. */
GST_START_TEST (test_within)
{
  M2vMacroblock mb;
  Fixture f;

  set_up (&f, 7, M2V_PICTURE_B, M2V_FRAME_PICTURE, 6);
  for (guint i = 0; i < 4; i++) {
    gint16 *pmv;

    pick_macroblock (&f, &mb);
    pick_writer (&f);
    mb.address = i < 2 ? 0 : COLUMNS * ROWS - 1;
    mb.type = M2V_FORWARD;
    mb.motion = M2V_MOTION_FRAME;
    mb.vectors[0][0].bottom = false;
    memset (mb.vectors[0][0].vector, 0, sizeof mb.vectors[0][0].vector);
    f.writer.direction = M2V_FORWARD;
    pmv = f.writer.prediction.pmv[0][0];
    pmv[i % 2] = i < 2 ? -1 : 1;
    pmv[!(i % 2)] = 0;
    fail_if (m2v_choose_vectors (&f.chooser, &f.levels, &f.writer,
            G_MAXINT32, &mb), "%u", i);
  }
  tear_down (&f);
}

GST_END_TEST;

static Suite *
vectorchoice_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-vectorchoice");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_least, 0, G_N_ELEMENTS (pictures));
  tcase_add_test (tc, test_within);
  return s;
}

GST_CHECK_MAIN (vectorchoice);
