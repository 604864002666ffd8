/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * pspsink and pspsrc on loopback while things go wrong: junk on both ports,
 * ends that restart, and a relay that loses, reorders, repeats and damages.
 */
#include <rtpfeedback/ccfb.h>
#include "relay.h"
#include <rtpfeedback/rtcp.h>
#include "session.h"

/* Junk */

typedef struct
{
  GSocket *socket;
  GRand *rand;
} Vandal;

static GSocketAddress *
make_address (const gchar * host, gint port)
{
  return g_inet_socket_address_new_from_string (host, port);
}

static void
vandal_init (Vandal * v, const gchar * host)
{
  GSocketAddress *address = make_address (host, 0);

  v->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  fail_unless (g_socket_bind (v->socket, address, FALSE, NULL));
  g_object_unref (address);
  v->rand = g_rand_new_with_seed (4711);
}

static void
vandal_clear (Vandal * v)
{
  g_socket_close (v->socket, NULL);
  g_object_unref (v->socket);
  g_rand_free (v->rand);
}

static void
vandal_send (Vandal * v, gint port, const guint8 * data, gsize size)
{
  GSocketAddress *to = make_address ("127.0.0.1", port);

  fail_unless_equals_int (g_socket_send_to (v->socket, to,
          (const gchar *) data, size, NULL, NULL), size);
  g_object_unref (to);
}

/* Of any size, half of it with a beginning that leads further in. */
static void
vandal_send_random (Vandal * v, gint port)
{
  static const guint8 types[] = { 96, 200, 201, 202, 203, 205, 72, 192 };
  guint8 data[1500];
  gsize size = g_rand_int_range (v->rand, 0, sizeof data + 1);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) g_rand_int (v->rand);
  if (size >= 4 && g_rand_boolean (v->rand)) {
    data[0] = 0x80 | (g_rand_boolean (v->rand) ? 11 : data[0] & 0x3f);
    data[1] = types[g_rand_int_range (v->rand, 0, G_N_ELEMENTS (types))];
    if (g_rand_boolean (v->rand))
      GST_WRITE_UINT16_BE (data + 2, size / 4 - 1);
  }
  vandal_send (v, port, data, size);
}

/* What the two ends really send, without a BYE. */
static gsize
write_genuine (guint kind, guint32 ssrc, guint8 * data, gsize capacity)
{
  PspRtcpSenderInfo info = {.ssrc = ssrc };
  PspCcfbMetric metric = {.received = true };
  PspWriter w = psp_writer (data, capacity);
  PspCcfbPacker packer;

  switch (kind) {
    case 0:
      psp_rtcp_write_sr (&w, &info);
      psp_rtcp_write_sdes (&w, &ssrc, 1, "somebody");
      break;
    case 1:
      psp_rtcp_write_rr (&w, ssrc, NULL, 0);
      psp_rtcp_write_sdes (&w, &ssrc, 1, "somebody");
      break;
    default:
      psp_ccfb_begin (&packer, &w, 0x99);
      psp_ccfb_stream (&packer, ssrc, 0);
      for (guint i = 0; i < 20; i++)
        psp_ccfb_add_metric (&packer, &metric);
      psp_ccfb_end (&packer, 0x10000);
      break;
  }
  fail_if (w.error);
  return w.size;
}

/* Every beginning of it. */
static void
vandal_send_truncated (Vandal * v, gint port, Receiver * r)
{
  guint8 data[256];

  for (guint kind = 0; kind < 3; kind++) {
    gsize size = write_genuine (kind, r->ssrc, data, sizeof data);

    for (gsize n = 0; n < size; n++) {
      vandal_send (v, port, data, n);
      if (n % 16 == 15)
        receiver_wait_more (r, 1);
    }
  }
}

static gint
local_port (GstElement * element)
{
  GSocketAddress *address;
  GSocket *socket;
  gint port;

  g_object_get (element, "used-socket", &socket, NULL);
  address = g_socket_get_local_address (socket, NULL);
  port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
  g_object_unref (address);
  g_object_unref (socket);
  return port;
}

/* Truncated and random datagrams to both ends, from the other end's own host
 * and from another one: they are counted, and all media arrives. */
