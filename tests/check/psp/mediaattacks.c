/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What others send to a pspsrc under SRTP beside its sender, a pspsink whose packets
 * pass through a socket of the test: copies that are faster, a recording while the
 * sender rests, packets under keys that nobody has. Each packet of the sender is
 * delivered, and the sender is answered.
 */
#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "play.h"

#define SSRC 0x01020304
#define HEADER 12
#define PAYLOAD 1000
#define PACKETS 40
#define WATCHDOG 20             /* s */
#define PASSPHRASE "nobody else has heard it"
#define KEY_SIZE 28
#define N_STRANGERS 30

typedef struct
{
  GstHarness *sender, *receiver;
  GSocket *network;             /* the sender sends to it */
  GSocket *path;                /* sends to the receiver */
  GSocketAddress *sender_address, *receiver_address;
  guint16 seq;
} Session;

typedef struct
{
  gchar data[2000];
  gssize size;
} Packet;

static GSocket *
open_socket (const gchar * address)
{
  GSocketAddress *local = g_inet_socket_address_new_from_string (address, 0);
  GSocket *s = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);

  g_socket_set_timeout (s, WATCHDOG);
  fail_unless (g_socket_bind (s, local, FALSE, NULL));
  g_object_unref (local);
  return s;
}

static gint
port_of (GSocket * socket)
{
  GSocketAddress *local = g_socket_get_local_address (socket, NULL);
  gint port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local));

  g_object_unref (local);
  return port;
}

static GstElement *
make_element (const gchar * name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  gst_util_set_object_arg (G_OBJECT (element), "srtp-suite", "aes-128-gcm");
  return element;
}

/* Takes the element. */
static GstHarness *
play_sender (GstElement * sink, GSocket * network)
{
  g_object_set (sink, "host", "127.0.0.1", "controller", "none", "sync", FALSE,
      NULL);
  return play_sink (sink, port_of (network));
}

/* Takes the elements. */
static void
open_session (Session * s, GstElement * src, GstElement * sink)
{
  gint port;

  s->network = open_socket ("127.0.0.1");
  s->path = open_socket ("127.0.0.1");
  s->sender_address = NULL;
  s->seq = 0;
  g_object_set (src, "address", "127.0.0.1", "port", 0, NULL);
  gst_util_set_object_arg (G_OBJECT (src), "caps", CAPS);
  s->receiver = play_src (src, &port);
  s->receiver_address =
      g_inet_socket_address_new_from_string ("127.0.0.1", port);
  s->sender = play_sender (sink, s->network);
}

static void
close_session (Session * s)
{
  gst_harness_teardown (s->sender);
  gst_harness_teardown (s->receiver);
  g_clear_object (&s->sender_address);
  g_object_unref (s->receiver_address);
  g_object_unref (s->network);
  g_object_unref (s->path);
}

static guint64
get_count (GstHarness * h, const gchar * field)
{
  GstStructure *stats;
  guint64 count;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &count), "%s", field);
  gst_structure_free (stats);
  return count;
}

/* What leaves for packet `seq`; the RTCP of the sender does not. */
static void
make_packet (GstHarness * sender, GSocket * network, guint16 seq,
    GSocketAddress ** from, Packet * p)
{
  guint8 data[HEADER + PAYLOAD] = { 0x80, 96 };

  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, SSRC);
  fail_unless_equals_int (gst_harness_push (sender,
          gst_buffer_new_memdup (data, sizeof data)), GST_FLOW_OK);
  do {
    g_clear_object (from);
    p->size = g_socket_receive_from (network, from, p->data, sizeof p->data,
        NULL, NULL);
    fail_unless (p->size > HEADER);
  } while ((guint8) p->data[1] != 96);
}

static void
send_packet (const Session * s, GSocket * from, const Packet * p)
{
  fail_unless_equals_int (g_socket_send_to (from, s->receiver_address, p->data,
          p->size, NULL, NULL), p->size);
}

static guint16
pull_seq (Session * s)
{
  GstBuffer *buffer = gst_harness_pull (s->receiver);
  guint8 seq[2];

  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_extract (buffer, 2, seq, 2), 2);
  gst_buffer_unref (buffer);
  return GST_READ_UINT16_BE (seq);
}

/* The next packet of the sender, sent first by a stranger where there is one. */
static void
pass (Session * s, GSocket * stranger)
{
  Packet p;

  make_packet (s->sender, s->network, s->seq, &s->sender_address, &p);
  if (stranger)
    send_packet (s, stranger, &p);
  send_packet (s, s->path, &p);
  fail_unless_equals_int (pull_seq (s), s->seq);
  s->seq++;
}

/* Until the receiver's answers have told the sender of this many packets. */
static void
wait_acked (Session * s, guint64 n)
{
  gint64 end = g_get_monotonic_time () + WATCHDOG * G_TIME_SPAN_SECOND;
  Packet p;

  while (get_count (s->sender, "packets-acked") < n) {
    fail_unless (g_get_monotonic_time () < end);
    p.size = g_socket_receive_from (s->path, NULL, p.data, sizeof p.data, NULL,
        NULL);
    fail_unless (p.size > 0);
    g_socket_send_to (s->network, s->sender_address, p.data, p.size, NULL,
        NULL);
    g_usleep (1000);
  }
}

