/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of mpegscaler: what they are called, their values, and what
 * they make of a congestion event.
 */
#ifndef __GST_MPEG_SCALER_SETTINGS_H__
#define __GST_MPEG_SCALER_SETTINGS_H__

#include <gst/gst.h>
#include <gst/congestion/congestion.h>

#include "core/dropper.h"

G_BEGIN_DECLS

/**
 * GstMpegScalerMode:
 * @GST_MPEG_SCALER_MODE_DROP: drop frames
 *
 * How the rate is lowered.
 */
typedef enum
{
  GST_MPEG_SCALER_MODE_DROP
} GstMpegScalerMode;

#define GST_TYPE_MPEG_SCALER_MODE (gst_mpeg_scaler_mode_get_type ())
GType gst_mpeg_scaler_mode_get_type (void);

enum
{
  GST_MPEG_SCALER_PROP_0,
  GST_MPEG_SCALER_MODE,
  GST_MPEG_SCALER_FOLLOW_EVENTS,
  GST_MPEG_SCALER_SCALE,
  GST_MPEG_SCALER_TARGET_BITRATE,
  GST_MPEG_SCALER_SHARE,
  GST_MPEG_SCALER_RESERVED_BITRATE,
  GST_MPEG_SCALER_REPEAT_DROPPED,
  GST_MPEG_SCALER_FILL_TARGET,
  GST_MPEG_SCALER_STATS,
  GST_MPEG_SCALER_N_PROPERTIES
};

/* Values of those that can be set. */
typedef struct
{
  GstMpegScalerMode mode;
  gboolean follow_events;
  gint scale;
  guint64 target_bitrate;
  gdouble share;
  guint64 reserved_bitrate;
  gboolean repeat_dropped;
  gboolean fill_target;
} GstMpegScalerSettings;

void gst_mpeg_scaler_settings_install (GObjectClass * klass);

/* The defaults. */
void gst_mpeg_scaler_settings_init (GstMpegScalerSettings * s);

/* FALSE where it is none of these. */
gboolean gst_mpeg_scaler_settings_set (GstMpegScalerSettings * s, guint id,
    const GValue * value);
gboolean gst_mpeg_scaler_settings_get (const GstMpegScalerSettings * s,
    guint id, GValue * value);

/* What the dropper is to obey; info: of the last event, or NULL. */
void gst_mpeg_scaler_settings_rule (const GstMpegScalerSettings * s,
    const GstCongestionInfo * info, ScalerDropperSettings * rule);

G_END_DECLS

#endif
