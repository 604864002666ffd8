/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthsettings.h"

#include <settings/settings.h>

/* bits/s; a target that needs no proof, as in pspsink. */
#define UNPROVED_BITRATE 600000
/* bits/s; the default of rtpgccbwe. */
#define DEFAULT_START 2048000

static void
define_bitrates (GParamSpec ** p)
{
  /**
   * GstRtpBandwidth:estimated-bitrate:
   *
   * The bit rate that the network carries now, for encoders. It notifies once
   * feedback has come. If set before READY is left, it is where the estimate
   * starts. Name, type and default are those of rtpgccbwe, as for min-bitrate
   * and max-bitrate.
   */
  p[GST_RTP_BANDWIDTH_ESTIMATED_BITRATE] =
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
      "RTP payload that fits the network now; notifies. Set before it starts: "
      "where it starts (bits/s)", 0, G_MAXUINT, DEFAULT_START,
      GST_SETTINGS_READY);
  p[GST_RTP_BANDWIDTH_MIN_BITRATE] =
      g_param_spec_uint ("min-bitrate", "Minimum bitrate",
      "The estimate is never below (bits/s of RTP payload)", 1, G_MAXUINT,
      1000, GST_SETTINGS_PLAYING);
  p[GST_RTP_BANDWIDTH_MAX_BITRATE] =
      g_param_spec_uint ("max-bitrate", "Maximum bitrate",
      "The estimate is never above (bits/s of RTP payload)", 1, G_MAXUINT,
      8192000, GST_SETTINGS_PLAYING);
  p[GST_RTP_BANDWIDTH_RESERVED_BITRATE] =
      g_param_spec_uint ("reserved-bitrate", "Reserved bitrate",
      "So much of what the network carries is not announced: other sessions "
      "take it (bits/s of RTP payload)", 0, G_MAXUINT, 0, GST_SETTINGS_PLAYING);
}

static void
define_control (GParamSpec ** p)
{
  p[GST_RTP_BANDWIDTH_CONTROLLER] = gst_psp_controller_spec ("poise",
      GST_SETTINGS_PLAYING);
  /**
   * GstRtpBandwidth:controller-params:
   *
   * The controllers' own parameters, as in pspsink's property of that name.
   */
  p[GST_RTP_BANDWIDTH_CONTROLLER_PARAMS] =
      gst_psp_parameters_spec (GST_SETTINGS_PLAYING);
  /**
   * GstRtpBandwidth:group:
   *
   * Elements of one process with the same name here share one estimate and
   * one pace. Use it for sessions that go to the same receiver over the same
   * path. At the start the properties of the first element that starts apply;
   * later changes on any element apply to all.
   */
  p[GST_RTP_BANDWIDTH_GROUP] = g_param_spec_string ("group", "Group",
      "Elements with the same name here share one estimate (empty = none)",
      NULL, GST_SETTINGS_READY);
  /**
   * GstRtpBandwidth:max-queue-time:
   *
   * Limits a source that sends more than the network carries. While the queue
   * takes longer than this at the estimate, further pictures are dropped,
   * later packets are renumbered so that no receiver waits for the dropped
   * ones, and upstream is asked for a key frame. With 0 pictures are dropped
   * only beyond 16384 packets.
   */
  p[GST_RTP_BANDWIDTH_MAX_QUEUE_TIME] =
      g_param_spec_uint64 ("max-queue-time", "Maximum queue time",
      "Pictures beyond this time at the estimate are left out "
      "(ns, 0 = beyond 16384 packets)", 0, G_MAXUINT64, 500 * GST_MSECOND,
      GST_SETTINGS_PLAYING);
}

void
gst_rtp_bandwidth_settings_install (GObjectClass * klass,
    GParamSpec * p[GST_RTP_BANDWIDTH_N_PROPERTIES])
{
  define_bitrates (p);
  define_control (p);
  p[GST_RTP_BANDWIDTH_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "What was sent and what became of it", GST_TYPE_STRUCTURE,
      GST_SETTINGS_READ_ONLY);
  g_object_class_install_properties (klass, GST_RTP_BANDWIDTH_N_PROPERTIES, p);
}

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_RTP_BANDWIDTH_##id, kind, GstRtpBandwidthSettings, \
      member)

static const GstSettingsField fields[] = {
  FIELD (ESTIMATED_BITRATE, UINT, start_bitrate),
  FIELD (MIN_BITRATE, UINT, min_bitrate),
  FIELD (MAX_BITRATE, UINT, max_bitrate),
  FIELD (RESERVED_BITRATE, UINT, reserved_bitrate),
  FIELD (CONTROLLER, STRING, controller),
  FIELD (GROUP, STRING, group),
  FIELD (MAX_QUEUE_TIME, UINT64, max_queue_time),
  {0, 0, 0, 0}
};

void
gst_rtp_bandwidth_settings_init (GstRtpBandwidthSettings * s,
    GParamSpec ** properties)
{
  memset (s, 0, sizeof *s);
  gst_settings_init (fields, s, properties);
  s->parameters = gst_psp_parameters_new ();
}

