/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * itcpsink over loopback: to stock receivers, and to sockets that do what
 * receivers must not.
 */
#include "sending.h"

#include <gst/base/gstbasesink.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

GST_START_TEST (test_caller)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, NULL);
  c = receiver_accept (&r);
  for (guint i = 0; i < 50; i++) {
    s.size = 1 + i * 97;        /* some of several segments */
    sender_push (&s, i);
  }
  for (guint i = 0; i < 50; i++)
    expect_buffer (c, i, 1 + i * 97);
  fail_unless (state_is (s.sink, "connected"));
  fail_unless_equals_uint64 (stat_of (s.sink, "bytes-sent"),
      50 + 97 * 49 * 50 / 2);
  fail_unless_equals_uint64 (stat_of (s.sink, "connections"), 1);
  WAIT_UNTIL (stat_of (s.sink, "unacked-bytes") == 0, "not acknowledged");
  WAIT_UNTIL (stat_of (s.sink, "bytes-acked") == 50 + 97 * 49 * 50 / 2,
      "not as much acknowledged as was sent");
  fail_unless_equals_uint64 (stat_of (s.sink, "dropped-buffers"), 0);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

GST_START_TEST (test_listener)
{
  GSocketClient *client = g_socket_client_new ();
  GSocketConnection *c[2];
  Sender s;
  gint port;

  if (__i__ && !have_ipv6 ()) {
    g_print ("skipped: there is no IPv6 here\n");
    g_object_unref (client);
    return;
  }
  g_socket_client_set_enable_proxy (client, FALSE);
  sender_init (&s, "mode", 1, "host", __i__ ? "::1" : "127.0.0.1", "port", 0,
      NULL);
  WAIT_UNTIL ((g_object_get (s.sink, "current-port", &port, NULL), port > 0),
      "does not listen");
  for (guint i = 0; i < 2; i++) {
    WAIT_UNTIL (state_is (s.sink, "listening"), "does not listen");
    c[i] = g_socket_client_connect_to_host (client, __i__ ? "::1" : "127.0.0.1",
        (guint16) port, NULL, NULL);
    fail_unless (c[i] != NULL);
    WAIT_UNTIL (state_is (s.sink, "connected"), "does not accept");
    /* One receiver at a time. */
    fail_unless (g_socket_client_connect_to_host (client,
            __i__ ? "::1" : "127.0.0.1", (guint16) port, NULL, NULL) == NULL);
    sender_push (&s, i);
    expect_buffer (g_socket_connection_get_socket (c[i]), i, SIZE);
    g_object_unref (c[i]);
    sender_push (&s, i);
    expect_message (s.bus, GST_MESSAGE_WARNING, "has ended: it was closed");
  }
  sender_clear (&s);
  g_object_unref (client);
}

GST_END_TEST;

/* A receiver that has nothing to say ends its own direction (ncat -l without
 * input), and hears all. */
GST_START_TEST (test_half_closed)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, NULL);
  c = receiver_accept (&r);
  fail_unless (g_socket_shutdown (c, FALSE, TRUE, NULL));
  for (guint i = 0; i < 3; i++) {
    sender_push (&s, i);
    expect_buffer (c, i, SIZE);
    /* By who watches the connection. */
    WAIT_UNTIL (stat_of (s.sink, "bytes-acked") == (i + 1) * SIZE,
        "not acknowledged");
  }
  fail_unless (state_is (s.sink, "connected"));
  fail_unless_equals_uint64 (stat_of (s.sink, "connections"), 1);
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING) == NULL);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Both stock receivers, with RTP: each packet arrives as it was. */
GST_START_TEST (test_rtp)
{
  const gboolean listener = __i__ == 1;
  gchar *line;
  GstElement *receiver, *out;
  GstHarness *in;
  Sender s;
  gint port = 0;

  /* The system chooses the port: one found free before may not be later. */
  if (listener) {
    sender_init (&s, "mode", 1, "port", 0, NULL);
    WAIT_UNTIL (state_is (s.sink, "listening"), "does not listen");
    g_object_get (s.sink, "current-port", &port, NULL);
  }
  line = g_strdup_printf ("%s name=in host=127.0.0.1 port=%d ! "
      "application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=X,"
      "payload=96 ! rtpstreamdepay ! appsink name=out sync=false",
      listener ? "tcpclientsrc" : "tcpserversrc", port);
  receiver = gst_parse_launch (line, NULL);
  g_free (line);
  fail_unless (receiver != NULL);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  if (!listener) {
    GstElement *src = gst_bin_get_by_name (GST_BIN (receiver), "in");

    WAIT_UNTIL ((g_object_get (src, "current-port", &port, NULL), port > 0),
        "does not listen");
    gst_object_unref (src);
    sender_init (&s, "port", port, "reconnect-interval", 10 * GST_MSECOND,
        NULL);
  }

  in = gst_harness_new ("rtpstreampay");
  gst_harness_set_src_caps_str (in, "application/x-rtp,media=video,"
      "clock-rate=90000,encoding-name=X,payload=96");
  for (guint i = 0; i < 20; i++) {
    GstBuffer *packet = make_buffer (i, 12 + i * 60);
    guint8 header[12] = { 0x80, 96, 0, (guint8) i, 0, 0, 0, 1, 0, 0, 0, 2 };

    gst_buffer_fill (packet, 0, header, sizeof header);
    gst_harness_push (in, packet);
    fail_unless_equals_int (gst_harness_push (s.h, gst_harness_pull (in)),
        GST_FLOW_OK);
  }
  out = gst_bin_get_by_name (GST_BIN (receiver), "out");
  for (guint i = 0; i < 20; i++) {
    GstSample *sample = NULL;

    g_signal_emit_by_name (out, "try-pull-sample", 20 * GST_SECOND, &sample);
    fail_unless (sample != NULL);
    fail_unless_equals_int (gst_buffer_get_size (gst_sample_get_buffer
            (sample)), 12 + i * 60);
    gst_sample_unref (sample);
  }
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (out);
  gst_object_unref (receiver);
  gst_harness_teardown (in);
  sender_clear (&s);
}

