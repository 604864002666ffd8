/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * An RTSP server of which each client gets what its network carries. It serves
 * a test picture at rtsp://ADDRESS:PORT/live, and prints the rates:
 *   example-rtspserver [PORT [ADDRESS]]
 *
 * Build it outside this tree with
 *   cc rtspserver.c $(pkg-config --cflags --libs gstreamer-rtsp-server-1.0 \
 *     gstreamer-rtp-1.0)
 */
#include <gst/rtp/rtp.h>
#include <gst/rtsp-server/rtsp-server.h>

#define LAUNCH "( videotestsrc is-live=true " \
    "! video/x-raw,format=I420,width=640,height=360,framerate=30/1 " \
    "! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=60 " \
    "! encoderbitrate ! rtph264pay name=pay0 mtu=1200 )"
#define TWCC "http://www.ietf.org/id/" \
    "draft-holmer-rmcat-transport-wide-cc-extensions-01"

static void
on_estimate (GObject * bandwidth, GParamSpec * pspec G_GNUC_UNUSED,
    gpointer data G_GNUC_UNUSED)
{
  guint bitrate;

  g_object_get (bandwidth, "estimated-bitrate", &bitrate, NULL);
  g_print ("%s: %u bit/s fit\n", GST_OBJECT_NAME (bandwidth), bitrate);
}

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

/* rtpbin wants a bin whose pads have the session's number. */
static GstElement *
on_request_aux_sender (GstElement * rtpbin G_GNUC_UNUSED, guint session,
    gpointer data G_GNUC_UNUSED)
{
  GstElement *bandwidth = gst_element_factory_make ("rtpbandwidth", NULL);
  GstElement *bin;

  if (!bandwidth)
    return NULL;
  g_signal_connect (bandwidth, "notify::estimated-bitrate",
      G_CALLBACK (on_estimate), NULL);
  bin = gst_bin_new (NULL);
  gst_bin_add (GST_BIN (bin), bandwidth);
  add_pad (bin, bandwidth, "sink", session);
  add_pad (bin, bandwidth, "src", session);
  return bin;
}

/* A sink that waits for the clock would look like a queue. */
static void
on_element (GstBin * pipeline G_GNUC_UNUSED, GstBin * bin G_GNUC_UNUSED,
    GstElement * element, gpointer data G_GNUC_UNUSED)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = factory ? GST_OBJECT_NAME (factory) : "";

  if (g_str_equal (name, "rtpbin"))
    g_signal_connect (element, "request-aux-sender",
        G_CALLBACK (on_request_aux_sender), NULL);
  else if (g_str_equal (name, "multiudpsink"))
    g_object_set (element, "sync", FALSE, NULL);
}

/* Has the payloader number the packets. rtpbin comes later, into the pipeline
 * that the media is in. */
static void
on_media_configure (GstRTSPMediaFactory * factory G_GNUC_UNUSED,
    GstRTSPMedia * media, gpointer data G_GNUC_UNUSED)
{
  GstElement *element = gst_rtsp_media_get_element (media);
  GstElement *payloader = gst_bin_get_by_name (GST_BIN (element), "pay0");
  GstObject *pipeline = gst_object_get_parent (GST_OBJECT (element));
  GstRTPHeaderExtension *numbers =
      gst_rtp_header_extension_create_from_uri (TWCC);

  if (numbers) {
    gst_rtp_header_extension_set_id (numbers, 3);
    g_signal_emit_by_name (payloader, "add-extension", numbers);
    gst_object_unref (numbers);
  } else {
    g_printerr ("rtphdrexttwcc is not installed: nothing adapts\n");
  }
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (on_element),
      NULL);
  gst_object_unref (pipeline);
  gst_object_unref (payloader);
  gst_object_unref (element);
}

/* Ends the media of clients that went without a word. */
static gboolean
on_clean_up (gpointer server)
{
  GstRTSPSessionPool *pool = gst_rtsp_server_get_session_pool (server);

  gst_rtsp_session_pool_cleanup (pool);
  g_object_unref (pool);
  return G_SOURCE_CONTINUE;
}

/* A client would only hear that the service is not available. */
static gboolean
all_installed (void)
{
  static const gchar *const names[] =
      { "x264enc", "encoderbitrate", "rtpbandwidth" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElementFactory *factory = gst_element_factory_find (names[i]);

    if (!factory) {
      g_printerr ("%s is not installed\n", names[i]);
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

int
main (int argc, char *argv[])
{
  const gchar *port, *address;
  GstRTSPServer *server;
  GstRTSPMediaFactory *factory;
  GstRTSPMountPoints *mounts;

  gst_init (&argc, &argv);
  if (!all_installed ())
    return 1;
  port = argc > 1 ? argv[1] : "8554";
  address = argc > 2 ? argv[2] : "127.0.0.1";
  server = gst_rtsp_server_new ();
  gst_rtsp_server_set_service (server, port);
  gst_rtsp_server_set_address (server, address);
  factory = gst_rtsp_media_factory_new ();
  gst_rtsp_media_factory_set_launch (factory, LAUNCH);
  gst_rtsp_media_factory_set_shared (factory, FALSE);
  g_signal_connect (factory, "media-configure",
      G_CALLBACK (on_media_configure), NULL);
  mounts = gst_rtsp_server_get_mount_points (server);
  gst_rtsp_mount_points_add_factory (mounts, "/live", factory);
  g_object_unref (mounts);
  if (gst_rtsp_server_attach (server, NULL) == 0) {
    g_printerr ("cannot listen at %s, port %s\n", address, port);
    return 1;
  }
  g_timeout_add_seconds (2, on_clean_up, server);
  g_print ("rtsp://%s:%d/live\n", address,
      gst_rtsp_server_get_bound_port (server));
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
  return 0;
}
