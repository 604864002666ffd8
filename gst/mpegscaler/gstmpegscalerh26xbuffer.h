/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Makes access units of H.264 and H.265 without filler data, and with the
 * parameter sets of dropped access units. The memory of slices is shared.
 */
#ifndef __GST_MPEG_SCALER_H26X_BUFFER_H__
#define __GST_MPEG_SCALER_H26X_BUFFER_H__

#include "gsth26xunit.h"

G_BEGIN_DECLS

/* The most bytes of parameter sets of dropped pictures that are kept;
 * streams need far fewer. */
#define GST_MPEG_SCALER_H26X_MAX_CARRIED (64 * 1024)

typedef struct
{
  GstBuffer *buffer;
  const guint8 *data;           /* the mapped bytes of the buffer */
  gsize size;
  const GstH26xUnit *units;     /* in the order of the bytes */
  guint n_units;
} GstMpegScalerH26xAccessUnit;

gsize gst_mpeg_scaler_h26x_filler_size (const GstMpegScalerH26xAccessUnit * au);

/* Keeps the parameter sets of a dropped access unit, as GBytes. */
void gst_mpeg_scaler_h26x_carry (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au);

/* Removes the parameter sets that an access unit that passes contains
 * itself. */
void gst_mpeg_scaler_h26x_uncarry (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au);

/* Returns an access unit that passes with the carried parameter sets, or
 * NULL if it passes as it is. Nothing is carried afterwards. */
GstBuffer *gst_mpeg_scaler_h26x_assemble (GPtrArray * carried,
    const GstMpegScalerH26xAccessUnit * au, gboolean without_filler);

G_END_DECLS

#endif
