/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscodersettings.h"

#include "core/libav.h"

/* The defaults of the properties with these names. */
#define DEFAULT_TARGET_BITRATE 0
#define DEFAULT_MAX_QUANTISER 31
#define DEFAULT_GOP_SIZE 0
#define DEFAULT_B_FRAMES (-1)
#define DEFAULT_CLOSED_GOP FALSE
#define DEFAULT_DECISION TRANSCODER_DECISION_SIMPLE
#define DEFAULT_TRELLIS FALSE
#define DEFAULT_THREADS 1

/* Pictures; fewer than those after which the encoder itself ends groups. */
#define MAX_GOP_SIZE 500

GType
gst_mpeg_transcoder_decision_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {TRANSCODER_DECISION_SIMPLE, "The least difference", "simple"},
    {TRANSCODER_DECISION_BITS, "The fewest bits", "bits"},
    {TRANSCODER_DECISION_RD, "Bits and distortion", "rd"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstMpegTranscoderDecision", values);

    g_once_init_leave (&type, t);
  }
  return type;
}

static void
install_target (GParamSpec ** properties)
{
  const GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstMpegTranscoder:follow-events:
   *
   * Whether congestion events rule, or #GstMpegTranscoder:target-bitrate.
   * Events travel on upstream either way.
   */
  /**
   * GstMpegTranscoder:share:
   *
   * Part of an event's target, after #GstMpegTranscoder:reserved-bitrate, that
   * belongs to this stream.
   */
  /**
   * GstMpegTranscoder:reserved-bitrate:
   *
   * The bitrate that audio, containers and others of the session need. It is
   * subtracted from an event's target before the target is shared.
   */
  gst_follower_make_properties (properties,
      "Obey congestion events; otherwise target-bitrate rules");
  /**
   * GstMpegTranscoder:target-bitrate:
   *
   * The most that may leave while #GstMpegTranscoder:follow-events is FALSE. 0
   * keeps the source's quantisers: only an event can stop the stream.
   */
  properties[GST_FOLLOW_TARGET_BITRATE] =
      g_param_spec_uint64 ("target-bitrate", "Target bitrate",
      "Fixed target for follow-events=false (bits/s of video, 0 = the source's "
      "quantisers)", 0, G_MAXUINT64, DEFAULT_TARGET_BITRATE, rw);
  /**
   * GstMpegTranscoder:max-quantiser:
   *
   * The coarsest quantiser_scale_code. If it does not reach the target, more
   * leaves than the target, and `floor` in #GstMpegTranscoder:stats reports it.
   */
  properties[GST_MPEG_TRANSCODER_MAX_QUANTISER] =
      g_param_spec_uint ("max-quantiser", "Max quantiser",
      "Coarsest quantiser (quantiser_scale_code)", 1, 31, DEFAULT_MAX_QUANTISER,
      rw);
}

static void
install_coding (GParamSpec ** properties)
{
  const GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  /**
   * GstMpegTranscoder:gop-size:
   *
   * Pictures from one I to the next (N). 0 makes I of the source's I, which
   * costs the least quality.
   */
  properties[GST_MPEG_TRANSCODER_GOP_SIZE] = g_param_spec_uint ("gop-size",
      "GOP size", "Pictures from I to I (0 = I where the source has them)", 0,
      MAX_GOP_SIZE, DEFAULT_GOP_SIZE, rw);
  /**
   * GstMpegTranscoder:b-frames:
   *
   * B pictures between anchors (M - 1); -1 takes the source's types. Each adds
   * a frame of latency.
   */
  properties[GST_MPEG_TRANSCODER_B_FRAMES] = g_param_spec_int ("b-frames",
      "B frames", "B pictures in a row (-1 = as the source)", -1,
      TRANSCODER_MAX_B, DEFAULT_B_FRAMES, rw);
  /**
   * GstMpegTranscoder:closed-gop:
   *
   * Whether each group can be decoded without the one before: the last B
   * before an I becomes a P.
   */
  properties[GST_MPEG_TRANSCODER_CLOSED_GOP] =
      g_param_spec_boolean ("closed-gop", "Closed GOP",
      "Groups refer to nothing outside", DEFAULT_CLOSED_GOP, rw);
  /**
   * GstMpegTranscoder:macroblock-decision:
   *
   * How the coding of each macroblock is chosen. `bits` and `rd` take two to
   * four times as long and need some per cent less for the same quality.
   */
  properties[GST_MPEG_TRANSCODER_DECISION] =
      g_param_spec_enum ("macroblock-decision", "Macroblock decision",
      "How the coding of macroblocks is chosen",
      GST_TYPE_MPEG_TRANSCODER_DECISION, DEFAULT_DECISION, rw);
  /**
   * GstMpegTranscoder:trellis:
   *
   * Whether levels are chosen by bits and distortion as well.
   */
  properties[GST_MPEG_TRANSCODER_TRELLIS] = g_param_spec_boolean ("trellis",
      "Trellis", "Choose levels by bits and distortion", DEFAULT_TRELLIS, rw);
  /**
   * GstMpegTranscoder:threads:
   *
   * Threads of the decoder, and of the encoder. Each codes slices of the
   * current picture, so they add no latency.
   */
  properties[GST_MPEG_TRANSCODER_THREADS] = g_param_spec_uint ("threads",
      "Threads", "Threads for decoding, and for encoding", 1,
      TRANSCODER_MAX_THREADS, DEFAULT_THREADS, rw);
}

void
gst_mpeg_transcoder_settings_install (GObjectClass * klass)
{
  GParamSpec *properties[GST_MPEG_TRANSCODER_N_PROPERTIES] = { NULL, };

  install_target (properties);
  install_coding (properties);
  properties[GST_MPEG_TRANSCODER_STATS] = g_param_spec_boxed ("stats",
      "Statistics", "What was asked and done", GST_TYPE_STRUCTURE,
      GST_SETTINGS_READ_ONLY);
  g_object_class_install_properties (klass, GST_MPEG_TRANSCODER_N_PROPERTIES,
      properties);
}

void
gst_mpeg_transcoder_settings_init (GstMpegTranscoderSettings * s)
{
  s->max_quantiser = DEFAULT_MAX_QUANTISER;
  s->gop_size = DEFAULT_GOP_SIZE;
  s->b_frames = DEFAULT_B_FRAMES;
  s->closed_gop = DEFAULT_CLOSED_GOP;
  s->decision = DEFAULT_DECISION;
  s->trellis = DEFAULT_TRELLIS;
  s->threads = DEFAULT_THREADS;
}

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_MPEG_TRANSCODER_##id, kind, GstMpegTranscoderSettings, member)

const GstSettingsField gst_mpeg_transcoder_fields[] = {
  FIELD (MAX_QUANTISER, UINT, max_quantiser),
  FIELD (GOP_SIZE, UINT, gop_size),
  FIELD (B_FRAMES, INT, b_frames),
  FIELD (CLOSED_GOP, BOOLEAN, closed_gop),
  FIELD (DECISION, ENUM, decision),
  FIELD (TRELLIS, BOOLEAN, trellis),
  FIELD (THREADS, UINT, threads),
  {0, 0, 0, 0}
};
