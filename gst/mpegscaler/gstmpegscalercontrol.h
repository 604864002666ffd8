/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the threads of mpegscaler share: the application's settings, the last
 * congestion event, and what the streaming thread reports. Every
 * function may be called from any thread.
 */
#ifndef __GST_MPEG_SCALER_CONTROL_H__
#define __GST_MPEG_SCALER_CONTROL_H__

#include <h26x/dropper.h>

#include "gstmpegscalersettings.h"

G_BEGIN_DECLS

/* What pictures are to obey. */
typedef struct
{
  GstMpegScalerMode mode;       /* in force: the codec may have one only */
  GstMpegScalerMode asked;
  M2vDropperSettings dropper;
  gint64 max_freeze;            /* ns, -1 = no limit */
  gboolean allow_gaps;          /* in H.264's frame_num */
  guint key_requests;           /* of receivers, so far */
  M2vRecoderSettings recoder;        /* its target is 0 where nothing is to
                                         * pass */
} GstMpegScalerRule;

/* Of the present stream. */
typedef struct
{
  gint scale;                   /* in force for the last picture */
  gboolean gaps;                /* parameter sets leave with allow-gaps' flag */
  gint64 rates[SCALING_N_SCALES];
} GstMpegScalerReport;

/* Of all MPEG-1 and MPEG-2 video. */
typedef struct
{
  M2vDropperStats counts;       /* but bytes_out is what really left */
  M2vRecoderStats recoded;
  guint64 stuffing;             /* bytes of it that were removed */
} GstMpegScalerM2vReport;

typedef struct
{
  GstFollower follower;         /* its lock is for all that comes after */
  GstMpegScalerSettings settings;
  gboolean only_drops;          /* the codec has no other mode */
  guint key_requests;           /* GstForceKeyUnit events from receivers */
  GstMpegScalerReport report;
  GstMpegScalerM2vReport m2v;
  H26xDropperStats h26x;        /* of all H.264 and H.265 */
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

/* Downstream wants a key picture: GstForceKeyUnit. */
void gst_mpeg_scaler_control_want_key (GstMpegScalerControl * c);

/* Of the streaming thread, where a codec's stream begins. */
void gst_mpeg_scaler_control_set_only_drops (GstMpegScalerControl * c,
    gboolean only_drops);
/* Of the streaming thread, after a picture. NULL: nothing new. */
void gst_mpeg_scaler_control_report (GstMpegScalerControl * c,
    const GstMpegScalerReport * report, const GstMpegScalerM2vReport * m2v,
    const H26xDropperStats * h26x);
GstStructure *gst_mpeg_scaler_control_stats (GstMpegScalerControl * c);

G_END_DECLS

#endif
