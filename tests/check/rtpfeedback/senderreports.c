/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/senderreports.h>

#define S PSP_SECOND

static PspSenderReports reports;
static uint8_t data[1500];

static void
setup (void)
{
  psp_sender_reports_init (&reports, "someone@here", 1);
}

static void
sent (uint32_t ssrc, uint32_t timestamp, int64_t now)
{
  PspRtpHeader header = {.ssrc = ssrc,.timestamp = timestamp,.size = 1012,
    .payload_size = 1000
  };

  psp_sender_reports_sent (&reports, &header, PSP_TIME_UNKNOWN, now);
}

static size_t
pack (int64_t now, uint64_t ntp, bool bye)
{
  return psp_sender_reports_pack (&reports, now, ntp, PSP_TIME_UNKNOWN, bye,
      data, sizeof data);
}

typedef struct
{
  unsigned n_sr, n_sdes_chunks, n_bye;
  PspRtcpSenderInfo sr;
} Compound;

/* A datagram is about one stream. */
static Compound
parse (size_t size)
{
  Compound c = { 0 };
  PspRtcpPacket packet;
  size_t position = 0;
  uint32_t ssrc;

  fail_unless (psp_rtcp_validate (data, size));
  while (psp_rtcp_next (data, size, &position, &packet)) {
    /* RFC 3550 section 6.1: reports, SDES, BYE. */
    if (packet.type == PSP_RTCP_SR) {
      fail_unless (c.n_sdes_chunks == 0);
      fail_unless (psp_rtcp_parse_sr (&packet, &c.sr));
      c.n_sr++;
    } else if (packet.type == PSP_RTCP_SDES) {
      fail_unless (c.n_sr > 0 && c.n_bye == 0);
      c.n_sdes_chunks += packet.count;
    } else {
      fail_unless_equals_int (packet.type, PSP_RTCP_BYE);
      fail_unless (c.n_sdes_chunks > 0);
      while (psp_rtcp_parse_bye (&packet, c.n_bye, &ssrc)) {
        fail_unless_equals_int (ssrc, c.sr.ssrc);
        c.n_bye++;
      }
    }
  }
  fail_unless_equals_int (c.n_sr, 1);
  fail_unless_equals_int (c.n_sdes_chunks, 1);
  fail_unless (c.n_bye <= 1);
  return c;
}

GST_START_TEST (test_nothing_sent)
{
  fail_unless_equals_int64 (reports.next_at, PSP_TIME_NEVER);
  fail_unless_equals_int (pack (9 * S, 0, false), 0);
  /* Nobody has joined, so nobody leaves (RFC 3550 section 6.3.7). */
  fail_unless_equals_int (pack (9 * S, 0, true), 0);
}

GST_END_TEST;

GST_START_TEST (test_sr)
{
  Compound c;
  int64_t due;
  size_t size;

  psp_sender_reports_set_clock_rate (&reports, 90000);
  sent (7, 1000, S);
  sent (7, 4000, S);
  due = reports.next_at;
  /* Half of 5 s, 0.5 … 1.5, divided by e − 3/2. */
  fail_unless (due > 2 * S && due < S + 3100 * PSP_MSECOND);
  fail_unless_equals_int (pack (due - 1, 5, false), 0);
  size = pack (due, UINT64_C (0x1234567890), false);
  c = parse (size);
  fail_unless_equals_int (c.n_sr, 1);
  fail_unless_equals_int (c.n_sdes_chunks, 1);
  fail_unless_equals_int (c.n_bye, 0);
  fail_unless_equals_int (c.sr.ssrc, 7);
  fail_unless_equals_uint64 (c.sr.ntp, UINT64_C (0x1234567890));
  fail_unless_equals_int (c.sr.packet_count, 2);
  fail_unless_equals_int (c.sr.octet_count, 2000);
  /* The same instant as the NTP time, not the last packet's. */
  fail_unless_equals_int (c.sr.rtp_timestamp,
      4000 + (uint32_t) ((double) (due - S) / S * 90000));
  fail_unless_equals_int (pack (due, 5, false), 0);
  fail_unless (reports.next_at > due + 2 * S
      && reports.next_at < due + 6200 * PSP_MSECOND);
}

GST_END_TEST;

