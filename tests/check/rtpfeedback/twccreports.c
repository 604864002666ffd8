/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A receiver that reports by transport-wide numbers: when, what, and at what cost.
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/twcc.h>
#include <rtpfeedback/twccreports.h>

#define MS PSP_MSECOND
#define OWN 0x0bad0bad

static PspReceiver *receiver;
static uint64_t octets;         /* of TWCC */
static unsigned n_reports, n_received, n_lost, n_ccfb;
static uint16_t next_number;    /* after the last one reported */

static void
setup (void)
{
  PspReceiverConfig config = {.ssrc = OWN,.cname = "test",
    .feedback_interval = 25 * MS,.max_rtcp_size = 1200,.clock_rate = 90000
  };

  octets = 0;
  n_reports = n_received = n_lost = n_ccfb = 0;
  receiver = psp_receiver_new (&config);
}

static void
teardown (void)
{
  psp_receiver_free (receiver);
}

/* A packet of one of two streams. */
static void
receive (uint16_t number, uint32_t size, int64_t at)
{
  static uint16_t seqs[2];
  PspRtpHeader header = {.ssrc = number % 2,.seq = seqs[number % 2]++,
    .size = size + 12,.payload_size = size
  };

  psp_receiver_packet (receiver, &header, 0, at);
  fail_unless (psp_receiver_open_transport_numbers (receiver));
  psp_receiver_transport_number (receiver, &header, number, at);
}

static void
take_report (const uint8_t * data, size_t size)
{
  PspTwccIterator it;
  PspTwccPacket packet;
  PspTwcc twcc;

  fail_unless (psp_twcc_parse (data, size, &twcc));
  fail_unless_equals_int64 (twcc.sender_ssrc, OWN);
  fail_unless (twcc.media_ssrc < 2);
  fail_unless_equals_int (twcc.count, (uint8_t) n_reports);
  n_reports++;
  octets += size;
  psp_twcc_begin (&twcc, 0, &it);
  while (psp_twcc_next (&it, &packet)) {
    n_received += packet.received;
    n_lost += !packet.received;
  }
  next_number = (uint16_t) (twcc.begin_seq + twcc.n_packets);
}

/* All that is due. */
static void
pack (int64_t now)
{
  uint8_t data[1500];
  PspRtcpPacket packet;
  size_t size, position;

  while ((size = psp_receiver_pack (receiver, now, 0, data, sizeof data)) > 0) {
    fail_unless (psp_rtcp_validate (data, size));
    position = 0;
    while (psp_rtcp_next (data, size, &position, &packet))
      if (packet.type == PSP_RTCP_RTPFB && packet.count == PSP_CCFB_FMT)
        n_ccfb++;
      else if (packet.type == PSP_RTCP_RTPFB)
        take_report (packet.data, packet.size);
  }
}

/* Eight packets, or a gap, are reported at once; others within the interval. Each
 * number is reported once, over both streams and the wrap. */
GST_START_TEST (test_when)
{
  int64_t now = 100 * MS;
  uint16_t number = 65530;

  for (int i = 0; i < 8; i++, now += MS) {
    receive (number++, 1000, now);
    pack (now);
    fail_unless_equals_int (n_received, i < 7 ? 0 : 8);
  }
  receive (number++, 1000, now);
  fail_unless_equals_int64 (psp_receiver_next (receiver, now), now + 25 * MS);
  pack (now + 25 * MS);
  fail_unless_equals_int (n_received, 9);
  number += 2;
  receive (number++, 1000, now += 26 * MS);
  fail_unless_equals_int64 (psp_receiver_next (receiver, now), now);
  pack (now);
  fail_unless_equals_int (n_received, 10);
  fail_unless_equals_int (n_lost, 2);
  fail_unless_equals_int (next_number, number);
  /* One comes after all. */
  receive ((uint16_t) (number - 2), 1000, now);
  pack (now + 25 * MS);
  fail_unless (n_received > 10);
}

GST_END_TEST;

/* Small packets earn little: reports stay within the share, or the floor. */
GST_START_TEST (test_budget)
{
  const int seconds = 20;
  int64_t now = 100 * MS;

  for (int i = 0; i < seconds * 1000; i++, now += MS) {
    receive ((uint16_t) i, 50, now);
    pack (now);
  }
  fail_unless ((double) octets <= .02 * 50 * 1000 * seconds + 256
 + (148 + 2 * 125)
      * (2 + seconds * 8), "%" G_GUINT64_FORMAT, octets);
  fail_unless (n_reports >= (unsigned) (7 * seconds));
}

