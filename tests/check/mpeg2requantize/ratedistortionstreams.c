/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Streams requantized by what levels and vectors cost: valid, and better than
 * without.
 */
#include <math.h>
#include <string.h>

#include "../mpeg2/comparing.h"
#include "requantizing.h"
#include "../mpeg2/samples.h"

#define N_FRAMES 24

typedef struct
{
  gboolean rate_distortion;
  M2vDrift drift;
  Wanted wanted;
  guint max_code;               /* 0: 31 */
  gboolean vectors;             /* they are chosen in all B pictures */
} Row;

static const Row rows[] = {
  {TRUE, M2V_DRIFT_OFF, {1, 0}, 0, FALSE},
  {TRUE, M2V_DRIFT_OFF, {0, 31}, 0, FALSE},
  {TRUE, M2V_DRIFT_P, {1, 2}, 0, FALSE},
  {TRUE, M2V_DRIFT_ALL, {2, 1}, 0, FALSE},
  {TRUE, M2V_DRIFT_ALL, {0, 31}, 0, FALSE},
  {TRUE, M2V_DRIFT_P, {2, 1}, 0, TRUE},
  {TRUE, M2V_DRIFT_ALL, {0, 31}, 0, TRUE},
  {FALSE, M2V_DRIFT_P, {2, 1}, 0, TRUE},
  {FALSE, M2V_DRIFT_ALL, {0, 31}, 0, TRUE},
};

static GByteArray *
coarsen (const guint8 * data, gsize size, const Row * row)
{
  Wanted wanted = row->wanted;
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {wanted_code, &wanted},
    .n_frames = N_FRAMES
  };
  M2vRequantizerSettings settings = m2v_requantizer_defaults;
  GByteArray *out;

  settings.rate_distortion = row->rate_distortion;
  settings.drift = row->drift;
  settings.vector_share = row->vectors ? 0 : 1;
  if (row->max_code > 0)
    settings.max_code = row->max_code;
  m2v_requantizer_set (how.requantizer, &settings);
  out = requantize_stream (&how, data, size);
  m2v_requantizer_free (how.requantizer);
  return g_byte_array_append (out, stream_end, sizeof stream_end);
}

static gboolean
decoders_present (void)
{
  return decoder_present (DECODER_FFMPEG) && decoder_present (DECODER_MPEG2DEC);
}

/* Where quantisers are as they were, levels do not cost what they are worth
 * either: it gets smaller, too. The same twice. */
static void
assert_valid (const gchar * name, const guint8 * data, gsize size)
{
  const Row as_it_is = { FALSE, M2V_DRIFT_OFF, {1, 0}, 0, FALSE };
  GByteArray *source = coarsen (data, size, &as_it_is);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GByteArray *out = coarsen (data, size, &rows[i]);
    GByteArray *again = coarsen (data, size, &rows[i]);

    GST_INFO ("%s, row %u: %u of %u bytes", name, i, out->len, source->len);
    fail_unless (out->len < source->len, "%s, row %u: %u of %u bytes", name, i,
        out->len, source->len);
    assert_same_bytes (again, out->data, out->len);
    for (Decoder d = 0; d < N_DECODERS; d++)
      compare_decoded (name, out->data, out->len, d);
    g_byte_array_unref (out);
    g_byte_array_unref (again);
  }
  g_byte_array_unref (source);
}

GST_START_TEST (test_valid)
{
  if (decoders_present ())
    for_each_stream (__i__, assert_valid);
}

GST_END_TEST;

/* The maximum is for what is wanted, and that may be less than the source's. */
static void
assert_bounded (const gchar * name, const guint8 * data, gsize size)
{
  const Row wish = { TRUE, M2V_DRIFT_OFF, {0, 3}, 0, FALSE };
  const Row bounded = { TRUE, M2V_DRIFT_OFF, {0, 3}, 4, FALSE };
  const Row at_bound = { TRUE, M2V_DRIFT_OFF, {0, 31}, 3, FALSE };
  GByteArray *out = coarsen (data, size, &wish);
  GByteArray *same = coarsen (data, size, &bounded);

  GST_INFO ("%s", name);
  assert_same_bytes (same, out->data, out->len);
  g_byte_array_unref (same);
  same = coarsen (data, size, &at_bound);
  assert_same_bytes (same, out->data, out->len);
  g_byte_array_unref (same);
  g_byte_array_unref (out);
}

GST_START_TEST (test_bounded)
{
  for_each_stream (FALSE, assert_bounded);
}

GST_END_TEST;

