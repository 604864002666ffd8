/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/rtcpfeedback.h>

#include "../rounds.h"

#define SSRC 0x11111111
#define MAX_SIZE 1500
#define MS PSP_MSECOND

/* A controller that shows what it hears. */
static unsigned n_reports;
static PspPacketResult results[64];
static size_t n_results;
static int64_t rtt_sample;

static void
listener_init (PspController * c, int64_t now, PspDecision * d)
{
  (void) c;
  (void) now;
  (void) d;
}

static void
listener_feedback (PspController * c, const PspReport * report, PspDecision * d)
{
  (void) c;
  (void) d;
  n_reports++;
  fail_unless (report->n_results <= G_N_ELEMENTS (results));
  n_results = report->n_results;
  memcpy (results, report->results, n_results * sizeof results[0]);
  rtt_sample = report->rtt_sample;
}

static const PspControllerClass listener = {
  .name = "listener",
  .size = sizeof (PspController),
  .needs_feedback = true,
  .init = listener_init,
  .on_feedback = listener_feedback
};

static PspSender *sender;
static PspRtcpFeedback feedback;
static uint8_t data[65536];
static PspWriter writer;
static PspCcfbPacker packer;
static bool bye_seen;

static void
setup (void)
{
  PspSenderConfig config = {.controller = &listener };

  n_reports = 0;
  sender = psp_sender_new (&config, 0);
  fail_unless (psp_rtcp_feedback_init (&feedback, MAX_SIZE));
}

static void
teardown (void)
{
  psp_sender_free (sender);
  psp_rtcp_feedback_clear (&feedback);
}

/* Packet i, with number i, leaves at i ms. */
static void
send_run (int n)
{
  for (int i = 0; i < n; i++) {
    PspRtpHeader header = {.ssrc = SSRC,.seq = (uint16_t) i,.size = 1012,
      .payload_size = 1000
    };
    PspPacket packet;

    psp_rtp_packet (&header, &packet);
    fail_unless_equals_int (packet.size, 1012);
    fail_unless_equals_int (packet.payload_size, 1000);
    psp_sender_sent (sender, &packet, i * MS, 0);
    fail_unless (psp_sender_make_room (sender, i * MS));
  }
}

static void
report_begin (uint32_t ssrc, uint16_t seq)
{
  writer = psp_writer (data, sizeof data);
  psp_ccfb_begin (&packer, &writer, 0x5ec0de);
  psp_ccfb_stream (&packer, ssrc, seq);
}

static void
report_packet (bool received, int64_t offset, uint8_t ecn)
{
  PspCcfbMetric metric = { received, ecn, offset };

  psp_ccfb_add_metric (&packer, &metric);
}

static void
report_end (uint32_t timestamp, int64_t now)
{
  psp_ccfb_end (&packer, timestamp);
  fail_if (writer.error);
  psp_rtcp_feedback_receive (&feedback, sender, data, writer.size, now,
      &bye_seen);
  fail_if (bye_seen);
}

static PspSenderStats
stats (void)
{
  PspSenderStats s;

  psp_sender_stats (sender, 0, &s);
  return s;
}

GST_START_TEST (test_acknowledgements)
{
  send_run (4);
  report_begin (SSRC, 0);
  report_packet (true, 30 * PSP_SECOND / 1024, PSP_ECN_ECT1);
  report_packet (false, PSP_TIME_UNKNOWN, 0);
  report_packet (true, PSP_TIME_UNKNOWN, PSP_ECN_NOT_ECT);
  report_packet (true, 20 * PSP_SECOND / 1024, PSP_ECN_ECT0);
  report_end (5 << 16, 63 * MS);
  fail_unless_equals_int (n_results, 3);
  fail_unless_equals_int (results[0].ecn, PSP_ECN_ECT1);
  fail_unless_equals_int64 (results[0].arrived_at,
      5 * PSP_SECOND - 30 * PSP_SECOND / 1024);
  fail_unless_equals_int64 (results[1].index, 2);
  fail_unless_equals_int64 (results[1].arrived_at, PSP_TIME_UNKNOWN);
  fail_unless_equals_int (results[2].ecn, PSP_ECN_ECT0);
  fail_unless_equals_int64 (rtt_sample, 60 * MS - 20 * PSP_SECOND / 1024);
  fail_unless_equals_uint64 (feedback.bytes, writer.size);
  fail_unless_equals_uint64 (feedback.malformed, 0);
}