GST_END_TEST;

/* At a rate that pays for it nothing is left out, with 10 % lost. */
GST_START_TEST (test_complete)
{
  int64_t now = 100 * MS;
  unsigned n = 0;

  for (int i = 0; i < 20000; i++, now += MS) {
    if (i % 10 == 3)
      continue;
    receive ((uint16_t) i, 1000, now);
    n++;
    pack (now);
  }
  pack (now + 25 * MS);
  fail_unless_equals_int (n_received, n);
  fail_unless_equals_int (n_lost, 2000);
}

GST_END_TEST;

/* What small packets earn just pays for reports: none is left out of them. */
GST_START_TEST (test_just_paid)
{
  int64_t now = 100 * MS, next;
  unsigned n = 0;

  for (; n < 1000; n++, now += 20 * MS) {
    receive ((uint16_t) n, 320, now);
    while ((next = psp_receiver_next (receiver, now)) < now + 20 * MS)
      pack (MAX (next, now));
  }
  pack (now + 200 * MS);
  fail_unless_equals_int (n_received, n);
}

GST_END_TEST;

/* A gap that no report has room for, and a pause that no time can say. */
GST_START_TEST (test_jumps)
{
  int64_t now = 100 * MS;

  receive (0, 1000, now);
  pack (now + 25 * MS);
  receive (1000, 1000, now += 200 * MS);
  pack (now + 25 * MS);
  fail_unless_equals_int (n_received, 2);
  fail_unless_equals_int (next_number, 1001);
  receive (1001, 1000, now += 20 * PSP_SECOND);
  receive (1002, 1000, now += 20 * PSP_SECOND);
  pack (now + 25 * MS);
  fail_unless_equals_int (n_received, 4);
  fail_unless (psp_receiver_next (receiver, now) > now + 25 * MS);
  fail_unless_equals_int (n_ccfb, 0);
}

GST_END_TEST;

/* By SSRC again. */
GST_START_TEST (test_forget)
{
  PspRtpHeader header = { 0 };

  receive (0, 1000, 100 * MS);
  psp_receiver_forget_transport_numbers (receiver);
  /* There is no room for it. */
  psp_receiver_transport_number (receiver, &header, 1, 101 * MS);
  pack (200 * MS);
  fail_unless_equals_int (n_reports, 0);
  fail_unless_equals_int (n_ccfb, 1);
}

GST_END_TEST;

/* Not before one is due, unless it may ride along; the media's SSRC is that of the
 * last packet. */
GST_START_TEST (test_early)
{
  PspTwccReports *t = g_new0 (PspTwccReports, 1);
  PspRtpHeader header = {.ssrc = 7,.seq = 3,.payload_size = 1000 };
  uint8_t data[100];
  PspWriter w = psp_writer (data, sizeof data);
  PspReporting f;
  PspTwcc twcc;

  psp_reporting_init (&f, 25 * MS, PSP_SECOND, 1200);
  psp_twcc_reports_packet (t, &header, 100, 0);
  header.ssrc = 8;
  psp_twcc_reports_packet (t, &header, 101, MS);
  fail_if (psp_twcc_reports_pack (t, &f, false, OWN, 2 * MS, &w));
  fail_unless_equals_int (w.size, 0);
  fail_unless (psp_twcc_reports_pack (t, &f, true, OWN, 2 * MS, &w));
  fail_unless (psp_twcc_parse (data, w.size, &twcc));
  fail_unless_equals_int64 (twcc.media_ssrc, 8);
  fail_unless_equals_int (twcc.begin_seq, 100);
  fail_unless_equals_int (twcc.n_packets, 2);
  fail_if (psp_twcc_reports_pack (t, &f, true, OWN, 2 * MS, &w));
  g_free (t);
}

GST_END_TEST;

static Suite *
twccreports_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-twccreports");
  TCase *tc = tcase_create ("twccreports");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_when);
  tcase_add_test (tc, test_budget);
  tcase_add_test (tc, test_complete);
  tcase_add_test (tc, test_just_paid);
  tcase_add_test (tc, test_jumps);
  tcase_add_test (tc, test_forget);
  tcase_add_test (tc, test_early);
  return s;
}

GST_CHECK_MAIN (twccreports);
