/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What of mpegscaler's source pad is the same for all codecs: marks, places and
 * gaps.
 */
#ifndef __GST_MPEG_SCALER_OUTPUT_H__
#define __GST_MPEG_SCALER_OUTPUT_H__

#include "gstmpegscalergap.h"
#include "gstmpegscalerorder.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* which posts messages; not owned */
  GstPad *srcpad;               /* not owned */
  GstSegment segment;
  gboolean discont;             /* the next buffer is to be DISCONT */
  GstMpegScalerOrder order;
  GstMpegScalerGap gap;
} GstMpegScalerOutput;

gboolean gst_mpeg_scaler_output_is_timed (const GstMpegScalerOutput * o);
gboolean gst_mpeg_scaler_output_is_in_segment (const GstMpegScalerOutput * o,
    GstClockTime time);

/* Pushes what is no picture, or a picture that is marked; takes the buffer. */
GstFlowReturn gst_mpeg_scaler_output_push (GstMpegScalerOutput * o,
    GstBuffer * buffer);

/* A picture that leaves: takes the buffer, and returns it or a copy, marked as a
 * delta unit or not, and with its place. */
GstBuffer *gst_mpeg_scaler_output_mark (GstMpegScalerOutput * o,
    GstBuffer * buffer, const GstMpegScalerPicture * picture, gboolean delta);

/* A picture does not leave. Pushes a gap event where one is due. */
void gst_mpeg_scaler_output_dropped (GstMpegScalerOutput * o, GstClockTime pts,
    GstClockTime duration, gboolean is_reference);

/* Posts that a buffer cannot be mapped. */
GstFlowReturn gst_mpeg_scaler_output_refuse (GstMpegScalerOutput * o);

G_END_DECLS

#endif
