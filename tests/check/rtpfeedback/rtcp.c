/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/rtcp.h>

static bool
validates (const uint8_t * data, size_t size)
{
  uint8_t *copy = g_memdup2 (data, size);
  bool ok = psp_rtcp_validate (copy, size);
  PspRtcpSenderInfo info;
  PspRtcpReportBlock block;
  PspRtcpPacket packet;
  PspKeyRequest request;
  uint32_t ssrc;
  size_t position = 0;

  /* Whatever validates can be read to its end. */
  while (ok && psp_rtcp_next (copy, size, &position, &packet)) {
    psp_rtcp_parse_sr (&packet, &info);
    for (unsigned i = 0; i < 32; i++) {
      psp_rtcp_parse_report_block (&packet, i, &block);
      psp_rtcp_parse_bye (&packet, i, &ssrc);
      psp_rtcp_parse_key_request (&packet, i, &request);
    }
  }
  if (ok)
    fail_unless_equals_int (position, size);
  g_free (copy);
  return ok;
}

static const struct
{
  const char *what;
  uint8_t data[32];
  size_t size;
  bool ok;
} validate_rows[] = {
  {"nothing", {0}, 0, false},
  {"empty RR", {0x80, 201, 0, 1, 1, 2, 3, 4}, 8, true},
  {"BYE of no one", {0x80, 203, 0, 0}, 4, true},
  {"RR and BYE", {0x80, 201, 0, 1, 1, 2, 3, 4, 0x81, 203, 0, 1, 1, 2, 3, 4},
      16, true},
  {"reduced size: only feedback", {0x8b, 205, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8},
      12, true},
  {"version 1", {0x40, 201, 0, 1, 1, 2, 3, 4}, 8, false},
  {"second of version 0", {0x80, 201, 0, 1, 1, 2, 3, 4, 0, 203, 0, 0}, 12,
      false},
  {"an RTP type", {0x80, 96, 0, 1, 1, 2, 3, 4}, 8, false},
  {"three octets", {0x80, 201, 0}, 3, false},
  {"length past the end", {0x80, 201, 0, 2, 1, 2, 3, 4}, 8, false},
  {"length short of the end", {0x80, 201, 0, 0, 1, 2, 3, 4}, 8, false},
  {"odd size", {0x80, 201, 0, 1, 1, 2, 3, 4, 5}, 9, false},
  {"padding in the last", {0x80, 201, 0, 1, 1, 2, 3, 4,
          0xa0, 203, 0, 1, 0, 0, 0, 4}, 16, true},
  {"padding in the first", {0xa0, 201, 0, 2, 1, 2, 3, 4, 0, 0, 0, 4,
          0x80, 203, 0, 0}, 16, false},
  {"padding of 0", {0xa0, 201, 0, 1, 0, 0, 0, 0}, 8, false},
  /* libwebrtc and pion do so. */
  {"padding of 3", {0xa0, 201, 0, 1, 0, 0, 0, 3}, 8, true},
  {"padding over the header", {0xa0, 201, 0, 1, 0, 0, 0, 8}, 8, false},
  {"counts beyond the packet", {0x9f, 203, 0, 1, 1, 2, 3, 4}, 8, true},
};

GST_START_TEST (test_validate)
{
  fail_unless (validates (validate_rows[__i__].data, validate_rows[__i__].size)
      == validate_rows[__i__].ok, "%s", validate_rows[__i__].what);
}

GST_END_TEST;

/* As RFC 4585 section 6.3.1 and RFC 5104 section 4.3.1 draw them. */
static const struct
{
  PspKeyRequest request;
  uint8_t data[20];
  size_t size;
} key_requests[] = {
  {{PSP_KEY_REQUEST_PLI, 0x01020304, 0x05060708, 0},
      {0x81, 206, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8}, 12},
  {{PSP_KEY_REQUEST_FIR, 0x01020304, 0x05060708, 0xfe},
      {0x84, 206, 0, 4, 1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0xfe}, 20},
};

