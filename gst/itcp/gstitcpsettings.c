/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcpsettings.h"

#define DEFAULT_HOST "localhost"
#define DEFAULT_PORT 5004
#define DEFAULT_TIMEOUT (30 * GST_SECOND)
#define DEFAULT_RECONNECT_INTERVAL GST_SECOND
#define DEFAULT_MAX_QUEUE_TIME GST_SECOND
#define DEFAULT_EVENTS (GST_ITCP_EVENTS_REXMT | GST_ITCP_EVENTS_DUPACK)

#define MAX_BITRATE G_GUINT64_CONSTANT (1000000000000)

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_READY)
#define PLAYING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_PLAYING)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
define_network (GParamSpec ** p)
{
  p[GST_ITCP_SINK_HOST] = g_param_spec_string ("host", "Host",
      "Name or address to connect to, or address to listen on", DEFAULT_HOST,
      READY);
  p[GST_ITCP_SINK_PORT] = g_param_spec_int ("port", "Port",
      "Port to connect to, or to listen on (0 = any that is free)", 0, 65535,
      DEFAULT_PORT, READY);
  p[GST_ITCP_SINK_MODE] = g_param_spec_enum ("mode", "Mode",
      "Who makes the connection", GST_TYPE_ITCP_MODE, GST_ITCP_MODE_CALLER,
      READY);
  p[GST_ITCP_SINK_CURRENT_PORT] = g_param_spec_int ("current-port",
      "Current port", "Port listened on (0 = none)", 0, 65535, 0, READ_ONLY);
  p[GST_ITCP_SINK_CONGESTION_ALGORITHM] =
      g_param_spec_string ("congestion-algorithm", "Congestion algorithm",
      "The kernel's, by name, for instance reno, cubic or bbr (NULL = the "
      "system's choice)", NULL, READY);
  p[GST_ITCP_SINK_TIMEOUT] = g_param_spec_uint64 ("timeout", "Timeout",
      "A connection is given up when the receiver takes no data for so long "
      "(ns, 0 = the system's choice)", 0, G_MAXINT * GST_MSECOND,
      DEFAULT_TIMEOUT, READY);
  p[GST_ITCP_SINK_AUTO_RECONNECT] = g_param_spec_boolean ("auto-reconnect",
      "Reconnect", "Connect, or listen, again instead of failing", TRUE, READY);
  p[GST_ITCP_SINK_RECONNECT_INTERVAL] =
      g_param_spec_uint64 ("reconnect-interval", "Reconnect interval",
      "Time between attempts to connect (ns)", 10 * GST_MSECOND,
      3600 * GST_SECOND, DEFAULT_RECONNECT_INTERVAL, READY);
  p[GST_ITCP_SINK_WAIT_FOR_CONNECTION] =
      g_param_spec_boolean ("wait-for-connection", "Wait for connection",
      "Let upstream wait while there is no receiver, instead of dropping",
      TRUE, READY);
  p[GST_ITCP_SINK_MAX_QUEUE_TIME] =
      g_param_spec_uint64 ("max-queue-time", "Maximum queue time",
      "Upstream waits while more media than this, at the base's rate, is "
      "unsent (ns, 0 = the system's limit, which is of bytes)", 0,
      3600 * GST_SECOND, DEFAULT_MAX_QUEUE_TIME, PLAYING);
}

