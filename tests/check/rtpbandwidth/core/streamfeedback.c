/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Messages as RTPSession's signal hands them over.
 */
#include <gst/check/gstcheck.h>

#include "streamfeedback.h"

#define SSRC 0x1234
#define OTHER 0x5678
#define MS PSP_MSECOND

static PspSender *sender;
static PspStreamNumbers numbers;
static PspRtcpFeedback rtcp;
static uint32_t last_series;
static uint8_t packet[PSP_STREAM_FEEDBACK_SIZE];
static PspWriter writer;
static PspCcfbPacker packer;

static void
setup (void)
{
  PspSenderConfig config = {.controller = psp_controller_find ("none") };

  sender = psp_sender_new (&config, 0);
  memset (&numbers, 0, sizeof numbers);
  last_series = 0;
  fail_unless (psp_rtcp_feedback_init (&rtcp, PSP_STREAM_FEEDBACK_SIZE));
}

static void
teardown (void)
{
  psp_sender_free (sender);
  psp_rtcp_feedback_clear (&rtcp);
}

static void
send_packet (uint32_t ssrc, uint16_t number, int64_t now)
{
  PspPacket p = {.size = 1020,.payload_size = 1000,.has_key = true };

  p.key = psp_stream_numbers_count (&numbers, ssrc, number, &last_series);
  psp_sender_sent (sender, &p, now, 1);
}

static void
begin (void)
{
  writer = psp_writer (packet, sizeof packet);
  psp_ccfb_begin (&packer, &writer, 1);
}

/* Of n packets, which arrived 10 ms before the report. */
static void
add_block (uint32_t ssrc, uint16_t number, unsigned n, unsigned missing)
{
  PspCcfbMetric metric = {.offset = 10 * MS };

  psp_ccfb_stream (&packer, ssrc, number);
  for (unsigned i = 0; i < n; i++) {
    metric.received = i != missing;
    psp_ccfb_add_metric (&packer, &metric);
  }
}

/* What is behind the header, as the signal cuts it. */
static PspStreamMessage
end (void)
{
  PspStreamMessage message = {.sender_ssrc = 1 };

  psp_ccfb_end (&packer, 77 << 16);
  fail_if (writer.error);
  message.media_ssrc = GST_READ_UINT32_BE (packet + 8);
  message.fci = packet + 12;
  message.size = writer.size - 12;
  return message;
}

static PspFeedbackResult
take (const PspStreamMessage * message, int64_t now)
{
  PspFeedback feedback;

  fail_unless (psp_stream_feedback_read (&rtcp, message, now, &feedback));
  fail_unless (psp_stream_feedback_concerns (&numbers, &feedback));
  psp_stream_feedback_translate (&numbers, sender, &rtcp, &feedback);
  return psp_sender_acknowledge (sender, &feedback, now);
}

GST_START_TEST (its_type)
{
  fail_unless (psp_stream_feedback_is (205, 11));
  fail_if (psp_stream_feedback_is (205, 15));
  fail_if (psp_stream_feedback_is (206, 11));
}

GST_END_TEST;

/* The first block's SSRC stands where other messages have that of the media. */
GST_START_TEST (two_streams)
{
  PspStreamMessage message;
  PspSenderStats stats;

  for (uint16_t i = 0; i < 10; i++) {
    send_packet (SSRC, (uint16_t) (65530 + i), i * 2 * MS);
    send_packet (OTHER, i, (i * 2 + 1) * MS);
  }
  begin ();
  add_block (SSRC, 65530, 10, 3);
  add_block (OTHER, 0, 10, 5);
  message = end ();
  fail_unless_equals_int (message.media_ssrc, SSRC);
  fail_unless_equals_int (take (&message, 50 * MS), PSP_FEEDBACK_OK);
  psp_sender_stats (sender, 50 * MS, &stats);
  fail_unless_equals_uint64 (stats.packets_acked, 18);
  fail_unless_equals_uint64 (stats.packets_lost, 2);
  /* The last packet left at 19 ms, and its report was held for 10 ms. */
  fail_unless (ABS (stats.rtt - 21 * MS) < 2 * MS);
}

GST_END_TEST;

/* Streams that are not ours, packets that never left, and those from before
 * accounting began. */
GST_START_TEST (others)
{
  PspStreamMessage message;
  PspFeedback feedback;
  PspSenderStats stats;

  for (uint16_t i = 100; i < 110; i++)
    send_packet (SSRC, i, i * MS);
  begin ();
  add_block (OTHER, 0, 5, 9);
  message = end ();
  fail_unless (psp_stream_feedback_read (&rtcp, &message, 150 * MS,
          &feedback));
  fail_if (psp_stream_feedback_concerns (&numbers, &feedback));
  psp_stream_feedback_translate (&numbers, sender, &rtcp, &feedback);
  fail_unless_equals_int (feedback.n, 0);

  begin ();
  add_block (SSRC, 105, 10, 99);
  message = end ();
  fail_unless_equals_int (take (&message, 151 * MS), PSP_FEEDBACK_NEVER_SENT);

  begin ();
  add_block (SSRC, 90, 15, 99);
  message = end ();
  fail_unless_equals_int (take (&message, 152 * MS), PSP_FEEDBACK_OK);
  psp_sender_stats (sender, 152 * MS, &stats);
  fail_unless_equals_uint64 (stats.packets_acked, 5);
}

GST_END_TEST;

GST_START_TEST (malformed)
{
  static uint8_t zeros[PSP_STREAM_FEEDBACK_SIZE];
  PspStreamMessage message;
  PspFeedback feedback;
  size_t whole;

  begin ();
  add_block (SSRC, 0, 18, 4);
  message = end ();
  whole = message.size;
  for (message.size = 1; message.size < whole; message.size++)
    fail_if (psp_stream_feedback_read (&rtcp, &message, 0, &feedback),
        "%d octets", (int) message.size);
  /* With no block at all the time stamp stands in the place of the SSRC. */
  message.fci = NULL;
  message.size = 0;
  if (psp_stream_feedback_read (&rtcp, &message, 0, &feedback))
    fail_unless_equals_int (feedback.n, 0);
  /* too large */
  message.fci = zeros;
  message.size = sizeof zeros;
  fail_if (psp_stream_feedback_read (&rtcp, &message, 0, &feedback));
  fail_unless (rtcp.malformed >= whole);
}

GST_END_TEST;

static Suite *
streamfeedback_suite (void)
{
  Suite *s = suite_create ("streamfeedback");
  TCase *t = tcase_create ("streamfeedback");

  suite_add_tcase (s, t);
  tcase_add_checked_fixture (t, setup, teardown);
  tcase_add_test (t, its_type);
  tcase_add_test (t, two_streams);
  tcase_add_test (t, others);
  tcase_add_test (t, malformed);
  return s;
}

GST_CHECK_MAIN (streamfeedback);