GST_END_TEST;

/* Nobody listens: a warning, tries, and it works once somebody does. No
 * change of state waits meanwhile. */
GST_START_TEST (test_refused)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  receiver_clear (&r);
  sender_init (&s, "port", r.port, "reconnect-interval", 10 * GST_MSECOND,
      NULL);
  sender_start (&s);
  expect_message (s.bus, GST_MESSAGE_WARNING, "Connection refused");
  fail_if (gst_element_set_state (s.sink, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  fail_unless_equals_int (g_atomic_int_get (&s.pushed), 0);
  r.listener = listen_at ("127.0.0.1", r.port);
  c = receiver_accept (&r);
  for (guint i = 0; i < 20; i++)
    expect_buffer (c, i, SIZE);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  g_object_unref (c);
  receiver_clear (&r);
  sender_clear (&s);
}

GST_END_TEST;

static gpointer
play (gpointer data)
{
  gst_element_set_state (data, GST_STATE_PLAYING);
  return NULL;
}

static gboolean
is_on_its_way (GstElement * sink)
{
  gboolean is;

  GST_OBJECT_LOCK (sink);
  is = GST_STATE_PENDING (sink) == GST_STATE_PLAYING;
  GST_OBJECT_UNLOCK (sink);
  return is;
}

/* A buffer that comes in amid the change to PLAYING, with nobody to send it to,
 * does not hold that up. Which of the two threads is first at the lock that is
 * released here, nobody says: hence the rounds. */
GST_START_TEST (test_playing_refused)
{
  for (guint i = 0; i < 20; i++) {
    GThread *player;
    Receiver r;
    Sender s;

    receiver_init (&r);
    receiver_clear (&r);
    sender_init (&s, "port", r.port, "async", FALSE, NULL);
    gst_element_set_state (s.sink, GST_STATE_PAUSED);
    GST_BASE_SINK_PREROLL_LOCK (s.sink);
    sender_start (&s);
    player = g_thread_new ("play", play, s.sink);
    WAIT_UNTIL (is_on_its_way (s.sink), "it is not played");
    GST_BASE_SINK_PREROLL_UNLOCK (s.sink);
    g_thread_join (player);
    fail_unless_equals_int (g_atomic_int_get (&s.pushed), 0);
    sender_clear (&s);
  }
}

GST_END_TEST;

GST_START_TEST (test_refused_for_good)
{
  Receiver r;
  Sender s;

  receiver_init (&r);
  receiver_clear (&r);
  sender_init (&s, "port", r.port, "auto-reconnect", FALSE, NULL);
  expect_message (s.bus, GST_MESSAGE_ERROR, "Connection refused");
  fail_unless_equals_int (gst_harness_push (s.h, make_buffer (0, SIZE)),
      GST_FLOW_ERROR);
  fail_unless (state_is (s.sink, "failed"));
  sender_clear (&s);
}

GST_END_TEST;

GST_START_TEST (test_unknown_algorithm)
{
  Receiver r;
  Sender s;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "congestion-algorithm", "no-such", NULL);
  expect_message (s.bus, GST_MESSAGE_ERROR, "congestion-algorithm");
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

/* A minimum above the maximum: no event would lower anything. */
GST_START_TEST (test_limits_contradict)
{
  Receiver r;
  Sender s;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "min-target-bitrate", (guint64) 600000,
      "max-target-bitrate", (guint64) 500000, NULL);
  expect_message (s.bus, GST_MESSAGE_WARNING, "min-target-bitrate=600000");
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

GST_START_TEST (test_unknown_host)
{
  Sender s;

  sender_init (&s, "host", "no-such-host.invalid", "auto-reconnect", FALSE,
      NULL);
  expect_message (s.bus, GST_MESSAGE_ERROR, "no-such-host.invalid");
  sender_clear (&s);
}

GST_END_TEST;

/* Without a receiver nothing waits. */
GST_START_TEST (test_drop)
{
  Receiver r;
  Sender s;

  receiver_init (&r);
  receiver_clear (&r);
  sender_init (&s, "port", r.port, "wait-for-connection", FALSE, NULL);
  for (guint i = 0; i < 10; i++)
    sender_push (&s, i);
  fail_unless_equals_uint64 (stat_of (s.sink, "dropped-buffers"), 10);
  fail_unless_equals_uint64 (stat_of (s.sink, "bytes-sent"), 0);
  sender_clear (&s);
}

GST_END_TEST;

/* A receiver that never accepts, or stops reading: upstream waits, states do
 * not; and when it reads again, not a byte is missing. */
GST_START_TEST (test_stops_reading)
{
  const gboolean accepts = __i__ == 1;
  Receiver r;
  Sender s;
  GSocket *c = NULL;
  guint pushed;

  receiver_init (&r);
  sender_init (&s, "port", r.port, NULL);
  s.size = 100000;
  if (accepts)
    c = receiver_accept (&r);
  sender_start (&s);
  sender_wait_blocked (&s);
  WAIT_UNTIL (stat_of (s.sink, "unsent-bytes") > 0, "all of it leaves");

  gst_element_set_state (s.sink, GST_STATE_PAUSED);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  if (!accepts)
    c = receiver_accept (&r);
  pushed = (guint) g_atomic_int_get (&s.pushed);
  for (guint i = 0; i < pushed + 2; i++)
    expect_buffer (c, i, s.size);
  sender_wait_blocked (&s);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  g_thread_join (g_steal_pointer (&s.thread));
  fail_unless_equals_int (g_atomic_int_get (&s.flow), GST_FLOW_FLUSHING);
  g_object_unref (c);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

/* A sender amid its first buffer, and the receiver's end of the connection. */
static GSocket *
start_stuck (Receiver * r, Sender * s)
{
  GSocket *c;

  receiver_init (r);
  sender_init (s, "port", r->port, NULL);
  s->size = 6000000;            /* more than any socket takes at once */
  c = receiver_accept (r);
  sender_start (s);
  WAIT_UNTIL (stat_of (s->sink, "unsent-bytes") > 0, "nothing leaves");
  return c;
}

/* A flush cuts a buffer short that has left in part: the rest follows. */
GST_START_TEST (test_flush)
{
  Receiver r;
  Sender s;
  GSocket *c;
  GstSegment segment;

  c = start_stuck (&r, &s);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_start ()));
  g_thread_join (g_steal_pointer (&s.thread));
  fail_unless_equals_int (g_atomic_int_get (&s.pushed), 0);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (s.h, gst_event_new_segment (&segment));
  g_atomic_int_set (&s.pushed, 100);
  sender_start (&s);
  expect_buffer (c, 0, s.size);
  expect_buffer (c, 100, s.size);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

static gpointer
push_eos (gpointer data)
{
  Sender *s = data;

  gst_harness_push_event (s->h, gst_event_new_eos ());
  return NULL;
}

static gboolean
has_eos (GstBus * bus)
{
  GstMessage *m = gst_bus_pop_filtered (bus, GST_MESSAGE_EOS);

  if (m)
    gst_message_unref (m);
  return m != NULL;
}

/* The end of stream waits until all has arrived, though the receiver is slow,
 * and sends what nobody reads; or: also what a flush cut short. */
GST_START_TEST (test_eos)
{
  const gboolean flush = __i__ == 1;
  GstSegment segment;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, NULL);
  c = receiver_accept (&r);
  if (flush) {
    s.size = 6000000;
    sender_start (&s);
    WAIT_UNTIL (stat_of (s.sink, "unsent-bytes") > 0, "nothing leaves");
    gst_harness_push_event (s.h, gst_event_new_flush_start ());
    g_thread_join (s.thread);
    gst_harness_push_event (s.h, gst_event_new_flush_stop (TRUE));
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (s.h, gst_event_new_segment (&segment));
  } else {
    s.size = 200000;
    sender_push (&s, 0);
  }
  s.thread = g_thread_new ("eos", push_eos, &s);
  fail_unless (g_socket_send (c, "hello", 5, NULL, NULL) == 5);
  g_usleep (50000);
  fail_if (has_eos (s.bus));
  /* States do not wait for it. */
  gst_element_set_state (s.sink, GST_STATE_PAUSED);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  expect_buffer (c, 0, s.size);
  WAIT_UNTIL (has_eos (s.bus), "no end of stream");
  fail_unless_equals_uint64 (stat_of (s.sink, "bytes-sent"), s.size);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Nor for ever where the receiver has gone. */
GST_START_TEST (test_eos_alone)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, NULL);
  c = receiver_accept (&r);
  receiver_clear (&r);
  s.size = 200000;
  sender_push (&s, 0);
  s.thread = g_thread_new ("eos", push_eos, &s);
  g_object_unref (c);
  WAIT_UNTIL (has_eos (s.bus), "no end of stream");
  sender_clear (&s);
}