GST_END_TEST;

/* Packets one by one: what the owner did not accept moves no time line. */
GST_START_TEST (test_single_packets)
{
  PspFeedback read;

  send_run (4);
  report_begin (SSRC, 0);
  for (int i = 0; i < 4; i++)
    report_packet (true, 0, 0);
  psp_ccfb_end (&packer, 5 << 16);
  fail_unless (psp_rtcp_feedback_read (&feedback, data, writer.size, 10 * MS,
          &read));
  fail_unless_equals_int (read.n, 4);
  fail_unless_equals_int64 (read.reported_at, 5 * PSP_SECOND);
  fail_unless_equals_int (read.acknowledgements[3].key.number, 3);
  fail_unless_equals_int (n_reports, 0);
  fail_if (feedback.receiver_time_known);
  psp_rtcp_feedback_accept (&feedback, 10 * MS);
  fail_unless (feedback.receiver_time_known);

  fail_if (psp_rtcp_feedback_read (&feedback, data, writer.size - 4, 20 * MS,
          &read));
  fail_unless_equals_uint64 (feedback.malformed, 1);
  psp_rtcp_feedback_accept (&feedback, 20 * MS);
  fail_unless_equals_int64 (feedback.accepted_at, 10 * MS);
}

GST_END_TEST;

GST_START_TEST (test_bad_feedback)
{
  static const uint8_t rr[] = { 0x80, 201, 0, 1, 1, 2, 3, 4 };
  static const uint8_t bye[] = { 0x81, 203, 0, 1, 1, 2, 3, 4 };
  static const uint8_t short_ccfb[] = { 0x8b, 205, 0, 1, 1, 2, 3, 4 };

  send_run (10);
  psp_rtcp_feedback_receive (&feedback, sender, rr, 7, 1, &bye_seen);
  psp_rtcp_feedback_receive (&feedback, sender, short_ccfb, sizeof short_ccfb,
      1, &bye_seen);
  fail_unless_equals_uint64 (feedback.malformed, 2);
  fail_unless_equals_uint64 (feedback.bytes, sizeof short_ccfb);
  psp_rtcp_feedback_receive (&feedback, sender, rr, sizeof rr, 1, &bye_seen);
  fail_if (bye_seen);
  psp_rtcp_feedback_receive (&feedback, sender, bye, sizeof bye, 1, &bye_seen);
  fail_unless (bye_seen);
  report_begin (99, 0);
  report_packet (true, 0, 0);
  report_end (0, 1);
  fail_unless_equals_uint64 (stats ().feedback_unknown_series, 1);
  fail_unless_equals_int (stats ().link, PSP_LINK_WAITING);
  fail_unless_equals_int (n_reports, 0);
}

GST_END_TEST;

/* More packets than a datagram of the largest size has are refused whole. */
GST_START_TEST (test_too_many)
{
  send_run (2 * MAX_SIZE);
  for (int n = MAX_SIZE / 2; n <= MAX_SIZE / 2 + 1; n++) {
    report_begin (SSRC, 0);
    for (int i = 0; i < n; i++)
      report_packet (false, 0, 0);
    report_end (1, PSP_SECOND);
    fail_unless_equals_uint64 (feedback.malformed, n - MAX_SIZE / 2);
    fail_unless_equals_uint64 (stats ().feedback_received, 1);
  }
}

GST_END_TEST;

static int64_t
arrival (uint16_t seq, uint32_t timestamp, int64_t now)
{
  report_begin (SSRC, seq);
  report_packet (true, 0, PSP_ECN_NOT_ECT);
  report_end (timestamp, now);
  fail_unless_equals_int (n_results, 1);
  return results[0].arrived_at;
}