static void
assert_request_equals (const PspKeyRequest * a, const PspKeyRequest * b)
{
  fail_unless_equals_int (a->kind, b->kind);
  fail_unless_equals_int64 (a->source, b->source);
  fail_unless_equals_int64 (a->ssrc, b->ssrc);
  fail_unless_equals_int (a->number, b->number);
}

GST_START_TEST (test_key_request)
{
  const PspKeyRequest *request = &key_requests[__i__].request;
  uint8_t data[PSP_RTCP_KEY_REQUEST_SIZE];
  PspWriter w = psp_writer (data, sizeof data);
  PspKeyRequest read;
  PspRtcpPacket packet;
  size_t position = 0;

  psp_rtcp_write_key_request (&w, request);
  fail_if (w.error);
  fail_unless_equals_int (w.size, key_requests[__i__].size);
  fail_unless (memcmp (data, key_requests[__i__].data, w.size) == 0);
  fail_unless (validates (data, w.size));
  fail_unless (psp_rtcp_next (data, w.size, &position, &packet));
  fail_unless (psp_rtcp_parse_key_request (&packet, 0, &read));
  assert_request_equals (&read, request);
  fail_if (psp_rtcp_parse_key_request (&packet, 1, &read));
}

GST_END_TEST;

/* A FIR for two streams; what is too short, or another message, is none. */
/* RFC 4585 section 6.2.1. */
GST_START_TEST (test_nack)
{
  static const uint8_t expected[] = {
    0x81, 205, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xfe, 0x80, 1,
    0, 30, 0, 0
  };
  const PspNack nacks[] = { {1, 2, 65534, 0x8001}, {1, 2, 30, 0} };
  uint8_t data[PSP_RTCP_NACK_SIZE (2)];
  PspWriter w = psp_writer (data, sizeof data);
  PspRtcpPacket packet;
  size_t position = 0;
  PspNack nack;

  psp_rtcp_write_nack (&w, nacks, 2);
  fail_if (w.error);
  fail_unless_equals_int (w.size, sizeof expected);
  fail_unless (memcmp (data, expected, sizeof expected) == 0);
  fail_unless (psp_rtcp_validate (data, w.size));
  fail_unless (psp_rtcp_next (data, w.size, &position, &packet));
  for (unsigned i = 0; i < 2; i++) {
    fail_unless (psp_rtcp_parse_nack (&packet, i, &nack));
    fail_unless (nack.source == 1 && nack.ssrc == 2);
    fail_unless_equals_int (nack.first, nacks[i].first);
    fail_unless_equals_int (nack.following, nacks[i].following);
  }
  fail_if (psp_rtcp_parse_nack (&packet, 2, &nack));
  packet.count = 2;
  fail_if (psp_rtcp_parse_nack (&packet, 0, &nack));
  packet.count = 1;
  packet.type = PSP_RTCP_PSFB;
  fail_if (psp_rtcp_parse_nack (&packet, 0, &nack));
}

GST_END_TEST;

GST_START_TEST (test_key_requests_of_others)
{
  uint8_t data[] = { 0x84, 206, 0, 6, 1, 2, 3, 4, 0, 0, 0, 0,
    5, 6, 7, 8, 1, 0, 0, 0, 9, 10, 11, 12, 2, 0, 0, 0
  };
  PspRtcpPacket packet = { 206, 4, data, sizeof data };
  PspKeyRequest request;

  fail_unless (psp_rtcp_parse_key_request (&packet, 1, &request));
  fail_unless_equals_int64 (request.ssrc, 0x090a0b0c);
  fail_unless_equals_int (request.number, 2);
  fail_if (psp_rtcp_parse_key_request (&packet, 2, &request));
  packet.size = 12;
  fail_if (psp_rtcp_parse_key_request (&packet, 0, &request));
  packet.count = 1;
  packet.size = 8;
  fail_if (psp_rtcp_parse_key_request (&packet, 0, &request));
  packet.count = 15;            /* REMB */
  packet.size = sizeof data;
  fail_if (psp_rtcp_parse_key_request (&packet, 0, &request));
  packet.count = 1;
  packet.type = 205;            /* a NACK */
  fail_if (psp_rtcp_parse_key_request (&packet, 0, &request));
}