GST_END_TEST;

/* The receiver dies, by closing or with a reset, amid a buffer: the next one
 * starts with the first byte of one. */
GST_START_TEST (test_receiver_dies)
{
  const struct linger at_once = {.l_onoff = __i__ };
  Receiver r;
  Sender s;
  GSocket *c;
  guint8 byte;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "reconnect-interval", 10 * GST_MSECOND,
      NULL);
  s.size = 500000;
  sender_start (&s);
  c = receiver_accept (&r);
  expect_buffer (c, 0, s.size);
  read_all (c, &byte, 1);
  setsockopt (g_socket_get_fd (c), SOL_SOCKET, SO_LINGER, &at_once,
      sizeof at_once);
  g_object_unref (c);
  c = receiver_accept (&r);
  expect_buffer (c, expect_any_buffer (c, s.size) + 1, s.size);
  expect_message (s.bus, GST_MESSAGE_WARNING, "has ended");
  fail_unless_equals_uint64 (stat_of (s.sink, "connections"), 2);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Whoever accepts and hangs up is called no more often than that. */
GST_START_TEST (test_hangs_up)
{
  gint64 began = g_get_monotonic_time (), took;
  Receiver r;
  Sender s;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "reconnect-interval", 100 * GST_MSECOND,
      NULL);
  sender_start (&s);
  for (guint i = 0; i < 6; i++)
    g_object_unref (receiver_accept (&r));
  took = g_get_monotonic_time () - began;
  fail_unless (took >= 500 * G_TIME_SPAN_MILLISECOND,
      "6 connections in %d ms", (gint) (took / 1000));
  gst_element_set_state (s.sink, GST_STATE_NULL);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

