/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcpsettings.h"

#include <gst/congestion/congestion.h>

/* Default of the property host. */
#define DEFAULT_HOST "localhost"

static void
define_network (GParamSpec ** p)
{
  p[GST_ITCP_SINK_HOST] = g_param_spec_string ("host", "Host",
      "Name or address to connect to, or address to listen on", DEFAULT_HOST,
      GST_SETTINGS_READY);
  p[GST_ITCP_SINK_PORT] = g_param_spec_int ("port", "Port",
      "Port to connect to, or to listen on (0 = any that is free)", 0, 65535,
      5004, GST_SETTINGS_READY);
  p[GST_ITCP_SINK_MODE] = g_param_spec_enum ("mode", "Mode",
      "Who makes the connection", GST_TYPE_ITCP_MODE, GST_ITCP_MODE_CALLER,
      GST_SETTINGS_READY);
  p[GST_ITCP_SINK_CURRENT_PORT] = g_param_spec_int ("current-port",
      "Current port", "Port listened on (0 = none)", 0, 65535, 0,
      GST_SETTINGS_READ_ONLY);
  p[GST_ITCP_SINK_CONGESTION_ALGORITHM] =
      g_param_spec_string ("congestion-algorithm", "Congestion algorithm",
      "The kernel's, by name, for instance reno, cubic or bbr (NULL = the "
      "system's choice)", NULL, GST_SETTINGS_READY);
  p[GST_ITCP_SINK_TIMEOUT] = g_param_spec_uint64 ("timeout", "Timeout",
      "A connection is given up when the receiver takes no data for so long "
      "(ns, 0 = the system's choice)", 0, G_MAXINT * GST_MSECOND,
      30 * GST_SECOND, GST_SETTINGS_READY);
  p[GST_ITCP_SINK_AUTO_RECONNECT] = g_param_spec_boolean ("auto-reconnect",
      "Reconnect", "Connect, or listen, again instead of failing", TRUE,
      GST_SETTINGS_READY);
  p[GST_ITCP_SINK_RECONNECT_INTERVAL] =
      g_param_spec_uint64 ("reconnect-interval", "Reconnect interval",
      "Time between attempts to connect (ns)", 10 * GST_MSECOND,
      3600 * GST_SECOND, GST_SECOND, GST_SETTINGS_READY);
  p[GST_ITCP_SINK_WAIT_FOR_CONNECTION] =
      g_param_spec_boolean ("wait-for-connection", "Wait for connection",
      "Let upstream wait while there is no receiver, instead of dropping",
      TRUE, GST_SETTINGS_READY);
  p[GST_ITCP_SINK_MAX_QUEUE_TIME] =
      g_param_spec_uint64 ("max-queue-time", "Maximum queue time",
      "Upstream waits while more media than this, at the base's rate, is "
      "unsent (ns, 0 = the system's limit, which is of bytes)", 0,
      3600 * GST_SECOND, GST_SECOND, GST_SETTINGS_PLAYING);
}

static void
define_symbiosis (GParamSpec ** p)
{
  const ItcpSymbiosisParams *d = &itcp_symbiosis_defaults;

  p[GST_ITCP_SINK_EVENT_SOURCE] = g_param_spec_enum ("event-source",
      "Event source", "How TCP's events are found", GST_TYPE_ITCP_EVENT_SOURCE,
      GST_ITCP_EVENT_SOURCE_AUTO, GST_SETTINGS_READY);
  p[GST_ITCP_SINK_EVENTS] = g_param_spec_flags ("events", "Events",
      "Events to announce and to act on; all are counted", GST_TYPE_ITCP_EVENTS,
      GST_ITCP_EVENTS_REXMT | GST_ITCP_EVENTS_DUPACK, GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_SYMBIOSIS] = g_param_spec_boolean ("symbiosis", "Symbiosis",
      "Lower the target bitrate at events; otherwise they go to the "
      "application and no further", d->enabled, GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_ALPHA] = g_param_spec_double ("alpha", "Alpha",
      "What an event multiplies the target bitrate by", 0, 1, d->alpha,
      GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_INCREASE_STEP] = g_param_spec_uint64 ("increase-step",
      "Increase step", "What comes back each increase-interval "
      "(bits/s, 0 = a twentieth of the base)", 0, GST_CONGESTION_MAX_BITRATE,
      (guint64) d->step_bitrate, GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_INCREASE_INTERVAL] =
      g_param_spec_uint64 ("increase-interval", "Increase interval",
      "Time from step to step, best that of a group of pictures (ns)",
      20 * GST_MSECOND, 3600 * GST_SECOND, (guint64) d->interval,
      GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_HOLD_TIME] = g_param_spec_uint64 ("hold-time", "Hold time",
      "Time after an event without a step, or an increase-interval where that "
      "is longer (ns)", 0, 3600 * GST_SECOND, (guint64) d->hold,
      GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_STEP_BACK] = g_param_spec_boolean ("step-back", "Step back",
      "After an event, lower the target by alpha again instead of raising it "
      "where TCP has not kept up since the last step, and by steps where a "
      "queue grows in the network", d->step_back, GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_MIN_TARGET_BITRATE] =
      g_param_spec_uint64 ("min-target-bitrate", "Minimum target bitrate",
      "Events do not go below (bits/s)", 0, GST_CONGESTION_MAX_BITRATE,
      (guint64) d->min_bitrate, GST_SETTINGS_PLAYING);
  p[GST_ITCP_SINK_MAX_TARGET_BITRATE] =
      g_param_spec_uint64 ("max-target-bitrate", "Maximum target bitrate",
      "The base, which the target comes back to (bits/s, 0 = the most that "
      "came in within a second)", 0, GST_CONGESTION_MAX_BITRATE,
      (guint64) d->base_bitrate, GST_SETTINGS_PLAYING);
}

