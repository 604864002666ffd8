/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <string.h>

#include <mpeg2requantize/levels.h>

#define N_ROUNDS 300

/* A picture and its macroblock, of any kind. */
typedef struct
{
  GRand *rand;
  M2vPictureParams picture;
  M2vMatrices matrices;
  M2vRounding rounding;
  M2vLevels levels;
  M2vMacroblock mb;
  M2vMacroblockTarget target;
} Fixture;

static void
add_coefficients (Fixture * f, guint block, gint max)
{
  guint n = 0;

  for (guint i = (f->mb.type & M2V_INTRA) != 0; i < 64; i++) {
    M2vCoefficient *c = &f->mb.coefficients[block][n];

    if (g_rand_int_range (f->rand, 0, 6) > 0)
      continue;
    c->level = g_rand_int_range (f->rand, 1, max);
    if (g_rand_boolean (f->rand))
      c->level = -c->level;
    c->position = i;
    c->form = M2V_FORM_ESCAPE;
    n++;
  }
  f->mb.n_coefficients[block] = n;
}

static void
set_up (Fixture * f, guint seed)
{
  memset (f, 0, sizeof *f);
  f->rand = g_rand_new_with_seed (seed);
  f->picture.mpeg2 = g_rand_int_range (f->rand, 0, 4) > 0;
  f->picture.n_blocks = f->picture.mpeg2 && g_rand_boolean (f->rand) ? 8 : 6;
  f->picture.alternate_scan = f->picture.mpeg2 && g_rand_boolean (f->rand);
  f->picture.q_scale_type = f->picture.mpeg2 && g_rand_boolean (f->rand);
  for (guint i = 0; i < M2V_N_MATRICES; i++) {
    for (guint k = 0; k < 64; k++)
      f->matrices.matrix[i][k] = g_rand_int_range (f->rand, 8, 100);
  }
  f->rounding.intra = g_rand_int_range (f->rand, 0, 8);
  /* 4, half a step, would make of a level the next one. */
  f->rounding.non_intra = g_rand_int_range (f->rand, 0, 4);
  m2v_levels_init (&f->levels, m2v_kernels_best (), &f->picture,
      &f->matrices, &f->rounding, NULL);
  f->mb.type = g_rand_boolean (f->rand) ? M2V_INTRA : M2V_FORWARD | M2V_PATTERN;
  f->mb.quantiser = g_rand_int_range (f->rand, 1, 9);
  for (guint i = 0; i < f->picture.n_blocks; i++) {
    if (g_rand_int_range (f->rand, 0, 3) > 0)
      add_coefficients (f, i, 12);
  }
}

/* As the standard words it (clause 7.4.2.3), times 32, without rounding. */
static gint
stands_for (const Fixture * f, guint block, const M2vCoefficient * c,
    guint code)
{
  gboolean intra = (f->mb.type & M2V_INTRA) != 0;
  guint which = intra ? M2V_MATRIX_INTRA : M2V_MATRIX_NON_INTRA;
  gint weight = 0, twice = 2 * c->level;

  if (f->picture.n_blocks == 8 && block >= 4)
    which = intra ? M2V_MATRIX_CHROMA_INTRA : M2V_MATRIX_CHROMA_NON_INTRA;
  for (guint k = 0; k < 64; k++) {
    if (m2v_scan_tables[0][k]
        == m2v_scan_tables[f->picture.alternate_scan][c->position])
      weight = f->matrices.matrix[which][k];
  }
  if (!intra)
    twice += c->level > 0 ? 1 : -1;
  return CLAMP (twice * weight * (gint) m2v_quantiser_scale (&f->picture,
          code), -2048 * 32, 2047 * 32);
}

GST_START_TEST (test_places)
{
  for (guint seed = 0; seed < 8; seed++) {
    Fixture f;

    set_up (&f, seed);
    for (guint i = 0; i < 64; i++) {
      guint raster = m2v_scan_tables[f.picture.alternate_scan][i];

      fail_unless_equals_int (f.levels.places[i], raster % 8 * 8 + raster / 8);
      fail_unless_equals_int (f.levels.positions[f.levels.places[i]], i);
    }
    g_rand_free (f.rand);
  }
}

GST_END_TEST;

