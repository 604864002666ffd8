/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides what becomes of a frame: runs dropper and recoder as the control
 * rules, and reports to the control.
 */
#ifndef __GST_MPEG_SCALER_M2V_PROCESSOR_H__
#define __GST_MPEG_SCALER_M2V_PROCESSOR_H__

#include "gstmpegscalercontrol.h"

G_BEGIN_DECLS

typedef struct _GstMpegScalerM2vProcessor GstMpegScalerM2vProcessor;

/* Returns NULL if memory runs out. */
GstMpegScalerM2vProcessor *gst_mpeg_scaler_m2v_processor_new (
    GstMpegScalerControl * control);
void gst_mpeg_scaler_m2v_processor_free (GstMpegScalerM2vProcessor * r);

/* Prepares for input that refers to nothing before it. */
void gst_mpeg_scaler_m2v_processor_flush (GstMpegScalerM2vProcessor * r);
/* Begins another stream. */
void gst_mpeg_scaler_m2v_processor_restart (GstMpegScalerM2vProcessor * r);

/* Notes that `size` bytes of stuffing were removed from the next input. */
void gst_mpeg_scaler_m2v_processor_stuffing (GstMpegScalerM2vProcessor * r,
    gsize size);

/* Decides about a frame, as m2v_dropper_frame does. The decision says what
 * leaves, and is valid until the next call. */
void gst_mpeg_scaler_m2v_processor_frame (GstMpegScalerM2vProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision);
/* Decides about a field without its second field. Returns FALSE if nothing
 * leaves. */
gboolean gst_mpeg_scaler_m2v_processor_unpaired (GstMpegScalerM2vProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision);
/* The functions below work as those of mpeg2scaling/dropper.h. */
gboolean gst_mpeg_scaler_m2v_processor_span (GstMpegScalerM2vProcessor * r,
    const M2vPicture * span, const guint8 * data);
guint gst_mpeg_scaler_m2v_processor_headers (GstMpegScalerM2vProcessor * r,
    const M2vPicture * span, const guint8 * data, M2vPiece * piece);
guint gst_mpeg_scaler_m2v_processor_finish (GstMpegScalerM2vProcessor * r,
    M2vPiece * piece);

G_END_DECLS

#endif