void
gst_itcp_settings_install (GObjectClass * klass, GParamSpec ** p)
{
  define_network (p);
  define_symbiosis (p);
  p[GST_ITCP_SINK_ESTIMATED_BITRATE] =
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
      "The target bitrate now (bits/s, 0 = not known yet, or none)", 0,
      G_MAXUINT, 0, GST_SETTINGS_READ_ONLY);
  p[GST_ITCP_SINK_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "What was sent and what TCP made of it", GST_TYPE_STRUCTURE,
      GST_SETTINGS_READ_ONLY);
  g_object_class_install_properties (klass, GST_ITCP_SINK_N_PROPERTIES, p);
}

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_ITCP_SINK_##id, kind, GstItcpSettings, member)

const GstSettingsField gst_itcp_fields[] = {
  FIELD (HOST, STRING, host),
  FIELD (PORT, INT, port),
  FIELD (MODE, ENUM, mode),
  FIELD (CONGESTION_ALGORITHM, STRING, congestion),
  FIELD (TIMEOUT, UINT64, timeout),
  FIELD (AUTO_RECONNECT, BOOLEAN, auto_reconnect),
  FIELD (RECONNECT_INTERVAL, UINT64, reconnect_interval),
  FIELD (WAIT_FOR_CONNECTION, BOOLEAN, wait_for_connection),
  FIELD (MAX_QUEUE_TIME, UINT64, max_queue_time),
  FIELD (EVENT_SOURCE, ENUM, source),
  FIELD (EVENTS, FLAGS, events),
  FIELD (SYMBIOSIS, BOOLEAN, symbiosis.enabled),
  FIELD (ALPHA, DOUBLE, symbiosis.alpha),
  FIELD (INCREASE_STEP, UINT64, symbiosis.step_bitrate),
  FIELD (INCREASE_INTERVAL, UINT64, symbiosis.interval),
  FIELD (HOLD_TIME, UINT64, symbiosis.hold),
  FIELD (STEP_BACK, BOOLEAN, symbiosis.step_back),
  FIELD (MIN_TARGET_BITRATE, UINT64, symbiosis.min_bitrate),
  FIELD (MAX_TARGET_BITRATE, UINT64, symbiosis.base_bitrate),
  {0, 0, 0, 0}
};

void
gst_itcp_settings_init (GstItcpSettings * s, GParamSpec ** properties)
{
  memset (s, 0, sizeof *s);
  s->symbiosis = itcp_symbiosis_defaults;
  gst_settings_init (gst_itcp_fields, s, properties);
}

gboolean
gst_itcp_settings_set (GstItcpSettings * s, guint id, const GValue * value)
{
  gboolean known = gst_settings_set (gst_itcp_fields, s, id, value);

  if (!s->host)
    s->host = g_strdup (DEFAULT_HOST);
  return known;
}

gboolean
gst_itcp_settings_check_limits (const GstItcpSettings * s, GError ** error)
{
  const ItcpSymbiosisParams *p = &s->symbiosis;

  if (!p->enabled || p->base_bitrate == 0 || p->min_bitrate <= p->base_bitrate)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "min-target-bitrate=%" G_GINT64_FORMAT " is above max-target-bitrate=%"
      G_GINT64_FORMAT ": no event lowers the target, which stays at the maximum. "
      "Set the minimum below the maximum.", (gint64) p->min_bitrate,
      (gint64) p->base_bitrate);
  return FALSE;
}
