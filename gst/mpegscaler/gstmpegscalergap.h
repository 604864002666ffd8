/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Gap events for when nothing leaves for long.
 */
#ifndef __GST_MPEG_SCALER_GAP_H__
#define __GST_MPEG_SCALER_GAP_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* Since something left last. */
typedef struct
{
  gboolean reference_dropped;
  GstClockTime begin, end;      /* of what was dropped and is not announced */
  GstClockTime announced;       /* where the last gap event ended */
} GstMpegScalerGap;

/* Start; and whenever a frame leaves, or times may jump. */
void gst_mpeg_scaler_gap_init (GstMpegScalerGap * g);

/* A frame was dropped: the event that is due, or NULL. */
GstEvent *gst_mpeg_scaler_gap_add (GstMpegScalerGap * g, GstClockTime pts,
    GstClockTime duration, gboolean is_reference);

G_END_DECLS

#endif
