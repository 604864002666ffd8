/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Output buffers from pieces of input buffers, whose memory they share unless
 * most is written anew.
 */
#ifndef __GST_MPEG_SCALER_M2V_BUFFER_H__
#define __GST_MPEG_SCALER_M2V_BUFFER_H__

#include <gst/gst.h>

#include <mpeg2scaling/dropper.h>

G_BEGIN_DECLS

/* Where a picture was found. */
typedef struct
{
  GstBuffer *buffer;
  gsize begin;                  /* of its span */
  gboolean leads;               /* it is the buffer's first picture */
} GstMpegScalerM2vPlace;

/* Whether the pieces together are one whole input buffer as it is. */
gboolean gst_mpeg_scaler_m2v_is_whole (const M2vDecision * decision,
    const GstMpegScalerM2vPlace places[2]);

/* A new buffer of the pieces; flags, metas and times are those of the buffer
 * that the frame leads. `between`, or NULL, goes between its two pictures. */
GstBuffer *gst_mpeg_scaler_m2v_assemble (const M2vDecision * decision,
    const M2vFrame * frame, const GstMpegScalerM2vPlace places[2],
    GstBuffer * between);

/* Bytes of one input buffer that are no frame; times and metas are left to its
 * frames. All of it is the buffer itself. */
GstBuffer *gst_mpeg_scaler_m2v_region (GstBuffer * buffer, gsize begin,
    gsize size);

/* Takes the buffer, and returns it, or one of its bytes but for those that
 * mpeg2/stuffing.h removes. */
GstBuffer *gst_mpeg_scaler_m2v_remove_stuffing (GstBuffer * buffer);

/* `first` followed by `second`, which gives flags, metas and, where it has
 * any, times. Takes both. */
GstBuffer *gst_mpeg_scaler_m2v_join (GstBuffer * first, GstBuffer * second);

G_END_DECLS

#endif
