/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * itcpsink that is given buffers, and sockets that receive them: what its
 * tests have in common.
 */
#ifndef ITCP_SENDING_H
#define ITCP_SENDING_H

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dropinput.h"

#ifdef __SANITIZE_THREAD__
/* GTask counts its references in code that ThreadSanitizer does not see. */
const char *__tsan_default_suppressions (void);
const char *
__tsan_default_suppressions (void)
{
  return "race:libgio-2.0.so\n";
}
#endif

/* Nothing is asserted about how long anything takes: under valgrind libbpf takes
 * ten seconds of a processor to load a program, at each connection of root's. */
#define MAX_WAIT 60             /* s */

#define WAIT_UNTIL(condition, what) G_STMT_START { \
  gint64 end = g_get_monotonic_time () + MAX_WAIT * G_TIME_SPAN_SECOND; \
  while (!(condition)) { \
    fail_unless (g_get_monotonic_time () < end, what); \
    g_usleep (1000); \
  } \
} G_STMT_END

#define SIZE 1000               /* of a buffer */

typedef struct
{
  GSocket *listener;
  guint16 port;
} Receiver;

static G_GNUC_UNUSED GSocket *
listen_at (const gchar * address, guint16 port)
{
  GSocketAddress *a = g_inet_socket_address_new_from_string (address, port);
  GSocket *s = g_socket_new (g_socket_address_get_family (a),
      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);

  /* Small, to be full soon; connections inherit it. */
  g_socket_set_option (s, SOL_SOCKET, SO_RCVBUF, 8192, NULL);
  fail_unless (g_socket_bind (s, a, TRUE, NULL));
  fail_unless (g_socket_listen (s, NULL));
  g_object_unref (a);
  return s;
}

static G_GNUC_UNUSED void
receiver_init_at (Receiver * r, const gchar * address)
{
  GSocketAddress *a;

  r->listener = listen_at (address, 0);
  a = g_socket_get_local_address (r->listener, NULL);
  r->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (a));
  g_object_unref (a);
}

static G_GNUC_UNUSED void
receiver_init (Receiver * r)
{
  receiver_init_at (r, "127.0.0.1");
}

static G_GNUC_UNUSED void
receiver_clear (Receiver * r)
{
  g_clear_object (&r->listener);
}

static G_GNUC_UNUSED GSocket *
receiver_accept (Receiver * r)
{
  GSocket *s;

  fail_unless (g_socket_condition_timed_wait (r->listener, G_IO_IN,
          MAX_WAIT * G_TIME_SPAN_SECOND, NULL, NULL));
  s = g_socket_accept (r->listener, NULL, NULL);
  fail_unless (s != NULL);
  return s;
}

static G_GNUC_UNUSED void
read_all (GSocket * s, guint8 * data, gsize size)
{
  while (size > 0) {
    gssize n;

    fail_unless (g_socket_condition_timed_wait (s, G_IO_IN,
            MAX_WAIT * G_TIME_SPAN_SECOND, NULL, NULL));
    n = g_socket_receive (s, (gchar *) data, size, NULL, NULL);
    fail_unless (n > 0);
    data += n;
    size -= (gsize) n;
  }
}

/* Bytes that say where they are. In pieces: valgrind takes seconds for millions
 * one by one. */
static G_GNUC_UNUSED guint8 *
make_bytes (guint number, gsize size)
{
  guint8 *bytes = g_malloc (size);
  guint8 piece[256];

  for (guint i = 0; i < sizeof piece; i++)
    piece[i] = (guint8) (number + i * 7);
  for (gsize at = 0; at < size; at += sizeof piece)
    memcpy (bytes + at, piece, MIN (sizeof piece, size - at));
  return bytes;
}

static G_GNUC_UNUSED GstBuffer *
make_buffer (guint number, gsize size)
{
  return gst_buffer_new_wrapped (make_bytes (number, size), size);
}

static G_GNUC_UNUSED void
expect_buffer (GSocket * s, guint number, gsize size)
{
  guint8 *expected = make_bytes (number, size);
  guint8 *data = g_malloc (size);

  read_all (s, data, size);
  fail_unless (memcmp (data, expected, size) == 0, "buffer %u differs", number);
  g_free (data);
  g_free (expected);
}

/* One of those that sender_start() sends, from its first byte on. Returns its
 * number, of 8 bits. */
static G_GNUC_UNUSED guint
expect_any_buffer (GSocket * s, gsize size)
{
  guint8 *data = g_malloc (size), *expected;
  guint number;

  read_all (s, data, size);
  number = data[0];
  expected = make_bytes (number, size);
  fail_unless (memcmp (data, expected, size) == 0, "a buffer differs");
  g_free (data);
  g_free (expected);
  return number;
}

typedef struct
{
  GstHarness *h;
  GstElement *sink;
  GstBus *bus;
  GThread *thread;
  gint pushed;                  /* atomic */
  gint flow;                    /* atomic */
  gsize size;
} Sender;

/* With the source of events that everyone has, root too; bpf.c tests the other,
 * whose program takes valgrind 9 s to load. */
