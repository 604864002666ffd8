/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Random streams of all structures recoded with random settings: what must be
 * so whatever they are. RECODER_SEEDS: how many streams of each structure.
 */
#include "../mpeg2/rewriting.h"

#include "../mpeg2/comparing.h"
#include "../mpeg2/madestream.h"
#include "recoding.h"

#define N_SEEDS 4
#define MAX_MACROBLOCKS 256

static guint
n_seeds (void)
{
  const gchar *seeds = g_getenv ("RECODER_SEEDS");

  return seeds ? g_ascii_strtoull (seeds, NULL, 10) : N_SEEDS;
}

/* What all decoders have room for (decode.c): samples would overflow or be
 * saturated at different places. */
#define MAX_SUM 1000

static RewriteWay
tame (gpointer data G_GNUC_UNUSED, const M2vSliceWriter * w, M2vMacroblock * mb)
{
  gint scale = m2v_quantiser_scale (w->picture, mb->quantiser);

  for (guint i = 0; i < w->picture->n_blocks; i++) {
    gint sum = 0;

    for (guint n = 0; n < mb->n_coefficients[i]; n++) {
      M2vCoefficient *c = &mb->coefficients[i][n];
      gint limit = MAX ((MAX_SUM / 4 * 32 / 83 / scale - 1) / 2, 1);

      c->level = CLAMP (c->level, -limit, limit);
      c->form = M2V_FORM_SHORTEST;
      sum += (2 * ABS (c->level) + 1) * 83 * scale / 32;
      if (sum > MAX_SUM)
        mb->n_coefficients[i] = n + 1;
    }
  }
  return REWRITE_PUT;
}

static GByteArray *
make (const MadeStreamParams * params, guint32 seed)
{
  const Rewrite how = {.macroblock = tame };
  MadeStream *s;
  GByteArray *tamed;

  m2v_vlc_init (&rewrite_vlc);
  s = made_stream_new (params, seed);
  tamed = rewrite (s->bytes->data, s->bytes->len, &how);
  made_stream_free (s);
  return tamed;
}

/* Seven frames, 25 a second. */
static Recode
random_settings (GRand * rand, gsize size)
{
  Recode how = recode_all (size * 8 * 25 / 7
      * g_rand_double_range (rand, .2, .9));

  how.settings.max_code = g_rand_int_range (rand, 4, 32);
  how.settings.drift = g_rand_int_range (rand, 0, 3);
  how.settings.rate_distortion = g_rand_boolean (rand);
  how.settings.modulate = g_rand_boolean (rand);
  how.settings.kb = g_rand_double_range (rand, .5, 4);
  how.settings.front_load = g_rand_double_range (rand, 0, 2);
  return how;
}

/* A picture, by address. */
typedef struct
{
  M2vPictureParams picture;
  M2vMacroblock macroblocks[MAX_MACROBLOCKS];
  gboolean there[MAX_MACROBLOCKS];
} Read;

static void
add_skipped (Read * r, const M2vMacroblock * mb)
{
  for (guint i = 1; i <= mb->n_skipped; i++) {
    M2vMacroblock *skipped = &r->macroblocks[mb->address - i];

    memset (skipped, 0, sizeof *skipped);
    skipped->type = mb->skipped_type;
    skipped->motion = m2v_implied_motion (&r->picture);
    for (guint s = 0; s < 2; s++) {
      memcpy (skipped->vectors[0][s].vector, mb->skipped_vectors[s],
          sizeof mb->skipped_vectors[s]);
      skipped->vectors[0][s].bottom = r->picture.structure == M2V_BOTTOM_FIELD;
    }
    r->there[mb->address - i] = TRUE;
  }
}

static void
read_picture (Read * r, const M2vSequence * sequence,
    const M2vPicture * span, const guint8 * data)
{
  const guint8 *slices = data + span->slices.offset;
  static M2vMacroblock mb;
  M2vSliceReader reader;
  gsize position = 0;
  M2vRange range;

  memset (r->there, 0, sizeof r->there);
  fail_unless (m2v_picture_params_init (&r->picture, sequence, span));
  fail_unless (r->picture.columns * r->picture.rows <= MAX_MACROBLOCKS);
  while (m2v_slices_next (slices, span->slices.size, &position, &range)) {
    fail_unless (m2v_slice_reader_begin (&reader, &r->picture,
            &rewrite_vlc, slices + range.offset, range.size));
    while (m2v_slice_reader_next (&reader, &mb)) {
      r->macroblocks[mb.address] = mb;
      r->there[mb.address] = TRUE;
      add_skipped (r, &mb);
    }
    fail_if (reader.error);
  }
}

