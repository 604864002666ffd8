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

/* What real streams lack, with coefficients of any kind. */
static const MadeStreamParams made[] = {
  {.name = "MPEG-1",.width = 96,.height = 96,.f_code = 2},
  {.name = "MPEG-1, whole samples",.width = 352,.height = 48,
      .full_pel = TRUE,.f_code = 3},
  {.name = "MPEG-1, far vectors",.width = 1408,.height = 48,.f_code = 7},
  {.name = "progressive",.mpeg2 = TRUE,.width = 96,.height = 80,
        .chroma_format = 1,.frame_pred_frame_dct = TRUE,.dc_precision = 3,
      .f_code = 2},
  {.name = "frames",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 1,.concealment = TRUE,
        .q_scale_type = TRUE,.alternate_scan = TRUE,.dc_precision = 2,
      .f_code = 4},
  {.name = "frames, dual prime",.mpeg2 = TRUE,.width = 112,.height = 96,
      .interlaced = TRUE,.chroma_format = 1,.dual_prime = TRUE,.f_code = 2},
  {.name = "fields",.mpeg2 = TRUE,.width = 96,.height = 128,
        .interlaced = TRUE,.chroma_format = 1,.field_pictures = TRUE,
        .q_scale_type = TRUE,.intra_vlc = TRUE,.dc_precision = 1,
      .f_code = 3},
  {.name = "fields, dual prime",.mpeg2 = TRUE,.width = 112,.height = 128,
        .interlaced = TRUE,.chroma_format = 1,.field_pictures = TRUE,
      .dual_prime = TRUE,.concealment = TRUE,.f_code = 2},
  {.name = "changing matrices",.mpeg2 = TRUE,.width = 320,.height = 64,
        .interlaced = TRUE,.chroma_format = 1,.matrices = TRUE,
      .f_code = 6},
  {.name = "high",.mpeg2 = TRUE,.width = 32,.height = 2848,
        .chroma_format = 1,.frame_pred_frame_dct = TRUE,.intra_vlc = TRUE,
      .f_code = 2},
  {.name = "4:2:2",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 2,.matrices = TRUE,
      .dc_precision = 2,.f_code = 3},
  {.name = "4:2:2, dual prime",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 2,.dual_prime = TRUE,
      .f_code = 2},
  {.name = "4:2:2 fields",.mpeg2 = TRUE,.width = 112,.height = 128,
        .interlaced = TRUE,.chroma_format = 2,.field_pictures = TRUE,
      .matrices = TRUE,.f_code = 2},
};

/* The most that a coefficient of that level can be: made streams have no
 * weights above. */
static gint
largest (const ScalerPicture * picture, const ScalerMacroblock * mb, gint level)
{
  gint weight = mb->type & SCALER_INTRA ? 83 : 64;
  gint scale = scaler_quantiser_scale (picture, mb->quantiser);

  return (2 * ABS (level) + 1) * weight * scale / 32;
}

static void
set_level (ScalerCoefficient * c, gint level)
{
  c->level = level;
  c->form = SCALER_FORM_SHORTEST;
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
tame (gpointer data, const ScalerSliceWriter * w, ScalerMacroblock * mb)
{
  const Taming *t = data;

  mb->quantiser = g_rand_boolean (t->rand) ? 1
      : g_rand_int_range (t->rand, 1, 32);
  for (guint i = 0; i < w->picture->n_blocks; i++) {
    gboolean intra = (mb->type & SCALER_INTRA) != 0;
    gint sum = intra ? mb->dc[i] * 8 >> w->picture->intra_dc_precision : 0;
    guint n = 0;

    for (; n < mb->n_coefficients[i]; n++) {
      ScalerCoefficient *c = &mb->coefficients[i][n];

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

/* Any matrices, which stay until there are others. */
static void
append_matrices (GByteArray * out, guint n_matrices, GRand * rand)
{
  guint8 extension[MPEG_QUANT_MATRIX_MAX_SIZE];
  MpegMatrices matrices;
  gsize size;

  for (guint i = 0; i < MPEG_N_MATRICES; i++) {
    for (guint k = 0; k < 64; k++)
      matrices.matrix[i][k] = g_rand_int_range (rand, 8, 65);
  }
  size = mpeg_write_quant_matrix (extension, &matrices,
      g_rand_int_range (rand, 1, 1 << n_matrices));
  g_byte_array_append (out, extension, size);
}

/* Some pictures get matrices, some frames begin with their bottom field. */
static GByteArray *
vary (const GByteArray * stream, GRand * rand)
{
  GByteArray *out = g_byte_array_new ();
  MpegSplitter splitter;
  MpegPicture span;
  gsize position = 0;

  mpeg_splitter_init (&splitter);
  while (mpeg_splitter_next (&splitter, stream->data, stream->len, &position,
          &span)) {
    const guint8 *bytes = stream->data + span.begin;
    gsize head = span.kind == MPEG_SPAN_PICTURE ? span.after_coding : 0;
    guint n = splitter.sequence.chroma_format == 1 ? 2 : MPEG_N_MATRICES;

    g_byte_array_append (out, bytes, head);
    /* The extension's last 10 bits begin with top_field_first. */
    if (head > 0 && span.coding.structure == MPEG_FRAME_PICTURE
        && !span.coding.progressive_frame && g_rand_boolean (rand))
      out->data[out->len - 2] ^= 0x80;
    if (head > 0 && span.quant_matrix.size == 0 && g_rand_boolean (rand))
      append_matrices (out, n, rand);
    g_byte_array_append (out, bytes + head, span.size - head);
  }
  return out;
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
  MadeStreamParams params = made[__i__];

  params.rough = TRUE;
  scaler_vlc_init (&rewrite_vlc);
  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (&params, seed);
    GRand *rand = g_rand_new_with_seed (seed);
    GByteArray *varied = vary (s->bytes, rand);

    for (Decoder decoder = 0; decoder < N_DECODERS; decoder++)
      check_made (params.name, decoder, varied, rand);
    g_byte_array_unref (varied);
    g_rand_free (rand);
    made_stream_free (s);
  }
}

GST_END_TEST;

static Suite *
decode_suite (void)
{
  Suite *s = suite_create ("scaler-core-decode");
  TCase *tc = tcase_create ("streams");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_real, 0, 2);
  tcase_add_loop_test (tc, test_made, 0, G_N_ELEMENTS (made));
  return s;
}

GST_CHECK_MAIN (decode);
