/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the closed loop is good for, and what it must leave alone.
 */
#include <gio/gio.h>
#include <math.h>

#include "requantizing.h"
#include "../mpeg2/samples.h"
#include <mpeg2requantize/slicerewriter.h>
#include "../mpeg2/testdecoder.h"

#define GROUP "48"
#define N_FRAMES "96"

static M2vRequantizer *
new_requantizer (M2vDrift drift)
{
  M2vRequantizer *r = m2v_requantizer_new ();
  M2vRequantizerSettings settings = m2v_requantizer_defaults;

  settings.drift = drift;
  settings.hysteresis = 0;
  m2v_requantizer_set (r, &settings);
  return r;
}

/* Codes are few: in between, some macroblocks have the one, some the next. */
static guint
dithered_code (gpointer user, const M2vRequest * request)
{
  const gdouble *factor = user;

  return floor (request->code * *factor + request->address * 7 % 16 / 16.0);
}

static GByteArray *
coarsen (const GByteArray * stream, M2vDrift drift, gdouble factor)
{
  Requantize how = {
    .requantizer = new_requantizer (drift),
    .controller = {dithered_code, &factor}
  };
  GByteArray *out = requantize_stream (&how, stream->data, stream->len);

  m2v_requantizer_free (how.requantizer);
  return out;
}

/* As near to half of the bytes as it gets, at most so many. */
static GByteArray *
halve (const GByteArray * stream, M2vDrift drift)
{
  gdouble low = 1, high = 8;
  GByteArray *out = NULL;

  for (guint i = 0; i < 10; i++) {
    gdouble middle = (low + high) / 2;
    GByteArray *tried = coarsen (stream, drift, middle);

    if (tried->len > stream->len / 2) {
      low = middle;
      g_byte_array_unref (tried);
      continue;
    }
    high = middle;
    if (out)
      g_byte_array_unref (out);
    out = tried;
  }
  fail_unless (out != NULL);
  return out;
}

/* Long groups, of a committed stream in a smaller size; NULL where they cannot
 * be made. */
static GByteArray *
make_stream (void)
{
  gchar *in = g_build_filename (TEST_FILES_DIR, "walk-720x480p30-4M.m2v", NULL);
  const gchar *ffmpeg[] = { "ffmpeg", "-nostdin", "-v", "error", "-threads",
    "1", "-f", "mpegvideo", "-i", in, "-vf", "scale=352:240", "-frames:v",
    N_FRAMES, "-c:v", "mpeg2video", "-g", GROUP, "-bf", "2", "-sc_threshold",
    "1000000000", "-b:v", "1500k", "-f", "mpeg2video", "-", NULL
  };
  gchar *program;
  GSubprocess *process;
  GBytes *bytes;

  if (!decoder_present (DECODER_FFMPEG))
    return NULL;
  program = g_find_program_in_path (ffmpeg[0]);
  if (!program) {
    g_print ("SKIP: ffmpeg is not installed\n");
    return NULL;
  }
  g_free (program);
  process = g_subprocess_newv (ffmpeg, G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL);
  fail_unless (process != NULL);
  fail_unless (g_subprocess_communicate (process, NULL, NULL, &bytes, NULL,
          NULL));
  g_object_unref (process);
  g_free (in);
  if (g_bytes_get_size (bytes) == 0) {
    g_print ("SKIP: ffmpeg does not encode MPEG-2\n");
    g_bytes_unref (bytes);
    return NULL;
  }
  return g_bytes_unref_to_array (bytes);
}

static Samples *
decode_stream (const GByteArray * stream)
{
  TestFrame *frame = test_frame_new (352 / 16, 240 / 16, FALSE);
  Samples *samples = samples_decode (DECODER_FFMPEG, stream->data,
      stream->len, frame);

  test_frame_free (frame);
  return samples;
}

