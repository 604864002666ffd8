/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the threads of mpegscaler share: the application's settings, the last
 * congestion event, and what the streaming thread reports. Every
 * function may be called from any thread.
 */
#ifndef __GST_MPEG_SCALER_CONTROL_H__
#define __GST_MPEG_SCALER_CONTROL_H__

#include "gstmpegscalersettings.h"

G_BEGIN_DECLS

/* What frames are to obey. */
typedef struct
{
  GstMpegScalerMode mode;
  M2vDropperSettings dropper;
  M2vRecoderSettings recoder;        /* its target is 0 where nothing is to
                                         * pass */
} GstMpegScalerRule;

typedef struct
{
  M2vDropperStats counts;    /* but bytes_out is what really left */
  M2vRecoderStats recoded;
  guint64 stuffing;             /* bytes of it that were removed */
  gint scale;                   /* in force for the last frame */
  gint64 rates[SCALING_N_SCALES];
} GstMpegScalerReport;

typedef struct
{
  GstFollower follower;         /* its lock is for all that comes after */
  GstMpegScalerSettings settings;
  GstMpegScalerReport report;
} GstMpegScalerControl;

void gst_mpeg_scaler_control_init (GstMpegScalerControl * c);
void gst_mpeg_scaler_control_clear (GstMpegScalerControl * c);
/* What a new stream must not inherit. */
void gst_mpeg_scaler_control_forget (GstMpegScalerControl * c);

void gst_mpeg_scaler_control_rule (GstMpegScalerControl * c,
    GstMpegScalerRule * rule);
/* The target that rules in its mode, bits per second;
 * GST_FOLLOWER_NO_BITRATE: none does. */
guint64 gst_mpeg_scaler_rule_target (const GstMpegScalerRule * rule);

/* Of the streaming thread, after a frame. */
void gst_mpeg_scaler_control_report (GstMpegScalerControl * c,
    const GstMpegScalerReport * report);
GstStructure *gst_mpeg_scaler_control_stats (GstMpegScalerControl * c);

G_END_DECLS

#endif
