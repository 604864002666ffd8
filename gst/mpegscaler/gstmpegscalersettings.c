/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalersettings.h"

/* Defaults of the properties of these names. */
#define DEFAULT_MODE GST_MPEG_SCALER_MODE_DROP
#define DEFAULT_SCALE (-1)
#define DEFAULT_TARGET_BITRATE 0
#define DEFAULT_REPEAT_DROPPED FALSE
#define DEFAULT_FILL_TARGET TRUE
#define DEFAULT_MAX_FREEZE GST_CLOCK_TIME_NONE
#define DEFAULT_ALLOW_GAPS FALSE
#define DEFAULT_VECTORS GST_MPEG_SCALER_VECTORS_AUTO

/* The largest quantiser_scale_code that the recoder takes. */
#define MAX_QUANTISER 31

static void
register_enum (gsize * type, const gchar * name, const GEnumValue * values)
{
  if (g_once_init_enter (type))
    g_once_init_leave (type, g_enum_register_static (name, values));
}

GType
gst_mpeg_scaler_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_MPEG_SCALER_MODE_DROP, "Drop frames", "drop"},
    {GST_MPEG_SCALER_MODE_REQUANTIZE, "Quantize more coarsely", "requantize"},
    {GST_MPEG_SCALER_MODE_AUTO, "Requantize, and drop frames where that is not "
          "enough", "auto"},
    {0, NULL, NULL}
  };

  register_enum (&type, "GstMpegScalerMode", values);
  return type;
}

GType
gst_mpeg_scaler_drift_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_MPEG_SCALER_DRIFT_OFF, "In no picture", "off"},
    {GST_MPEG_SCALER_DRIFT_ON, "In P pictures", "on"},
    {GST_MPEG_SCALER_DRIFT_ALL, "In P and B pictures", "all"},
    {0, NULL, NULL}
  };

  register_enum (&type, "GstMpegScalerDrift", values);
  return type;
}

GType
gst_mpeg_scaler_vectors_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_MPEG_SCALER_VECTORS_NEVER, "In no picture", "never"},
    {GST_MPEG_SCALER_VECTORS_AUTO, "In P and B, where vectors take much of "
          "the rate", "auto"},
    {GST_MPEG_SCALER_VECTORS_ALWAYS, "In all P and B", "always"},
    {0, NULL, NULL}
  };

  register_enum (&type, "GstMpegScalerVectors", values);
  return type;
}

static GstMpegScalerDrift
from_drift (M2vDrift drift)
{
  return drift == M2V_DRIFT_OFF ? GST_MPEG_SCALER_DRIFT_OFF
      : drift == M2V_DRIFT_P ? GST_MPEG_SCALER_DRIFT_ON
      : GST_MPEG_SCALER_DRIFT_ALL;
}

void
gst_mpeg_scaler_settings_init (GstMpegScalerSettings * s)
{
  const M2vRecoderSettings *recoder = &m2v_recoder_defaults;

  s->mode = DEFAULT_MODE;
  s->scale = DEFAULT_SCALE;
  s->repeat_dropped = DEFAULT_REPEAT_DROPPED;
  s->fill_target = DEFAULT_FILL_TARGET;
  s->max_freeze = DEFAULT_MAX_FREEZE;
  s->allow_gaps = DEFAULT_ALLOW_GAPS;
  s->max_quantiser = recoder->max_code;
  s->drift = from_drift (recoder->drift);
  s->rate_distortion = recoder->rate_distortion;
  s->vectors = DEFAULT_VECTORS;
}

/* Properties */

