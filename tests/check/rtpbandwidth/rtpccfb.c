/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What rtpccfb reports, and when, in virtual time.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#include <rtpfeedback/ccfb.h>

#include "virtualtime.h"

#define SSRC 0x1234
#define PAYLOAD 1000
#define CAPS "application/x-rtp,media=video,clock-rate=90000,payload=96," \
    "encoding-name=VP8"

static GstElement *element;
static GstHarness *rtp, *rtcp;

static void
start (void)
{
  begin_virtual_time ();
  element = gst_element_factory_make ("rtpccfb", NULL);
  fail_unless (element != NULL);
  rtp = gst_harness_new_with_element (element, "sink", "src");
  rtcp = gst_harness_new_with_element (element, NULL, "rtcp_src");
  gst_harness_set_src_caps_str (rtp, CAPS);
}

static void
stop (void)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_harness_teardown (rtcp);
  gst_harness_teardown (rtp);
  gst_object_unref (element);
  end_virtual_time ();
}

static GstBuffer *
make_packet (guint32 ssrc, guint16 number, guint8 payload_type)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD, 0, 0);
  GstRTPBuffer packet = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &packet);
  gst_rtp_buffer_set_ssrc (&packet, ssrc);
  gst_rtp_buffer_set_seq (&packet, number);
  gst_rtp_buffer_set_payload_type (&packet, payload_type);
  gst_rtp_buffer_unmap (&packet);
  return buffer;
}

static void
push (guint32 ssrc, guint16 number)
{
  GstBuffer *in = make_packet (ssrc, number, 96), *out;

  gst_harness_push (rtp, gst_buffer_ref (in));
  out = gst_harness_pull (rtp);
  fail_unless (out == in);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
}

static void
run (GstClockTime until)
{
  while (next_timer (until));
}

typedef struct
{
  guint8 data[1500];
  gsize size;
  PspCcfb ccfb;
} Report;

/* Returns FALSE if there is none. */
static gboolean
try_pull (Report * report)
{
  GstBuffer *buffer;

  settle ();
  buffer = gst_harness_try_pull (rtcp);
  if (!buffer)
    return FALSE;
  report->size = gst_buffer_extract (buffer, 0, report->data,
      sizeof report->data);
  gst_buffer_unref (buffer);
  fail_unless (psp_ccfb_parse (report->data, report->size, &report->ccfb));
  return TRUE;
}

/* The report is of one stream; returns how many of its packets arrived. */
static guint
assert_stream (const Report * report, guint32 ssrc, guint16 number, guint n)
{
  PspCcfbStream stream;
  PspCcfbMetric metric;
  gsize position = 0;
  guint received = 0;

  fail_unless (psp_ccfb_next_stream (&report->ccfb, &position, &stream));
  fail_unless_equals_int (stream.ssrc, ssrc);
  fail_unless_equals_int (stream.begin_seq, number);
  fail_unless_equals_int (stream.n_reports, n);
  for (guint i = 0; i < n; i++) {
    psp_ccfb_metric (&stream, i, &metric);
    received += metric.received;
  }
  return received;
}

GST_START_TEST (the_oldest_packet_waits_for_the_interval)
{
  Report report;

  start ();
  push (SSRC, 65535);
  push (SSRC, 0);
  run (GST_SECOND + 24 * GST_MSECOND);
  fail_if (try_pull (&report));
  run (GST_SECOND + 25 * GST_MSECOND);
  fail_unless (try_pull (&report));
  fail_unless_equals_int (assert_stream (&report, SSRC, 65535, 2), 2);
  run (2 * GST_SECOND);
  fail_if (try_pull (&report));

  g_object_set (element, "feedback-interval", (guint64) 0, NULL);
  push (SSRC, 1);
  run (3 * GST_SECOND);
  fail_if (try_pull (&report));
  stop ();
}

GST_END_TEST;

GST_START_TEST (gaps_and_eight_packets_do_not_wait)
{
  Report report;
  guint16 n = 0;

  start ();
  for (; n < 8; n++)
    push (SSRC, n);
  fail_unless (try_pull (&report));
  fail_unless_equals_int (assert_stream (&report, SSRC, 0, 8), 8);
  fail_if (try_pull (&report));
  push (SSRC, 9);
  fail_unless (try_pull (&report));
  stop ();
}

