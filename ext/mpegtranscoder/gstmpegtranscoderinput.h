/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Collects buffers of any number of pictures into frames, both fields
 * together, with their times, in one piece for the decoder.
 */
#ifndef __GST_MPEG_TRANSCODER_INPUT_H__
#define __GST_MPEG_TRANSCODER_INPUT_H__

#include <gst/gst.h>

#include <mpeg2/assembler.h>

G_BEGIN_DECLS

typedef struct
{
  M2vSplitter splitter;
  M2vAssembler *assembler;
  gint64 start;                 /* ns, start of the segment */
  gboolean discont;             /* the next picture follows a discontinuity */
  gboolean started;

  GByteArray *bytes;            /* bytes of frames that are not complete yet */
  gsize done;                   /* bytes of the frame handed out last */
  gboolean field_waits;         /* the bytes have a first field */
  /* `next` was complete after an unpaired field */
  gboolean has_next;
  M2vFrame next;

  GstBuffer *buffer;            /* the current buffer, or NULL */
  GstMapInfo map;
  gsize position;
  gboolean leads;               /* its first picture is still to come */
} GstMpegTranscoderInput;

/* Returns FALSE if memory runs out. */
gboolean gst_mpeg_transcoder_input_init (GstMpegTranscoderInput * in);
void gst_mpeg_transcoder_input_clear (GstMpegTranscoderInput * in);

/* Begins another segment. Until there is a time stamp, times count from
 * its start. */
void gst_mpeg_transcoder_input_start_at (GstMpegTranscoderInput * in,
    GstClockTime start);

/* Flushes; keeps the sequence header in force. */
void gst_mpeg_transcoder_input_flush (GstMpegTranscoderInput * in);

/* Begins another stream with codec_data or NULL. */
void gst_mpeg_transcoder_input_begin (GstMpegTranscoderInput * in,
    GstBuffer * codec_data);

/* Takes the buffer. Returns FALSE if it cannot be read. All its frames are
 * then to be taken. */
gboolean gst_mpeg_transcoder_input_push (GstMpegTranscoderInput * in,
    GstBuffer * buffer);

/* Returns the next frame and its bytes, valid until the next call, or
 * FALSE. */
gboolean gst_mpeg_transcoder_input_next (GstMpegTranscoderInput * in,
    M2vFrame * frame, const guint8 ** data, gsize * size);

/* Ends the stream: a field that waits is a frame. */
gboolean gst_mpeg_transcoder_input_finish (GstMpegTranscoderInput * in,
    M2vFrame * frame, const guint8 ** data, gsize * size);

G_END_DECLS

#endif
