/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The errors that the closed loop believes reference frames to have against
 * those that they have: source and output decoded by the test decoder, which
 * has nothing in common with the loop.
 */
#include <math.h>

#include "madestream.h"
#include "requantizing.h"
#include "slicerequantizer.h"
#include "testdecoder.h"

#define N_FRAMES 30
#define N_SEEDS 3

/* Of one picture. Both decoders round their predictions: a half sample in both
 * directions by -1/4 to 1/2, the average of two such by as much and, itself, by
 * 1/2, so that they differ by 1.25 at most. A coefficient is rounded to an
 * integer, and F[7][7] by mismatch control, so by less than 1 (MPEG-1: 2), in
 * either; that is a quarter of it in a sample. There are mostly some few
 * coefficients, and more than that of real errors anywhere where something is
 * predicted wrongly. */
#define MAX_ALONE 5
#define MAX_MEAN_ALONE 0.25

/* Of a chain of them, where such errors add up as random ones do. */
#define MAX_MEAN 0.5

typedef struct
{
  const gchar *name;
  ScalerRequantizer *requantizer;
  ScalerController controller;
  TestDecoder *source, *output;
  /* After each picture the loop is told the true errors. Then what it gets
   * wrong is one picture's rounding. */
  gboolean alone;
  gboolean pass;                /* no P is requantized */
  guint columns;
  gdouble sum, worst;           /* of differences */
  guint64 n;
  gdouble size;                 /* mean of the errors */
} Loop;

static gboolean
is_clipped (gdouble sample)
{
  return sample <= 0 || sample >= 255;
}

static void
compare_line (Loop * l, const TestPlane * a, const TestPlane * b, gsize at,
    const gint16 * errors, gboolean zero)
{
  for (guint x = 0; x < a->width; x++) {
    gdouble error = zero ? 0 : errors[x] / 32.0;
    gdouble difference = fabs (a->exact[at + x] - b->exact[at + x] - error);

    /* The loop does not know of these. */
    if (is_clipped (a->exact[at + x]) || is_clipped (b->exact[at + x]))
      continue;
    l->sum += difference;
    l->worst = MAX (l->worst, difference);
    l->size += fabs (a->exact[at + x] - b->exact[at + x]);
    l->n++;
  }
}

static void
tell_line (const TestPlane * a, const TestPlane * b, gsize at, gint16 * errors)
{
  for (guint x = 0; x < a->width; x++)
    errors[x] = (a->samples[at + x] - b->samples[at + x]) * 32;
}

static void
compare_picture (Loop * l, const MpegPicture * picture, const TestFrame * a,
    const TestFrame * b)
{
  ScalerDriftLoop *drift = scaler_requantizer_drift (l->requantizer);
  ScalerErrorFrame *frame = &drift->frames[drift->newest];
  MpegStructure structure = picture->mpeg2 ? picture->coding.structure
      : MPEG_FRAME_PICTURE;

  for (guint i = 0; i < 3; i++) {
    const TestPlane *plane = &a->planes[i];

    for (guint y = test_first_line (structure); y < plane->height;
        y += test_line_step (structure)) {
      gsize at = (gsize) y * plane->width;

      compare_line (l, plane, &b->planes[i], at, frame->planes[i] + at,
          frame->zero);
      if (!l->alone)
        continue;
      scaler_drift_touch (drift);
      tell_line (plane, &b->planes[i], at, frame->planes[i] + at);
    }
  }
}

static void
do_picture (Loop * l, const Stream * s, const StreamFrame * f, guint i,
    const TestFrame * a, const TestFrame * b)
{
  const MpegPicture *picture = &f->pictures[i];
  const guint8 *data = stream_picture (s, f, i);
  const ScalerSource source = { &f->sequence, picture, data, &f->matrices[i] };
  gsize capacity = picture->slices.size + SCALER_REQUANTIZER_RESERVE;
  guint8 *out = g_malloc (capacity);
  MpegPicture written = *picture;
  ScalerRequantized result;
  const gchar *error;

  if (l->pass && picture->header.type != MPEG_PICTURE_I) {
    fail_unless (scaler_requantizer_pass (l->requantizer, &source));
    memcpy (out, data + picture->slices.offset, picture->slices.size);
  } else {
    fail_unless (scaler_requantizer_picture (l->requantizer, &source,
            &l->controller, out, capacity, &result));
    fail_unless (result.size_out <= result.size_in);
    written.slices.size = result.size_out;
  }
  written.slices.offset = 0;
  error = test_decoder_picture (l->source, &f->sequence, &f->matrices[i],
      picture, data);
  fail_unless (error == NULL, "%s: %s", l->name, error);
  error = test_decoder_picture (l->output, &f->sequence, &f->matrices[i],
      &written, out);
  fail_unless (error == NULL, "%s: %s", l->name, error);
  compare_picture (l, picture, a, b);
  g_free (out);
}

