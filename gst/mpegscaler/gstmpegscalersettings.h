/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of mpegscaler: their definitions, values and defaults.
 */
#ifndef __GST_MPEG_SCALER_SETTINGS_H__
#define __GST_MPEG_SCALER_SETTINGS_H__

#include <gst/gst.h>

#include <mpeg2scaling/recoder.h>
#include <follow/follower.h>
#include <settings/settings.h>

G_BEGIN_DECLS

/**
 * GstMpegScalerMode:
 * @GST_MPEG_SCALER_MODE_DROP: drop frames
 * @GST_MPEG_SCALER_MODE_REQUANTIZE: quantize coefficients more coarsely
 * @GST_MPEG_SCALER_MODE_AUTO: requantize, and drop frames where that is not
 *   enough
 *
 * How the rate is lowered.
 */
typedef enum
{
  GST_MPEG_SCALER_MODE_DROP,
  GST_MPEG_SCALER_MODE_REQUANTIZE,
  GST_MPEG_SCALER_MODE_AUTO
} GstMpegScalerMode;

#define GST_TYPE_MPEG_SCALER_MODE (gst_mpeg_scaler_mode_get_type ())
GType gst_mpeg_scaler_mode_get_type (void);

/**
 * GstMpegScalerDrift:
 * @GST_MPEG_SCALER_DRIFT_OFF: in no picture; the fastest
 * @GST_MPEG_SCALER_DRIFT_ON: in P pictures
 * @GST_MPEG_SCALER_DRIFT_ALL: in P and B pictures
 *
 * In which pictures the errors that are inherited from requantized references
 * are removed.
 */
typedef enum
{
  GST_MPEG_SCALER_DRIFT_OFF,
  GST_MPEG_SCALER_DRIFT_ON,
  GST_MPEG_SCALER_DRIFT_ALL
} GstMpegScalerDrift;

#define GST_TYPE_MPEG_SCALER_DRIFT (gst_mpeg_scaler_drift_get_type ())
GType gst_mpeg_scaler_drift_get_type (void);

/**
 * GstMpegScalerVectors:
 * @GST_MPEG_SCALER_VECTORS_NEVER: in no picture; the fastest
 * @GST_MPEG_SCALER_VECTORS_AUTO: in P and B pictures, where vectors take much of
 *     the rate
 * @GST_MPEG_SCALER_VECTORS_ALWAYS: in all P and B pictures
 *
 * In which requantized pictures motion vectors are chosen anew.
 */
typedef enum
{
  GST_MPEG_SCALER_VECTORS_NEVER,
  GST_MPEG_SCALER_VECTORS_AUTO,
  GST_MPEG_SCALER_VECTORS_ALWAYS
} GstMpegScalerVectors;

#define GST_TYPE_MPEG_SCALER_VECTORS (gst_mpeg_scaler_vectors_get_type ())
GType gst_mpeg_scaler_vectors_get_type (void);

enum
{
  GST_MPEG_SCALER_MODE = GST_FOLLOW_N_WITH_TARGET,
  GST_MPEG_SCALER_SCALE,
  GST_MPEG_SCALER_REPEAT_DROPPED,
  GST_MPEG_SCALER_FILL_TARGET,
  GST_MPEG_SCALER_MAX_FREEZE,
  GST_MPEG_SCALER_ALLOW_GAPS,
  GST_MPEG_SCALER_MAX_QUANTISER,
  GST_MPEG_SCALER_DRIFT_COMPENSATION,
  GST_MPEG_SCALER_RATE_DISTORTION,
  GST_MPEG_SCALER_CHOOSE_VECTORS,
  GST_MPEG_SCALER_STATS,
  GST_MPEG_SCALER_N_PROPERTIES
};

/* Values of the properties that can be set, without those of every
 * follower. */
typedef struct
{
  GstMpegScalerMode mode;
  gint scale;
  gboolean repeat_dropped;
  gboolean fill_target;
  guint64 max_freeze;
  gboolean allow_gaps;
  guint max_quantiser;
  GstMpegScalerDrift drift;
  gboolean rate_distortion;
  GstMpegScalerVectors vectors;
} GstMpegScalerSettings;

void gst_mpeg_scaler_settings_install (GObjectClass * klass);

/* Sets the defaults. */
void gst_mpeg_scaler_settings_init (GstMpegScalerSettings * s);

/* The fields of GstMpegScalerSettings. */
extern const GstSettingsField gst_mpeg_scaler_fields[];

G_END_DECLS

#endif
