/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a lossy path takes comes again: pspsink and pspsrc with GStreamer's own
 * elements for retransmission. How soon is for tests/benchmarks/repair.py; here
 * the jitter buffer waits for long, and all packets come out.
 */
#include "relay.h"
#include "session.h"

#define N_PACKETS 500
/* Packets behind these: only what others have overtaken is missed. */
#define N_MORE 40
#define LATENCY 5000            /* ms */

#define CAPS "application/x-rtp,media=video,clock-rate=90000," \
    "encoding-name=X,payload=96"
#define SPACED "pspsink name=sink host=127.0.0.1 sync=false controller=fixed " \
    "spacing=2000000 max-queue-time=20000000 repair-share=.5"

typedef struct
{
  const gchar *name;
  const gchar *sender;          /* behind appsrc */
  gboolean made_by_upstream;
} Way;

static const Way ways[] = {
  {"pspsink", SPACED " rtx-payload-type=97", FALSE},
  {"rtprtxsend", "rtprtxsend name=rtx max-size-packets=1000 "
        "payload-type-map=\"map,96=(uint)97\" ! " SPACED, TRUE},
};

/* Numbers that came out, of the stream of media. */
typedef struct
{
  GMutex lock;
  guint8 seen[N_PACKETS + N_MORE];
  guint n, n_foreign;
} Count;

static GstPadProbeReturn
count_packet (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Count *c = data;
  guint8 header[HEADER];
  guint16 seq;

  (void) pad;
  gst_buffer_extract (buffer, 0, header, HEADER);
  seq = GST_READ_UINT16_BE (header + 2);
  g_mutex_lock (&c->lock);
  if (seq < G_N_ELEMENTS (c->seen) && (header[1] & 0x7f) == 96)
    c->n += !c->seen[seq]++ && seq < N_PACKETS;
  else
    c->n_foreign++;
  g_mutex_unlock (&c->lock);
  return GST_PAD_PROBE_OK;
}

static guint
counted (Count * c)
{
  guint n;

  g_mutex_lock (&c->lock);
  n = c->n;
  g_mutex_unlock (&c->lock);
  return n;
}

static GstElement *
launch (const gchar * text)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);

  fail_if (error, "%s", error ? error->message : "");
  return pipeline;
}

static gpointer
feed (gpointer data)
{
  GstElement *in = data;
  Sender media = {.ssrc = 0x11223344 };
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < N_PACKETS + N_MORE && flow == GST_FLOW_OK; i++) {
    GstBuffer *buffer = sender_packet (&media, PAYLOAD);

    g_signal_emit_by_name (in, "push-buffer", buffer, &flow);
    gst_buffer_unref (buffer);
  }
  return NULL;
}

static GstElement *
get (GstElement * pipeline, const gchar * name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);

  gst_object_unref (element);   /* the pipeline has it */
  return element;
}

GST_START_TEST (test_all_come)
{
  const Way *way = &ways[__i__];
  GstElement *receiver, *sender;
  Count count = { 0 };
  GThread *thread;
  gchar *text;
  GstPad *pad;
  Relay relay;
  gint port;

  receiver = launch ("pspsrc name=source address=127.0.0.1 port=0 caps=" CAPS
      " ! rtprtxreceive payload-type-map=\"map,96=(uint)97\""
      " ! rtpjitterbuffer name=jitter latency=" G_STRINGIFY (LATENCY)
      " do-retransmission=true rtx-next-seqnum=false rtx-delay=0"
      " rtx-retry-timeout=40 ! fakesink name=out sync=false");
  pad = gst_element_get_static_pad (get (receiver, "out"), "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_packet, &count,
      NULL);
  gst_object_unref (pad);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_get_state (receiver, NULL, NULL, GST_SECOND);
  g_object_get (get (receiver, "source"), "port", &port, NULL);
  relay_init (&relay, port, "delay=5ms,loss=0.1,seed=3",
      "delay=5ms,loss=0.1,seed=4");

  text = g_strdup_printf ("appsrc name=in format=time block=true max-buffers=4"
      " caps=" CAPS " ! %s port=%u", way->sender, relay.port);
  sender = launch (text);
  g_free (text);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  thread = g_thread_new ("feed", feed, get (sender, "in"));
  WAIT_UNTIL (counted (&count) == N_PACKETS, "%s: %u of %u packets", way->name,
      counted (&count), N_PACKETS);
  g_thread_join (thread);
  fail_unless_equals_int (count.n_foreign, 0);
  fail_unless (session_stat (get (sender, "sink"), "repairs-sent") > 20);
  fail_unless (session_stat (get (receiver, "source"),
          "packets-requested") > 20);
  if (way->made_by_upstream) {
    guint n;

    g_object_get (get (sender, "rtx"), "num-rtx-packets", &n, NULL);
    fail_unless (n > 20, "rtprtxsend made %u", n);
  }
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (sender);
  gst_object_unref (receiver);
  relay_clear (&relay);
  g_mutex_clear (&count.lock);
}

GST_END_TEST;

static Suite *
repairlink_suite (void)
{
  Suite *s = suite_create ("psp_repairlink");
  TCase *tc = tcase_create ("repairlink");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 3 * WATCHDOG);
  tcase_add_loop_test (tc, test_all_come, 0, G_N_ELEMENTS (ways));
  return s;
}

GST_CHECK_MAIN (repairlink);
