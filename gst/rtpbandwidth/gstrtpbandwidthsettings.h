/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of rtpbandwidth: their definitions and their values.
 */
#ifndef __GST_RTP_BANDWIDTH_SETTINGS_H__
#define __GST_RTP_BANDWIDTH_SETTINGS_H__

#include <gst/gst.h>

#include <control/controller.h>
#include <parameters/parameters.h>

#include "gstrtpbandwidthpath.h"

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
  guint start_bitrate;          /* bits/s; estimated-bitrate as set */
  guint min_bitrate, max_bitrate, reserved_bitrate;
  gchar *controller;
  GstStructure *parameters;     /* see parameters.h */
  gchar *group;
  guint64 max_queue_time;
} GstRtpBandwidthSettings;

void gst_rtp_bandwidth_settings_install (GObjectClass * klass,
    GParamSpec * properties[GST_RTP_BANDWIDTH_N_PROPERTIES]);
void gst_rtp_bandwidth_settings_init (GstRtpBandwidthSettings * s,
    GParamSpec ** properties);
void gst_rtp_bandwidth_settings_clear (GstRtpBandwidthSettings * s);
/* Returns FALSE if there is no such property, or it cannot be set. The
 * error is for the application. */
gboolean gst_rtp_bandwidth_settings_set (GstRtpBandwidthSettings * s, guint id,
    const GValue * value, GError ** error);
gboolean gst_rtp_bandwidth_settings_get (const GstRtpBandwidthSettings * s,
    guint id, GValue * value);
/* Returns FALSE and an error if the bit rates contradict each other. The
 * error says which of them applies then. */
gboolean gst_rtp_bandwidth_settings_check_limits (const
    GstRtpBandwidthSettings * s, GError ** error);
/* Returns NULL and an error if there is no such controller. */
const PspControllerClass *gst_rtp_bandwidth_settings_controller (const
    GstRtpBandwidthSettings * s, GError ** error);

/* Fills in the config of a new path. The config refers to `parameters`,
 * which have room for PSP_MAX_PARAMETERS. Returns FALSE and an error if
 * there is no such controller. */
gboolean gst_rtp_bandwidth_settings_config (const GstRtpBandwidthSettings * s,
    GstRtpBandwidthPathConfig * config, gdouble * parameters, GError ** error);
/* Applies one property to a path in use. All other settings of the group
 * stay. The caller holds the path's lock. */
void gst_rtp_bandwidth_settings_apply (const GstRtpBandwidthSettings * s,
    guint id, GstRtpBandwidthPath * path);

G_END_DECLS

#endif