GST_END_TEST;

static const PspRtcpReportBlock blocks[] = {
  {0x01020304, 0x80, 5, 0x00010203, 77, 0x11223344, 0x00018000},
  {0x05060708, 0, -1, 3, 0, 0, 0},
  {0x090a0b0c, 255, 0x7fffff, UINT32_MAX, UINT32_MAX, 1, 2},
  {0x0d0e0f10, 255, -0x800000, 0, 0, 0, 0},
};

static void
assert_block_equals (const PspRtcpReportBlock * a, const PspRtcpReportBlock * b)
{
  fail_unless_equals_int64 (a->ssrc, b->ssrc);
  fail_unless_equals_int (a->fraction_lost, b->fraction_lost);
  fail_unless_equals_int (a->cumulative_lost, b->cumulative_lost);
  fail_unless_equals_int64 (a->highest_seq, b->highest_seq);
  fail_unless_equals_int64 (a->jitter, b->jitter);
  fail_unless_equals_int64 (a->last_sr, b->last_sr);
  fail_unless_equals_int64 (a->delay_since_last_sr, b->delay_since_last_sr);
}

GST_START_TEST (test_receiver_report)
{
  uint8_t data[1024];
  PspWriter w = psp_writer (data, sizeof data);
  PspRtcpReportBlock block;
  PspRtcpPacket packet;
  size_t position = 0;

  psp_rtcp_write_rr (&w, 0xcafebabe, blocks, G_N_ELEMENTS (blocks));
  fail_if (w.error);
  fail_unless_equals_int (w.size, 8 + 24 * G_N_ELEMENTS (blocks));
  fail_unless (validates (data, w.size));
  /* RFC 3550 section 6.4.2: where the first block's loss is. */
  fail_unless_equals_int (data[0], 0x80 | G_N_ELEMENTS (blocks));
  fail_unless_equals_int (data[12], 0x80);
  fail_unless_equals_int (data[15], 5);

  fail_unless (psp_rtcp_next (data, w.size, &position, &packet));
  fail_unless_equals_int (packet.type, PSP_RTCP_RR);
  for (unsigned i = 0; i < G_N_ELEMENTS (blocks); i++) {
    fail_unless (psp_rtcp_parse_report_block (&packet, i, &block));
    assert_block_equals (&block, &blocks[i]);
  }
  fail_if (psp_rtcp_parse_report_block (&packet, G_N_ELEMENTS (blocks),
          &block));
  fail_if (psp_rtcp_next (data, w.size, &position, &packet));
}

GST_END_TEST;

GST_START_TEST (test_loss_is_clamped)
{
  static const int32_t lost[][2] = {
    {0x800000, 0x7fffff}, {INT32_MAX, 0x7fffff},
    {-0x800001, -0x800000}, {INT32_MIN, -0x800000},
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (lost); i++) {
    uint8_t data[32];
    PspWriter w = psp_writer (data, sizeof data);
    PspRtcpReportBlock block = {.cumulative_lost = lost[i][0] };
    PspRtcpPacket packet;
    size_t position = 0;

    psp_rtcp_write_rr (&w, 1, &block, 1);
    psp_rtcp_next (data, w.size, &position, &packet);
    fail_unless (psp_rtcp_parse_report_block (&packet, 0, &block));
    fail_unless_equals_int (block.cumulative_lost, lost[i][1]);
  }
}

GST_END_TEST;