#define N_STRANGERS 40
#define WARNINGS_AT_ONCE 6

/* However many come and go, the bus is not flooded by warnings: some at once, and
 * then one a second. */
GST_START_TEST (test_strangers)
{
  gint64 began = g_get_monotonic_time (), most;
  GSocketClient *client = g_socket_client_new ();
  GstMessage *m;
  guint n = 0;
  Sender s;
  gint port;

  g_socket_client_set_enable_proxy (client, FALSE);
  sender_init (&s, "mode", 1, "host", "127.0.0.1", "port", 0, NULL);
  for (guint i = 0; i < N_STRANGERS; i++) {
    GSocketConnection *c;

    WAIT_UNTIL (state_is (s.sink, "listening"), "does not listen");
    g_object_get (s.sink, "current-port", &port, NULL);
    c = g_socket_client_connect_to_host (client, "127.0.0.1", (guint16) port,
        NULL, NULL);
    fail_unless (c != NULL, "nobody there");
    WAIT_UNTIL (state_is (s.sink, "connected"), "does not accept");
    g_object_unref (c);
    sender_push (&s, i);
  }
  WAIT_UNTIL (state_is (s.sink, "listening"), "does not listen");
  most = WARNINGS_AT_ONCE +
      (g_get_monotonic_time () - began) / G_TIME_SPAN_SECOND;
  gst_element_set_state (s.sink, GST_STATE_NULL);
  while ((m = gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING)) != NULL) {
    gst_message_unref (m);
    n++;
  }
  fail_unless (n > 0 && n <= most, "%u warnings", n);
  sender_clear (&s);
  g_object_unref (client);
}

GST_END_TEST;

/* The longest timeout is one. */
GST_START_TEST (test_longest_timeout)
{
  GParamSpecUInt64 *pspec;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", 1, NULL);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  pspec = G_PARAM_SPEC_UINT64 (g_object_class_find_property
      (G_OBJECT_GET_CLASS (s.sink), "timeout"));
  g_object_set (s.sink, "port", r.port, "timeout", pspec->maximum, NULL);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  c = receiver_accept (&r);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Nothing is sent meanwhile. */
GST_START_TEST (test_receiver_dies_for_good)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "auto-reconnect", FALSE, NULL);
  c = receiver_accept (&r);
  sender_push (&s, 0);
  expect_buffer (c, 0, SIZE);
  g_object_unref (c);
  expect_message (s.bus, GST_MESSAGE_ERROR, "has ended");
  WAIT_UNTIL (state_is (s.sink, "failed"), "it does not fail");
  fail_unless_equals_int (gst_harness_push (s.h, make_buffer (0, SIZE)),
      GST_FLOW_ERROR);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

