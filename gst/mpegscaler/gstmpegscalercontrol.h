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

/* The rule that pictures follow. */
typedef struct
{
  GstMpegScalerMode mode;       /* in force; a codec may have only one */
  GstMpegScalerMode asked;
  M2vDropperSettings dropper;
  gint64 max_freeze;            /* ns, -1 = no limit */
  gboolean allow_gaps;          /* H.264's frame_num may have gaps */
  guint key_requests;           /* requests of receivers so far */
  /* Its target is 0 if nothing may pass. */
  M2vRecoderSettings recoder;
} GstMpegScalerRule;

/* The report on the current stream. */
typedef struct
{
  gint scale;                   /* scale in force for the last picture */
  gboolean gaps;                /* parameter sets leave with allow-gaps' flag */
  gint64 rates[SCALING_N_SCALES];
} GstMpegScalerReport;

/* The report on all MPEG-1 and MPEG-2 video. */
typedef struct
{
  M2vDropperStats counts;       /* its bytes_out is what really left */
  M2vRecoderStats recoded;
  guint64 stuffing;             /* bytes of stuffing that were removed */
} GstMpegScalerM2vReport;

typedef struct
{
  GstFollower follower;         /* its lock protects all members below */
  GstMpegScalerSettings settings;
  gboolean only_drops;          /* the codec has no other mode */
  guint key_requests;           /* GstForceKeyUnit events from receivers */
  GstMpegScalerReport report;
  GstMpegScalerM2vReport m2v;
  H26xDropperStats h26x;        /* counts of all H.264 and H.265 video */
} GstMpegScalerControl;

void gst_mpeg_scaler_control_init (GstMpegScalerControl * c);
void gst_mpeg_scaler_control_clear (GstMpegScalerControl * c);
/* Clears what a new stream must not inherit. */
void gst_mpeg_scaler_control_forget (GstMpegScalerControl * c);

void gst_mpeg_scaler_control_rule (GstMpegScalerControl * c,
    GstMpegScalerRule * rule);
/* Returns the target that applies in the rule's mode, in bits per second;
 * GST_FOLLOWER_NO_BITRATE = none does. */
guint64 gst_mpeg_scaler_rule_target (const GstMpegScalerRule * rule);
/* Returns TRUE if less is to leave than comes: a target applies, or a scale
 * that not all frames pass. */
gboolean gst_mpeg_scaler_rule_lowers (const GstMpegScalerRule * rule);

/* Notes that downstream wants a key picture (GstForceKeyUnit). */
void gst_mpeg_scaler_control_want_key (GstMpegScalerControl * c);

/* Sets whether the codec has no other mode than drop. The streaming thread
 * calls this when a codec's stream begins. */
void gst_mpeg_scaler_control_set_only_drops (GstMpegScalerControl * c,
    gboolean only_drops);
/* Stores reports. The streaming thread calls this after a picture. NULL =
 * nothing new. */
void gst_mpeg_scaler_control_report (GstMpegScalerControl * c,
    const GstMpegScalerReport * report, const GstMpegScalerM2vReport * m2v,
    const H26xDropperStats * h26x);
GstStructure *gst_mpeg_scaler_control_stats (GstMpegScalerControl * c);

G_END_DECLS

#endif