/* Of luminance. */
static gdouble
psnr (const GByteArray * x, const GByteArray * y, guint columns, guint rows_)
{
  TestFrame *frame = test_frame_new (columns, rows_, FALSE);
  Samples *a = samples_decode (DECODER_FFMPEG, x->data, x->len, frame);
  Samples *b = samples_decode (DECODER_FFMPEG, y->data, y->len, frame);
  guint64 sum = 0, n = (guint64) a->n * a->width[0] * a->height[0];

  fail_unless_equals_int (a->n, b->n);
  for (guint i = 0; i < a->n; i++) {
    for (guint line = 0; line < a->height[0]; line++) {
      const guint8 *p = samples_line (a, i, 0, line);
      const guint8 *q = samples_line (b, i, 0, line);

      for (guint k = 0; k < a->width[0]; k++)
        sum += (p[k] - q[k]) * (p[k] - q[k]);
    }
  }
  samples_free (a);
  samples_free (b);
  test_frame_free (frame);
  return 10 * log10 (255.0 * 255 * n / sum);
}

/* What a way of choosing comes to at so many bytes, with a constant quantiser:
 * between the two codes next to that, by the size's logarithm. */
static gdouble
psnr_at (const GByteArray * source, const guint8 * data, gsize size,
    const Row * how, gsize at)
{
  gdouble last_psnr = 0, last_size = 0;
  Row row = *how;

  for (gint code = 3; code < 31; code++) {
    GByteArray *out;
    gdouble this_psnr, this_size;

    row.wanted = (Wanted) {
    0, code};
    out = coarsen (data, size, &row);
    this_psnr = psnr (source, out, 720 / 16, 480 / 16);
    this_size = out->len;
    g_byte_array_unref (out);
    if (this_size <= at) {
      fail_unless (last_size > at);
      return this_psnr + (last_psnr - this_psnr) * log (at / this_size)
          / log (last_size / this_size);
    }
    last_psnr = this_psnr;
    last_size = this_size;
  }
  fail ("no code");
  return 0;
}

static const struct
{
  Row plain, better;
  gdouble gain;                 /* dB, at least */
} gains[] = {
  {{FALSE, M2V_DRIFT_OFF, {0, 8}, 0, FALSE},
        {TRUE, M2V_DRIFT_OFF, {0, 0}, 0, FALSE}, 1},
  {{FALSE, M2V_DRIFT_P, {0, 8}, 0, FALSE},
        {TRUE, M2V_DRIFT_P, {0, 0}, 0, FALSE}, 1},
  {{FALSE, M2V_DRIFT_P, {0, 14}, 0, FALSE},
        {TRUE, M2V_DRIFT_P, {0, 0}, 0, FALSE}, .3},
  {{FALSE, M2V_DRIFT_P, {0, 20}, 0, FALSE},
        {FALSE, M2V_DRIFT_P, {0, 0}, 0, TRUE}, .2},
  {{TRUE, M2V_DRIFT_P, {0, 14}, 0, FALSE},
        {TRUE, M2V_DRIFT_P, {0, 0}, 0, TRUE}, .2},
};

GST_START_TEST (test_gain)
{
  const Row as_it_is = { FALSE, M2V_DRIFT_OFF, {1, 0}, 0, FALSE };
  gchar *path = g_build_filename (TEST_FILES_DIR, "walk-720x480p30-4M.m2v",
      NULL);
  GByteArray *source, *out;
  gdouble from, to;
  gchar *data;
  gsize size;

  if (!decoder_present (DECODER_FFMPEG))
    return;
  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  source = coarsen ((const guint8 *) data, size, &as_it_is);
  out = coarsen ((const guint8 *) data, size, &gains[__i__].plain);
  from = psnr (source, out, 720 / 16, 480 / 16);
  to = psnr_at (source, (const guint8 *) data, size, &gains[__i__].better,
      out->len);
  GST_INFO ("%u of %u bytes, %.2f to %.2f dB", out->len, source->len, from, to);
  fail_unless (to > from + gains[__i__].gain, "%g after %g dB", to, from);
  g_byte_array_unref (source);
  g_byte_array_unref (out);
  g_free (data);
  g_free (path);
}

GST_END_TEST;

static Suite *
ratedistortionstreams_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-ratedistortionstreams");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_valid, FALSE, TRUE + 1);
  tcase_add_test (tc, test_bounded);
  tcase_add_loop_test (tc, test_gain, 0, G_N_ELEMENTS (gains));
  return s;
}

GST_CHECK_MAIN (ratedistortionstreams);
