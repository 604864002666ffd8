/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsinksettings.h"
#include "gstpspuri.h"

#include <rtpfeedback/rtp.h>
#include <settings/settings.h>

/* ns; maximum of the parameter "period" of controller=fixed. Larger values of
 * the property count as this one. */
#define MAX_SPACING 3600e9
#define N_SCALES 5              /* scales of controller=media-scaling */

static void
define_addresses (GParamSpec ** properties)
{
  properties[GST_PSP_SINK_URI] = g_param_spec_string ("uri", "URI",
      "psp://host:port, with ?property=value&property=value for more",
      "psp://127.0.0.1:5004", GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_HOST] = g_param_spec_string ("host", "Host",
      "Name or address to send to; a change restarts the controller",
      "127.0.0.1", GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_PORT] = g_param_spec_int ("port", "Port",
      "Port to send to, up to 65535; a change restarts the controller", 0,
      G_MAXINT, 5004, GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_BIND_ADDRESS] = g_param_spec_string ("bind-address",
      "Bind address", "Local address to send from (NULL = any)", NULL,
      GST_SETTINGS_READY);
  properties[GST_PSP_SINK_BIND_PORT] =
      g_param_spec_int ("bind-port", "Bind port",
      "Local port to send from and get feedback on, up to 65535 (0 = any)", 0,
      G_MAXINT, 0, GST_SETTINGS_READY);
  /**
   * GstPspSink:rtcp-port:
   *
   * The receiver's port for RTCP, if it is not that of the media, as with
   * #rtpbin and a separate #udpsrc for RTCP. The receiver's reports still come
   * to #GstPspSink:bind-port.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_RTCP_PORT] =
      g_param_spec_int ("rtcp-port", "RTCP port",
      "Port to send RTCP to, up to 65535 (0 = port)", 0, G_MAXINT, 0,
      GST_SETTINGS_READY);
}

static void
define_socket (GParamSpec ** properties)
{
  properties[GST_PSP_SINK_TTL] =
      g_param_spec_int ("ttl", "Unicast TTL", "Time to live of unicast packets",
      1, 255, 64, GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_TTL_MC] =
      g_param_spec_int ("ttl-mc", "Multicast TTL",
      "Time to live of multicast packets", 0, 255, 1, GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_MULTICAST_IFACE] =
      g_param_spec_string ("multicast-iface", "Multicast interface",
      "Network interface for multicast (NULL = the system's choice)", NULL,
      GST_SETTINGS_READY);
  properties[GST_PSP_SINK_LOOP] =
      g_param_spec_boolean ("loop", "Multicast loopback",
      "Whether this machine receives multicast packets too", TRUE,
      GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_QOS_DSCP] =
      g_param_spec_int ("qos-dscp", "QoS DSCP",
      "Differentiated services code point (-1 = the system's)", -1, 63,
      -1, GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:ecn:
   *
   * The ECN field of RTP packets (RFC 3168), so that routers may mark packets
   * instead of dropping them. ect1 asks for L4S (RFC 9331) and needs a
   * controller that answers marks by their share, which is poise; with others
   * it means ect0. With controllers that answer no marks (none, fixed) it is
   * off. If the path or the receiver does not support ECN, packets leave
   * without it: ecn in #GstPspSink:stats shows this and the reason.
   */
  properties[GST_PSP_SINK_ECN] =
      g_param_spec_enum ("ecn", "ECN",
      "Explicit congestion notification that packets ask for",
      GST_TYPE_PSP_ECN, GST_PSP_ECN_OFF, GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_SOCKET] =
      g_param_spec_object ("socket", "Socket",
      "UDP socket to use (NULL = open one)", G_TYPE_SOCKET, GST_SETTINGS_READY);
  properties[GST_PSP_SINK_USED_SOCKET] =
      g_param_spec_object ("used-socket", "Used socket",
      "UDP socket in use (NULL = none)", G_TYPE_SOCKET, GST_SETTINGS_READ_ONLY);
  properties[GST_PSP_SINK_CLOSE_SOCKET] =
      g_param_spec_boolean ("close-socket", "Close socket",
      "Close the socket given when the element stops", TRUE,
      GST_SETTINGS_READY);
}

