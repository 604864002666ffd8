/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * MM_APP of Chung and Claypool, "Better-Behaved, Better-Performing Multimedia
 * Networking": frames of constant size, at the rate of the scale that
 * controller=media-scaling tells. Here the application is the source, and hears
 * of the scale on the bus; both ends are in one process.
 *
 *   example-mmapp [SECONDS [HOST PORT]]
 *
 * With a host and a port it sends there, to
 *   gst-launch-1.0 pspsrc port=PORT \
 *     caps="application/x-rtp,media=application,clock-rate=90000,encoding-name=X"
 *     ! fakesink
 */
#include <stdlib.h>
#include <gst/gst.h>
#include <gst/congestion/congestion.h>

#define FRAME 1000              /* bytes of payload, a packet each */
#define HEADER 12
#define CAPS "application/x-rtp,media=application,clock-rate=90000," \
    "encoding-name=X,payload=96"

/* Table 1, bits/s: what the sink is told, and what is sent. */
static const guint64 bitrates[] = { 300000, 500000, 700000, 900000, 1100000 };

typedef struct
{
  GMainLoop *loop;
  GstElement *source;
  GSource *frames;
  gint64 next;                  /* frame, µs of g_get_monotonic_time() */
  gint scale, highest;
  gboolean own_ends;
  guint16 seq;
  guint n_frames, n_changes;
} App;

static GstBuffer *
make_frame (App * app)
{
  guint8 *data = g_malloc0 (HEADER + FRAME);
  guint16 seq = app->seq++;

  data[0] = 0x80;
  data[1] = 0x80 | 96;          /* each is a frame of its own */
  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 4, (guint32) (g_get_monotonic_time () * 9 / 100));
  GST_WRITE_UINT32_BE (data + 8, 0x4d4d4150);
  return gst_buffer_new_wrapped (data, HEADER + FRAME);
}

static gint64
frame_interval (const App * app)
{
  return (gint64) (G_GUINT64_CONSTANT (8) * FRAME * G_USEC_PER_SEC /
      bitrates[app->scale]);
}

/* A frame leaves, and the source sleeps until the next one is due. */
static gboolean
frames_dispatch (GSource * source, GSourceFunc callback G_GNUC_UNUSED,
    gpointer data)
{
  App *app = data;
  gint64 now = g_get_monotonic_time ();
  GstBuffer *frame;
  GstFlowReturn ret;

  frame = make_frame (app);
  g_signal_emit_by_name (app->source, "push-buffer", frame, &ret);
  gst_buffer_unref (frame);
  app->n_frames++;
  /* What was missed is not made up for in a burst. */
  app->next = MAX (app->next + frame_interval (app), now);
  g_source_set_ready_time (source, app->next);
  return ret == GST_FLOW_OK;
}

static GSourceFuncs frames_funcs = {
  .dispatch = frames_dispatch
};

/* From the next frame on it sends at the new rate. */
static void
follow (App * app, GstMessage * message)
{
  GstCongestionInfo *info;
  gint scale;

  if (!gst_congestion_message_parse (message, &info))
    return;
  scale = gst_congestion_info_get_scale (info);
  if (scale >= 0 && scale != app->scale) {
    app->scale = scale;
    app->highest = MAX (app->highest, scale);
    app->n_changes++;
    g_print ("%6.3f s: scale %d, %" G_GUINT64_FORMAT " kb/s (%s)\n",
        (gdouble) g_get_monotonic_time () / G_USEC_PER_SEC, scale,
        bitrates[scale] / 1000,
        g_enum_get_value (g_type_class_peek (GST_TYPE_CONGESTION_REASON),
            gst_congestion_info_get_reason (info))->value_nick);
  }
  gst_congestion_info_free (info);
}

static gboolean
on_message (GstBus * bus G_GNUC_UNUSED, GstMessage * message, gpointer data)
{
  App *app = data;
  GError *error = NULL;

  if (gst_is_congestion_message (message)) {
    follow (app, message);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    g_main_loop_quit (app->loop);
  }
  return G_SOURCE_CONTINUE;
}

/* Between own ends nothing is lost, so that it climbs; a busy machine may take
 * longer to. */
static gboolean
end (gpointer data)
{
  App *app = data;

  if (app->own_ends && (app->highest == 0 || app->n_frames <= 10))
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (app->loop);
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

/* NULL where it does not start; *port is where it listens. */
static GstElement *
start_receiver (gint * port)
{
  GstElement *receiver = launch ("pspsrc name=source address=127.0.0.1 port=0 "
      "caps=" CAPS " ! fakesink sync=false");
  GstElement *source;

  if (!receiver || gst_element_set_state (receiver, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE)
    return NULL;
  source = gst_bin_get_by_name (GST_BIN (receiver), "source");
  g_object_get (source, "port", port, NULL);
  gst_object_unref (source);
  return receiver;
}

static GstElement *
make_sender (const gchar * host, gint port)
{
  GString *table = g_string_new (NULL);
  gchar *description;
  GstElement *sender;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (bitrates); i++)
    g_string_append_printf (table, "%s%" G_GUINT64_FORMAT, i ? "," : "",
        bitrates[i]);
  description = g_strdup_printf ("appsrc name=source is-live=true "
      "format=time do-timestamp=true caps=" CAPS " ! pspsink sync=false "
      "host=%s port=%d controller=media-scaling scale-bitrates=<%s>", host,
      port, table->str);
  sender = launch (description);
  g_free (description);
  g_string_free (table, TRUE);
  return sender;
}

int
main (int argc, char *argv[])
{
  App app = { 0 };
  GstElement *receiver = NULL, *sender;
  const gchar *host = "127.0.0.1";
  gint port, seconds;
  GstBus *bus;

  gst_init (&argc, &argv);
  g_type_class_ref (GST_TYPE_CONGESTION_REASON);
  seconds = argc > 1 ? atoi (argv[1]) : 3;
  if (argc > 3) {
    host = argv[2];
    port = atoi (argv[3]);
  } else if (!(receiver = start_receiver (&port))) {
    return 1;
  }
  app.own_ends = receiver != NULL;
  sender = make_sender (host, port);
  if (!sender)
    return 1;
  app.loop = g_main_loop_new (NULL, FALSE);
  app.source = gst_bin_get_by_name (GST_BIN (sender), "source");
  bus = gst_element_get_bus (sender);
  gst_bus_add_watch (bus, on_message, &app);
  gst_element_set_state (sender, GST_STATE_PLAYING);

  app.frames = g_source_new (&frames_funcs, sizeof (GSource));
  g_source_set_callback (app.frames, NULL, &app, NULL);
  app.next = g_get_monotonic_time ();
  g_source_set_ready_time (app.frames, app.next);
  g_source_attach (app.frames, NULL);
  g_timeout_add_seconds (MAX (seconds, 1), end, &app);
  g_main_loop_run (app.loop);
  g_print ("%u frames, %u changes of scale, the highest was %d\n",
      app.n_frames, app.n_changes, app.highest);

  g_source_destroy (app.frames);
  g_source_unref (app.frames);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_object_unref (app.source);
  gst_object_unref (sender);
  g_main_loop_unref (app.loop);
  if (receiver) {
    gst_element_set_state (receiver, GST_STATE_NULL);
    gst_object_unref (receiver);
  }
  return app.n_frames > 10 && (app.highest > 0 || !app.own_ends) ? 0 : 1;
}
