/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Real streams: what leaves decodes, frame for frame, to what the source does.
 * The committed ones, and those of MPEG_MEDIA_DIR.
 */
#include "../mpeg2/decoding.h"

#include <mpeg2/assembler.h>
#include <mpeg2scaling/dropper.h>
#include <mpeg2/patch.h>
#include <ratecontrol/vbv.h>

static const gchar *const files[] = {
  "bbb-352x288p25-1100k.m1v",
  "bbb-352x576i25-fields-3M.m2v",
  "ocean-176x96p30-500k.m2v",
  "sintel-720x480-pulldown-4M.m2v",
  "walk-720x480p30-4M.m2v",
};

typedef struct
{
  gint64 pts;
  guint coded;                  /* place in coded order */
  M2vAction action;
  gboolean closed_lead;         /* B before the I of its closed group */
} Shown;

typedef struct
{
  gchar *name;
  guint8 *bytes;
  gsize size;
  GPtrArray *decoded;           /* checksums in display order; NULL: no decoder */
} Source;

/* What the scaler makes of it. */
typedef struct
{
  M2vDropper *dropper;
  const guint8 *bytes;
  GByteArray *out;
  GArray *shown;
  guint n;                      /* frames in */
  M2vFrame anchor;              /* the last I or P */
  guint undecoded;              /* leading B of an open group at the start */
} Scaled;

/* Settings throughout, or what `change` makes of them before the n-th frame. */
typedef struct
{
  const gchar *what;
  M2vDropperSettings settings;
  void (*change) (guint n, M2vDropperSettings * settings);
} Run;

static void
source_load (Source * s, const gchar * directory, const gchar * name)
{
  gchar *path = g_build_filename (directory, name, NULL);

  s->name = g_strdup (name);
  fail_unless (g_file_get_contents (path, (gchar **) & s->bytes, &s->size,
          NULL), "%s", path);
  g_free (path);
}

static void
source_decode (Source * s)
{
  GByteArray *array = g_byte_array_new ();

  g_byte_array_append (array, s->bytes, s->size);
  s->decoded = decode (DECODER_FFMPEG, array);
  g_byte_array_unref (array);
}

static void
source_clear (Source * s)
{
  g_free (s->name);
  g_free (s->bytes);
  if (s->decoded)
    g_ptr_array_unref (s->decoded);
}

static void
add_frame (Scaled * s, const M2vFrame * frame)
{
  const guint8 *data[2] = {
    s->bytes + frame->pictures[0].begin, s->bytes + frame->pictures[1].begin
  };
  Shown shown = { frame->pts, s->n, M2V_DROP, FALSE };
  M2vDecision decision;

  m2v_dropper_frame (s->dropper, frame, data, &decision);
  shown.action = decision.action;
  if (frame->type != M2V_PICTURE_B)
    s->anchor = *frame;
  else
    shown.closed_lead = s->anchor.closed_group
        && frame->temporal_reference < s->anchor.temporal_reference;
  g_array_append_val (s->shown, shown);
  for (guint i = 0; i < decision.n_pieces; i++) {
    const M2vPiece *piece = &decision.pieces[i];
    const guint8 *from = piece->literal ? piece->literal : data[piece->picture];

    g_byte_array_append (s->out, from + piece->offset, piece->size);
  }
  if (decision.action == M2V_PASS && decision.n_pieces == 1)
    fail_unless (decision.pieces[0].size == frame->size);
}

static gint
by_pts (gconstpointer a, gconstpointer b)
{
  const Shown *x = a, *y = b;

  return x->pts < y->pts ? -1 : x->pts > y->pts;
}

static void
scale (Scaled * s, const Source * source, const Run * run)
{
  M2vAssembler *assembler = m2v_assembler_new ();
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, FALSE };
  M2vFrame before, frame;
  M2vSplitter splitter;
  M2vPicture picture;
  M2vPiece piece;
  gsize position = 0;

  memset (s, 0, sizeof *s);
  s->dropper = m2v_dropper_new ();
  s->bytes = source->bytes;
  s->out = g_byte_array_new ();
  s->shown = g_array_new (FALSE, FALSE, sizeof (Shown));
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, source->bytes, source->size, &position,
          &picture)) {
    M2vDropperSettings settings = run->settings;

    if (picture.kind != M2V_SPAN_PICTURE) {
      if (m2v_dropper_span (s->dropper, &picture,
              source->bytes + picture.begin))
        g_byte_array_append (s->out, source->bytes + picture.begin,
            picture.size);
      continue;
    }
    if (run->change)
      run->change (s->n, &settings);
    m2v_dropper_set (s->dropper, &settings);
    if (m2v_assembler_push (assembler, &splitter, &picture, &stamp, &before,
            &frame) == M2V_ASSEMBLED_FRAME) {
      add_frame (s, &frame);
      s->n++;
    }
  }
  if (m2v_dropper_finish (s->dropper, &piece))
    g_byte_array_append (s->out, piece.literal, piece.size);
  m2v_assembler_free (assembler);
  g_array_sort (s->shown, by_pts);
}