/* What a decoder adds the coefficients to is the same. */
static void
assert_same_intra (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b)
{
  assert_same_prediction (p, a, b);
  if (!(a->type & M2V_INTRA))
    return;
  fail_unless_equals_int (a->field_dct, b->field_dct);
  fail_unless (memcmp (a->dc, b->dc, p->n_blocks * sizeof *a->dc) == 0);
}

static void
assert_same_pictures (const M2vSplitter * from, const M2vSplitter * to,
    const M2vPicture * a, const M2vPicture * b, const guint8 * in,
    const guint8 * out)
{
  static Read before, after;

  fail_unless (b->valid && b->size <= a->size);
  fail_unless_equals_int (a->slices.offset, b->slices.offset);
  fail_unless_equals_int (a->header.type, b->header.type);
  fail_unless (memcmp (&a->coding, &b->coding, sizeof a->coding) == 0);
  read_picture (&before, &from->sequence, a, in);
  read_picture (&after, &to->sequence, b, out);
  for (guint i = 0; i < before.picture.columns * before.picture.rows; i++) {
    fail_unless (before.there[i] && after.there[i]);
    assert_same_intra (&before.picture, &before.macroblocks[i],
        &after.macroblocks[i]);
  }
}

static void
assert_same_structure (const GByteArray * in, const GByteArray * out)
{
  gsize position = 0, other = 0;
  M2vSplitter from, to;
  M2vPicture a, b;

  m2v_splitter_init (&from);
  m2v_splitter_init (&to);
  while (m2v_splitter_next (&from, in->data, in->len, &position, &a)) {
    fail_unless (m2v_splitter_next (&to, out->data, out->len, &other, &b));
    fail_unless_equals_int (a.kind, b.kind);
    if (a.kind == M2V_SPAN_PICTURE)
      assert_same_pictures (&from, &to, &a, &b, in->data + a.begin,
          out->data + b.begin);
  }
  fail_unless_equals_uint64 (other, out->len);
}

static void
check_made (const MadeStreamParams * params, guint32 seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  GByteArray *in = make (params, seed);
  Recode how = random_settings (rand, in->len);
  Recoded out = recode (&how, in->data, in->len);
  Recoded again = recode (&how, in->data, in->len);

  GST_INFO ("%s, seed %u: drift %u, by cost %u: %u of %u bytes, %"
      G_GUINT64_FORMAT " recoded", params->name, seed, how.settings.drift,
      how.settings.rate_distortion, out.out->len, in->len, out.stats.recoded);
  fail_unless_equals_int (out.n_pictures_out, out.n_pictures);
  fail_unless_equals_uint64 (out.stats.unreadable, 0);
  assert_same_structure (in, out.out);
  assert_same_bytes (out.out, again.out->data, again.out->len);
  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
    if (decoder_present (decoder))
      compare_decoded (params->name, out.out->data, out.out->len, decoder);
  }
  g_byte_array_unref (again.out);
  g_byte_array_unref (out.out);
  g_byte_array_unref (in);
  g_rand_free (rand);
}

GST_START_TEST (test_made)
{
  for (guint seed = 0; seed < n_seeds (); seed++)
    check_made (&made_structures[__i__], seed * MADE_N_SMALL + __i__);
}

GST_END_TEST;

static guint
count_stuffing (const GByteArray * bytes)
{
  M2vSplitter splitter;
  M2vPicture span;
  gsize position = 0;
  guint n = 0;
  static Read r;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, bytes->data, bytes->len, &position,
          &span)) {
    if (span.kind != M2V_SPAN_PICTURE)
      continue;
    read_picture (&r, &splitter.sequence, &span, bytes->data + span.begin);
    for (guint i = 0; i < MAX_MACROBLOCKS; i++)
      n += r.there[i] ? r.macroblocks[i].n_stuffing : 0;
  }
  return n;
}

/* MPEG-1's macroblock_stuffing goes, also where no coefficient does. */
GST_START_TEST (test_stuffing)
{
  GByteArray *in = make (&made_structures[__i__], __i__);
  Recode how = recode_all (1);
  Recoded out = recode (&how, in->data, in->len);

  fail_unless_equals_int (count_stuffing (in) > 0,
      !made_structures[__i__].mpeg2);
  fail_unless_equals_uint64 (out.stats.passed, 0);
  fail_unless_equals_int (count_stuffing (out.out), 0);
  g_byte_array_unref (out.out);
  g_byte_array_unref (in);
}

GST_END_TEST;

static Suite *
recoderproperties_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-recoderproperties");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_made, 0, MADE_N_SMALL);
  tcase_add_loop_test (tc, test_stuffing, 0, MADE_N_SMALL);
  return s;
}

GST_CHECK_MAIN (recoderproperties);