/* Makes the properties that choose mode, scale and target. */
static void
make_ruling (GParamSpec ** properties, const GstMpegScalerSettings * defaults)
{
  /**
   * GstMpegScaler:mode:
   *
   * How the rate is lowered. May change at any time; vbv_delay is 0xFFFF from
   * the first picture on that passes in requantize or auto, so a stream that
   * will be requantized later should begin in one of them.
   */
  properties[GST_MPEG_SCALER_MODE] = g_param_spec_enum ("mode", "Mode",
      "How the rate is lowered", GST_TYPE_MPEG_SCALER_MODE, defaults->mode,
      GST_SETTINGS_PLAYING);
  /**
   * GstMpegScaler:follow-events:
   *
   * Whether congestion events rule, or #GstMpegScaler:scale and
   * #GstMpegScaler:target-bitrate do. Events travel upstream in both cases.
   */
  /**
   * GstMpegScaler:share:
   *
   * The part of an event's target, after #GstMpegScaler:reserved-bitrate,
   * that this stream may use.
   */
  /**
   * GstMpegScaler:reserved-bitrate:
   *
   * The bit rate of audio, containers and other parts of the session. It is
   * subtracted from an event's target before that is shared.
   */
  gst_follower_make_properties (properties,
      "Obey congestion events; otherwise scale and target-bitrate rule");
  /**
   * GstMpegScaler:scale:
   *
   * The scale while #GstMpegScaler:follow-events is FALSE: 4 passes all frames,
   * 3 every other B frame, 2 I and P, 1 I and the first P, 0 I alone. -1
   * leaves it to #GstMpegScaler:target-bitrate. mode=requantize ignores it.
   */
  properties[GST_MPEG_SCALER_SCALE] = g_param_spec_int ("scale", "Scale",
      "Fixed scale for follow-events=false: 4 all, 3 half of the B, 2 no B, "
      "1 I and first P, 0 I only (-1 = as target-bitrate says)", -1,
      SCALING_MAX_SCALE, defaults->scale, GST_SETTINGS_PLAYING);
  /**
   * GstMpegScaler:target-bitrate:
   *
   * The highest rate that passes while #GstMpegScaler:follow-events is FALSE
   * and, in mode=drop, #GstMpegScaler:scale is -1. 0 leaves the stream
   * untouched: only an event can stop it altogether.
   */
  properties[GST_FOLLOW_TARGET_BITRATE] =
      g_param_spec_uint64 ("target-bitrate", "Target bitrate",
      "Fixed target for follow-events=false (bits/s of video, 0 = untouched)",
      0, G_MAXUINT64, DEFAULT_TARGET_BITRATE, GST_SETTINGS_PLAYING);
}

static void
make_dropping (GParamSpec ** properties, const GstMpegScalerSettings * defaults)
{
  /**
   * GstMpegScaler:repeat-dropped:
   *
   * Replaces dropped P and B frames by small ones that repeat a reference, so
   * that the output keeps its frame rate and has no gaps in
   * temporal_reference. All pictures then have a vbv_delay of 0xFFFF.
   */
  properties[GST_MPEG_SCALER_REPEAT_DROPPED] =
      g_param_spec_boolean ("repeat-dropped", "Repeat dropped",
      "Replace dropped frames by frames that repeat another",
      defaults->repeat_dropped, GST_SETTINGS_PLAYING);
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
      defaults->fill_target, GST_SETTINGS_PLAYING);
  /**
   * GstMpegScaler:max-freeze:
   *
   * In H.264 and H.265, how long pictures that others refer to may be left
   * out at the end of a group, which shows as a freeze. With 0 only pictures
   * to which none refers are left out. Targets that cannot be reached in this
   * way are exceeded; `frames-held` in #GstMpegScaler:stats counts the
   * pictures that stay.
   *
   * Since: 0.2
   */
  properties[GST_MPEG_SCALER_MAX_FREEZE] =
      g_param_spec_uint64 ("max-freeze", "Maximum freeze",
      "How long references may be left out of H.264 and H.265 at a time "
      "(ns, -1 = no limit)", 0, G_MAXUINT64, defaults->max_freeze,
      GST_SETTINGS_PLAYING);
}

static void
make_gaps (GParamSpec ** properties, const GstMpegScalerSettings * defaults)
{
  /**
   * GstMpegScaler:allow-gaps:
   *
   * In H.264, allows references to be dropped before a picture that is no IDR
   * picture, as at the ends of open groups and from temporal layers.
   * frame_num then has gaps, and sequence parameter sets leave with
   * gaps_in_frame_num_value_allowed_flag set, in band and in the caps. Some
   * decoders, mostly in hardware, refuse such streams. A change takes effect
   * with the next IDR picture. If the flag cannot be set, the element behaves
   * as with FALSE, and `gaps-allowed` in #GstMpegScaler:stats is FALSE.
   *
   * Since: 0.2
   */
  properties[GST_MPEG_SCALER_ALLOW_GAPS] =
      g_param_spec_boolean ("allow-gaps", "Allow gaps",
      "Let references of H.264 go where frame_num then has gaps",
      defaults->allow_gaps, GST_SETTINGS_PLAYING);
}