/* Half-open: nothing comes back any more. */
GST_START_TEST (test_timeout)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "timeout", 300 * GST_MSECOND,
      "reconnect-interval", 10 * GST_MSECOND, NULL);
  c = receiver_accept (&r);
  /* Before, the buffer would wait for the next connection. */
  WAIT_UNTIL (state_is (s.sink, "connected"), "not connected");
  drop_input (g_socket_get_fd (c));
  sender_push (&s, 0);
  expect_message (s.bus, GST_MESSAGE_WARNING, "Connection timed out");
  g_object_unref (c);
  c = receiver_accept (&r);
  sender_push (&s, 1);
  expect_buffer (c, 1, SIZE);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

static void
expect_info (GstCongestionInfo * info, GstCongestionReason reason,
    guint64 target)
{
  guint64 announced = 0;

  fail_unless_equals_int (gst_congestion_info_get_reason (info), reason);
  fail_unless_equals_int (gst_congestion_info_get_target_bitrate (info,
          &announced), target > 0);
  fail_unless_equals_uint64 (announced, target);
  fail_unless_equals_string (gst_congestion_info_get_controller (info), "itcp");
  gst_congestion_info_free (info);
}

/* An outage: each expiry of the timer lowers the target, and time raises it
 * again, until it is at the base. */
GST_START_TEST (test_symbiosis)
{
  guint64 target = 2000000, delay;
  guint n = 0, estimate;
  gint64 began;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 2000000,
      "congestion-algorithm", "reno", "hold-time", 2 * GST_SECOND,
      "increase-step", (guint64) 500000, "increase-interval",
      20 * GST_MSECOND, NULL);
  c = receiver_accept (&r);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_START, target);
  expect_info (pop_congestion (s.bus), GST_CONGESTION_REASON_START, target);
  fail_unless_equals_uint64 (stat_of (s.sink, "event-delay"), G_MAXUINT64);
  began = g_get_monotonic_time ();
  drop_input (g_socket_get_fd (c));
  sender_push (&s, 0);
  for (n = 0; n < 2; n++) {
    target = (guint64) ((gdouble) target * 0.55);
    expect_info (pull_event (s.h), GST_CONGESTION_REASON_REXMT, target);
    expect_info (pop_congestion (s.bus), GST_CONGESTION_REASON_REXMT, target);
  }
  fail_unless (stat_of (s.sink, "rexmt") >= 2);
  fail_unless (stat_of (s.sink, "segments-retransmitted") >= 1);
  /* A look by chance may come before the time stamp. */
  WAIT_UNTIL ((delay = stat_of (s.sink, "event-delay")) != G_MAXUINT64,
      "no delay is known");
  fail_unless (delay / 1000 <= (guint64) (g_get_monotonic_time () - began));
  accept_input (g_socket_get_fd (c));
  expect_buffer (c, 0, SIZE);
  /* A third may have been on its way. */
  do {
    GstCongestionInfo *info = pull_event (s.h);

    fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
    gst_congestion_info_free (info);
  } while (target < 2000000);
  g_object_get (s.sink, "estimated-bitrate", &estimate, NULL);
  fail_unless_equals_int (estimate, 2000000);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* A target of 0 is announced as such, and is not for good. */
GST_START_TEST (test_nothing)
{
  guint64 target = 1;
  GstCongestionInfo *info;
  Receiver r;
  Sender s;
  GSocket *c;
  guint estimate;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 2000000,
      "min-target-bitrate", (guint64) 0, "alpha", 0.0, "hold-time",
      3600 * GST_SECOND, "increase-step", (guint64) 500000, NULL);
  c = receiver_accept (&r);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_START, 2000000);
  drop_input (g_socket_get_fd (c));
  sender_push (&s, 0);
  info = pull_event (s.h);
  fail_unless_equals_int (gst_congestion_info_get_reason (info),
      GST_CONGESTION_REASON_REXMT);
  fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
  fail_unless_equals_uint64 (target, 0);
  gst_congestion_info_free (info);
  fail_unless_equals_uint64 (stat_of (s.sink, "target-bitrate"), 0);
  g_object_get (s.sink, "estimated-bitrate", &estimate, NULL);
  fail_unless_equals_int (estimate, 0);
  accept_input (g_socket_get_fd (c));
  expect_buffer (c, 0, SIZE);
  g_object_set (s.sink, "hold-time", (guint64) 0, NULL);
  do {
    info = pull_event (s.h);
    fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
    gst_congestion_info_free (info);
  } while (target == 0);
  fail_unless_equals_uint64 (target % 500000, 0);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Off: the application hears of it, the pipeline does not; or, where that kind
 * of event is not wanted, neither does. */
