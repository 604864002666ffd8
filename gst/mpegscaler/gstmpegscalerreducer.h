/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What becomes of a frame: dropper and recoder as the control rules, which hears
 * of it.
 */
#ifndef __GST_MPEG_SCALER_REDUCER_H__
#define __GST_MPEG_SCALER_REDUCER_H__

#include "gstmpegscalercontrol.h"

G_BEGIN_DECLS

typedef struct _GstMpegScalerReducer GstMpegScalerReducer;

/* NULL where memory is short. */
GstMpegScalerReducer *gst_mpeg_scaler_reducer_new (
    GstMpegScalerControl * control);
void gst_mpeg_scaler_reducer_free (GstMpegScalerReducer * r);

/* What comes next refers to nothing before. */
void gst_mpeg_scaler_reducer_flush (GstMpegScalerReducer * r);
/* Another stream begins. */
void gst_mpeg_scaler_reducer_restart (GstMpegScalerReducer * r);

/* As the functions of core/dropper.h; the decision is what is to leave, valid
 * until the next call. */
void gst_mpeg_scaler_reducer_frame (GstMpegScalerReducer * r,
    const MpegFrame * frame, const guint8 * const data[2],
    ScalerDecision * decision);
/* Whether anything is to leave. */
gboolean gst_mpeg_scaler_reducer_unpaired (GstMpegScalerReducer * r,
    const MpegFrame * frame, const guint8 * const data[2],
    ScalerDecision * decision);
gboolean gst_mpeg_scaler_reducer_span (GstMpegScalerReducer * r,
    const MpegPicture * span, const guint8 * data);
guint gst_mpeg_scaler_reducer_headers (GstMpegScalerReducer * r,
    const MpegPicture * span, const guint8 * data, MpegPiece * piece);
guint gst_mpeg_scaler_reducer_finish (GstMpegScalerReducer * r,
    MpegPiece * piece);

G_END_DECLS

#endif
