/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "avdecode.h"

void
avdecode_add_samples (gpointer array, const guint8 * samples,
    gsize luminance G_GNUC_UNUSED, gsize size)
{
  g_byte_array_append (array, samples, size);
}

void
avdecode_add_luminance (gpointer array, const guint8 * samples,
    gsize luminance, gsize size G_GNUC_UNUSED)
{
  g_byte_array_append (array, samples, luminance);
}

void
avdecode_add_checksum (gpointer array, const guint8 * samples,
    gsize luminance G_GNUC_UNUSED, gsize size)
{
  g_ptr_array_add (array, g_compute_checksum_for_data (G_CHECKSUM_MD5, samples,
          size));
}

#ifdef HAVE_AVDECODE

#include <gst/check/gstcheck.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>

typedef struct
{
  AVCodecContext *decoder, *headers;
  AVCodecParserContext *parser;
  AVPacket *packet;
  AVFrame *frame;
  AvdecodeShown shown;
  gpointer user;
  gboolean fault;
} Decoding;

static const AvdecodeOptions none;

/* libavcodec has one function for messages, and no data for it. */
static const AvdecodeOptions *listening;

static void
hear (void *object G_GNUC_UNUSED, int level, const char *format, va_list values)
{
  if (!listening || !listening->errors
      || level > (listening->warnings ? AV_LOG_WARNING : AV_LOG_ERROR))
    return;
  g_string_append_vprintf (listening->errors, format, values);
}

static void
find_fault (Decoding * d, const gchar * what)
{
  d->fault = TRUE;
  if (listening->errors)
    g_string_append_printf (listening->errors, "%s\n", what);
}

static void
show (Decoding * d)
{
  const AVFrame *f = d->frame;
  gint size = av_image_get_buffer_size (f->format, f->width, f->height, 1);
  guint8 *samples;

  fail_unless (size > 0);
  samples = g_malloc (size);
  fail_unless_equals_int (av_image_copy_to_buffer (samples, size,
          (const guint8 * const *) f->data, f->linesize, f->format, f->width,
          f->height, 1), size);
  if (f->decode_error_flags != 0 || f->flags & AV_FRAME_FLAG_CORRUPT)
    find_fault (d, "a frame is corrupt");
  if (d->shown)
    d->shown (d->user, samples, (gsize) f->width * f->height, size);
  g_free (samples);
}

/* A packet, or NULL at the end. */
static void
decode_packet (Decoding * d, const AVPacket * packet)
{
  gint result = avcodec_send_packet (d->decoder, packet);

  fail_if (result == AVERROR (EAGAIN));
  if (result < 0 && result != AVERROR_EOF)
    find_fault (d, "a picture cannot be decoded");
  while ((result = avcodec_receive_frame (d->decoder, d->frame)) >= 0) {
    show (d);
    av_frame_unref (d->frame);
  }
  if (result != AVERROR (EAGAIN) && result != AVERROR_EOF)
    find_fault (d, "a picture cannot be decoded");
}

/* libavcodec reads beyond the end, and wants zeros there. */
static void
decode_all (Decoding * d, const guint8 * data, gsize size)
{
  guint8 *padded = g_malloc0 (size + AV_INPUT_BUFFER_PADDING_SIZE);
  gsize at = 0;
  gboolean more = TRUE;

  if (size > 0)
    memcpy (padded, data, size);
  while (more) {
    more = at < size;
    at += av_parser_parse2 (d->parser, d->headers, &d->packet->data,
        &d->packet->size, padded + at, size - at, AV_NOPTS_VALUE,
        AV_NOPTS_VALUE, 0);
    if (d->packet->size > 0)
      decode_packet (d, d->packet);
  }
  decode_packet (d, NULL);
  g_free (padded);
}

