/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * pspsink and pspsrc with SRTP over loopback: to each other, and each to
 * srtpenc and srtpdec behind a socket; what the properties give away, and keys
 * that change.
 */
#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <rtpfeedback/ccfb.h>

#include "play.h"

#define SSRC 0x01020304
#define HEADER 12
#define PAYLOAD 1000
#define PACKETS 40
#define WATCHDOG 40             /* s */
/* In the keys, so that they are found where they must not be. */
#define SECRET "a secret that nobody sees"

static const struct
{
  const gchar *name, *cipher, *auth;
  gsize key_size;
} suites[] = {
  {"aes-128-gcm", "aes-128-gcm", "null", 28},
  {"aes-256-gcm", "aes-256-gcm", "null", 44},
  {"aes-cm-128-hmac-sha1-80", "aes-128-icm", "hmac-sha1-80", 30},
};

#define N_SUITES ((gint) G_N_ELEMENTS (suites))

static GstBuffer *
make_key (gsize size, guint8 n)
{
  GstBuffer *key = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (key, 0, n, size);
  gst_buffer_fill (key, 0, SECRET, sizeof SECRET - 1);
  return key;
}

static void
set_buffer (GstElement * element, const gchar * property, GstBuffer * buffer)
{
  g_object_set (element, property, buffer, NULL);
  gst_buffer_unref (buffer);
}

/* Key `n` and, beside it, that of the feedback. */
static void
set_keys (GstElement * element, gsize size, guint8 n)
{
  set_buffer (element, "srtp-feedback-key", make_key (size, 100 + n));
  set_buffer (element, "srtp-key", make_key (size, n));
}

static GstBuffer *
make_packet (guint16 seq)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, HEADER + PAYLOAD, NULL);
  guint8 header[HEADER] = { 0x80, 96 };

  GST_WRITE_UINT16_BE (header + 2, seq);
  GST_WRITE_UINT32_BE (header + 8, SSRC);
  gst_buffer_memset (buffer, 0, seq & 0xff, HEADER + PAYLOAD);
  gst_buffer_fill (buffer, 0, header, HEADER);
  return buffer;
}

/* Takes the buffer: packet `seq`, of whatever SSRC, which it returns. */
static guint32
check_packet (GstBuffer * buffer, guint16 seq)
{
  GstBuffer *expected = make_packet (seq);
  guint8 ssrc[4];
  GstMapInfo map;

  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_extract (buffer, 8, ssrc, 4), 4);
  gst_buffer_fill (expected, 8, ssrc, 4);
  fail_unless (gst_buffer_map (expected, &map, GST_MAP_READ));
  fail_unless_equals_int (gst_buffer_get_size (buffer), map.size);
  fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0);
  gst_buffer_unmap (expected, &map);
  gst_buffer_unref (expected);
  gst_buffer_unref (buffer);
  return GST_READ_UINT32_BE (ssrc);
}

static guint64
get_count (GstElement * element, const gchar * field)
{
  GstStructure *stats;
  guint64 count;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &count), "%s", field);
  gst_structure_free (stats);
  return count;
}

static void
wait_count (GstElement * element, const gchar * field, guint64 count)
{
  gint64 end = g_get_monotonic_time () + WATCHDOG * G_TIME_SPAN_SECOND;

  while (get_count (element, field) < count) {
    fail_unless (g_get_monotonic_time () < end, "%s", field);
    g_usleep (1000);
  }
}

static GstElement *
make_src (const gchar * suite)
{
  GstElement *src = gst_element_factory_make ("pspsrc", NULL);

  g_object_set (src, "address", "127.0.0.1", "port", 0, NULL);
  gst_util_set_object_arg (G_OBJECT (src), "caps", CAPS);
  gst_util_set_object_arg (G_OBJECT (src), "srtp-suite", suite);
  return src;
}

static GstElement *
make_sink (const gchar * suite, const gchar * controller)
{
  GstElement *sink = gst_element_factory_make ("pspsink", NULL);

  g_object_set (sink, "host", "127.0.0.1", "controller", controller, "sync",
      FALSE, "spacing", (guint64) 200 * GST_USECOND, NULL);
  gst_util_set_object_arg (G_OBJECT (sink), "srtp-suite", suite);
  return sink;
}

