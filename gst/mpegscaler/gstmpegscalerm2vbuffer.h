/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Makes output buffers from pieces of input buffers. They share the memory
 * of these unless most bytes are new.
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
  gsize begin;                  /* where its span begins */
  gboolean leads;               /* the picture is the buffer's first */
} GstMpegScalerM2vPlace;

/* True if the pieces together are one whole input buffer as it is. */
gboolean gst_mpeg_scaler_m2v_is_whole (const M2vDecision * decision,
    const GstMpegScalerM2vPlace places[2]);

/* Returns a new buffer of the pieces. Flags, metas and times are those of
 * the buffer that the frame leads. `between`, or NULL, goes between its
 * two pictures. */
GstBuffer *gst_mpeg_scaler_m2v_assemble (const M2vDecision * decision,
    const M2vFrame * frame, const GstMpegScalerM2vPlace places[2],
    GstBuffer * between);

/* Returns bytes of one input buffer that are no frame, without times and
 * metas, which are for its frames. Returns the buffer itself for all of
 * its bytes. */
GstBuffer *gst_mpeg_scaler_m2v_region (GstBuffer * buffer, gsize begin,
    gsize size);

/* Takes the buffer. Returns it, or one without the bytes that
 * mpeg2/stuffing.h removes. */
GstBuffer *gst_mpeg_scaler_m2v_remove_stuffing (GstBuffer * buffer);

/* Returns `first` followed by `second`. Flags, metas and, if it has any,
 * times are those of `second`. Takes both. */
GstBuffer *gst_mpeg_scaler_m2v_join (GstBuffer * first, GstBuffer * second);

G_END_DECLS

#endif