static void
open_with_passphrase (Session * s)
{
  GstElement *src = make_element ("pspsrc"), *sink = make_element ("pspsink");

  g_object_set (src, "passphrase", PASSPHRASE, NULL);
  g_object_set (sink, "passphrase", PASSPHRASE, NULL);
  open_session (s, src, sink);
}

/* From another port, and from another host: they do not use up the numbers of the
 * sender's packets. */
GST_START_TEST (test_copies)
{
  GSocket *stranger = open_socket (__i__ ? "127.0.0.2" : "127.0.0.1");
  Session s;

  open_with_passphrase (&s);
  pass (&s, NULL);
  while (s.seq < PACKETS)
    pass (&s, stranger);
  fail_unless_equals_uint64 (get_count (s.receiver, "foreign-packets"),
      PACKETS - 1);
  fail_unless_equals_uint64 (get_count (s.receiver, "replayed"), 0);
  wait_acked (&s, PACKETS);
  g_object_unref (stranger);
  close_session (&s);
}

GST_END_TEST;

static void
record (Packet * p)
{
  GstElement *sink = make_element ("pspsink");
  GSocket *network = open_socket ("127.0.0.1");
  GSocketAddress *from = NULL;
  GstHarness *earlier;

  g_object_set (sink, "passphrase", PASSPHRASE, NULL);
  earlier = play_sender (sink, network);
  make_packet (earlier, network, 30000, &from, p);
  g_object_unref (from);
  gst_harness_teardown (earlier);
  g_object_unref (network);
}

/* Of an earlier run, played while the sender rests: it is delivered, for it is
 * authentic, but with its next packet the sender is the peer again. */
GST_START_TEST (test_recording)
{
  GSocket *stranger = open_socket ("127.0.0.2");
  GstBuffer *buffer = NULL;
  Packet recorded;
  Session s;

  record (&recorded);
  open_with_passphrase (&s);
  pass (&s, NULL);
  while (!buffer) {
    send_packet (&s, stranger, &recorded);
    g_usleep (10000);
    buffer = gst_harness_try_pull (s.receiver);
  }
  gst_buffer_unref (buffer);
  while (s.seq < PACKETS)
    pass (&s, NULL);
  wait_acked (&s, PACKETS);
  g_object_unref (stranger);
  close_session (&s);
}

GST_END_TEST;

static GstBuffer *
make_key (guint8 n)
{
  GstBuffer *key = gst_buffer_new_allocate (NULL, KEY_SIZE, NULL);

  gst_buffer_memset (key, 0, n, KEY_SIZE);
  return key;
}

/* An application that has a key for whoever asks. */
static GstBuffer *
answer_key (GstElement * element, GstBuffer * mki, gint * n_asked)
{
  guint8 n = 0;

  (void) element;
  g_atomic_int_inc (n_asked);
  if (mki)
    gst_buffer_extract (mki, 0, &n, 1);
  return make_key (n);
}

/* Under MKIs that a stranger wrote, and the application has a key for each: the one
 * in use stays. */
GST_START_TEST (test_strangers_keys)
{
  GstElement *src = make_element ("pspsrc"), *sink = make_element ("pspsink");
  GstElement *elements[] = { src, sink };
  GSocket *stranger = open_socket ("127.0.0.2");
  gint n_asked = 0;             /* atomic */
  Session s;
  Packet p;

  g_signal_connect (src, "request-key", G_CALLBACK (answer_key), &n_asked);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstBuffer *mki = gst_buffer_new_memdup ("\0", 1), *key = make_key (0);

    g_object_set (elements[i], "srtp-mki", mki, "srtp-key", key, NULL);
    gst_buffer_unref (mki);
    gst_buffer_unref (key);
  }
  open_session (&s, src, sink);
  pass (&s, NULL);
  for (guint8 mki = 1; mki <= N_STRANGERS; mki++) {
    gint64 end = g_get_monotonic_time () + WATCHDOG * G_TIME_SPAN_SECOND;

    make_packet (s.sender, s.network, s.seq++, &s.sender_address, &p);
    p.data[p.size - 1] = mki;
    send_packet (&s, stranger, &p);
    while (g_atomic_int_get (&n_asked) < mki) {
      fail_unless (g_get_monotonic_time () < end, "MKI %u", mki);
      g_usleep (1000);
    }
    pass (&s, NULL);
  }
  wait_acked (&s, 1 + N_STRANGERS);
  fail_unless_equals_uint64 (get_count (s.receiver, "packets"),
      1 + N_STRANGERS);
  g_object_unref (stranger);
  close_session (&s);
}

GST_END_TEST;

static Suite *
mediaattacks_suite (void)
{
  Suite *s = suite_create ("psp-mediaattacks");
  TCase *t = tcase_create ("attacks");

  suite_add_tcase (s, t);
  tcase_set_timeout (t, 60);
  tcase_add_loop_test (t, test_copies, 0, 2);
  tcase_add_test (t, test_recording);
  tcase_add_test (t, test_strangers_keys);
  return s;
}

GST_CHECK_MAIN (mediaattacks);