/* Of luminance, in dB. */
static gdouble
psnr (const Samples * a, const GByteArray * stream)
{
  Samples *b = decode_stream (stream);
  guint64 sum = 0, n = (guint64) a->n * a->width[0] * a->height[0];

  fail_unless_equals_int (a->n, b->n);
  for (guint i = 0; i < a->n; i++) {
    for (guint y = 0; y < a->height[0]; y++) {
      const guint8 *p = samples_line (a, i, 0, y);
      const guint8 *q = samples_line (b, i, 0, y);

      for (guint x = 0; x < a->width[0]; x++)
        sum += (p[x] - q[x]) * (p[x] - q[x]);
    }
  }
  samples_free (b);
  return 10 * log10 (255.0 * 255 * n / sum);
}

GST_START_TEST (test_gain)
{
  GByteArray *stream = make_stream (), *open, *closed;
  gdouble before, after;
  Samples *source;

  if (!stream)
    return;
  source = decode_stream (stream);
  open = halve (stream, M2V_DRIFT_OFF);
  closed = halve (stream, M2V_DRIFT_P);
  before = psnr (source, open);
  after = psnr (source, closed);
  fail_unless (open->len > 0.49 * stream->len
      && closed->len > 0.49 * stream->len);
  GST_INFO ("open %.2f dB in %u bytes, closed %.2f dB in %u", before, open->len,
      after, closed->len);
  fail_unless (after >= before + 2, "%g dB, %g dB", before, after);
  g_byte_array_unref (open);
  g_byte_array_unref (closed);
  g_byte_array_unref (stream);
  samples_free (source);
}

GST_END_TEST;

/* The same anchors, and B pictures that are nearer to the source. */
GST_START_TEST (test_bidirectional)
{
  GByteArray *stream = make_stream (), *without, *with;
  gdouble before, after;
  Samples *source;

  if (!stream)
    return;
  source = decode_stream (stream);
  without = coarsen (stream, M2V_DRIFT_P, 2);
  with = coarsen (stream, M2V_DRIFT_ALL, 2);
  before = psnr (source, without);
  after = psnr (source, with);
  GST_INFO ("%.2f dB, %.2f dB with B", before, after);
  fail_unless (after >= before + 0.2, "%g dB, %g dB", before, after);
  g_byte_array_unref (without);
  g_byte_array_unref (with);
  g_byte_array_unref (stream);
  samples_free (source);
}

GST_END_TEST;

typedef struct
{
  M2vRequantizer *open, *requantizer;
  Controller controller;
  gboolean lose;
  guint n_same, n_other;
} Same;

static void
before_picture (gpointer user, const Requantized * p)
{
  Same *s = user;

  if (s->lose && p->picture.type != M2V_PICTURE_I)
    m2v_requantizer_lost (s->requantizer);
}

/* Against the open loop's. */
static void
after_picture (gpointer user, const Requantized * p)
{
  Same *s = user;
  gsize capacity = p->size + M2V_REQUANTIZER_RESERVE;
  guint8 *out = g_malloc (capacity);
  M2vRequantized result;

  fail_unless (requantize_with (s->open, &p->source, &s->controller,
          out, capacity, &result));
  if (result.size_out == p->result.size_out
      && memcmp (out, p->out, result.size_out) == 0) {
    s->n_same++;
    fail_unless_equals_uint64 (p->result.gained, 0);
  } else {
    s->n_other++;
    fail_unless (s->lose || p->picture.type == M2V_PICTURE_P);
  }
  g_free (out);
}

/* I and B pictures, and what follows lost references, are as in open loop; P
 * are not. */
static void
check_same (const gchar * name, const guint8 * data, gsize size, gboolean lose)
{
  static Wanted wanted = { 2, 0 };
  Same same = {.lose = lose };
  Requantize how = {
    .controller = {wanted_code, &wanted},
    .n_frames = 20,
    .before = before_picture,.after = after_picture,.user = &same
  };

  same.open = new_requantizer (M2V_DRIFT_OFF);
  same.requantizer = how.requantizer = new_requantizer (M2V_DRIFT_P);
  same.controller = how.controller;
  g_byte_array_unref (requantize_stream (&how, data, size));
  fail_unless (same.n_same > 0 && (same.n_other == 0) == lose,
      "%s: %u as in open loop, %u not", name, same.n_same, same.n_other);
  m2v_requantizer_free (same.open);
  m2v_requantizer_free (how.requantizer);
}

static void
check_others (const gchar * name, const guint8 * data, gsize size)
{
  check_same (name, data, size, FALSE);
}