static void
assert_stands (const Fixture * f, guint code)
{
  for (guint i = 0; i < f->picture.n_blocks; i++) {
    gint32 expected[64] = { 0 }, dense[64];

    for (guint k = 0; k < f->mb.n_coefficients[i]; k++) {
      const M2vCoefficient *c = &f->mb.coefficients[i][k];

      expected[c->position] = stands_for (f, i, c, code);
    }
    for (guint k = 0; k < 64; k++)
      dense[k] = f->target.pattern >> i & 1
          ? f->target.block[i][f->levels.places[k]] : 0;
    fail_unless (memcmp (expected, dense, sizeof dense) == 0, "block %u", i);
    fail_unless_equals_int (f->target.pattern >> i & 1,
        f->mb.n_coefficients[i] > 0);
  }
}

/* Dirty memory where nothing is in the pattern. */
GST_START_TEST (test_add)
{
  for (guint seed = 0; seed < N_ROUNDS; seed++) {
    guint code = 1 + seed % 31;
    Fixture f;

    set_up (&f, seed);
    memset (f.target.block, 0x55, sizeof f.target.block);
    if (seed % 5 == 0)
      add_coefficients (&f, 2, 2048);
    m2v_levels_add (&f.levels, &f.mb, code, 1, &f.target);
    assert_stands (&f, code);
    m2v_levels_add (&f.levels, &f.mb, code, -1, &f.target);
    for (guint i = 0; i < f.picture.n_blocks; i++) {
      for (guint k = 0; (f.target.pattern >> i & 1) && k < 64; k++)
        fail_unless_equals_int (f.target.block[i][k], 0);
    }
    g_rand_free (f.rand);
  }
}

GST_END_TEST;

/* With its own code everything stays, forms included. */
GST_START_TEST (test_unchanged)
{
  for (guint seed = 0; seed < N_ROUNDS; seed++) {
    M2vMacroblock before;
    Fixture f;

    set_up (&f, seed);
    before = f.mb;
    m2v_levels_add (&f.levels, &f.mb, f.mb.quantiser, 1, &f.target);
    fail_if (m2v_choose_levels (&f.levels, &f.target, f.mb.quantiser, &f.mb));
    fail_unless (memcmp (&before, &f.mb, sizeof before) == 0);
    for (guint i = 0; i < f.picture.n_blocks; i++) {
      for (guint k = 0; (f.target.pattern >> i & 1) && k < 64; k++)
        fail_unless_equals_int (f.target.block[i][k], 0);
    }
    g_rand_free (f.rand);
  }
}

GST_END_TEST;

static void
assert_same_coefficients (const Fixture * f, const M2vMacroblock * other)
{
  for (guint i = 0; i < f->picture.n_blocks; i++) {
    fail_unless_equals_int (f->mb.n_coefficients[i], other->n_coefficients[i]);
    for (guint k = 0; k < f->mb.n_coefficients[i]; k++) {
      fail_unless_equals_int (f->mb.coefficients[i][k].level,
          other->coefficients[i][k].level);
      fail_unless_equals_int (f->mb.coefficients[i][k].position,
          other->coefficients[i][k].position);
    }
  }
}

static const M2vRuns *
make_runs (gboolean mpeg2)
{
  static M2vRuns runs[2][2];
  M2vLengths lengths;

  m2v_lengths_init (&lengths, mpeg2);
  for (guint i = 0; i < 2; i++)
    m2v_runs_init (&runs[mpeg2][i], &lengths, i);
  return runs[mpeg2];
}

/* Chosen for what they stand for, and scaled: all the same, and the same is
 * left of the target. Every other time those that are worth their bits. */
GST_START_TEST (test_ways)
{
  for (guint seed = 0; seed < N_ROUNDS; seed++) {
    M2vMacroblockTarget target = { 0 };
    M2vMacroblock scaled, requantized;
    guint code;
    Fixture f;

    set_up (&f, seed);
    code = g_rand_int_range (f.rand, f.mb.quantiser + 1, 32);
    if (seed % 2) {
      f.levels.runs = make_runs (f.picture.mpeg2);
      m2v_levels_set_price (&f.levels, m2v_quantiser_scale (&f.picture, code));
    }
    scaled = requantized = f.mb;
    m2v_levels_scale (&f.levels, code, &scaled, NULL);
    m2v_levels_scale (&f.levels, code, &requantized, &target);
    m2v_levels_add (&f.levels, &f.mb, f.mb.quantiser, 1, &f.target);
    m2v_choose_levels (&f.levels, &f.target, code, &f.mb);
    assert_same_coefficients (&f, &scaled);
    assert_same_coefficients (&f, &requantized);
    fail_unless_equals_int (f.target.pattern, target.pattern);
    for (guint i = 0; i < f.picture.n_blocks; i++)
      fail_unless (!(target.pattern >> i & 1) || memcmp (f.target.block[i],
              target.block[i], sizeof target.block[i]) == 0);
    g_rand_free (f.rand);
  }
}

