/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * rtpbandwidth before GStreamer's own rtpsession: it finds the session, inside
 * bins and through others, and hears of RFC 8888's feedback. rtpccfb finds it,
 * too.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#include <rtpfeedback/ccfb.h>

#define SSRC 0x1234
#define OTHER 0x5678
#define PACKETS 10
#define CAPS "application/x-rtp,media=video,clock-rate=90000,payload=96," \
    "encoding-name=VP8"

static GstHarness *h;
static GstElement *bandwidth, *session, *box, *between, *top;
static GstPad *rtcp_sink;

static void
add_ghost (GstElement * bin, GstElement * element, const gchar * pad_name,
    const gchar * name)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);

  fail_unless (pad != NULL);
  gst_element_add_pad (bin, gst_ghost_pad_new (name, pad));
  gst_object_unref (pad);
}

static void
begin_rtcp (void)
{
  GstSegment segment;

  gst_pad_send_event (rtcp_sink, gst_event_new_stream_start ("rtcp"));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (rtcp_sink, gst_event_new_segment (&segment));
}

/* A bin in a bin with rtpbandwidth, an element behind it, and rtpsession,
 * to which the way is open if `linked`. */
static void
start (gboolean linked)
{
  GstPad *pad;

  box = gst_bin_new (NULL);
  between = gst_element_factory_make ("identity", NULL);
  top = gst_bin_new (NULL);
  bandwidth = gst_element_factory_make ("rtpbandwidth", NULL);
  session = gst_element_factory_make ("rtpsession", NULL);
  fail_unless (bandwidth && session);
  g_object_set (bandwidth, "estimated-bitrate", 8000000, NULL);
  gst_bin_add (GST_BIN (box), bandwidth);
  add_ghost (box, bandwidth, "sink", "sink");
  add_ghost (box, bandwidth, "src", "src");
  gst_bin_add_many (GST_BIN (top), box, between, session, NULL);
  pad = gst_element_request_pad_simple (session, "send_rtp_sink");
  gst_object_unref (pad);
  fail_unless (gst_element_link_pads (box, "src", between, "sink"));
  fail_unless (gst_element_link_pads (between, "src", session,
          "send_rtp_sink"));
  add_ghost (top, box, "sink", "sink");
  add_ghost (top, session, "send_rtp_src", "src");
  rtcp_sink = gst_element_request_pad_simple (session, "recv_rtcp_sink");
  h = gst_harness_new_with_element (top, "sink", "src");
  if (!linked)
    gst_element_unlink (box, between);
  gst_harness_set_src_caps_str (h, CAPS);
  begin_rtcp ();
}

static void
stop (void)
{
  gst_element_set_state (top, GST_STATE_NULL);
  gst_object_unref (rtcp_sink);
  gst_harness_teardown (h);
  gst_object_unref (top);
}

static GstBuffer *
make_packet (guint32 ssrc, guint16 number)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (100, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, number);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

static void
push_packets (guint32 ssrc, guint16 number)
{
  for (guint16 i = 0; i < PACKETS; i++) {
    gst_harness_push (h, make_packet (ssrc, (guint16) (number + i)));
    gst_buffer_unref (gst_harness_pull (h));
  }
}

static void
add_block (PspCcfbPacker * packer, guint32 ssrc, guint16 number)
{
  PspCcfbMetric metric = {.received = true,.offset = 0 };

  psp_ccfb_stream (packer, ssrc, number);
  for (guint i = 0; i < PACKETS; i++)
    psp_ccfb_add_metric (packer, &metric);
}

static guint64
get_stat (const gchar * name)
{
  GstStructure *s;
  guint64 value = 0;

  g_object_get (bandwidth, "stats", &s, NULL);
  fail_unless (gst_structure_get_uint64 (s, name, &value), "no %s", name);
  gst_structure_free (s);
  return value;
}

GST_START_TEST (hears_of_two_streams)
{
  guint8 data[500];
  PspWriter w = psp_writer (data, sizeof data);
  PspCcfbPacker packer;

  start (TRUE);
  push_packets (SSRC, 65530);
  push_packets (OTHER, 0);
  psp_ccfb_begin (&packer, &w, 99);
  add_block (&packer, SSRC, 65530);
  add_block (&packer, OTHER, 0);
  psp_ccfb_end (&packer, 0);
  gst_pad_chain (rtcp_sink, gst_buffer_new_memdup (data, w.size));
  fail_unless_equals_uint64 (get_stat ("packets-acked"), 2 * PACKETS);
  fail_unless_equals_uint64 (get_stat ("feedback-received"), 1);
  stop ();
}

GST_END_TEST;

/* The way behind the element that leads to another session: the feedback of
 * that one counts, although its segment is the pad's own. */
