/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalersettings.h"

#define DEFAULT_MODE GST_MPEG_SCALER_MODE_DROP
#define DEFAULT_FOLLOW_EVENTS TRUE
#define DEFAULT_SCALE (-1)
#define DEFAULT_TARGET_BITRATE 0
#define DEFAULT_SHARE 1.0
#define DEFAULT_RESERVED_BITRATE 0
#define DEFAULT_REPEAT_DROPPED FALSE
#define DEFAULT_FILL_TARGET TRUE

/* As the core has it: everything passes. */
#define UNTOUCHED (-1)

GType
gst_mpeg_scaler_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_MPEG_SCALER_MODE_DROP, "Drop frames", "drop"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstMpegScalerMode", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

void
gst_mpeg_scaler_settings_install (GObjectClass * klass)
{
  const GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags r = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GParamSpec *properties[GST_MPEG_SCALER_N_PROPERTIES] = { NULL, };

  properties[GST_MPEG_SCALER_MODE] = g_param_spec_enum ("mode", "Mode",
      "How the rate is lowered", GST_TYPE_MPEG_SCALER_MODE, DEFAULT_MODE, rw);
  /**
   * GstMpegScaler:follow-events:
   *
   * Whether congestion events rule, or #GstMpegScaler:scale and
   * #GstMpegScaler:target-bitrate. Events travel on upstream either way.
   */
  properties[GST_MPEG_SCALER_FOLLOW_EVENTS] =
      g_param_spec_boolean ("follow-events", "Follow events",
      "Obey congestion events; otherwise scale and target-bitrate rule",
      DEFAULT_FOLLOW_EVENTS, rw);
  /**
   * GstMpegScaler:scale:
   *
   * The scale while #GstMpegScaler:follow-events is FALSE: 4 passes all frames,
   * 3 every other B frame, 2 I and P, 1 I and the first P, 0 I alone. -1
   * leaves it to #GstMpegScaler:target-bitrate.
   */
  properties[GST_MPEG_SCALER_SCALE] = g_param_spec_int ("scale", "Scale",
      "Fixed scale for follow-events=false: 4 all, 3 half of the B, 2 no B, "
      "1 I and first P, 0 I only (-1 = as target-bitrate says)", -1,
      SCALER_MAX_SCALE, DEFAULT_SCALE, rw);
  /**
   * GstMpegScaler:target-bitrate:
   *
   * What is to pass at most while #GstMpegScaler:follow-events is FALSE and
   * #GstMpegScaler:scale is -1. 0 leaves the stream untouched: only an event
   * can stop it altogether.
   */
  properties[GST_MPEG_SCALER_TARGET_BITRATE] =
      g_param_spec_uint64 ("target-bitrate", "Target bitrate",
      "Fixed target for follow-events=false and scale=-1 (bits/s of video, "
      "0 = untouched)", 0, G_MAXUINT64, DEFAULT_TARGET_BITRATE, rw);
  /**
   * GstMpegScaler:share:
   *
   * Part of an event's target, after #GstMpegScaler:reserved-bitrate, that is
   * this stream's.
   */
  properties[GST_MPEG_SCALER_SHARE] = g_param_spec_double ("share", "Share",
      "Part of an event's target that this stream takes", 0.0, 1.0,
      DEFAULT_SHARE, rw);
  /**
   * GstMpegScaler:reserved-bitrate:
   *
   * What audio, containers and others of the session take, taken off an
   * event's target before it is shared.
   */
  properties[GST_MPEG_SCALER_RESERVED_BITRATE] =
      g_param_spec_uint64 ("reserved-bitrate", "Reserved bitrate",
      "Bits per second of an event's target that belong to others, such as "
      "audio", 0, G_MAXUINT64, DEFAULT_RESERVED_BITRATE, rw);
  /**
   * GstMpegScaler:repeat-dropped:
   *
   * Replaces dropped P and B frames by small ones that repeat a reference, so
   * that the output keeps its frame rate and has no gaps in
   * temporal_reference.
   */
  properties[GST_MPEG_SCALER_REPEAT_DROPPED] =
      g_param_spec_boolean ("repeat-dropped", "Repeat dropped",
      "Replace dropped frames by frames that repeat another",
      DEFAULT_REPEAT_DROPPED, rw);
  /**
   * GstMpegScaler:fill-target:
   *
   * Where a target lies between the rates of two scales, passes frames of the
   * higher one as well, as long as no more than the target leaves over a
   * quarter of a second. FALSE keeps strictly to the pattern of the lower one.
   */
  properties[GST_MPEG_SCALER_FILL_TARGET] =
      g_param_spec_boolean ("fill-target", "Fill target",
      "Pass frames beyond the scale while the target has room for them",
      DEFAULT_FILL_TARGET, rw);
  properties[GST_MPEG_SCALER_STATS] = g_param_spec_boxed ("stats",
      "Statistics", "What was asked and done", GST_TYPE_STRUCTURE, r);
  g_object_class_install_properties (klass, GST_MPEG_SCALER_N_PROPERTIES,
      properties);
}