GST_END_TEST;

/* 2 Mb/s for 4 s, in pictures of 7 packets: the rate of reports, and what they
 * take. */
GST_START_TEST (at_two_megabits)
{
  Report report;
  guint64 bytes = 0, payload = 0;
  guint n_reports = 0, in_second = 0, least = G_MAXUINT;
  guint16 n = 0;

  start ();
  for (guint picture = 0; picture < 144; picture++) {
    for (guint i = 0; i < 7; i++, payload += PAYLOAD)
      push (SSRC, n++);
    run (now () + 28 * GST_MSECOND);
    for (; try_pull (&report); n_reports++, in_second++)
      bytes += report.size;
    if (picture % 36 == 35) {
      least = MIN (least, in_second);
      in_second = 0;
    }
  }
  fail_unless (least >= 8, "%u reports in one second", least);
  fail_unless (bytes <= payload / 50 + 4096, "%d octets for %d",
      (gint) bytes, (gint) payload);
  stop ();
}

GST_END_TEST;

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

GST_START_TEST (what_is_no_rtp_passes)
{
  static const guint8 rr[] = { 0x80, 201, 0, 1, 1, 2, 3, 4 };
  GstBufferList *list = gst_buffer_list_new ();
  Report report;

  start ();
  gst_buffer_list_add (list, gst_buffer_new_memdup ("no RTP", 6));
  gst_buffer_list_add (list, gst_buffer_new ());
  gst_buffer_list_add (list, gst_buffer_new_memdup (rr, sizeof rr));
  gst_buffer_list_add (list, make_packet (SSRC, 7, 72));
  gst_buffer_list_add (list, make_packet (SSRC, 7, 96));
  gst_pad_push_list (rtp->srcpad, list);
  for (guint i = 0; i < 5; i++)
    gst_buffer_unref (gst_harness_pull (rtp));
  fail_unless_equals_uint64 (get_stat ("malformed"), 3);
  fail_unless_equals_uint64 (get_stat ("packets"), 1);
  run (GST_SECOND + 30 * GST_MSECOND);
  fail_unless (try_pull (&report));
  fail_unless_equals_int (assert_stream (&report, SSRC, 7, 1), 1);
  fail_unless_equals_uint64 (get_stat ("feedback-sent"), 1);
  fail_unless_equals_uint64 (get_stat ("feedback-bytes"), report.size);
  stop ();
}

GST_END_TEST;

static gboolean
has_event (GstHarness * h, GstEventType type)
{
  gboolean found = FALSE;
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h))) {
    found |= GST_EVENT_TYPE (event) == type;
    gst_event_unref (event);
  }
  return found;
}

GST_START_TEST (both_ways_end)
{
  start ();
  push (SSRC, 0);
  run (GST_SECOND + 30 * GST_MSECOND);
  gst_harness_push_event (rtp, gst_event_new_eos ());
  fail_unless (has_event (rtp, GST_EVENT_EOS));
  settle ();
  fail_unless (has_event (rtcp, GST_EVENT_EOS));
  stop ();
}

GST_END_TEST;

static void
assert_events (GstHarness * h, const GstEventType * types, guint n)
{
  GstEvent *event;

  for (guint i = 0; i < n; i++) {
    event = gst_harness_try_pull_event (h);
    fail_unless (event != NULL, "no %s", gst_event_type_get_name (types[i]));
    fail_unless_equals_string (GST_EVENT_TYPE_NAME (event),
        gst_event_type_get_name (types[i]));
    gst_event_unref (event);
  }
  fail_if (gst_harness_try_pull_event (h) != NULL);
}

/* Its pad has begun by then, even if no report was due before. */
GST_START_TEST (the_end_comes_last)
{
  static const GstEventType types[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS,
    GST_EVENT_SEGMENT, GST_EVENT_EOS
  };
  Report report;

  start ();
  settle ();
  gst_harness_push_event (rtp, gst_event_new_eos ());
  fail_if (try_pull (&report));
  assert_events (rtcp, types, G_N_ELEMENTS (types));
  stop ();
}

GST_END_TEST;

