/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A hundred sessions, one after the other, as a server has them: rtpbin with
 * rtpbandwidth to rtpbin behind rtpccfb. What they leave behind: no object, no
 * thread, no descriptor, and hardly any memory.
 */
#include <gst/check/gstcheck.h>

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

/* clang's word for gcc's __SANITIZE_ADDRESS__. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#define SESSIONS 100
#define HALF 50
/* Bytes that the second half may add. */
#define MAX_GROWTH (200 * 1024)
/* Packets that the sender has to hear of. */
#define ACKED 5
/* us, until threads of a pool have ended that nobody needs any more. */
#define LONGEST_WAIT (60 * G_TIME_SPAN_SECOND)

typedef struct
{
  guint threads, descriptors;
  gsize resident;               /* bytes */
} Use;

static guint
count_entries (const gchar * folder)
{
  DIR *dir = opendir (folder);
  guint n = 0;

  fail_unless (dir != NULL, "no %s", folder);
  while (readdir (dir))
    n++;
  closedir (dir);
  return n;
}

static gsize
resident (void)
{
  FILE *file = fopen ("/proc/self/statm", "r");
  unsigned long size, pages;

  fail_unless (file && fscanf (file, "%lu %lu", &size, &pages) == 2);
  fclose (file);
  return (gsize) pages *(gsize) sysconf (_SC_PAGESIZE);
}

static Use
measure (void)
{
  Use use;

  malloc_trim (0);
  use.threads = count_entries ("/proc/self/task");
  use.descriptors = count_entries ("/proc/self/fd");
  use.resident = resident ();
  return use;
}

/* What rtpbin takes as an auxiliary element. */
static GstElement *
on_request_aux_sender (GstElement * rtpbin, guint session, gpointer data)
{
  GstElement *box = gst_bin_new (NULL);
  GstElement *bandwidth = gst_element_factory_make ("rtpbandwidth", NULL);
  static const gchar *const names[] = { "sink", "src" };

  (void) rtpbin;
  gst_bin_add (GST_BIN (box), bandwidth);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstPad *pad = gst_element_get_static_pad (bandwidth, names[i]);
    gchar *name = g_strdup_printf ("%s_%u", names[i], session);

    gst_element_add_pad (box, gst_ghost_pad_new (name, pad));
    g_free (name);
    gst_object_unref (pad);
  }
  *(GstElement **) data = gst_object_ref (bandwidth);
  return box;
}

static guint64
packets_acked (GstElement * bandwidth)
{
  GstStructure *s;
  guint64 n = 0;

  g_object_get (bandwidth, "stats", &s, NULL);
  gst_structure_get_uint64 (s, "packets-acked", &n);
  gst_structure_free (s);
  return n;
}

static GstElement *
parse (const gchar * text)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);

  fail_unless (error == NULL, "%s", error ? error->message : "");
  return pipeline;
}

/* A port is known once the source is READY. */
static gint
get_port (GstElement * pipeline, const gchar * name)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), name);
  gint port;

  gst_element_set_state (source, GST_STATE_READY);
  g_object_get (source, "port", &port, NULL);
  gst_object_unref (source);
  return port;
}

static void
set_port (GstElement * pipeline, const gchar * name, gint port)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), name);

  g_object_set (sink, "port", port, NULL);
  gst_object_unref (sink);
}

/* Where sockets reuse ports, port 0 may be one that is taken: who had it starves. */
#define UDPSRC "udpsrc name=in address=127.0.0.1 port=0 reuse=false "

static GstElement *
make_receiver (void)
{
  return parse ("rtpbin name=bin " UDPSRC
      "caps=application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMA,"
      "payload=8 ! rtpccfb name=ccfb ! bin.recv_rtp_sink_0 "
      "bin. ! fakesink sync=false async=false "
      "funnel name=rtcp "
      "! udpsink name=out host=127.0.0.1 sync=false async=false "
      "ccfb.rtcp_src ! rtcp.sink_0 bin.send_rtcp_src_0 ! rtcp.sink_1");
}