void
gst_mpeg_scaler_settings_init (GstMpegScalerSettings * s)
{
  s->mode = DEFAULT_MODE;
  s->follow_events = DEFAULT_FOLLOW_EVENTS;
  s->scale = DEFAULT_SCALE;
  s->target_bitrate = DEFAULT_TARGET_BITRATE;
  s->share = DEFAULT_SHARE;
  s->reserved_bitrate = DEFAULT_RESERVED_BITRATE;
  s->repeat_dropped = DEFAULT_REPEAT_DROPPED;
  s->fill_target = DEFAULT_FILL_TARGET;
}

gboolean
gst_mpeg_scaler_settings_set (GstMpegScalerSettings * s, guint id,
    const GValue * value)
{
  switch (id) {
    case GST_MPEG_SCALER_MODE:
      s->mode = g_value_get_enum (value);
      return TRUE;
    case GST_MPEG_SCALER_FOLLOW_EVENTS:
      s->follow_events = g_value_get_boolean (value);
      return TRUE;
    case GST_MPEG_SCALER_SCALE:
      s->scale = g_value_get_int (value);
      return TRUE;
    case GST_MPEG_SCALER_TARGET_BITRATE:
      s->target_bitrate = g_value_get_uint64 (value);
      return TRUE;
    case GST_MPEG_SCALER_SHARE:
      s->share = g_value_get_double (value);
      return TRUE;
    case GST_MPEG_SCALER_RESERVED_BITRATE:
      s->reserved_bitrate = g_value_get_uint64 (value);
      return TRUE;
    case GST_MPEG_SCALER_REPEAT_DROPPED:
      s->repeat_dropped = g_value_get_boolean (value);
      return TRUE;
    case GST_MPEG_SCALER_FILL_TARGET:
      s->fill_target = g_value_get_boolean (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_mpeg_scaler_settings_get (const GstMpegScalerSettings * s, guint id,
    GValue * value)
{
  switch (id) {
    case GST_MPEG_SCALER_MODE:
      g_value_set_enum (value, s->mode);
      return TRUE;
    case GST_MPEG_SCALER_FOLLOW_EVENTS:
      g_value_set_boolean (value, s->follow_events);
      return TRUE;
    case GST_MPEG_SCALER_SCALE:
      g_value_set_int (value, s->scale);
      return TRUE;
    case GST_MPEG_SCALER_TARGET_BITRATE:
      g_value_set_uint64 (value, s->target_bitrate);
      return TRUE;
    case GST_MPEG_SCALER_SHARE:
      g_value_set_double (value, s->share);
      return TRUE;
    case GST_MPEG_SCALER_RESERVED_BITRATE:
      g_value_set_uint64 (value, s->reserved_bitrate);
      return TRUE;
    case GST_MPEG_SCALER_REPEAT_DROPPED:
      g_value_set_boolean (value, s->repeat_dropped);
      return TRUE;
    case GST_MPEG_SCALER_FILL_TARGET:
      g_value_set_boolean (value, s->fill_target);
      return TRUE;
    default:
      return FALSE;
  }
}

static void
follow (const GstMpegScalerSettings * s, const GstCongestionInfo * info,
    ScalerDropperSettings * rule)
{
  guint64 target, bitrate;
  gboolean known = gst_congestion_info_get_target_bitrate (info, &target);

  /* a target of 0 asks for silence, which no scale gives */
  if (!known || target > 0)
    rule->scale = gst_congestion_info_get_scale (info);
  if (!known)
    return;
  gst_congestion_info_get_share (info, s->share, s->reserved_bitrate, &bitrate);
  rule->target = (gint64) bitrate;      /* at most GST_CONGESTION_MAX_BITRATE */
}

void
gst_mpeg_scaler_settings_rule (const GstMpegScalerSettings * s,
    const GstCongestionInfo * info, ScalerDropperSettings * rule)
{
  rule->scale = UNTOUCHED;
  rule->target = UNTOUCHED;
  rule->repeat_dropped = s->repeat_dropped;
  rule->fill = s->fill_target;

  if (s->follow_events) {
    if (info)
      follow (s, info, rule);
  } else if (s->scale >= 0) {
    rule->scale = s->scale;
  } else if (s->target_bitrate > 0) {
    rule->target = (gint64) MIN (s->target_bitrate, G_MAXINT64);
  }
}
