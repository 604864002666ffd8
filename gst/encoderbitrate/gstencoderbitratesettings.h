/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of encoderbitrate, and their values.
 */
#ifndef __GST_ENCODER_BITRATE_SETTINGS_H__
#define __GST_ENCODER_BITRATE_SETTINGS_H__

#include <gst/gst.h>

#include "framelimit.h"
#include <follow/follower.h>
#include <settings/settings.h>

G_BEGIN_DECLS

/* The numbers of the properties; they follow those of the follower. */
enum
{
  GST_ENCODER_BITRATE_MIN_BITRATE = GST_FOLLOW_N_PROPERTIES,
  GST_ENCODER_BITRATE_MAX_BITRATE,
  GST_ENCODER_BITRATE_ENCODER,
  GST_ENCODER_BITRATE_PROPERTY,
  GST_ENCODER_BITRATE_UNIT,
  GST_ENCODER_BITRATE_LIMIT_FRAMES,
  GST_ENCODER_BITRATE_CORRECT_BITRATE,
  GST_ENCODER_BITRATE_CURRENT_BITRATE,
  GST_ENCODER_BITRATE_STATS,
  GST_ENCODER_BITRATE_N_PROPERTIES
};

typedef struct
{
  guint64 min;                  /* bits per second; 0 = no limit */
  guint64 max;                  /* bits per second; 0 = no limit */
  gchar *encoder;               /* name; NULL or empty = the nearest encoder */
  gchar *property;              /* name; NULL or empty = from the table */
  EncoderUnit unit;
  LimitFrames limit_frames;
  gboolean correct_bitrate;
} GstEncoderBitrateSettings;

/* The fields for gst_follower_set_property and the like. */
extern const GstSettingsField gst_encoder_bitrate_fields[];

void gst_encoder_bitrate_settings_install (GObjectClass * klass,
    GParamSpec * properties[GST_ENCODER_BITRATE_N_PROPERTIES]);

G_END_DECLS

#endif
