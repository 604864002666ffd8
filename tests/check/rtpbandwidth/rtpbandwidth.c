/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The element between a source and what rtpsession does, in virtual time.
 * ELEMENT is its name.
 */
/* rtpsession hands over a GValueArray. */
#define GLIB_DISABLE_DEPRECATION_WARNINGS

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>
#include <gst/rtp/rtp.h>

#include <rtpfeedback/ccfb.h>

#include "../rounds.h"
#include "virtualtime.h"

#define TWCC_URI \
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define EXTENSION 3
#define SSRC 0x1234
#define RTX_SSRC 0x5678
#define PAYLOAD 1000
#define CAPS "application/x-rtp,media=video,clock-rate=90000,payload=96," \
    "encoding-name=VP8,extmap-3=" TWCC_URI
#define UNNUMBERED_CAPS "application/x-rtp,media=video,clock-rate=90000," \
    "payload=96,encoding-name=VP8"

static GstHarness *h;
static GstElement *element;
static GAsyncQueue *estimates;  /* or NULL: of no interest */
static guint16 transport_number;        /* of the next packet that left */

typedef struct
{
  GstClockTime at;
  guint32 ssrc, timestamp;
  guint16 number;
} Left;

static void
on_estimate (GObject * object, GParamSpec * pspec, gpointer data)
{
  guint estimate;

  g_object_get (object, pspec->name, &estimate, NULL);
  g_async_queue_push (data, GUINT_TO_POINTER (estimate));
}

static void
start (const gchar * caps, const gchar * first_property, ...)
{
  va_list args;

  begin_virtual_time ();
  element = gst_element_factory_make (ELEMENT, NULL);
  fail_unless (element != NULL);
  va_start (args, first_property);
  if (first_property)
    g_object_set_valist (G_OBJECT (element), first_property, args);
  va_end (args);
  if (estimates)
    g_signal_connect (element, "notify::estimated-bitrate",
        G_CALLBACK (on_estimate), estimates);
  h = gst_harness_new_with_element (element, "sink", "src");
  transport_number = 65530;
  if (caps)
    gst_harness_set_src_caps_str (h, caps);
}

static void
stop (void)
{
  gst_harness_teardown (h);
  gst_object_unref (element);
  end_virtual_time ();
}

static GstBuffer *
make_packet (guint32 ssrc, guint32 timestamp, guint16 number)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 data[2] = { 0, 0 };

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_seq (&rtp, number);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, EXTENSION, data, 2);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static GstBuffer *
make_unnumbered (guint32 ssrc, guint32 timestamp, guint16 number)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_seq (&rtp, number);
  gst_rtp_buffer_set_payload_type (&rtp, 97);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
push (guint32 timestamp, guint16 number)
{
  fail_unless_equals_int (gst_harness_push (h, make_packet (SSRC, timestamp,
              number)), GST_FLOW_OK);
}

static void
push_marked (guint32 timestamp, guint16 number, gboolean marker)
{
  GstBuffer *buffer = make_packet (SSRC, timestamp, number);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_unmap (&rtp);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

static guint16
number_of (GstBuffer * buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 number;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  number = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return number;
}

/* Adds what has left by now. */
static void
collect (GArray * left)
{
  GstBuffer *buffer;

  settle ();
  while ((buffer = gst_harness_try_pull (h))) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    Left l = {.at = now () };

    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
    l.ssrc = gst_rtp_buffer_get_ssrc (&rtp);
    l.timestamp = gst_rtp_buffer_get_timestamp (&rtp);
    l.number = gst_rtp_buffer_get_seq (&rtp);
    gst_rtp_buffer_unmap (&rtp);
    g_array_append_val (left, l);
    gst_buffer_unref (buffer);
  }
}

/* Lets time go by, from timer to timer. */
static void
run (GArray * left, GstClockTime until)
{
  collect (left);
  while (next_timer (until))
    collect (left);
}

static GArray *
new_left (void)
{
  return g_array_new (FALSE, FALSE, sizeof (Left));
}

static const Left *
left_at (const GArray * left, guint i)
{
  return &g_array_index (left, Left, i);
}

/* A report of rtpsession. */
typedef struct
{
  GValueArray *packets;
} Report;

static void
report_begin (Report * r)
{
  r->packets = g_value_array_new (0);
}

static void
report_add (Report * r, const GstStructure * s)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  gst_value_set_structure (&value, s);
  g_value_array_append (r->packets, &value);
  g_value_unset (&value);
}

static void
report_packet (Report * r, guint16 number, GstClockTime local,
    GstClockTime remote, gboolean lost)
{
  GstStructure *s = gst_structure_new ("RTPTWCCPacket",
      "seqnum", G_TYPE_UINT, number, "local-ts", G_TYPE_UINT64, local,
      "remote-ts", G_TYPE_UINT64, remote, "payload-type", G_TYPE_UCHAR, 96,
      "size", G_TYPE_UINT, PAYLOAD, "lost", G_TYPE_BOOLEAN, lost, NULL);

  report_add (r, s);
  gst_structure_free (s);
}

static void
send_event (GstStructure * s)
{
  gst_harness_push_upstream_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s));
}

static void
report_send (Report * r)
{
  GstStructure *s = gst_structure_new_empty ("RTPTWCCPackets");
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_VALUE_ARRAY);
  g_value_take_boxed (&value, r->packets);
  gst_structure_take_value (s, "packets", &value);
  send_event (s);
}

/* Packets from..to that left arrived 20 ms later, on a clock of its own. */
static void
report_left (const GArray * left, guint from, guint to, guint lose_every)
{
  Report r;

  report_begin (&r);
  for (guint i = from; i < to; i++) {
    gboolean lost = lose_every > 0 && i % lose_every == 0;

    report_packet (&r, transport_number++, left_at (left, i)->at,
        lost ? GST_CLOCK_TIME_NONE : left_at (left, i)->at + 20 * GST_MSECOND
        + 5 * GST_SECOND, lost);
  }
  report_send (&r);
}

static guint64
get_stat (const gchar * name)
{
  GstStructure *s;
  guint64 value = 0;

  g_object_get (element, "stats", &s, NULL);
  fail_unless (gst_structure_get_uint64 (s, name, &value), "no %s", name);
  gst_structure_free (s);
  return value;
}

static gchar *
get_link_state (void)
{
  GstStructure *s;
  gchar *state;

  g_object_get (element, "stats", &s, NULL);
  state = g_strdup (gst_structure_get_string (s, "link-state"));
  gst_structure_free (s);
  return state;
}

static void
assert_link_state (const gchar * wanted)
{
  gchar *state = get_link_state ();

  fail_unless_equals_string (state, wanted);
  g_free (state);
}

static GstStructure *
fixed_params (gdouble period)
{
  return gst_structure_new ("params", "period", G_TYPE_DOUBLE, period, NULL);
}

static void
start_fixed (const gchar * caps, gdouble period)
{
  GstStructure *params = fixed_params (period);

  start (caps, "controller", "fixed", "controller-params", params, NULL);
  gst_structure_free (params);
}