static void
define_control (GParamSpec ** properties)
{
  /**
   * GstPspSink:controller:
   *
   * The congestion controller: none (packets leave as they come), fixed (one
   * every #GstPspSink:spacing), psp, damped-psp, rap-psp, scp, poise or
   * media-scaling (see #GstPspSink:scale-bitrates). A name that is refused
   * while playing stays in this property and is tried again at the next start
   * or for the next destination. #GstPspSink:stats shows the controller in
   * force.
   */
  properties[GST_PSP_SINK_CONTROLLER] =
      gst_psp_controller_spec ("poise", GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:controller-params:
   *
   * The parameters of the controllers, for example
   * `controller-params="params,period=2000000"`. A field changes the parameter
   * of its name, of any controller, and leaves others unchanged; NULL resets
   * all to their defaults. If a field is unknown, no number or out of its
   * range, a warning is posted and nothing is changed.
   * #GstPspSink:spacing and #GstPspSink:scale-bitrates are other names of some
   * parameters: the last value set counts.
   */
  properties[GST_PSP_SINK_CONTROLLER_PARAMS] =
      gst_psp_parameters_spec (GST_SETTINGS_PLAYING);
  /* The default is the period of the paper's PSA. */
  properties[GST_PSP_SINK_SPACING] = g_param_spec_uint64 ("spacing", "Spacing",
      "Packet period of controller=fixed, from one start to the next (ns)", 0,
      G_MAXINT64, 1500 * GST_USECOND, GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:scale-bitrates:
   *
   * The bitrates of the source at each scale of controller=media-scaling,
   * lowest first. They are the targets of the congestion event. A source that
   * uses less than half of its scale stays there. If none are set, the targets
   * are 300, 500, 700, 900 and 1100 kb/s, and the source may choose what each
   * scale means, as mpegscaler does.
   */
  properties[GST_PSP_SINK_SCALE_BITRATES] =
      gst_param_spec_array ("scale-bitrates", "Scale bitrates",
      "Five ascending bitrates for controller=media-scaling, or none "
      "(bits/s of RTP payload)",
      g_param_spec_uint64 ("bitrate", "Bitrate", "bits/s", 1, G_MAXINT64, 1,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS), GST_SETTINGS_PLAYING);
}

static void
define_limits (GParamSpec ** properties)
{
  properties[GST_PSP_SINK_MIN_TARGET_BITRATE] =
      g_param_spec_uint64 ("min-target-bitrate", "Minimum target bitrate",
      "The target is never below, however congested the network, until "
      "feedback has ceased for ten seconds (bits/s of RTP payload)", 0,
      G_MAXUINT64, 0, GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_MAX_TARGET_BITRATE] =
      g_param_spec_uint64 ("max-target-bitrate", "Maximum target bitrate",
      "What leaves never goes above; 95 % of it is announced as the target "
      "(bits/s of RTP payload, 0 = no limit)", 0, G_MAXUINT64, 0,
      GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_START_TARGET_BITRATE] =
      g_param_spec_uint64 ("start-target-bitrate", "Start target bitrate",
      "Where the controller starts (bits/s of RTP payload, 0 = its own start)",
      0, G_MAXUINT64, 0, GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:unproved-target-bitrate:
   *
   * A source that sends little shows little of what the path carries. So the
   * target is at most three times the highest rate of a quarter of a second in
   * the last five seconds, or this, or #GstPspSink:start-target-bitrate, if
   * these are more. Set it higher if an element upstream can use more at once,
   * for example for another rendition. 0 = the target is the controller's
   * estimate.
   */
  properties[GST_PSP_SINK_UNPROVED_TARGET_BITRATE] =
      g_param_spec_uint64 ("unproved-target-bitrate", "Unproved target bitrate",
      "The target may be so high although little is sent; above, it is at most "
      "3 times the highest rate sent in 5 s (bits/s of RTP payload, 0 = no "
      "such limit)", 0, G_MAXUINT64, 600000, GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:no-feedback-bitrate:
   *
   * Some receivers send no feedback (players by SDP, as FFmpeg and VLC). For
   * them media may leave at this bitrate instead of stopping, after a warning.
   * Without feedback congestion is not detected, so the network must be known
   * to carry it. The first feedback ends this.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_NO_FEEDBACK_BITRATE] =
      g_param_spec_uint64 ("no-feedback-bitrate", "Bitrate without feedback",
      "What leaves at most while no feedback has ever come (bits/s of RTP "
      "payload, 0 = media stops)", 0, G_MAXUINT64, 0, GST_SETTINGS_PLAYING);
}

static void
define_queue (GParamSpec ** properties)
{
  properties[GST_PSP_SINK_MAX_QUEUE_TIME] =
      g_param_spec_uint64 ("max-queue-time", "Maximum queue time",
      "How much may wait, as time at the target bitrate "
      "(ns, 0 = 16384 packets)", 0, G_MAXUINT64, GST_SECOND,
      GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:max-frame-time:
   *
   * The longest time that a frame may take to leave. The congestion event's
   * `max-frame-size` is the size that leaves in 80 % of this time at the
   * target, or at the pace if that is less. encoderbitrate passes it to the
   * encoder: small key frames wait less, and look worse. It causes no drops.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_MAX_FRAME_TIME] =
      g_param_spec_uint64 ("max-frame-time", "Maximum frame time",
      "How long a frame may take to leave, for encoders that limit their frames "
      "(ns, 0 = no limit)", 0, G_MAXUINT64, 100 * GST_MSECOND,
      GST_SETTINGS_PLAYING);
  properties[GST_PSP_SINK_LEAKY] =
      g_param_spec_enum ("leaky", "Leaky",
      "What a full queue does: wait, or drop whole pictures",
      GST_TYPE_PSP_LEAKY, GST_PSP_LEAKY_NO, GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:pacing:
   *
   * auto and realtime ask for SCHED_FIFO; without it packets leave less evenly,
   * of which realtime warns. realtime also keeps all CPUs awake while packets
   * leave, if the process may write /dev/cpu_dma_latency: wake-ups come sooner,
   * at the cost of power. sleep asks for neither.
   */
  properties[GST_PSP_SINK_PACING] =
      g_param_spec_enum ("pacing", "Pacing",
      "What precision is asked of the system", GST_TYPE_PSP_PACING,
      GST_PSP_PACING_AUTO, GST_SETTINGS_READY);
}

static void
define_repair (GParamSpec ** properties)
{
  /**
   * GstPspSink:rtx-payload-type:
   *
   * Packets that the receiver requests by NACK are sent again with this payload
   * type, in a separate stream (RFC 4588) and ahead of the queue, without
   * upstream. It must not be the payload type of the media. 0 = upstream is
   * asked instead, for example rtprtxsend; its retransmissions leave ahead of
   * the queue, too, but come only when upstream can push them.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_RTX_PAYLOAD_TYPE] =
      g_param_spec_int ("rtx-payload-type", "Retransmission payload type",
      "Payload type of packets that are sent again (0 = ask upstream for them)",
      0, 127, 0, GST_SETTINGS_READY);
  /**
   * GstPspSink:repair-share:
   *
   * Repairs are paced and counted like media, so the rate stays what the
   * controller allows. This limits their share of the rate. With a share of 0
   * nothing is repaired.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_REPAIR_SHARE] =
      g_param_spec_double ("repair-share", "Repair share",
      "Of all payload, what repairs may take at most", 0.0, 0.9, 0.3,
      GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:repair-deadline:
   *
   * A packet that left longer ago is not repaired. Set it to the latency of the
   * receiver's jitter buffer. Packets are kept in memory for this time.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_REPAIR_DEADLINE] =
      g_param_spec_uint64 ("repair-deadline", "Repair deadline",
      "How long after a packet has left its repair is of use (ns)", 0,
      10 * GST_SECOND, GST_SECOND, GST_SETTINGS_PLAYING);
  /**
   * GstPspSink:fec-payload-type:
   *
   * Packets with this payload type are redundancy that an element upstream
   * makes, such as rtpulpfecenc. Their bitrate, like that of repairs, is
   * subtracted from the announced target.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_FEC_PAYLOAD_TYPE] =
      g_param_spec_int ("fec-payload-type", "FEC payload type",
      "Payload type of packets that are redundancy (0 = none)", 0, 127, 0,
      GST_SETTINGS_PLAYING);
}

static void
define_srtp (GParamSpec ** properties)
{
  gst_psp_srtp_define (&properties[GST_PSP_SINK_SRTP]);
  /**
   * GstPspSink:srtp-keep-ssrc:
   *
   * Under SRTP, SSRCs are changed by a random number that is new at each start:
   * a key never protects the same packet number twice, even if the sender is
   * restarted with it. Set this if a receiver must know an SSRC beforehand, and
   * use another key for each start.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_SRTP_KEEP_SSRC] =
      g_param_spec_boolean ("srtp-keep-ssrc", "SRTP keep SSRC",
      "SSRCs leave as they come, even though encrypted", FALSE,
      GST_SETTINGS_READY);
  /**
   * GstPspSink:srtp-soft-limit:
   *
   * After this number of packets #GstPspSink::soft-limit is emitted. Keys that
   * are derived from a passphrase then change by themselves.
   *
   * Since: 0.2
   */
  properties[GST_PSP_SINK_SRTP_SOFT_LIMIT] =
      g_param_spec_uint64 ("srtp-soft-limit", "SRTP soft limit",
      "Packets under one key, after which it is to change", 1,
      G_GUINT64_CONSTANT (1) << 47, G_GUINT64_CONSTANT (1) << 31,
      GST_SETTINGS_PLAYING);
}

static void
define_reports (GParamSpec ** properties)
{
  /**
   * GstPspSink:estimated-bitrate:
   *
   * The target of the last congestion event, with the name and the type of
   * rtpgccbwe's property; a larger target reads as the type's maximum.
   */
  properties[GST_PSP_SINK_ESTIMATED_BITRATE] =
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
      "RTP payload that fits the network now (bits/s, 0 = unknown); notifies",
      0, G_MAXUINT, 0, GST_SETTINGS_READ_ONLY);
  properties[GST_PSP_SINK_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Statistics of the session", GST_TYPE_STRUCTURE, GST_SETTINGS_READ_ONLY);
}

void
gst_psp_sink_settings_install (GObjectClass * klass,
    GParamSpec * properties[GST_PSP_SINK_N_PROPERTIES])
{
  define_addresses (properties);
  define_socket (properties);
  define_control (properties);
  define_limits (properties);
  define_queue (properties);
  define_repair (properties);
  define_srtp (properties);
  define_reports (properties);
  g_object_class_install_properties (klass, GST_PSP_SINK_N_PROPERTIES,
      properties);
}

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_PSP_SINK_##id, kind, GstPspSinkSettings, member)

static const GstSettingsField fields[] = {
  FIELD (HOST, STRING, socket.host),
  FIELD (PORT, INT, socket.port),
  FIELD (BIND_ADDRESS, STRING, socket.bind_address),
  FIELD (BIND_PORT, INT, socket.bind_port),
  FIELD (RTCP_PORT, INT, rtcp_port),
  FIELD (TTL, INT, socket.ttl),
  FIELD (TTL_MC, INT, socket.ttl_mc),
  FIELD (MULTICAST_IFACE, STRING, socket.multicast_iface),
  FIELD (LOOP, BOOLEAN, socket.loop),
  FIELD (QOS_DSCP, INT, socket.dscp),
  FIELD (ECN, ENUM, ecn),
  FIELD (SOCKET, OBJECT, socket.socket),
  FIELD (CLOSE_SOCKET, BOOLEAN, close_socket),
  FIELD (CONTROLLER, STRING, controller),
  FIELD (MIN_TARGET_BITRATE, UINT64, min_bitrate),
  FIELD (MAX_TARGET_BITRATE, UINT64, max_bitrate),
  FIELD (START_TARGET_BITRATE, UINT64, start_bitrate),
  FIELD (UNPROVED_TARGET_BITRATE, UINT64, unproved_bitrate),
  FIELD (NO_FEEDBACK_BITRATE, UINT64, no_feedback_bitrate),
  FIELD (MAX_QUEUE_TIME, UINT64, max_queue_time),
  FIELD (MAX_FRAME_TIME, UINT64, max_frame_time),
  FIELD (LEAKY, ENUM, leaky),
  FIELD (PACING, ENUM, pacing),
  FIELD (RTX_PAYLOAD_TYPE, INT, rtx_payload_type),
  FIELD (REPAIR_SHARE, DOUBLE, repair_share),
  FIELD (REPAIR_DEADLINE, UINT64, repair_deadline),
  FIELD (FEC_PAYLOAD_TYPE, INT, fec_payload_type),
  FIELD (SRTP_KEEP_SSRC, BOOLEAN, keep_ssrc),
  FIELD (SRTP_SOFT_LIMIT, UINT64, soft_limit),
  {0, 0, 0, 0}
};

void
gst_psp_sink_settings_init (GstPspSinkSettings * s, GParamSpec ** properties)
{
  memset (s, 0, sizeof *s);
  gst_settings_init (fields, s, properties);
  s->parameters = gst_psp_parameters_new ();
}

void
gst_psp_sink_settings_copy (GstPspSinkSettings * to,
    const GstPspSinkSettings * from)
{
  *to = *from;
  gst_settings_dup (fields, to);
  to->parameters = gst_structure_copy (from->parameters);
  gst_psp_srtp_config_copy (&to->srtp, &from->srtp);
}

void
gst_psp_sink_settings_clear (GstPspSinkSettings * s)
{
  gst_settings_clear (fields, s);
  g_clear_pointer (&s->parameters, gst_structure_free);
  gst_psp_srtp_config_clear (&s->srtp);
}

static void
set_parameter (GstPspSinkSettings * s, const gchar * controller,
    const gchar * name, gdouble value, GError ** error)
{
  GstStructure *one = gst_psp_parameters_new ();

  gst_structure_set (one, name, G_TYPE_DOUBLE, value, NULL);
  gst_psp_parameters_set (s->parameters, one, controller, error);
  gst_structure_free (one);
}

static const gchar *const scale_names[N_SCALES] = {
  "scale-0-bitrate", "scale-1-bitrate", "scale-2-bitrate", "scale-3-bitrate",
  "scale-4-bitrate"
};

/* Takes five bitrates in ascending order, or none. */
static void
set_scale_bitrates (GstPspSinkSettings * s, const GValue * value,
    GError ** error)
{
  guint n = gst_value_array_get_size (value);
  guint64 bitrates[N_SCALES] = { 0 };
  gboolean ok = n == 0 || n == N_SCALES;

  for (guint i = 0; ok && i < n; i++) {
    bitrates[i] = g_value_get_uint64 (gst_value_array_get_value (value, i));
    ok = bitrates[i] > (i > 0 ? bitrates[i - 1] : 0);
  }
  if (!ok)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "scale-bitrates takes %d ascending bitrates, or none. Nothing is "
        "changed.", N_SCALES);
  for (guint i = 0; ok && i < N_SCALES; i++)
    set_parameter (s, "media-scaling", scale_names[i], (gdouble) bitrates[i],
        error);
}

static void
get_scale_bitrates (const GstPspSinkSettings * s, GValue * value)
{
  GValue bitrate = G_VALUE_INIT;
  guint64 bitrates[N_SCALES];
  gboolean given = FALSE;

  for (guint i = 0; i < N_SCALES; i++) {
    bitrates[i] = (guint64) gst_psp_parameters_get (s->parameters,
        "media-scaling", scale_names[i]);
    given |= bitrates[i] > 0;
  }
  g_value_init (&bitrate, G_TYPE_UINT64);
  for (guint i = 0; given && i < N_SCALES; i++) {
    g_value_set_uint64 (&bitrate, bitrates[i]);
    gst_value_array_append_value (value, &bitrate);
  }
  g_value_unset (&bitrate);
}

gboolean
gst_psp_sink_settings_set (GstPspSinkSettings * s, guint id,
    const GValue * value, GError ** error)
{
  switch (id) {
    case GST_PSP_SINK_CONTROLLER_PARAMS:
      gst_psp_parameters_set (s->parameters, gst_value_get_structure (value),
          s->controller, error);
      return TRUE;
    case GST_PSP_SINK_SPACING:
      set_parameter (s, "fixed", "period",
          MIN ((gdouble) g_value_get_uint64 (value), MAX_SPACING), error);
      return TRUE;
    case GST_PSP_SINK_SCALE_BITRATES:
      set_scale_bitrates (s, value, error);
      return TRUE;
    default:
      return gst_psp_srtp_config_set (&s->srtp, id - GST_PSP_SINK_SRTP, value,
          error) || gst_settings_set (fields, s, id, value);
  }
}

gboolean
gst_psp_sink_settings_get (const GstPspSinkSettings * s, guint id,
    GValue * value)
{
  switch (id) {
    case GST_PSP_SINK_CONTROLLER_PARAMS:
      gst_value_set_structure (value, s->parameters);
      return TRUE;
    case GST_PSP_SINK_SPACING:
      g_value_set_uint64 (value,
          (guint64) gst_psp_parameters_get (s->parameters, "fixed", "period"));
      return TRUE;
    case GST_PSP_SINK_SCALE_BITRATES:
      get_scale_bitrates (s, value);
      return TRUE;
    case GST_PSP_SINK_SRTP + GST_PSP_SRTP_SUITE:
      g_value_set_enum (value, s->srtp.suite);
      return TRUE;
    default:
      return gst_settings_get (fields, s, id, value);
  }
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
  limits->unproved_bitrate = to_int64 (s->unproved_bitrate);
}

gboolean
gst_psp_sink_settings_check_limits (const GstPspSinkSettings * s,
    gboolean starts, GError ** error)
{
  guint64 most = s->max_bitrate ? s->max_bitrate : G_MAXUINT64;

  if (s->min_bitrate <= most && (!starts || s->start_bitrate == 0 ||
          (s->start_bitrate >= s->min_bitrate && s->start_bitrate <= most)))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "min-target-bitrate=%" G_GUINT64_FORMAT ", start-target-bitrate=%"
      G_GUINT64_FORMAT " and max-target-bitrate=%" G_GUINT64_FORMAT
      " contradict each other: the target keeps to the maximum first, then to "
      "the minimum. Set them in ascending order.", s->min_bitrate,
      s->start_bitrate, s->max_bitrate);
  return FALSE;
}

gboolean
gst_psp_sink_settings_check_ports (const GstPspSinkSettings * s,
    GError ** error)
{
  return gst_psp_uri_check_port (s->socket.port, error) &&
      gst_psp_uri_check_port (s->socket.bind_port, error) &&
      gst_psp_uri_check_port (s->rtcp_port, error);
}

gboolean
gst_psp_sink_settings_check_rtx (const GstPspSinkSettings * s, GError ** error)
{
  if (!psp_rtp_payload_type_conflicts ((unsigned) s->rtx_payload_type))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "rtx-payload-type=%d cannot be sent: 64 to 95 are taken by RTCP on the "
      "same port (RFC 5761). Set it to another, such as 97.",
      s->rtx_payload_type);
  return FALSE;
}

const PspControllerClass *
gst_psp_sink_settings_controller (const GstPspSinkSettings * s,
    const PspAddress * destination, GError ** error)
{
  const gchar *name = s->controller;
  const PspControllerClass *klass = gst_psp_controller_find (name, error);

  if (klass && klass->needs_feedback && psp_address_is_multicast (destination)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Controller \"%s\" needs feedback, which the receivers of a multicast "
        "group do not send; set controller=fixed and spacing=NANOSECONDS, or "
        "controller=none.", name);
    return NULL;
  }
  return klass;
}
