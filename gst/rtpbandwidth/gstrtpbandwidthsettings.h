/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of rtpbandwidth: what they are called, and their values.
 */
#ifndef __GST_RTP_BANDWIDTH_SETTINGS_H__
#define __GST_RTP_BANDWIDTH_SETTINGS_H__

#include <gst/gst.h>

#include <control/controller.h>
#include <parameters/parameters.h>

G_BEGIN_DECLS

enum
{
  GST_RTP_BANDWIDTH_PROP_0,
  GST_RTP_BANDWIDTH_ESTIMATED_BITRATE,
  GST_RTP_BANDWIDTH_MIN_BITRATE,
  GST_RTP_BANDWIDTH_MAX_BITRATE,
  GST_RTP_BANDWIDTH_CONTROLLER,
  GST_RTP_BANDWIDTH_CONTROLLER_PARAMS,
  GST_RTP_BANDWIDTH_RESERVED_BITRATE,
  GST_RTP_BANDWIDTH_GROUP,
  GST_RTP_BANDWIDTH_MAX_QUEUE_TIME,
  GST_RTP_BANDWIDTH_STATS,
  GST_RTP_BANDWIDTH_N_PROPERTIES
};

typedef struct
{
  guint start_bitrate;          /* estimated-bitrate as it was set */
  guint min_bitrate, max_bitrate, reserved_bitrate;
  gchar *controller;
  GstStructure *parameters;     /* parameters.h */
  gchar *group;
  guint64 max_queue_time;
} GstRtpBandwidthSettings;

void gst_rtp_bandwidth_settings_install (GObjectClass * klass,
    GParamSpec * properties[GST_RTP_BANDWIDTH_N_PROPERTIES]);
void gst_rtp_bandwidth_settings_init (GstRtpBandwidthSettings * s,
    GParamSpec ** properties);
void gst_rtp_bandwidth_settings_clear (GstRtpBandwidthSettings * s);
/* FALSE where there is no such property, or it cannot be set. An error is for
 * the application to hear of. */
gboolean gst_rtp_bandwidth_settings_set (GstRtpBandwidthSettings * s, guint id,
    const GValue * value, GError ** error);
gboolean gst_rtp_bandwidth_settings_get (const GstRtpBandwidthSettings * s,
    guint id, GValue * value);
void gst_rtp_bandwidth_settings_limits (const GstRtpBandwidthSettings * s,
    PspLimits * limits);
/* FALSE and an error where the bit rates contradict each other; what is kept to
 * then, it says. */
gboolean gst_rtp_bandwidth_settings_check_limits (const
    GstRtpBandwidthSettings * s, GError ** error);
/* Returns NULL and an error where there is no such controller. */
const PspControllerClass *gst_rtp_bandwidth_settings_controller (const
    GstRtpBandwidthSettings * s, GError ** error);

G_END_DECLS

#endif
