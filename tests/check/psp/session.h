/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: pspsink, fed by a thread, and pspsrc, whose packets are checked
 * and counted. What is waited for has a limit; nothing else depends on time.
 */
#ifndef TEST_SESSION_H
#define TEST_SESSION_H

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <sys/socket.h>

#define HEADER 12
#define PAYLOAD 1000
#define PACKET_TIME (2 * GST_MSECOND)
#define WATCHDOG 40             /* s */
#define SENDER_CAPS "application/x-rtp, media=video, clock-rate=90000, " \
    "encoding-name=X, payload=96"
#define RECEIVER_CAPS "application/x-rtp,media=video,clock-rate=90000," \
    "encoding-name=X,payload=96"

/* Waits until the condition holds. */
#define WAIT_UNTIL(condition, ...) \
  do { \
    gint64 wait_end = g_get_monotonic_time () + WATCHDOG * G_TIME_SPAN_SECOND; \
    while (!(condition)) { \
      fail_unless (g_get_monotonic_time () < wait_end, __VA_ARGS__); \
      g_usleep (2000); \
    } \
  } while (0)

/* A field of stats, whatever its kind of number; 1 for TRUE. */
static inline gdouble
session_stat (GstElement * element, const gchar * field)
{
  GValue number = G_VALUE_INIT;
  GstStructure *stats;
  const GValue *value;
  gdouble n;

  g_object_get (element, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, field);
  fail_unless (value != NULL, "no %s", field);
  g_value_init (&number, G_TYPE_DOUBLE);
  if (G_VALUE_HOLDS_BOOLEAN (value))
    g_value_set_double (&number, g_value_get_boolean (value));
  else
    fail_unless (g_value_transform (value, &number));
  n = g_value_get_double (&number);
  gst_structure_free (stats);
  return n;
}

static inline gchar *
session_text (GstElement * element, const gchar * field)
{
  GstStructure *stats;
  gchar *text;

  g_object_get (element, "stats", &stats, NULL);
  text = g_strdup (gst_structure_get_string (stats, field));
  gst_structure_free (stats);
  return text;
}

static inline gboolean
session_link_is (GstElement * sink, const gchar * state)
{
  gchar *text = session_text (sink, "link-state");
  gboolean same = g_str_equal (text, state);

  g_free (text);
  return same;
}

/* How many warnings wait on the bus. Each must hold part; an error, or a warning
 * where part is NULL, fails the test. */
static inline guint
session_warnings (GstBus * bus, const gchar * part)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus,
              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))) {
    GError *error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    fail_unless (part && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING &&
        strstr (error->message, part), "unexpected: %s", error->message);
    n++;
    g_error_free (error);
    gst_message_unref (message);
  }
  return n;
}

/* Sender */

typedef struct
{
  GstHarness *h;
  GstElement *sink;
  GstBus *bus;

  /* Media, set before sender_feed(). */
  guint32 ssrc;
  guint16 next_seq;
  gsize payload;

  guint64 n_made;
  GThread *thread;
  gint stop;                    /* atomic */
} Sender;

static inline GstBuffer *
sender_packet (Sender * s, gsize payload)
{
  guint8 *data = g_malloc (HEADER + payload);
  guint16 seq = s->next_seq++;
  GstBuffer *buffer;

  data[0] = 0x80;
  data[1] = 96;
  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 4, seq * 300);
  GST_WRITE_UINT32_BE (data + 8, s->ssrc);
  for (gsize i = 0; i < payload; i++)
    data[HEADER + i] = (guint8) (seq * 7 + i);
  buffer = gst_buffer_new_wrapped (data, HEADER + payload);
  /* It limits the queue while no rate is known. */
  GST_BUFFER_PTS (buffer) = s->n_made++ * PACKET_TIME;
  return buffer;
}

