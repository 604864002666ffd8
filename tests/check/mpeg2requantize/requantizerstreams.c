/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Requantized streams in real decoders: the coarser, the fewer bytes and the
 * farther from the source, and no frame is missing.
 */
#include <math.h>

#include "../mpeg2/comparing.h"
#include "requantizing.h"

#define N_FRAMES 36

/* In the source's samples, all components. */
typedef struct
{
  GByteArray *samples;
  guint n_shown;                /* mpeg2dec's frames */
} Decoded;

static void
decode_both (const GByteArray * bytes, Decoded * d)
{
  AvdecodeOptions options = {.errors = g_string_new (NULL) };
  GPtrArray *frames = decode (DECODER_MPEG2DEC, bytes);

  d->samples = g_byte_array_new ();
  avdecode (bytes->data, bytes->len, &options, avdecode_add_samples,
      d->samples);
  fail_unless_equals_string (options.errors->str, "");
  g_string_free (options.errors, TRUE);
  d->n_shown = frames->len;
  g_ptr_array_unref (frames);
}

static gdouble
psnr (const Decoded * a, const Decoded * b)
{
  guint64 sum = 0;

  fail_unless_equals_uint64 (a->samples->len, b->samples->len);
  for (gsize i = 0; i < a->samples->len; i++) {
    gint difference = a->samples->data[i] - b->samples->data[i];

    sum += difference * difference;
  }
  return 10 * log10 (255.0 * 255.0 * a->samples->len / MAX (sum, 1));
}

/* Requantizes with codes so much higher; 0: as they are. */
static GByteArray *
coarsen (const guint8 * data, gsize size, gint add, gdouble factor)
{
  Wanted wanted = { factor, add };
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {wanted_code, &wanted},
    .n_frames = N_FRAMES
  };
  GByteArray *out = requantize_stream (&how, data, size);

  m2v_requantizer_free (how.requantizer);
  return g_byte_array_append (out, stream_end, sizeof stream_end);
}

static const Wanted steps[] = { {1, 1}, {1, 3}, {1, 6}, {1, 12}, {0, 31} };

static void
assert_ladder (const gchar * name, const guint8 * data, gsize size)
{
  GByteArray *source = coarsen (data, size, 0, 1);
  gdouble last_psnr = INFINITY;
  gsize last_size = source->len;
  Decoded expected, decoded;

  decode_both (source, &expected);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    GByteArray *out = coarsen (data, size, steps[i].add, steps[i].factor);
    gdouble distance;

    decode_both (out, &decoded);
    fail_unless_equals_int (decoded.n_shown, expected.n_shown);
    distance = psnr (&expected, &decoded);
    GST_INFO ("%s, step %u: %.1f %%, %.2f dB", name, i,
        100.0 * out->len / source->len, distance);
    fail_unless (out->len < last_size && distance < last_psnr,
        "%s, step %u: %u bytes after %" G_GSIZE_FORMAT ", %g dB after %g",
        name, i, out->len, last_size, distance, last_psnr);
    fail_unless (distance > 18, "%s, step %u: %g dB", name, i, distance);
    last_size = out->len;
    last_psnr = distance;
    g_byte_array_unref (decoded.samples);
    g_byte_array_unref (out);
  }
  g_byte_array_unref (expected.samples);
  g_byte_array_unref (source);
}

static gboolean
decoders_present (void)
{
  return decoder_present (DECODER_FFMPEG) && decoder_present (DECODER_MPEG2DEC);
}

GST_START_TEST (test_ladder)
{
  if (decoders_present ())
    for_each_stream (__i__, assert_ladder);
}

GST_END_TEST;

/* Sample by sample against a decoder of our own. */
static void
assert_decoded (const gchar * name, const guint8 * data, gsize size)
{
  GByteArray *out = coarsen (data, size, 0, 2);

  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++)
    compare_decoded (name, out->data, out->len, decoder);
  g_byte_array_unref (out);
}

GST_START_TEST (test_decoded)
{
  if (decoders_present ())
    for_each_stream (__i__, assert_decoded);
}

GST_END_TEST;

static Suite *
requantizerstreams_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-requantizerstreams");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_ladder, FALSE, TRUE + 1);
  tcase_add_loop_test (tc, test_decoded, FALSE, TRUE + 1);
  return s;
}

GST_CHECK_MAIN (requantizerstreams);
