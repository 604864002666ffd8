/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Embedding: both ends in one application. It hears of congestion in three
 * ways (an event in the pipeline, a message on the bus, a property that
 * notifies), changes the controller while playing, and reads `stats`.
 *
 * Build it outside this tree with
 *   cc sender.c $(pkg-config --cflags --libs gstreamer-congestion-1.0)
 */
#include <gst/gst.h>
#include <gst/congestion/congestion.h>

#define SENDER "videotestsrc is-live=true num-buffers=150 pattern=ball " \
    "! video/x-raw,format=I420,width=640,height=360,framerate=30/1 " \
    "! x264enc tune=zerolatency speed-preset=ultrafast " \
    "! encoderbitrate max-bitrate=4000000 " \
    "! rtph264pay name=pay config-interval=-1 mtu=1200 " \
    "! pspsink name=sink host=127.0.0.1 start-target-bitrate=500000"
#define RECEIVER "pspsrc name=source address=127.0.0.1 port=0 caps=" \
    "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264 " \
    "! rtpjitterbuffer ! rtph264depay ! fakesink name=out sync=false"

typedef struct
{
  GMainLoop *loop;
  GstElement *sender;
  gint events, notifies;        /* from the sink's thread: atomic */
  guint messages;
} App;

/* In the pipeline, upstream of the sink: here an own encoder or scaler would
 * follow the target. The event passes on. */
static GstPadProbeReturn
on_event (GstPad * pad G_GNUC_UNUSED, GstPadProbeInfo * info, gpointer data)
{
  App *app = data;
  GstCongestionInfo *congestion;
  guint64 target;

  if (!gst_congestion_event_parse (GST_PAD_PROBE_INFO_EVENT (info),
          &congestion))
    return GST_PAD_PROBE_OK;
  if (gst_congestion_info_get_target_bitrate (congestion, &target))
    g_atomic_int_inc (&app->events);
  gst_congestion_info_free (congestion);
  return GST_PAD_PROBE_OK;
}

/* On the sink's own thread: keep it short. */
static void
on_bitrate (GObject * sink G_GNUC_UNUSED, GParamSpec * spec G_GNUC_UNUSED,
    gpointer data)
{
  g_atomic_int_inc (&((App *) data)->notifies);
}

static void
print_message (GstMessage * message)
{
  GstCongestionInfo *congestion;
  guint64 target;

  if (!gst_congestion_message_parse (message, &congestion))
    return;
  if (gst_congestion_info_get_target_bitrate (congestion, &target))
    g_print ("target %6.0f kb/s (%s, by %s)\n", target / 1000.,
        g_enum_get_value (g_type_class_peek (GST_TYPE_CONGESTION_REASON),
            gst_congestion_info_get_reason (congestion))->value_nick,
        gst_congestion_info_get_controller (congestion));
  gst_congestion_info_free (congestion);
}

static gboolean
on_message (GstBus * bus G_GNUC_UNUSED, GstMessage * message, gpointer data)
{
  App *app = data;

  if (gst_is_congestion_message (message)) {
    app->messages++;
    print_message (message);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    g_main_loop_quit (app->loop);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    g_main_loop_quit (app->loop);
  return G_SOURCE_CONTINUE;
}

/* The network changed, or another policy is wanted: no need to stop. */
static gboolean
change_controller (gpointer data)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (((App *) data)->sender),
      "sink");

  g_print ("controller=damped-psp\n");
  g_object_set (sink, "controller", "damped-psp", "max-target-bitrate",
      G_GUINT64_CONSTANT (3000000), NULL);
  gst_object_unref (sink);
  return G_SOURCE_REMOVE;
}

static GstElement *
launch (const gchar * description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);

  if (error) {
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    g_clear_pointer (&pipeline, gst_object_unref);
  }
  return pipeline;
}

static guint64
print_stats (GstElement * sink)
{
  GstStructure *stats;
  guint64 feedback = 0;
  gchar *text;

  g_object_get (sink, "stats", &stats, NULL);
  text = gst_structure_to_string (stats);
  g_print ("%s\n", text);
  g_free (text);
  gst_structure_get_uint64 (stats, "feedback-received", &feedback);
  gst_structure_free (stats);
  return feedback;
}

int
main (int argc, char *argv[])
{
  App app = { NULL, NULL, 0, 0, 0 };
  GstElement *receiver, *source, *sink, *pay;
  GstPad *pad;
  GstBus *bus;
  guint64 feedback;
  gint port;

  gst_init (&argc, &argv);
  g_type_class_ref (GST_TYPE_CONGESTION_REASON);
  receiver = launch (RECEIVER);
  app.sender = launch (SENDER);
  if (!receiver || !app.sender)
    return 1;
  app.loop = g_main_loop_new (NULL, FALSE);

  /* Port 0 let the system choose; the element says which. */
  if (gst_element_set_state (receiver, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE)
    return 1;
  source = gst_bin_get_by_name (GST_BIN (receiver), "source");
  g_object_get (source, "port", &port, NULL);
  gst_object_unref (source);

  sink = gst_bin_get_by_name (GST_BIN (app.sender), "sink");
  g_object_set (sink, "port", port, NULL);
  g_signal_connect (sink, "notify::estimated-bitrate",
      G_CALLBACK (on_bitrate), &app);
  pay = gst_bin_get_by_name (GST_BIN (app.sender), "pay");
  pad = gst_element_get_static_pad (pay, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_event, &app,
      NULL);
  gst_object_unref (pad);
  gst_object_unref (pay);
  bus = gst_element_get_bus (app.sender);
  gst_bus_add_watch (bus, on_message, &app);
  g_timeout_add_seconds (3, change_controller, &app);

  gst_element_set_state (app.sender, GST_STATE_PLAYING);
  g_main_loop_run (app.loop);
  feedback = print_stats (sink);
  g_print ("%d events, %u messages, %d notifications\n",
      g_atomic_int_get (&app.events), app.messages,
      g_atomic_int_get (&app.notifies));

  gst_object_unref (sink);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_element_set_state (app.sender, GST_STATE_NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (app.sender);
  gst_object_unref (receiver);
  g_main_loop_unref (app.loop);
  return app.events > 0 && app.messages > 0 && app.notifies > 0 &&
      feedback > 0 ? 0 : 1;
}