GST_START_TEST (test_log_only)
{
  const gboolean wanted = __i__ == 0;
  GstEvent *event;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "symbiosis", FALSE, NULL);
  if (!wanted)
    gst_util_set_object_arg (G_OBJECT (s.sink), "events", "dupack");
  c = receiver_accept (&r);
  drop_input (g_socket_get_fd (c));
  sender_push (&s, 0);
  if (wanted)
    expect_info (pop_congestion (s.bus), GST_CONGESTION_REASON_REXMT, 0);
  WAIT_UNTIL (stat_of (s.sink, "rexmt") >= 2, "no timeouts");
  fail_unless (wanted == (stat_of (s.sink, "events") > 0));
  while ((event = gst_harness_try_pull_upstream_event (s.h))) {
    fail_if (gst_is_congestion_event (event));
    gst_event_unref (event);
  }
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* And known to be by whoever watches. */
static void
wait_acknowledged (Sender * s)
{
  WAIT_UNTIL (stat_of (s->sink, "bytes-acked") ==
      stat_of (s->sink, "bytes-sent"), "not acknowledged");
}

/* A segment is lost, and others arrive behind it. */
static void
lose_first (Sender * s, GSocket * c)
{
  drop_input (g_socket_get_fd (c));
  sender_push (s, 0);
  accept_input (g_socket_get_fd (c));
  for (guint i = 1; i <= 10; i++)
    sender_push (s, i);
  for (guint i = 0; i <= 10; i++)
    expect_buffer (c, i, s->size);
  wait_acknowledged (s);
}

/* Fast recovery is reported as such if no other kind is wanted. A probe of
 * TCP's may mend the loss before; then once more. */
GST_START_TEST (test_dupack)
{
  gint64 began = g_get_monotonic_time ();
  guint64 delay;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 2000000,
      "congestion-algorithm", "reno", "hold-time", 3600 * GST_SECOND, NULL);
  gst_util_set_object_arg (G_OBJECT (s.sink), "events", "dupack");
  s.size = 100;                 /* all of them fit into the receiver's window */
  c = receiver_accept (&r);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_START, 2000000);
  expect_info (pop_congestion (s.bus), GST_CONGESTION_REASON_START, 2000000);
  fail_unless_equals_uint64 (stat_of (s.sink, "dupack"), 0);
  do
    lose_first (&s, c);
  while (stat_of (s.sink, "dupack") == 0
      && g_get_monotonic_time () < began + MAX_WAIT * G_TIME_SPAN_SECOND);
  fail_unless (stat_of (s.sink, "dupack") > 0, "no recovery is found");
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_DUPACK, 1100000);
  expect_info (pop_congestion (s.bus), GST_CONGESTION_REASON_DUPACK, 1100000);
  delay = stat_of (s.sink, "event-delay");
  fail_unless (delay == G_MAXUINT64
      || delay / 1000 <= (guint64) (g_get_monotonic_time () - began));
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

#define SMALL_SEGMENT 536       /* bytes */

/* Acknowledgements that cease, with less written than a picture, which cannot
 * grow: reported before the timer expires. Where this machine kept us from looking for
 * so long, it expires first; then once more. */
GST_START_TEST (test_stall)
{
  const gint64 until = g_get_monotonic_time () + MAX_WAIT * G_TIME_SPAN_SECOND;
  const int size = SMALL_SEGMENT;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  fail_unless (setsockopt (g_socket_get_fd (r.listener), IPPROTO_TCP,
          TCP_MAXSEG, &size, sizeof size) == 0);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 2400000,
      "hold-time", 3600 * GST_SECOND, NULL);
  gst_util_set_object_arg (G_OBJECT (s.sink), "events", "backlog");
  s.size = 3 * SMALL_SEGMENT;
  c = receiver_accept (&r);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_START, 2400000);
  do {
    guint64 timeouts = stat_of (s.sink, "rexmt");

    drop_input (g_socket_get_fd (c));
    sender_push (&s, 0);
    WAIT_UNTIL (stat_of (s.sink, "backlog") > 0
        || stat_of (s.sink, "rexmt") > timeouts, "nothing is found");
    accept_input (g_socket_get_fd (c));
    expect_buffer (c, 0, s.size);
    wait_acknowledged (&s);
  } while (stat_of (s.sink, "backlog") == 0 && g_get_monotonic_time () < until);
  fail_unless (stat_of (s.sink, "backlog") > 0, "no stall is found");
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_BACKLOG, 1320000);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

static void
expect_any_info (Sender * s, GstCongestionReason * reason, guint64 * target)
{
  GstCongestionInfo *info = pull_event (s->h);

  *reason = gst_congestion_info_get_reason (info);
  fail_unless (gst_congestion_info_get_target_bitrate (info, target));
  gst_congestion_info_free (info);
}

