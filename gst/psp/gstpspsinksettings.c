/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsinksettings.h"

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_PORT 5004
#define DEFAULT_TTL 64
#define DEFAULT_TTL_MC 1
#define DEFAULT_LOOP TRUE
#define DEFAULT_QOS_DSCP (-1)
#define DEFAULT_CLOSE_SOCKET TRUE
#define DEFAULT_CONTROLLER "scp"
/* The PSA's in the paper's experiments. */
#define DEFAULT_SPACING (1500 * GST_USECOND)
#define DEFAULT_MIN_TARGET_BITRATE 0
#define DEFAULT_MAX_TARGET_BITRATE 0
#define DEFAULT_START_TARGET_BITRATE 0
#define DEFAULT_MAX_QUEUE_TIME GST_SECOND
#define DEFAULT_LEAKY GST_PSP_LEAKY_NO
#define DEFAULT_PACING GST_PSP_PACING_AUTO

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_READY)
#define PLAYING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_PLAYING)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
define_network (GParamSpec ** properties)
{
  properties[GST_PSP_SINK_URI] = g_param_spec_string ("uri", "URI",
      "psp://host:port, with ?property=value&property=value for more",
      "psp://" DEFAULT_HOST ":5004", PLAYING);
  properties[GST_PSP_SINK_HOST] = g_param_spec_string ("host", "Host",
      "Name or address to send to; a change restarts the controller",
      DEFAULT_HOST, PLAYING);
  properties[GST_PSP_SINK_PORT] = g_param_spec_int ("port", "Port",
      "Port to send to; a change restarts the controller", 0, 65535,
      DEFAULT_PORT, PLAYING);
  properties[GST_PSP_SINK_BIND_ADDRESS] = g_param_spec_string ("bind-address",
      "Bind address", "Local address to send from (NULL = any)", NULL, READY);
  properties[GST_PSP_SINK_BIND_PORT] =
      g_param_spec_int ("bind-port", "Bind port",
      "Local port to send from and get feedback on (0 = any)", 0, 65535, 0,
      READY);
  properties[GST_PSP_SINK_TTL] =
      g_param_spec_int ("ttl", "Unicast TTL", "Time to live of unicast packets",
      1, 255, DEFAULT_TTL, PLAYING);
  properties[GST_PSP_SINK_TTL_MC] =
      g_param_spec_int ("ttl-mc", "Multicast TTL",
      "Time to live of multicast packets", 0, 255, DEFAULT_TTL_MC, PLAYING);
  properties[GST_PSP_SINK_MULTICAST_IFACE] =
      g_param_spec_string ("multicast-iface", "Multicast interface",
      "Network interface for multicast (NULL = the system's choice)", NULL,
      READY);
  properties[GST_PSP_SINK_LOOP] =
      g_param_spec_boolean ("loop", "Multicast loopback",
      "Whether this machine receives multicast packets too", DEFAULT_LOOP,
      PLAYING);
  properties[GST_PSP_SINK_QOS_DSCP] =
      g_param_spec_int ("qos-dscp", "QoS DSCP",
      "Differentiated services code point (-1 = the system's)", -1, 63,
      DEFAULT_QOS_DSCP, PLAYING);
  properties[GST_PSP_SINK_SOCKET] =
      g_param_spec_object ("socket", "Socket",
      "UDP socket to use (NULL = open one)", G_TYPE_SOCKET, READY);
  properties[GST_PSP_SINK_USED_SOCKET] =
      g_param_spec_object ("used-socket", "Used socket",
      "UDP socket in use (NULL = none)", G_TYPE_SOCKET, READ_ONLY);
  properties[GST_PSP_SINK_CLOSE_SOCKET] =
      g_param_spec_boolean ("close-socket", "Close socket",
      "Close the socket given when the element stops", DEFAULT_CLOSE_SOCKET,
      READY);
}

static gchar *
list_controllers (void)
{
  const PspControllerClass *const *all = psp_controller_list ();
  GString *names = g_string_new (all[0]->name);

  while (*++all)
    g_string_append_printf (names, ", %s", (*all)->name);
  return g_string_free (names, FALSE);
}