static void
scaled_clear (Scaled * s)
{
  m2v_dropper_free (s->dropper);
  g_byte_array_unref (s->out);
  g_array_unref (s->shown);
}

static const Shown *
shown_at (const Scaled * s, guint i)
{
  return &g_array_index (s->shown, Shown, i);
}

/* Passed frames as in the source, replaced ones as the frame before, or, where
 * they must not refer to that, as the I after them. */
static const gchar *
expected_checksum (const Source * source, const Scaled * s, guint i,
    const gchar * last)
{
  guint coded = shown_at (s, i)->coded;

  if (shown_at (s, i)->action == M2V_PASS)
    return g_ptr_array_index (source->decoded, i - s->undecoded);
  if (!shown_at (s, i)->closed_lead)
    return last;
  while (shown_at (s, i)->coded >= coded)
    i++;
  return g_ptr_array_index (source->decoded, i - s->undecoded);
}

static void
assert_frames (const Source * source, const Scaled * s, const gchar * what)
{
  GPtrArray *decoded = decode (DECODER_FFMPEG, s->out);
  const gchar *last = NULL;
  guint n = 0;

  for (guint i = s->undecoded; i < s->shown->len; i++) {
    const gchar *expected;

    if (shown_at (s, i)->action == M2V_DROP)
      continue;
    expected = expected_checksum (source, s, i, last);
    fail_unless (n < decoded->len, "%s, %s: only %u frames", source->name,
        what, n);
    last = g_ptr_array_index (decoded, n);
    n++;
    fail_unless (g_strcmp0 (last, expected) == 0,
        "%s, %s: frame %u (%u in coded order) differs", source->name, what, i,
        shown_at (s, i)->coded);
  }
  fail_unless_equals_int (decoded->len, n);
  g_ptr_array_unref (decoded);
}

/* Any scale, untouched, and stops. */
static void
changes (guint n, M2vDropperSettings * s)
{
  static const gint scales[] = { 4, 1, 3, 0, -1, 2, 4, 3, 2, -1, 0, 4 };

  if (n % 41 > 2)
    s->scale = scales[n / 5 % G_N_ELEMENTS (scales)];
  else if (n > 3)
    s->target = 0;
}

static void
targets (guint n, M2vDropperSettings * s)
{
  s->target = (8 + n / 10 * 7 % 31) * 100000;
}

static const Run runs[] = {
  {"untouched", {-1, -1, FALSE, FALSE}, NULL},
  {"scale 3", {3, -1, FALSE, FALSE}, NULL},
  {"scale 2", {2, -1, FALSE, FALSE}, NULL},
  {"scale 1", {1, -1, FALSE, FALSE}, NULL},
  {"scale 0", {0, -1, FALSE, FALSE}, NULL},
  {"changes", {-1, -1, FALSE, FALSE}, changes},
  {"targets", {-1, -1, FALSE, FALSE}, targets},
  {"targets, filled", {-1, -1, FALSE, TRUE}, targets},
  {"scale 3, repeating", {3, -1, TRUE, FALSE}, NULL},
  {"scale 1, repeating", {1, -1, TRUE, FALSE}, NULL},
  {"scale 0, repeating", {0, -1, TRUE, FALSE}, NULL},
};

static void
assert_run (const Source * source, const Run * run)
{
  Scaled s;

  scale (&s, source, run);
  if (run == &runs[0]) {
    fail_unless_equals_uint64 (s.out->len, source->size);
    fail_unless (memcmp (s.out->data, source->bytes, source->size) == 0);
  } else if (source->decoded) {
    if (source->decoded->len < s.n)
      while (shown_at (&s, s.undecoded)->coded > 0)
        s.undecoded++;
    fail_unless_equals_int (source->decoded->len + s.undecoded, s.n);
    assert_frames (source, &s, run->what);
  }
  scaled_clear (&s);
}