static G_GNUC_UNUSED void
sender_init (Sender * s, const gchar * property, ...)
{
  va_list args;

  memset (s, 0, sizeof *s);
  s->size = SIZE;
  s->sink = gst_check_setup_element ("itcpsink");
  g_object_set (s->sink, "sync", FALSE, "host", "127.0.0.1", NULL);
  gst_util_set_object_arg (G_OBJECT (s->sink), "event-source", "error-queue");
  va_start (args, property);
  g_object_set_valist (G_OBJECT (s->sink), property, args);
  va_end (args);
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->sink, s->bus);
  s->h = gst_harness_new_with_element (s->sink, "sink", NULL);
  gst_harness_set_src_caps_str (s->h, "application/octet-stream");
}

static G_GNUC_UNUSED void
sender_clear (Sender * s)
{
  gst_element_set_state (s->sink, GST_STATE_NULL);
  if (s->thread)
    g_thread_join (s->thread);
  gst_element_set_bus (s->sink, NULL);
  gst_object_unref (s->bus);
  gst_harness_teardown (s->h);
  gst_check_teardown_element (s->sink);
}

static G_GNUC_UNUSED void
sender_push (Sender * s, guint number)
{
  fail_unless_equals_int (gst_harness_push (s->h, make_buffer (number,
              s->size)), GST_FLOW_OK);
}

/* Buffers without end, by a thread that may be blocked. */
static G_GNUC_UNUSED gpointer
push_all (gpointer data)
{
  Sender *s = data;
  GstFlowReturn flow;

  do {
    flow = gst_harness_push (s->h,
        make_buffer ((guint) g_atomic_int_get (&s->pushed), s->size));
    if (flow == GST_FLOW_OK)
      g_atomic_int_inc (&s->pushed);
  } while (flow == GST_FLOW_OK);
  g_atomic_int_set (&s->flow, flow);
  return NULL;
}

static G_GNUC_UNUSED void
sender_start (Sender * s)
{
  s->thread = g_thread_new ("push", push_all, s);
}

/* Blocked, most likely: nothing more has gone in for a while. What has to hold
 * then is waited for. */
static G_GNUC_UNUSED void
sender_wait_blocked (Sender * s)
{
  gint before;

  do {
    before = g_atomic_int_get (&s->pushed);
    g_usleep (50000);
  } while (g_atomic_int_get (&s->pushed) != before || before == 0);
}

static G_GNUC_UNUSED guint64
stat_of (GstElement * sink, const gchar * name)
{
  GstStructure *stats;
  const GValue *v;
  guint64 value;

  g_object_get (sink, "stats", &stats, NULL);
  v = gst_structure_get_value (stats, name);
  fail_unless (v != NULL, "no %s", name);
  value = G_VALUE_HOLDS_UINT (v) ? g_value_get_uint (v) :
      g_value_get_uint64 (v);
  gst_structure_free (stats);
  return value;
}

static G_GNUC_UNUSED gboolean
state_is (GstElement * sink, const gchar * state)
{
  GstStructure *stats;
  gboolean is;

  g_object_get (sink, "stats", &stats, NULL);
  is = g_str_equal (gst_structure_get_string (stats, "state"), state);
  gst_structure_free (stats);
  return is;
}

/* The next of this type, which says that. */
static G_GNUC_UNUSED void
expect_message (GstBus * bus, GstMessageType type, const gchar * part)
{
  GstMessage *m = gst_bus_timed_pop_filtered (bus, MAX_WAIT * GST_SECOND, type);
  GError *error = NULL;

  fail_unless (m != NULL, "no message about %s", part);
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (m, &error, NULL);
  else
    gst_message_parse_warning (m, &error, NULL);
  fail_unless (strstr (error->message, part) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (m);
}

/* The next congestion event that went upstream. */
static G_GNUC_UNUSED GstCongestionInfo *
pull_event (GstHarness * h)
{
  GstCongestionInfo *info = NULL;
  GstEvent *event;

  while (!info) {
    WAIT_UNTIL ((event = gst_harness_try_pull_upstream_event (h)) != NULL,
        "no event");
    if (gst_is_congestion_event (event))
      fail_unless (gst_congestion_event_parse (event, &info));
    gst_event_unref (event);
  }
  return info;
}

static G_GNUC_UNUSED GstCongestionInfo *
pop_congestion (GstBus * bus)
{
  GstCongestionInfo *info = NULL;

  while (!info) {
    GstMessage *m = gst_bus_timed_pop_filtered (bus, MAX_WAIT * GST_SECOND,
        GST_MESSAGE_ELEMENT);

    fail_unless (m != NULL, "no message");
    if (gst_is_congestion_message (m))
      fail_unless (gst_congestion_message_parse (m, &info));
    gst_message_unref (m);
  }
  return info;
}

static G_GNUC_UNUSED gboolean
have_ipv6 (void)
{
  GSocket *s = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL);
  GSocketAddress *a = g_inet_socket_address_new_from_string ("::1", 0);
  gboolean have = s && g_socket_bind (s, a, TRUE, NULL);

  g_clear_object (&s);
  g_object_unref (a);
  return have;
}

#endif
