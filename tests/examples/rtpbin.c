/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * rtpbin with rtpbandwidth as its auxiliary sender, and a receiving rtpbin with
 * rtpccfb. Both are here, so that it runs by itself: it ends when the sender
 * knows the round trip.
 *
 * Build it outside this tree with
 *   cc rtpbin.c $(pkg-config --cflags --libs gstreamer-congestion-1.0)
 */
#include <gst/gst.h>
#include <gst/congestion/congestion.h>

#define SENDER "rtpbin name=bin rtp-profile=avpf " \
    "videotestsrc is-live=true " \
    "! video/x-raw,format=I420,width=640,height=360 " \
    "! x264enc tune=zerolatency speed-preset=ultrafast ! encoderbitrate " \
    "! rtph264pay name=pay mtu=1200 " \
    "udpsink name=rtp host=127.0.0.1 port=5064 sync=false async=false " \
    "udpsink name=rtcp host=127.0.0.1 port=5065 sync=false async=false " \
    "udpsrc port=5067 ! bin.recv_rtcp_sink_0"
#define RECEIVER "rtpbin name=bin rtp-profile=avpf funnel name=rtcp " \
    "! udpsink host=127.0.0.1 port=5067 sync=false async=false " \
    "udpsrc port=5064 caps=\"application/x-rtp,media=video," \
    "clock-rate=90000,encoding-name=H264\" " \
    "! rtpccfb name=ccfb ! bin.recv_rtp_sink_0 " \
    "ccfb.rtcp_src ! rtcp.sink_0 bin.send_rtcp_src_0 ! rtcp.sink_1 " \
    "udpsrc port=5065 ! bin.recv_rtcp_sink_0 " \
    "bin. ! rtph264depay ! fakesink sync=false"
#define LONGEST 20              /* s to wait for a round trip */

static void
add_pad (GstElement * bin, GstElement * element, const gchar * pad_name,
    guint session)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  gchar *name = g_strdup_printf ("%s_%u", pad_name, session);

  gst_element_add_pad (bin, gst_ghost_pad_new (name, pad));
  g_free (name);
  gst_object_unref (pad);
}

/* rtpbin wants a bin whose pads have the session's number. With
 * retransmission, rtprtxsend stands in it before rtpbandwidth. */
static GstElement *
on_request_aux_sender (GstElement * rtpbin G_GNUC_UNUSED, guint session,
    gpointer data G_GNUC_UNUSED)
{
  GstElement *bandwidth = gst_element_factory_make ("rtpbandwidth", NULL);
  GstElement *bin;

  if (!bandwidth)
    return NULL;
  bin = gst_bin_new (NULL);
  gst_bin_add (GST_BIN (bin), bandwidth);
  add_pad (bin, bandwidth, "sink", session);
  add_pad (bin, bandwidth, "src", session);
  return bin;
}

static gboolean
link_named (GstElement * pipeline, const gchar * from, const gchar * from_pad,
    const gchar * to, const gchar * to_pad)
{
  GstElement *one = gst_bin_get_by_name (GST_BIN (pipeline), from);
  GstElement *other = gst_bin_get_by_name (GST_BIN (pipeline), to);
  gboolean linked = gst_element_link_pads (one, from_pad, other, to_pad);

  gst_object_unref (one);
  gst_object_unref (other);
  return linked;
}

/* rtpbin asks for the auxiliary sender when its sink pad is requested: connect
 * to the signal before anything is linked to it. */
static GstElement *
make_sender (void)
{
  GstElement *sender = gst_parse_launch (SENDER, NULL);
  GstElement *rtpbin;

  if (!sender)
    return NULL;
  rtpbin = gst_bin_get_by_name (GST_BIN (sender), "bin");
  g_signal_connect (rtpbin, "request-aux-sender",
      G_CALLBACK (on_request_aux_sender), NULL);
  gst_object_unref (rtpbin);
  if (!link_named (sender, "pay", "src", "bin", "send_rtp_sink_0") ||
      !link_named (sender, "bin", "send_rtp_src_0", "rtp", "sink") ||
      !link_named (sender, "bin", "send_rtcp_src_0", "rtcp", "sink"))
    g_clear_pointer (&sender, gst_object_unref);
  return sender;
}

static gboolean
knows_round_trip (GstMessage * message)
{
  GstCongestionInfo *info;
  GstClockTime rtt;
  guint64 bitrate;
  gboolean known;

  if (!gst_congestion_message_parse (message, &info))
    return FALSE;
  rtt = gst_congestion_info_get_rtt (info);
  known = GST_CLOCK_TIME_IS_VALID (rtt) &&
      gst_congestion_info_get_target_bitrate (info, &bitrate);
  if (known)
    g_print ("%" G_GUINT64_FORMAT " bit/s fit, round trip %" GST_TIME_FORMAT
        "\n", bitrate, GST_TIME_ARGS (rtt));
  gst_congestion_info_free (info);
  return known;
}

static gboolean
wait_for_round_trip (GstElement * sender)
{
  GstBus *bus = gst_element_get_bus (sender);
  gint64 end = g_get_monotonic_time () + LONGEST * G_TIME_SPAN_SECOND;
  gboolean known = FALSE, failed = FALSE;

  while (!known && !failed && g_get_monotonic_time () < end) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_SECOND,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);

    if (!message)
      continue;
    failed = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    known = !failed && knows_round_trip (message);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return known;
}

int
main (int argc, char *argv[])
{
  GstElement *sender, *receiver;
  gboolean known;

  gst_init (&argc, &argv);
  receiver = gst_parse_launch (RECEIVER, NULL);
  sender = make_sender ();
  if (!receiver || !sender) {
    g_printerr ("an element is not installed\n");
    return 1;
  }
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  known = wait_for_round_trip (sender);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (sender);
  gst_object_unref (receiver);
  return known ? 0 : 1;
}
