/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Slices in the open loop, against what levelscale.h says of levels, and read
 * again.
 */
#include "slicerewriting.h"

#define N_ROUNDS 100
#define N_PLACES (COLUMNS * 6 * 64)

typedef struct
{
  gint16 levels[COLUMNS][6][64];
  guint codes[COLUMNS];         /* 0: skipped */
  gsize begin[COLUMNS];         /* bits */
  gboolean error;
} Content;

static void
read_slice (const Fixture * f, const guint8 * data, gsize size, Content * out)
{
  M2vSliceReader reader;
  M2vMacroblock mb;

  memset (out, 0, sizeof *out);
  m2v_slice_reader_begin (&reader, &f->picture, &f->vlc, data, size);
  while (m2v_slice_reader_next (&reader, &mb)) {
    out->codes[mb.address] = mb.quantiser;
    out->begin[mb.address] = mb.begin;
    for (guint i = 0; i < 6; i++) {
      for (guint k = 0; k < mb.n_coefficients[i]; k++) {
        const M2vCoefficient *c = &mb.coefficients[i][k];

        out->levels[mb.address][i][c->position] = c->level;
      }
    }
  }
  out->error = reader.error;
}

/* First and last have coefficients; of the others some have none. */
static void
random_slice (Fixture * f, GRand * rand, guint code)
{
  M2vMacroblock mbs[COLUMNS];
  guint n = 0;

  for (guint address = 0; address < COLUMNS; address++) {
    gboolean coded = address % (COLUMNS - 1) == 0 || g_rand_boolean (rand);
    gboolean intra = coded && g_rand_int_range (rand, 0, 4) == 0;
    M2vMacroblock *mb = &mbs[n];

    if (!coded && g_rand_boolean (rand))
      continue;
    init_macroblock (mb, address, code, intra);
    for (guint i = 0; i < 6 && coded; i++) {
      for (guint k = intra; k < 64; k += (guint) g_rand_int_range (rand, 1, 30))
        add_level (mb, i, k, g_rand_int_range (rand, 1, 40)
            * (g_rand_boolean (rand) ? 1 : -1));
    }
    n++;
  }
  write_slice (f, mbs, n, code);
}

/* Rewrites the slice, every macroblock with that code; returns what its end
 * does. */
static gboolean
rewrite (Fixture * f, guint wanted, guint * n_requests, gboolean * copied)
{
  M2vRequest request;
  Content source;
  bool was_copied;
  gboolean readable;
  gint last = -1;

  read_slice (f, f->source, f->slice.size, &source);
  m2v_slice_rewriter_begin (&f->r, &f->slice);
  for (*n_requests = 0; m2v_slice_rewriter_next (&f->r, &request);
      (*n_requests)++) {
    fail_unless ((gint) request.address > last && request.address < COLUMNS);
    last = (gint) request.address;
    fail_unless_equals_int (request.code, source.codes[last]);
    fail_unless_equals_int (request.scale, 2 * source.codes[last]);
    fail_unless_equals_uint64 (request.bits_in, source.begin[last]);
    fail_unless (request.coded);
    m2v_slice_rewriter_quantise (&f->r, wanted);
  }
  readable = m2v_slice_rewriter_end (&f->r, &was_copied);
  *copied = was_copied;
  return readable;
}

/* The formulas of levelscale.h, r in eighths. */
static gint
scaled (const Fixture * f, gboolean intra, gint level, guint from, guint to)
{
  gint r = intra ? f->settings.rounding.intra : f->settings.rounding.non_intra;
  gint halves = 2 * ABS (level) + !intra;
  gint result = (halves * 4 * (gint) from + r * (gint) to) / (8 * (gint) to);

  return level < 0 ? -result : result;
}

static gboolean
is_intra (const Fixture * f, guint address)
{
  M2vSliceReader reader;
  M2vMacroblock mb;

  m2v_slice_reader_begin (&reader, &f->picture, &f->vlc, f->source,
      f->slice.size);
  while (m2v_slice_reader_next (&reader, &mb)) {
    if (mb.address == address)
      return (mb.type & M2V_INTRA) != 0;
  }
  return FALSE;
}

/* Returns how many levels there are in the output. */
static guint
assert_scaled (const Fixture * f, guint from, guint to)
{
  gsize size = m2v_bit_writer_position (&f->r.writer.bits) / 8;
  Content before, after;
  guint n = 0;

  read_slice (f, f->source, f->slice.size, &before);
  read_slice (f, f->out, size, &after);
  fail_if (after.error);
  for (guint address = 0; address < COLUMNS; address++) {
    gboolean intra = is_intra (f, address);

    for (guint k = 0; k < 6 * 64; k++) {
      gint level = after.levels[address][k / 64][k % 64];

      fail_unless_equals_int (level, scaled (f, intra,
              before.levels[address][k / 64][k % 64], from, to));
      n += level != 0;
    }
  }
  return n;
}

