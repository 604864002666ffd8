/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What cannot be requantized is refused or copied, and does no harm.
 */
#include "requantizing.h"

#define N_DAMAGED 400

/* The first P of a stream. */
typedef struct
{
  gchar *data;
  gsize size;
  M2vSplitter splitter;
  M2vPicture span;
  M2vSource source;
} Picture;

static const Wanted twice = { 2, 0 };
static const Controller controller = { wanted_code, (gpointer) & twice };

static void
load (Picture * p, const gchar * name)
{
  gchar *path = g_build_filename (TEST_FILES_DIR, name, NULL);
  gsize position = 0;

  m2v_vlc_init (&rewrite_vlc);
  fail_unless (g_file_get_contents (path, &p->data, &p->size, NULL));
  g_free (path);
  m2v_splitter_init (&p->splitter);
  do
    fail_unless (m2v_splitter_next (&p->splitter, (guint8 *) p->data, p->size,
            &position, &p->span));
  while (p->span.header.type != M2V_PICTURE_P);
  p->source = (M2vSource) {
  .sequence = &p->splitter.sequence,.picture = &p->span,.data =
        (guint8 *) p->data + p->span.begin};
}

/* Returns the output, NULL where it is refused. */
static GByteArray *
requantize (M2vRequantizer * r, const M2vSource * source, gsize capacity)
{
  guint8 *out = g_malloc (MAX (capacity, 1));
  M2vRequantized result;

  if (requantize_with (r, source, &controller, out, capacity, &result))
    return g_byte_array_new_take (out, result.size_out);
  g_free (out);
  return NULL;
}

static gsize
whole (const Picture * p)
{
  return p->span.slices.size + M2V_REQUANTIZER_RESERVE;
}

static void
assert_refused (M2vRequantizer * r, const Picture * p, gsize capacity)
{
  fail_unless (requantize (r, &p->source, capacity) == NULL);
}

static void
no_picture (Picture * p)
{
  p->span.kind = M2V_SPAN_HEADERS;
}

static void
not_valid (Picture * p)
{
  p->span.valid = FALSE;
}

static void
d_picture (Picture * p)
{
  p->span.header.type = M2V_PICTURE_D;
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

/* In the middle of the only slice. */
static void
cut_short (Picture * p)
{
  p->span.slices.size = 20;
}

/* All slices start with what no picture has. */
static void
no_quantiser (Picture * p)
{
  guint8 *slices = (guint8 *) p->data + p->span.begin + p->span.slices.offset;
  gsize position = 0;
  M2vRange range;

  while (m2v_slices_next (slices, p->span.slices.size, &position, &range))
    slices[range.offset + 4] &= 0x07;
}

static void (*const spoils[]) (Picture *) = { no_picture, not_valid, d_picture,
  chroma_444, no_slices, cut_short, no_quantiser
};

GST_START_TEST (test_refused)
{
  M2vRequantizer *r = m2v_requantizer_new ();
  Picture p;

  load (&p, "walk-720x480p30-4M.m2v");
  spoils[__i__] (&p);
  assert_refused (r, &p, whole (&p));
  fail_unless (requantizer_analyse (r, &p.source) == 0);
  m2v_requantizer_free (r);
  g_free (p.data);
}

GST_END_TEST;

/* Too little room is as bad, and what failed leaves nothing behind. */
GST_START_TEST (test_capacity)
{
  M2vRequantizer *r = m2v_requantizer_new ();
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
  m2v_requantizer_free (r);
  g_free (p.data);
}

GST_END_TEST;

static gboolean
is_readable (const M2vPictureParams * p, const guint8 * data, gsize size)
{
  static M2vMacroblock mb;
  M2vSliceReader r;

  m2v_slice_reader_begin (&r, p, &rewrite_vlc, data, size);
  while (m2v_slice_reader_next (&r, &mb)) {
  }
  return !r.error;
}

/* Slice by slice; returns how many were damaged. */
static guint
assert_slices (const Picture * p, const guint8 * slices, const GByteArray * out)
{
  gsize position = 0, other = 0;
  M2vPictureParams picture;
  guint n_damaged = 0;
  M2vRange a, b;

  fail_unless (m2v_picture_params_init (&picture, &p->splitter.sequence,
          &p->span));
  while (m2v_slices_next (slices, p->span.slices.size, &position, &a)) {
    const guint8 *from = slices + a.offset, *to;

    fail_unless (m2v_slices_next (out->data, out->len, &other, &b));
    to = out->data + b.offset;
    if (m2v_is_slice (from, a.size)
        && is_readable (&picture, from, a.size)) {
      fail_unless (is_readable (&picture, to, b.size));
      continue;
    }
    n_damaged += m2v_is_slice (from, a.size);
    fail_unless (a.size == b.size && memcmp (from, to, a.size) == 0);
  }
  fail_unless_equals_uint64 (other, out->len);
  return n_damaged;
}

/* What cannot be read is copied, and everything else is not. */
GST_START_TEST (test_damaged)
{
  M2vRequantizer *r = m2v_requantizer_new ();
  GRand *rand = g_rand_new_with_seed (__i__);
  guint n_damaged = 0;
  GByteArray *intact;
  Picture p;

  load (&p, committed_streams[__i__]);
  intact = requantize (r, &p.source, whole (&p));
  for (guint i = 0; i < N_DAMAGED; i++) {
    const M2vRange *range = &p.span.slices;
    guint8 *slices = (guint8 *) p.data + p.span.begin + range->offset;
    guint at = g_rand_int_range (rand, 0, range->size);
    guint8 kept = slices[at];
    GByteArray *out;

    slices[at] ^= 1 << g_rand_int_range (rand, 0, 8);
    out = requantize (r, &p.source, whole (&p));
    fail_unless (out != NULL && out->len <= range->size);
    n_damaged += assert_slices (&p, slices, out);
    /* All others are as small as before. */
    fail_unless (out->len < intact->len + range->size / 4);
    g_byte_array_unref (out);
    slices[at] = kept;
  }
  fail_unless (n_damaged > N_DAMAGED / 10, "%u damaged", n_damaged);
  g_byte_array_unref (intact);
  g_rand_free (rand);
  m2v_requantizer_free (r);
  g_free (p.data);
}

GST_END_TEST;

static Suite *
requantizerinput_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-requantizerinput");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (spoils));
  tcase_add_loop_test (tc, test_capacity, 0, 5);
  tcase_add_loop_test (tc, test_damaged, 0, 5);
  return s;
}

GST_CHECK_MAIN (requantizerinput);
