/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A receiver in a process of its own: a source into a fakesink. Says in a line
 * of JSON which port it has and, when the stream has ended or the source's
 * timeout has passed without any more of it, how many packets came.
 *
 *   psp-hear 'pspsrc address=127.0.0.1 port=0 eos-on-bye=true
 *     timeout=2000000000 caps=application/x-rtp,clock-rate=90000'
 */
#include <gst/gst.h>

static guint64 n_packets;
static gint begun;              /* atomic */

static GstPadProbeReturn
count (GstPad * pad G_GNUC_UNUSED, GstPadProbeInfo * info,
    gpointer data G_GNUC_UNUSED)
{
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    n_packets += gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  else
    n_packets++;
  g_atomic_int_set (&begun, TRUE);
  return GST_PAD_PROBE_OK;
}

static GstElement *
make_pipeline (GstElement * source)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count, NULL,
      NULL);
  gst_object_unref (pad);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample",
      FALSE, NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, sink, NULL);
  gst_element_link (source, sink);
  return pipeline;
}

static gboolean
is_end (GstMessage * message)
{
  return GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT ||
      (gst_message_has_name (message, "GstPspSrcTimeout") &&
      g_atomic_int_get (&begun));
}

/* FALSE where the source failed. */
static gboolean
hear (GstElement * pipeline, GstElement * source)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = NULL;
  gboolean failed;
  gint port = 0;

  /* Sources without a socket are compared with. */
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (source), "port"))
    g_object_get (source, "port", &port, NULL);
  g_print ("{\"port\": %d}\n", port);
  do {
    g_clear_pointer (&message, gst_message_unref);
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
  } while (!is_end (message));
  failed = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  gst_message_unref (message);
  gst_object_unref (bus);
  return !failed;
}

int
main (int argc, char *argv[])
{
  GstElement *pipeline, *source;
  GError *error = NULL;
  gboolean ok;

  gst_init (&argc, &argv);
  source = argc == 2 ? gst_parse_launch (argv[1], &error) : NULL;
  if (!source) {
    g_printerr ("%s\n", error ? error->message : "a source is needed");
    g_clear_error (&error);
    return 2;
  }
  pipeline = make_pipeline (source);
  ok = gst_element_set_state (pipeline, GST_STATE_PLAYING) !=
      GST_STATE_CHANGE_FAILURE && hear (pipeline, source);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_print ("{\"packets\": %" G_GUINT64_FORMAT "}\n", n_packets);
  gst_object_unref (pipeline);
  return ok ? 0 : 1;
}
