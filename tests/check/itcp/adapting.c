/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * From end to end: a stream that goes through an element that lowers its rate,
 * itcpsink, a connection over loopback and a stock receiver with a decoder. An
 * outage makes TCP's retransmission timer expire, and from then on the stream
 * has the rate of the target, and decodes.
 */
#include "sending.h"

#include <netinet/in.h>

#define FRAMES 240              /* 8 seconds, in groups of 12 */
#define FRAME_TIME (GST_SECOND * 1001 / 30000)
#define BASE 4500000            /* bits/s; the stream has 4 million */
/* The least target. On a busy machine the timer expires more than once, and
 * three steps would ask for less than the elements can make of this stream, some
 * 830 kb/s. */
#define LEAST (BASE * 55 / 100)
#define DROPS_FROM 24           /* frames that went in */
#define HELD_AFTER 48           /* until the target is lower */
#define LOWER_FROM 72           /* a group later, by time stamps */

typedef struct
{
  GstElement *sender, *sink, *receiver, *source;
  gint in;                      /* frames; atomic */
  gint decoded;                 /* atomic */
  gint go;                      /* atomic: frames need not wait */

  /* Of the thread that streams, until it has ended. */
  guint out;
  gsize bytes_before, bytes_after;
} Chain;

/* Before the element that lowers the rate. */
static GstPadProbeReturn
on_frame_in (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Chain *chain = data;

  (void) pad;
  (void) info;
  if (g_atomic_int_add (&chain->in, 1) == HELD_AFTER)
    WAIT_UNTIL (g_atomic_int_get (&chain->go), "held for good");
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_frame_out (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *b = GST_PAD_PROBE_INFO_BUFFER (info);
  Chain *chain = data;

  (void) pad;
  chain->out++;
  if (GST_BUFFER_PTS (b) < DROPS_FROM * FRAME_TIME)
    chain->bytes_before += gst_buffer_get_size (b);
  else if (GST_BUFFER_PTS (b) >= LOWER_FROM * FRAME_TIME)
    chain->bytes_after += gst_buffer_get_size (b);
  return GST_PAD_PROBE_OK;
}

static void
on_decoded (GstElement * sink, GstBuffer * b, GstPad * pad, gpointer data)
{
  Chain *chain = data;

  (void) sink;
  (void) b;
  (void) pad;
  g_atomic_int_inc (&chain->decoded);
}

static gboolean
have (const gchar * element)
{
  GstElementFactory *f = gst_element_factory_find (element);

  if (f)
    gst_object_unref (f);
  return f != NULL;
}

static void
add_probe (GstElement * element, const gchar * pad_name,
    GstPadProbeCallback callback, Chain * chain)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, chain, NULL);
  gst_object_unref (pad);
}

/* Returns the port it listens on. */
static gint
receiver_start (Chain * chain)
{
  GError *error = NULL;
  GstElement *out;
  gchar *line;
  gint port;

  line = g_strdup_printf ("tcpserversrc name=in host=127.0.0.1 port=0 "
      "! application/x-rtp-stream,media=video,clock-rate=90000,"
      "encoding-name=MPV,payload=32 ! rtpstreamdepay ! rtpmpegvideodepay "
      "! mpegvideoparse ! %s ! fakesink name=out signal-handoffs=true "
      "sync=false", have ("mpeg2dec") ? "mpeg2dec" : "avdec_mpeg2video");
  chain->receiver = gst_parse_launch (line, &error);
  g_free (line);
  fail_unless (chain->receiver != NULL, "%s", error ? error->message : "");
  out = gst_bin_get_by_name (GST_BIN (chain->receiver), "out");
  g_signal_connect (out, "handoff", G_CALLBACK (on_decoded), chain);
  gst_object_unref (out);
  gst_element_set_state (chain->receiver, GST_STATE_PLAYING);
  chain->source = gst_bin_get_by_name (GST_BIN (chain->receiver), "in");
  WAIT_UNTIL ((g_object_get (chain->source, "current-port", &port, NULL),
          port > 0), "does not listen");
  return port;
}

static void
sender_start_to (Chain * chain, const gchar * element, gint port)
{
  GstElement *lower;
  GError *error = NULL;
  gchar *line;

  line = g_strdup_printf ("filesrc location=%s/walk-720x480p30-4M.m2v "
      "! mpegvideoparse ! %s name=lower ! rtpmpegvideopay ! rtpstreampay "
      "! itcpsink name=sink host=127.0.0.1 port=%d sync=false "
      "max-target-bitrate=%d min-target-bitrate=%d hold-time=%"
      G_GUINT64_FORMAT, TEST_FILES_DIR, element, port, BASE, LEAST,
      3600 * GST_SECOND);
  chain->sender = gst_parse_launch (line, &error);
  g_free (line);
  fail_unless (chain->sender != NULL, "%s", error ? error->message : "");
  lower = gst_bin_get_by_name (GST_BIN (chain->sender), "lower");
  add_probe (lower, "sink", on_frame_in, chain);
  add_probe (lower, "src", on_frame_out, chain);
  gst_object_unref (lower);
  chain->sink = gst_bin_get_by_name (GST_BIN (chain->sender), "sink");
  gst_element_set_state (chain->sender, GST_STATE_PLAYING);
}