/* Playing afterwards. */
static inline void
sender_init (Sender * s, guint16 port, const gchar * first_property, ...)
{
  va_list args;

  memset (s, 0, sizeof *s);
  s->ssrc = 0x11223344;
  s->payload = PAYLOAD;
  s->bus = gst_bus_new ();
  s->sink = gst_element_factory_make ("pspsink", NULL);
  fail_unless (s->sink != NULL);
  gst_object_ref_sink (s->sink);
  g_object_set (s->sink, "host", "127.0.0.1", "port", (gint) port, "sync",
      FALSE, NULL);
  va_start (args, first_property);
  if (first_property)
    g_object_set_valist (G_OBJECT (s->sink), first_property, args);
  va_end (args);
  gst_element_set_bus (s->sink, s->bus);
  s->h = gst_harness_new_with_element (s->sink, "sink", NULL);
  gst_harness_set_src_caps_str (s->h, SENDER_CAPS);
}

static inline gpointer
sender_run (gpointer data)
{
  Sender *s = data;

  while (!g_atomic_int_get (&s->stop) &&
      gst_pad_push (s->h->srcpad, sender_packet (s, s->payload)) ==
      GST_FLOW_OK);
  return NULL;
}

/* Pushes as fast as the sink takes it, from a thread. */
static inline void
sender_feed (Sender * s)
{
  g_atomic_int_set (&s->stop, 0);
  s->thread = g_thread_new ("feed", sender_run, s);
}

/* Nothing waits in the sink afterwards. */
static inline void
sender_rest (Sender * s)
{
  g_atomic_int_set (&s->stop, 1);
  g_thread_join (g_steal_pointer (&s->thread));
  WAIT_UNTIL (session_stat (s->sink, "queue-packets") == 0,
      "the queue does not empty");
}

static inline void
sender_clear (Sender * s)
{
  g_atomic_int_set (&s->stop, 1);
  gst_element_set_state (s->sink, GST_STATE_NULL);
  if (s->thread)
    g_thread_join (s->thread);
  gst_harness_teardown (s->h);
  gst_element_set_bus (s->sink, NULL);
  gst_bus_set_flushing (s->bus, TRUE);
  ASSERT_OBJECT_REFCOUNT (s->sink, "pspsink", 1);
  gst_object_unref (s->sink);
  gst_object_unref (s->bus);
}

/* What was sent is acknowledged, lost or in flight, always. */
static inline void
sender_check_sums (Sender * s)
{
  guint64 sent, acked, lost, recovered, in_flight;
  GstStructure *stats;

  g_object_get (s->sink, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "packets-sent", G_TYPE_UINT64, &sent,
          "packets-acked", G_TYPE_UINT64, &acked, "packets-lost",
          G_TYPE_UINT64, &lost, "packets-recovered", G_TYPE_UINT64,
          &recovered, "in-flight", G_TYPE_UINT64, &in_flight, NULL));
  gst_structure_free (stats);
  fail_unless (recovered <= lost);
  fail_unless_equals_uint64 (sent, acked + (lost - recovered) + in_flight);
}

/* Receiver */

typedef struct
{
  GstElement *pipeline, *src;
  GstBus *bus;
  gint port;

  GMutex lock;
  guint32 ssrc;                 /* the one that is counted */
  guint n;                      /* packets */
  guint n_distinct;
  guint n_damaged;
  guint8 seen[65536];
} Receiver;

static inline gboolean
receiver_note (GstBuffer ** buffer, guint index, gpointer data)
{
  Receiver *r = data;
  gboolean intact = TRUE;
  GstMapInfo map;
  guint16 seq;

  (void) index;
  g_mutex_lock (&r->lock);
  if (gst_buffer_map (*buffer, &map, GST_MAP_READ)) {
    if (map.size >= HEADER && GST_READ_UINT32_BE (map.data + 8) == r->ssrc) {
      seq = GST_READ_UINT16_BE (map.data + 2);
      for (gsize i = HEADER; i < map.size; i++)
        intact &= map.data[i] == (guint8) (seq * 7 + i - HEADER);
      r->n++;
      r->n_distinct += r->seen[seq] == 0;
      r->n_damaged += !intact;
      r->seen[seq] = 1;
    }
    gst_buffer_unmap (*buffer, &map);
  }
  g_mutex_unlock (&r->lock);
  return TRUE;
}