static gboolean
is_loaded (const gchar * library)
{
  gchar *maps;
  gboolean found;

  fail_unless (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  found = strstr (maps, library) != NULL;
  g_free (maps);
  return found;
}

/* It takes memory of each process, so a link in the clear does without. The first
 * test: what came before might have loaded it. */
GST_START_TEST (test_libsrtp_is_loaded_when_needed)
{
  GstHarness *receiver, *sender;
  gint port;

  /* A scan of all plugins in this process has loaded srtpenc's, and libsrtp. */
  if (is_loaded ("libsrtp2")) {
    g_print ("skipped: libsrtp was loaded before: GST_REGISTRY_FORK=no\n");
    return;
  }
  receiver = play_src (make_src ("none"), &port);
  sender = play_sink (make_sink ("none", "poise"), port);
  fail_unless_equals_int (gst_harness_push (sender, make_packet (0)),
      GST_FLOW_OK);
  check_packet (gst_harness_pull (receiver), 0);
  fail_if (is_loaded ("libsrtp2"));
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
  gst_object_unref (make_src ("aes-128-gcm"));
  fail_unless (is_loaded ("libsrtp2"));
}

GST_END_TEST;

/* pspsink to pspsrc, by key or by passphrase, with controllers that send as they
 * like and by feedback. */
GST_START_TEST (test_pair)
{
  const guint suite = __i__ / 2;
  const gboolean by_passphrase = __i__ % 2;
  GstElement *src = make_src (suites[suite].name);
  GstElement *sink = make_sink (suites[suite].name, "poise");
  GstHarness *sender, *receiver;
  GstBuffer *buffer;
  guint32 ssrc = 0;
  gint port;

  if (by_passphrase) {
    g_object_set (src, "passphrase", SECRET, NULL);
    g_object_set (sink, "passphrase", SECRET, NULL);
  } else {
    set_buffer (src, "srtp-key", make_key (suites[suite].key_size, 1));
    set_buffer (sink, "srtp-key", make_key (suites[suite].key_size, 1));
  }
  receiver = play_src (src, &port);
  sender = play_sink (sink, port);
  for (guint16 seq = 0; seq < PACKETS; seq++) {
    /* What others hold is not written to. */
    buffer = make_packet (seq);
    fail_unless_equals_int (gst_harness_push (sender, gst_buffer_ref (buffer)),
        GST_FLOW_OK);
    ssrc = check_packet (gst_harness_pull (receiver), seq);
    check_packet (buffer, seq);
  }
  fail_if (ssrc == SSRC);
  wait_count (sender->element, "packets-acked", PACKETS);
  fail_unless_equals_uint64 (get_count (sender->element,
          "feedback-unauthenticated"), 0);
  fail_unless_equals_uint64 (get_count (receiver->element, "unauthenticated"),
      0);
  fail_unless_equals_uint64 (get_count (receiver->element, "packets"), PACKETS);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_END_TEST;

/* Once, and names the cause. */
static void
check_warned (GstBus * bus, const gchar * cause)
{
  GstMessage *message = gst_bus_timed_pop_filtered (bus,
      WATCHDOG * GST_SECOND, GST_MESSAGE_WARNING);
  GError *error = NULL;

  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, cause) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

/* Each with another passphrase, and in the clear: nothing arrives, and one is
 * told why. */
GST_START_TEST (test_strangers)
{
  GstBus *bus = gst_bus_new ();
  GstElement *src = make_src ("aes-128-gcm");
  GstElement *sink = make_sink (__i__ ? "none" : "aes-128-gcm", "none");
  GstHarness *sender, *receiver;
  gint port;

  gst_element_set_bus (src, bus);
  g_object_set (src, "passphrase", "another of the kind", NULL);
  if (!__i__)
    g_object_set (sink, "passphrase", SECRET, NULL);
  receiver = play_src (src, &port);
  sender = play_sink (sink, port);
  for (guint16 seq = 0; seq < PACKETS; seq++)
    gst_harness_push (sender, make_packet (seq));
  wait_count (receiver->element, "unauthenticated", PACKETS);
  fail_unless_equals_uint64 (get_count (receiver->element, "packets"), 0);
  fail_unless_equals_uint64 (get_count (receiver->element, "feedback-bytes"),
      0);
  check_warned (bus, "authentic");
  gst_element_set_bus (receiver->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_END_TEST;

/* srtpenc and srtpdec, behind a socket of ours. */
typedef struct
{
  GSocket *socket;
  GSocketAddress *other;        /* whom it sends to */
  gint port;
  GstHarness *decoder, *rtcp;   /* of one srtpdec */
  guint suite;
  guint8 key;                   /* of what comes */
} Peer;

static GstCaps *
tell_key (GstElement * dec, guint ssrc, Peer * peer)
{
  GstBuffer *key = make_key (suites[peer->suite].key_size, peer->key);
  GstCaps *caps = gst_caps_new_simple ("application/x-srtp", "srtp-key",
      GST_TYPE_BUFFER, key, "srtp-cipher", G_TYPE_STRING,
      suites[peer->suite].cipher, "srtcp-cipher", G_TYPE_STRING,
      suites[peer->suite].cipher, "srtp-auth", G_TYPE_STRING,
      suites[peer->suite].auth, "srtcp-auth", G_TYPE_STRING,
      suites[peer->suite].auth, NULL);

  (void) dec;
  (void) ssrc;
  gst_buffer_unref (key);
  return caps;
}

static void
open_peer (Peer * peer, guint suite, guint8 key)
{
  GInetAddress *address = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *local = g_inet_socket_address_new (address, 0);
  GstElement *dec = gst_element_factory_make ("srtpdec", NULL);

  memset (peer, 0, sizeof *peer);
  peer->suite = suite;
  peer->key = key;
  peer->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  g_socket_set_timeout (peer->socket, WATCHDOG);
  fail_unless (g_socket_bind (peer->socket, local, FALSE, NULL));
  g_object_unref (local);
  local = g_socket_get_local_address (peer->socket, NULL);
  peer->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local));
  g_object_unref (local);
  g_object_unref (address);
  g_signal_connect (dec, "request-key", G_CALLBACK (tell_key), peer);
  peer->decoder = gst_harness_new_with_element (dec, "rtp_sink", "rtp_src");
  peer->rtcp = gst_harness_new_with_element (dec, "rtcp_sink", "rtcp_src");
  gst_harness_set_src_caps_str (peer->decoder, "application/x-srtp");
  gst_harness_set_src_caps_str (peer->rtcp, "application/x-srtcp");
  gst_object_unref (dec);
}

static void
close_peer (Peer * peer)
{
  gst_harness_teardown (peer->rtcp);
  gst_harness_teardown (peer->decoder);
  g_clear_object (&peer->other);
  g_object_unref (peer->socket);
}

/* Decodes the next datagram of the kind; its sender is the other end. */
static GstBuffer *
take (Peer * peer, gboolean rtcp)
{
  for (;;) {
    guint8 data[2000];
    gssize size;
    gboolean is_rtcp;
    GstHarness *h;

    g_clear_object (&peer->other);
    size = g_socket_receive_from (peer->socket, &peer->other, (gchar *) data,
        sizeof data, NULL, NULL);
    fail_unless (size > HEADER);
    is_rtcp = data[1] >= 192 && data[1] <= 223;
    if (is_rtcp != rtcp)
      continue;
    h = rtcp ? peer->rtcp : peer->decoder;
    return gst_harness_push_and_pull (h, gst_buffer_new_memdup (data, size));
  }
}

static void
send_buffer (Peer * peer, GSocketAddress * to, GstBuffer * buffer)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (g_socket_send_to (peer->socket, to,
          (gchar *) map.data, map.size, NULL, NULL), map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static GstHarness *
make_encoder (guint suite, guint8 key, gboolean rtcp)
{
  GstElement *enc = gst_element_factory_make ("srtpenc", NULL);
  GstHarness *h;

  set_buffer (enc, "key", make_key (suites[suite].key_size, key));
  gst_util_set_object_arg (G_OBJECT (enc), "rtp-cipher", suites[suite].cipher);
  gst_util_set_object_arg (G_OBJECT (enc), "rtcp-cipher", suites[suite].cipher);
  gst_util_set_object_arg (G_OBJECT (enc), "rtp-auth", suites[suite].auth);
  gst_util_set_object_arg (G_OBJECT (enc), "rtcp-auth", suites[suite].auth);
  h = gst_harness_new_with_element (enc, rtcp ? "rtcp_sink_0" : "rtp_sink_0",
      rtcp ? "rtcp_src_0" : "rtp_src_0");
  gst_harness_set_src_caps_str (h, rtcp ? "application/x-rtcp" : CAPS);
  gst_object_unref (enc);
  return h;
}

/* One report of a packet, whatever its arrival. */
static GstBuffer *
make_report (guint32 ssrc, guint16 seq)
{
  PspCcfbMetric metric = {.received = true };
  PspCcfbPacker packer;
  guint8 data[64];
  PspWriter w = psp_writer (data, sizeof data);

  psp_ccfb_begin (&packer, &w, 5);
  psp_ccfb_stream (&packer, ssrc, seq);
  psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, 0);
  return gst_buffer_new_memdup (data, w.size);
}

/* pspsink to srtpdec; what srtpenc makes of a report counts there, and what
 * another one makes does not. */
GST_START_TEST (test_stock_receiver)
{
  GstElement *sink = make_sink (suites[__i__].name, "fixed");
  GstHarness *sender, *reporter, *stranger;
  guint32 ssrc = 0;
  Peer peer;

  open_peer (&peer, __i__, 1);
  set_keys (sink, suites[__i__].key_size, 1);
  sender = play_sink (sink, peer.port);
  reporter = make_encoder (__i__, 101, TRUE);
  stranger = make_encoder (__i__, 1, TRUE);
  for (guint16 seq = 0; seq < PACKETS; seq++) {
    gst_harness_push (sender, make_packet (seq));
    ssrc = check_packet (take (&peer, FALSE), seq);
    send_buffer (&peer, peer.other, gst_harness_push_and_pull (stranger,
            make_report (ssrc, seq)));
    send_buffer (&peer, peer.other, gst_harness_push_and_pull (reporter,
            make_report (ssrc, seq)));
  }
  wait_count (sender->element, "packets-acked", PACKETS);
  fail_unless_equals_uint64 (get_count (sender->element,
          "feedback-unauthenticated"), PACKETS);
  gst_harness_push_event (sender, gst_event_new_eos ());
  gst_buffer_unref (take (&peer, TRUE));
  gst_harness_teardown (reporter);
  gst_harness_teardown (stranger);
  gst_harness_teardown (sender);
  close_peer (&peer);
}

GST_END_TEST;

/* srtpenc to pspsrc; srtpdec reads its feedback. */
GST_START_TEST (test_stock_sender)
{
  GstElement *src = make_src (suites[__i__].name);
  GstHarness *receiver, *encoder = make_encoder (__i__, 1, FALSE);
  GInetAddress *address = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *to;
  GstBuffer *report;
  gint port;
  Peer peer;

  open_peer (&peer, __i__, 101);
  set_keys (src, suites[__i__].key_size, 1);
  receiver = play_src (src, &port);
  to = g_inet_socket_address_new (address, port);
  for (guint16 seq = 0; seq < PACKETS; seq++) {
    GstBuffer *packet = gst_harness_push_and_pull (encoder, make_packet (seq));

    send_buffer (&peer, to, gst_buffer_ref (packet));
    fail_unless_equals_int (check_packet (gst_harness_pull (receiver), seq),
        SSRC);
    /* A copy is a replay. */
    send_buffer (&peer, to, packet);
  }
  wait_count (receiver->element, "replayed", PACKETS);
  fail_unless_equals_uint64 (get_count (receiver->element, "packets"), PACKETS);
  report = take (&peer, TRUE);
  fail_unless (gst_buffer_get_size (report) >= 8);
  gst_buffer_unref (report);
  g_object_unref (to);
  g_object_unref (address);
  gst_harness_teardown (encoder);
  gst_harness_teardown (receiver);
  close_peer (&peer);
}

GST_END_TEST;

/* Keys that change while playing */

static GstBuffer *
answer_key (GstElement * element, GstBuffer * mki, guint * n_asked)
{
  guint8 n = 0;

  (void) element;
  ++*n_asked;
  if (mki)
    gst_buffer_extract (mki, 0, &n, 1);
  return make_key (28, n);
}

static void
count (GstElement * element, guint * n)
{
  (void) element;
  ++*n;
}

/* At each soft limit the application sets another key at the sender; the
 * receiver asks for what it sees, and not a packet is lost. */
GST_START_TEST (test_change)
{
  GstElement *src = make_src ("aes-128-gcm");
  GstElement *sink = make_sink ("aes-128-gcm", "poise");
  GstHarness *sender, *receiver;
  guint n_asked = 0, n_limits = 0, n_keys = 0;
  gint port;

  g_object_set (sink, "srtp-soft-limit", (guint64) 10, NULL);
  g_signal_connect (src, "request-key", G_CALLBACK (answer_key), &n_asked);
  g_signal_connect (sink, "soft-limit", G_CALLBACK (count), &n_limits);
  set_buffer (src, "srtp-mki", gst_buffer_new_memdup ("\0", 1));
  set_buffer (sink, "srtp-mki", gst_buffer_new_memdup ("\0", 1));
  set_buffer (sink, "srtp-key", make_key (28, 0));
  receiver = play_src (src, &port);
  fail_unless_equals_int (n_asked, 1);
  sender = play_sink (sink, port);
  for (guint16 seq = 0; seq < 100; seq++) {
    if (n_limits > n_keys) {
      guint8 mki = (guint8)++ n_keys;

      set_buffer (sink, "srtp-mki", gst_buffer_new_memdup (&mki, 1));
      set_buffer (sink, "srtp-key", make_key (28, mki));
    }
    gst_harness_push (sender, make_packet (seq));
    check_packet (gst_harness_pull (receiver), seq);
  }
  fail_unless (n_keys >= 5, "%u", n_keys);
  fail_unless_equals_int (n_asked, 1 + n_keys);
  fail_unless_equals_uint64 (get_count (receiver->element, "unauthenticated"),
      0);
  wait_count (sender->element, "packets-acked", 100);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_END_TEST;

/* Both ends are told each key, the receiver first: not a packet is lost, with
 * and without an MKI. */
GST_START_TEST (test_told)
{
  GstElement *src = make_src ("aes-128-gcm");
  GstElement *sink = make_sink ("aes-128-gcm", "poise");
  GstElement *elements[] = { src, sink };
  GstHarness *sender, *receiver;
  gint port;

  set_keys (src, 28, 0);
  set_keys (sink, 28, 0);
  receiver = play_src (src, &port);
  sender = play_sink (sink, port);
  for (guint16 seq = 0; seq < 100; seq++) {
    guint8 n = (guint8) (seq / 10);

    for (guint i = 0; seq % 10 == 0 && seq > 0 && i < 2; i++) {
      if (__i__)
        set_buffer (elements[i], "srtp-mki", gst_buffer_new_memdup (&n, 1));
      set_keys (elements[i], 28, n);
    }
    gst_harness_push (sender, make_packet (seq));
    check_packet (gst_harness_pull (receiver), seq);
  }
  wait_count (sender->element, "packets-acked", 100);
  fail_unless_equals_uint64 (get_count (receiver->element, "unauthenticated"),
      0);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_END_TEST;

/* With a passphrase they change by themselves, and not a packet is lost. */
GST_START_TEST (test_renewal)
{
  GstElement *src = make_src ("aes-256-gcm");
  GstElement *sink = make_sink ("aes-256-gcm", "poise");
  GstHarness *sender, *receiver;
  guint n_limits = 0;
  gint port;

  g_object_set (src, "passphrase", SECRET, NULL);
  g_object_set (sink, "passphrase", SECRET, "srtp-soft-limit", (guint64) 10,
      NULL);
  g_signal_connect (sink, "soft-limit", G_CALLBACK (count), &n_limits);
  receiver = play_src (src, &port);
  sender = play_sink (sink, port);
  for (guint16 seq = 65500; seq != 100; seq++) {
    gst_harness_push (sender, make_packet (seq));
    check_packet (gst_harness_pull (receiver), seq);
  }
  fail_unless (n_limits >= 10, "%u", n_limits);
  wait_count (sender->element, "packets-acked", 136);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_END_TEST;

/* Packets from `seq` on, as a list. */
static void
push_list (GstHarness * sender, guint16 seq, guint n)
{
  GstBufferList *list = gst_buffer_list_new_sized (n);

  for (guint i = 0; i < n; i++)
    gst_buffer_list_add (list, make_packet ((guint16) (seq + i)));
  fail_unless_equals_int (gst_pad_push_list (sender->srcpad, list),
      GST_FLOW_OK);
}

/* Packets of one size leave together (UDP_SEGMENT), where the kernel can. */
GST_START_TEST (test_segment)
{
  GstElement *src = make_src (suites[__i__].name);
  GstElement *sink = make_sink (suites[__i__].name, "none");
  GstHarness *sender, *receiver;
  GstStructure *stats;
  gboolean segment;
  gint port;

  set_keys (src, suites[__i__].key_size, 1);
  set_keys (sink, suites[__i__].key_size, 1);
  receiver = play_src (src, &port);
  sender = play_sink (sink, port);
  push_list (sender, 0, PACKETS);
  for (guint16 seq = 0; seq < PACKETS; seq++)
    check_packet (gst_harness_pull (receiver), seq);
  g_object_get (sender->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_boolean (stats, "segment", &segment));
  gst_structure_free (stats);
  if (segment)
    fail_unless (get_count (sender->element, "system-calls") < PACKETS / 2);
  else
    g_print ("skipped: this kernel has no UDP_SEGMENT\n");
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_END_TEST;

/* Who joins after sequence numbers have turned is told how often (RFC 3711 section
 * 3.3.1), within a second. */
GST_START_TEST (test_late_joiner)
{
  GstElement *src = make_src ("aes-128-gcm");
  GstElement *sink = make_sink ("aes-128-gcm", "none");
  GstHarness *sender, *receiver;
  GstBuffer *buffer = NULL;
  guint16 seq = 0;
  Peer nobody;
  gint port;

  open_peer (&nobody, 0, 1);
  set_keys (src, 28, 1);
  set_keys (sink, 28, 1);
  sender = play_sink (sink, nobody.port);
  for (guint i = 0; i < 70000; i += PACKETS, seq = (guint16) (seq + PACKETS))
    push_list (sender, seq, PACKETS);
  wait_count (sender->element, "packets-sent", 70000);
  receiver = play_src (src, &port);
  g_object_set (sender->element, "port", port, NULL);
  while (!buffer) {
    gst_harness_push (sender, make_packet (seq++));
    g_usleep (10000);
    buffer = gst_harness_try_pull (receiver);
  }
  gst_buffer_unref (buffer);
  close_peer (&nobody);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
}

GST_END_TEST;

/* What is not to be seen */

GST_START_TEST (test_secrets)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *sink = make_sink ("aes-128-gcm", "none");
  GstElement *src = make_src ("aes-128-gcm");
  GstElement *elements[] = { sink, src };
  gchar *dot;

  gst_bin_add_many (GST_BIN (pipeline), sink, src, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    static const gchar *const names[] = { "srtp-key", "srtp-feedback-key",
      "srtp-mki", "passphrase"
    };
    GError *error = NULL;

    set_keys (elements[i], 28, 1);
    g_object_set (elements[i], "passphrase", SECRET, NULL);
    for (guint n = 0; n < G_N_ELEMENTS (names); n++) {
      GParamSpec *pspec =
          g_object_class_find_property (G_OBJECT_GET_CLASS (elements[i]),
          names[n]);

      fail_unless (pspec && !(pspec->flags & G_PARAM_READABLE));
    }
    fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (elements[i]),
            "psp://127.0.0.1:5004?passphrase=" "0123456789", &error));
    fail_if (strstr (error->message, "0123456789"));
    g_clear_error (&error);
  }
  dot = gst_debug_bin_to_dot_data (GST_BIN (pipeline),
      GST_DEBUG_GRAPH_SHOW_VERBOSE | GST_DEBUG_GRAPH_SHOW_FULL_PARAMS);
  fail_if (strstr (dot, SECRET));
  g_free (dot);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static const gchar *leak;       /* atomic: what was found in the log */
static gint n_logged;           /* atomic */

/* A key as text, as it lies in memory, or as hexadecimal digits. */
static void
look_for_secret (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer hex)
{
  const gchar *text = gst_debug_message_get (message);
  gchar *lower = text ? g_ascii_strdown (text, -1) : NULL;

  (void) category;
  (void) level;
  (void) file;
  (void) line;
  (void) object;
  g_atomic_int_inc (&n_logged);
  if (lower && (strstr (lower, SECRET) || strstr (lower, hex)))
    g_atomic_pointer_set (&leak, function);
  g_free (lower);
}

static void
check_no_secret (GstElement * element, const gchar * hex)
{
  GstPad *pad = GST_PAD (element->pads->data);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstStructure *stats;
  gchar *texts[2];

  g_object_get (element, "stats", &stats, NULL);
  texts[0] = gst_structure_to_string (stats);
  texts[1] = gst_caps_to_string (caps);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    fail_if (strstr (texts[i], SECRET) || strstr (texts[i], hex), "%s",
        texts[i]);
    g_free (texts[i]);
  }
  gst_structure_free (stats);
  gst_caps_unref (caps);
}

/* Neither the log at its highest level, nor stats, nor caps have a key or the
 * passphrase, in a session in which keys are set, asked for and changed. */
GST_START_TEST (test_secrets_of_session)
{
  GstElement *src = make_src ("aes-128-gcm");
  GstElement *sink = make_sink ("aes-128-gcm", "poise");
  GstHarness *sender, *receiver;
  /* A thread that ends may still be logging when the function is removed. */
  static gchar hex[2 * sizeof SECRET];
  gint port;

  for (gsize i = 0; i < sizeof SECRET - 1; i++)
    g_snprintf (hex + 2 * i, 3, "%02x", (guint) SECRET[i]);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (look_for_secret, hex, NULL);
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_from_string ("9", TRUE);
  if (__i__) {
    g_object_set (src, "passphrase", SECRET, NULL);
    g_object_set (sink, "passphrase", SECRET, "srtp-soft-limit", (guint64) 10,
        NULL);
  } else {
    set_keys (src, 28, 0);
    set_keys (sink, 28, 0);
  }
  receiver = play_src (src, &port);
  sender = play_sink (sink, port);
  for (guint16 seq = 0; seq < PACKETS; seq++) {
    if (!__i__ && seq == PACKETS / 2) {
      set_keys (receiver->element, 28, 1);
      set_keys (sender->element, 28, 1);
    }
    gst_harness_push (sender, make_packet (seq));
    check_packet (gst_harness_pull (receiver), seq);
  }
  check_no_secret (sender->element, hex);
  check_no_secret (receiver->element, hex);
  gst_harness_teardown (sender);
  gst_harness_teardown (receiver);
  gst_debug_remove_log_function (look_for_secret);
  fail_if (g_atomic_pointer_get (&leak) != NULL, "%s",
      (gchar *) g_atomic_pointer_get (&leak));
  fail_unless (g_atomic_int_get (&n_logged) > PACKETS);
}

GST_END_TEST;

/* Nothing starts that would send in the clear what was to be encrypted. */
GST_START_TEST (test_refused)
{
  for (guint i = 0; i < 6; i++) {
    GstElement *element = i % 2 ? make_sink (i < 4 ? "aes-128-gcm" : "none",
        "none") : make_src (i < 4 ? "aes-128-gcm" : "none");
    GstBus *bus = gst_bus_new ();
    GstMessage *message;

    gst_element_set_bus (element, bus);
    if (i / 2 == 1)
      set_buffer (element, "srtp-key", make_key (27, 1));
    if (i / 2 == 2)
      g_object_set (element, "passphrase", SECRET, NULL);
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "%u", i);
    gst_message_unref (message);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (bus);
    gst_object_unref (element);
  }
}

GST_END_TEST;

static Suite *
srtplink_suite (void)
{
  Suite *s = suite_create ("srtplink");
  TCase *t = tcase_create ("srtplink");

  suite_add_tcase (s, t);
  tcase_add_test (t, test_libsrtp_is_loaded_when_needed);
  tcase_add_loop_test (t, test_pair, 0, 2 * N_SUITES);
  tcase_add_loop_test (t, test_strangers, 0, 2);
  tcase_add_test (t, test_change);
  tcase_add_loop_test (t, test_told, 0, 2);
  tcase_add_test (t, test_renewal);
  tcase_add_loop_test (t, test_segment, 0, N_SUITES);
  tcase_add_test (t, test_secrets);
  tcase_add_loop_test (t, test_secrets_of_session, 0, 2);
  tcase_add_test (t, test_refused);
  if (gst_registry_check_feature_version (gst_registry_get (), "srtpenc", 1,
          22, 0)) {
    tcase_add_test (t, test_late_joiner);
    tcase_add_loop_test (t, test_stock_receiver, 0, N_SUITES);
    tcase_add_loop_test (t, test_stock_sender, 0, N_SUITES);
  } else {
    g_print ("skipped: srtpenc and srtpdec are not installed\n");
  }
  return s;
}

GST_CHECK_MAIN (srtplink);