GST_START_TEST (test_receiver_time_wraps)
{
  int64_t t[4];

  send_run (10);
  t[0] = arrival (0, 0xffff8000, 1000 * MS);
  t[1] = arrival (1, 0x00008000, 2000 * MS);
  /* overtaken by the one before */
  t[2] = arrival (2, 0xffffc000, 2100 * MS);
  t[3] = arrival (3, 0x00010000, 2500 * MS);
  fail_unless_equals_int64 (t[1] - t[0], PSP_SECOND);
  fail_unless_equals_int64 (t[2] - t[0], PSP_SECOND / 4);
  fail_unless_equals_int64 (t[3] - t[0], 3 * PSP_SECOND / 2);
  /* A report that is refused does not move the time line. */
  report_begin (99, 0);
  report_packet (true, 0, 0);
  report_end (0x70000000, 2900 * MS);
  fail_unless_equals_int64 (arrival (4, 0x00018000, 3000 * MS) - t[3],
      PSP_SECOND / 2);
  /* Another receiver's has no past. */
  psp_rtcp_feedback_forget (&feedback);
  fail_unless_equals_int64 (arrival (5, 0xfff00000, 3000 * MS),
      0xfff0 * PSP_SECOND);
}

GST_END_TEST;

/* A forged time says nothing of when packets arrived, only that they did. It is
 * believed if no other comes for a second: the receiver has another clock. */
GST_START_TEST (test_receiver_time_jumps)
{
  static const uint32_t forged[] = { 100 << 16, 0x80000000, -(100u << 16) };
  uint32_t jump = forged[__i__];

  send_run (100);
  fail_unless_equals_int64 (arrival (0, 0, 1000 * MS), 0);
  for (uint16_t i = 1; i < 30; i++) {
    int64_t now = (1000 + 100 * i) * MS;

    fail_unless_equals_int64 (arrival (2 * i - 1, i * 6553 + jump, now),
        PSP_TIME_UNKNOWN);
    /* Only the sender's clock tells of the round trip. */
    fail_unless_equals_int64 (rtt_sample, now - (2 * i - 1) * MS);
    fail_unless (ABS (arrival (2 * i, i * 6553, now) - 100 * i * MS) < MS);
  }
  fail_unless (arrival (60, 7 * 32768 + jump, 4500 * MS) == PSP_TIME_UNKNOWN);
  fail_unless (arrival (61, 4 * 65536 + jump, 5000 * MS) != PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (stats ().packets_acked, 61);
}

GST_END_TEST;

/* Half a wrap a report, for ever in one direction: no overflow. */
GST_START_TEST (test_receiver_time_runs_away)
{
  const uint32_t n = test_rounds (300000);
  int64_t at;

  send_run (1);
  for (uint32_t i = 0; i < n; i++) {
    report_begin (SSRC, 0);
    report_packet (false, 0, 0);
    report_end (i * 0x7fffffff, 2 * i * PSP_SECOND);
  }
  at = arrival (0, 0, 2 * n * PSP_SECOND);
  fail_unless (at < INT64_MAX / 4 && at > INT64_MIN / 4);
}

GST_END_TEST;

static PspReported reported;

static int64_t
newest (size_t size)
{
  psp_rtcp_feedback_reported (&feedback, sender, data, size, &reported);
  fail_unless_equals_int (reported.kind,
      reported.newest == PSP_TIME_UNKNOWN ? PSP_REPORT_NONE : PSP_REPORT_CCFB);
  return reported.newest;
}

/* Packet i left at i ms. What has not arrived, was not sent, or is of others
 * says nothing; nor does a datagram that is not whole. */
GST_START_TEST (test_newest)
{
  static const struct
  {
    uint32_t ssrc;
    uint16_t seq;
    const char *received;
    int64_t newest, oldest;
  } rows[] = {
    {SSRC, 0, "1111", 3 * MS, 0},
    {SSRC, 0, "1100", 1 * MS, 0},
    {SSRC, 1, "010", 2 * MS, 2 * MS},
    {SSRC, 0, "0000", PSP_TIME_UNKNOWN, PSP_TIME_NEVER},
    {SSRC, 2, "1011", 2 * MS, 2 * MS},
    {SSRC, 4, "11", PSP_TIME_UNKNOWN, PSP_TIME_NEVER},
    {SSRC, 65534, "111", 0, 0},
    {SSRC + 1, 0, "1111", PSP_TIME_UNKNOWN, PSP_TIME_NEVER},
  };

  report_begin (SSRC, 0);
  report_packet (true, 0, 0);
  psp_ccfb_end (&packer, 1 << 16);
  fail_unless_equals_int64 (newest (writer.size), PSP_TIME_UNKNOWN);
  send_run (4);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    report_begin (rows[i].ssrc, rows[i].seq);
    for (const char *c = rows[i].received; *c; c++)
      report_packet (*c == '1', *c == '1' ? 0 : PSP_TIME_UNKNOWN, 0);
    psp_ccfb_end (&packer, 5 << 16);
    fail_unless_equals_int64 (newest (writer.size), rows[i].newest);
    fail_unless_equals_int64 (reported.oldest, rows[i].oldest);
    for (size_t size = 0; size < writer.size; size++) {
      uint8_t *cut = g_memdup2 (data, size);

      psp_rtcp_feedback_reported (&feedback, sender, cut, size, &reported);
      fail_unless_equals_int64 (reported.newest, PSP_TIME_UNKNOWN);
      fail_unless_equals_int64 (reported.oldest, PSP_TIME_NEVER);
      g_free (cut);
    }
  }
  /* It was only asked. */
  fail_unless_equals_int (n_reports, 0);
  fail_unless_equals_int64 (stats ().in_flight, 4);
}