static void
do_stream (Loop * l, const guint8 * data, gsize size)
{
  Stream *s = stream_new (g_memdup2 (data, size), size, N_FRAMES);

  l->columns = (stream_frame (s, 0)->sequence.width + 15) / 16;
  l->source = test_decoder_new ();
  l->output = test_decoder_new ();
  for (guint k = 0; k < s->frames->len; k++) {
    const StreamFrame *f = stream_frame (s, k);
    TestFrame *a, *b;

    if (stream_type (f) == MPEG_PICTURE_B)
      continue;
    a = test_decoder_begin (l->source, &f->sequence, &f->pictures[0]);
    b = test_decoder_begin (l->output, &f->sequence, &f->pictures[0]);
    for (guint i = 0; i < f->n_pictures; i++)
      do_picture (l, s, f, i, a, b);
  }
  test_decoder_free (l->source);
  test_decoder_free (l->output);
  stream_free (s);
}

/* Every other row is to stay as they are, and would come out larger for the
 * errors that it inherits: some are copied after all. */
static guint
unevenly (gpointer user, const ScalerRequest * request)
{
  const Loop *l = user;
  guint row = request->address / l->columns;

  return row % 2 == 0 ? request->code : request->code * 2 + 1;
}

static void
run_loop (Loop * l, const gchar * name, const guint8 * data, gsize size)
{
  ScalerRequantizerSettings settings = scaler_requantizer_defaults;
  ScalerController controller = { unevenly, l };

  settings.drift = SCALER_DRIFT_P;
  l->name = name;
  l->controller = controller;
  l->requantizer = scaler_requantizer_new ();
  scaler_requantizer_set (l->requantizer, &settings);
  do_stream (l, data, size);
  scaler_requantizer_free (l->requantizer);
  GST_INFO ("%s%s%s: errors of %.3f, off by %.3f, at worst %.3f", name,
      l->alone ? ", alone" : "", l->pass ? ", passed" : "", l->size / l->n,
      l->sum / l->n, l->worst);
  fail_unless (l->sum / l->n < (l->alone ? MAX_MEAN_ALONE : MAX_MEAN),
      "%s: off by %g", name, l->sum / l->n);
  fail_unless (!l->alone || l->worst < MAX_ALONE, "%s: off by %g at worst",
      name, l->worst);
  /* There is something to be right about. */
  fail_unless (l->size / l->n > 0.04, "%s: errors of %g", name, l->size / l->n);
}

static void
check_stream (const gchar * name, const guint8 * data, gsize size)
{
  for (guint way = 0; way < 4; way++) {
    Loop l = {.alone = way & 1,.pass = (way & 2) != 0 };

    run_loop (&l, name, data, size);
  }
}

GST_START_TEST (test_real)
{
  for_each_stream (__i__, check_stream);
}

GST_END_TEST;

static const MadeStreamParams made[] = {
  {.name = "MPEG-1",.width = 96,.height = 96,.f_code = 2},
  {.name = "MPEG-1, whole samples",.width = 352,.height = 48,
      .full_pel = TRUE,.f_code = 3},
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

/* Some frames begin with their bottom field, which dual prime hangs on: the
 * extension's last 10 bits begin with top_field_first. */
static void
turn_fields (GByteArray * stream, GRand * rand)
{
  MpegSplitter splitter;
  MpegPicture span;
  gsize position = 0;

  mpeg_splitter_init (&splitter);
  while (mpeg_splitter_next (&splitter, stream->data, stream->len, &position,
          &span)) {
    if (span.kind == MPEG_SPAN_PICTURE && span.after_coding > 0
        && span.coding.structure == MPEG_FRAME_PICTURE
        && !span.coding.progressive_frame && g_rand_boolean (rand))
      stream->data[span.begin + span.after_coding - 2] ^= 0x80;
  }
}

GST_START_TEST (test_made)
{
  MadeStreamParams params = made[__i__];

  params.rough = TRUE;
  scaler_vlc_init (&rewrite_vlc);
  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (&params, seed);
    GRand *rand = g_rand_new_with_seed (seed);

    turn_fields (s->bytes, rand);
    check_stream (params.name, s->bytes->data, s->bytes->len);
    g_rand_free (rand);
    made_stream_free (s);
  }
}

GST_END_TEST;

static Suite *
drift_suite (void)
{
  Suite *s = suite_create ("scaler-core-drift");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_real, FALSE, TRUE + 1);
  tcase_add_loop_test (tc, test_made, 0, G_N_ELEMENTS (made));
  return s;
}

GST_CHECK_MAIN (drift);
