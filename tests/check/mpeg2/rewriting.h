/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: streams whose slices are read and written again, macroblock by
 * macroblock, with changes between.
 */
#ifndef TEST_REWRITING_H
#define TEST_REWRITING_H

#include "../rounds.h"
#include "decoding.h"

#include <mpeg2/slicewriter.h>

typedef enum
{
  REWRITE_LEAVE_OUT,
  REWRITE_PUT,
  REWRITE_COPY                  /* as bits: it must be unchanged */
} RewriteWay;

typedef struct
{
  gboolean canonical;
  gboolean copy;                /* where there is no function */
  /* May change the macroblock. */
  RewriteWay (*macroblock) (gpointer data, const M2vSliceWriter * w,
      M2vMacroblock * mb);
  void (*slice) (gpointer data, M2vSlice * slice);
  /* Which macroblock, from 1 on, is the first that is written; those before it
   * are resumed. */
  guint (*resume) (gpointer data);
  gpointer data;
} Rewrite;

/* Which directions a macroblock has vectors for. */
static inline guint
rewrite_directions (const M2vPictureParams * p, const M2vMacroblock * mb)
{
  if (mb->type & M2V_INTRA)
    return mb->motion != 0 ? M2V_FORWARD : 0;
  return p->type == M2V_PICTURE_P ? M2V_FORWARD
      : mb->type & (M2V_FORWARD | M2V_BACKWARD);
}

static inline void
assert_same_vector (const M2vMacroblock * a, const M2vMacroblock * b,
    guint r, guint s)
{
  const M2vVector *v = &a->vectors[r][s], *w = &b->vectors[r][s];

  fail_unless (memcmp (v->vector, w->vector, sizeof v->vector) == 0);
  fail_unless_equals_int (v->bottom, w->bottom);
  if (a->motion == M2V_MOTION_DUAL_PRIME)
    fail_unless (memcmp (v->dmvector, w->dmvector, sizeof v->dmvector) == 0);
}

/* Whether both predict alike. */
static inline void
assert_same_prediction (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b)
{
  guint used = rewrite_directions (p, a);

  fail_unless_equals_int (a->type & M2V_INTRA, b->type & M2V_INTRA);
  fail_unless_equals_int (used, rewrite_directions (p, b));
  fail_unless_equals_int (a->motion, b->motion);
  for (guint r = 0; r < m2v_vector_count (p, a->motion); r++) {
    if (used & M2V_FORWARD)
      assert_same_vector (a, b, r, 0);
    if (used & M2V_BACKWARD)
      assert_same_vector (a, b, r, 1);
  }
}

static M2vVlc rewrite_vlc;

static const gchar *const committed_streams[] = {
  "bbb-352x288p25-1100k.m1v",
  "bbb-352x576i25-fields-3M.m2v",
  "ocean-176x96p30-500k.m2v",
  "sintel-720x480-pulldown-4M.m2v",
  "walk-720x480p30-4M.m2v",
  NULL
};

static inline gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

/* Where rounds are fewer the begin of a stream is enough: up to the last sequence
 * header in so many bytes, if there is one. */
#define FEWER_BYTES 1500000

static inline gsize
bytes_taken (const guint8 * data, gsize size)
{
  gsize end = size;

  if (test_percent () == 100 || size <= FEWER_BYTES)
    return size;
  for (gsize i = 4; i + 4 <= FEWER_BYTES; i++) {
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1
        && data[i + 3] == M2V_CODE_SEQUENCE)
      end = i;
  }
  return end;
}

/* Calls f with each committed stream, or, with `media`, with all MPEG video of
 * MPEG_MEDIA_DIR, or with some of it where rounds are fewer: with each call others. */
static inline void
for_each_stream (gboolean media, void (*f) (const gchar * name,
        const guint8 * data, gsize size))
{
  static guint n_calls;
  const gchar *path = g_getenv ("MPEG_MEDIA_DIR"), *name;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GDir *dir = media && path ? g_dir_open (path, 0, NULL) : NULL;

  if (!media) {
    path = TEST_FILES_DIR;
    for (guint i = 0; committed_streams[i] != NULL; i++)
      g_ptr_array_add (names, g_strdup (committed_streams[i]));
  } else if (!dir) {
    g_print ("SKIP: MPEG_MEDIA_DIR names no directory of streams\n");
  } else {
    while ((name = g_dir_read_name (dir))) {
      if (g_str_has_suffix (name, ".m1v") || g_str_has_suffix (name, ".m2v"))
        g_ptr_array_add (names, g_strdup (name));
    }
    g_dir_close (dir);
    fail_unless (names->len > 0);
    g_ptr_array_sort (names, compare_names);
  }
  m2v_vlc_init (&rewrite_vlc);
  for (guint i = 0; i < names->len; i++) {
    gchar *file = g_build_filename (path, g_ptr_array_index (names, i), NULL);
    gchar *data;
    gsize size;

    if (media && !test_taken (i + n_calls)) {
      g_free (file);
      continue;
    }
    fail_unless (g_file_get_contents (file, &data, &size, NULL), "%s", file);
    f (g_ptr_array_index (names, i), (const guint8 *) data,
        bytes_taken ((const guint8 *) data, size));
    g_free (data);
    g_free (file);
  }
  g_ptr_array_unref (names);
  n_calls += media;
}

