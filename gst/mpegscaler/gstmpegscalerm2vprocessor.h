/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What becomes of a frame: dropper and recoder as the control rules, which
 * hears of it.
 */
#ifndef __GST_MPEG_SCALER_M2V_PROCESSOR_H__
#define __GST_MPEG_SCALER_M2V_PROCESSOR_H__

#include "gstmpegscalercontrol.h"

G_BEGIN_DECLS

typedef struct _GstMpegScalerM2vProcessor GstMpegScalerM2vProcessor;

/* NULL where memory is short. */
GstMpegScalerM2vProcessor *gst_mpeg_scaler_m2v_processor_new (
    GstMpegScalerControl * control);
void gst_mpeg_scaler_m2v_processor_free (GstMpegScalerM2vProcessor * r);

/* What comes next refers to nothing before. */
void gst_mpeg_scaler_m2v_processor_flush (GstMpegScalerM2vProcessor * r);
/* Another stream begins. */
void gst_mpeg_scaler_m2v_processor_restart (GstMpegScalerM2vProcessor * r);

/* Of what comes next, so many bytes of stuffing have been removed. */
void gst_mpeg_scaler_m2v_processor_stuffing (GstMpegScalerM2vProcessor * r,
    gsize size);

/* As the functions of mpeg2scaling/dropper.h; the decision is what is to leave,
 * valid until the next call. */
void gst_mpeg_scaler_m2v_processor_frame (GstMpegScalerM2vProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision);
/* Whether anything is to leave. */
gboolean gst_mpeg_scaler_m2v_processor_unpaired (GstMpegScalerM2vProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision);
gboolean gst_mpeg_scaler_m2v_processor_span (GstMpegScalerM2vProcessor * r,
    const M2vPicture * span, const guint8 * data);
guint gst_mpeg_scaler_m2v_processor_headers (GstMpegScalerM2vProcessor * r,
    const M2vPicture * span, const guint8 * data, M2vPiece * piece);
guint gst_mpeg_scaler_m2v_processor_finish (GstMpegScalerM2vProcessor * r,
    M2vPiece * piece);

G_END_DECLS

#endif
