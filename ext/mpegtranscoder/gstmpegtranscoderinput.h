/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffers of any number of pictures → frames, both fields together, with their
 * times, in one piece for the decoder.
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
  gint64 start;                 /* of the segment */
  gboolean discont;             /* the next picture follows a discontinuity */
  gboolean started;

  GByteArray *bytes;            /* of frames that are not complete yet */
  gsize done;                   /* of them, of the frame handed out last */
  gboolean field_waits;         /* there is a first field in them */
  gboolean has_next;            /* `next` was complete behind an unpaired field */
  M2vFrame next;

  GstBuffer *buffer;            /* at hand, or NULL */
  GstMapInfo map;
  gsize position;
  gboolean leads;               /* its first picture is still to come */
} GstMpegTranscoderInput;

/* FALSE where memory is short. */
gboolean gst_mpeg_transcoder_input_init (GstMpegTranscoderInput * in);
void gst_mpeg_transcoder_input_clear (GstMpegTranscoderInput * in);

/* Another segment: until there is a time stamp, times count from its start. */
void gst_mpeg_transcoder_input_start_at (GstMpegTranscoderInput * in,
    GstClockTime start);

/* Flush: keeps the sequence header in force. */
void gst_mpeg_transcoder_input_flush (GstMpegTranscoderInput * in);

/* Another stream; codec_data or NULL. */
void gst_mpeg_transcoder_input_begin (GstMpegTranscoderInput * in,
    GstBuffer * codec_data);

/* Takes the buffer; FALSE where it cannot be read. Then all frames are to be
 * taken. */
gboolean gst_mpeg_transcoder_input_push (GstMpegTranscoderInput * in,
    GstBuffer * buffer);

/* The next frame and its bytes, valid until the next call; FALSE: none. */
gboolean gst_mpeg_transcoder_input_next (GstMpegTranscoderInput * in,
    M2vFrame * frame, const guint8 ** data, gsize * size);

/* End: a field that waits is a frame. */
gboolean gst_mpeg_transcoder_input_finish (GstMpegTranscoderInput * in,
    M2vFrame * frame, const guint8 ** data, gsize * size);

G_END_DECLS

#endif