static inline void
rewrite_slice (const Rewrite * how, const M2vPictureParams * picture,
    M2vSliceWriter * w, const guint8 * data, gsize size)
{
  guint ahead = how->resume ? how->resume (how->data) : 0, direction = 0;
  M2vMacroblock mb;
  M2vSliceReader r;
  M2vSlice slice;

  fail_unless (m2v_slice_reader_begin (&r, picture, &rewrite_vlc, data,
          size));
  slice = r.slice;
  if (how->slice)
    how->slice (how->data, &slice);
  if (ahead == 0)
    m2v_slice_writer_begin (w, &slice, slice.quantiser);
  while (m2v_slice_reader_next (&r, &mb)) {
    RewriteWay way = how->copy ? REWRITE_COPY : REWRITE_PUT;

    if (ahead > 0 && (--ahead == 0 || mb.last)) {
      m2v_slice_writer_resume (w, &slice, slice.quantiser, &mb, direction);
      ahead = 0;
    }
    direction = mb.type & M2V_INTRA ? 0
        : mb.type & (M2V_FORWARD | M2V_BACKWARD);
    if (ahead > 0)
      continue;
    if (how->macroblock)
      way = how->macroblock (how->data, w, &mb);
    if (way == REWRITE_COPY)
      m2v_slice_writer_copy (w, &mb, data);
    else if (way == REWRITE_PUT)
      m2v_slice_writer_put (w, &mb);
  }
  fail_if (r.error, "row %u, macroblock behind %u", r.slice.row, r.address);
  m2v_slice_writer_end (w, r.n_trailing);
}

static inline void
rewrite_slices (const Rewrite * how, const M2vPictureParams * picture,
    const guint8 * slices, gsize size, GByteArray * out)
{
  gsize capacity = size * 8 + M2V_SLICE_WRITER_RESERVE, position = 0;
  guint8 *bytes = g_malloc (capacity);
  M2vSliceWriter w;
  M2vRange range;

  m2v_slice_writer_init (&w, picture, &rewrite_vlc, bytes, capacity);
  w.canonical = how->canonical;
  while (m2v_slices_next (slices, size, &position, &range)) {
    const guint8 *data = slices + range.offset;

    if (m2v_is_slice (data, range.size))
      rewrite_slice (how, picture, &w, data, range.size);
    else
      m2v_slice_writer_bytes (&w, data, range.size);
  }
  g_byte_array_append (out, bytes, m2v_slice_writer_finish (&w));
  fail_if (w.error);
  g_free (bytes);
}

static inline GByteArray *
rewrite (const guint8 * data, gsize size, const Rewrite * how)
{
  GByteArray *out = g_byte_array_sized_new (size);
  M2vSplitter splitter;
  M2vPicture span;
  gsize position = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &span)) {
    const guint8 *bytes = data + span.begin;
    gsize begin = span.slices.offset, end = begin + span.slices.size;
    M2vPictureParams picture;

    if (span.kind != M2V_SPAN_PICTURE) {
      g_byte_array_append (out, bytes, span.size);
      continue;
    }
    fail_unless (m2v_picture_params_init (&picture, &splitter.sequence, &span));
    g_byte_array_append (out, bytes, begin);
    rewrite_slices (how, &picture, bytes + begin, end - begin, out);
    g_byte_array_append (out, bytes + end, span.size - end);
  }
  return out;
}

static inline void
assert_same_bytes (const GByteArray * a, const guint8 * b, gsize size)
{
  gsize same = 0;

  while (same < MIN (a->len, size) && a->data[same] == b[same])
    same++;
  fail_unless (same == size && same == a->len, "byte %" G_GSIZE_FORMAT
      " of %u and %" G_GSIZE_FORMAT " differs", same, a->len, size);
}

/* Frame for frame, in every decoder that there is. */
static inline void
assert_same_frames (const GByteArray * a, const guint8 * data, gsize size)
{
  GByteArray *b = g_byte_array_new ();

  g_byte_array_append (b, data, size);
  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
    GPtrArray *x, *y;

    if (!decoder_present (decoder))
      continue;
    x = decode (decoder, a);
    y = decode (decoder, b);
    fail_unless (y->len > 0);
    fail_unless_equals_int (x->len, y->len);
    for (guint i = 0; i < x->len; i++)
      fail_unless_equals_string (g_ptr_array_index (x, i),
          g_ptr_array_index (y, i));
    g_ptr_array_unref (x);
    g_ptr_array_unref (y);
  }
  g_byte_array_unref (b);
}

#endif