/* When they are due; where nobody had use for them then, a second later. */
GST_START_TEST (test_next)
{
  int64_t due;

  fail_unless_equals_int64 (psp_sender_reports_next (&reports, 0),
      PSP_TIME_NEVER);
  sent (7, 1000, S);
  due = reports.next_at;
  fail_unless_equals_int64 (psp_sender_reports_next (&reports, S), due);
  fail_unless_equals_int64 (psp_sender_reports_next (&reports, due - 1), due);
  fail_unless_equals_int64 (psp_sender_reports_next (&reports, due), due + S);
  fail_unless (pack (due, 0, false) > 0);
  fail_unless_equals_int64 (psp_sender_reports_next (&reports, due),
      reports.next_at);
}

GST_END_TEST;

/* Without a clock rate SR has the last packet's time stamp. */
GST_START_TEST (test_no_clock_rate)
{
  Compound c;

  psp_sender_reports_set_clock_rate (&reports, 0);
  sent (7, 4000, S);
  c = parse (pack (9 * S, 0, true));
  fail_unless_equals_int (c.sr.rtp_timestamp, 4000);
}

GST_END_TEST;

/* Packets wait before they leave, and pictures leave in another order than that
 * of their times: the report gives where the media is now. */
GST_START_TEST (test_media_time)
{
  PspRtpHeader header = {.ssrc = 7,.timestamp = 90000,.size = 1012,
    .payload_size = 1000
  };
  Compound c;

  psp_sender_reports_set_clock_rate (&reports, 90000);
  psp_sender_reports_sent (&reports, &header, 10 * S, 1 * S);
  c = parse (psp_sender_reports_pack (&reports, 2 * S, 0, 10 * S + S / 2, true,
          data, sizeof data));
  fail_unless_equals_int (c.sr.rtp_timestamp, 90000 + 45000);
  psp_sender_reports_sent (&reports, &header, 10 * S, 3 * S);
  c = parse (psp_sender_reports_pack (&reports, 3 * S, 0, 9 * S, true, data,
          sizeof data));
  fail_unless_equals_int (c.sr.rtp_timestamp, 0);
  /* A pipeline without a clock: since it left. */
  psp_sender_reports_sent (&reports, &header, 10 * S, 4 * S);
  c = parse (pack (5 * S, 0, true));
  fail_unless_equals_int (c.sr.rtp_timestamp, 90000 + 90000);
}

GST_END_TEST;

/* A stream that pauses for two intervals is none; then all is quiet. */
/* The caps of several streams are those of one, or of none. Each stream's clock
 * shows in its own packets. */
GST_START_TEST (test_clock_of_each_stream)
{
  static const uint32_t rates[] = { 90000, 48000, 8000, 1000 };
  const uint32_t ours = __i__ == 0 ? 0 : 8000;
  int64_t due, media;
  Compound c;

  psp_sender_reports_set_clock_rate (&reports, ours);
  for (media = 0; media < 2 * S; media += S / 50) {
    for (uint32_t i = 0; i < G_N_ELEMENTS (rates); i++) {
      PspRtpHeader header = {.ssrc = i,.size = 1012,.payload_size = 1000,
        .timestamp = (uint32_t) (media * rates[i] / S) - 5000
      };

      psp_sender_reports_sent (&reports, &header, 7 * S + media, media);
    }
  }
  due = reports.next_at;
  for (uint32_t i = 0; i < G_N_ELEMENTS (rates); i++) {
    int32_t off;

    c = parse (psp_sender_reports_pack (&reports, due, 1, 7 * S + due, false,
            data, sizeof data));
    fail_unless_equals_int (c.sr.ssrc, i);
    off = (int32_t) (c.sr.rtp_timestamp
        - ((uint32_t) (due * rates[i] / S) - 5000));
    fail_unless (ABS (off) <= 1, "%u Hz: %d", rates[i], off);
  }
}

GST_END_TEST;

GST_START_TEST (test_pause)
{
  int rounds = 0, n;
  size_t size;

  sent (7, 0, S);
  sent (8, 0, S);
  for (int64_t now = S; now < 60 * S; now += S) {
    if (now < 30 * S)
      sent (8, 0, now);
    for (n = 0; (size = pack (now, 0, false)) > 0; n++)
      parse (size);
    if (n == 0)
      continue;
    rounds++;
    fail_unless_equals_int (n, rounds <= 2 ? 2 : 1);
  }
  fail_unless (rounds >= 5 && rounds <= 15, "%d", rounds);
  fail_unless_equals_int64 (reports.next_at, PSP_TIME_NEVER);
  sent (7, 0, 61 * S);
  fail_unless (reports.next_at < 68 * S);
}

