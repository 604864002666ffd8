/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Pictures of real streams read again after they have been requantized: each
 * macroblock against what the standard's formulas make of the source's.
 */
#include <math.h>

#include "requantizing.h"

#include "../often.h"

#define N_FRAMES 12
#define MAX_MACROBLOCKS (120 * 68)

/* No hysteresis: what is wanted is what is used. */
static const M2vRequantizerSettings exact = {
  .rounding = {3, 0},
  .max_code = 31
};

/* By address. */
static M2vMacroblock before[MAX_MACROBLOCKS], after[MAX_MACROBLOCKS];
static guint n_rewritten, n_emptied, n_skipped, n_dc_alone;

static void
add_skipped (const M2vPictureParams * p, const M2vMacroblock * mb,
    M2vMacroblock * all)
{
  for (guint i = 1; i <= mb->n_skipped; i++) {
    M2vMacroblock *skipped = &all[mb->address - i];

    memset (skipped, 0, sizeof *skipped);
    skipped->type = mb->skipped_type;
    skipped->motion = m2v_implied_motion (p);
    skipped->quantiser = mb->before.quantiser;
    for (guint s = 0; s < 2; s++) {
      memcpy (skipped->vectors[0][s].vector, mb->skipped_vectors[s],
          sizeof mb->skipped_vectors[s]);
      skipped->vectors[0][s].bottom = p->structure == M2V_BOTTOM_FIELD;
    }
  }
}

/* Returns the slice's end: the address behind it. */
static guint
read_slice (const M2vPictureParams * p, const guint8 * data, gsize size,
    M2vMacroblock * all, guint * begin)
{
  static M2vMacroblock mb;
  M2vSliceReader r;

  *begin = G_MAXUINT;
  fail_unless (m2v_slice_reader_begin (&r, p, &rewrite_vlc, data, size));
  while (m2v_slice_reader_next (&r, &mb)) {
    *begin = MIN (*begin, mb.address);
    all[mb.address] = mb;
    add_skipped (p, &mb, all);
  }
  fail_if (r.error);
  return mb.address + 1;
}

static gint
expected_level (gboolean intra, gint level, gint from, gint to)
{
  gint n = ABS (level);

  n = intra ? (8 * n * from + 3 * to) / (8 * to)
      : (2 * n + 1) * from / (2 * to);
  return level < 0 ? -n : n;
}

/* Returns how many coefficients are expected to be left. */
static guint
assert_block (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b, guint block, guint code)
{
  gint from = m2v_quantiser_scale (p, a->quantiser);
  gint to = m2v_quantiser_scale (p, code);
  gboolean intra = a->type & M2V_INTRA;
  guint n = 0;

  if (intra)
    fail_unless_equals_int (a->dc[block], b->dc[block]);
  for (guint i = 0; i < a->n_coefficients[block]; i++) {
    const M2vCoefficient *c = &a->coefficients[block][i];
    gint level = expected_level (intra, c->level, from, to);

    if (level == 0)
      continue;
    often_fail_unless (n < b->n_coefficients[block]);
    often_fail_unless_equals (b->coefficients[block][n].level, level);
    often_fail_unless_equals (b->coefficients[block][n].position, c->position);
    n++;
  }
  often_fail_unless_equals (b->n_coefficients[block], n);
  return n;
}

static guint
has_coefficients (const M2vPictureParams * p, const M2vMacroblock * mb)
{
  guint n = 0;

  for (guint i = 0; i < p->n_blocks; i++)
    n += mb->n_coefficients[i];
  return n;
}

static void
assert_macroblock (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b, const Controller * controller)
{
  M2vRequest request = {.address = a->address,.code = a->quantiser };
  guint code = controller->code (controller->user, &request), n = 0;

  code = CLAMP (code, a->quantiser, 31);
  assert_same_prediction (p, a, b);
  for (guint i = 0; i < p->n_blocks; i++)
    n += assert_block (p, a, b, i, code);
  if (n > 0) {
    fail_unless_equals_int (b->quantiser, code);
    fail_unless_equals_int (b->field_dct, a->field_dct);
  } else {
    /* None is transmitted in vain. */
    fail_if ((b->type & M2V_QUANT) && has_coefficients (p, a));
    n_dc_alone += has_coefficients (p, a) && (a->type & M2V_INTRA);
  }
  if (b->type & M2V_INTRA)
    fail_unless_equals_int (b->field_dct, a->field_dct);
  n_emptied += (a->type & M2V_PATTERN) && !(b->type & M2V_PATTERN);
}

