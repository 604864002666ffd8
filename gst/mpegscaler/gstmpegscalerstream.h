/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The streaming thread's half of mpegscaler: buffers in, pictures out, by the
 * codec that caps name.
 */
#ifndef __GST_MPEG_SCALER_STREAM_H__
#define __GST_MPEG_SCALER_STREAM_H__

#include "gstmpegscalercontrol.h"

G_BEGIN_DECLS

typedef struct _GstMpegScalerStream GstMpegScalerStream;

/* Pushes on srcpad, posts messages as element; takes no reference to either. */
GstMpegScalerStream *gst_mpeg_scaler_stream_new (GstElement * element,
    GstPad * srcpad, GstMpegScalerControl * control);
void gst_mpeg_scaler_stream_free (GstMpegScalerStream * s);

/* Takes the buffer. */
GstFlowReturn gst_mpeg_scaler_stream_chain (GstMpegScalerStream * s,
    GstBuffer * buffer);

/* Before a serialized event is passed on, which FALSE forbids. It may be replaced
 * by another one. */
gboolean gst_mpeg_scaler_stream_event (GstMpegScalerStream * s,
    GstEvent ** event);

G_END_DECLS

#endif
