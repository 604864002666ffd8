/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrcsettings.h"

static void
define_address (GParamSpec ** properties)
{
  /**
   * GstPspSrc:uri:
   *
   * `psp://address:port?property=value&…`. Properties of #pspsink are ignored,
   * so that both ends may use the same URI.
   */
  properties[GST_PSP_SRC_URI] = g_param_spec_string ("uri", "URI",
      "psp://address:port?property=value&...", GST_PSP_SRC_DEFAULT_URI,
      GST_SETTINGS_READY);
  properties[GST_PSP_SRC_ADDRESS] =
      g_param_spec_string ("address", "Address",
      "Address of this host, or multicast group, to receive at; 0.0.0.0 is "
      "all of IPv4, :: all of IPv6 and IPv4", "0.0.0.0", GST_SETTINGS_READY);
  /**
   * GstPspSrc:port:
   *
   * 0 lets the system choose. While the socket is open, this is its port.
   */
  properties[GST_PSP_SRC_PORT] = g_param_spec_int ("port", "Port",
      "Port to receive at, up to 65535, 0 = any; while open, the one in use", 0,
      G_MAXINT, 5004, GST_SETTINGS_READY);
  properties[GST_PSP_SRC_MULTICAST_GROUP] =
      g_param_spec_string ("multicast-group", "Multicast group",
      "Group to receive instead of address", NULL, GST_SETTINGS_READY);
  properties[GST_PSP_SRC_MULTICAST_IFACE] =
      g_param_spec_string ("multicast-iface", "Multicast interface",
      "Interfaces to join the group on, separated by "
      "commas (NULL = the system's choice)", NULL, GST_SETTINGS_READY);
  properties[GST_PSP_SRC_AUTO_MULTICAST] =
      g_param_spec_boolean ("auto-multicast", "Auto multicast",
      "Join and leave the group; if not, the application "
      "does so on the socket it sets", TRUE, GST_SETTINGS_READY);
  properties[GST_PSP_SRC_REUSE] =
      g_param_spec_boolean ("reuse", "Reuse",
      "Share the port of a multicast group with other receivers; a unicast "
      "port is never shared", TRUE, GST_SETTINGS_READY);
  properties[GST_PSP_SRC_BUFFER_SIZE] =
      g_param_spec_int ("buffer-size", "Buffer size",
      "Bytes of the kernel's receive buffer, 0 = default", 0, G_MAXINT,
      0, GST_SETTINGS_READY);
  properties[GST_PSP_SRC_SOCKET] =
      g_param_spec_object ("socket", "Socket",
      "Socket to use instead of opening one (NULL = open one)", G_TYPE_SOCKET,
      GST_SETTINGS_READY);
  properties[GST_PSP_SRC_USED_SOCKET] =
      g_param_spec_object ("used-socket", "Used socket",
      "Socket in use (NULL = none)", G_TYPE_SOCKET, GST_SETTINGS_READ_ONLY);
  properties[GST_PSP_SRC_CLOSE_SOCKET] =
      g_param_spec_boolean ("close-socket", "Close socket",
      "Close a socket that was set when it is no longer used", TRUE,
      GST_SETTINGS_READY);
}

static void
define_stream (GParamSpec ** properties)
{
  /**
   * GstPspSrc:caps:
   *
   * The received format, from the sender's SDP or payloader. Without it, an
   * element downstream may require a format (a depayloader or a capsfilter with
   * a clock-rate).
   */
  properties[GST_PSP_SRC_CAPS] = g_param_spec_boxed ("caps", "Caps",
      "What is received, of type application/x-rtp", GST_TYPE_CAPS,
      GST_SETTINGS_PLAYING);
  properties[GST_PSP_SRC_TIMEOUT] = g_param_spec_uint64 ("timeout", "Timeout",
      "Post a message when no RTP comes for so long, ns (0 = never)", 0,
      G_MAXUINT64, GST_PSP_SRC_DEFAULT_TIMEOUT, GST_SETTINGS_PLAYING);
  /**
   * GstPspSrc:feedback-interval:
   *
   * Losses and every eighth packet are reported at once. 0 sends no RTCP at
   * all; then no congestion controller can work.
   */
  properties[GST_PSP_SRC_FEEDBACK_INTERVAL] =
      g_param_spec_uint64 ("feedback-interval", "Feedback interval",
      "Longest that a packet goes unreported, ns (0 = send no RTCP)", 0,
      GST_SECOND, GST_PSP_SRC_DEFAULT_FEEDBACK_INTERVAL, GST_SETTINGS_PLAYING);
  /**
   * GstPspSrc:feedback:
   *
   * With "twcc" the caps must have the RTP header extension for transport-wide
   * numbers (`extmap-N`).
   */
  properties[GST_PSP_SRC_FEEDBACK] = g_param_spec_enum ("feedback", "Feedback",
      "How packets are reported to the sender", GST_TYPE_PSP_SRC_FEEDBACK,
      GST_PSP_SRC_DEFAULT_FEEDBACK, GST_SETTINGS_READY);
  /**
   * GstPspSrc:eos-on-bye:
   *
   * Sends EOS when all streams of the peer have ended by RTCP BYE. It is off by
   * default, so that a receiver continues after its sender's restart. BYE
   * counts only from the peer's host and for a stream that came from there;
   * from another port than the media's, only after the stream has been silent
   * for 500 ms.
   */
  properties[GST_PSP_SRC_EOS_ON_BYE] = g_param_spec_boolean ("eos-on-bye",
      "EOS on BYE", "Send EOS when all streams of the sender said BYE",
      GST_PSP_SRC_DEFAULT_EOS_ON_BYE, GST_SETTINGS_PLAYING);
  properties[GST_PSP_SRC_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Statistics, see the element's documentation", GST_TYPE_STRUCTURE,
      GST_SETTINGS_READ_ONLY);
}

void
gst_psp_src_settings_install (GObjectClass * klass, GParamSpec ** properties)
{
  define_address (properties);
  define_stream (properties);
  gst_psp_srtp_define (&properties[GST_PSP_SRC_SRTP]);
  g_object_class_install_properties (klass, GST_PSP_SRC_N_PROPERTIES,
      properties);
}

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_PSP_SRC_##id, kind, GstPspListenerConfig, member)

const GstSettingsField gst_psp_src_fields[] = {
  FIELD (ADDRESS, STRING, address),
  FIELD (PORT, INT, port),
  FIELD (MULTICAST_GROUP, STRING, multicast_group),
  FIELD (MULTICAST_IFACE, STRING, multicast_iface),
  FIELD (AUTO_MULTICAST, BOOLEAN, auto_multicast),
  FIELD (REUSE, BOOLEAN, reuse),
  FIELD (BUFFER_SIZE, INT, buffer_size),
  FIELD (SOCKET, OBJECT, socket),
  FIELD (CLOSE_SOCKET, BOOLEAN, close_socket),
  {0, 0, 0, 0}
};
