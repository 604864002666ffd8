/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A camera's sender, and its receiver in a window. Where there is no camera a
 * test picture is sent.
 *
 *   example-camera send HOST [PORT]
 *   example-camera receive [PORT]
 *
 * Build it outside this tree with
 *   cc camera.c $(pkg-config --cflags --libs gstreamer-congestion-1.0)
 */
#include <gst/gst.h>
#include <gst/congestion/congestion.h>

#include <glib-unix.h>
#include <stdlib.h>

#define SENDER "decodebin name=input ! videoconvert ! videoscale ! videorate " \
    "! video/x-raw,format=I420,width=640,framerate=30/1," \
    "pixel-aspect-ratio=1/1 ! x264enc tune=zerolatency key-int-max=60 " \
    "speed-preset=veryfast ! encoderbitrate max-bitrate=4000000 " \
    "! rtph264pay config-interval=-1 mtu=1200 ! pspsink name=network"
#define RECEIVER "pspsrc name=network caps=\"application/x-rtp,media=video," \
    "clock-rate=90000,encoding-name=H264\" ! rtpjitterbuffer latency=200 " \
    "! rtph264depay ! decodebin ! videoconvert ! videoscale ! autovideosink"

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline;
  int status;
} App;

/* The first camera that the system names. */
static GstElement *
make_source (void)
{
  GstDeviceMonitor *monitor = gst_device_monitor_new ();
  GstElement *source = NULL;
  GList *cameras;

  gst_device_monitor_add_filter (monitor, "Video/Source", NULL);
  gst_device_monitor_start (monitor);
  cameras = gst_device_monitor_get_devices (monitor);
  gst_device_monitor_stop (monitor);
  if (cameras)
    source = gst_device_create_element (cameras->data, NULL);
  g_list_free_full (cameras, gst_object_unref);
  gst_object_unref (monitor);
  if (!source) {
    g_print ("There is no camera; a test picture is sent.\n");
    source = gst_element_factory_make ("videotestsrc", NULL);
    g_object_set (source, "is-live", TRUE, NULL);
  }
  return source;
}

static void
print_target (GstCongestionInfo * info)
{
  guint64 bitrate;

  if (gst_congestion_info_get_target_bitrate (info, &bitrate))
    g_print ("%.2f Mb/s fit\n", bitrate / 1e6);
  gst_congestion_info_free (info);
}

static gboolean
on_message (GstBus * bus G_GNUC_UNUSED, GstMessage * message, gpointer data)
{
  App *app = data;
  GstCongestionInfo *info;
  GError *error = NULL;

  if (gst_congestion_message_parse (message, &info)) {
    print_target (info);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    app->status = 1;
    g_clear_error (&error);
    g_main_loop_quit (app->loop);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_interrupt (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
make_pipeline (App * app, const char *host, int port)
{
  GError *error = NULL;

  app->pipeline = gst_parse_launch (host ? SENDER : RECEIVER, &error);
  if (error) {
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    return FALSE;
  }
  gst_child_proxy_set (GST_CHILD_PROXY (app->pipeline), "network::port", port,
      NULL);
  if (host) {
    GstElement *input = gst_bin_get_by_name (GST_BIN (app->pipeline), "input");
    GstElement *source = make_source ();

    gst_child_proxy_set (GST_CHILD_PROXY (app->pipeline), "network::host",
        host, NULL);
    gst_bin_add (GST_BIN (app->pipeline), source);
    gst_element_link (source, input);
    gst_object_unref (input);
  }
  return TRUE;
}

int
main (int argc, char *argv[])
{
  App app = { 0 };
  gboolean sends;
  GstBus *bus;

  gst_init (&argc, &argv);
  sends = argc > 2 && g_str_equal (argv[1], "send");
  if (!sends && (argc < 2 || !g_str_equal (argv[1], "receive"))) {
    g_printerr ("usage: %s send HOST [PORT] | receive [PORT]\n", argv[0]);
    return 2;
  }
  if (!make_pipeline (&app, sends ? argv[2] : NULL,
          argc > 2 + sends ? atoi (argv[2 + sends]) : 5004))
    return 1;
  app.loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (app.pipeline);
  gst_bus_add_watch (bus, on_message, &app);
  g_unix_signal_add (SIGINT, on_interrupt, app.loop);
  gst_element_set_state (app.pipeline, GST_STATE_PLAYING);
  g_main_loop_run (app.loop);

  gst_element_set_state (app.pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_object_unref (app.pipeline);
  g_main_loop_unref (app.loop);
  return app.status;
}