/* What a macroblock in the output was written as. */
static void
count_skipped (guint begin, guint end)
{
  for (guint i = begin; i < end; i++)
    n_skipped += before[i].type & M2V_PATTERN
        && after[i].end == 0 && after[i].begin == 0;
}

static void
assert_slice (const Requantized * q, const M2vRange * from,
    const M2vRange * to, const Controller * controller)
{
  const M2vPictureParams *p = &q->picture;
  guint begin, end, other, i;

  fail_unless (to->size < from->size);
  end = read_slice (p, q->slices + from->offset, from->size, before, &begin);
  fail_unless_equals_int (read_slice (p, q->out + to->offset, to->size, after,
          &other), end);
  fail_unless_equals_int (begin, other);
  for (i = begin; i < end; i++)
    assert_macroblock (p, &before[i], &after[i], controller);
  count_skipped (begin, end);
}

static gboolean
is_same (const Requantized * q, const M2vRange * from, const M2vRange * to)
{
  return from->size == to->size && memcmp (q->slices + from->offset,
      q->out + to->offset, from->size) == 0;
}

static void
assert_levels (gpointer user, const Requantized * q)
{
  const Requantize *how = user;
  guint n_slices = 0, n_same = 0;
  gsize position = 0, other = 0;
  M2vRange from, to;

  fail_unless (q->picture.columns * q->picture.rows <= MAX_MACROBLOCKS);
  while (m2v_slices_next (q->slices, q->size, &position, &from)) {
    fail_unless (m2v_slices_next (q->out, q->result.size_out, &other, &to));
    n_slices++;
    if (is_same (q, &from, &to))
      n_same++;
    else
      assert_slice (q, &from, &to, &how->controller);
  }
  fail_unless_equals_uint64 (other, q->result.size_out);
  fail_unless_equals_int (q->result.n_slices, n_slices);
  fail_unless_equals_int (q->result.n_copied, n_same);
  n_rewritten += n_slices - n_same;
}

/* Wants much here and nothing there, so that quantisers change all the time. */
static guint
restless_code (gpointer user G_GNUC_UNUSED, const M2vRequest * request)
{
  return request->code + (request->address * 7919 >> 3) % 5;
}

static const Wanted raises[] = { {1, 1}, {1.5, 0}, {3, 0}, {0, 31} };

static void
assert_stream_levels (const gchar * name, const guint8 * data, gsize size)
{
  for (guint i = 0; i <= G_N_ELEMENTS (raises); i++) {
    gboolean restless = i == G_N_ELEMENTS (raises);
    Requantize how = {
      .requantizer = m2v_requantizer_new (),
      .controller = {restless ? restless_code : wanted_code,
          (gpointer) & raises[restless ? 0 : i]},
      .n_frames = N_FRAMES,
      .after = assert_levels
    };

    how.user = &how;
    n_rewritten = 0;
    m2v_requantizer_set (how.requantizer, &exact);
    g_byte_array_unref (requantize_stream (&how, data, size));
    m2v_requantizer_free (how.requantizer);
    fail_unless (n_rewritten > 0, "%s", name);
  }
}

GST_START_TEST (test_levels)
{
  for_each_stream (FALSE, assert_stream_levels);
  fail_unless (n_emptied > 0 && n_skipped > 0 && n_dc_alone > 0);
}

GST_END_TEST;

GST_START_TEST (test_levels_media)
{
  for_each_stream (TRUE, assert_stream_levels);
}

GST_END_TEST;

/* With hysteresis: what is not wanted coarser stays as it is; else it is near
 * to what is wanted, exactly that where the slice's header has it, but never
 * finer than it was, nor beyond the limit. */
static void
assert_near (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b, guint max_code, gboolean bound)
{
  M2vRequest request = {.address = a->address,.code = a->quantiser };
  guint wanted = MIN (restless_code (NULL, &request), max_code);
  gint from = m2v_quantiser_scale (p, wanted);
  gint to = m2v_quantiser_scale (p, b->quantiser);

  fail_unless (b->quantiser >= a->quantiser);
  if (wanted <= a->quantiser) {
    fail_unless_equals_int (b->quantiser, a->quantiser);
    return;
  }
  fail_unless (b->quantiser <= max_code);
  fail_unless (ABS (from - to) <= (bound && from >= 8 ? 4 : 0));
}