GST_END_TEST;

/* Those left move up, each with its position; how they were coded is
 * forgotten. */
GST_START_TEST (test_block)
{
  static const M2vCoefficient c[] = {
    {1, 0, M2V_FORM_SHORTEST},
    {-7, 1, M2V_FORM_SHORTEST},
    {-1, 5, M2V_FORM_ESCAPE},
    {200, 7, M2V_FORM_LONG_ESCAPE},
    {1, 63, M2V_FORM_SHORTEST}
  };
  const M2vRounding rounding = { 3, 0 };
  M2vPictureParams picture = {.n_blocks = 6 };
  static M2vMacroblock mb;
  M2vLevels levels;

  m2v_levels_init (&levels, m2v_kernels_best (), &picture, NULL, &rounding,
      NULL);
  mb.type = M2V_FORWARD | M2V_PATTERN;
  mb.quantiser = 6;
  memcpy (mb.coefficients[2], c, sizeof c);
  mb.n_coefficients[2] = 5;
  fail_if (m2v_levels_scale (&levels, 6, &mb, NULL));
  fail_unless_equals_int (mb.n_coefficients[2], 5);
  fail_unless (mb.coefficients[2][2].level == -1
      && mb.coefficients[2][2].form == M2V_FORM_SHORTEST);

  fail_unless (m2v_levels_scale (&levels, 10, &mb, NULL));
  fail_unless_equals_int (mb.n_coefficients[2], 2);
  fail_unless (mb.coefficients[2][0].level == -4
      && mb.coefficients[2][0].position == 1);
  fail_unless (mb.coefficients[2][1].level == 120
      && mb.coefficients[2][1].position == 7
      && mb.coefficients[2][1].form == M2V_FORM_SHORTEST);
}

GST_END_TEST;

/* Levels of 1 with the source's code, 8: (3/2 * 16)^2 = 576 each in a block
 * with flat weights. A bit costs 0.15 * 24^2 = 86.4, so that each is worth 6.7
 * bits: a run of 1 takes 4, one of 4 takes 6, one of 5 takes 7 (table B.14).
 * The next ones' runs grow by what is left out. */
GST_START_TEST (test_worth)
{
  static const struct
  {
    guint position;
    gboolean stays;
  } rows[] = { {1, TRUE}, {6, TRUE}, {12, FALSE}, {16, FALSE}, {20, FALSE} };
  const M2vRounding rounding = { 3, 0 };
  M2vPictureParams picture = {.mpeg2 = TRUE,.n_blocks = 6 };
  static M2vMacroblock mb;
  M2vLevels levels;
  guint n = 0;

  m2v_levels_init (&levels, m2v_kernels_best (), &picture, NULL, &rounding,
      make_runs (TRUE));
  m2v_levels_set_price (&levels, 24);
  mb.type = M2V_FORWARD | M2V_PATTERN;
  mb.quantiser = 8;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    mb.coefficients[0][i].level = i % 2 ? -1 : 1;
    mb.coefficients[0][i].position = rows[i].position;
  }
  mb.n_coefficients[0] = G_N_ELEMENTS (rows);
  fail_unless (m2v_levels_scale (&levels, 8, &mb, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!rows[i].stays)
      continue;
    fail_unless_equals_int (mb.coefficients[0][n].position, rows[i].position);
    fail_unless_equals_int (mb.coefficients[0][n].level, i % 2 ? -1 : 1);
    n++;
  }
  fail_unless_equals_int (mb.n_coefficients[0], n);
}

GST_END_TEST;

/* One coefficient where the matrix is least has a level from the least energy
 * on; one 32nd less has none. */