static void
assert_source (const gchar * directory, const gchar * name)
{
  Source source = { 0, };

  source_load (&source, directory, name);
  if (decoder_present (DECODER_FFMPEG))
    source_decode (&source);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    assert_run (&source, &runs[i]);
  source_clear (&source);
}

GST_START_TEST (test_committed)
{
  assert_source (TEST_FILES_DIR, files[__i__]);
}

GST_END_TEST;

GST_START_TEST (test_media)
{
  const gchar *directory = g_getenv ("MPEG_MEDIA_DIR"), *name;
  GDir *dir;

  if (!directory) {
    g_print ("SKIP: MPEG_MEDIA_DIR is not set\n");
    return;
  }
  dir = g_dir_open (directory, 0, NULL);
  fail_unless (dir != NULL, "%s", directory);
  while ((name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".m1v") || g_str_has_suffix (name, ".m2v"))
      assert_source (directory, name);
  g_dir_close (dir);
}

GST_END_TEST;

/* Measured once with other programs, kb/s at scales 0 to 4; 0: not measured. */
static const struct
{
  const gchar *file;
  gdouble seconds;
  guint rates[SCALING_N_SCALES];
} measured[] = {
  {"walk-720x480p30-4M.m2v", 240 * 1.001 / 30, {962, 1353, 2216, 3100, 3973}},
  {"sintel-720x480-pulldown-4M.m2v", 6, {621, 1032, 1930, 0, 0}},
};

GST_START_TEST (test_rates)
{
  Source source = { 0, };

  source_load (&source, TEST_FILES_DIR, measured[__i__].file);
  for (guint i = 0; i < SCALING_N_SCALES; i++) {
    Run run = { "", {i, -1, FALSE, FALSE}, NULL };
    guint rate = measured[__i__].rates[i];
    gdouble emitted;
    Scaled s;

    scale (&s, &source, &run);
    emitted = s.out->len * 8 / measured[__i__].seconds / 1000;
    if (rate > 0)
      fail_unless (ABS (emitted - rate) < 0.005 * rate,
          "%s, scale %u: %g kb/s instead of %u", source.name, i, emitted, rate);
    scaled_clear (&s);
  }
  source_clear (&source);
}

GST_END_TEST;

/* What repeating leaves: as many frames of the same types, one after the other
 * as before, and not a byte of an I changed but vbv_delay, which varies. */
GST_START_TEST (test_repeating_keeps_headers)
{
  Source source = { 0, };
  M2vSplitter from, to;
  M2vPicture a, b;
  gsize i = 0, k = 0;
  guint n = 0;
  Scaled s;

  source_load (&source, TEST_FILES_DIR, files[__i__]);
  scale (&s, &source, &runs[G_N_ELEMENTS (runs) - 1]);
  m2v_splitter_init (&from);
  m2v_splitter_init (&to);
  while (m2v_splitter_next (&from, source.bytes, source.size, &i, &a)) {
    guint8 *p = source.bytes + a.begin, *q;

    fail_unless (m2v_splitter_next (&to, s.out->data, s.out->len, &k, &b));
    q = s.out->data + b.begin;
    fail_unless (a.kind == b.kind && b.valid);
    fail_unless (m2v_patch_vbv_delay (p + a.headers.offset, a.headers.size,
            M2V_VBV_DELAY_VARIABLE));
    fail_unless_equals_int (a.slices.offset, b.slices.offset);
    fail_unless (memcmp (p, q, a.slices.offset) == 0);
    if (a.header.type == M2V_PICTURE_I)
      fail_unless (a.size == b.size && memcmp (p, q, a.size) == 0);
    fail_unless_equals_int (a.sequence_end.size, b.sequence_end.size);
    n++;
  }
  fail_unless (n > 2);
  fail_if (m2v_splitter_next (&to, s.out->data, s.out->len, &k, &b));
  fail_unless (s.out->len < source.size / 2);
  scaled_clear (&s);
  source_clear (&source);
}

GST_END_TEST;

static Suite *
streams_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-streams");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_committed, 0, G_N_ELEMENTS (files));
  tcase_add_test (tc, test_media);
  tcase_add_loop_test (tc, test_rates, 0, G_N_ELEMENTS (measured));
  tcase_add_loop_test (tc, test_repeating_keeps_headers, 0,
      G_N_ELEMENTS (files));
  return s;
}

GST_CHECK_MAIN (streams);
