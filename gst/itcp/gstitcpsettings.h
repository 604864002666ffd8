/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The settings of itcpsink and its properties for them.
 */
#ifndef __GST_ITCP_SETTINGS_H__
#define __GST_ITCP_SETTINGS_H__

#include <gst/gst.h>
#include <settings/settings.h>

#include "core/symbiosis.h"
#include "gstitcpenums.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *host;
  guint port;
  GstItcpMode mode;
  gchar *congestion;            /* NULL = the system's choice */
  GstClockTime timeout;
  gboolean auto_reconnect;
  GstClockTime reconnect_interval;
  gboolean wait_for_connection;
  GstItcpEventSource source;
  guint events;                 /* GstItcpEvents */
  GstClockTime max_queue_time;
  ItcpSymbiosisParams symbiosis;
} GstItcpSettings;

enum
{
  GST_ITCP_SINK_HOST = 1,
  GST_ITCP_SINK_PORT,
  GST_ITCP_SINK_MODE,
  GST_ITCP_SINK_CURRENT_PORT,
  GST_ITCP_SINK_CONGESTION_ALGORITHM,
  GST_ITCP_SINK_TIMEOUT,
  GST_ITCP_SINK_AUTO_RECONNECT,
  GST_ITCP_SINK_RECONNECT_INTERVAL,
  GST_ITCP_SINK_WAIT_FOR_CONNECTION,
  GST_ITCP_SINK_MAX_QUEUE_TIME,
  GST_ITCP_SINK_EVENT_SOURCE,
  GST_ITCP_SINK_EVENTS,
  GST_ITCP_SINK_SYMBIOSIS,
  GST_ITCP_SINK_ALPHA,
  GST_ITCP_SINK_INCREASE_STEP,
  GST_ITCP_SINK_INCREASE_INTERVAL,
  GST_ITCP_SINK_HOLD_TIME,
  GST_ITCP_SINK_STEP_BACK,
  GST_ITCP_SINK_MIN_TARGET_BITRATE,
  GST_ITCP_SINK_MAX_TARGET_BITRATE,
  GST_ITCP_SINK_ESTIMATED_BITRATE,
  GST_ITCP_SINK_STATS,
  GST_ITCP_SINK_N_PROPERTIES
};

/* The fields of GstItcpSettings. */
extern const GstSettingsField gst_itcp_fields[];

void gst_itcp_settings_install (GObjectClass * klass, GParamSpec ** properties);
void gst_itcp_settings_init (GstItcpSettings * s, GParamSpec ** properties);
/* Returns FALSE if the id is not that of a setting. */
gboolean gst_itcp_settings_set (GstItcpSettings * s, guint id,
    const GValue * value);
/* Returns FALSE and an error if the target's limits contradict each other. */
gboolean gst_itcp_settings_check_limits (const GstItcpSettings * s,
    GError ** error);

G_END_DECLS

#endif