/* What cannot leave piles up, which shows without any timer. */
GST_START_TEST (test_backlog)
{
  GstCongestionInfo *info;
  Receiver r;
  Sender s;
  GSocket *c;
  GstCongestionReason reason;
  guint64 target;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 240000,
      "hold-time", 3600 * GST_SECOND, NULL);
  gst_util_set_object_arg (G_OBJECT (s.sink), "events", "backlog");
  c = receiver_accept (&r);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_START, 240000);
  /* Whatever the time between ticks, unsent data grows from each to the next
   * until one is reported. */
  while (stat_of (s.sink, "backlog") == 0) {
    sender_push (&s, 0);
    g_usleep (10000);
  }
  info = pull_event (s.h);
  fail_unless_equals_int (gst_congestion_info_get_reason (info),
      GST_CONGESTION_REASON_BACKLOG);
  fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
  fail_unless_equals_uint64 (target, 132000);
  fail_unless (gst_congestion_info_get_queue_time (info) > 0);
  gst_congestion_info_free (info);
  /* What nobody rules any more is not to stay lowered. */
  g_object_set (s.sink, "symbiosis", FALSE, NULL);
  do
    expect_any_info (&s, &reason, &target);
  while (reason != GST_CONGESTION_REASON_LIMIT);
  fail_unless_equals_uint64 (target, 240000);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* The base is the media's rate, not that at which it comes in; it is known,
 * and notified, without any event. */
static void
on_estimate (GObject * object, GParamSpec * pspec, gpointer data)
{
  guint estimate;

  (void) pspec;
  g_object_get (object, "estimated-bitrate", &estimate, NULL);
  g_atomic_int_set ((gint *) data, (gint) estimate);
}

GST_START_TEST (test_measured_base)
{
  gint estimate = 0;
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, NULL);
  g_signal_connect (s.sink, "notify::estimated-bitrate",
      G_CALLBACK (on_estimate), &estimate);
  c = receiver_accept (&r);
  /* Twice: running time starts over where it was flushed. */
  for (guint i = 0; i < 150; i++) {
    GstBuffer *b = make_buffer (i, SIZE);

    GST_BUFFER_PTS (b) = i % 75 * 40 * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (s.h, b), GST_FLOW_OK);
    expect_buffer (c, i, SIZE);
  }
  WAIT_UNTIL (g_atomic_int_get (&estimate) == SIZE * 8 * 25, "no base");
  fail_unless_equals_uint64 (stat_of (s.sink, "base-bitrate"), SIZE * 8 * 25);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

static GstPadProbeReturn
count_targets (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad;
  if (gst_is_congestion_event (GST_PAD_PROBE_INFO_EVENT (info)))
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

/* An upstream that is linked after the connection was made hears of the
 * target, and one that was flushed hears of it again. */
GST_START_TEST (test_late_link)
{
  GstElement *sink = gst_check_setup_element ("itcpsink");
  GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  GstBus *bus = gst_bus_new ();
  gint announced = 0;
  GstSegment segment;
  Receiver r;
  GSocket *c;

  receiver_init (&r);
  gst_element_set_bus (sink, bus);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1",
      "port", r.port, "max-target-bitrate", (guint64) 1000000, NULL);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  c = receiver_accept (&r);
  expect_info (pop_congestion (bus), GST_CONGESTION_REASON_START, 1000000);

  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_targets,
      &announced, NULL);
  gst_pad_set_active (src, TRUE);
  fail_unless_equals_int (gst_pad_link (src, pad), GST_PAD_LINK_OK);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_pad_push_event (src, gst_event_new_stream_start ("s"));
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  fail_unless_equals_int (gst_pad_push (src, make_buffer (0, SIZE)),
      GST_FLOW_OK);
  WAIT_UNTIL (g_atomic_int_get (&announced) == 1, "no target");
  expect_info (pop_congestion (bus), GST_CONGESTION_REASON_START, 1000000);

  gst_pad_push_event (src, gst_event_new_flush_start ());
  gst_pad_push_event (src, gst_event_new_flush_stop (TRUE));
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  fail_unless_equals_int (gst_pad_push (src, make_buffer (1, SIZE)),
      GST_FLOW_OK);
  WAIT_UNTIL (g_atomic_int_get (&announced) == 2, "no target after a flush");
  expect_buffer (c, 0, SIZE);
  expect_buffer (c, 1, SIZE);

  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (bus);
  gst_pad_unlink (src, pad);
  gst_object_unref (pad);
  gst_object_unref (src);
  gst_check_teardown_element (sink);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

GST_START_TEST (test_settings_change)
{
  Receiver r;
  Sender s;
  GSocket *c;
  guint estimate;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 1000000,
      NULL);
  c = receiver_accept (&r);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_START, 1000000);
  g_object_set (s.sink, "max-target-bitrate", (guint64) 3000000, NULL);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_LIMIT, 3000000);
  g_object_get (s.sink, "estimated-bitrate", &estimate, NULL);
  fail_unless_equals_int (estimate, 3000000);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* Without a limit the base is what came in, limited or not until then. */
