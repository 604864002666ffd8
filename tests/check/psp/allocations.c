/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a packet allocates on its way through pspsink and pspsrc, once both have
 * seen their largest batch: nothing. Buffers are made beforehand; what pspsrc's
 * streaming thread may allocate is the list in which it pushes a batch. An event
 * takes some allocations. Debug output of the elements (GST_DEBUG) would be
 * counted.
 */
#include <unistd.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#ifdef TEST_ALLOCATIONS
#include "allocations.h"
#include <control/controller.h>
#include "udp.h"

#define CAPS "application/x-rtp, media=video, clock-rate=90000, " \
    "encoding-name=X, payload=96"
#define HEADER 12
#define PAYLOAD 200
#define LIST 8                  /* packets: pushed as a list or one by one */
#define BACKLOG 128             /* … that wait for pspsrc at once, at first */
#define WARM 18432              /* past the packets that a sender remembers */
#define COUNTED 4096
#define ROUNDS 20               /* of these, mostly one is enough */
#define N_PACKETS (ROUNDS * BACKLOG + WARM + COUNTED)
#define AHEAD 64                /* on the way: fits any receive buffer */
#define EVENT 30                /* allocations for an event and its message */
#define HAND_OVER 16            /* to give an event to a thread, maybe a new one */
#define PAD 60                  /* allocations for a pad */
#define WATCHDOG 40             /* s */

typedef struct
{
  GstBuffer *buffers[N_PACKETS];
  GstBufferList *lists[N_PACKETS / LIST];
  GstHarness *sender;
  GstElement *source;
  GstPad *end;                  /* behind it */
  guint n_pushed;

  GMutex lock;
  GCond cond;
  gboolean hold;                /* the source's thread */
  guint n_taken, n_lists;
  guint longest;                /* list */
} Session;

/* As a payloader makes them: header and payload apart. */
static GstBuffer *
make_packet (guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, HEADER, NULL);
  guint8 header[HEADER] = { 0x80, 96 };

  GST_WRITE_UINT16_BE (header + 2, (guint16) (65000 + i));
  GST_WRITE_UINT32_BE (header + 4, i / LIST * 3600);
  GST_WRITE_UINT32_BE (header + 8, 0x01020304);
  gst_buffer_fill (buffer, 0, header, HEADER);
  gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, PAYLOAD, NULL));
  return buffer;
}

static void
make_packets (Session * s)
{
  for (guint i = 0; i < N_PACKETS; i++) {
    if (i % LIST == 0)
      s->lists[i / LIST] = gst_buffer_list_new_sized (LIST);
    s->buffers[i] = make_packet (i);
    gst_buffer_list_add (s->lists[i / LIST], gst_buffer_ref (s->buffers[i]));
  }
}

/* n: as a list where is_list, else 1. */
static void
take (Session * s, guint n, gboolean is_list)
{
  g_mutex_lock (&s->lock);
  while (s->hold)
    g_cond_wait (&s->cond, &s->lock);
  s->n_taken += n;
  s->n_lists += is_list;
  s->longest = MAX (s->longest, n);
  g_cond_broadcast (&s->cond);
  g_mutex_unlock (&s->lock);
}

static GstFlowReturn
take_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  (void) parent;
  take (gst_pad_get_element_private (pad), 1, FALSE);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static GstFlowReturn