static void
define_symbiosis (GParamSpec ** p)
{
  const ItcpSymbiosisParams *d = &itcp_symbiosis_defaults;

  p[GST_ITCP_SINK_EVENT_SOURCE] = g_param_spec_enum ("event-source",
      "Event source", "How TCP's events are found", GST_TYPE_ITCP_EVENT_SOURCE,
      GST_ITCP_EVENT_SOURCE_AUTO, READY);
  p[GST_ITCP_SINK_EVENTS] = g_param_spec_flags ("events", "Events",
      "Events to tell and to act on; all are counted", GST_TYPE_ITCP_EVENTS,
      DEFAULT_EVENTS, PLAYING);
  p[GST_ITCP_SINK_SYMBIOSIS] = g_param_spec_boolean ("symbiosis", "Symbiosis",
      "Lower the target bitrate at events; otherwise they go to the "
      "application and no further", d->enabled, PLAYING);
  p[GST_ITCP_SINK_ALPHA] = g_param_spec_double ("alpha", "Alpha",
      "What an event multiplies the target bitrate by", 0, 1, d->alpha,
      PLAYING);
  p[GST_ITCP_SINK_INCREASE_STEP] = g_param_spec_uint64 ("increase-step",
      "Increase step", "What comes back each increase-interval "
      "(bits/s, 0 = a twentieth of the base)", 0, MAX_BITRATE,
      (guint64) d->step_bitrate, PLAYING);
  p[GST_ITCP_SINK_INCREASE_INTERVAL] =
      g_param_spec_uint64 ("increase-interval", "Increase interval",
      "Time from step to step, best that of a group of pictures (ns)",
      20 * GST_MSECOND, 3600 * GST_SECOND, (guint64) d->interval, PLAYING);
  p[GST_ITCP_SINK_HOLD_TIME] = g_param_spec_uint64 ("hold-time", "Hold time",
      "Time after an event without a step, or an increase-interval where that "
      "is longer (ns)", 0, 3600 * GST_SECOND, (guint64) d->hold, PLAYING);
  p[GST_ITCP_SINK_STEP_BACK] = g_param_spec_boolean ("step-back", "Step back",
      "After an event, lower the target by alpha again instead of raising it "
      "where TCP has not kept up since the last step, and by steps where a "
      "queue grows in the network", d->step_back, PLAYING);
  p[GST_ITCP_SINK_MIN_TARGET_BITRATE] =
      g_param_spec_uint64 ("min-target-bitrate", "Minimum target bitrate",
      "Events do not go below (bits/s)", 0, MAX_BITRATE,
      (guint64) d->min_bitrate, PLAYING);
  p[GST_ITCP_SINK_MAX_TARGET_BITRATE] =
      g_param_spec_uint64 ("max-target-bitrate", "Maximum target bitrate",
      "The base, which the target comes back to (bits/s, 0 = the most that "
      "came in within a second)", 0, MAX_BITRATE, (guint64) d->base_bitrate,
      PLAYING);
}

void
gst_itcp_settings_install (GObjectClass * klass, GParamSpec ** p)
{
  define_network (p);
  define_symbiosis (p);
  p[GST_ITCP_SINK_ESTIMATED_BITRATE] =
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
      "The target bitrate now (bits/s, 0 = not known yet, or none)", 0,
      G_MAXUINT, 0, READ_ONLY);
  p[GST_ITCP_SINK_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "What was sent and what TCP made of it", GST_TYPE_STRUCTURE, READ_ONLY);
  g_object_class_install_properties (klass, GST_ITCP_SINK_N_PROPERTIES, p);
}

void
gst_itcp_settings_init (GstItcpSettings * s)
{
  memset (s, 0, sizeof *s);
  s->host = g_strdup (DEFAULT_HOST);
  s->port = DEFAULT_PORT;
  s->mode = GST_ITCP_MODE_CALLER;
  s->timeout = DEFAULT_TIMEOUT;
  s->auto_reconnect = TRUE;
  s->reconnect_interval = DEFAULT_RECONNECT_INTERVAL;
  s->wait_for_connection = TRUE;
  s->max_queue_time = DEFAULT_MAX_QUEUE_TIME;
  s->source = GST_ITCP_EVENT_SOURCE_AUTO;
  s->events = DEFAULT_EVENTS;
  s->symbiosis = itcp_symbiosis_defaults;
}

void
gst_itcp_settings_clear (GstItcpSettings * s)
{
  g_clear_pointer (&s->host, g_free);
  g_clear_pointer (&s->congestion, g_free);
}

void
gst_itcp_settings_copy (GstItcpSettings * to, const GstItcpSettings * from)
{
  *to = *from;
  to->host = g_strdup (from->host);
  to->congestion = g_strdup (from->congestion);
}

