/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: streams cut into frames with what they refer to, and what real
 * decoders make of them.
 */
#ifndef TEST_DECODING_H
#define TEST_DECODING_H

#include <gst/check/gstcheck.h>

#include <glib/gstdio.h>
#include <string.h>

#include "../avdecode.h"
#include <mpeg2/splitter.h>

typedef struct
{
  guint n_pictures;             /* 1, or 2 fields */
  M2vPicture pictures[2];
  M2vMatrices matrices[2];
  M2vSequence sequence;
  guint display;                /* index in display order */
  gint past, last;              /* indices of its references, -1: none */
} StreamFrame;

typedef struct
{
  guint8 *data;
  gsize size;
  GArray *frames;
} Stream;

static const guint8 stream_end[] = { 0, 0, 1, M2V_CODE_SEQUENCE_END };

static inline StreamFrame *
stream_frame (const Stream * s, guint i)
{
  return &g_array_index (s->frames, StreamFrame, i);
}

static inline M2vPictureType
stream_type (const StreamFrame * f)
{
  return f->pictures[0].header.type;
}

static inline const guint8 *
stream_picture (const Stream * s, const StreamFrame * f, guint i)
{
  return s->data + f->pictures[i].begin;
}

static inline gboolean
stream_is_second (const Stream * s, const M2vPicture * p)
{
  const StreamFrame *f;

  if (s->frames->len == 0 || p->coding.structure == M2V_FRAME_PICTURE)
    return FALSE;
  f = stream_frame (s, s->frames->len - 1);
  return f->n_pictures == 1
      && f->pictures[0].coding.structure + p->coding.structure ==
      M2V_FRAME_PICTURE;
}

/* From group and temporal_reference to places: a stream may begin anywhere. */
static inline void
stream_rank (Stream * s)
{
  guint *ranks = g_new0 (guint, s->frames->len);

  for (guint i = 0; i < s->frames->len; i++) {
    for (guint k = 0; k < s->frames->len; k++)
      ranks[i] += stream_frame (s, k)->display < stream_frame (s, i)->display;
  }
  for (guint i = 0; i < s->frames->len; i++)
    stream_frame (s, i)->display = ranks[i];
  g_free (ranks);
}

/* Takes data; n_frames at most, up to the beginning of a group. */
static inline Stream *
stream_new (guint8 * data, gsize size, guint n_frames)
{
  Stream *s = g_new0 (Stream, 1);
  gint past = -1, last = -1;
  guint base = 0;
  gsize position = 0;
  M2vSplitter splitter;
  M2vPicture p;

  s->data = data;
  s->size = size;
  s->frames = g_array_new (FALSE, TRUE, sizeof (StreamFrame));
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &p)) {
    StreamFrame f;

    if (p.kind != M2V_SPAN_PICTURE)
      continue;
    fail_unless (p.valid);
    if (stream_is_second (s, &p)) {
      StreamFrame *first = stream_frame (s, s->frames->len - 1);

      first->pictures[1] = p;
      first->matrices[1] = splitter.matrices;
      first->n_pictures = 2;
      continue;
    }
    if (p.has_group) {
      if (s->frames->len >= n_frames)
        break;
      base += 1024;
    }
    memset (&f, 0, sizeof f);
    f.n_pictures = 1;
    f.pictures[0] = p;
    f.matrices[0] = splitter.matrices;
    f.sequence = splitter.sequence;
    f.display = base + p.header.temporal_reference;
    f.last = p.header.type == M2V_PICTURE_I ? -1 : last;
    f.past = p.header.type == M2V_PICTURE_B ? past : -1;
    if (p.header.type != M2V_PICTURE_B) {
      past = last;
      last = s->frames->len;
    }
    g_array_append_val (s->frames, f);
  }
  stream_rank (s);
  return s;
}

static inline Stream *
stream_load (const gchar * directory, const gchar * name, guint n_frames)
{
  gchar *path = g_build_filename (directory, name, NULL), *data;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL), "%s", path);
  g_free (path);
  return stream_new ((guint8 *) data, size, n_frames);
}

static inline void
stream_free (Stream * s)
{
  g_array_unref (s->frames);
  g_free (s->data);
  g_free (s);
}

typedef enum
{
  DECODER_FFMPEG,
  DECODER_MPEG2DEC,
  N_DECODERS
} Decoder;

static const gchar *const decoder_names[N_DECODERS] = { "ffmpeg", "mpeg2dec" };

static inline gboolean
decoder_present (Decoder decoder)
{
  gchar *path;

  if (decoder == DECODER_FFMPEG)
    return avdecode_present ();
  path = g_find_program_in_path (decoder_names[decoder]);
  if (path == NULL)
    g_print ("SKIP: %s is not installed\n", decoder_names[decoder]);
  g_free (path);
  return path != NULL;
}

/* Adds the checksums that mpeg2dec prints. Returns what it says besides. */
static inline gchar *
decode_mpeg2dec (const GByteArray * bytes, GPtrArray * frames)
{
  gchar *directory = g_dir_make_tmp ("mpeg-check-XXXXXX", NULL);
  gchar *path = g_build_filename (directory, "stream.m2v", NULL);
  const gchar *command[] = { "mpeg2dec", "-o", "md5", path, NULL };
  gchar *output = NULL, *errors = NULL, **lines;
  gint status;

  fail_unless (g_file_set_contents (path, (const gchar *) bytes->data,
          bytes->len, NULL));
  fail_unless (g_spawn_sync (NULL, (gchar **) command, NULL,
          G_SPAWN_SEARCH_PATH, NULL, NULL, &output, &errors, &status, NULL));
  fail_unless_equals_int (status, 0);
  lines = g_strsplit (output, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (strstr (lines[i], ".pgm"))
      g_ptr_array_add (frames, g_strndup (lines[i], 32));
  }
  g_strfreev (lines);
  g_unlink (path);
  g_rmdir (directory);
  g_free (output);
  g_free (path);
  g_free (directory);
  return errors;
}

/* The checksums of all frames, in display order. */
static inline GPtrArray *
decode (Decoder decoder, const GByteArray * bytes)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func (g_free);

  if (decoder == DECODER_FFMPEG)
    avdecode (bytes->data, bytes->len, NULL, avdecode_add_checksum, frames);
  else
    g_free (decode_mpeg2dec (bytes, frames));
  return frames;
}

#endif