static void
define_control (GParamSpec ** properties)
{
  gchar *names, *blurb;

  /**
   * GstPspSink:controller:
   *
   * The congestion controller: none (packets leave as they come), fixed (one
   * every #GstPspSink:spacing), psp, damped-psp, rap-psp, scp or media-scaling
   * (see #GstPspSink:scale-bitrates). A name that is refused while playing
   * stays here, for the next start or destination to be judged by; which one is
   * in force is told by #GstPspSink:stats.
   */
  names = list_controllers ();
  blurb = g_strdup_printf ("Name of the congestion controller: %s", names);
  properties[GST_PSP_SINK_CONTROLLER] = g_param_spec_string ("controller",
      "Controller", g_intern_string (blurb), DEFAULT_CONTROLLER, PLAYING);
  g_free (blurb);
  g_free (names);
  properties[GST_PSP_SINK_SPACING] = g_param_spec_uint64 ("spacing", "Spacing",
      "Packet period of controller=fixed, from one start to the next (ns)", 0,
      G_MAXINT64, DEFAULT_SPACING, PLAYING);
  /**
   * GstPspSink:scale-bitrates:
   *
   * What the source sends at each scale of controller=media-scaling, lowest
   * first: the target of the congestion event. A source that uses less than
   * half of its scale stays there. Where none are given, the targets are 300,
   * 500, 700, 900 and 1100 kb/s, and the source may make of the scales what it
   * likes, as mpegscaler does.
   */
  properties[GST_PSP_SINK_SCALE_BITRATES] =
      gst_param_spec_array ("scale-bitrates", "Scale bitrates",
      "Five ascending bitrates for controller=media-scaling, or none "
      "(bits/s of RTP payload)",
      g_param_spec_uint64 ("bitrate", "Bitrate", "bits/s", 1, G_MAXINT64, 1,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS), PLAYING);
  properties[GST_PSP_SINK_MIN_TARGET_BITRATE] =
      g_param_spec_uint64 ("min-target-bitrate", "Minimum target bitrate",
      "The target is never below, however congested the network, until "
      "feedback has ceased for ten seconds (bits/s of RTP payload)", 0,
      G_MAXUINT64, DEFAULT_MIN_TARGET_BITRATE, PLAYING);
  properties[GST_PSP_SINK_MAX_TARGET_BITRATE] =
      g_param_spec_uint64 ("max-target-bitrate", "Maximum target bitrate",
      "What leaves never goes above; 95 % of it is announced as the target "
      "(bits/s of RTP payload, 0 = no limit)", 0, G_MAXUINT64,
      DEFAULT_MAX_TARGET_BITRATE, PLAYING);
  properties[GST_PSP_SINK_START_TARGET_BITRATE] =
      g_param_spec_uint64 ("start-target-bitrate", "Start target bitrate",
      "Where the controller starts (bits/s of RTP payload, 0 = its own start)",
      0, G_MAXUINT64, DEFAULT_START_TARGET_BITRATE, PLAYING);
}

static void
define_queue (GParamSpec ** properties)
{
  properties[GST_PSP_SINK_MAX_QUEUE_TIME] =
      g_param_spec_uint64 ("max-queue-time", "Maximum queue time",
      "How much may wait, as time at the target bitrate "
      "(ns, 0 = 16384 packets)", 0, G_MAXUINT64, DEFAULT_MAX_QUEUE_TIME,
      PLAYING);
  properties[GST_PSP_SINK_LEAKY] =
      g_param_spec_enum ("leaky", "Leaky",
      "What a full queue does: wait, or drop whole pictures",
      GST_TYPE_PSP_LEAKY, DEFAULT_LEAKY, PLAYING);
  /**
   * GstPspSink:pacing:
   *
   * auto and realtime ask for SCHED_FIFO; without it packets leave less evenly,
   * of which realtime warns. realtime also keeps all CPUs awake while packets
   * leave, where the process may write /dev/cpu_dma_latency: wake-ups come
   * sooner, at the price of power. sleep asks for neither.
   */
  properties[GST_PSP_SINK_PACING] =
      g_param_spec_enum ("pacing", "Pacing",
      "What precision is asked of the system", GST_TYPE_PSP_PACING,
      DEFAULT_PACING, READY);
}

static void
define_reports (GParamSpec ** properties)
{
  /**
   * GstPspSink:estimated-bitrate:
   *
   * The target of the last congestion event, under rtpgccbwe's name and with
   * its type; larger targets read as the largest.
   */
  properties[GST_PSP_SINK_ESTIMATED_BITRATE] =
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
      "RTP payload that fits the network now (bits/s, 0 = unknown); notifies",
      0, G_MAXUINT, 0, READ_ONLY);
  properties[GST_PSP_SINK_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Statistics of the session", GST_TYPE_STRUCTURE, READ_ONLY);
}

void
gst_psp_sink_settings_install (GObjectClass * klass,
    GParamSpec * properties[GST_PSP_SINK_N_PROPERTIES])
{
  define_network (properties);
  define_control (properties);
  define_queue (properties);
  define_reports (properties);
  g_object_class_install_properties (klass, GST_PSP_SINK_N_PROPERTIES,
      properties);
}

