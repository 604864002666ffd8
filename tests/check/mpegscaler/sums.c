/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "sums.h"

#ifdef HAVE_LIBAVFORMAT

#include <gst/check/gstcheck.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>

typedef struct
{
  AVFormatContext *file;
  AVCodecContext *decoder;
  AVPacket *packet;
  AVFrame *frame;
  gint stream;
  GPtrArray *sums;
} Decoding;

gboolean
test_sums_present (void)
{
  return TRUE;
}

static void
add_sum (GPtrArray * sums, const AVFrame * f)
{
  gint size = av_image_get_buffer_size (f->format, f->width, f->height, 1);
  guint8 *samples;

  fail_unless (size > 0);
  samples = g_malloc (size);
  fail_unless_equals_int (av_image_copy_to_buffer (samples, size,
          (const guint8 * const *) f->data, f->linesize, f->format, f->width,
          f->height, 1), size);
  g_ptr_array_add (sums, g_compute_checksum_for_data (G_CHECKSUM_MD5, samples,
          size));
  g_free (samples);
}

/* NULL: the end. What cannot be decoded is not shown. */
static void
decode_packet (Decoding * d, const AVPacket * packet)
{
  fail_if (avcodec_send_packet (d->decoder, packet) == AVERROR (EAGAIN));
  while (avcodec_receive_frame (d->decoder, d->frame) >= 0) {
    add_sum (d->sums, d->frame);
    av_frame_unref (d->frame);
  }
}

static gboolean
open_stream (Decoding * d, const gchar * format, const gchar * path)
{
  const AVInputFormat *input = format ? av_find_input_format (format) : NULL;
  const AVCodec *codec;

  if (avformat_open_input (&d->file, path, input, NULL) < 0
      || avformat_find_stream_info (d->file, NULL) < 0)
    return FALSE;
  d->stream = av_find_best_stream (d->file, AVMEDIA_TYPE_VIDEO, -1, -1, &codec,
      0);
  if (d->stream < 0)
    return FALSE;
  d->decoder = avcodec_alloc_context3 (codec);
  d->decoder->thread_count = 1;
  return avcodec_parameters_to_context (d->decoder,
      d->file->streams[d->stream]->codecpar) >= 0
      && avcodec_open2 (d->decoder, codec, NULL) >= 0;
}

GPtrArray *
test_sums_of_file (const gchar * format, const gchar * path)
{
  Decoding d = {.sums = g_ptr_array_new_with_free_func (g_free) };

  av_log_set_level (AV_LOG_QUIET);
  d.packet = av_packet_alloc ();
  d.frame = av_frame_alloc ();
  if (open_stream (&d, format, path)) {
    while (av_read_frame (d.file, d.packet) >= 0) {
      if (d.packet->stream_index == d.stream)
        decode_packet (&d, d.packet);
      av_packet_unref (d.packet);
    }
    decode_packet (&d, NULL);
  }
  av_frame_free (&d.frame);
  av_packet_free (&d.packet);
  avcodec_free_context (&d.decoder);
  avformat_close_input (&d.file);
  return d.sums;
}

#else

gboolean
test_sums_present (void)
{
  g_print ("skipped: built without libavformat\n");
  return FALSE;
}

GPtrArray *
test_sums_of_file (const gchar * format G_GNUC_UNUSED,
    const gchar * path G_GNUC_UNUSED)
{
  g_error ("built without libavformat");
  return NULL;
}

#endif

GPtrArray *
test_sums_of_files (const gchar * format, const gchar * const *paths, guint n)
{
  GPtrArray *all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, test_sums_of_file (format, paths[i]));
  return all;
}
