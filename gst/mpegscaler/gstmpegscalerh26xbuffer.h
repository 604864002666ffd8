/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Access units of H.264 and H.265 without filler data, and with the parameter
 * sets of those that were dropped. Slices are shared.
 */
#ifndef __GST_MPEG_SCALER_H26X_BUFFER_H__
#define __GST_MPEG_SCALER_H26X_BUFFER_H__

#include "gsth26xunit.h"

G_BEGIN_DECLS

/* Parameter sets of dropped pictures are kept up to so many bytes; streams need
 * far less. */
#define GST_MPEG_SCALER_H26X_MAX_CARRIED (64 * 1024)

typedef struct
{
  GstBuffer *buffer;
  const guint8 *data;           /* of the buffer, mapped */
  gsize size;
  const GstH26xUnit *units;     /* in their order */
  guint n_units;
} GstMpegScalerH26xAccessUnit;

gsize gst_mpeg_scaler_h26x_filler_size (const GstMpegScalerH26xAccessUnit * au);

/* The access unit is dropped: keeps its parameter sets, GBytes. */
void gst_mpeg_scaler_h26x_carry (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au);

/* The access unit passes: those that it brings itself are kept no longer. */
void gst_mpeg_scaler_h26x_uncarry (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au);

/* The access unit passes; NULL: as it is. Nothing is carried any more. */
GstBuffer *gst_mpeg_scaler_h26x_assemble (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au, gboolean without_filler);

G_END_DECLS

#endif