GST_END_TEST;

GST_START_TEST (test_bye)
{
  Compound c;

  sent (7, 0, S);
  sent (8, 0, S);
  for (uint32_t ssrc = 7; ssrc <= 8; ssrc++) {
    c = parse (pack (2 * S, 0, true));
    fail_unless_equals_int (c.sr.ssrc, ssrc);
    fail_unless_equals_int (c.n_bye, 1);
  }
  fail_unless_equals_int (pack (2 * S, 0, true), 0);
  fail_unless_equals_int (pack (99 * S, 0, false), 0);
  /* A session may begin again. */
  sent (7, 0, 100 * S);
  c = parse (pack (101 * S, 0, true));
  fail_unless (c.n_bye >= 1);
}

GST_END_TEST;

/* A datagram for each, which holds the longest name. */
GST_START_TEST (test_many_streams)
{
  char cname[300];
  unsigned n_bye = 0, datagrams = 0;
  size_t size;

  memset (cname, 'x', sizeof cname - 1);
  cname[sizeof cname - 1] = 0;
  psp_sender_reports_init (&reports, cname, 0);
  for (uint32_t i = 0; i < PSP_MAX_STREAMS + 3; i++)
    sent (i, 0, S + i);
  while ((size = pack (2 * S, 0, true)) > 0) {
    fail_unless (size <= sizeof data);
    n_bye += parse (size).n_bye;
    datagrams++;
  }
  fail_unless_equals_int (n_bye, PSP_MAX_STREAMS);
  fail_unless_equals_int (datagrams, PSP_MAX_STREAMS);
  fail_unless_equals_int (psp_sender_reports_pack (&reports, 2 * S, 0,
          PSP_TIME_UNKNOWN, true, data, 20), 0);
}

GST_END_TEST;

/* True if that request is obeyed. */
static bool
ask (PspKeyRequestKind kind, uint32_t source, uint32_t ssrc, uint8_t number)
{
  PspKeyRequest request = { kind, source, ssrc, number };
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_rr (&w, source, NULL, 0);
  psp_rtcp_write_key_request (&w, &request);
  fail_if (psp_sender_reports_take_key_requests (&reports, data, w.size - 1));
  return psp_sender_reports_take_key_requests (&reports, data, w.size);
}

GST_START_TEST (test_key_requests)
{
  const PspRtpHeader header = {.ssrc = 7 };

  fail_if (ask (PSP_KEY_REQUEST_PLI, 1, 7, 0));
  psp_sender_reports_sent (&reports, &header, 0, 0);
  fail_if (ask (PSP_KEY_REQUEST_PLI, 1, 8, 0));
  fail_unless (ask (PSP_KEY_REQUEST_PLI, 1, 7, 0));
  fail_unless (ask (PSP_KEY_REQUEST_PLI, 1, 7, 0));
  /* RFC 5104 section 4.3.1.1: a repetition has the number of the command. */
  fail_unless (ask (PSP_KEY_REQUEST_FIR, 1, 7, 0));
  fail_unless (ask (PSP_KEY_REQUEST_PLI, 1, 7, 0));
  fail_if (ask (PSP_KEY_REQUEST_FIR, 1, 7, 0));
  fail_unless (ask (PSP_KEY_REQUEST_FIR, 1, 7, 1));
  fail_unless (ask (PSP_KEY_REQUEST_FIR, 2, 7, 1));
}

GST_END_TEST;

static Suite *
senderreports_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-senderreports");
  TCase *tc = tcase_create ("senderreports");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_nothing_sent);
  tcase_add_test (tc, test_sr);
  tcase_add_test (tc, test_next);
  tcase_add_test (tc, test_no_clock_rate);
  tcase_add_test (tc, test_media_time);
  tcase_add_loop_test (tc, test_clock_of_each_stream, 0, 2);
  tcase_add_test (tc, test_pause);
  tcase_add_test (tc, test_bye);
  tcase_add_test (tc, test_many_streams);
  tcase_add_test (tc, test_key_requests);
  return s;
}

GST_CHECK_MAIN (senderreports);