static void
assert_near_slice (const Requantized * q, const M2vRange * from,
    const M2vRange * to, guint max_code)
{
  const M2vPictureParams *p = &q->picture;
  gboolean bound = FALSE;
  guint begin, end;

  end = read_slice (p, q->slices + from->offset, from->size, before, &begin);
  read_slice (p, q->out + to->offset, to->size, after, &begin);
  for (guint i = begin; i < end; i++) {
    if (has_coefficients (p, &after[i]))
      assert_near (p, &before[i], &after[i], max_code, bound);
    bound = bound || has_coefficients (p, &before[i])
        || (before[i].type & M2V_QUANT);
  }
}

static void
assert_all_near (gpointer user, const Requantized * q)
{
  gsize position = 0, other = 0;
  M2vRange from, to;

  while (m2v_slices_next (q->slices, q->size, &position, &from)) {
    fail_unless (m2v_slices_next (q->out, q->result.size_out, &other, &to));
    if (!is_same (q, &from, &to))
      assert_near_slice (q, &from, &to, *(guint *) user);
  }
}

static void
assert_stream_near (const gchar * name G_GNUC_UNUSED, const guint8 * data,
    gsize size)
{
  static guint limits[] = { 31, 12, 7 };

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    M2vRequantizerSettings settings = m2v_requantizer_defaults;
    Requantize how = {
      .requantizer = m2v_requantizer_new (),
      .controller = {restless_code, NULL},
      .n_frames = N_FRAMES,
      .after = assert_all_near,
      .user = &limits[i]
    };

    settings.max_code = limits[i];
    m2v_requantizer_set (how.requantizer, &settings);
    g_byte_array_unref (requantize_stream (&how, data, size));
    m2v_requantizer_free (how.requantizer);
  }
}

GST_START_TEST (test_hysteresis)
{
  for_each_stream (__i__, assert_stream_near);
}

GST_END_TEST;

/* What was counted, against the slices before and after. */
static void
count (const M2vPictureParams * p, const guint8 * slices, gsize size,
    gdouble * mean, guint64 * n_coefficients)
{
  static M2vMacroblock mb;
  guint64 sum = 0, n = 0;
  gsize position = 0;
  M2vRange range;

  *n_coefficients = 0;
  while (m2v_slices_next (slices, size, &position, &range)) {
    M2vSliceReader r;

    fail_unless (m2v_slice_reader_begin (&r, p, &rewrite_vlc,
            slices + range.offset, range.size));
    while (m2v_slice_reader_next (&r, &mb)) {
      sum += mb.n_skipped * m2v_quantiser_scale (p, mb.before.quantiser);
      sum += m2v_quantiser_scale (p, mb.quantiser);
      n += mb.n_skipped + 1;
      *n_coefficients += has_coefficients (p, &mb);
    }
  }
  *mean = (gdouble) sum / n;
}

static void
assert_result (gpointer user G_GNUC_UNUSED, const Requantized * q)
{
  const M2vRequantized *result = &q->result;
  guint64 n_in, n_out;
  gdouble in, out;

  count (&q->picture, q->slices, q->size, &in, &n_in);
  count (&q->picture, q->out, result->size_out, &out, &n_out);
  fail_unless (fabs (result->mean_in - in) < 1e-9);
  fail_unless (fabs (result->mean_out - out) < 1e-9, "%g instead of %g",
      result->mean_out, out);
  fail_unless_equals_uint64 (result->kept, n_out);
  fail_unless_equals_uint64 (result->kept + result->dropped, n_in);
}

static void
assert_stream_result (const gchar * name G_GNUC_UNUSED, const guint8 * data,
    gsize size)
{
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {restless_code, NULL},
    .n_frames = N_FRAMES,
    .after = assert_result
  };

  g_byte_array_unref (requantize_stream (&how, data, size));
  m2v_requantizer_set (how.requantizer, &exact);
  g_byte_array_unref (requantize_stream (&how, data, size));
  m2v_requantizer_free (how.requantizer);
}

GST_START_TEST (test_result)
{
  for_each_stream (FALSE, assert_stream_result);
}

GST_END_TEST;

GST_START_TEST (test_result_media)
{
  for_each_stream (TRUE, assert_stream_result);
}

GST_END_TEST;

static Suite *
requantizer_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-requantizer");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_test (tc, test_levels);
  tcase_add_test (tc, test_levels_media);
  tcase_add_loop_test (tc, test_hysteresis, FALSE, TRUE + 1);
  tcase_add_test (tc, test_result);
  tcase_add_test (tc, test_result_media);
  return s;
}

GST_CHECK_MAIN (requantizer);
