/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Makes gap events while nothing leaves for long.
 */
#ifndef __GST_MPEG_SCALER_GAP_H__
#define __GST_MPEG_SCALER_GAP_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* What was dropped since something left last. */
typedef struct
{
  gboolean reference_dropped;
  /* The time of dropped frames that no gap event has announced yet. */
  GstClockTime begin, end;
  GstClockTime announced;       /* where the last gap event ended */
} GstMpegScalerGap;

/* Forgets dropped frames: at the start, whenever a frame leaves, and when
 * times may jump. */
void gst_mpeg_scaler_gap_init (GstMpegScalerGap * g);

/* Notes a dropped frame. Returns the event that is due, or NULL. */
GstEvent *gst_mpeg_scaler_gap_add (GstMpegScalerGap * g, GstClockTime pts,
    GstClockTime duration, gboolean is_reference);

G_END_DECLS

#endif