static void
move_to_another_session (void)
{
  GstElement *other = gst_element_factory_make ("rtpsession", NULL);
  GstPad *ghost = gst_element_get_static_pad (top, "src"), *pad;

  gst_bin_add (GST_BIN (top), other);
  gst_element_sync_state_with_parent (other);
  gst_object_unref (rtcp_sink);
  rtcp_sink = gst_element_request_pad_simple (other, "recv_rtcp_sink");
  begin_rtcp ();
  gst_element_unlink (between, session);
  pad = gst_element_request_pad_simple (other, "send_rtp_sink");
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (other, "send_rtp_src");
  fail_unless (gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), pad));
  gst_object_unref (pad);
  gst_object_unref (ghost);
  fail_unless (gst_element_link_pads (between, "src", other,
          "send_rtp_sink"));
}

/* The task pauses after a packet that found no link. */
static void
find_no_link (void)
{
  GstPad *src = gst_element_get_static_pad (bandwidth, "src");

  gst_harness_push (h, make_packet (SSRC, 0));
  while (gst_pad_get_task_state (src) != GST_TASK_PAUSED)
    g_thread_yield ();
  gst_object_unref (src);
}

static void
report (guint16 number)
{
  guint8 data[500];
  PspWriter w = psp_writer (data, sizeof data);
  PspCcfbPacker packer;

  psp_ccfb_begin (&packer, &w, 99);
  add_block (&packer, SSRC, number);
  psp_ccfb_end (&packer, 0);
  gst_pad_chain (rtcp_sink, gst_buffer_new_memdup (data, w.size));
}

GST_START_TEST (hears_of_another_session)
{
  start (TRUE);
  push_packets (SSRC, 0);
  move_to_another_session ();
  push_packets (SSRC, PACKETS);
  report (PACKETS);
  fail_unless_equals_uint64 (get_stat ("packets-acked"), PACKETS);
  stop ();
}

GST_END_TEST;

GST_START_TEST (hears_after_a_late_link)
{
  start (FALSE);
  find_no_link ();
  fail_unless (gst_element_link (box, between));
  push_packets (SSRC, 1);
  report (1);
  fail_unless_equals_uint64 (get_stat ("packets-acked"), PACKETS);
  stop ();
}

GST_END_TEST;

/* A session outlives the element's run, and holds nothing of it. */
GST_START_TEST (lets_go)
{
  GObject *internal;

  start (TRUE);
  push_packets (SSRC, 0);
  g_object_get (session, "internal-session", &internal, NULL);
  fail_unless (g_signal_handler_find (internal, G_SIGNAL_MATCH_DATA, 0, 0, NULL,
          NULL, bandwidth) > 0);
  gst_element_set_state (top, GST_STATE_NULL);
  fail_unless_equals_int (g_signal_handler_find (internal, G_SIGNAL_MATCH_DATA,
          0, 0, NULL, NULL, bandwidth), 0);
  g_object_unref (internal);
  stop ();
}

GST_END_TEST;

/* rtpccfb before rtpsession: its reports have the session's SSRC. */
GST_START_TEST (reports_have_the_ssrc_of_the_session)
{
  GstElement *ccfb = gst_element_factory_make ("rtpccfb", NULL);
  GstHarness *rtcp;
  GObject *internal;
  GstBuffer *buffer;
  GstMapInfo map;
  PspCcfb report;
  guint ssrc;

  fail_unless (ccfb != NULL);
  session = gst_element_factory_make ("rtpsession", NULL);
  top = gst_bin_new (NULL);
  gst_bin_add_many (GST_BIN (top), ccfb, session, NULL);
  rtcp_sink = gst_element_request_pad_simple (session, "recv_rtp_sink");
  fail_unless (gst_element_link_pads (ccfb, "src", session, "recv_rtp_sink"));
  add_ghost (top, ccfb, "sink", "sink");
  add_ghost (top, ccfb, "rtcp_src", "rtcp_src");
  h = gst_harness_new_with_element (top, "sink", NULL);
  rtcp = gst_harness_new_with_element (top, NULL, "rtcp_src");
  gst_harness_set_src_caps_str (h, CAPS);
  for (guint16 i = 0; i < PACKETS; i++)
    gst_harness_push (h, make_packet (SSRC, i));
  buffer = gst_harness_pull (rtcp);
  g_object_get (session, "internal-session", &internal, NULL);
  g_object_get (internal, "internal-ssrc", &ssrc, NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (psp_ccfb_parse (map.data, map.size, &report));
  fail_unless_equals_int (report.sender_ssrc, ssrc);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  g_object_unref (internal);
  gst_element_set_state (top, GST_STATE_NULL);
  gst_harness_teardown (rtcp);
  stop ();
}

GST_END_TEST;

static Suite *
session_suite (void)
{
  Suite *s = suite_create ("rtpbandwidth-session");
  TCase *t = tcase_create ("session");

  suite_add_tcase (s, t);
  if (!gst_registry_check_feature_version (gst_registry_get (), "rtpsession", 1,
          0, 0)) {
    g_print ("skipped: GStreamer has no rtpsession here "
        "(gstreamer1.0-plugins-good)\n");
    return s;
  }
  tcase_add_test (t, hears_of_two_streams);
  tcase_add_test (t, hears_of_another_session);
  tcase_add_test (t, hears_after_a_late_link);
  tcase_add_test (t, lets_go);
  tcase_add_test (t, reports_have_the_ssrc_of_the_session);
  return s;
}

GST_CHECK_MAIN (session);
