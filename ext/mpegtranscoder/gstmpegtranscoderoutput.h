/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decoded pictures in display order → coded ones in coded order, pushed
 * downstream with caps and events before them. The encoder is opened anew where
 * the format changes, and after a stop.
 */
#ifndef __GST_MPEG_TRANSCODER_OUTPUT_H__
#define __GST_MPEG_TRANSCODER_OUTPUT_H__

#include "gstmpegtranscodercontrol.h"

#include <libavutil/frame.h>

#include "core/ratecontrol.h"
#include "headers.h"

G_BEGIN_DECLS

/* What is known of a picture of the source. */
typedef struct
{
  TranscoderSource source;
  MpegSequence sequence;
  gint64 pts, duration;
  guint n_fields;
  gboolean progressive_frame, top_field_first;
  guint max_b;                  /* B in a row in the source so far */
} GstMpegTranscoderPicture;

typedef struct _GstMpegTranscoderOutput GstMpegTranscoderOutput;

/* NULL where memory is short. */
GstMpegTranscoderOutput *gst_mpeg_transcoder_output_new (GstElement * element,
    GstPad * srcpad, GstMpegTranscoderControl * control);
void gst_mpeg_transcoder_output_free (GstMpegTranscoderOutput * o);

/* Times are stream times: buffers get stamps. */
void gst_mpeg_transcoder_output_set_timed (GstMpegTranscoderOutput * o,
    gboolean timed);
/* The next buffer is DISCONT. */
void gst_mpeg_transcoder_output_set_discont (GstMpegTranscoderOutput * o);

GstFlowReturn gst_mpeg_transcoder_output_frame (GstMpegTranscoderOutput * o,
    AVFrame * frame, const GstMpegTranscoderPicture * picture);

/* All that waits in the encoder; the next picture is an I. */
GstFlowReturn gst_mpeg_transcoder_output_drain (GstMpegTranscoderOutput * o);

/* Flush: forgets what waits, and events that wait for caps. */
void gst_mpeg_transcoder_output_flush (GstMpegTranscoderOutput * o);

/* Takes a serialized event. Those that must not precede caps wait for them. */
gboolean gst_mpeg_transcoder_output_event (GstMpegTranscoderOutput * o,
    GstEvent * event);

/* Counts, which the caller adds to. */
GstMpegTranscoderReport *gst_mpeg_transcoder_output_report (
    GstMpegTranscoderOutput * o);

G_END_DECLS

#endif
