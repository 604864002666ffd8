/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decoded pictures in display order → those of the output's size and frame rate,
 * for its encoder. That is opened anew where the format changes, and after a
 * stop.
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
  gint64 end;                   /* of the last picture */
  gint64 longest;               /* that a picture was shown */
  gboolean fields_wait;         /* first ones for their second, in buffers */
  TranscoderCadence cadence;
  TranscoderResizer *resizer;
  AVFrame *resized;
} GstMpegTranscoderOutput;

/* FALSE where memory is short. */
gboolean gst_mpeg_transcoder_output_init (GstMpegTranscoderOutput * o,
    GstElement * element, GstPad * srcpad, GstMpegTranscoderControl * control);
void gst_mpeg_transcoder_output_clear (GstMpegTranscoderOutput * o);

GstFlowReturn gst_mpeg_transcoder_output_frame (GstMpegTranscoderOutput * o,
    AVFrame * frame, const GstMpegTranscoderPicture * picture);

/* All that waits in the encoder leaves; the next picture is an I. */
GstFlowReturn gst_mpeg_transcoder_output_drain (GstMpegTranscoderOutput * o);

/* Forgets what waits, and events that wait for caps. */
void gst_mpeg_transcoder_output_flush (GstMpegTranscoderOutput * o);

G_END_DECLS

#endif