GST_START_TEST (test_sender_report)
{
  static const PspRtcpSenderInfo info = {
    0xcafebabe, UINT64_C (0x0123456789abcdef), 90000, 12, 3456
  };
  uint8_t data[256];
  PspWriter w = psp_writer (data, sizeof data);
  PspRtcpSenderInfo parsed;
  PspRtcpReportBlock block;
  PspRtcpPacket packet;
  size_t position = 0;

  psp_rtcp_write_sr (&w, &info);
  fail_unless_equals_int (w.size, 28);
  fail_unless (psp_rtcp_next (data, w.size, &position, &packet));
  fail_unless (psp_rtcp_parse_sr (&packet, &parsed));
  fail_unless_equals_int64 (parsed.ssrc, info.ssrc);
  fail_unless (parsed.ntp == info.ntp);
  fail_unless_equals_int (parsed.rtp_timestamp, info.rtp_timestamp);
  fail_unless_equals_int (parsed.packet_count, info.packet_count);
  fail_unless_equals_int (parsed.octet_count, info.octet_count);
  fail_if (psp_rtcp_parse_report_block (&packet, 0, &block));

  /* A block follows the sender's part; a count alone makes none. */
  data[0] |= 1;
  fail_if (psp_rtcp_parse_report_block (&packet, 0, &block));
  position = 0;
  data[3] += 6;
  memset (data + 28, 9, 24);
  fail_unless (psp_rtcp_next (data, 52, &position, &packet));
  fail_unless (psp_rtcp_parse_report_block (&packet, 0, &block));
  fail_unless_equals_int64 (block.ssrc, 0x09090909);

  /* Too short for what it says to be. */
  position = 0;
  data[3] = 5;
  fail_unless (psp_rtcp_next (data, 24, &position, &packet));
  fail_if (psp_rtcp_parse_sr (&packet, &parsed));
  position = 0;
  data[1] = PSP_RTCP_RR;
  fail_unless (psp_rtcp_next (data, 24, &position, &packet));
  fail_if (psp_rtcp_parse_sr (&packet, &parsed));
}

GST_END_TEST;

/* RFC 3550 section 6.5: the items of each chunk end in 1 to 4 nulls that fill
 * its last word. */
GST_START_TEST (test_sdes)
{
  static const uint32_t ssrcs[] = { 0x01020304, 0x05060708 };
  char cname[300];

  for (size_t length = 0; length < sizeof cname; length++) {
    uint8_t data[1024];
    PspWriter w = psp_writer (data, sizeof data);
    size_t kept = MIN (length, 255);
    size_t chunk = 4 + (2 + kept) / 4 * 4 + 4;

    memset (cname, 'x', length);
    cname[length] = 0;
    psp_rtcp_write_sdes (&w, ssrcs, 2, cname);
    fail_if (w.error);
    fail_unless_equals_int (w.size, 4 + 2 * chunk);
    fail_unless (validates (data, w.size));
    fail_unless_equals_int (data[0], 0x82);
    fail_unless_equals_int (data[8], 1);
    fail_unless_equals_int (data[9], kept);
    for (size_t i = 10 + kept; i < 4 + chunk; i++)
      fail_unless_equals_int (data[i], 0);
    fail_unless_equals_int (data[4 + chunk], 5);
    if (length == sizeof cname - 1)
      break;
  }
}

GST_END_TEST;

