/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What cannot be requantized is refused, and does no harm.
 */
#include "requantizing.h"

#define N_DAMAGED 400

/* The first P of a stream. */
typedef struct
{
  gchar *data;
  gsize size;
  MpegSplitter splitter;
  MpegPicture span;
  ScalerSource source;
} Picture;

static const Wanted twice = { 2, 0 };
static const ScalerController controller = { wanted_code, (gpointer) & twice };

static void
load (Picture * p, const gchar * name)
{
  gchar *path = g_build_filename (TEST_FILES_DIR, name, NULL);
  gsize position = 0;

  scaler_vlc_init (&rewrite_vlc);
  fail_unless (g_file_get_contents (path, &p->data, &p->size, NULL));
  g_free (path);
  mpeg_splitter_init (&p->splitter);
  do
    fail_unless (mpeg_splitter_next (&p->splitter, (guint8 *) p->data, p->size,
            &position, &p->span));
  while (p->span.header.type != MPEG_PICTURE_P);
  p->source.sequence = &p->splitter.sequence;
  p->source.picture = &p->span;
  p->source.data = (guint8 *) p->data + p->span.begin;
}

/* Returns the output, NULL where it is refused. */
static GByteArray *
requantize (ScalerRequantizer * r, const ScalerSource * source, gsize capacity)
{
  guint8 *out = g_malloc (capacity);
  ScalerRequantized result;

  if (scaler_requantizer_picture (r, source, &controller, out, capacity,
          &result))
    return g_byte_array_new_take (out, result.size_out);
  g_free (out);
  return NULL;
}

static gsize
whole (const Picture * p)
{
  return p->span.slices.size + SCALER_REQUANTIZER_RESERVE;
}

static void
assert_refused (ScalerRequantizer * r, const Picture * p, gsize capacity)
{
  fail_unless (requantize (r, &p->source, capacity) == NULL);
}

static void
no_picture (Picture * p)
{
  p->span.kind = MPEG_SPAN_HEADERS;
}

static void
not_valid (Picture * p)
{
  p->span.valid = FALSE;
}

static void
d_picture (Picture * p)
{
  p->span.header.type = MPEG_PICTURE_D;
}

static void
chroma_444 (Picture * p)
{
  p->splitter.sequence.chroma_format = 3;
}

static void
no_slices (Picture * p)
{
  p->span.slices.size = 0;
}

/* In the middle of a slice. */
static void
cut_short (Picture * p)
{
  p->span.slices.size = p->span.slices.size * 2 / 3;
}

static void
other_type (Picture * p)
{
  p->span.header.type = MPEG_PICTURE_I;
}

static void (*const spoils[]) (Picture *) = { no_picture, not_valid, d_picture,
  chroma_444, no_slices, cut_short, other_type
};

GST_START_TEST (test_refused)
{
  ScalerRequantizer *r = scaler_requantizer_new ();
  Picture p;

  load (&p, "walk-720x480p30-4M.m2v");
  spoils[__i__] (&p);
  assert_refused (r, &p, whole (&p));
  fail_unless (scaler_requantizer_analyse (r, &p.source) == 0);
  scaler_requantizer_free (r);
  g_free (p.data);
}

GST_END_TEST;

/* Too little room is as bad, and what failed leaves nothing behind. */
GST_START_TEST (test_capacity)
{
  ScalerRequantizer *r = scaler_requantizer_new ();
  GByteArray *expected, *out;
  Picture p;

  load (&p, committed_streams[__i__]);
  expected = requantize (r, &p.source, whole (&p));
  fail_unless (expected != NULL && expected->len < p.span.slices.size);
  for (gsize capacity = 0; capacity < expected->len; capacity += 997)
    assert_refused (r, &p, capacity);
  assert_refused (r, &p, expected->len - 1);
  out = requantize (r, &p.source, whole (&p));
  fail_unless (out != NULL && out->len == expected->len);
  fail_unless (memcmp (out->data, expected->data, out->len) == 0);
  g_byte_array_unref (out);
  g_byte_array_unref (expected);
  scaler_requantizer_free (r);
  g_free (p.data);
}

GST_END_TEST;

static gboolean
is_readable (const Picture * p, const guint8 * slices, gsize size)
{
  static ScalerMacroblock mb;
  ScalerPicture picture;
  gsize position = 0;
  MpegRange range;

  fail_unless (scaler_picture_init (&picture, &p->splitter.sequence, &p->span));
  while (scaler_slices_next (slices, size, &position, &range)) {
    const guint8 *data = slices + range.offset;
    ScalerSliceReader r;

    if (!scaler_is_slice (data, range.size))
      continue;
    scaler_slice_reader_begin (&r, &picture, &rewrite_vlc, data, range.size);
    while (scaler_slice_reader_next (&r, &mb)) {
    }
    if (r.error)
      return FALSE;
  }
  return TRUE;
}

/* Refused exactly where it cannot be read; else it can be read afterwards. */
GST_START_TEST (test_damaged)
{
  ScalerRequantizer *r = scaler_requantizer_new ();
  GRand *rand = g_rand_new_with_seed (__i__);
  guint n_refused = 0;
  Picture p;

  load (&p, committed_streams[__i__]);
  for (guint i = 0; i < N_DAMAGED; i++) {
    const MpegRange *range = &p.span.slices;
    guint8 *slices = (guint8 *) p.data + p.span.begin + range->offset;
    guint at = g_rand_int_range (rand, 0, range->size);
    guint8 kept = slices[at];
    GByteArray *out;

    slices[at] ^= 1 << g_rand_int_range (rand, 0, 8);
    out = requantize (r, &p.source, whole (&p));
    fail_unless ((out != NULL) == is_readable (&p, slices, range->size));
    n_refused += out == NULL;
    if (out) {
      fail_unless (out->len <= range->size);
      fail_unless (is_readable (&p, out->data, out->len));
      g_byte_array_unref (out);
    }
    slices[at] = kept;
  }
  fail_unless (n_refused > N_DAMAGED / 10 && n_refused < N_DAMAGED,
      "%u refused", n_refused);
  g_rand_free (rand);
  scaler_requantizer_free (r);
  g_free (p.data);
}

GST_END_TEST;

static Suite *
requantizerinput_suite (void)
{
  Suite *s = suite_create ("scaler-core-requantizerinput");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (spoils));
  tcase_add_loop_test (tc, test_capacity, 0, 5);
  tcase_add_loop_test (tc, test_damaged, 0, 5);
  return s;
}

GST_CHECK_MAIN (requantizerinput);
