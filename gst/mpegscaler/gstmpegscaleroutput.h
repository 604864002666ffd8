/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The part of mpegscaler's source pad that is the same for all codecs:
 * marks, places and gaps.
 */
#ifndef __GST_MPEG_SCALER_OUTPUT_H__
#define __GST_MPEG_SCALER_OUTPUT_H__

#include "gstmpegscalergap.h"
#include "gstmpegscalerorder.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* posts messages; not owned */
  GstPad *srcpad;               /* not owned */
  GstSegment segment;
  gboolean discont;             /* the next buffer gets the flag DISCONT */
  GstMpegScalerOrder order;
  GstMpegScalerGap gap;
} GstMpegScalerOutput;

gboolean gst_mpeg_scaler_output_is_timed (const GstMpegScalerOutput * o);
gboolean gst_mpeg_scaler_output_is_in_segment (const GstMpegScalerOutput * o,
    GstClockTime time);

/* Pushes a picture that is marked, or what is no picture. Takes the buffer. */
GstFlowReturn gst_mpeg_scaler_output_push (GstMpegScalerOutput * o,
    GstBuffer * buffer);

/* Marks a picture that leaves as a delta unit or not, and adds its place.
 * Takes the buffer, and returns it or a copy. */
GstBuffer *gst_mpeg_scaler_output_mark (GstMpegScalerOutput * o,
    GstBuffer * buffer, const GstMpegScalerPicture * picture, gboolean delta);

/* Notes that a picture does not leave. Pushes a gap event if one is due. */
void gst_mpeg_scaler_output_dropped (GstMpegScalerOutput * o, GstClockTime pts,
    GstClockTime duration, gboolean is_reference);

/* Posts an error that a buffer cannot be mapped. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_mpeg_scaler_output_refuse (GstMpegScalerOutput * o);

G_END_DECLS

#endif