static void
make_quantising (GParamSpec ** properties,
    const GstMpegScalerSettings * defaults)
{
  /**
   * GstMpegScaler:max-quantiser:
   *
   * The coarsest quantiser_scale_code that frames are requantized with. At this
   * one mode=requantize exceeds a target, and mode=auto begins to drop frames.
   */
  properties[GST_MPEG_SCALER_MAX_QUANTISER] =
      g_param_spec_uint ("max-quantiser", "Maximum quantiser",
      "Coarsest quantiser_scale_code to requantize with", 1, MAX_QUANTISER,
      defaults->max_quantiser, GST_SETTINGS_PLAYING);
  /**
   * GstMpegScaler:drift-compensation:
   *
   * Pictures inherit the errors of the requantized pictures that they refer
   * to, and errors grow from one P picture to the next. Compensation removes
   * them where a picture is requantized anyway. In P pictures it takes about
   * two thirds more time.
   */
  properties[GST_MPEG_SCALER_DRIFT_COMPENSATION] =
      g_param_spec_enum ("drift-compensation", "Drift compensation",
      "In which pictures inherited errors are taken out",
      GST_TYPE_MPEG_SCALER_DRIFT, defaults->drift, GST_SETTINGS_PLAYING);
  /**
   * GstMpegScaler:rate-distortion:
   *
   * Chooses coefficients and quantisers by what they cost and what they are
   * worth: about 1 dB better at three quarters of a source's rate, half of that
   * at a third, in four times the time.
   */
  properties[GST_MPEG_SCALER_RATE_DISTORTION] =
      g_param_spec_boolean ("rate-distortion", "Rate-distortion",
      "Choose coefficients and quantisers by rate and distortion",
      defaults->rate_distortion, GST_SETTINGS_PLAYING);
  /**
   * GstMpegScaler:choose-vectors:
   *
   * Motion vectors of P and B pictures give way where they cost more than they
   * are worth at the lower rate. auto does so while those of B are more than
   * 15 % of the rate, or most quantisers are the coarsest: .2 to 3 dB better, in
   * two to three times the time. always gains .1 to .7 dB in most other streams,
   * too. It needs drift compensation, and takes effect with the next group of
   * pictures.
   *
   * Since: 0.2
   */
  properties[GST_MPEG_SCALER_CHOOSE_VECTORS] =
      g_param_spec_enum ("choose-vectors", "Choose vectors",
      "In which pictures motion vectors are chosen anew",
      GST_TYPE_MPEG_SCALER_VECTORS, defaults->vectors, GST_SETTINGS_PLAYING);
}

void
gst_mpeg_scaler_settings_install (GObjectClass * klass)
{
  GParamSpec *properties[GST_MPEG_SCALER_N_PROPERTIES] = { NULL, };
  GstMpegScalerSettings defaults;

  gst_mpeg_scaler_settings_init (&defaults);
  make_ruling (properties, &defaults);
  make_dropping (properties, &defaults);
  make_gaps (properties, &defaults);
  make_quantising (properties, &defaults);
  /**
   * GstMpegScaler:stats:
   *
   * What was asked and done; see the table above.
   */
  properties[GST_MPEG_SCALER_STATS] = g_param_spec_boxed ("stats",
      "Statistics", "What was asked and done", GST_TYPE_STRUCTURE,
      GST_SETTINGS_READ_ONLY);
  g_object_class_install_properties (klass, GST_MPEG_SCALER_N_PROPERTIES,
      properties);
  gst_type_mark_as_plugin_api (GST_TYPE_MPEG_SCALER_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_MPEG_SCALER_DRIFT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_MPEG_SCALER_VECTORS, 0);
}

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_MPEG_SCALER_##id, kind, GstMpegScalerSettings, member)

const GstSettingsField gst_mpeg_scaler_fields[] = {
  FIELD (MODE, ENUM, mode),
  FIELD (SCALE, INT, scale),
  FIELD (REPEAT_DROPPED, BOOLEAN, repeat_dropped),
  FIELD (FILL_TARGET, BOOLEAN, fill_target),
  FIELD (MAX_FREEZE, UINT64, max_freeze),
  FIELD (ALLOW_GAPS, BOOLEAN, allow_gaps),
  FIELD (MAX_QUANTISER, UINT, max_quantiser),
  FIELD (DRIFT_COMPENSATION, ENUM, drift),
  FIELD (RATE_DISTORTION, BOOLEAN, rate_distortion),
  FIELD (CHOOSE_VECTORS, ENUM, vectors),
  {0, 0, 0, 0}
};