void
gst_psp_sink_settings_init (GstPspSinkSettings * s)
{
  memset (s, 0, sizeof *s);
  s->socket.host = g_strdup (DEFAULT_HOST);
  s->socket.port = DEFAULT_PORT;
  s->socket.ttl = DEFAULT_TTL;
  s->socket.ttl_mc = DEFAULT_TTL_MC;
  s->socket.loop = DEFAULT_LOOP;
  s->socket.dscp = DEFAULT_QOS_DSCP;
  s->close_socket = DEFAULT_CLOSE_SOCKET;
  s->controller = g_strdup (DEFAULT_CONTROLLER);
  s->spacing = DEFAULT_SPACING;
  s->min_bitrate = DEFAULT_MIN_TARGET_BITRATE;
  s->max_bitrate = DEFAULT_MAX_TARGET_BITRATE;
  s->start_bitrate = DEFAULT_START_TARGET_BITRATE;
  s->max_queue_time = DEFAULT_MAX_QUEUE_TIME;
  s->leaky = DEFAULT_LEAKY;
  s->pacing = DEFAULT_PACING;
}

void
gst_psp_sink_settings_copy (GstPspSinkSettings * to,
    const GstPspSinkSettings * from)
{
  *to = *from;
  gst_psp_socket_config_copy (&to->socket, &from->socket);
  to->controller = g_strdup (from->controller);
}

void
gst_psp_sink_settings_clear (GstPspSinkSettings * s)
{
  gst_psp_socket_config_clear (&s->socket);
  g_clear_pointer (&s->controller, g_free);
}

/* Five in ascending order, or none. */
static void
set_scale_bitrates (GstPspSinkSettings * s, const GValue * value)
{
  guint n = gst_value_array_get_size (value);
  guint64 bitrates[PSP_SCALES] = { 0 };
  gboolean ok = n == 0 || n == PSP_SCALES;

  for (guint i = 0; ok && i < n; i++) {
    bitrates[i] = g_value_get_uint64 (gst_value_array_get_value (value, i));
    ok = bitrates[i] > (i > 0 ? bitrates[i - 1] : 0);
  }
  if (ok)
    memcpy (s->scale_bitrates, bitrates, sizeof bitrates);
  else
    g_warning ("scale-bitrates takes %d ascending bitrates, or none; what it "
        "was stays", PSP_SCALES);
}

static void
get_scale_bitrates (const GstPspSinkSettings * s, GValue * value)
{
  GValue bitrate = G_VALUE_INIT;

  g_value_init (&bitrate, G_TYPE_UINT64);
  for (guint i = 0; s->scale_bitrates[0] > 0 && i < PSP_SCALES; i++) {
    g_value_set_uint64 (&bitrate, s->scale_bitrates[i]);
    gst_value_array_append_value (value, &bitrate);
  }
  g_value_unset (&bitrate);
}