GST_START_TEST (test_junk)
{
  gboolean foreign = __i__ == 1;
  Receiver r;
  Sender s;
  Vandal v;

  receiver_init (&r, NULL);
  sender_init (&s, r.port, "controller", "psp", "max-target-bitrate",
      (guint64) 4000000, NULL);
  vandal_init (&v, foreign ? "127.0.0.5" : "127.0.0.1");
  sender_feed (&s);
  receiver_wait_more (&r, 10);
  vandal_send_truncated (&v, r.port, &r);
  vandal_send_truncated (&v, local_port (s.sink), &r);
  for (guint i = 0; i < 2000; i++) {
    vandal_send_random (&v, r.port);
    vandal_send_random (&v, local_port (s.sink));
    /* In step, so that no socket's buffer overflows. */
    if (i % 16 == 15)
      receiver_wait_more (&r, 1);
  }
  wait_feedback (&s, 20);
  sender_rest (&s);
  WAIT_UNTIL (receiver_got (&r) == session_stat (s.sink, "packets-sent"),
      "%u of %.0f packets arrived", receiver_got (&r),
      session_stat (s.sink, "packets-sent"));

  sender_check_sums (&s);
  fail_unless (session_stat (r.src, "malformed") > 0);
  if (foreign) {
    fail_unless (session_stat (s.sink, "feedback-foreign") >= 2000);
    fail_unless (session_stat (r.src, "foreign-packets") > 0);
  } else {
    /* Feedback counts from one port of that host. */
    fail_unless (session_stat (s.sink, "feedback-foreign") > 0);
    fail_unless (session_stat (r.src, "rtcp-malformed") > 0);
  }
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  vandal_clear (&v);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

/* A path that harms */

static const gchar *const controllers[] = { "psp", "damped-psp", "scp" };

/* Half of the packets and half of the reports are lost. */
GST_START_TEST (test_heavy_loss)
{
  const gdouble start = 4000000;
  gdouble target, least = G_MAXDOUBLE;
  Receiver r;
  Sender s;
  Relay relay;

  receiver_init (&r, NULL);
  relay_init (&relay, r.port, "delay=5ms,loss=0.5",
      "delay=5ms,loss=0.5,seed=2");
  sender_init (&s, relay.port, "controller", controllers[__i__],
      "start-target-bitrate", (guint64) start, "min-target-bitrate",
      (guint64) 1000000, NULL);
  sender_feed (&s);
  /* On a busy machine reports are few: the target may take longer to fall than
   * a hundred losses. That it never falls runs into the time limit. */
  while (session_stat (s.sink, "packets-lost") < 100 ||
      session_stat (s.sink, "packets-acked") < 30 || least >= start / 2) {
    sender_check_sums (&s);
    target = session_stat (s.sink, "target-bitrate");
    least = MIN (least, target);
    fail_if (session_link_is (s.sink, "stopped"));
    g_usleep (5000);
  }
  GST_INFO ("%s: least target %.0f", controllers[__i__], least);
  fail_unless (session_stat (s.sink, "loss") > 0.1);
  wait_feedback (&s, 5);
  receiver_wait_more (&r, 20);

  sender_rest (&s);
  WAIT_UNTIL (session_stat (s.sink, "in-flight") == 0,
      "packets stay undecided");
  sender_check_sums (&s);
  fail_unless (session_stat (s.sink, "packets-acked") <= receiver_got (&r));
  fail_unless (session_stat (r.src, "lost") > 0);
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  relay_clear (&relay);
  receiver_clear (&r);
}

GST_END_TEST;

/* Every fiftieth packet is overtaken by fifty others, at the full rate. It is
 * taken for lost, and then not; in the end all have arrived and all are known
 * to have. */
GST_START_TEST (test_reordering)
{
  const gchar *controller = __i__ == 0 ? "fixed" : "scp";
  const gdouble start = 4000000;
  Receiver r;
  Sender s;
  Relay relay;

  receiver_init (&r, NULL);
  relay_init (&relay, r.port, "delay=10ms,reorder=0.02:100ms", "delay=10ms");
  sender_init (&s, relay.port, "controller", controller, "spacing",
      2 * GST_MSECOND, "start-target-bitrate", (guint64) start,
      "max-target-bitrate", (guint64) start, NULL);
  sender_feed (&s);
  while (receiver_got (&r) < 1000) {
    sender_check_sums (&s);
    g_usleep (5000);
  }
  /* What was taken back has not left it at the bottom. */
  WAIT_UNTIL (session_stat (s.sink, "target-bitrate") >= start / 8,
      "the target stays at %.0f", session_stat (s.sink, "target-bitrate"));
  sender_rest (&s);
  WAIT_UNTIL (receiver_got (&r) == session_stat (s.sink, "packets-sent"),
      "%u of %.0f packets arrived", receiver_got (&r),
      session_stat (s.sink, "packets-sent"));
  WAIT_UNTIL (session_stat (s.sink, "packets-acked") ==
      session_stat (s.sink, "packets-sent"), "%.0f of %.0f acknowledged",
      session_stat (s.sink, "packets-acked"),
      session_stat (s.sink, "packets-sent"));
  sender_check_sums (&s);
  fail_unless (session_stat (r.src, "reordered") > 0);
  fail_unless (session_stat (s.sink, "packets-recovered") > 0);
  fail_unless (session_stat (s.sink, "packets-recovered") ==
      session_stat (s.sink, "packets-lost"));
  fail_unless (session_stat (r.src, "lost") == 0);
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  relay_clear (&relay);
  receiver_clear (&r);
}

GST_END_TEST;

/* Reports come twice, or with a bit flipped. */
GST_START_TEST (test_harmed_feedback)
{
  static const gchar *const harms[] = { "delay=3ms,dup=0.7",
    "delay=3ms,corrupt=0.5"
  };
  const gboolean twice = __i__ % 2 == 0;
  const gchar *controller = controllers[__i__ / 2];
  const gdouble max = 3000000;
  Receiver r;
  Sender s;
  Relay relay;

  receiver_init (&r, NULL);
  relay_init (&relay, r.port, "delay=3ms", harms[__i__ % 2]);
  sender_init (&s, relay.port, "controller", controller,
      "start-target-bitrate", (guint64) max, "max-target-bitrate",
      (guint64) max, NULL);
  sender_feed (&s);
  while (receiver_got (&r) < 300 ||
      (!twice && session_stat (s.sink, "feedback-malformed") < 1)) {
    sender_check_sums (&s);
    fail_unless (session_stat (s.sink, "target-bitrate") <= max);
    g_usleep (2000);
  }
  wait_feedback (&s, 5);
  sender_rest (&s);
  WAIT_UNTIL (receiver_got (&r) == session_stat (s.sink, "packets-sent"),
      "%u of %.0f packets arrived", receiver_got (&r),
      session_stat (s.sink, "packets-sent"));
  WAIT_UNTIL (session_stat (s.sink, "in-flight") == 0,
      "packets stay undecided");
  sender_check_sums (&s);
  if (twice) {
    /* A copy has no effect. On a busy machine a report may be so late that
     * losses were presumed before. */
    WAIT_UNTIL (session_stat (s.sink, "packets-acked") ==
        session_stat (s.sink, "packets-sent"), "%.0f packets acknowledged",
        session_stat (s.sink, "packets-acked"));
    fail_unless (session_stat (s.sink, "packets-recovered") ==
        session_stat (s.sink, "packets-lost"));
    fail_unless (session_stat (s.sink, "feedback-received") >
        session_stat (r.src, "feedback-sent"));
    fail_unless (session_stat (s.sink, "feedback-malformed") == 0);
  }
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  relay_clear (&relay);
  receiver_clear (&r);
}

GST_END_TEST;

/* Packets that no path carries, once in a while: told once, with the remedy. */
GST_START_TEST (test_oversized)
{
  Receiver r;
  Sender s;

  receiver_init (&r, NULL);
  /* Seldom enough for each to look like an outage of its own. */
  sender_init (&s, r.port, "controller", "fixed", "spacing",
      1100 * GST_MSECOND, "max-queue-time", (guint64) 0, NULL);
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (gst_harness_push (s.h, sender_packet (&s,
                i % 2 ? 65530 : PAYLOAD)), GST_FLOW_OK);
  WAIT_UNTIL (session_stat (s.sink, "packets-sent") == 4, "nothing leaves");
  WAIT_UNTIL (session_stat (s.sink, "send-errors") == 2, "nothing fails");
  WAIT_UNTIL (receiver_got (&r) == 2, "the others do not arrive");
  /* What exceeds the MTU, and what cannot be sent at all. */
  fail_unless_equals_int (session_warnings (s.bus, "mtu property"), 2);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

/* Ends that restart */

/* At once, or once the sender has noticed the silence. */
GST_START_TEST (test_receiver_restarts)
{
  const gchar *controller = controllers[__i__ / 2];
  Receiver r;
  Sender s;

  receiver_init (&r, NULL);
  sender_init (&s, r.port, "controller", controller, "max-target-bitrate",
      (guint64) 4000000, NULL);
  sender_feed (&s);
  for (guint i = 0; i < 2; i++) {
    receiver_wait_more (&r, 30);
    wait_feedback (&s, 5);
    gst_element_set_state (r.pipeline, GST_STATE_NULL);
    if (__i__ % 2)
      WAIT_UNTIL (session_link_is (s.sink, "silent"), "silence is not noticed");
    receiver_play (&r);
    receiver_wait_more (&r, 30);
    wait_feedback (&s, 5);
    WAIT_UNTIL (session_link_is (s.sink, "alive"), "it stays silent");
    sender_check_sums (&s);
  }
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

/* What pspsrc takes for silence, after which another port is heard. */
#define SILENCE (600 * G_TIME_SPAN_MILLISECOND)

/* With a goodbye, or without one after a while; always another port, SSRC and
 * sequence. */
GST_START_TEST (test_sender_restarts)
{
  gboolean says_bye = __i__ == 0;
  gint64 silent_at;
  GstMessage *message;
  guint n_byes = 0;
  Receiver r;
  Sender old, s;

  receiver_init (&r, NULL);
  sender_init (&old, r.port, "controller", "scp", "max-target-bitrate",
      (guint64) 4000000, NULL);
  sender_feed (&old);
  receiver_wait_more (&r, 30);
  wait_feedback (&old, 5);
  if (says_bye)
    sender_clear (&old);
  else
    gst_element_set_state (old.sink, GST_STATE_PAUSED);
  silent_at = g_get_monotonic_time () + (says_bye ? 0 : SILENCE);
  WAIT_UNTIL (g_get_monotonic_time () >= silent_at, "time stands still");

  sender_init (&s, r.port, "controller", "scp", "max-target-bitrate",
      (guint64) 4000000, NULL);
  s.ssrc = 0x55667788;
  s.next_seq = 65500;
  receiver_expect (&r, s.ssrc);
  sender_feed (&s);
  receiver_wait_more (&r, 100);
  wait_feedback (&s, 5);
  sender_rest (&s);
  WAIT_UNTIL (receiver_got (&r) == session_stat (s.sink, "packets-sent"),
      "%u of %.0f packets arrived", receiver_got (&r),
      session_stat (s.sink, "packets-sent"));
  WAIT_UNTIL (session_stat (s.sink, "packets-acked") ==
      session_stat (s.sink, "packets-sent"), "not all is acknowledged");
  sender_check_sums (&s);
  fail_unless (session_stat (r.src, "lost") == 0);
  while ((message = gst_bus_pop_filtered (r.bus, GST_MESSAGE_ELEMENT))) {
    n_byes += gst_message_has_name (message, "GstPspSrcBye");
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_byes, says_bye);
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  if (!says_bye)
    sender_clear (&old);
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

/* Unlocking */

static gint64
time_state (GstElement * element, GstState state)
{
  gint64 before = g_get_monotonic_time ();

  fail_unless_equals_int (gst_element_set_state (element, state),
      GST_STATE_CHANGE_SUCCESS);
  return g_get_monotonic_time () - before;
}

/* Nobody answers, the queue is full, and the streaming thread waits. */
static void
block_sender (Sender * s, gint port)
{
  sender_init (s, (guint16) port, "controller", "fixed", "spacing",
      10 * GST_SECOND, "max-queue-time", 30 * GST_SECOND, NULL);
  sender_feed (s);
  WAIT_UNTIL (session_stat (s->sink, "queue-packets") >= 3, "nothing waits");
}

#define UNLOCK_LIMIT (50 * G_TIME_SPAN_MILLISECOND)
#define MAX_ROUNDS 100

/* What waits for a timer takes longer every time; a busy machine makes it long
 * in one round or another. */
GST_START_TEST (test_unlock)
{
  gint64 stop = G_MAXINT64, flush = G_MAXINT64, source = G_MAXINT64, before;
  Receiver r;
  Sender s;

  for (guint i = 0; i < MAX_ROUNDS &&
      MAX (MAX (stop, flush), source) >= UNLOCK_LIMIT; i++) {
    block_sender (&s, 9);
    stop = MIN (stop, time_state (s.sink, GST_STATE_NULL));
    sender_clear (&s);

    block_sender (&s, 9);
    before = g_get_monotonic_time ();
    gst_pad_push_event (s.h->srcpad, gst_event_new_flush_start ());
    g_thread_join (g_steal_pointer (&s.thread));
    flush = MIN (flush, g_get_monotonic_time () - before);
    sender_clear (&s);

    receiver_init (&r, NULL);
    source = MIN (source, time_state (r.pipeline, GST_STATE_NULL));
    receiver_clear (&r);
  }
  fail_unless (stop < UNLOCK_LIMIT, "a blocked sink takes %.2f ms to NULL",
      stop / 1e3);
  fail_unless (flush < UNLOCK_LIMIT, "its flush takes %.2f ms", flush / 1e3);
  fail_unless (source < UNLOCK_LIMIT, "a waiting source takes %.2f ms to NULL",
      source / 1e3);
}

GST_END_TEST;

static Suite *
faults_suite (void)
{
  Suite *s = suite_create ("faults");
  TCase *tc = tcase_create ("faults");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_junk, 0, 2);
  tcase_add_loop_test (tc, test_heavy_loss, 0, G_N_ELEMENTS (controllers));
  tcase_add_loop_test (tc, test_reordering, 0, 2);
  tcase_add_loop_test (tc, test_harmed_feedback, 0,
      2 * G_N_ELEMENTS (controllers));
  tcase_add_test (tc, test_oversized);
  tcase_add_loop_test (tc, test_receiver_restarts, 0,
      2 * G_N_ELEMENTS (controllers));
  tcase_add_loop_test (tc, test_sender_restarts, 0, 2);
  tcase_add_test (tc, test_unlock);
  return s;
}

GST_CHECK_MAIN (faults);