take_list (GstPad * pad, GstObject * parent, GstBufferList * list)
{
  (void) parent;
  take (gst_pad_get_element_private (pad), gst_buffer_list_length (list), TRUE);
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

static void
set_hold (Session * s, gboolean hold)
{
  g_mutex_lock (&s->lock);
  s->hold = hold;
  g_cond_broadcast (&s->cond);
  g_mutex_unlock (&s->lock);
}

/* fail_unless() allocates even where nothing fails; what is counted does
 * without. */
static void
wait_taken (Session * s, guint n)
{
  gint64 end = g_get_monotonic_time () + WATCHDOG * G_TIME_SPAN_SECOND;

  g_mutex_lock (&s->lock);
  while (s->n_taken < n)
    if (!g_cond_wait_until (&s->cond, &s->lock, end))
      fail ("only %u of %u packets arrived", s->n_taken, s->n_pushed);
  g_mutex_unlock (&s->lock);
}

static gint
start_source (Session * s)
{
  GstPad *pad;
  gint port;

  s->source = gst_element_factory_make ("pspsrc", "source");
  fail_unless (s->source != NULL);
  g_object_set (s->source, "address", "127.0.0.1", "port", 0, "buffer-size",
      1 << 20, NULL);
  gst_util_set_object_arg (G_OBJECT (s->source), "caps", CAPS);
  s->end = gst_pad_new ("end", GST_PAD_SINK);
  gst_pad_set_element_private (s->end, s);
  gst_pad_set_chain_function (s->end, take_buffer);
  gst_pad_set_chain_list_function (s->end, take_list);
  pad = gst_element_get_static_pad (s->source, "src");
  fail_unless_equals_int (gst_pad_link (pad, s->end), GST_PAD_LINK_OK);
  gst_object_unref (pad);
  gst_pad_set_active (s->end, TRUE);
  fail_if (gst_element_set_state (s->source, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  g_object_get (s->source, "port", &port, NULL);
  return port;
}

static void
start_sender (Session * s, gint port)
{
  GstElement *sink = gst_element_factory_make ("pspsink", NULL);

  fail_unless (sink != NULL);
  g_object_set (sink, "host", "127.0.0.1", "port", port, "controller", "none",
      "sync", FALSE, "spacing", (guint64) 100 * GST_USECOND,
      "start-target-bitrate", (guint64) 20000000, NULL);
  s->sender = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (s->sender, CAPS);
  gst_object_unref (sink);
}

static void
must_flow (GstFlowReturn result)
{
  if (result != GST_FLOW_OK)
    fail ("pspsink returns %s", gst_flow_get_name (result));
}

/* Every other time as a buffer list, as payloaders send them. */
static void
push (Session * s)
{
  GstPad *pad = s->sender->srcpad;
  guint i = s->n_pushed;

  s->n_pushed += LIST;
  if (i % (2 * LIST) == 0) {
    must_flow (gst_pad_push_list (pad,
            gst_buffer_list_ref (s->lists[i / LIST])));
    return;
  }
  for (; i < s->n_pushed; i++)
    must_flow (gst_pad_push (pad, gst_buffer_ref (s->buffers[i])));
}

/* All of them have arrived afterwards. */
static void
push_some (Session * s, guint n)
{
  guint end = s->n_pushed + n;

  while (s->n_pushed < end) {
    push (s);
    if (s->n_pushed > AHEAD)
      wait_taken (s, s->n_pushed - AHEAD);
  }
  wait_taken (s, end);
}

/* Packets wait in the socket while the source's thread does; they may still be
 * on their way when it goes on. */
static void
push_backlog (Session * s)
{
  guint end = s->n_pushed + BACKLOG;

  set_hold (s, TRUE);
  while (s->n_pushed < end)
    push (s);
  set_hold (s, FALSE);
  wait_taken (s, end);
}

/* With the largest batch that pspsrc reads, and some of what follows. */
static void
warm_up (Session * s, const gchar * controller)
{
  for (guint i = 0; i < ROUNDS && s->longest < PSP_UDP_BATCH; i++)
    push_backlog (s);
  fail_unless_equals_int (s->longest, PSP_UDP_BATCH);
  g_object_set (s->sender->element, "controller", controller, NULL);
  push_some (s, WARM);
}

/* Its own allocations do not count. */
static guint64
get_count (Session * s, const gchar * field)
{
  GValue count = G_VALUE_INIT;
  GstStructure *stats;
  guint64 n;

  allocations_pause++;
  g_value_init (&count, G_TYPE_UINT64);
  g_object_get (s->sender->element, "stats", &stats, NULL);
  fail_unless (g_value_transform (gst_structure_get_value (stats, field),
          &count), "%s", field);
  n = g_value_get_uint64 (&count);
  gst_structure_free (stats);
  allocations_pause--;
  return n;
}

/* The first sender report adds a pad. */
static guint
count_pads (Session * s)
{
  guint n;

  GST_OBJECT_LOCK (s->source);
  n = s->source->numsrcpads;
  GST_OBJECT_UNLOCK (s->source);
  return n;
}

static void
check_steady_state (Session * s, const gchar * controller)
{
  guint64 events, reports = get_count (s, "feedback-received");
  guint n_lists, n_pads = count_pads (s);
  Allocations a;

  events = get_count (s, "events");
  n_lists = s->n_lists;
  allocations_start ();
  push_some (s, COUNTED);
  a = allocations_stop ();
  events = get_count (s, "events") - events + 1;
  reports = get_count (s, "feedback-received") - reports;
  n_lists = s->n_lists - n_lists;
  n_pads = count_pads (s) - n_pads;

  for (guint i = 0; i < ALLOCATIONS_KINDS; i++)
    GST_INFO ("%s: %s: %u allocations", controller, allocations_threads[i],
        a.n[i]);
  GST_INFO ("%s: %u lists, %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT
      " reports", controller, n_lists, events, reports);
  fail_unless (reports > 0, "%s: no feedback", controller);
  fail_unless (a.n[ALLOCATIONS_PUSH] + a.n[ALLOCATIONS_PACE] <=
      HAND_OVER * events, "%u and %u, with %u events", a.n[ALLOCATIONS_PUSH],
      a.n[ALLOCATIONS_PACE], (guint) events);
  fail_unless_equals_int (a.n[ALLOCATIONS_OTHER], 0);
  fail_unless (a.n[ALLOCATIONS_SOURCE] <= n_lists + PAD * n_pads,
      "%u, with %u lists and %u pads", a.n[ALLOCATIONS_SOURCE], n_lists,
      n_pads);
  fail_unless (a.n[ALLOCATIONS_NOTIFY] <= EVENT * events,
      "%u, with %u events", a.n[ALLOCATIONS_NOTIFY], (guint) events);
}

static void
clear (Session * s)
{
  gst_harness_teardown (s->sender);
  gst_element_set_state (s->source, GST_STATE_NULL);
  gst_pad_set_active (s->end, FALSE);
  gst_object_unref (s->source);
  gst_object_unref (s->end);
  for (guint i = 0; i < N_PACKETS; i++)
    gst_buffer_unref (s->buffers[i]);
  for (guint i = 0; i < N_PACKETS / LIST; i++)
    gst_buffer_list_unref (s->lists[i]);
  g_mutex_clear (&s->lock);
  g_cond_clear (&s->cond);
}

GST_START_TEST (test_steady_state)
{
  const gchar *controller = psp_controller_list ()[__i__]->name;
  static Session session;
  Session *s = &session;

  memset (s, 0, sizeof *s);
  g_mutex_init (&s->lock);
  g_cond_init (&s->cond);
  allocations_push_here ();
  make_packets (s);
  start_sender (s, start_source (s));
  warm_up (s, controller);
  check_steady_state (s, controller);
  clear (s);
}

GST_END_TEST;

static Suite *
allocations_suite (void)
{
  Suite *s = suite_create ("psp_allocations");
  TCase *tc = tcase_create ("general");
  guint n = 0;

  while (psp_controller_list ()[n])
    n++;
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_steady_state, 0, n);
  return s;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  if (!allocations_are_seen ()) {
    g_print ("skipped: another allocator is in use, or G_SLICE=always-malloc "
        "is not set\n");
    return 77;
  }
  return gst_check_run_suite (allocations_suite (), "psp_allocations",
      __FILE__);
}

#else

int
main (void)
{
  g_print ("skipped: the allocator cannot be wrapped, as sanitizers do it, or "
      "the C library is not GNU's\n");
  return 77;
}

#endif