static GstElement *
make_sender (GstElement ** bandwidth)
{
  GstElement *pipeline = parse ("rtpbin name=bin "
      "udpsink name=out host=127.0.0.1 sync=false async=false "
      UDPSRC "caps=application/x-rtcp "
      "! bin.recv_rtcp_sink_0 audiotestsrc is-live=true samplesperbuffer=16 "
      "! audio/x-raw,rate=8000 ! alawenc ! rtppcmapay name=pay "
      "max-ptime=2000000");
  GstElement *bin = gst_bin_get_by_name (GST_BIN (pipeline), "bin");
  GstElement *pay = gst_bin_get_by_name (GST_BIN (pipeline), "pay");
  GstElement *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");

  g_signal_connect (bin, "request-aux-sender",
      G_CALLBACK (on_request_aux_sender), bandwidth);
  fail_unless (gst_element_link_pads (pay, "src", bin, "send_rtp_sink_0"));
  fail_unless (gst_element_link_pads (bin, "send_rtp_src_0", out, "sink"));
  fail_unless (*bandwidth != NULL);
  gst_object_unref (bin);
  gst_object_unref (pay);
  gst_object_unref (out);
  return pipeline;
}

static void
run_session (void)
{
  GstElement *bandwidth = NULL, *sender = make_sender (&bandwidth);
  GstElement *receiver = make_receiver ();

  set_port (sender, "out", get_port (receiver, "in"));
  set_port (receiver, "out", get_port (sender, "in"));
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  while (packets_acked (bandwidth) < ACKED)
    g_usleep (2000);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (bandwidth);
  gst_object_unref (sender);
  gst_object_unref (receiver);
}

/* The tracer looks at elements, pads, buffers and events. */
static guint
count_objects (void)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  GstStructure *live = NULL;
  const GValue *list;
  guint n;

  fail_unless (tracers != NULL, "no tracer: set GST_TRACERS");
  g_signal_emit_by_name (tracers->data, "get-live-objects", &live);
  fail_unless (live != NULL);
  list = gst_structure_get_value (live, "live-objects-list");
  n = list ? gst_value_list_get_size (list) : 0;
  /* In 1.22 it has objects without references to them. */
  if (n == 0)
    gst_structure_free (live);
  g_list_free_full (tracers, gst_object_unref);
  return n;
}

static void
assert_no_objects (void)
{
  GstElement *one = gst_object_ref_sink (gst_bin_new (NULL));

  fail_unless_equals_int (count_objects (), 1);
  gst_object_unref (one);
  fail_unless_equals_int (count_objects (), 0);
}

/* Threads of GLib's pools end when they like. */
static void
assert_threads (guint wanted)
{
  gint64 until = g_get_monotonic_time () + LONGEST_WAIT;

  while (count_entries ("/proc/self/task") > wanted) {
    fail_unless (g_get_monotonic_time () < until, "%u threads, %u before",
        count_entries ("/proc/self/task"), wanted);
    g_usleep (100000);
  }
}

GST_START_TEST (a_hundred_sessions)
{
  Use half = { 0 }, end;

  for (guint i = 1; i <= SESSIONS; i++) {
    run_session ();
    if (i == HALF)
      half = measure ();
  }
  end = measure ();
  g_print ("%u threads, %u descriptors; the second half added %d kB\n",
      end.threads, end.descriptors,
      ((gint) end.resident - (gint) half.resident) / 1024);
  assert_no_objects ();
  fail_unless (end.descriptors <= half.descriptors, "%u descriptors, then %u",
      half.descriptors, end.descriptors);
  assert_threads (half.threads);
#if !defined (__SANITIZE_ADDRESS__) && !__has_feature (address_sanitizer)
  fail_unless (end.resident <= half.resident + MAX_GROWTH, "%d kB more",
      ((gint) end.resident - (gint) half.resident) / 1024);
#endif
}

GST_END_TEST;

static gboolean
has_all (void)
{
  static const gchar *const needed[] = { "rtpbin", "audiotestsrc", "alawenc",
    "rtppcmapay", "funnel", "udpsrc"
  };

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    if (!gst_registry_check_feature_version (gst_registry_get (), needed[i], 1,
            0, 0)) {
      g_print ("skipped: GStreamer has no %s here\n", needed[i]);
      return FALSE;
    }
  return TRUE;
}

static Suite *
sessions_suite (void)
{
  Suite *s = suite_create ("rtpbandwidth-sessions");
  TCase *t = tcase_create ("sessions");

  suite_add_tcase (s, t);
  if (has_all ())
    tcase_add_test (t, a_hundred_sessions);
  return s;
}

GST_CHECK_MAIN (sessions);