/* The receiver's end of the connection, which is of this process too. */
static GSocket *
find_receiver (gint port)
{
  for (int fd = 3; fd < 1024; fd++) {
    struct sockaddr_in local, peer;
    socklen_t local_size = sizeof local, peer_size = sizeof peer;

    if (getsockname (fd, (struct sockaddr *) &local, &local_size) == 0
        && getpeername (fd, (struct sockaddr *) &peer, &peer_size) == 0
        && local.sin_family == AF_INET && ntohs (local.sin_port) == port)
      return g_socket_new_from_fd (dup (fd), NULL);
  }
  return NULL;
}

static void
wait_for_end (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *m = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  fail_unless (m != NULL, "no end of stream");
  fail_unless_equals_string (GST_MESSAGE_TYPE_NAME (m), "eos");
  gst_message_unref (m);
  gst_object_unref (bus);
}

static gint64
rate (gsize bytes, guint frames)
{
  return (gint64) gst_util_uint64_scale (bytes * 8, GST_SECOND,
      frames * FRAME_TIME);
}

static void
outage (Chain * chain, GSocket * receiver)
{
  WAIT_UNTIL (g_atomic_int_get (&chain->in) >= DROPS_FROM, "no frames");
  drop_input (g_socket_get_fd (receiver));
  WAIT_UNTIL (stat_of (chain->sink, "rexmt") > 0, "no retransmission");
  accept_input (g_socket_get_fd (receiver));
  WAIT_UNTIL (stat_of (chain->sink, "unacked-bytes") == 0, "not mended");
}

static const gchar *const elements[] =
    { "mpegscaler mode=requantize", "mpegscaler mode=auto", "mpegtranscoder" };

GST_START_TEST (test_follows)
{
  const gchar *element = elements[__i__];
  Chain chain = { 0 };
  GSocket *receiver;
  gint64 target, before, after;
  gint port;

  if (!have (g_str_has_prefix (element, "mpegscaler") ? "mpegscaler" : element)) {
    g_print ("skipped: there is no %s in this build\n", element);
    return;
  }
  port = receiver_start (&chain);
  sender_start_to (&chain, element, port);
  WAIT_UNTIL ((receiver = find_receiver (port)) != NULL, "no connection");
  outage (&chain, receiver);
  g_object_unref (receiver);
  target = (gint64) stat_of (chain.sink, "target-bitrate");
  fail_unless_equals_int64 (target, LEAST);
  g_atomic_int_set (&chain.go, TRUE);
  wait_for_end (chain.sender);
  fail_unless_equals_int64 (stat_of (chain.sink, "target-bitrate"), target);
  gst_element_set_state (chain.sender, GST_STATE_NULL);
  wait_for_end (chain.receiver);

  before = rate (chain.bytes_before, DROPS_FROM);
  after = rate (chain.bytes_after, FRAMES - LOWER_FROM);
  GST_INFO ("%s: %" G_GINT64_FORMAT " bits/s, then %" G_GINT64_FORMAT
      " of %" G_GINT64_FORMAT, element, before, after, target);
  fail_unless (before > BASE / 2);
  /* It may be half a second ahead, of 5.6. */
  fail_unless (after < target + target / 11, "%" G_GINT64_FORMAT " of %"
      G_GINT64_FORMAT, after, target);
  fail_unless (after > target / 2, "%" G_GINT64_FORMAT " of %"
      G_GINT64_FORMAT, after, target);
  /* mpeg2dec shows 238 frames of the file itself, too. */
  fail_unless (g_atomic_int_get (&chain.decoded) >= (gint) chain.out - 2,
      "%d of %u decoded", g_atomic_int_get (&chain.decoded), chain.out);

  gst_element_set_state (chain.receiver, GST_STATE_NULL);
  gst_object_unref (chain.source);
  gst_object_unref (chain.sink);
  gst_object_unref (chain.receiver);
  gst_object_unref (chain.sender);
}

GST_END_TEST;

static gboolean
can_receive (void)
{
  static const gchar *const needed[] = { "tcpserversrc", "rtpstreampay",
    "rtpstreamdepay", "mpegvideoparse"
  };

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    if (!have (needed[i])) {
      g_print ("skipped: there is no %s\n", needed[i]);
      return FALSE;
    }
  if (!have ("mpeg2dec") && !have ("avdec_mpeg2video")) {
    g_print ("skipped: there is no decoder of MPEG-2\n");
    return FALSE;
  }
  return TRUE;
}

static Suite *
adapting_suite (void)
{
  Suite *s = suite_create ("itcp-adapting");
  TCase *tc = tcase_create ("adapting");

  tcase_set_timeout (tc, 200);
  suite_add_tcase (s, tc);
  if (can_receive () && can_drop_input ())
    tcase_add_loop_test (tc, test_follows, 0, G_N_ELEMENTS (elements));
  return s;
}

GST_CHECK_MAIN (adapting);