static AVCodecContext *
new_decoder (const AVCodec * codec, const AVCodecParameters * parameters,
    const AvdecodeOptions * options)
{
  AVCodecContext *decoder = avcodec_alloc_context3 (codec);

  fail_unless (decoder != NULL);
  if (parameters)
    fail_unless (avcodec_parameters_to_context (decoder, parameters) >= 0);
  decoder->thread_count = 1;
  if (options->output_corrupt)
    decoder->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
  if (options->exact) {
    decoder->flags |= AV_CODEC_FLAG_BITEXACT;
    decoder->idct_algo = FF_IDCT_FAAN;
  }
  if (options->explode)
    decoder->err_recognition |= AV_EF_EXPLODE;
  fail_unless (avcodec_open2 (decoder, codec, NULL) >= 0);
  return decoder;
}

gboolean
avdecode_present (void)
{
  return TRUE;
}

static void
begin (Decoding * d, const AvdecodeOptions * options)
{
  listening = options ? options : &none;
  av_log_set_callback (hear);
  d->packet = av_packet_alloc ();
  d->frame = av_frame_alloc ();
  fail_unless (d->packet && d->frame);
}

static void
end (Decoding * d)
{
  av_frame_free (&d->frame);
  av_packet_free (&d->packet);
  avcodec_free_context (&d->decoder);
  listening = NULL;
}

gboolean
avdecode (const guint8 * data, gsize size, const AvdecodeOptions * options,
    AvdecodeShown shown, gpointer user)
{
  /* Of MPEG-1, too. */
  const AVCodec *codec = avcodec_find_decoder (AV_CODEC_ID_MPEG2VIDEO);
  Decoding d = {.shown = shown,.user = user };

  begin (&d, options);
  fail_unless (codec != NULL);
  d.decoder = new_decoder (codec, NULL, listening);
  /* The parser, which is ahead, writes into its own. */
  d.headers = avcodec_alloc_context3 (codec);
  d.parser = av_parser_init (AV_CODEC_ID_MPEG2VIDEO);
  fail_unless (d.headers && d.parser);
  decode_all (&d, data, size);
  av_parser_close (d.parser);
  avcodec_free_context (&d.headers);
  end (&d);
  return !d.fault;
}

/* The file's video, or < 0. */
static gint
open_video (AVFormatContext ** file, const gchar * path, const gchar * format,
    const AVCodec ** codec)
{
  const AVInputFormat *input = format ? av_find_input_format (format) : NULL;

  if (avformat_open_input (file, path, input, NULL) < 0
      || avformat_find_stream_info (*file, NULL) < 0)
    return -1;
  return av_find_best_stream (*file, AVMEDIA_TYPE_VIDEO, -1, -1, codec, 0);
}

gboolean
avdecode_file (const gchar * path, const gchar * format, AvdecodeShown shown,
    gpointer user)
{
  Decoding d = {.shown = shown,.user = user };
  AVFormatContext *file = NULL;
  const AVCodec *codec;
  gint video;

  begin (&d, NULL);
  video = open_video (&file, path, format, &codec);
  if (video >= 0) {
    d.decoder = new_decoder (codec, file->streams[video]->codecpar, listening);
    while (av_read_frame (file, d.packet) >= 0) {
      if (d.packet->stream_index == video)
        decode_packet (&d, d.packet);
      av_packet_unref (d.packet);
    }
    decode_packet (&d, NULL);
  }
  avformat_close_input (&file);
  end (&d);
  return video >= 0 && !d.fault;
}

#else

gboolean
avdecode_present (void)
{
  g_print ("SKIP: built without libavcodec or libavformat\n");
  return FALSE;
}

gboolean
avdecode (const guint8 * data G_GNUC_UNUSED, gsize size G_GNUC_UNUSED,
    const AvdecodeOptions * options G_GNUC_UNUSED,
    AvdecodeShown shown G_GNUC_UNUSED, gpointer user G_GNUC_UNUSED)
{
  g_error ("built without libavcodec");
  return FALSE;
}

gboolean
avdecode_file (const gchar * path G_GNUC_UNUSED,
    const gchar * format G_GNUC_UNUSED, AvdecodeShown shown G_GNUC_UNUSED,
    gpointer user G_GNUC_UNUSED)
{
  g_error ("built without libavformat");
  return FALSE;
}

#endif
