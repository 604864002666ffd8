/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "samples.h"

#include <gio/gio.h>

#include "../often.h"
#include <startcode/startcode.h>

/* The start code and the 12 lowest bits of width and height. */
#define SEQUENCE_SIZES 7

/* That the whole macroblocks are shown, too: FFmpeg crops what it puts out. */
static void
show_all (guint8 * data, gsize size, guint width, guint height)
{
  for (gsize at = start_code_find (data, size, 0);
      at + SEQUENCE_SIZES <= size;
      at = start_code_find (data, size, at + 1)) {
    if (data[at + 3] != M2V_CODE_SEQUENCE)
      continue;
    data[at + 4] = width >> 4 & 0xff;
    data[at + 5] = (width & 0xf) << 4 | (height >> 8 & 0xf);
    data[at + 6] = height & 0xff;
  }
}

/* All that mpeg2dec prints. */
static gchar *
run_mpeg2dec (const guint8 * data, gsize size, gsize * output_size)
{
  gchar *path;
  gint fd = g_file_open_tmp ("mpeg-check-XXXXXX.m2v", &path, NULL);
  GSubprocess *process;
  GBytes *bytes;
  GError *error = NULL;

  fail_unless (fd >= 0);
  g_close (fd, NULL);
  fail_unless (g_file_set_contents (path, (const gchar *) data, size, NULL));
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE
      | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error, "mpeg2dec", "-c", "-o",
      "pgmpipe", path, NULL);
  g_assert_no_error (error);
  fail_unless (g_subprocess_communicate (process, NULL, NULL, &bytes, NULL,
          NULL));
  fail_unless (g_subprocess_get_successful (process));
  g_object_unref (process);
  g_unlink (path);
  g_free (path);
  return g_bytes_unref_to_data (bytes, output_size);
}

static gchar *
run (Decoder decoder, const guint8 * data, gsize size, gsize * output_size)
{
  const AvdecodeOptions options = {.exact = TRUE };
  GByteArray *samples;

  if (decoder == DECODER_MPEG2DEC)
    return run_mpeg2dec (data, size, output_size);
  samples = g_byte_array_new ();
  avdecode (data, size, &options, avdecode_add_samples, samples);
  *output_size = samples->len;
  return (gchar *) g_byte_array_free (samples, FALSE);
}

/* What precedes each frame's samples. */
static gsize
header_size (const Samples * s)
{
  gchar *header;
  gsize size;

  if (s->decoder == DECODER_FFMPEG)
    return 0;
  header = g_strdup_printf ("P5\n%u %u\n255\n", s->width[0],
      s->height[0] + s->height[1]);
  size = strlen (header);
  often_fail_unless (g_str_has_prefix (s->bytes, header));
  g_free (header);
  return size;
}

Samples *
samples_decode (Decoder decoder, const guint8 * data, gsize size,
    const TestFrame * frame)
{
  gsize file_size = size + sizeof stream_end, output_size;
  Samples *s = g_new0 (Samples, 1);
  guint8 *file = g_malloc (file_size);

  memcpy (file, data, size);
  /* Without it, mpeg2dec keeps the last frames back. */
  memcpy (file + size, stream_end, sizeof stream_end);
  show_all (file, file_size, frame->planes[0].width, frame->planes[0].height);

  s->decoder = decoder;
  s->bytes = run (decoder, file, file_size, &output_size);
  for (guint i = 0; i < 3; i++) {
    s->width[i] = frame->planes[i].width;
    s->height[i] = frame->planes[i].height;
    s->frame_size += (gsize) s->width[i] * s->height[i];
  }
  s->frame_size += header_size (s);
  s->n = output_size / s->frame_size;
  fail_unless (s->n > 0 && output_size % s->frame_size == 0);
  g_free (file);
  return s;
}

void
samples_free (Samples * s)
{
  g_free (s->bytes);
  g_free (s);
}

const guint8 *
samples_line (const Samples * s, guint frame, guint component, guint y)
{
  const guint8 *samples = (const guint8 *) s->bytes + frame * s->frame_size
      + header_size (s);
  gsize luminance = (gsize) s->width[0] * s->height[0];

  often_fail_unless (frame < s->n);
  if (component == 0)
    return samples + (gsize) y *s->width[0];
  /* PGM: below, side by side. */
  if (s->decoder == DECODER_MPEG2DEC)
    return samples + luminance + (gsize) y *s->width[0]
    + (component == 2 ? s->width[1] : 0);
  return samples + luminance + (gsize) s->width[1]
      * (y + (component == 2 ? s->height[1] : 0));
}