static GstEvent *
pull_upstream (const gchar * name)
{
  GstEvent *event;

  while ((event = gst_harness_pull_upstream_event (h))) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
        && gst_event_has_name (event, name))
      return event;
    gst_event_unref (event);
  }
  fail ("no event %s", name);
  return NULL;
}

GST_START_TEST (packets_are_paced)
{
  GArray *left = new_left ();

  start_fixed (CAPS, 10e6);
  for (guint16 i = 0; i < 5; i++)
    push (0, i);
  run (left, GST_SECOND + 100 * GST_MSECOND);
  fail_unless_equals_int (left->len, 5);
  for (guint i = 0; i < 5; i++) {
    fail_unless_equals_int (left_at (left, i)->number, i);
    fail_unless_equals_uint64 (left_at (left, i)->at,
        GST_SECOND + i * 10 * GST_MSECOND);
  }
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* A late wake-up is followed by no burst. */
GST_START_TEST (missed_slots_are_not_made_up_for)
{
  GArray *left = new_left ();
  guint i;

  start_fixed (CAPS, 10e6);
  for (guint16 n = 0; n < 30; n++)
    push (0, n);
  run (left, GST_SECOND + 25 * GST_MSECOND);
  gst_test_clock_set_time (test_clock, GST_SECOND + 90 * GST_MSECOND);
  gst_clock_id_unref (gst_test_clock_process_next_clock_id (test_clock));
  run (left, 2 * GST_SECOND);
  fail_unless_equals_int (left->len, 30);
  for (i = 2; i < left->len; i++)
    fail_unless (left_at (left, i)->at - left_at (left, i - 2)->at >=
        8 * GST_MSECOND);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Beside those that have one: the caps tell of the extension. */
GST_START_TEST (packets_without_number_leave_at_once)
{
  start_fixed (CAPS, 10e6);
  for (guint16 i = 0; i < 5; i++)
    gst_harness_push (h, make_unnumbered (SSRC, 0, i));
  for (guint i = 0; i < 5; i++)
    gst_buffer_unref (gst_harness_pull (h));
  fail_unless_equals_uint64 (get_stat ("packets-unnumbered"), 5);
  fail_unless_equals_uint64 (get_stat ("packets-sent"), 0);
  stop ();
}

GST_END_TEST;

/* They do not wait behind those that are paced, but behind events that came
 * before them, which may be their caps. */
GST_START_TEST (packets_without_number_overtake)
{
  GArray *left = new_left ();
  const Left *alone;

  start_fixed (CAPS, 10e6);
  for (guint16 i = 0; i < 20; i++)
    push (0, i);
  gst_harness_push (h, make_unnumbered (RTX_SSRC, 0, 0));
  run (left, GST_SECOND + 10 * GST_MSECOND);
  fail_unless_equals_int (left->len, 3);
  alone = left_at (left, left_at (left, 0)->ssrc == SSRC);
  fail_unless_equals_int (alone->ssrc, RTX_SSRC);
  fail_unless_equals_uint64 (alone->at, GST_SECOND);

  gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new_empty ()));
  gst_harness_push (h, make_unnumbered (RTX_SSRC, 1, 1));
  g_array_set_size (left, 0);
  run (left, GST_SECOND + 300 * GST_MSECOND);
  fail_unless_equals_int (left->len, 19);
  fail_unless_equals_int (left_at (left, 18)->ssrc, RTX_SSRC);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* The caps tell of the extension, and no payloader writes it. */
GST_START_TEST (nobody_writes_the_extension)
{
  GArray *left = new_left ();

  start (CAPS, "estimated-bitrate", 100000, NULL);
  for (guint16 i = 0; i < 100; i++) {
    gst_harness_push (h, make_unnumbered (SSRC, i, i));
    run (left, now () + 20 * GST_MSECOND);
  }
  assert_link_state ("uncontrolled");
  fail_unless_equals_uint64 (get_stat ("packets-unnumbered"), 100);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

GST_START_TEST (feedback_is_understood)
{
  GArray *left = new_left ();
  GstCongestionInfo *info;
  GstEvent *event;
  guint64 target;

  start (CAPS, "estimated-bitrate", 1000000, NULL);
  for (guint16 i = 0; i < 40; i++)
    push (i / 4, i);
  run (left, GST_SECOND + 700 * GST_MSECOND);
  fail_unless_equals_int (left->len, 40);
  report_left (left, 0, 20, 0);
  report_left (left, 20, 40, 10);
  run (left, GST_SECOND + 710 * GST_MSECOND);
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 38);
  fail_unless_equals_uint64 (get_stat ("packets-lost"), 2);
  /* Both came at once: they are one report. */
  fail_unless_equals_uint64 (get_stat ("feedback-received"), 1);
  assert_link_state ("alive");

  event = pull_upstream ("GstCongestion");
  fail_unless (gst_congestion_event_parse (event, &info));
  fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
  fail_unless (target > 0 && target <= 1000000);
  fail_unless_equals_string (gst_congestion_info_get_controller (info),
      "poise");
  gst_congestion_info_free (info);
  gst_event_unref (event);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* rtpsession answers at the end of a picture: one larger than the window still
 * leaves by its pace, and then the window holds what comes. */
GST_START_TEST (large_pictures_do_not_wait)
{
  GArray *left = new_left ();
  guint16 n = 0;
  GstClockTime longest = 0;

  start (CAPS, "estimated-bitrate", 1000000, "max-queue-time", (guint64) 0,
      NULL);
  for (guint32 i = 0; i < 20; i++) {
    guint before = left->len;

    for (int k = 0; k < 4; k++, n++)
      push_marked (i, n, k == 3);
    run (left, now () + 50 * GST_MSECOND);
    report_left (left, before, left->len, 0);
  }
  for (int k = 0; k < 60; k++, n++)
    push_marked (20, n, k == 59);
  run (left, now () + GST_SECOND);
  fail_unless_equals_int (left->len, 140);
  for (guint i = 81; i < 140; i++)
    longest = MAX (longest, left_at (left, i)->at - left_at (left, i - 1)->at);
  fail_unless (longest < 40 * GST_MSECOND, "a gap of %" GST_TIME_FORMAT,
      GST_TIME_ARGS (longest));
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Without any feedback nothing is held; with it, everything is again. */
GST_START_TEST (receivers_that_do_not_answer)
{
  GArray *left = new_left ();
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  guint before;

  start (CAPS, "estimated-bitrate", 100000, NULL);
  gst_element_set_bus (element, bus);
  push (0, 0);
  run (left, 3 * GST_SECOND);
  assert_link_state ("uncontrolled");
  for (guint16 i = 1; i < 40; i++)
    push (i, i);
  collect (left);
  fail_unless_equals_int (left->len, 40);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_WARNING);
  gst_message_unref (message);

  report_left (left, 0, 40, 0);
  assert_link_state ("waiting");
  before = left->len;
  for (guint16 i = 40; i < 60; i++)
    push (i, i);
  collect (left);
  fail_unless (left->len < before + 10);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Feedback that ceases leaves a trickle, which finds out when it is back. */
GST_START_TEST (silence)
{
  GArray *left = new_left ();
  guint16 n = 0;
  guint before;

  start (CAPS, "max-queue-time", (guint64) 0, NULL);
  for (int i = 0; i < 10; i++, n++)
    push (n, n);
  run (left, GST_SECOND + 200 * GST_MSECOND);
  report_left (left, 0, 10, 0);
  run (left, GST_SECOND + 210 * GST_MSECOND);
  assert_link_state ("alive");
  /* A gap as long as rtpsession's is none. */
  for (int i = 0; i < 40; i++, n++) {
    push (n, n);
    run (left, now () + 20 * GST_MSECOND);
  }
  assert_link_state ("alive");
  for (int i = 0; i < 1000; i++, n++)
    push (n, n);
  run (left, 6 * GST_SECOND);
  assert_link_state ("silent");
  before = left->len;
  run (left, 16 * GST_SECOND);
  fail_unless (left->len > before + 2 && left->len < before + 12,
      "%u packets in 10 s of silence", left->len - before);
  transport_number += left->len - 1 - 10;
  report_left (left, left->len - 1, left->len, 0);
  run (left, 16 * GST_SECOND + 10 * GST_MSECOND);
  assert_link_state ("alive");
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

static void
send_packets_value (const GValue * value)
{
  GstStructure *s = gst_structure_new_empty ("RTPTWCCPackets");

  if (value)
    gst_structure_set_value (s, "packets", value);
  send_event (s);
}

static void
send_text (const gchar * packet)
{
  GstStructure *s = gst_structure_from_string (packet, NULL);
  Report r;

  fail_unless (s != NULL);
  report_begin (&r);
  report_add (&r, s);
  report_send (&r);
  gst_structure_free (s);
}

GST_START_TEST (hostile_feedback)
{
  GValue value = G_VALUE_INIT;
  GArray *left = new_left ();
  Report r;

  start (CAPS, NULL);
  for (guint16 i = 0; i < 20; i++)
    push (i, i);
  run (left, 2 * GST_SECOND);

  /* malformed */
  send_packets_value (NULL);
  g_value_init (&value, G_TYPE_UINT);
  send_packets_value (&value);
  g_value_unset (&value);
  g_value_init (&value, G_TYPE_VALUE_ARRAY);
  send_packets_value (&value);
  g_value_unset (&value);
  send_text ("RTPTWCCPacket,lost=(boolean)false");
  send_text ("RTPTWCCPacket,seqnum=(uint)1");
  send_text ("RTPTWCCPacket,seqnum=(string)one,lost=(boolean)false");
  send_text ("RTPTWCCPacket,seqnum=(uint)70000,lost=(boolean)false");
  report_begin (&r);
  g_value_init (&value, G_TYPE_INT);
  g_value_array_append (r.packets, &value);
  g_value_unset (&value);
  report_send (&r);
  report_begin (&r);
  for (guint i = 0; i < 40000; i++)
    report_packet (&r, (guint16) i, i, i, FALSE);
  report_send (&r);
  fail_unless_equals_uint64 (get_stat ("feedback-malformed"), 9);

  /* well-formed, and not true */
  send_text ("RTPTWCCPacket,seqnum=(uint)1,lost=(boolean)false");
  report_begin (&r);
  report_send (&r);
  for (guint k = 0; k < test_rounds (3); k++) {
    report_begin (&r);
    for (guint i = 0; i < 32768; i++)
      report_packet (&r, (guint16) i, G_GUINT64_CONSTANT (1) << i % 64,
          G_MAXUINT64 >> i % 64, i % 2);
    report_send (&r);
  }
  run (left, 3 * GST_SECOND);
  fail_unless (get_stat ("packets-acked") <= 20);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* RFC 8888's feedback, as RTPSession's signal hands it over: of the first block
 * the SSRC, and the rest as FCI. */
static struct
{
  guint8 data[1500];
  PspWriter w;
  PspCcfbPacker packer;
} ccfb;

static void
ccfb_begin (void)
{
  ccfb.w = psp_writer (ccfb.data, sizeof ccfb.data);
  psp_ccfb_begin (&ccfb.packer, &ccfb.w, 77);
}

/* n packets, all received 5 ms before the report but each lose_every-th. */
static void
ccfb_add (guint32 ssrc, guint16 number, guint n, guint lose_every)
{
  PspCcfbMetric metric = {.offset = 5 * GST_MSECOND };

  psp_ccfb_stream (&ccfb.packer, ssrc, number);
  for (guint i = 0; i < n; i++) {
    metric.received = lose_every == 0 || i % lose_every != 0;
    psp_ccfb_add_metric (&ccfb.packer, &metric);
  }
}

static void
ccfb_emit (guint type, guint format, gsize size)
{
  GstBuffer *fci = size == 0 ? NULL :
      gst_buffer_new_memdup (ccfb.data + 12, size);

  g_signal_emit_by_name (element, "feedback-rtcp", type, format,
      GST_READ_UINT32_BE (ccfb.data + 4), GST_READ_UINT32_BE (ccfb.data + 8),
      fci);
  if (fci)
    gst_buffer_unref (fci);
}

static void
ccfb_send (void)
{
  psp_ccfb_end (&ccfb.packer, (guint32) (now () * 65536 / GST_SECOND));
  fail_if (ccfb.w.error);
  ccfb_emit (205, 11, ccfb.w.size - 12);
}

static void
assert_feedback (const gchar * wanted)
{
  GstStructure *s;

  g_object_get (element, "stats", &s, NULL);
  fail_unless_equals_string (gst_structure_get_string (s, "feedback"), wanted);
  gst_structure_free (s);
}

/* Two streams without any header extension. */
GST_START_TEST (rfc8888_of_two_streams)
{
  GArray *left = new_left ();
  GstCongestionInfo *info;
  GstEvent *event;
  guint64 target;

  start (UNNUMBERED_CAPS, "estimated-bitrate", 1000000, NULL);
  assert_feedback ("none");
  for (guint16 i = 0; i < 20; i++) {
    gst_harness_push (h, make_unnumbered (SSRC, i / 4, (guint16) (65530 + i)));
    gst_harness_push (h, make_unnumbered (RTX_SSRC, i / 4, i));
  }
  run (left, GST_SECOND + 700 * GST_MSECOND);
  fail_unless_equals_int (left->len, 40);
  ccfb_begin ();
  ccfb_add (SSRC, 65530, 20, 10);
  ccfb_add (RTX_SSRC, 0, 20, 0);
  ccfb_send ();
  run (left, GST_SECOND + 710 * GST_MSECOND);
  fail_unless_equals_uint64 (get_stat ("packets-unnumbered"), 0);
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 38);
  fail_unless_equals_uint64 (get_stat ("packets-lost"), 2);
  fail_unless_equals_uint64 (get_stat ("feedback-received"), 1);
  assert_link_state ("alive");
  assert_feedback ("ccfb");
  event = pull_upstream ("GstCongestion");
  fail_unless (gst_congestion_event_parse (event, &info));
  fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
  fail_unless (target > 0 && target <= 1000000);
  gst_congestion_info_free (info);
  gst_event_unref (event);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Payloaders stamp the extension, and the receiver answers by RFC 8888: packets
 * count by SSRC and number from then on, those without the extension too. */
GST_START_TEST (rfc8888_in_spite_of_the_extension)
{
  GArray *left = new_left ();

  start (CAPS, "estimated-bitrate", 1000000, NULL);
  for (guint16 i = 0; i < 10; i++)
    push (i, (guint16) (65530 + i));
  run (left, now () + 300 * GST_MSECOND);
  fail_unless_equals_int (left->len, 10);
  ccfb_begin ();
  ccfb_add (SSRC, 65530, 10, 0);
  ccfb_send ();
  assert_feedback ("ccfb");
  for (guint16 i = 10; i < 20; i++) {
    push (i, (guint16) (65530 + i));
    gst_harness_push (h, make_unnumbered (RTX_SSRC, i, i));
  }
  run (left, now () + 300 * GST_MSECOND);
  fail_unless_equals_int (left->len, 30);
  /* What it names of the packets before does no harm. */
  ccfb_begin ();
  ccfb_add (SSRC, 65530, 20, 0);
  ccfb_add (RTX_SSRC, 10, 10, 0);
  ccfb_send ();
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 20);
  fail_unless_equals_uint64 (get_stat ("packets-lost"), 0);
  fail_unless_equals_uint64 (get_stat ("packets-unnumbered"), 0);
  fail_unless_equals_uint64 (get_stat ("feedback-never-sent"), 0);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Whoever answers in one way is not listened to in the other, until it is
 * silent. */
GST_START_TEST (one_kind_of_feedback_at_a_time)
{
  GArray *left = new_left ();

  start (CAPS, "estimated-bitrate", 1000000, NULL);
  for (guint16 i = 0; i < 10; i++)
    push (i, i);
  run (left, now () + 300 * GST_MSECOND);
  report_left (left, 0, 10, 0);
  assert_feedback ("twcc");
  ccfb_begin ();
  ccfb_add (SSRC, 0, 10, 0);
  ccfb_send ();
  assert_feedback ("twcc");
  run (left, now () + 1600 * GST_MSECOND);
  ccfb_begin ();
  ccfb_add (SSRC, 0, 10, 0);
  ccfb_send ();
  assert_feedback ("ccfb");
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 10);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Nothing is held without feedback; reports that come late take control. */
/* Numbers that no packet had are no feedback, and keep none out. */
GST_START_TEST (transport_wide_of_nobody)
{
  GArray *left = new_left ();
  Report r;
  guint16 n = 0;

  start (UNNUMBERED_CAPS, "estimated-bitrate", 300000, NULL);
  for (guint i = 0; i < 20; i++, n++) {
    report_begin (&r);
    report_packet (&r, 7, GST_CLOCK_TIME_NONE, GST_SECOND, FALSE);
    report_send (&r);
    gst_harness_push (h, make_unnumbered (SSRC, n, n));
    run (left, now () + 40 * GST_MSECOND);
  }
  assert_feedback ("none");
  ccfb_begin ();
  ccfb_add (SSRC, 0, 10, 0);
  ccfb_send ();
  assert_feedback ("ccfb");
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 10);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

GST_START_TEST (rfc8888_comes_late)
{
  GArray *left = new_left ();

  start (UNNUMBERED_CAPS, "estimated-bitrate", 100000, NULL);
  gst_harness_push (h, make_unnumbered (SSRC, 0, 0));
  run (left, 3 * GST_SECOND);
  assert_link_state ("uncontrolled");
  for (guint16 i = 1; i < 20; i++)
    gst_harness_push (h, make_unnumbered (SSRC, i, i));
  collect (left);
  fail_unless_equals_int (left->len, 20);
  ccfb_begin ();
  ccfb_add (SSRC, 10, 10, 0);
  ccfb_send ();
  assert_link_state ("waiting");
  for (guint16 i = 20; i < 24; i++)
    gst_harness_push (h, make_unnumbered (SSRC, i, i));
  run (left, now () + GST_SECOND);
  fail_unless_equals_int (left->len, 24);
  ccfb_begin ();
  ccfb_add (SSRC, 10, 14, 0);
  ccfb_send ();
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 4);
  assert_link_state ("alive");
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

GST_START_TEST (hostile_rfc8888)
{
  GArray *left = new_left ();
  guint64 malformed;

  start (UNNUMBERED_CAPS, NULL);
  /* before anything has left */
  ccfb_begin ();
  ccfb_add (SSRC, 0, 10, 0);
  ccfb_send ();
  assert_feedback ("none");
  for (guint16 i = 0; i < 20; i++)
    gst_harness_push (h, make_unnumbered (SSRC, i, i));
  run (left, 2 * GST_SECOND);

  /* of strangers, of what never left, without any block */
  ccfb_begin ();
  ccfb_add (SSRC + 1, 0, 20, 0);
  ccfb_send ();
  assert_feedback ("none");
  ccfb_begin ();
  ccfb_send ();
  assert_feedback ("none");
  ccfb_begin ();
  ccfb_add (SSRC, 10, 20, 0);
  ccfb_send ();
  fail_unless_equals_uint64 (get_stat ("feedback-never-sent"), 1);
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 0);

  /* cut off anywhere, of other types, without any octet */
  malformed = get_stat ("feedback-malformed");
  ccfb_begin ();
  ccfb_add (SSRC, 0, 20, 0);
  psp_ccfb_end (&ccfb.packer, 0);
  for (gsize size = 1; size < ccfb.w.size - 12; size++)
    ccfb_emit (205, 11, size);
  fail_unless_equals_uint64 (get_stat ("feedback-malformed"),
      malformed + ccfb.w.size - 13);
  ccfb_emit (205, 15, ccfb.w.size - 12);
  ccfb_emit (206, 11, ccfb.w.size - 12);
  g_signal_emit_by_name (element, "feedback-rtcp", 205, 11, 1, 2, NULL);
  for (guint i = 0; i < sizeof ccfb.data; i++)
    ccfb.data[i] = (guint8) (i * 37);
  ccfb_emit (205, 11, sizeof ccfb.data - 12);
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 0);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

static guint
request (guint32 ssrc, guint number)
{
  GstEvent *event;
  guint original = G_MAXUINT;

  send_event (gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
          G_TYPE_UINT, number, "ssrc", G_TYPE_UINT, ssrc, NULL));
  event = pull_upstream ("GstRTPRetransmissionRequest");
  gst_structure_get_uint (gst_event_get_structure (event), "seqnum", &original);
  gst_event_unref (event);
  return original;
}

/* As rtprtxsend makes it. */
static GstBuffer *
make_repetition (guint16 repeated, guint16 number)
{
  GstBuffer *buffer = make_packet (RTX_SSRC, 1, number);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  GST_WRITE_UINT16_BE (gst_rtp_buffer_get_payload (&rtp), repeated);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_FLAG_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  return buffer;
}

static guint16
repeated_by (GstBuffer * buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 repeated;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  repeated = GST_READ_UINT16_BE (gst_rtp_buffer_get_payload (&rtp));
  gst_rtp_buffer_unmap (&rtp);
  return repeated;
}

/* A source that sends a quarter more than may leave: a fifth of its pictures is
 * left out, and the numbers have no gap. */
GST_START_TEST (what_is_left_out_leaves_no_gap)
{
  GArray *left = new_left ();
  guint16 n = 65000;
  GstBuffer *buffer;
  guint64 dropped;
  guint original, in_picture = 1;

  /* 800 kb/s of payload may leave, 1 Mb/s comes: 5 packets each 40 ms. */
  start_fixed (CAPS, 10e6);
  for (guint i = 0; i < 500; i++) {
    for (guint k = 0; k < 5; k++, n++)
      push (i, n);
    run (left, now () + 40 * GST_MSECOND);
  }
  dropped = get_stat ("dropped-packets");
  fail_unless (dropped > 400 && dropped < 600, "%d dropped", (gint) dropped);
  fail_unless_equals_uint64 (get_stat ("dropped-pictures"), dropped / 5);
  fail_unless (get_stat ("queue-time") < 600 * GST_MSECOND);
  for (guint i = 0; i < left->len; i++)
    fail_unless_equals_int (left_at (left, i)->number, (guint16) (65000 + i));
  /* Nothing leaves of a picture that is left out: all is there of others. */
  for (guint i = 1; i < left->len; i++)
    if (left_at (left, i)->timestamp == left_at (left, i - 1)->timestamp)
      in_picture++;
    else {
      fail_unless_equals_int (in_picture, 5);
      fail_unless (left_at (left, i)->timestamp >
          left_at (left, i - 1)->timestamp);
      in_picture = 1;
    }
  gst_event_unref (pull_upstream ("GstForceKeyUnit"));

  /* The 100th packet from the end is asked for, and repeated. */
  n = left_at (left, left->len - 100)->number;
  original = request (SSRC, n);
  fail_unless (original > n);
  gst_harness_push (h, make_repetition ((guint16) original, 7));
  for (guint16 number = 0; number != 7; gst_buffer_unref (buffer)) {
    run (left, now ());
    gst_test_clock_set_time (test_clock, settle ());
    gst_clock_id_unref (gst_test_clock_process_next_clock_id (test_clock));
    settle ();
    buffer = gst_harness_try_pull (h);
    if (!buffer)
      buffer = make_packet (SSRC, 0, 0);
    number = number_of (buffer);
    if (number == 7)
      fail_unless_equals_int (repeated_by (buffer), n);
  }
  /* Nobody asked for this one. */
  dropped = get_stat ("packets-sent");
  gst_harness_push (h, make_repetition (4, 8));
  run (left, now () + GST_SECOND);
  fail_unless (left->len == 0 || left_at (left, left->len - 1)->number != 8);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* What webrtcsink does to an element named rtpgccbwe. */
static void
assert_uint (const gchar * name, guint wanted)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  guint value;

  fail_unless (spec && G_IS_PARAM_SPEC_UINT (spec));
  g_object_get (element, name, &value, NULL);
  fail_unless_equals_int (value, wanted);
}

/* Threads of a pool tell estimates: time goes by until one has. */
static guint
next_estimate (GArray * left)
{
  gpointer estimate;

  while (!(estimate = g_async_queue_timeout_pop (estimates,
              10 * G_TIME_SPAN_MILLISECOND)))
    run (left, now () + 20 * GST_MSECOND);
  return GPOINTER_TO_UINT (estimate);
}

/* The property may be ahead of what this thread has taken from the queue, but each
 * value that it has is told. Fails by the test's time limit. */
static void
assert_estimate_is_told (GArray * left, guint told)
{
  guint read;

  g_object_get (element, "estimated-bitrate", &read, NULL);
  while (told != read)
    told = next_estimate (left);
}

GST_START_TEST (as_webrtcsink_uses_it)
{
  GArray *left = new_left ();
  guint estimate;

  estimates = g_async_queue_new ();
  start (NULL, "min-bitrate", 50000, "estimated-bitrate", 300000,
      "max-bitrate", 1000000, NULL);
  gst_harness_set_src_caps_str (h, CAPS);
  assert_uint ("min-bitrate", 50000);
  assert_uint ("max-bitrate", 1000000);
  /* Before feedback it is told nothing: it still makes its session, and ends
   * with the process. */
  for (guint16 i = 0; i < 10; i++)
    push (i, i);
  run (left, now () + 300 * GST_MSECOND);
  fail_unless_equals_int (g_async_queue_length (estimates), 0);
  report_left (left, 0, 10, 0);
  estimate = next_estimate (left);
  fail_unless (estimate > 250000 && estimate <= 1000000);
  assert_estimate_is_told (left, estimate);
  /* More streams join. */
  g_object_set (element, "max-bitrate", 200000, "min-bitrate", 100000, NULL);
  push (10, 10);
  run (left, now () + 300 * GST_MSECOND);
  report_left (left, 10, 11, 0);
  do
    estimate = next_estimate (left);
  while (estimate > 200000);
  fail_unless (estimate > 100000);
  stop ();
  g_clear_pointer (&estimates, g_async_queue_unref);
  g_array_unref (left);
}

GST_END_TEST;

GST_START_TEST (defaults_are_those_of_rtpgccbwe)
{
  element = gst_element_factory_make (ELEMENT, NULL);
  assert_uint ("min-bitrate", 1000);
  assert_uint ("estimated-bitrate", 2048000);
  assert_uint ("max-bitrate", 8192000);
  g_object_set (element, "estimated-bitrate", 300000, NULL);
  assert_uint ("estimated-bitrate", 300000);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (events_keep_their_place)
{
  GstEvent *event;
  GArray *left = new_left ();

  start_fixed (CAPS, 10e6);
  push (0, 0);
  push (0, 1);
  gst_harness_push_event (h, gst_event_new_eos ());
  settle ();
  while ((event = gst_harness_try_pull_event (h))) {
    fail_if (GST_EVENT_TYPE (event) == GST_EVENT_EOS);
    gst_event_unref (event);
  }
  run (left, GST_SECOND + 20 * GST_MSECOND);
  fail_unless_equals_int (left->len, 2);
  event = gst_harness_pull_event (h);
  fail_unless_equals_int (GST_EVENT_TYPE (event), GST_EVENT_EOS);
  gst_event_unref (event);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Packets that are not paced leave before an event that came after them. */
GST_START_TEST (events_follow_unpaced_packets)
{
  GstPad *src;
  GstEvent *event;
  gulong blocked;
  gboolean ended = FALSE;

  start_fixed (CAPS, 10e6);
  src = gst_element_get_static_pad (element, "src");
  blocked = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, NULL,
      NULL, NULL);
  for (guint16 i = 0; i < 5; i++)
    fail_unless_equals_int (gst_harness_push (h, make_unnumbered (SSRC, 0, i)),
        GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  gst_pad_remove_probe (src, blocked);
  while (!ended) {
    event = gst_harness_pull_event (h);
    ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless_equals_int (gst_harness_buffers_received (h), 5);
  gst_object_unref (src);
  stop ();
}

GST_END_TEST;

/* Packets that are not paced wait for caps, but not for a gap. */
GST_START_TEST (gaps_hold_nothing_up)
{
  GArray *left = new_left ();

  start_fixed (CAPS, 10e6);
  push (0, 0);
  push (0, 1);
  gst_harness_push_event (h, gst_event_new_gap (0, GST_MSECOND));
  fail_unless_equals_int (gst_harness_push (h, make_unnumbered (SSRC, 0, 9)),
      GST_FLOW_OK);
  collect (left);
  fail_unless_equals_int (left->len, 2);
  /* It and the first paced packet may leave in either order. */
  fail_unless_equals_int (left_at (left, 0)->number + left_at (left, 1)->number,
      9);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

GST_START_TEST (flush)
{
  GArray *left = new_left ();
  GstSegment segment;

  start_fixed (CAPS, 10e6);
  for (guint16 i = 0; i < 5; i++)
    push (0, i);
  run (left, GST_SECOND);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  fail_unless_equals_int (gst_harness_push (h, make_packet (SSRC, 0, 9)),
      GST_FLOW_FLUSHING);
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  g_array_set_size (left, 0);
  push (1, 10);
  run (left, 2 * GST_SECOND);
  fail_unless_equals_int (left->len, 1);
  /* Of five one left: the receiver waits for none of the others. */
  fail_unless_equals_int (left_at (left, 0)->number, 6);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* What upstream takes for delivered comes with what is next. */
GST_START_TEST (flush_keeps_caps)
{
  GArray *left = new_left ();
  GstCaps *caps = gst_caps_from_string (UNNUMBERED_CAPS), *there;
  GstSegment segment;

  start_fixed (CAPS, 10e6);
  for (guint16 i = 0; i < 5; i++)
    push (0, i);
  fail_unless (gst_harness_push_event (h, gst_event_new_caps (caps)));
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  push (1, 5);
  run (left, now () + 100 * GST_MSECOND);
  there = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_caps_is_equal (there, caps));
  gst_caps_unref (there);
  gst_caps_unref (caps);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* As downstream of a queue. */
GST_START_TEST (linked_again)
{
  GstPad *src;
  GstFlowReturn ret = GST_FLOW_OK;

  start_fixed (CAPS, 10e6);
  push (0, 0);
  gst_buffer_unref (gst_harness_pull (h));
  src = gst_element_get_static_pad (element, "src");
  gst_pad_unlink (src, h->sinkpad);
  for (guint16 i = 1; ret == GST_FLOW_OK; i++) {
    ret = gst_harness_push (h, make_packet (SSRC, i, i));
    gst_test_clock_advance_time (test_clock, 10 * GST_MSECOND);
    if (gst_test_clock_peek_id_count (test_clock) > 0)
      gst_clock_id_unref (gst_test_clock_process_next_clock_id (test_clock));
    g_thread_yield ();
  }
  fail_unless_equals_int (ret, GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (gst_pad_link (src, h->sinkpad), GST_PAD_LINK_OK);
  for (guint16 i = 0; i < 3; i++)
    push (1000, 1000 + i);
  while (gst_harness_buffers_in_queue (h) < 3)
    next_timer (now () + 10 * GST_MSECOND);
  gst_object_unref (src);
  stop ();
}

GST_END_TEST;

/* Nobody can answer while nothing is linked, so that time does not count. */
GST_START_TEST (linked_late)
{
  GArray *left = new_left ();
  GstPad *src;

  start (CAPS, NULL);
  src = gst_element_get_static_pad (element, "src");
  gst_pad_unlink (src, h->sinkpad);
  push (0, 0);
  while (gst_pad_get_task_state (src) != GST_TASK_PAUSED)
    g_thread_yield ();
  gst_test_clock_advance_time (test_clock, 10 * GST_SECOND);
  fail_unless_equals_int (gst_pad_link (src, h->sinkpad), GST_PAD_LINK_OK);
  push (1, 1);
  run (left, now () + GST_SECOND);
  fail_unless_equals_int (left->len, 1);
  assert_link_state ("waiting");
  gst_object_unref (src);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Upstream that ends has no more buffers by which it could learn of a failure. */
GST_START_TEST (end_after_failure)
{
  gboolean queued = __i__ > 0;
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GstPad *src;
  gulong blocked;

  start_fixed (CAPS, 10e6);
  gst_element_set_bus (element, bus);
  src = gst_element_get_static_pad (element, "src");
  blocked = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK |
      GST_PAD_PROBE_TYPE_BUFFER, NULL, NULL, NULL);
  gst_pad_unlink (src, h->sinkpad);
  push (0, 0);
  if (queued)
    gst_harness_push_event (h, gst_event_new_eos ());
  gst_pad_remove_probe (src, blocked);
  if (!queued) {
    while (gst_pad_get_task_state (src) != GST_TASK_PAUSED)
      g_thread_yield ();
    fail_if (gst_harness_push_event (h, gst_event_new_eos ()));
  }
  message = gst_bus_timed_pop_filtered (bus, 5 * GST_SECOND,
      GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless_equals_int (gst_pad_link (src, h->sinkpad), GST_PAD_LINK_OK);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
  stop ();
}

GST_END_TEST;

/* Flushes from a thread of its own. */
static gpointer
seek_on (gpointer data)
{
  GstPad *sink = gst_element_get_static_pad (element, "sink");
  gint *goes_on = data;

  while (g_atomic_int_get (goes_on)) {
    gst_pad_send_event (sink, gst_event_new_flush_start ());
    gst_pad_send_event (sink, gst_event_new_flush_stop (TRUE));
  }
  gst_object_unref (sink);
  return NULL;
}

GST_START_TEST (flush_while_it_stops)
{
  gint goes_on = 1;
  GThread *thread;

  element = gst_element_factory_make (ELEMENT, NULL);
  thread = g_thread_new ("seek", seek_on, &goes_on);
  for (guint i = test_rounds (200); i > 0; i--) {
    fail_unless (gst_element_set_state (element, GST_STATE_PLAYING));
    fail_unless (gst_element_set_state (element, GST_STATE_NULL));
  }
  g_atomic_int_set (&goes_on, 0);
  g_thread_join (thread);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (no_such_controller)
{
  GstElement *e = gst_element_factory_make (ELEMENT, NULL);

  g_object_set (e, "controller", "nobody", NULL);
  fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (e, GST_STATE_NULL);
  gst_object_unref (e);
}

GST_END_TEST;

/* Of two sessions of one group: lets time go by for both. */
static void
run_both (guint steps, GstClockTime step)
{
  for (guint i = 0; i < steps; i++) {
    gst_test_clock_wait_for_multiple_pending_ids (test_clock, 2, NULL);
    gst_test_clock_advance_time (test_clock, step);
    while (gst_test_clock_peek_id_count (test_clock) > 0 && settle () <= now ())
      gst_clock_id_unref (gst_test_clock_process_next_clock_id (test_clock));
  }
}

/* Two sessions of one group leave by one schedule, and hear of one estimate. */
GST_START_TEST (groups_share)
{
  GArray *left = new_left ();
  GstElement *other = gst_element_factory_make (ELEMENT, NULL);
  GstHarness *h2;
  GstBuffer *buffer;
  GstStructure *params = fixed_params (10e6);
  guint n_other = 0;

  start (CAPS, "controller", "fixed", "controller-params", params, "group",
      "one", NULL);
  g_object_set (other, "group", "one", NULL);
  h2 = gst_harness_new_with_element (other, "sink", "src");
  gst_harness_set_src_caps_str (h2, CAPS);
  for (guint16 i = 0; i < 10; i++) {
    push (0, i);
    gst_harness_push (h2, make_packet (SSRC, 0, i));
  }
  run_both (100, 5 * GST_MSECOND);
  collect (left);
  while ((buffer = gst_harness_try_pull (h2))) {
    gst_buffer_unref (buffer);
    n_other++;
  }
  fail_unless_equals_int (left->len, 10);
  fail_unless_equals_int (n_other, 10);
  fail_unless_equals_uint64 (get_stat ("packets-sent"), 20);
  gst_structure_free (params);
  gst_harness_teardown (h2);
  gst_object_unref (other);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* What left of one of them since, all of which arrives. */
static void
report_all (GstHarness * harness, GArray * left, guint16 * number)
{
  GstHarness *before = h;
  GstBuffer *buffer;
  Report r;

  h = harness;
  while ((buffer = gst_harness_try_pull (h)))
    gst_buffer_unref (buffer);
  report_begin (&r);
  for (guint i = 0; i < left->len; i++)
    report_packet (&r, (*number)++, left_at (left, i)->at,
        left_at (left, i)->at + 27 * GST_SECOND, FALSE);
  report_send (&r);
  g_array_set_size (left, 0);
  h = before;
}

static void
note_both (GstHarness * both[2], GArray * left[2])
{
  for (guint k = 0; k < 2; k++)
    for (guint n = gst_harness_buffers_in_queue (both[k]); left[k]->len < n;) {
      Left l = {.at = now () };

      g_array_append_val (left[k], l);
    }
}

static GstHarness *
join (const gchar * group)
{
  GstElement *e = gst_element_factory_make (ELEMENT, NULL);
  GstHarness *harness;

  g_object_set (e, "group", group, NULL);
  harness = gst_harness_new_with_element (e, "sink", "src");
  gst_harness_set_src_caps_str (harness, CAPS);
  gst_object_unref (e);
  return harness;
}

/* Receivers report in turn, and nothing is lost: what one has not reported on is
 * not what it lacks. */
GST_START_TEST (groups_lose_nothing)
{
  GArray *left[2] = { new_left (), new_left () };
  guint16 numbers[2] = { 65500, 100 };
  GstHarness *both[2];

  start (CAPS, "estimated-bitrate", 1000000, "group", "three", NULL);
  both[0] = h;
  both[1] = join ("three");
  for (guint16 i = 0; i < 100; i++) {
    push (i, i);
    gst_harness_push (both[1], make_packet (SSRC, i, i));
    for (guint k = 0; k < 4; k++) {
      run_both (1, 10 * GST_MSECOND);
      note_both (both, left);
    }
    if (i % 10 == 9)
      report_all (both[0], left[0], &numbers[0]);
    else if (i % 10 == 4)
      report_all (both[1], left[1], &numbers[1]);
    run_both (1, 5 * GST_MSECOND);
    note_both (both, left);
  }
  fail_unless (get_stat ("packets-acked") > 150);
  fail_unless_equals_uint64 (get_stat ("packets-lost"), 0);
  fail_unless (get_stat ("target-bitrate") > 300000);
  gst_harness_teardown (both[1]);
  g_array_unref (left[0]);
  g_array_unref (left[1]);
  stop ();
}

GST_END_TEST;

/* What was under way to one that leaves is no loss of the others. */
GST_START_TEST (one_leaves_a_group)
{
  GArray *left = new_left ();
  GstHarness *other;

  start (CAPS, "estimated-bitrate", 2000000, "group", "four", NULL);
  other = join ("four");
  for (guint16 i = 0; i < 10; i++)
    gst_harness_push (other, make_packet (SSRC, i, i));
  run_both (30, 10 * GST_MSECOND);
  gst_harness_teardown (other);
  for (guint16 i = 0; i < 20; i++) {
    push (i, i);
    run (left, now () + 20 * GST_MSECOND);
  }
  report_left (left, 0, left->len, 0);
  run (left, now () + 10 * GST_MSECOND);
  fail_unless_equals_uint64 (get_stat ("packets-lost"), 0);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

static gchar *
get_controller (void)
{
  GstStructure *s;
  gchar *name;

  g_object_get (element, "stats", &s, NULL);
  name = g_strdup (gst_structure_get_string (s, "controller"));
  gst_structure_free (s);
  return name;
}

/* One sets what it sets, and nothing else of what another has set. */
GST_START_TEST (groups_keep_what_others_set)
{
  GstStructure *slow = fixed_params (20e6), *fast = fixed_params (1e6);
  GstHarness *other;
  gchar *name;

  start (CAPS, "controller", "fixed", "max-bitrate", 1000000, "group", "five",
      NULL);
  other = join ("five");
  g_object_set (other->element, "reserved-bitrate", 1000, NULL);
  g_object_set (other->element, "min-bitrate", 2000, NULL);
  g_object_set (other->element, "controller-params", slow, NULL);
  name = get_controller ();
  fail_unless_equals_string (name, "fixed");
  g_free (name);
  fail_unless_equals_uint64 (get_stat ("spacing"), 20 * GST_MSECOND);
  /* 1000 bytes at the maximum take 8 ms, of which a twentieth is kept. */
  push (0, 0);
  run_both (5, 10 * GST_MSECOND);
  g_object_set (other->element, "controller-params", fast, NULL);
  fail_unless (get_stat ("spacing") > 7 * GST_MSECOND);
  g_object_set (other->element, "controller", "scp", NULL);
  name = get_controller ();
  fail_unless_equals_string (name, "scp");
  g_free (name);
  gst_structure_free (slow);
  gst_structure_free (fast);
  gst_harness_teardown (other);
  stop ();
}

GST_END_TEST;

/* Nobody may report on a session without the extension, while another one of
 * its group has an answer. RFC 8888's feedback takes it in. */
GST_START_TEST (groups_with_one_that_nobody_answers)
{
  GArray *left = new_left ();
  GstElement *numbered = gst_element_factory_make (ELEMENT, NULL);
  GstHarness *h2;

  start (UNNUMBERED_CAPS, "estimated-bitrate", 100000, "group", "two", NULL);
  g_object_set (numbered, "group", "two", NULL);
  h2 = gst_harness_new_with_element (numbered, "sink", "src");
  gst_harness_set_src_caps_str (h2, CAPS);
  for (guint16 i = 0; i < 5; i++)
    gst_harness_push (h, make_unnumbered (SSRC, 0, i));
  for (guint i = 0; i < 5; i++)
    gst_buffer_unref (gst_harness_pull (h));
  fail_unless_equals_uint64 (get_stat ("packets-unnumbered"), 5);
  fail_unless_equals_uint64 (get_stat ("packets-sent"), 0);
  gst_harness_push (h2, make_packet (SSRC, 0, 0));
  gst_buffer_unref (gst_harness_pull (h2));
  fail_unless_equals_uint64 (get_stat ("packets-sent"), 1);

  ccfb_begin ();
  ccfb_add (SSRC, 0, 5, 0);
  ccfb_send ();
  assert_feedback ("ccfb");
  gst_harness_push (h, make_unnumbered (SSRC, 1, 5));
  while (left->len == 0) {
    run_both (1, 10 * GST_MSECOND);
    collect (left);
  }
  fail_unless_equals_uint64 (get_stat ("packets-sent"), 2);
  gst_harness_teardown (h2);
  gst_object_unref (numbered);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* Audio and video of one session leave by one schedule and are told one
 * estimate; the video, of which most waits, is held, and the audio is not. */
GST_START_TEST (audio_and_video_share)
{
  GArray *left = new_left ();
  guint16 video = 0, audio = 0;
  guint n_audio = 0;

  /* 800 kb/s may leave; the video has 1 Mb/s, the audio 50 kb/s. */
  start_fixed (CAPS, 10e6);
  for (guint i = 0; i < 250; i++) {
    for (guint k = 0; k < 5; k++)
      push (i, video++);
    if (i % 4 == 0)
      gst_harness_push (h, make_packet (RTX_SSRC, i, audio++));
    run (left, now () + 40 * GST_MSECOND);
  }
  for (guint i = 0; i < left->len; i++)
    if (left_at (left, i)->ssrc == RTX_SSRC)
      fail_unless_equals_int (left_at (left, i)->number, n_audio++);
  fail_unless (get_stat ("dropped-packets") > 200);
  fail_unless (n_audio + 5 > audio, "%u of %u packets of audio", n_audio,
      audio);
  for (guint i = 2; i < left->len; i++)
    fail_unless (left_at (left, i)->at - left_at (left, i - 2)->at >=
        19 * GST_MSECOND);
  report_left (left, 0, 100, 0);
  run (left, now () + 10 * GST_MSECOND);
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 100);
  g_array_unref (left);
  stop ();
}

GST_END_TEST;

/* 800 kb/s are there. */
static void
assert_announced (guint reserved, guint64 wanted)
{
  GstStructure *params = fixed_params (10e6);
  GArray *left = new_left ();
  GstCongestionInfo *info;
  GstEvent *event;
  guint64 target;

  start (CAPS, "controller", "fixed", "controller-params", params,
      "reserved-bitrate", reserved, NULL);
  push (0, 0);
  run (left, 2 * GST_SECOND);
  do {
    event = pull_upstream ("GstCongestion");
    fail_unless (gst_congestion_event_parse (event, &info));
    fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
    gst_congestion_info_free (info);
    gst_event_unref (event);
  } while (target != wanted);
  assert_uint ("estimated-bitrate", (guint) wanted);
  gst_structure_free (params);
  g_array_unref (left);
  stop ();
}

GST_START_TEST (a_part_is_reserved)
{
  assert_announced (0, 800000);
  assert_announced (100000, 700000);
  assert_announced (1000000, 0);
}

GST_END_TEST;

/* What contradicts itself is said on the bus, and then kept to as it says. */
GST_START_TEST (limits_contradict)
{
  static const struct
  {
    guint min, start, max;
    gboolean warned;
  } rows[] = {
    {1000, 300000, 500000, FALSE},
    {1000, 2048000, 500000, FALSE},     /* the default start */
    {600000, 700000, 500000, TRUE},
    {1000, 600000, 500000, TRUE},
    {400000, 300000, 500000, TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstElement *e = gst_element_factory_make (ELEMENT, NULL);
    GstBus *bus = gst_bus_new ();
    GstMessage *message;
    GError *error;

    g_object_set (e, "min-bitrate", rows[i].min, "max-bitrate", rows[i].max,
        "estimated-bitrate", rows[i].start, NULL);
    gst_element_set_bus (e, bus);
    gst_element_set_state (e, GST_STATE_PAUSED);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
    fail_unless_equals_int (message != NULL, rows[i].warned);
    if (message) {
      gst_message_parse_warning (message, &error, NULL);
      fail_unless (strstr (error->message, "min-bitrate=") != NULL);
      g_error_free (error);
      gst_message_unref (message);
    }
    gst_element_set_state (e, GST_STATE_NULL);
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_object_unref (e);
  }
}

GST_END_TEST;

static Suite *
rtpbandwidth_suite (void)
{
  Suite *s = suite_create ("rtpbandwidth");
  TCase *t = tcase_create ("rtpbandwidth");

  suite_add_tcase (s, t);
  tcase_add_test (t, packets_are_paced);
  tcase_add_test (t, missed_slots_are_not_made_up_for);
  tcase_add_test (t, packets_without_number_leave_at_once);
  tcase_add_test (t, packets_without_number_overtake);
  tcase_add_test (t, nobody_writes_the_extension);
  tcase_add_test (t, feedback_is_understood);
  tcase_add_test (t, large_pictures_do_not_wait);
  tcase_add_test (t, receivers_that_do_not_answer);
  tcase_add_test (t, silence);
  tcase_add_test (t, hostile_feedback);
  tcase_add_test (t, rfc8888_of_two_streams);
  tcase_add_test (t, rfc8888_in_spite_of_the_extension);
  tcase_add_test (t, one_kind_of_feedback_at_a_time);
  tcase_add_test (t, transport_wide_of_nobody);
  tcase_add_test (t, rfc8888_comes_late);
  tcase_add_test (t, hostile_rfc8888);
  tcase_add_test (t, what_is_left_out_leaves_no_gap);
  tcase_add_test (t, as_webrtcsink_uses_it);
  tcase_add_test (t, defaults_are_those_of_rtpgccbwe);
  tcase_add_test (t, events_keep_their_place);
  tcase_add_test (t, events_follow_unpaced_packets);
  tcase_add_test (t, gaps_hold_nothing_up);
  tcase_add_loop_test (t, end_after_failure, 0, 2);
  tcase_add_test (t, flush);
  tcase_add_test (t, flush_keeps_caps);
  tcase_add_test (t, flush_while_it_stops);
  tcase_add_test (t, linked_again);
  tcase_add_test (t, linked_late);
  tcase_add_test (t, no_such_controller);
  tcase_add_test (t, groups_share);
  tcase_add_test (t, groups_lose_nothing);
  tcase_add_test (t, one_leaves_a_group);
  tcase_add_test (t, groups_keep_what_others_set);
  tcase_add_test (t, groups_with_one_that_nobody_answers);
  tcase_add_test (t, audio_and_video_share);
  tcase_add_test (t, a_part_is_reserved);
  tcase_add_test (t, limits_contradict);
  return s;
}

GST_CHECK_MAIN (rtpbandwidth);
