/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the slice reader reads, decoded: the same pictures as decoders show. The
 * committed streams, those of MPEG_MEDIA_DIR, and made ones.
 */
#include "rewriting.h"

#include "comparing.h"
#include "madestream.h"

#define N_SEEDS 3

static void
check_real (const gchar * name, const guint8 * data, gsize size)
{
  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
    if (decoder_present (decoder))
      compare_decoded (name, data, size, decoder);
  }
}

GST_START_TEST (test_real)
{
  for_each_stream (__i__, check_real);
}

GST_END_TEST;

/* The most that a coefficient of that level can be: made streams have no
 * weights above. */
static gint
largest (const M2vPictureParams * picture, const M2vMacroblock * mb, gint level)
{
  gint weight = mb->type & M2V_INTRA ? 83 : 64;
  gint scale = m2v_quantiser_scale (picture, mb->quantiser);

  return (2 * ABS (level) + 1) * weight * scale / 32;
}

static void
set_level (M2vCoefficient * c, gint level)
{
  c->level = level;
  c->form = M2V_FORM_SHORTEST;
}

/* What mpeg2dec's transform has room for: 16 bits between its two passes, there
 * up to 11.1 times the coefficients. */
#define MAX_SUM 2900

typedef struct
{
  Decoder decoder;
  GRand *rand;
} Taming;

/* Where the ways to code a level change. */
static const gint16 edges[2][4] = {
  {127, -127, 128, -128},
  {40, -41, 2047, -2047}
};

/* Any quantiser, levels at the edges, and no more than decoders can do; FFmpeg
 * does not saturate coefficients. */
static RewriteWay
tame (gpointer data, const M2vSliceWriter * w, M2vMacroblock * mb)
{
  const Taming *t = data;

  mb->quantiser = g_rand_boolean (t->rand) ? 1
      : g_rand_int_range (t->rand, 1, 32);
  for (guint i = 0; i < w->picture->n_blocks; i++) {
    gboolean intra = (mb->type & M2V_INTRA) != 0;
    gint sum = intra ? mb->dc[i] * 8 >> w->picture->intra_dc_precision : 0;
    guint n = 0;

    for (; n < mb->n_coefficients[i]; n++) {
      M2vCoefficient *c = &mb->coefficients[i][n];

      if (g_rand_int_range (t->rand, 0, 20) == 0)
        set_level (c, edges[w->picture->mpeg2][g_rand_int_range (t->rand, 0,
                    4)]);
      while (t->decoder == DECODER_FFMPEG
          && largest (w->picture, mb, c->level) > 2047)
        set_level (c, c->level / 2);
      sum += MIN (largest (w->picture, mb, c->level), 2048);
      if (sum > MAX_SUM && (n > 0 || intra))
        break;
    }
    mb->n_coefficients[i] = n;
  }
  return REWRITE_PUT;
}

static void
check_made (const gchar * name, Decoder decoder, const GByteArray * stream,
    GRand * rand)
{
  Taming taming = { decoder, rand };
  const Rewrite how = {.macroblock = tame,.data = &taming };
  GByteArray *tamed;

  if (!decoder_present (decoder))
    return;
  tamed = rewrite (stream->data, stream->len, &how);
  compare_decoded (name, tamed->data, tamed->len, decoder);
  g_byte_array_unref (tamed);
}

GST_START_TEST (test_made)
{
  const MadeStreamParams *params = &made_structures[__i__];

  m2v_vlc_init (&rewrite_vlc);
  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (params, seed);
    GRand *rand = g_rand_new_with_seed (seed);
    GByteArray *varied = made_stream_vary (s, rand, FALSE);

    for (Decoder decoder = 0; decoder < N_DECODERS; decoder++)
      check_made (params->name, decoder, varied, rand);
    g_byte_array_unref (varied);
    g_rand_free (rand);
    made_stream_free (s);
  }
}

GST_END_TEST;

static Suite *
decode_suite (void)
{
  Suite *s = suite_create ("mpeg2-decode");
  TCase *tc = tcase_create ("streams");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_real, 0, 2);
  tcase_add_loop_test (tc, test_made, 0, MADE_N_STRUCTURES);
  return s;
}

GST_CHECK_MAIN (decode);
