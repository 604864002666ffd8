/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of pspsink: their names and values.
 */
#ifndef __GST_PSP_SINK_SETTINGS_H__
#define __GST_PSP_SINK_SETTINGS_H__

#include <control/controller.h>
#include <parameters/parameters.h>
#include "gstpspenums.h"
#include "gstpspsinksocket.h"
#include "gstpspsrtpkeys.h"

G_BEGIN_DECLS

enum
{
  GST_PSP_SINK_PROP_0,
  GST_PSP_SINK_URI,
  GST_PSP_SINK_HOST,
  GST_PSP_SINK_PORT,
  GST_PSP_SINK_BIND_ADDRESS,
  GST_PSP_SINK_BIND_PORT,
  GST_PSP_SINK_RTCP_PORT,
  GST_PSP_SINK_TTL,
  GST_PSP_SINK_TTL_MC,
  GST_PSP_SINK_MULTICAST_IFACE,
  GST_PSP_SINK_LOOP,
  GST_PSP_SINK_QOS_DSCP,
  GST_PSP_SINK_ECN,
  GST_PSP_SINK_SOCKET,
  GST_PSP_SINK_USED_SOCKET,
  GST_PSP_SINK_CLOSE_SOCKET,
  GST_PSP_SINK_CONTROLLER,
  GST_PSP_SINK_CONTROLLER_PARAMS,
  GST_PSP_SINK_SPACING,
  GST_PSP_SINK_SCALE_BITRATES,
  GST_PSP_SINK_MIN_TARGET_BITRATE,
  GST_PSP_SINK_MAX_TARGET_BITRATE,
  GST_PSP_SINK_START_TARGET_BITRATE,
  GST_PSP_SINK_UNPROVED_TARGET_BITRATE,
  GST_PSP_SINK_NO_FEEDBACK_BITRATE,
  GST_PSP_SINK_MAX_QUEUE_TIME,
  GST_PSP_SINK_MAX_FRAME_TIME,
  GST_PSP_SINK_LEAKY,
  GST_PSP_SINK_PACING,
  GST_PSP_SINK_RTX_PAYLOAD_TYPE,
  GST_PSP_SINK_REPAIR_SHARE,
  GST_PSP_SINK_REPAIR_DEADLINE,
  GST_PSP_SINK_FEC_PAYLOAD_TYPE,
  GST_PSP_SINK_SRTP,            /* the first of GST_PSP_SRTP_N_PROPERTIES */
  GST_PSP_SINK_SRTP_KEEP_SSRC = GST_PSP_SINK_SRTP + GST_PSP_SRTP_N_PROPERTIES,
  GST_PSP_SINK_SRTP_SOFT_LIMIT,
  GST_PSP_SINK_ESTIMATED_BITRATE,
  GST_PSP_SINK_STATS,
  GST_PSP_SINK_N_PROPERTIES
};

/* The values of the writable properties. */
typedef struct
{
  GstPspSocketConfig socket;
  gboolean close_socket;
  GstPspEcn ecn;
  gchar *controller;
  GstStructure *parameters;     /* parameters.h */
  gint rtcp_port;
  guint64 min_bitrate, max_bitrate, start_bitrate, unproved_bitrate;
  guint64 no_feedback_bitrate;
  guint64 max_queue_time, max_frame_time;
  GstPspLeaky leaky;
  GstPspPacing pacing;
  gint rtx_payload_type, fec_payload_type;
  gdouble repair_share;
  guint64 repair_deadline;
  GstPspSrtpConfig srtp;
  gboolean keep_ssrc;
  guint64 soft_limit;           /* packets under a key */
} GstPspSinkSettings;

void gst_psp_sink_settings_install (GObjectClass * klass,
    GParamSpec * properties[GST_PSP_SINK_N_PROPERTIES]);

/* Sets the defaults of the properties. */
void gst_psp_sink_settings_init (GstPspSinkSettings * s,
    GParamSpec ** properties);
void gst_psp_sink_settings_copy (GstPspSinkSettings * to,
    const GstPspSinkSettings * from);
void gst_psp_sink_settings_clear (GstPspSinkSettings * s);

/* Returns FALSE if `id` is not one of these properties. An error must be
 * reported to the application; the old value then stays. */
gboolean gst_psp_sink_settings_set (GstPspSinkSettings * s, guint id,
    const GValue * value, GError ** error);
gboolean gst_psp_sink_settings_get (const GstPspSinkSettings * s, guint id,
    GValue * value);

void gst_psp_sink_settings_limits (const GstPspSinkSettings * s,
    PspLimits * limits);
/* Returns FALSE if limits contradict each other; the error names the one that
 * counts. The start bitrate counts only where a session starts. */
gboolean gst_psp_sink_settings_check_limits (const GstPspSinkSettings * s,
    gboolean starts, GError ** error);
/* Returns FALSE if a port does not exist. */
gboolean gst_psp_sink_settings_check_ports (const GstPspSinkSettings * s,
    GError ** error);
/* Returns FALSE if a receiver could take retransmissions for RTCP. */
gboolean gst_psp_sink_settings_check_rtx (const GstPspSinkSettings * s,
    GError ** error);
/* Returns the chosen controller, or NULL if it does not exist or cannot serve
 * the destination. */
const PspControllerClass *gst_psp_sink_settings_controller (const
    GstPspSinkSettings * s, const PspAddress * destination, GError ** error);

G_END_DECLS

#endif
