/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a sender announces, as an info says it.
 */
#include <gst/check/gstcheck.h>
#include <notify/notice.h>

GST_START_TEST (test_all_known)
{
  const PspNotice notice = {
    .reason = PSP_REASON_DELAY,
    .target_bitrate = 900000,
    .scale = 3,
    .rtt = 40 * PSP_MSECOND,
    .loss = 0.25,
    .spacing = 10 * PSP_MSECOND
  };
  GstCongestionInfo *info =
      gst_notice_to_info (&notice, 1000000, 50 * GST_MSECOND, "poise");
  guint64 target;

  fail_unless_equals_int (gst_congestion_info_get_reason (info),
      GST_CONGESTION_REASON_DELAY);
  fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
  fail_unless_equals_uint64 (target, 900000);
  fail_unless_equals_int (gst_congestion_info_get_scale (info), 3);
  fail_unless_equals_uint64 (gst_congestion_info_get_rtt (info),
      40 * GST_MSECOND);
  fail_unless_equals_float (gst_congestion_info_get_loss (info), 0.25);
  fail_unless_equals_uint64 (gst_congestion_info_get_spacing (info),
      10 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_congestion_info_get_pace (info), 1000000);
  /* 0.8 of 50 ms at the target of .9 Mb/s */
  fail_unless_equals_uint64 (gst_congestion_info_get_max_frame_size (info),
      4500);
  fail_unless_equals_string (gst_congestion_info_get_controller (info),
      "poise");
  fail_unless (gst_congestion_info_get_queue_time (info) ==
      GST_CLOCK_TIME_NONE);
  gst_congestion_info_free (info);
}

GST_END_TEST;

GST_START_TEST (test_unknown)
{
  const PspNotice notice = {
    .reason = PSP_REASON_START,
    .target_bitrate = PSP_BITRATE_UNKNOWN,
    .scale = -1,
    .rtt = PSP_TIME_UNKNOWN,
    .loss = -1,
    .spacing = PSP_TIME_UNKNOWN
  };
  GstCongestionInfo *info = gst_notice_to_info (&notice, PSP_BITRATE_UNKNOWN,
      50 * GST_MSECOND, "none");

  fail_if (gst_congestion_info_get_target_bitrate (info, NULL));
  fail_unless_equals_int (gst_congestion_info_get_scale (info), -1);
  fail_unless (gst_congestion_info_get_rtt (info) == GST_CLOCK_TIME_NONE);
  fail_unless (gst_congestion_info_get_loss (info) < 0);
  fail_unless (gst_congestion_info_get_spacing (info) == GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (gst_congestion_info_get_pace (info), 0);
  fail_unless_equals_uint64 (gst_congestion_info_get_max_frame_size (info), 0);
  gst_congestion_info_free (info);
}

GST_END_TEST;

/* A pace and a target, ns that a frame may take, and the largest frame. */
static const struct
{
  gint64 pace, target;
  GstClockTime time;
  guint64 size;
} frames[] = {
  {1000000, PSP_BITRATE_UNKNOWN, 0, 0},
  {123456, PSP_BITRATE_UNKNOWN, 100 * GST_MSECOND, 1234},
  {1, PSP_BITRATE_UNKNOWN, GST_SECOND, 0},
  {PSP_MAX_BITRATE, PSP_BITRATE_UNKNOWN, G_MAXUINT64,
      GST_CONGESTION_MAX_FRAME_SIZE},
  {800000, 1000000, 100 * GST_MSECOND, 8000},
  /* The pace is a burst's. */
  {1200000, 1000000, 100 * GST_MSECOND, 10000},
};

GST_START_TEST (test_largest_frame)
{
  const PspNotice notice = {
    .reason = PSP_REASON_START,
    .target_bitrate = frames[__i__].target
  };
  GstCongestionInfo *info = gst_notice_to_info (&notice, frames[__i__].pace,
      frames[__i__].time, "none");

  fail_unless_equals_uint64 (gst_congestion_info_get_max_frame_size (info),
      frames[__i__].size);
  gst_congestion_info_free (info);
}

GST_END_TEST;

static Suite *
notice_suite (void)
{
  Suite *s = suite_create ("notify-notice");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_all_known);
  tcase_add_test (tc, test_unknown);
  tcase_add_loop_test (tc, test_largest_frame, 0, G_N_ELEMENTS (frames));
  return s;
}

GST_CHECK_MAIN (notice);