static gboolean
set_symbiosis (ItcpSymbiosisParams * p, guint id, const GValue * value)
{
  switch (id) {
    case GST_ITCP_SINK_SYMBIOSIS:
      p->enabled = g_value_get_boolean (value);
      return TRUE;
    case GST_ITCP_SINK_ALPHA:
      p->alpha = g_value_get_double (value);
      return TRUE;
    case GST_ITCP_SINK_INCREASE_STEP:
      p->step_bitrate = (gint64) g_value_get_uint64 (value);
      return TRUE;
    case GST_ITCP_SINK_INCREASE_INTERVAL:
      p->interval = (gint64) g_value_get_uint64 (value);
      return TRUE;
    case GST_ITCP_SINK_HOLD_TIME:
      p->hold = (gint64) g_value_get_uint64 (value);
      return TRUE;
    case GST_ITCP_SINK_STEP_BACK:
      p->step_back = g_value_get_boolean (value);
      return TRUE;
    case GST_ITCP_SINK_MIN_TARGET_BITRATE:
      p->min_bitrate = (gint64) g_value_get_uint64 (value);
      return TRUE;
    case GST_ITCP_SINK_MAX_TARGET_BITRATE:
      p->base_bitrate = (gint64) g_value_get_uint64 (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_itcp_settings_set (GstItcpSettings * s, guint id, const GValue * value)
{
  switch (id) {
    case GST_ITCP_SINK_HOST:
      g_free (s->host);
      s->host = g_value_dup_string (value);
      if (!s->host)
        s->host = g_strdup (DEFAULT_HOST);
      return TRUE;
    case GST_ITCP_SINK_PORT:
      s->port = (guint) g_value_get_int (value);
      return TRUE;
    case GST_ITCP_SINK_MODE:
      s->mode = g_value_get_enum (value);
      return TRUE;
    case GST_ITCP_SINK_CONGESTION_ALGORITHM:
      g_free (s->congestion);
      s->congestion = g_value_dup_string (value);
      return TRUE;
    case GST_ITCP_SINK_TIMEOUT:
      s->timeout = g_value_get_uint64 (value);
      return TRUE;
    case GST_ITCP_SINK_AUTO_RECONNECT:
      s->auto_reconnect = g_value_get_boolean (value);
      return TRUE;
    case GST_ITCP_SINK_RECONNECT_INTERVAL:
      s->reconnect_interval = g_value_get_uint64 (value);
      return TRUE;
    case GST_ITCP_SINK_WAIT_FOR_CONNECTION:
      s->wait_for_connection = g_value_get_boolean (value);
      return TRUE;
    case GST_ITCP_SINK_MAX_QUEUE_TIME:
      s->max_queue_time = g_value_get_uint64 (value);
      return TRUE;
    case GST_ITCP_SINK_EVENT_SOURCE:
      s->source = g_value_get_enum (value);
      return TRUE;
    case GST_ITCP_SINK_EVENTS:
      s->events = g_value_get_flags (value);
      return TRUE;
    default:
      return set_symbiosis (&s->symbiosis, id, value);
  }
}

static gboolean
get_symbiosis (const ItcpSymbiosisParams * p, guint id, GValue * value)
{
  switch (id) {
    case GST_ITCP_SINK_SYMBIOSIS:
      g_value_set_boolean (value, p->enabled);
      return TRUE;
    case GST_ITCP_SINK_ALPHA:
      g_value_set_double (value, p->alpha);
      return TRUE;
    case GST_ITCP_SINK_INCREASE_STEP:
      g_value_set_uint64 (value, (guint64) p->step_bitrate);
      return TRUE;
    case GST_ITCP_SINK_INCREASE_INTERVAL:
      g_value_set_uint64 (value, (guint64) p->interval);
      return TRUE;
    case GST_ITCP_SINK_HOLD_TIME:
      g_value_set_uint64 (value, (guint64) p->hold);
      return TRUE;
    case GST_ITCP_SINK_STEP_BACK:
      g_value_set_boolean (value, p->step_back);
      return TRUE;
    case GST_ITCP_SINK_MIN_TARGET_BITRATE:
      g_value_set_uint64 (value, (guint64) p->min_bitrate);
      return TRUE;
    case GST_ITCP_SINK_MAX_TARGET_BITRATE:
      g_value_set_uint64 (value, (guint64) p->base_bitrate);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_itcp_settings_get (const GstItcpSettings * s, guint id, GValue * value)
{
  switch (id) {
    case GST_ITCP_SINK_HOST:
      g_value_set_string (value, s->host);
      return TRUE;
    case GST_ITCP_SINK_PORT:
      g_value_set_int (value, (gint) s->port);
      return TRUE;
    case GST_ITCP_SINK_MODE:
      g_value_set_enum (value, s->mode);
      return TRUE;
    case GST_ITCP_SINK_CONGESTION_ALGORITHM:
      g_value_set_string (value, s->congestion);
      return TRUE;
    case GST_ITCP_SINK_TIMEOUT:
      g_value_set_uint64 (value, s->timeout);
      return TRUE;
    case GST_ITCP_SINK_AUTO_RECONNECT:
      g_value_set_boolean (value, s->auto_reconnect);
      return TRUE;
    case GST_ITCP_SINK_RECONNECT_INTERVAL:
      g_value_set_uint64 (value, s->reconnect_interval);
      return TRUE;
    case GST_ITCP_SINK_WAIT_FOR_CONNECTION:
      g_value_set_boolean (value, s->wait_for_connection);
      return TRUE;
    case GST_ITCP_SINK_MAX_QUEUE_TIME:
      g_value_set_uint64 (value, s->max_queue_time);
      return TRUE;
    case GST_ITCP_SINK_EVENT_SOURCE:
      g_value_set_enum (value, s->source);
      return TRUE;
    case GST_ITCP_SINK_EVENTS:
      g_value_set_flags (value, s->events);
      return TRUE;
    default:
      return get_symbiosis (&s->symbiosis, id, value);
  }
}
