/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Random streams of all structures recoded with random settings: what must be
 * so whatever they are. RECODER_SEEDS: how many streams of each structure.
 */
#include "rewriting.h"

#include "comparing.h"
#include "madestream.h"
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
tame (gpointer data G_GNUC_UNUSED, const ScalerSliceWriter * w,
    ScalerMacroblock * mb)
{
  gint scale = scaler_quantiser_scale (w->picture, mb->quantiser);

  for (guint i = 0; i < w->picture->n_blocks; i++) {
    gint sum = 0;

    for (guint n = 0; n < mb->n_coefficients[i]; n++) {
      ScalerCoefficient *c = &mb->coefficients[i][n];
      gint limit = MAX ((MAX_SUM / 4 * 32 / 83 / scale - 1) / 2, 1);

      c->level = CLAMP (c->level, -limit, limit);
      c->form = SCALER_FORM_SHORTEST;
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

  scaler_vlc_init (&rewrite_vlc);
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
  ScalerPicture picture;
  ScalerMacroblock macroblocks[MAX_MACROBLOCKS];
  gboolean there[MAX_MACROBLOCKS];
} Read;

static void
add_skipped (Read * r, const ScalerMacroblock * mb)
{
  for (guint i = 1; i <= mb->n_skipped; i++) {
    ScalerMacroblock *skipped = &r->macroblocks[mb->address - i];

    memset (skipped, 0, sizeof *skipped);
    skipped->type = mb->skipped_type;
    skipped->motion = scaler_implied_motion (&r->picture);
    for (guint s = 0; s < 2; s++) {
      memcpy (skipped->vectors[0][s].vector, mb->skipped_vectors[s],
          sizeof mb->skipped_vectors[s]);
      skipped->vectors[0][s].bottom = r->picture.structure == MPEG_BOTTOM_FIELD;
    }
    r->there[mb->address - i] = TRUE;
  }
}

static void
read_picture (Read * r, const MpegSequence * sequence,
    const MpegPicture * span, const guint8 * data)
{
  const guint8 *slices = data + span->slices.offset;
  static ScalerMacroblock mb;
  ScalerSliceReader reader;
  gsize position = 0;
  MpegRange range;

  memset (r->there, 0, sizeof r->there);
  fail_unless (scaler_picture_init (&r->picture, sequence, span));
  fail_unless (r->picture.columns * r->picture.rows <= MAX_MACROBLOCKS);
  while (scaler_slices_next (slices, span->slices.size, &position, &range)) {
    fail_unless (scaler_slice_reader_begin (&reader, &r->picture,
            &rewrite_vlc, slices + range.offset, range.size));
    while (scaler_slice_reader_next (&reader, &mb)) {
      r->macroblocks[mb.address] = mb;
      r->there[mb.address] = TRUE;
      add_skipped (r, &mb);
    }
    fail_if (reader.error);
  }
}

static guint
direction (const ScalerPicture * p, const ScalerMacroblock * mb)
{
  if (mb->type & SCALER_INTRA)
    return mb->motion != 0 ? SCALER_FORWARD : 0;
  return p->type == MPEG_PICTURE_P ? SCALER_FORWARD
      : mb->type & (SCALER_FORWARD | SCALER_BACKWARD);
}

static void
assert_same_vector (const ScalerMacroblock * a, const ScalerMacroblock * b,
    guint r, guint s)
{
  const ScalerVector *v = &a->vectors[r][s], *w = &b->vectors[r][s];

  fail_unless (memcmp (v->vector, w->vector, sizeof v->vector) == 0);
  fail_unless_equals_int (v->bottom, w->bottom);
  if (a->motion == SCALER_MOTION_DUAL_PRIME)
    fail_unless (memcmp (v->dmvector, w->dmvector, sizeof v->dmvector) == 0);
}

/* What a decoder adds the coefficients to is the same. */
static void
assert_same_prediction (const ScalerPicture * p, const ScalerMacroblock * a,
    const ScalerMacroblock * b)
{
  guint used = direction (p, a);

  fail_unless_equals_int (a->type & SCALER_INTRA, b->type & SCALER_INTRA);
  fail_unless_equals_int (used, direction (p, b));
  fail_unless_equals_int (a->motion, b->motion);
  for (guint r = 0; r < scaler_vector_count (p, a->motion); r++) {
    if (used & SCALER_FORWARD)
      assert_same_vector (a, b, r, 0);
    if (used & SCALER_BACKWARD)
      assert_same_vector (a, b, r, 1);
  }
  if (!(a->type & SCALER_INTRA))
    return;
  fail_unless_equals_int (a->field_dct, b->field_dct);
  fail_unless (memcmp (a->dc, b->dc, p->n_blocks * sizeof *a->dc) == 0);
}

static void
assert_same_pictures (const MpegSplitter * from, const MpegSplitter * to,
    const MpegPicture * a, const MpegPicture * b, const guint8 * in,
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
    assert_same_prediction (&before.picture, &before.macroblocks[i],
        &after.macroblocks[i]);
  }
}

static void
assert_same_structure (const GByteArray * in, const GByteArray * out)
{
  gsize position = 0, other = 0;
  MpegSplitter from, to;
  MpegPicture a, b;

  mpeg_splitter_init (&from);
  mpeg_splitter_init (&to);
  while (mpeg_splitter_next (&from, in->data, in->len, &position, &a)) {
    fail_unless (mpeg_splitter_next (&to, out->data, out->len, &other, &b));
    fail_unless_equals_int (a.kind, b.kind);
    if (a.kind == MPEG_SPAN_PICTURE)
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

static Suite *
recoderproperties_suite (void)
{
  Suite *s = suite_create ("scaler-core-recoderproperties");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_made, 0, MADE_N_SMALL);
  return s;
}

GST_CHECK_MAIN (recoderproperties);
