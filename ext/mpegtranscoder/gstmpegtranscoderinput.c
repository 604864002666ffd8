/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscoderinput.h"

#include <string.h>

/* More than any frame has; bytes beyond it are dropped. */
#define MAX_BYTES (32 * 1024 * 1024)

gboolean
gst_mpeg_transcoder_input_init (GstMpegTranscoderInput * in)
{
  memset (in, 0, sizeof *in);
  in->assembler = m2v_assembler_new ();
  in->bytes = g_byte_array_new ();
  m2v_splitter_init (&in->splitter);
  return in->assembler != NULL;
}

static void
close_buffer (GstMpegTranscoderInput * in)
{
  if (in->buffer) {
    gst_buffer_unmap (in->buffer, &in->map);
    gst_clear_buffer (&in->buffer);
  }
}

static void
forget (GstMpegTranscoderInput * in)
{
  close_buffer (in);
  g_byte_array_set_size (in->bytes, 0);
  in->done = 0;
  in->field_waits = in->has_next = FALSE;
  in->discont = FALSE;
}

void
gst_mpeg_transcoder_input_clear (GstMpegTranscoderInput * in)
{
  close_buffer (in);
  g_byte_array_unref (in->bytes);
  m2v_assembler_free (in->assembler);
}

void
gst_mpeg_transcoder_input_flush (GstMpegTranscoderInput * in)
{
  forget (in);
  m2v_assembler_reset (in->assembler, in->start);
  m2v_splitter_flush (&in->splitter);
}

void
gst_mpeg_transcoder_input_start_at (GstMpegTranscoderInput * in,
    GstClockTime start)
{
  in->start = (gint64) start;
  m2v_assembler_reset (in->assembler, in->start);
}

void
gst_mpeg_transcoder_input_begin (GstMpegTranscoderInput * in,
    GstBuffer * codec_data)
{
  GstMapInfo map;
  M2vPicture span;
  gsize position = 0;

  forget (in);
  in->started = FALSE;
  m2v_splitter_init (&in->splitter);
  if (!codec_data || !gst_buffer_map (codec_data, &map, GST_MAP_READ))
    return;
  while (m2v_splitter_next (&in->splitter, map.data, map.size, &position,
          &span));
  m2v_splitter_flush (&in->splitter);
  /* The stream itself may have no sequence header. */
  if (in->splitter.has_sequence)
    g_byte_array_append (in->bytes, map.data, map.size);
  gst_buffer_unmap (codec_data, &map);
}

gboolean
gst_mpeg_transcoder_input_push (GstMpegTranscoderInput * in, GstBuffer * buffer)
{
  close_buffer (in);
  if (!gst_buffer_map (buffer, &in->map, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return FALSE;
  }
  if (GST_BUFFER_IS_DISCONT (buffer))
    in->discont = in->started;
  in->started = TRUE;
  in->buffer = buffer;
  in->position = 0;
  in->leads = TRUE;
  return TRUE;
}

static gint64
to_mpeg_time (GstClockTime time)
{
  return time <= (GstClockTime) G_MAXINT64 ? (gint64) time : M2V_TIME_NONE;
}

static void
append (GstMpegTranscoderInput * in, const M2vPicture * span)
{
  if (in->bytes->len + span->size <= MAX_BYTES)
    g_byte_array_append (in->bytes, in->map.data + span->begin, span->size);
}

static gboolean
hand_out (GstMpegTranscoderInput * in, gsize end, const guint8 ** data,
    gsize * size)
{
  in->done = end;
  *data = in->bytes->data;
  *size = end;
  return TRUE;
}

static void
let_go (GstMpegTranscoderInput * in)
{
  if (in->done > 0)
    g_byte_array_remove_range (in->bytes, 0, in->done);
  in->done = 0;
}

static guint
push_picture (GstMpegTranscoderInput * in, const M2vPicture * span,
    M2vFrame * before, M2vFrame * frame)
{
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, in->discont };

  if (in->leads) {
    stamp.pts = to_mpeg_time (GST_BUFFER_PTS (in->buffer));
    stamp.dts = to_mpeg_time (GST_BUFFER_DTS (in->buffer));
  }
  in->leads = FALSE;
  in->discont = FALSE;
  return m2v_assembler_push (in->assembler, &in->splitter, span, &stamp,
      before, frame);
}

static gboolean
take_picture (GstMpegTranscoderInput * in, const M2vPicture * span,
    M2vFrame * frame, const guint8 ** data, gsize * size)
{
  gsize before = in->bytes->len;
  M2vFrame unpaired;
  guint got = push_picture (in, span, &unpaired, frame);

  append (in, span);
  in->field_waits = (got & M2V_ASSEMBLED_FRAME) == 0;
  if (got & M2V_ASSEMBLED_UNPAIRED) {
    in->has_next = !in->field_waits;
    in->next = *frame;
    *frame = unpaired;
    return hand_out (in, before, data, size);
  }
  return !in->field_waits && hand_out (in, in->bytes->len, data, size);
}

gboolean
gst_mpeg_transcoder_input_next (GstMpegTranscoderInput * in, M2vFrame * frame,
    const guint8 ** data, gsize * size)
{
  M2vPicture span;

  let_go (in);
  if (in->has_next) {
    in->has_next = FALSE;
    *frame = in->next;
    return hand_out (in, in->bytes->len, data, size);
  }
  while (in->buffer && m2v_splitter_next (&in->splitter, in->map.data,
          in->map.size, &in->position, &span)) {
    if (span.kind == M2V_SPAN_PICTURE) {
      if (take_picture (in, &span, frame, data, size))
        return TRUE;
    } else if (span.kind == M2V_SPAN_SEQUENCE_END) {
      if (gst_mpeg_transcoder_input_finish (in, frame, data, size))
        return TRUE;
    } else if (span.kind == M2V_SPAN_HEADERS || in->field_waits) {
      append (in, &span);
    }
  }
  close_buffer (in);
  return FALSE;
}

gboolean
gst_mpeg_transcoder_input_finish (GstMpegTranscoderInput * in,
    M2vFrame * frame, const guint8 ** data, gsize * size)
{
  let_go (in);
  in->field_waits = FALSE;
  if (!m2v_assembler_finish (in->assembler, frame))
    return FALSE;
  return hand_out (in, in->bytes->len, data, size);
}