GST_END_TEST;

/* Of several streams and packets in one datagram. */
GST_START_TEST (test_newest_of_several)
{
  send_run (4);
  report_begin (SSRC + 1, 0);
  report_packet (true, 0, 0);
  psp_ccfb_stream (&packer, SSRC, 2);
  report_packet (true, 0, 0);
  psp_ccfb_end (&packer, 1 << 16);
  psp_ccfb_begin (&packer, &writer, 0x5ec0de);
  psp_ccfb_stream (&packer, SSRC, 0);
  report_packet (true, 0, 0);
  psp_ccfb_end (&packer, 1 << 16);
  fail_if (writer.error);
  fail_unless_equals_int64 (newest (writer.size), 2 * MS);
  fail_unless_equals_int64 (reported.oldest, 0);
}

GST_END_TEST;

/* A receiver report has only its highest sequence number, extended. */
GST_START_TEST (test_newest_of_receiver_report)
{
  PspRtcpReportBlock blocks[] = { {.ssrc = SSRC + 1,.highest_seq = 3},
  {.ssrc = SSRC,.highest_seq = 0x10002}
  };

  send_run (4);
  writer = psp_writer (data, sizeof data);
  psp_rtcp_write_rr (&writer, 1, blocks, 2);
  psp_rtcp_feedback_reported (&feedback, sender, data, writer.size, &reported);
  fail_unless_equals_int64 (reported.newest, 2 * MS);
  fail_unless_equals_int64 (reported.oldest, 2 * MS);
  fail_unless_equals_int64 (reported.next, 3 * MS);
  fail_unless_equals_int (reported.kind, PSP_REPORT_RR);
  /* Nothing left behind the last. */
  blocks[1].highest_seq = 0x10003;
  writer = psp_writer (data, sizeof data);
  psp_rtcp_write_rr (&writer, 1, blocks, 2);
  psp_rtcp_feedback_reported (&feedback, sender, data, writer.size, &reported);
  fail_unless_equals_int64 (reported.newest, 3 * MS);
  fail_unless_equals_int64 (reported.next, PSP_TIME_UNKNOWN);
}

GST_END_TEST;

static Suite *
rtcpfeedback_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-rtcpfeedback");
  TCase *tc = tcase_create ("rtcpfeedback");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_acknowledgements);
  tcase_add_test (tc, test_single_packets);
  tcase_add_test (tc, test_bad_feedback);
  tcase_add_test (tc, test_too_many);
  tcase_add_test (tc, test_receiver_time_wraps);
  tcase_add_loop_test (tc, test_receiver_time_jumps, 0, 3);
  tcase_add_test (tc, test_receiver_time_runs_away);
  tcase_add_test (tc, test_newest);
  tcase_add_test (tc, test_newest_of_several);
  tcase_add_test (tc, test_newest_of_receiver_report);
  return s;
}

GST_CHECK_MAIN (rtcpfeedback);