static guint
count_levels (const Fixture * f)
{
  Content content;
  guint n = 0;

  read_slice (f, f->source, f->slice.size, &content);
  for (guint i = 0; i < N_PLACES; i++)
    n += (&content.levels[0][0][0])[i] != 0;
  return n;
}

GST_START_TEST (test_scaled)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint round = 0; round < N_ROUNDS; round++) {
    guint code = (guint) g_rand_int_range (rand, 1, 16);
    guint wanted = code + (guint) g_rand_int_range (rand, 1, 16), n, n_left;
    const M2vTally *t;
    gboolean copied;
    Fixture f;

    set_up (&f);
    random_slice (&f, rand, code);
    start_picture (&f);
    fail_unless (rewrite (&f, wanted, &n, &copied));
    t = &f.r.tally;
    fail_unless_equals_int (t->n_macroblocks, COLUMNS);
    fail_unless_equals_int (t->n_quantised, n);
    fail_unless_equals_int (t->n_at_maximum, wanted == 31 ? n : 0);
    fail_unless_equals_uint64 (t->sum_in, COLUMNS * 2 * code);
    /* Copied where fewer levels save nothing. */
    n_left = assert_scaled (&f, 2 * code, 2 * (copied ? code : wanted));
    fail_unless_equals_uint64 (t->sum_out,
        COLUMNS * 2 * (copied ? code : wanted));
    fail_unless_equals_uint64 (t->kept, n_left);
    fail_unless_equals_uint64 (t->dropped, count_levels (&f) - n_left);
    fail_unless_equals_uint64 (t->gained, 0);
    fail_if (copied && wanted > 2 * code);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* What is not coarser is what it was, bit for bit. */
GST_START_TEST (test_untouched)
{
  static const guint wanted[] = { 0, 1, 5, 6 };
  GRand *rand = g_rand_new_with_seed (2);

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    gboolean copied;
    guint n;
    Fixture f;

    set_up (&f);
    random_slice (&f, rand, 6);
    start_picture (&f);
    fail_unless (rewrite (&f, wanted[i], &n, &copied));
    fail_unless (copied);
    fail_unless_equals_uint64 (m2v_slice_writer_finish (&f.r.writer),
        f.slice.size);
    fail_unless (memcmp (f.out, f.source, f.slice.size) == 0);
    fail_unless_equals_uint64 (f.r.tally.sum_out, f.r.tally.sum_in);
    fail_unless_equals_uint64 (f.r.tally.dropped, 0);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* No coarser than the maximum; that of the source may be. */
GST_START_TEST (test_maximum)
{
  GRand *rand = g_rand_new_with_seed (3);

  for (guint code = 2; code <= 20; code += 18) {
    gboolean copied;
    guint n;
    Fixture f;

    set_up (&f);
    f.settings.max_code = 10;
    random_slice (&f, rand, code);
    start_picture (&f);
    fail_unless (rewrite (&f, 31, &n, &copied));
    fail_unless_equals_int (f.r.tally.n_at_maximum, n);
    fail_unless (copied == (code > 10));
    assert_scaled (&f, 2 * code, MAX (2 * code, 20));
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* Cut short anywhere it stays as it is, and says so unless it can be read. */
GST_START_TEST (test_cut_short)
{
  GRand *rand = g_rand_new_with_seed (4);
  gsize whole;
  Fixture f;

  set_up (&f);
  random_slice (&f, rand, 2);
  whole = f.slice.size;
  for (gsize size = 0; size < whole; size++) {
    guint8 *cut = g_memdup2 (f.source, MAX (size, 1));
    M2vSliceRewriter *r = &f.r;
    M2vRequest request;
    Content content;
    bool copied;

    read_slice (&f, cut, size, &content);
    m2v_slice_rewriter_init (r, &f.settings, &f.picture, &f.vlc, cut, f.out,
        sizeof f.out);
    m2v_slice_rewriter_set_levels (r, m2v_kernels_best (), &f.matrices, NULL);
    f.slice.size = size;
    m2v_slice_rewriter_begin (r, &f.slice);
    while (m2v_slice_rewriter_next (r, &request))
      m2v_slice_rewriter_quantise (r, 12);
    fail_unless (m2v_slice_rewriter_end (r, &copied) == !content.error);
    if (content.error) {
      fail_unless (copied);
      fail_unless_equals_uint64 (m2v_slice_writer_finish (&r->writer), size);
      fail_unless (memcmp (f.out, cut, size) == 0);
    }
    g_free (cut);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* An output that is full fails the picture, not the slice. */
GST_START_TEST (test_full)
{
  GRand *rand = g_rand_new_with_seed (5);
  gboolean copied;
  guint n;
  Fixture f;

  set_up (&f);
  random_slice (&f, rand, 2);
  m2v_slice_rewriter_init (&f.r, &f.settings, &f.picture, &f.vlc, f.source,
      f.out, f.slice.size / 2);
  m2v_slice_rewriter_set_levels (&f.r, m2v_kernels_best (), &f.matrices, NULL);
  fail_unless (rewrite (&f, 4, &n, &copied));
  fail_unless (f.r.writer.bits.error);
  fail_unless_equals_uint64 (m2v_slice_writer_finish (&f.r.writer), 0);
  g_rand_free (rand);
}

GST_END_TEST;

/* A slice that passes has the errors of what it refers to; a damaged one as far
 * as it goes. */
GST_START_TEST (test_pass)
{
  M2vMacroblock mbs[COLUMNS];
  Fixture f;

  set_up (&f);
  for (guint i = 0; i < COLUMNS; i++)
    init_macroblock (&mbs[i], i, 4, i == 1);
  add_level (&mbs[2], 0, 0, 3);
  write_slice (&f, mbs, COLUMNS, 4);
  start_picture (&f);
  begin_drift (&f, 40);
  m2v_slice_rewriter_set_dense (&f.r, &f.matrices, &f.drift);
  fail_unless (m2v_slice_rewriter_pass (&f.r, &f.slice));
  for (guint x = 0; x < 16 * COLUMNS; x++)
    fail_unless_equals_int (f.drift.frames[f.drift.newest].planes[0][x],
        x / 16 == 1 ? 0 : 40);
  f.slice.size = 8;
  fail_if (m2v_slice_rewriter_pass (&f.r, &f.slice));
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

/* In the closed loop the errors that are inherited are taken out where they are
 * worth a level, of macroblocks without any, too. */
GST_START_TEST (test_dense)
{
  /* 20 samples: with a DC of 160 * 32, 2 * level * 16 * 8 are 20 levels. */
  const gint16 error = 20 * 32;
  M2vMacroblock mbs[COLUMNS];
  M2vRequest request;
  Content content;
  bool copied;
  Fixture f;
  gsize size;

  set_up (&f);
  for (guint i = 0; i < COLUMNS; i++)
    init_macroblock (&mbs[i], i, 4, FALSE);
  /* Much, so that the slice does not become longer. */
  for (guint k = 1; k < 64; k++) {
    add_level (&mbs[0], 1, k, 30);
    add_level (&mbs[0], 2, k, 30);
  }
  write_slice (&f, mbs, COLUMNS, 4);
  start_picture (&f);
  begin_drift (&f, error);
  m2v_slice_rewriter_set_dense (&f.r, &f.matrices, &f.drift);
  m2v_slice_rewriter_begin (&f.r, &f.slice);
  for (guint i = 0; i < COLUMNS; i++) {
    fail_unless (m2v_slice_rewriter_next (&f.r, &request));
    fail_unless_equals_int (request.address, i);
    fail_unless (request.coded == (i == 0));
    m2v_slice_rewriter_quantise (&f.r, i == 0 ? 31 : 4);
  }
  fail_if (m2v_slice_rewriter_next (&f.r, &request));
  fail_unless (m2v_slice_rewriter_end (&f.r, &copied));
  fail_if (copied);
  size = m2v_slice_writer_finish (&f.r.writer);
  read_slice (&f, f.out, size, &content);
  fail_if (content.error);
  for (guint i = 1; i < COLUMNS; i++) {
    const gint16 *dc = &f.drift.frames[f.drift.newest].planes[0][16 * i];
    gint level = content.levels[i][0][0];
    gint value = (2 * level + 1) * 16 * 2 * (gint) content.codes[i];

    fail_unless (level > 0);
    /* What is left of it: an eighth of a DC in each sample. */
    fail_unless (ABS ((8 * error - value) / 8. - dc[0]) <= 1);
    fail_unless (ABS (dc[0]) < error / 4);
  }
  fail_unless (f.r.tally.gained >= 6 * (COLUMNS - 1));
  m2v_drift_free (&f.drift);
}

GST_END_TEST;

static Suite *
slicerewriter_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-slicerewriter");
  TCase *tc = tcase_create ("slices");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_scaled);
  tcase_add_test (tc, test_untouched);
  tcase_add_test (tc, test_maximum);
  tcase_add_test (tc, test_cut_short);
  tcase_add_test (tc, test_full);
  tcase_add_test (tc, test_pass);
  tcase_add_test (tc, test_dense);
  return s;
}

GST_CHECK_MAIN (slicerewriter);
