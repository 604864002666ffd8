/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Feeds RTP packets to a sink as fast as it takes them and says in one line
 * of JSON what that cost: CPU of the whole process a packet, and the resident
 * memory on the way.
 *
 *   psp-feed --sink 'udpsink host=127.0.0.1 port=5004' --packets 1000000
 *
 * Several sinks take turns, of --turn packets each, and "turns" has what each
 * turn cost: where the speed of a CPU changes from one tenth of a second to the
 * next (another tenant on its other half), only neighbours can be compared.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <gst/gst.h>

#define MAX_SINKS 4

static gchar **sink_descriptions;
static gint64 n_packets = 1000000;
static gint list_size = 49;
static gint packet_size = 1316;
static gboolean mixed;
static gint64 payload_rate;
static gint64 turn;
static gint watched;
static gboolean heap;

static const GOptionEntry entries[] = {
  {"sink", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sink_descriptions,
      "launch description of a sink, up to four times", "DESCRIPTION"},
  {"packets", 0, 0, G_OPTION_ARG_INT64, &n_packets, "how many for each sink",
      "N"},
  {"list", 0, 0, G_OPTION_ARG_INT, &list_size,
      "packets a buffer list; 1 = single buffers", "N"},
  {"size", 0, 0, G_OPTION_ARG_INT, &packet_size, "bytes a packet", "N"},
  {"mixed", 0, 0, G_OPTION_ARG_NONE, &mixed,
      "sizes vary from packet to packet, none equal to the next", NULL},
  {"rate", 0, 0, G_OPTION_ARG_INT64, &payload_rate,
      "bits/s to offer; 0 = as fast as it goes", "BPS"},
  {"turn", 0, 0, G_OPTION_ARG_INT64, &turn,
      "packets for one sink before the next one's turn; 0 = all", "N"},
  {"watch", 0, 0, G_OPTION_ARG_INT, &watched,
      "another process whose memory is told too, a receiver's say", "PID"},
  {"heap", 0, 0, G_OPTION_ARG_NONE, &heap,
      "tell what is allocated, too, each time that the queue is empty", NULL},
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

/* Of a process; 0 = this one. */
static glong
resident_kib (gint pid)
{
  gchar path[40] = "/proc/self/statm";
  glong pages = 0;
  FILE *f;

  if (pid > 0)
    g_snprintf (path, sizeof path, "/proc/%d/statm", pid);
  f = fopen (path, "r");
  if (f) {
    if (fscanf (f, "%*d %ld", &pages) != 1)
      pages = 0;
    fclose (f);
  }
  return pages * (sysconf (_SC_PAGESIZE) / 1024);
}

/* In use, by malloc(); -1 = unknown. */
static glong
heap_bytes (void)
{
#ifdef HAVE_MALLINFO2
  struct mallinfo2 info = mallinfo2 ();

  return (glong) (info.uordblks + info.hblkhd);
#else
  return -1;
#endif
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

/* NULL where the sink has none. */
static GstStructure *
get_stats (GstElement * sink)
{
  GstStructure *stats = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (sink), "stats"))
    g_object_get (sink, "stats", &stats, NULL);
  return stats;
}

static void
print_stats (GstElement * sink)
{
  GstStructure *stats = get_stats (sink);
  gchar *text, *escaped;

  if (!stats)
    return;
  text = gst_structure_to_string (stats);
  escaped = g_strescape (text, NULL);
  g_print (", \"stats\": \"%s\"", escaped);
  g_free (escaped);
  g_free (text);
  gst_structure_free (stats);
}

/* What one sink still has to send is not to cost in another's turn. */
static void
drain (GstElement * sink)
{
  guint left = 0;

  do {
    GstStructure *stats = get_stats (sink);

    if (left > 0)
      g_usleep (100);
    left = 0;
    if (stats) {
      gst_structure_get_uint (stats, "queue-packets", &left);
      gst_structure_free (stats);
    }
  } while (left > 0);
}

typedef struct
{
  GstElement *pipeline;
  GstElement *sinks[MAX_SINKS];
  GstPad *srcs[MAX_SINKS];
  guint n_sinks;
  glong memory[11], watched_memory[11], heap[11];
  guint n_memory;
} Feed;

static void
print_memory (const gchar * name, const glong memory[11])
{
  g_print (", \"%s\": [", name);
  for (gint k = 0; k <= 10; k++)
    g_print ("%s%ld", k ? ", " : "", memory[k]);
  g_print ("]");
}

static void
note_memory (Feed * f, guint sink)
{
  guint k = f->n_memory++;

  f->memory[k] = resident_kib (0);
  if (watched > 0)
    f->watched_memory[k] = resident_kib (watched);
  if (heap) {
    drain (f->sinks[sink]);
    f->heap[k] = heap_bytes ();
  }
}

/* Packets from i on to one sink: a turn. */
static gboolean
feed_turn (Feed * f, guint sink, gint64 i, gint64 end, gint64 start)
{
  while (i < end) {
    gint n = MIN (list_size, end - i);
    gint64 wait;

    if (payload_rate > 0) {
      wait = start + i * packet_size * 8 * 1000000 / payload_rate -
          g_get_monotonic_time ();
      if (wait > 0)
        g_usleep (wait);
    }
    if (push_some (f->srcs[sink], i, n) != GST_FLOW_OK)
      return FALSE;
    i += n;
    while (f->n_memory <= 10 && i >= n_packets * f->n_memory / 10)
      note_memory (f, sink);
  }
  return TRUE;
}

