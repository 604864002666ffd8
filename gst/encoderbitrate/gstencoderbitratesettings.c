/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstencoderbitratesettings.h"

#include "gstencoderbitrateenums.h"

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_ENCODER_BITRATE_##id, kind, \
      GstEncoderBitrateSettings, member)

const GstSettingsField gst_encoder_bitrate_fields[] = {
  FIELD (MIN_BITRATE, UINT64, min),
  FIELD (MAX_BITRATE, UINT64, max),
  FIELD (ENCODER, STRING, encoder),
  FIELD (PROPERTY, STRING, property),
  FIELD (UNIT, ENUM, unit),
  FIELD (LIMIT_FRAMES, ENUM, limit_frames),
  FIELD (CORRECT_BITRATE, BOOLEAN, correct_bitrate),
  {0, 0, 0, 0}
};

/* The properties for the bitrate. */
static void
make_bitrates (GParamSpec ** p)
{
  /**
   * GstEncoderBitrate:follow-events:
   *
   * When FALSE, the encoder is left alone and nothing is dropped.
   */
  /**
   * GstEncoderBitrate:share:
   *
   * Part of the target, after #GstEncoderBitrate:reserved-bitrate, that is this
   * encoder's.
   */
  /**
   * GstEncoderBitrate:reserved-bitrate:
   *
   * Bits per second that audio, containers and others of the session take,
   * subtracted from the target before it is shared.
   */
  gst_follower_make_properties (p,
      "Set the encoder's bitrate from congestion events");
  /**
   * GstEncoderBitrate:min-bitrate:
   *
   * The encoder gets no less, even when the network has less; only a target of
   * 0 still stops the stream.
   */
  p[GST_ENCODER_BITRATE_MIN_BITRATE] = g_param_spec_uint64 ("min-bitrate",
      "Minimum bitrate",
      "Least bits per second to ask of the encoder (0 = no limit)", 0,
      G_MAXUINT64, 0, GST_SETTINGS_PLAYING);
  p[GST_ENCODER_BITRATE_MAX_BITRATE] = g_param_spec_uint64 ("max-bitrate",
      "Maximum bitrate",
      "Most bits per second to ask of the encoder (0 = no limit)", 0,
      G_MAXUINT64, 0, GST_SETTINGS_PLAYING);
  p[GST_ENCODER_BITRATE_CURRENT_BITRATE] =
      g_param_spec_uint64 ("current-bitrate",
      "Current bitrate",
      "Bits per second that the encoder was set to (0 = not yet)", 0,
      G_MAXUINT64, 0, GST_SETTINGS_READ_ONLY);
}

/* The properties that name the encoder and its property. */
static void
make_encoder (GParamSpec ** p)
{
  p[GST_ENCODER_BITRATE_ENCODER] = g_param_spec_string ("encoder", "Encoder",
      "Name of the encoder in the pipeline (empty = the nearest upstream)",
      NULL, GST_SETTINGS_PLAYING);
  /**
   * GstEncoderBitrate:property:
   *
   * The encoder's property that is its bitrate, or property.field for a field
   * of a structure, as `extra-controls.video_bitrate`.
   */
  p[GST_ENCODER_BITRATE_PROPERTY] = g_param_spec_string ("property", "Property",
      "Bitrate property of the encoder (empty = as known of it)", NULL,
      GST_SETTINGS_PLAYING);
  p[GST_ENCODER_BITRATE_UNIT] = g_param_spec_enum ("unit", "Unit",
      "What the encoder's property counts", GST_TYPE_ENCODER_BITRATE_UNIT,
      ENCODER_UNIT_AUTO, GST_SETTINGS_PLAYING);
}

/* The properties for what the encoder makes of the bitrate. */
static void
make_output (GParamSpec ** p)
{
  /**
   * GstEncoderBitrate:limit-frames:
   *
   * Keep frames below the congestion event's `max-frame-size`, so that a key
   * frame delays little, by the property that the encoder has for it and that
   * may change while playing, such as the vbv-buf-capacity of x264enc. The
   * encoder gets its own value back at the end. `auto` does this only where the
   * application has left that property at its default, and always lets two mean
   * frames fit, because with less encoders make far less than their bitrate.
   * `true` lets one fit.
   *
   * Since: 0.2
   */
  p[GST_ENCODER_BITRATE_LIMIT_FRAMES] = g_param_spec_enum ("limit-frames",
      "Limit frames",
      "Keep the encoder's frames as small as the network takes them in time",
      GST_TYPE_ENCODER_BITRATE_LIMIT, LIMIT_FRAMES_AUTO, GST_SETTINGS_PLAYING);
  /**
   * GstEncoderBitrate:correct-bitrate:
   *
   * Encoders make a little less, or more, than they are set to. Measure it, and
   * set them up to 20 % higher or lower, so that they make what is wanted. They
   * are set no higher while as much waits in the sender as the largest frame.
   *
   * x264enc and x265enc count frames, not time, and make less where a camera
   * makes fewer than its caps say, as many do in the dark. They are set higher
   * by what is missing, too, up to four times.
   *
   * Since: 0.2
   */
  p[GST_ENCODER_BITRATE_CORRECT_BITRATE] =
      g_param_spec_boolean ("correct-bitrate",
      "Correct bitrate",
      "Set the encoder higher or lower, by what it has made of its bitrate",
      TRUE, GST_SETTINGS_PLAYING);
}

void
gst_encoder_bitrate_settings_install (GObjectClass * klass,
    GParamSpec * properties[GST_ENCODER_BITRATE_N_PROPERTIES])
{
  make_bitrates (properties);
  make_encoder (properties);
  make_output (properties);
  properties[GST_ENCODER_BITRATE_STATS] = g_param_spec_boxed ("stats",
      "Statistics", "What was asked and done", GST_TYPE_STRUCTURE,
      GST_SETTINGS_READ_ONLY);
  g_object_class_install_properties (klass, GST_ENCODER_BITRATE_N_PROPERTIES,
      properties);
  gst_type_mark_as_plugin_api (GST_TYPE_ENCODER_BITRATE_UNIT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ENCODER_BITRATE_LIMIT, 0);
}