static gboolean
set_socket (GstPspSocketConfig * c, guint id, const GValue * value)
{
  switch (id) {
    case GST_PSP_SINK_HOST:
      g_free (c->host);
      c->host = g_value_dup_string (value);
      break;
    case GST_PSP_SINK_PORT:
      c->port = g_value_get_int (value);
      break;
    case GST_PSP_SINK_BIND_ADDRESS:
      g_free (c->bind_address);
      c->bind_address = g_value_dup_string (value);
      break;
    case GST_PSP_SINK_BIND_PORT:
      c->bind_port = g_value_get_int (value);
      break;
    case GST_PSP_SINK_TTL:
      c->ttl = g_value_get_int (value);
      break;
    case GST_PSP_SINK_TTL_MC:
      c->ttl_mc = g_value_get_int (value);
      break;
    case GST_PSP_SINK_MULTICAST_IFACE:
      g_free (c->multicast_iface);
      c->multicast_iface = g_value_dup_string (value);
      break;
    case GST_PSP_SINK_LOOP:
      c->loop = g_value_get_boolean (value);
      break;
    case GST_PSP_SINK_QOS_DSCP:
      c->dscp = g_value_get_int (value);
      break;
    case GST_PSP_SINK_SOCKET:
      g_clear_object (&c->socket);
      c->socket = g_value_dup_object (value);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_psp_sink_settings_set (GstPspSinkSettings * s, guint id,
    const GValue * value)
{
  switch (id) {
    case GST_PSP_SINK_CLOSE_SOCKET:
      s->close_socket = g_value_get_boolean (value);
      break;
    case GST_PSP_SINK_CONTROLLER:
      g_free (s->controller);
      s->controller = g_value_dup_string (value);
      break;
    case GST_PSP_SINK_SPACING:
      s->spacing = g_value_get_uint64 (value);
      break;
    case GST_PSP_SINK_SCALE_BITRATES:
      set_scale_bitrates (s, value);
      break;
    case GST_PSP_SINK_MIN_TARGET_BITRATE:
      s->min_bitrate = g_value_get_uint64 (value);
      break;
    case GST_PSP_SINK_MAX_TARGET_BITRATE:
      s->max_bitrate = g_value_get_uint64 (value);
      break;
    case GST_PSP_SINK_START_TARGET_BITRATE:
      s->start_bitrate = g_value_get_uint64 (value);
      break;
    case GST_PSP_SINK_MAX_QUEUE_TIME:
      s->max_queue_time = g_value_get_uint64 (value);
      break;
    case GST_PSP_SINK_LEAKY:
      s->leaky = g_value_get_enum (value);
      break;
    case GST_PSP_SINK_PACING:
      s->pacing = g_value_get_enum (value);
      break;
    default:
      return set_socket (&s->socket, id, value);
  }
  return TRUE;
}

static gboolean
get_socket (const GstPspSocketConfig * c, guint id, GValue * value)
{
  switch (id) {
    case GST_PSP_SINK_HOST:
      g_value_set_string (value, c->host);
      break;
    case GST_PSP_SINK_PORT:
      g_value_set_int (value, c->port);
      break;
    case GST_PSP_SINK_BIND_ADDRESS:
      g_value_set_string (value, c->bind_address);
      break;
    case GST_PSP_SINK_BIND_PORT:
      g_value_set_int (value, c->bind_port);
      break;
    case GST_PSP_SINK_TTL:
      g_value_set_int (value, c->ttl);
      break;
    case GST_PSP_SINK_TTL_MC:
      g_value_set_int (value, c->ttl_mc);
      break;
    case GST_PSP_SINK_MULTICAST_IFACE:
      g_value_set_string (value, c->multicast_iface);
      break;
    case GST_PSP_SINK_LOOP:
      g_value_set_boolean (value, c->loop);
      break;
    case GST_PSP_SINK_QOS_DSCP:
      g_value_set_int (value, c->dscp);
      break;
    case GST_PSP_SINK_SOCKET:
      g_value_set_object (value, c->socket);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_psp_sink_settings_get (const GstPspSinkSettings * s, guint id,
    GValue * value)
{
  switch (id) {
    case GST_PSP_SINK_CLOSE_SOCKET:
      g_value_set_boolean (value, s->close_socket);
      break;
    case GST_PSP_SINK_CONTROLLER:
      g_value_set_string (value, s->controller);
      break;
    case GST_PSP_SINK_SPACING:
      g_value_set_uint64 (value, s->spacing);
      break;
    case GST_PSP_SINK_SCALE_BITRATES:
      get_scale_bitrates (s, value);
      break;
    case GST_PSP_SINK_MIN_TARGET_BITRATE:
      g_value_set_uint64 (value, s->min_bitrate);
      break;
    case GST_PSP_SINK_MAX_TARGET_BITRATE:
      g_value_set_uint64 (value, s->max_bitrate);
      break;
    case GST_PSP_SINK_START_TARGET_BITRATE:
      g_value_set_uint64 (value, s->start_bitrate);
      break;
    case GST_PSP_SINK_MAX_QUEUE_TIME:
      g_value_set_uint64 (value, s->max_queue_time);
      break;
    case GST_PSP_SINK_LEAKY:
      g_value_set_enum (value, s->leaky);
      break;
    case GST_PSP_SINK_PACING:
      g_value_set_enum (value, s->pacing);
      break;
    default:
      return get_socket (&s->socket, id, value);
  }
  return TRUE;
}

static gint64
to_int64 (guint64 value)
{
  return (gint64) MIN (value, (guint64) G_MAXINT64);
}

void
gst_psp_sink_settings_limits (const GstPspSinkSettings * s, PspLimits * limits)
{
  limits->min_bitrate = to_int64 (s->min_bitrate);
  limits->max_bitrate = to_int64 (s->max_bitrate);
  limits->start_bitrate = to_int64 (s->start_bitrate);
  limits->fixed_period = to_int64 (s->spacing);
  for (guint i = 0; i < PSP_SCALES; i++)
    limits->scale_bitrates[i] = to_int64 (s->scale_bitrates[i]);
}

const PspControllerClass *
gst_psp_sink_settings_controller (const GstPspSinkSettings * s,
    const PspAddress * destination, GError ** error)
{
  const gchar *name = s->controller;
  const PspControllerClass *klass = psp_controller_find (name);
  gchar *names;

  if (!klass) {
    names = list_controllers ();
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "There is no controller \"%s\"; choose one of %s.", name ? name : "",
        names);
    g_free (names);
    return NULL;
  }
  if (klass->needs_feedback && psp_address_is_multicast (destination)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Controller \"%s\" needs feedback, which the receivers of a multicast "
        "group do not send; set controller=fixed and spacing=NANOSECONDS, or "
        "controller=none.", name);
    return NULL;
  }
  return klass;
}
