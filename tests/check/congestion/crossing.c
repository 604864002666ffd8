/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
/* The event must reach the encoder through whatever stands between it and the
 * sender, unchanged. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>

typedef struct
{
  const gchar *element, *sink, *src;
} Crossing;

static const Crossing crossings[] = {
  {"queue", "sink", "src"},
  {"tee", "sink", "src_%u"},
  {"videoconvert", "sink", "src"},
  {"x264enc", "sink", "src"},
  {"h264parse", "sink", "src"},
  {"rtph264pay", "sink", "src"},
  {"mpegvideoparse", "sink", "src"},
  {"rtpmpvpay", "sink", "src"},
  {"mpegtsmux", "sink_%d", "src"},
  {"rtpmp2tpay", "sink", "src"},
  {"rtpfunnel", "sink_%u", "src"},
};

/* tests/setup.sh installs all of them: without one nothing would be checked. */
static void
assert_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  fail_unless (factory != NULL, "element %s is not installed", name);
  gst_object_unref (factory);
}

static GstEvent *
make_event (void)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  GstEvent *event;

  gst_congestion_info_set_target_bitrate (info, 1234567);
  gst_congestion_info_set_scale (info, 2);
  gst_congestion_info_set_rtt (info, 45 * GST_MSECOND);
  gst_congestion_info_set_loss (info, 0.01);
  gst_congestion_info_set_spacing (info, 7 * GST_MSECOND);
  gst_congestion_info_set_queue_time (info, 250 * GST_MSECOND);
  gst_congestion_info_set_pace (info, 1500000);
  gst_congestion_info_set_max_frame_size (info, 15000);
  gst_congestion_info_set_controller (info, "scp");
  gst_congestion_info_set_count (info, 1);
  event = gst_congestion_event_new (info);
  gst_congestion_info_free (info);
  return event;
}

typedef struct
{
  GstEvent *sent;
  guint arrived;
} Watch;

static GstPadProbeReturn
watch_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  Watch *watch = user_data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);

  (void) pad;
  if (gst_is_congestion_event (event)) {
    fail_unless (gst_structure_is_equal (gst_event_get_structure (event),
            gst_event_get_structure (watch->sent)));
    fail_unless_equals_int (gst_event_get_seqnum (event),
        gst_event_get_seqnum (watch->sent));
    watch->arrived++;
  }
  return GST_PAD_PROBE_OK;
}

static void
watch_pad (GstPad * pad, Watch * watch)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, watch_event,
      watch, NULL);
}

GST_START_TEST (test_element)
{
  const Crossing *c = &crossings[__i__];
  Watch watch = { 0, };
  GstHarness *h;

  assert_element (c->element);
  h = gst_harness_new_with_padnames (c->element, c->sink, c->src);
  gst_harness_play (h);
  watch.sent = make_event ();
  watch_pad (h->srcpad, &watch);
  gst_harness_push_upstream_event (h, gst_event_ref (watch.sent));
  fail_unless (watch.arrived == 1, "%s: arrived %u times", c->element,
      watch.arrived);
  gst_harness_teardown (h);
  gst_event_unref (watch.sent);
}

GST_END_TEST;

/* Each branch gets the whole target: that is why followers have a share. */
GST_START_TEST (test_funnel_branches)
{
  Watch video = { 0, }, audio = { 0, };
  GstHarness *h, *branch;

  assert_element ("rtpfunnel");
  h = gst_harness_new_with_padnames ("rtpfunnel", "sink_0", "src");
  branch = gst_harness_new_with_element (h->element, "sink_1", NULL);
  gst_harness_play (h);
  gst_harness_play (branch);
  gst_harness_set_src_caps_str (h,
      "application/x-rtp, media=(string)video, payload=(int)96, "
      "clock-rate=(int)90000, encoding-name=(string)H264, ssrc=(uint)1");
  gst_harness_set_src_caps_str (branch,
      "application/x-rtp, media=(string)audio, payload=(int)97, "
      "clock-rate=(int)48000, encoding-name=(string)OPUS, ssrc=(uint)2");

  video.sent = audio.sent = make_event ();
  watch_pad (h->srcpad, &video);
  watch_pad (branch->srcpad, &audio);
  gst_harness_push_upstream_event (h, gst_event_ref (video.sent));
  fail_unless_equals_int (video.arrived, 1);
  fail_unless_equals_int (audio.arrived, 1);
  gst_harness_teardown (branch);
  gst_harness_teardown (h);
  gst_event_unref (video.sent);
}

GST_END_TEST;

#define VIDEO "videotestsrc name=src num-buffers=30 ! " \
  "video/x-raw,width=64,height=64 ! "
#define MPEG TEST_FILES_DIR "/walk-720x480p30-4M.m2v"

typedef struct
{
  const gchar *elements[12];
  const gchar *launch;
} Chain;

/* *INDENT-OFF* */
static const Chain chains[] = {
  {{"videotestsrc", "videoconvert", "x264enc", "h264parse", "rtph264pay",
    "rtpfunnel"},
   VIDEO "videoconvert ! tee ! queue ! x264enc tune=zerolatency ! h264parse ! "
   "rtph264pay ! queue ! rtpfunnel ! fakesink name=sink"},
  {{"videotestsrc", "x264enc", "h264parse", "mpegtsmux", "rtpmp2tpay"},
   VIDEO "x264enc tune=zerolatency ! h264parse ! mpegtsmux ! rtpmp2tpay ! "
   "queue ! fakesink name=sink"},
  {{"mpegvideoparse", "rtpmpvpay", "rtpfunnel"},
   "filesrc name=src location=" MPEG " ! mpegvideoparse ! queue ! rtpmpvpay ! "
   "rtpfunnel ! queue ! fakesink name=sink"},
};
/* *INDENT-ON* */

/* With caps negotiated and data in flight, from the sink to the source. */
GST_START_TEST (test_chain)
{
  const Chain *chain = &chains[__i__];
  GstElement *pipeline, *src, *sink;
  GstPad *srcpad, *sinkpad;
  Watch watch = { 0, };
  GError *error = NULL;
  guint i;

  for (i = 0; chain->elements[i]; i++)
    assert_element (chain->elements[i]);
  pipeline = gst_parse_launch (chain->launch, &error);
  fail_unless (pipeline
      && !error, "%s", error ? error->message : "no pipeline");
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  srcpad = gst_element_get_static_pad (src, "src");
  sinkpad = gst_element_get_static_pad (sink, "sink");

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL,
          GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  watch.sent = make_event ();
  watch_pad (srcpad, &watch);
  gst_pad_push_event (sinkpad, gst_event_ref (watch.sent));
  fail_unless_equals_int (watch.arrived, 1);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (srcpad);
  gst_object_unref (sinkpad);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  gst_event_unref (watch.sent);
}

GST_END_TEST;

static Suite *
crossing_suite (void)
{
  Suite *s = suite_create ("crossing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_element, 0, G_N_ELEMENTS (crossings));
  tcase_add_test (tc, test_funnel_branches);
  tcase_add_loop_test (tc, test_chain, 0, G_N_ELEMENTS (chains));
  return s;
}

GST_CHECK_MAIN (crossing);
