/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/keyrequests.h>

#define OWN 0x0bad0bad
#define MS PSP_MSECOND

static PspStream streams[3];

static void
setup (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (streams); i++) {
    PspRtpHeader header = {.ssrc = 100 + i };

    psp_stream_init (&streams[i], &header, 0);
  }
}

static bool
add (uint32_t ssrc, PspKeyRequestKind kind, int64_t now)
{
  return psp_key_requests_add (streams, G_N_ELEMENTS (streams),
      ssrc ? &ssrc : NULL, kind, now);
}

static int64_t
next (void)
{
  return psp_key_requests_next (streams, G_N_ELEMENTS (streams));
}

/* Returns how many requests leave; *last is the last of them. */
static unsigned
pack (int64_t now, size_t room, PspKeyRequest * last)
{
  uint8_t data[64];
  PspWriter w = psp_writer (data, room);
  PspRtcpPacket packet;
  size_t position = 0;
  unsigned n = 0;

  psp_key_requests_pack (streams, G_N_ELEMENTS (streams), OWN, now, &w);
  fail_if (w.error);
  while (psp_rtcp_next (data, w.size, &position, &packet)) {
    fail_unless (psp_rtcp_parse_key_request (&packet, 0, last));
    fail_unless_equals_int64 (last->source, OWN);
    n++;
  }
  return n;
}

GST_START_TEST (test_interval)
{
  PspKeyRequest request;

  fail_unless_equals_int64 (next (), PSP_TIME_NEVER);
  fail_if (add (99, PSP_KEY_REQUEST_PLI, 10 * MS));
  fail_unless (add (101, PSP_KEY_REQUEST_PLI, 10 * MS));
  fail_unless_equals_int64 (next (), 10 * MS);
  fail_unless_equals_int (pack (10 * MS, 64, &request), 1);
  fail_unless_equals_int (request.kind, PSP_KEY_REQUEST_PLI);
  fail_unless_equals_int64 (request.ssrc, 101);
  fail_unless_equals_int64 (next (), PSP_TIME_NEVER);

  /* However often it is asked for, the next one waits; it says the most that was
   * asked. */
  fail_unless (add (101, PSP_KEY_REQUEST_FIR, 20 * MS));
  fail_unless (add (101, PSP_KEY_REQUEST_PLI, 30 * MS));
  fail_unless_equals_int64 (next (), 510 * MS);
  fail_unless_equals_int (pack (509 * MS, 64, &request), 0);
  fail_unless_equals_int (pack (510 * MS, 64, &request), 1);
  fail_unless_equals_int (request.kind, PSP_KEY_REQUEST_FIR);
  fail_unless_equals_int (request.number, 1);
  fail_unless (add (101, PSP_KEY_REQUEST_FIR, 2000 * MS));
  fail_unless_equals_int (pack (2000 * MS, 64, &request), 1);
  fail_unless_equals_int (request.number, 2);
}

GST_END_TEST;

GST_START_TEST (test_all_streams)
{
  PspKeyRequest request;

  streams[0].bye_at = 1;
  fail_unless (add (0, PSP_KEY_REQUEST_FIR, 10 * MS));
  /* What does not fit leaves with the next datagram. */
  fail_unless_equals_int (pack (10 * MS, 39, &request), 1);
  fail_unless_equals_int64 (request.ssrc, 101);
  fail_unless_equals_int64 (next (), 10 * MS);
  fail_unless_equals_int (pack (10 * MS, 19, &request), 0);
  fail_unless_equals_int (pack (10 * MS, 64, &request), 1);
  fail_unless_equals_int64 (request.ssrc, 102);

  streams[1].last_arrival = 5 * PSP_SECOND;
  fail_unless (add (0, PSP_KEY_REQUEST_PLI, 8 * PSP_SECOND));
  fail_unless_equals_int (pack (8 * PSP_SECOND, 64, &request), 1);
  fail_unless_equals_int64 (request.ssrc, 101);
  fail_if (add (0, PSP_KEY_REQUEST_PLI, 20 * PSP_SECOND));
}

GST_END_TEST;

static Suite *
key_requests_suite (void)
{
  Suite *s = suite_create ("rtpfeedback/keyrequests");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_all_streams);
  return s;
}

GST_CHECK_MAIN (key_requests);
