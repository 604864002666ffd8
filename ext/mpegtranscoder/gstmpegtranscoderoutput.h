/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Converts decoded pictures in display order to the output's size and frame
 * rate for its encoder, which is opened anew if the format changes, and after
 * a stop.
 */
#ifndef __GST_MPEG_TRANSCODER_OUTPUT_H__
#define __GST_MPEG_TRANSCODER_OUTPUT_H__

#include "gstmpegtranscodercoding.h"

#include "core/cadence.h"
#include "core/resizer.h"

G_BEGIN_DECLS

typedef struct
{
  GstMpegTranscoderCoding coding;

  gboolean has_format;
  GstMpegTranscoderFormat in, out;
  gint64 end;                   /* ns, end of the last picture */
  gint64 longest;               /* ns, longest duration of a picture */
  /* first fields wait for their second in buffers */
  gboolean fields_wait;
  TranscoderCadence cadence;
  TranscoderResizer *resizer;
  AVFrame *resized;
} GstMpegTranscoderOutput;

/* Returns FALSE if memory runs out. */
gboolean gst_mpeg_transcoder_output_init (GstMpegTranscoderOutput * o,
    GstElement * element, GstPad * srcpad, GstMpegTranscoderControl * control);
void gst_mpeg_transcoder_output_clear (GstMpegTranscoderOutput * o);

GstFlowReturn gst_mpeg_transcoder_output_frame (GstMpegTranscoderOutput * o,
    AVFrame * frame, const GstMpegTranscoderPicture * picture);

/* Codes all that waits in the encoder; the next picture is an I. */
GstFlowReturn gst_mpeg_transcoder_output_drain (GstMpegTranscoderOutput * o);

/* Forgets pictures that wait, and events that wait for caps. */
void gst_mpeg_transcoder_output_flush (GstMpegTranscoderOutput * o);

G_END_DECLS

#endif