GST_START_TEST (test_bye)
{
  static const uint32_t ssrcs[40] = { 1, 2, 3 };
  uint8_t data[256];
  PspWriter w = psp_writer (data, sizeof data);
  PspRtcpPacket packet;
  uint32_t ssrc;
  size_t position = 0;

  psp_rtcp_write_bye (&w, ssrcs, 2);
  fail_unless_equals_int (w.size, 12);
  fail_unless (psp_rtcp_next (data, w.size, &position, &packet));
  fail_unless (psp_rtcp_parse_bye (&packet, 0, &ssrc));
  fail_unless_equals_int (ssrc, 1);
  fail_unless (psp_rtcp_parse_bye (&packet, 1, &ssrc));
  fail_unless_equals_int (ssrc, 2);
  fail_if (psp_rtcp_parse_bye (&packet, 2, &ssrc));

  /* Five bits count: what is beyond them is left out, not wrapped. */
  w = psp_writer (data, sizeof data);
  psp_rtcp_write_bye (&w, ssrcs, G_N_ELEMENTS (ssrcs));
  fail_unless_equals_int (data[0], 0x80 | 31);
  fail_unless_equals_int (w.size, 4 + 4 * 31);
}

GST_END_TEST;

GST_START_TEST (test_no_room)
{
  static const uint32_t ssrc = 1;

  for (size_t capacity = 0; capacity < 8 + 24 + 12 + 8; capacity++) {
    uint8_t *data = g_malloc (capacity);
    PspWriter w = psp_writer (data, capacity);

    psp_rtcp_write_rr (&w, ssrc, blocks, 1);
    psp_rtcp_write_sdes (&w, &ssrc, 1, "a");
    psp_rtcp_write_bye (&w, &ssrc, 1);
    fail_unless (w.error);
    g_free (data);
  }
}

GST_END_TEST;

/* A packet has at most 65536 words, of which its length leaves out one. */
GST_START_TEST (test_length)
{
  static uint8_t data[4 * 65537];
  PspWriter w = psp_writer (data, sizeof data);
  size_t start = psp_rtcp_begin (&w, 31, PSP_RTCP_RTPFB);

  psp_write_room (&w, 4 * 65535);
  psp_rtcp_end (&w, start);
  fail_if (w.error);
  fail_unless_equals_int (data[0], 0x80 | 31);
  fail_unless_equals_int (data[1], PSP_RTCP_RTPFB);
  fail_unless_equals_int (data[2] << 8 | data[3], 65535);
  psp_write_u32 (&w, 0);
  psp_rtcp_end (&w, start);
  fail_unless (w.error);
}

GST_END_TEST;

GST_START_TEST (test_interval)
{
  /* 5 s / (e − 1.5) times 0.5 … 1.5 */
  fail_unless_equals_int64 (psp_rtcp_interval (false, 0) / PSP_MSECOND, 2052);
  fail_unless_equals_int64 (psp_rtcp_interval (false, UINT32_MAX) /
      PSP_MSECOND, 6156);
  fail_unless_equals_int64 (psp_rtcp_interval (true, 0) / PSP_MSECOND, 1026);
  fail_unless_equals_int64 (psp_rtcp_interval (true, 1u << 31) / PSP_MSECOND,
      2052);
}

GST_END_TEST;

GST_START_TEST (test_ntp)
{
  /* 2036-02-07 06:28:16 UTC, when the era ends, less half a second. */
  fail_unless (psp_rtcp_ntp (0) == UINT64_C (2208988800) << 32);
  fail_unless (psp_rtcp_ntp (INT64_C (2085978495500000000)) ==
      UINT64_C (0xffffffff80000000));
}

GST_END_TEST;

static Suite *
rtcp_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-rtcp");
  TCase *tc = tcase_create ("rtcp");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_validate, 0, G_N_ELEMENTS (validate_rows));
  tcase_add_loop_test (tc, test_key_request, 0, G_N_ELEMENTS (key_requests));
  tcase_add_test (tc, test_nack);
  tcase_add_test (tc, test_key_requests_of_others);
  tcase_add_test (tc, test_receiver_report);
  tcase_add_test (tc, test_loss_is_clamped);
  tcase_add_test (tc, test_sender_report);
  tcase_add_test (tc, test_sdes);
  tcase_add_test (tc, test_bye);
  tcase_add_test (tc, test_no_room);
  tcase_add_test (tc, test_length);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_ntp);
  return s;
}

GST_CHECK_MAIN (rtcp);