static inline GstPadProbeReturn
receiver_count (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer;

  (void) pad;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    gst_buffer_list_foreach (GST_PAD_PROBE_INFO_BUFFER_LIST (info),
        receiver_note, data);
  } else {
    buffer = GST_PAD_PROBE_INFO_BUFFER (info);
    receiver_note (&buffer, 0, data);
  }
  return GST_PAD_PROBE_OK;
}

/* Room for what comes while this machine has other things to do. */
static inline void
receiver_enlarge_buffer (Receiver * r)
{
  GSocket *socket;

  g_object_get (r->src, "used-socket", &socket, NULL);
  if (!g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20, NULL))
    g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, 8 << 20, NULL);
  g_object_unref (socket);
}

static inline void
receiver_play (Receiver * r)
{
  g_object_set (r->src, "port", r->port, NULL);
  fail_if (gst_element_set_state (r->pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  fail_if (gst_element_get_state (r->pipeline, NULL, NULL,
          WATCHDOG * GST_SECOND) == GST_STATE_CHANGE_FAILURE);
  g_object_get (r->src, "port", &r->port, NULL);
  fail_unless (r->port > 0);
  receiver_enlarge_buffer (r);
}

/* Playing afterwards; on a socket if given, else on a free port. */
static inline void
receiver_init (Receiver * r, GSocket * socket)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *pad;

  memset (r, 0, sizeof *r);
  g_mutex_init (&r->lock);
  r->ssrc = 0x11223344;
  r->pipeline = gst_pipeline_new (NULL);
  r->src = gst_element_factory_make ("pspsrc", NULL);
  fail_unless (r->src && sink);
  g_object_set (r->src, "address", "127.0.0.1", "socket", socket, NULL);
  gst_util_set_object_arg (G_OBJECT (r->src), "caps", RECEIVER_CAPS);
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add_many (GST_BIN (r->pipeline), r->src, sink, NULL);
  fail_unless (gst_element_link (r->src, sink));
  pad = gst_element_get_static_pad (r->src, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_BUFFER_LIST, receiver_count, r, NULL);
  gst_object_unref (pad);
  r->bus = gst_element_get_bus (r->pipeline);
  receiver_play (r);
}

static inline void
receiver_clear (Receiver * r)
{
  gst_element_set_state (r->pipeline, GST_STATE_NULL);
  fail_unless_equals_int (r->n_damaged, 0);
  gst_object_unref (r->bus);
  ASSERT_OBJECT_REFCOUNT (r->pipeline, "pipeline", 1);
  gst_object_unref (r->pipeline);
  g_mutex_clear (&r->lock);
}

/* Packets of the stream so far, each counted once. */
static inline guint
receiver_got (Receiver * r)
{
  guint n;

  g_mutex_lock (&r->lock);
  n = r->n_distinct;
  g_mutex_unlock (&r->lock);
  return n;
}

/* Counts another stream from now on. */
static inline void
receiver_expect (Receiver * r, guint32 ssrc)
{
  g_mutex_lock (&r->lock);
  r->ssrc = ssrc;
  r->n = r->n_distinct = 0;
  memset (r->seen, 0, sizeof r->seen);
  g_mutex_unlock (&r->lock);
}

/* n more from now on. */
static inline void
receiver_wait_more (Receiver * r, guint n)
{
  guint goal = receiver_got (r) + n;

  WAIT_UNTIL (receiver_got (r) >= goal, "no media arrives");
}

static inline void
wait_feedback (Sender * s, guint n)
{
  gdouble goal = session_stat (s->sink, "feedback-received") + n;

  WAIT_UNTIL (session_stat (s->sink, "feedback-received") >= goal,
      "no feedback arrives");
}

#endif
