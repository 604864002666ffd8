/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The streaming thread's half of mpegscaler: takes buffers, and pushes
 * pictures, with the codec that the caps name.
 */
#ifndef __GST_MPEG_SCALER_STREAM_H__
#define __GST_MPEG_SCALER_STREAM_H__

#include "gstmpegscalercontrol.h"

G_BEGIN_DECLS

typedef struct _GstMpegScalerStream GstMpegScalerStream;

/* Makes a stream that pushes on srcpad and posts messages as element. It
 * takes no reference to either. */
GstMpegScalerStream *gst_mpeg_scaler_stream_new (GstElement * element,
    GstPad * srcpad, GstMpegScalerControl * control);
void gst_mpeg_scaler_stream_free (GstMpegScalerStream * s);

/* Takes the buffer. */
GstFlowReturn gst_mpeg_scaler_stream_chain (GstMpegScalerStream * s,
    GstBuffer * buffer);

/* Handles a serialized event before it is passed on, and may replace it.
 * Returns FALSE if it must not be passed on. */
gboolean gst_mpeg_scaler_stream_event (GstMpegScalerStream * s,
    GstEvent ** event);

G_END_DECLS

#endif