static void
check_lost (const gchar * name, const guint8 * data, gsize size)
{
  check_same (name, data, size, TRUE);
}

GST_START_TEST (test_same)
{
  for_each_stream (FALSE, check_others);
  for_each_stream (FALSE, check_lost);
}

GST_END_TEST;

/* Of unknown matrices, and of pictures that cannot be read, nothing is left. */
static void
check_forgets (const gchar * name, const guint8 * data, gsize size)
{
  static Wanted wanted = { 3, 0 };
  const Controller controller = { wanted_code, &wanted };
  M2vRequantizer *r = new_requantizer (M2V_DRIFT_P);
  M2vDriftLoop *drift = m2v_requantizer_drift (r);
  guint8 *out = g_malloc (size + M2V_REQUANTIZER_RESERVE);
  M2vRequantized result;
  M2vSplitter splitter;
  M2vPicture span;
  gsize position = 0;
  guint n = 0;

  m2v_splitter_init (&splitter);
  while (n < 8 && m2v_splitter_next (&splitter, data, size, &position, &span)) {
    M2vSource source = { &splitter.sequence, &span, data + span.begin,
      NULL, &splitter.matrices
    };

    if (span.kind != M2V_SPAN_PICTURE || span.header.type == M2V_PICTURE_B)
      continue;
    fail_unless (requantize_with (r, &source, &controller, out,
            size + M2V_REQUANTIZER_RESERVE, &result));
    fail_if (drift->frames[drift->newest].zero);
    switch (n++ % 4) {
      case 0:
        m2v_requantizer_lost (r);
        break;
      case 1:
        source.matrices = NULL;
        fail_unless (requantizer_pass (r, &source));
        break;
      case 2:
        span.valid = FALSE;
        fail_if (requantize_with (r, &source, &controller, out,
                size + M2V_REQUANTIZER_RESERVE, &result));
        break;
      default:
        m2v_requantizer_reset (r);
    }
    fail_unless (drift->frames[0].zero && drift->frames[1].zero,
        "%s: after picture %u", name, n);
  }
  fail_unless (n >= 8);
  g_free (out);
  m2v_requantizer_free (r);
}

GST_START_TEST (test_forgets)
{
  for_each_stream (FALSE, check_forgets);
}

GST_END_TEST;

static const struct
{
  guint columns, rows;
  M2vStructure structure;
  gboolean fits;
} sizes[] = {
  {120, 72, M2V_FRAME_PICTURE, TRUE},
  {120, 36, M2V_TOP_FIELD, TRUE},
  {120, 73, M2V_FRAME_PICTURE, FALSE},
  {120, 37, M2V_BOTTOM_FIELD, FALSE},
  {1024, 1024, M2V_FRAME_PICTURE, FALSE},
};

GST_START_TEST (test_sizes)
{
  M2vPictureParams small = {
    .type = M2V_PICTURE_I,.structure = M2V_FRAME_PICTURE,
    .columns = 2,.rows = 2,.n_blocks = 6
  };
  M2vPictureParams picture = small;
  M2vDriftLoop drift = {.kernels = m2v_kernels_best () };

  picture.columns = sizes[__i__].columns;
  picture.rows = sizes[__i__].rows;
  picture.structure = sizes[__i__].structure;
  fail_unless (m2v_drift_begin (&drift, &small, TRUE));
  m2v_drift_touch (&drift);
  fail_unless_equals_int (m2v_drift_begin (&drift, &picture, TRUE),
      sizes[__i__].fits);
  fail_unless (drift.frames[0].zero && drift.frames[1].zero);
  fail_unless_equals_int (drift.memory != NULL, sizes[__i__].fits);
  fail_unless (m2v_drift_begin (&drift, &small, TRUE));
  m2v_drift_free (&drift);
}

GST_END_TEST;

static Suite *
closedloop_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-closedloop");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_test (tc, test_gain);
  tcase_add_test (tc, test_bidirectional);
  tcase_add_test (tc, test_same);
  tcase_add_test (tc, test_forgets);
  tcase_add_loop_test (tc, test_sizes, 0, G_N_ELEMENTS (sizes));
  return s;
}

GST_CHECK_MAIN (closedloop);