GST_START_TEST (test_limit_ends)
{
  Receiver r;
  Sender s;
  GSocket *c;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 1000000,
      NULL);
  c = receiver_accept (&r);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_START, 1000000);
  for (guint i = 0; i < 75; i++) {
    GstBuffer *b = make_buffer (i, SIZE);

    GST_BUFFER_PTS (b) = i * 40 * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (s.h, b), GST_FLOW_OK);
    expect_buffer (c, i, SIZE);
  }
  g_object_set (s.sink, "max-target-bitrate", (guint64) 0, NULL);
  expect_info (pull_event (s.h), GST_CONGESTION_REASON_LIMIT, SIZE * 8 * 25);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* A flushing step while a buffer waits for room: it leaves once, and whole. */
GST_START_TEST (test_step)
{
  Receiver r;
  Sender s;
  GSocket *c;

  c = start_stuck (&r, &s);
  fail_unless (gst_element_send_event (s.sink, gst_event_new_step
          (GST_FORMAT_BUFFERS, 1, 1.0, TRUE, FALSE)));
  expect_buffer (c, 0, s.size);
  /* The next one is what is stepped over. */
  expect_buffer (c, 2, s.size);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  sender_clear (&s);
  g_object_unref (c);
  receiver_clear (&r);
}

GST_END_TEST;

/* The element may be stopped by the handler of its message. */
static GstBusSyncReply
stop_at_message (GstBus * bus, GstMessage * m, gpointer data)
{
  gint *done = data;

  (void) bus;
  if (gst_is_congestion_message (m)) {
    gst_element_set_state (GST_ELEMENT (GST_MESSAGE_SRC (m)), GST_STATE_NULL);
    g_atomic_int_set (done, TRUE);
  }
  gst_message_unref (m);
  return GST_BUS_DROP;
}

GST_START_TEST (test_stop_from_handler)
{
  gint done = FALSE, held;
  Receiver r;
  Sender s;

  receiver_init (&r);
  sender_init (&s, "port", r.port, "max-target-bitrate", (guint64) 1000000,
      NULL);
  /* Nothing more is posted, so that no handler stops what is being stopped. */
  expect_info (pop_congestion (s.bus), GST_CONGESTION_REASON_START, 1000000);
  gst_element_set_state (s.sink, GST_STATE_NULL);
  held = GST_OBJECT_REFCOUNT_VALUE (s.sink);
  gst_bus_set_sync_handler (s.bus, stop_at_message, &done, NULL);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  WAIT_UNTIL (g_atomic_int_get (&done), "no message");
  /* The handler's thread has the element until it has left the handler. */
  WAIT_UNTIL (GST_OBJECT_REFCOUNT_VALUE (s.sink) <= held, "it does not end");
  gst_bus_set_sync_handler (s.bus, NULL, NULL, NULL);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

static Suite *
itcpsink_suite (void)
{
  Suite *s = suite_create ("itcpsink");
  TCase *tc = tcase_create ("itcpsink");

  tcase_set_timeout (tc, 100);  /* for valgrind; the whole has more */
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_caller);
  tcase_add_loop_test (tc, test_listener, 0, 2);
  tcase_add_test (tc, test_half_closed);
  tcase_add_loop_test (tc, test_rtp, 0, 2);
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_playing_refused);
  tcase_add_test (tc, test_refused_for_good);
  tcase_add_test (tc, test_unknown_algorithm);
  tcase_add_test (tc, test_limits_contradict);
  tcase_add_test (tc, test_unknown_host);
  tcase_add_test (tc, test_drop);
  tcase_add_loop_test (tc, test_stops_reading, 0, 2);
  tcase_add_test (tc, test_flush);
  tcase_add_loop_test (tc, test_eos, 0, 2);
  tcase_add_test (tc, test_eos_alone);
  tcase_add_loop_test (tc, test_receiver_dies, 0, 2);
  tcase_add_test (tc, test_hangs_up);
  tcase_add_test (tc, test_strangers);
  tcase_add_test (tc, test_longest_timeout);
  tcase_add_test (tc, test_receiver_dies_for_good);
  if (can_drop_input ()) {
    tcase_add_test (tc, test_timeout);
    tcase_add_test (tc, test_symbiosis);
    tcase_add_test (tc, test_nothing);
    tcase_add_test (tc, test_dupack);
    tcase_add_test (tc, test_stall);
    tcase_add_loop_test (tc, test_log_only, 0, 2);
  }
  tcase_add_test (tc, test_backlog);
  tcase_add_test (tc, test_measured_base);
  tcase_add_test (tc, test_late_link);
  tcase_add_test (tc, test_settings_change);
  tcase_add_test (tc, test_limit_ends);
  tcase_add_test (tc, test_step);
  tcase_add_test (tc, test_stop_from_handler);
  return s;
}

GST_CHECK_MAIN (itcpsink);