/* Prints what turns cost, where there are any. */
static gboolean
feed (Feed * f)
{
  gint64 i, n, start = g_get_monotonic_time ();

  if (turn <= 0)
    return feed_turn (f, 0, 0, n_packets, start);
  g_print ("{\"turns\": [");
  for (i = 0; i < n_packets; i += n) {
    n = MIN (turn, n_packets - i);
    g_print ("%s[", i ? ", " : "");
    for (guint k = 0; k < f->n_sinks; k++) {
      gdouble cpu = cpu_seconds ();

      if (!feed_turn (f, k, i, i + n, start))
        return FALSE;
      drain (f->sinks[k]);
      g_print ("%s%.4f", k ? ", " : "", (cpu_seconds () - cpu) * 1e6 / n);
    }
    g_print ("]");
  }
  g_print ("], ");
  return TRUE;
}

/* A chain begins with a srtpenc named enc, whose pad is made on request. */
static GstElement *
make_sink (const gchar * description, GError ** error)
{
  GstElement *bin, *enc;
  GstPad *pad;

  if (!strchr (description, '!'))
    return gst_parse_launch (description, error);
  bin = gst_parse_bin_from_description (description, FALSE, error);
  if (!bin)
    return NULL;
  enc = gst_bin_get_by_name (GST_BIN (bin), "enc");
  pad = gst_element_request_pad_simple (enc, "rtp_sink_0");
  gst_element_add_pad (bin, gst_ghost_pad_new ("sink", pad));
  gst_object_unref (pad);
  gst_object_unref (enc);
  return bin;
}

static gboolean
add_sink (Feed * f, const gchar * description)
{
  GError *error = NULL;
  GstElement *sink = make_sink (description, &error);
  GstPad *pad;

  if (!sink) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    return FALSE;
  }
  if (!GST_IS_BIN (sink))
    g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (f->pipeline), sink);
  f->srcs[f->n_sinks] = gst_pad_new ("src", GST_PAD_SRC);
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_link (f->srcs[f->n_sinks], pad);
  gst_object_unref (pad);
  f->sinks[f->n_sinks++] = sink;
  return TRUE;
}

/* Nobody reads what sinks tell the application; kept, it would look like memory
 * that they hold. */
static GstBusSyncReply
drop_told (GstBus * bus G_GNUC_UNUSED, GstMessage * message,
    gpointer data G_GNUC_UNUSED)
{
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT)
    return GST_BUS_PASS;
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
begin_pipeline (Feed * f)
{
  GstBus *bus;

  f->pipeline = gst_pipeline_new (NULL);
  bus = gst_element_get_bus (f->pipeline);
  gst_bus_set_sync_handler (bus, drop_told, NULL, NULL);
  gst_object_unref (bus);
}

static void
end_streams (Feed * f)
{
  GstBus *bus = gst_element_get_bus (f->pipeline);

  for (guint i = 0; i < f->n_sinks; i++)
    gst_pad_push_event (f->srcs[i], gst_event_new_eos ());
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
          GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_object_unref (bus);
}

static gboolean
measure (Feed * f)
{
  gdouble cpu = cpu_seconds ();
  gint64 wall = g_get_monotonic_time ();

  for (guint i = 0; i < f->n_sinks; i++)
    start_stream (f->srcs[i]);
  if (!feed (f))
    return FALSE;
  end_streams (f);
  cpu = cpu_seconds () - cpu;
  wall = g_get_monotonic_time () - wall;
  g_print ("%s\"packets\": %" G_GINT64_FORMAT ", \"cpu_us\": %.4f, "
      "\"wall_s\": %.3f", turn > 0 ? "" : "{", n_packets,
      cpu * 1e6 / n_packets, wall * 1e-6);
  print_memory ("rss_kib", f->memory);
  if (watched > 0)
    print_memory ("watched_rss_kib", f->watched_memory);
  if (heap)
    print_memory ("heap_bytes", f->heap);
  print_stats (f->sinks[0]);
  g_print ("}\n");
  return TRUE;
}

int
main (int argc, char *argv[])
{
  GError *error = NULL;
  GOptionContext *context = g_option_context_new ("- measure a sink");
  Feed f = { 0 };
  guint n, i;
  int result = 1;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  n = sink_descriptions ? g_strv_length (sink_descriptions) : 0;
  if (n == 0 || n > MAX_SINKS || (n > 1 && turn <= 0)) {
    g_printerr ("--sink is needed, for more than one --turn\n");
    return 2;
  }
  begin_pipeline (&f);
  for (i = 0; i < n; i++) {
    if (!add_sink (&f, sink_descriptions[i]))
      return 2;
  }
  if (gst_element_set_state (f.pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE)
    g_printerr ("the sink does not start\n");
  else
    result = measure (&f) ? 0 : 1;
  gst_element_set_state (f.pipeline, GST_STATE_NULL);
  for (i = 0; i < n; i++)
    gst_object_unref (f.srcs[i]);
  gst_object_unref (f.pipeline);
  g_strfreev (sink_descriptions);
  g_option_context_free (context);
  return result;
}
