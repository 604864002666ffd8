/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What becomes of a frame: dropper and recoder as the control rules, which
 * hears of it.
 */
#ifndef __GST_MPEG_SCALER_PROCESSOR_H__
#define __GST_MPEG_SCALER_PROCESSOR_H__

#include "gstmpegscalercontrol.h"

G_BEGIN_DECLS

typedef struct _GstMpegScalerProcessor GstMpegScalerProcessor;

/* NULL where memory is short. */
GstMpegScalerProcessor *gst_mpeg_scaler_processor_new (
    GstMpegScalerControl * control);
void gst_mpeg_scaler_processor_free (GstMpegScalerProcessor * r);

/* What comes next refers to nothing before. */
void gst_mpeg_scaler_processor_flush (GstMpegScalerProcessor * r);
/* Another stream begins. */
void gst_mpeg_scaler_processor_restart (GstMpegScalerProcessor * r);

/* Of what comes next, so many bytes of stuffing have been removed. */
void gst_mpeg_scaler_processor_stuffing (GstMpegScalerProcessor * r,
    gsize size);

/* As the functions of mpeg2scaling/dropper.h; the decision is what is to leave,
 * valid until the next call. */
void gst_mpeg_scaler_processor_frame (GstMpegScalerProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision);
/* Whether anything is to leave. */
gboolean gst_mpeg_scaler_processor_unpaired (GstMpegScalerProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision);
gboolean gst_mpeg_scaler_processor_span (GstMpegScalerProcessor * r,
    const M2vPicture * span, const guint8 * data);
guint gst_mpeg_scaler_processor_headers (GstMpegScalerProcessor * r,
    const M2vPicture * span, const guint8 * data, M2vPiece * piece);
guint gst_mpeg_scaler_processor_finish (GstMpegScalerProcessor * r,
    M2vPiece * piece);

G_END_DECLS

#endif
