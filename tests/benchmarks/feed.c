/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Feeds RTP packets to a sink as fast as it takes them and says in one line
 * of JSON what that cost: CPU of the whole process a packet, and the resident
 * memory on the way.
 *
 *   psp-feed --sink 'udpsink host=127.0.0.1 port=5004' --packets 1000000
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <gst/gst.h>

static gchar *sink_description;
static gint64 n_packets = 1000000;
static gint list_size = 49;
static gint packet_size = 1316;
static gboolean mixed;
static gint64 payload_rate;

static const GOptionEntry entries[] = {
  {"sink", 0, 0, G_OPTION_ARG_STRING, &sink_description,
      "launch description of the sink", "DESCRIPTION"},
  {"packets", 0, 0, G_OPTION_ARG_INT64, &n_packets, "how many", "N"},
  {"list", 0, 0, G_OPTION_ARG_INT, &list_size,
      "packets a buffer list; 1 = single buffers", "N"},
  {"size", 0, 0, G_OPTION_ARG_INT, &packet_size, "bytes a packet", "N"},
  {"mixed", 0, 0, G_OPTION_ARG_NONE, &mixed,
      "sizes vary from packet to packet, none equal to the next", NULL},
  {"rate", 0, 0, G_OPTION_ARG_INT64, &payload_rate,
      "bits/s to offer; 0 = as fast as it goes", "BPS"},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

static gdouble
cpu_seconds (void)
{
  struct rusage r;

  getrusage (RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec +
      (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static glong
resident_kib (void)
{
  glong pages = 0;
  FILE *f = fopen ("/proc/self/statm", "r");

  if (f) {
    if (fscanf (f, "%*d %ld", &pages) != 1)
      pages = 0;
    fclose (f);
  }
  return pages * (sysconf (_SC_PAGESIZE) / 1024);
}

/* Sizes stay clear of runs: each differs from its neighbours. */
static gsize
size_of (gint64 i)
{
  return mixed ? packet_size - 40 * (i % 7) : packet_size;
}

static GstBuffer *
make_packet (gint64 i)
{
  gsize size = size_of (i);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  guint8 header[12] = { 0x80, 96 };

  GST_WRITE_UINT16_BE (header + 2, (guint16) i);
  GST_WRITE_UINT32_BE (header + 4, (guint32) (i / 8) * 3000);
  GST_WRITE_UINT32_BE (header + 8, 0x1234);
  gst_buffer_fill (buffer, 0, header, sizeof header);
  return buffer;
}

static GstFlowReturn
push_some (GstPad * pad, gint64 from, gint n)
{
  GstBufferList *list;
  gint k;

  if (list_size == 1)
    return gst_pad_push (pad, make_packet (from));
  list = gst_buffer_list_new_sized (n);
  for (k = 0; k < n; k++)
    gst_buffer_list_add (list, make_packet (from + k));
  return gst_pad_push_list (pad, list);
}

static void
start_stream (GstPad * pad)
{
  GstSegment segment;
  GstCaps *caps = gst_caps_from_string ("application/x-rtp, media=video, "
      "clock-rate=90000, encoding-name=H264, payload=96");

  gst_pad_set_active (pad, TRUE);
  gst_pad_push_event (pad, gst_event_new_stream_start ("feed"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static void
print_stats (GstElement * sink)
{
  GstStructure *stats = NULL;
  gchar *text, *escaped;

  if (!g_object_class_find_property (G_OBJECT_GET_CLASS (sink), "stats"))
    return;
  g_object_get (sink, "stats", &stats, NULL);
  if (!stats)
    return;
  text = gst_structure_to_string (stats);
  escaped = g_strescape (text, NULL);
  g_print (", \"stats\": \"%s\"", escaped);
  g_free (escaped);
  g_free (text);
  gst_structure_free (stats);
}

static gboolean
feed (GstPad * pad, glong memory[11])
{
  gint64 i = 0, next, wait, start = g_get_monotonic_time ();
  gint k = 0;

  while (i < n_packets) {
    gint n = MIN (list_size, n_packets - i);

    if (payload_rate > 0) {
      next = start + i * packet_size * 8 * 1000000 / payload_rate;
      wait = next - g_get_monotonic_time ();
      if (wait > 0)
        g_usleep (wait);
    }
    if (push_some (pad, i, n) != GST_FLOW_OK)
      return FALSE;
    i += n;
    while (k <= 10 && i >= n_packets * k / 10)
      memory[k++] = resident_kib ();
  }
  return TRUE;
}

int
main (int argc, char *argv[])
{
  GError *error = NULL;
  GOptionContext *context = g_option_context_new ("- measure a sink");
  GstElement *pipeline, *sink;
  GstPad *src, *pad;
  GstBus *bus;
  GstMessage *message;
  glong memory[11] = { 0 };
  gdouble cpu;
  gint64 wall;
  gint k;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (!sink_description) {
    g_printerr ("--sink is needed\n");
    return 2;
  }
  pipeline = gst_pipeline_new (NULL);
  sink = gst_parse_launch (sink_description, &error);
  if (!sink) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (pipeline), sink);
  src = gst_pad_new ("src", GST_PAD_SRC);
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_link (src, pad);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE) {
    g_printerr ("the sink does not start\n");
    return 1;
  }
  start_stream (src);
  cpu = cpu_seconds ();
  wall = g_get_monotonic_time ();
  if (!feed (src, memory))
    return 1;
  gst_pad_push_event (src, gst_event_new_eos ());
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_message_unref (message);
  cpu = cpu_seconds () - cpu;
  wall = g_get_monotonic_time () - wall;
  g_print ("{\"packets\": %" G_GINT64_FORMAT ", \"cpu_us\": %.4f, "
      "\"wall_s\": %.3f, \"rss_kib\": [", n_packets, cpu * 1e6 / n_packets,
      wall * 1e-6);
  for (k = 0; k <= 10; k++)
    g_print ("%s%ld", k ? ", " : "", memory[k]);
  g_print ("]");
  print_stats (sink);
  g_print ("}\n");
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (src);
  gst_object_unref (pipeline);
  g_option_context_free (context);
  return 0;
}