/* RTP may begin anew; what ended with the first is not told again. */
GST_START_TEST (the_last_report_does_not_wait)
{
  static const GstEventType types[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS,
    GST_EVENT_SEGMENT, GST_EVENT_EOS
  };
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstSegment segment;
  Report report;

  start ();
  push (SSRC, 0);
  gst_harness_push_event (rtp, gst_event_new_eos ());
  fail_unless (try_pull (&report));
  fail_unless_equals_int (assert_stream (&report, SSRC, 0, 1), 1);
  assert_events (rtcp, types, 4);
  run (2 * GST_SECOND);
  fail_if (try_pull (&report));

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rtp, gst_event_new_stream_start ("again"));
  gst_harness_push_event (rtp, gst_event_new_caps (caps));
  gst_harness_push_event (rtp, gst_event_new_segment (&segment));
  push (SSRC, 1);
  run (now () + 30 * GST_MSECOND);
  fail_unless (try_pull (&report));
  assert_events (rtcp, types, 3);
  gst_caps_unref (caps);
  stop ();
}

GST_END_TEST;

/* Caps of RTP do not ask those who take RTCP. */
GST_START_TEST (caps_go_one_way)
{
  GstCaps *caps, *only = gst_caps_from_string ("application/x-rtp,payload=96");

  start ();
  gst_harness_set_sink_caps (rtp, gst_caps_ref (only));
  caps = gst_pad_peer_query_caps (rtp->srcpad, NULL);
  fail_unless (gst_caps_is_equal (caps, only));
  gst_caps_unref (caps);
  gst_caps_unref (only);
  stop ();
}

GST_END_TEST;

GST_START_TEST (reports_that_leave_nowhere)
{
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  start ();
  gst_harness_teardown (rtcp);
  gst_element_set_bus (element, bus);
  push (SSRC, 0);
  run (GST_SECOND + 30 * GST_MSECOND);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "rtcp_src") != NULL);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  rtcp = gst_harness_new_with_element (element, NULL, "rtcp_src");
  stop ();
}

GST_END_TEST;

/* Reports have the SSRC of the session behind the element from when it is there. */
GST_START_TEST (session_linked_late)
{
  GstElement *session;
  GObject *internal;
  GstPad *src, *sink;
  Report report;
  guint ssrc;

  start ();
  push (SSRC, 0);
  run (GST_SECOND + 30 * GST_MSECOND);
  fail_unless (try_pull (&report));

  session = gst_element_factory_make ("rtpsession", NULL);
  fail_unless (session != NULL);
  g_object_get (session, "internal-session", &internal, NULL);
  g_object_get (internal, "internal-ssrc", &ssrc, NULL);
  fail_if (GST_READ_UINT32_BE (report.data + 4) == ssrc);
  src = gst_element_get_static_pad (element, "src");
  sink = gst_element_request_pad_simple (session, "recv_rtp_sink");
  gst_pad_unlink (src, rtp->sinkpad);
  fail_unless_equals_int (gst_pad_link (src, sink), GST_PAD_LINK_OK);
  gst_harness_push (rtp, make_packet (SSRC, 1, 96));
  run (now () + 30 * GST_MSECOND);
  fail_unless (try_pull (&report));
  fail_unless_equals_int (GST_READ_UINT32_BE (report.data + 4), ssrc);

  gst_pad_unlink (src, sink);
  gst_pad_link (src, rtp->sinkpad);
  gst_object_unref (src);
  gst_object_unref (sink);
  g_object_unref (internal);
  gst_object_unref (session);
  stop ();
}

GST_END_TEST;

static Suite *
rtpccfb_suite (void)
{
  Suite *s = suite_create ("rtpccfb");
  TCase *t = tcase_create ("rtpccfb");

  suite_add_tcase (s, t);
  tcase_add_test (t, the_oldest_packet_waits_for_the_interval);
  tcase_add_test (t, gaps_and_eight_packets_do_not_wait);
  tcase_add_test (t, at_two_megabits);
  tcase_add_test (t, what_is_no_rtp_passes);
  tcase_add_test (t, both_ways_end);
  tcase_add_test (t, the_end_comes_last);
  tcase_add_test (t, the_last_report_does_not_wait);
  tcase_add_test (t, caps_go_one_way);
  tcase_add_test (t, reports_that_leave_nowhere);
  tcase_add_test (t, session_linked_late);
  return s;
}

GST_CHECK_MAIN (rtpccfb);