GST_START_TEST (test_least_energy)
{
  for (guint seed = 0; seed < N_ROUNDS; seed++) {
    guint code = 1 + seed % 31, block = seed % 6, least = 0, matrix;
    guint64 energy;
    gint32 value = 0;
    Fixture f;

    set_up (&f, seed);
    f.mb.type = M2V_FORWARD | M2V_PATTERN;
    matrix = m2v_levels_matrix (&f.levels, FALSE, block);
    for (guint k = 0; k < 64; k++) {
      if (f.levels.matrices[matrix][k] < f.levels.matrices[matrix][least])
        least = k;
    }
    energy = m2v_levels_least_energy (&f.levels, FALSE, block, code);
    while ((guint64) value * value < energy)
      value++;
    memset (f.mb.n_coefficients, 0, sizeof f.mb.n_coefficients);
    for (guint less = 0; less < 2; less++) {
      f.target.pattern = 1 << block;
      memset (f.target.block[block], 0, sizeof f.target.block[block]);
      f.target.block[block][least] = value - less;
      m2v_choose_levels (&f.levels, &f.target, code, &f.mb);
      fail_unless_equals_int (f.mb.n_coefficients[block], !less);
    }
    g_rand_free (f.rand);
  }
}

GST_END_TEST;

/* 0 is forbidden, but may come. */
GST_START_TEST (test_zero_weights)
{
  const M2vRounding rounding = { 3, 0 };
  M2vPictureParams picture = {.mpeg2 = TRUE,.n_blocks = 6 };
  M2vMacroblockTarget target = {.pattern = 1 };
  static M2vMacroblock mb;
  M2vMatrices matrices;
  M2vLevels levels;

  memset (&matrices, 0, sizeof matrices);
  m2v_levels_init (&levels, m2v_kernels_best (), &picture, &matrices,
      &rounding, NULL);
  target.block[0][5] = M2V_COEFFICIENT_MAX;
  fail_unless (m2v_choose_levels (&levels, &target, 1, &mb));
  fail_unless_equals_int (mb.coefficients[0][0].level, 2047);
}

GST_END_TEST;

/* Whether a level of 1 is nearer than 0. */
static gboolean
has_level (const Fixture * f, guint block, guint position, guint code,
    gint value)
{
  const M2vCoefficient one = { 1, (guint8) position, M2V_FORM_SHORTEST };

  return 2 * ABS (value) > stands_for (f, block, &one, code);
}

/* All that have levels, and none but those that are as near to 0. */
GST_START_TEST (test_find_targets)
{
  guint n_all = 0, n_found = 0;

  for (guint seed = 0; seed < N_ROUNDS; seed++) {
    guint code = 1 + seed % 31;
    gboolean intra;
    Fixture f;

    set_up (&f, seed);
    intra = (f.mb.type & M2V_INTRA) != 0;
    for (guint i = 0; i < f.picture.n_blocks; i++) {
      M2vTarget found[64];
      guint n_here, n = 0;

      if (g_rand_boolean (f.rand))
        f.target.pattern |= (guint8) (1 << i);
      for (guint k = 0; k < 64; k++)
        f.target.block[i][k] = g_rand_int_range (f.rand, -2, 3)
            * g_rand_int_range (f.rand, 0, 40 * m2v_quantiser_scale
            (&f.picture, code));
      n_here = m2v_levels_find_targets (&f.levels, &f.target, intra, i, code,
          found);
      n_found += n_here;
      if (!(f.target.pattern >> i & 1)) {
        fail_unless_equals_int (n_here, 0);
        continue;
      }
      for (guint k = intra; k < 64; k++) {
        gint value = f.target.block[i][f.levels.places[k]];

        n_all += value != 0;
        if (n < n_here && found[n].position == k && !has_level (&f, i, k, code,
                value)) {
          fail_unless (has_level (&f, i, k, code, ABS (value) + 1));
          n++;
        }
        if (!has_level (&f, i, k, code, value))
          continue;
        fail_unless (n < n_here);
        fail_unless_equals_int (found[n].position, k);
        fail_unless_equals_int (found[n].value, value);
        n++;
      }
      fail_unless_equals_int (n, n_here);
    }
    g_rand_free (f.rand);
  }
  fail_unless (n_found > n_all / 10 && n_found < n_all / 2);
}

GST_END_TEST;

static Suite *
levels_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-levels");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_places);
  tcase_add_test (tc, test_add);
  tcase_add_test (tc, test_unchanged);
  tcase_add_test (tc, test_ways);
  tcase_add_test (tc, test_block);
  tcase_add_test (tc, test_worth);
  tcase_add_test (tc, test_least_energy);
  tcase_add_test (tc, test_zero_weights);
  tcase_add_test (tc, test_find_targets);
  return s;
}

GST_CHECK_MAIN (levels);