void
gst_rtp_bandwidth_settings_clear (GstRtpBandwidthSettings * s)
{
  gst_settings_clear (fields, s);
  g_clear_pointer (&s->parameters, gst_structure_free);
}

gboolean
gst_rtp_bandwidth_settings_set (GstRtpBandwidthSettings * s, guint id,
    const GValue * value, GError ** error)
{
  if (id == GST_RTP_BANDWIDTH_CONTROLLER_PARAMS) {
    gst_psp_parameters_set (s->parameters, gst_value_get_structure (value),
        s->controller, error);
    return TRUE;
  }
  return gst_settings_set (fields, s, id, value);
}

gboolean
gst_rtp_bandwidth_settings_get (const GstRtpBandwidthSettings * s, guint id,
    GValue * value)
{
  if (id == GST_RTP_BANDWIDTH_CONTROLLER_PARAMS) {
    gst_value_set_structure (value, s->parameters);
    return TRUE;
  }
  return gst_settings_get (fields, s, id, value);
}

/* The default start contradicts no limit, because it is kept within the
 * limits. */
gboolean
gst_rtp_bandwidth_settings_check_limits (const GstRtpBandwidthSettings * s,
    GError ** error)
{
  if (s->min_bitrate <= s->max_bitrate && (s->start_bitrate == DEFAULT_START ||
          (s->start_bitrate >= s->min_bitrate &&
              s->start_bitrate <= s->max_bitrate)))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "min-bitrate=%u, estimated-bitrate=%u and max-bitrate=%u contradict each "
      "other: the estimate keeps to the maximum first, then to the minimum. Set "
      "them in ascending order.", s->min_bitrate, s->start_bitrate,
      s->max_bitrate);
  return FALSE;
}

const PspControllerClass *
gst_rtp_bandwidth_settings_controller (const GstRtpBandwidthSettings * s,
    GError ** error)
{
  return gst_psp_controller_find (s->controller, error);
}

/* Fills in the limits of a sender. The maximum is higher than the
 * property, because a sender keeps a twentieth of its maximum in reserve. */
static void
fill_limits (const GstRtpBandwidthSettings * s, PspLimits * limits)
{
  limits->min_bitrate = MIN (s->min_bitrate, s->max_bitrate);
  limits->max_bitrate = (gint64) s->max_bitrate * 20 / 19;
  limits->start_bitrate = CLAMP (s->start_bitrate, limits->min_bitrate,
      s->max_bitrate);
  limits->unproved_bitrate = UNPROVED_BITRATE;
}

gboolean
gst_rtp_bandwidth_settings_config (const GstRtpBandwidthSettings * s,
    GstRtpBandwidthPathConfig * config, gdouble * parameters, GError ** error)
{
  config->controller = gst_rtp_bandwidth_settings_controller (s, error);
  if (!config->controller)
    return FALSE;
  config->parameters = parameters;
  fill_limits (s, &config->limits);
  gst_psp_parameters_values (s->parameters, config->controller, parameters);
  return TRUE;
}

/* Sets the controller if `chosen`, and its parameters. Otherwise sets the
 * parameters of the group's controller, which another element may have
 * chosen. */
static void
set_controller (const GstRtpBandwidthSettings * s, GstRtpBandwidthPath * path,
    gboolean chosen)
{
  PspSender *sender = gst_rtp_bandwidth_path_sender (path);
  const PspControllerClass *klass = chosen ?
      gst_rtp_bandwidth_settings_controller (s, NULL) :
      psp_sender_controller (sender);
  gint64 now = gst_rtp_bandwidth_path_now (path);
  gdouble parameters[PSP_MAX_PARAMETERS];

  if (!klass)
    return;
  gst_psp_parameters_values (s->parameters, klass, parameters);
  if (klass == psp_sender_controller (sender))
    psp_sender_set_parameters (sender, parameters, now);
  else
    psp_sender_set_controller (sender, klass, parameters,
        psp_sender_bitrate_in_use (sender, now), now);
}

void
gst_rtp_bandwidth_settings_apply (const GstRtpBandwidthSettings * s, guint id,
    GstRtpBandwidthPath * path)
{
  PspLimits limits;

  switch (id) {
    case GST_RTP_BANDWIDTH_MIN_BITRATE:
      gst_rtp_bandwidth_path_limit (path, s->min_bitrate, -1);
      break;
    case GST_RTP_BANDWIDTH_MAX_BITRATE:
      fill_limits (s, &limits);
      gst_rtp_bandwidth_path_limit (path, -1, limits.max_bitrate);
      break;
    case GST_RTP_BANDWIDTH_CONTROLLER:
    case GST_RTP_BANDWIDTH_CONTROLLER_PARAMS:
      set_controller (s, path, id == GST_RTP_BANDWIDTH_CONTROLLER);
      break;
    default:
      break;
  }
}
