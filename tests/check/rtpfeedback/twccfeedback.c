/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Transport-wide reports of packets of an RTP session, as a sender hears of them.
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/rtcpfeedback.h>

#define MS PSP_MSECOND
#define SSRC 0x01020304
#define MAX_SIZE 9216           /* of a datagram */
#define UNIT (64 * MS)          /* of the reference time */
#define TICK (250 * PSP_USECOND)        /* of a delta */

static PspReport report;
static PspPacketResult results[PSP_TWCC_NUMBERS];
static guint n_reports;

static void
listener_init (PspController * c, G_GNUC_UNUSED int64_t now, PspDecision * d)
{
  (void) c;
  d->window = 1000;
}

static void
listener_feedback (G_GNUC_UNUSED PspController * c, const PspReport * r,
    G_GNUC_UNUSED PspDecision * d)
{
  if (r->timeout)
    return;
  report = *r;
  fail_unless (r->n_results <= G_N_ELEMENTS (results));
  memcpy (results, r->results, r->n_results * sizeof *results);
  n_reports++;
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
static uint8_t data[MAX_SIZE];
static PspReported reported;

/* The packets of reports that are looked at, one by one. */
static guint64 n_walked;

bool __real_psp_twcc_next (PspTwccIterator *, PspTwccPacket *);
bool __wrap_psp_twcc_next (PspTwccIterator *, PspTwccPacket *);
bool __real_psp_twcc_next_received (PspTwccIterator *, PspTwccPacket *);
bool __wrap_psp_twcc_next_received (PspTwccIterator *, PspTwccPacket *);

bool
__wrap_psp_twcc_next (PspTwccIterator * it, PspTwccPacket * packet)
{
  n_walked++;
  return __real_psp_twcc_next (it, packet);
}

bool
__wrap_psp_twcc_next_received (PspTwccIterator * it, PspTwccPacket * packet)
{
  n_walked++;
  return __real_psp_twcc_next_received (it, packet);
}

static void
setup (void)
{
  PspSenderConfig config = {.controller = &listener };

  n_reports = 0;
  n_walked = 0;
  sender = psp_sender_new (&config, 0);
  fail_unless (psp_rtcp_feedback_init (&feedback, MAX_SIZE));
  fail_unless (psp_twcc_feedback_open (&feedback.twcc));
}

static void
teardown (void)
{
  psp_sender_free (sender);
  psp_rtcp_feedback_clear (&feedback);
}

/* Packet `seq` of RTP leaves at `now` under this number. */
static void
send_packet (uint32_t ssrc, uint16_t seq, uint16_t number, int64_t now)
{
  PspRtpHeader header = {.ssrc = ssrc,.seq = seq,.size = 1012,
    .payload_size = 1000
  };
  PspPacket packet;

  psp_rtp_packet (&header, &packet);
  psp_twcc_feedback_sent (&feedback.twcc, number, &packet.key);
  psp_sender_sent (sender, &packet, now, 0);
  fail_unless (psp_sender_make_room (sender, now));
}

/* Packet i leaves at i ms under first + i; of RTP it is number i. */
static void
send_run (uint16_t first, int n)
{
  for (int i = 0; i < n; i++)
    send_packet (SSRC, (uint16_t) i, (uint16_t) (first + i), i * MS);
}

/* As many packets as are remembered, from number 0 on, 10,000 a second. */
static void
send_all (void)
{
  for (int i = 0; i < PSP_TWCC_NUMBERS; i++)
    send_packet (SSRC, (uint16_t) i, (uint16_t) i, i * 100 * PSP_USECOND);
}

/* Writes the fixed part of a report. */
static void
begin (PspWriter * w, uint16_t first, size_t n, uint32_t reference)
{
  psp_write_u8 (w, 0x80 | PSP_TWCC_FMT);
  psp_write_u8 (w, PSP_RTCP_RTPFB);
  psp_write_u16 (w, 0);
  psp_write_u32 (w, 0x5ec0de);
  psp_write_u32 (w, SSRC);
  psp_write_u16 (w, first);
  psp_write_u16 (w, (uint16_t) n);
  psp_write_u32 (w, reference << 8);
}

/* Fills the last word of the report that began at `start`. */
static void
end (PspWriter * w, size_t start)
{
  size_t words;

  while (w->size % 4)
    psp_write_u8 (w, 0);
  words = (w->size - start) / 4 - 1;
  data[start + 2] = (uint8_t) (words >> 8);
  data[start + 3] = (uint8_t) words;
  fail_if (w->error);
}

/* A run of symbols, in chunks of 8191 at most. */
static void
add_run (PspWriter * w, unsigned symbol, size_t n)
{
  for (; n > 8191; n -= 8191)
    psp_write_u16 (w, (uint16_t) (symbol << 13 | 8191));
  psp_write_u16 (w, (uint16_t) (symbol << 13 | n));
}

/* Adds a report without times: n_none did not come, the n behind them did. */
static void
add_report (PspWriter * w, uint16_t first, size_t n_none, size_t n)
{
  size_t start = w->size;

  begin (w, first, n_none + n, 0);
  add_run (w, 0, n_none);
  add_run (w, 1, n);
  end (w, start);
}

/* A report of the numbers from `first` on: '1' came `ticks` after the one before,
 * the first after the reference time; '0' did not. Returns its size. */
static size_t
make (uint16_t first, const char *came, uint32_t reference, uint8_t ticks)
{
  PspWriter w = psp_writer (data, sizeof data);
  size_t n = strlen (came);

  begin (&w, first, n, reference);
  for (size_t i = 0; i < n; i++)
    psp_write_u16 (&w, came[i] == '1' ? 1 << 13 | 1 : 1);
  for (size_t i = 0; i < n; i++)
    if (came[i] == '1')
      psp_write_u8 (&w, ticks);
  end (&w, 0);
  return w.size;
}

static void
receive (size_t size, int64_t now)
{
  bool bye = false;

  psp_rtcp_feedback_reported (&feedback, sender, data, size, &reported);
  psp_rtcp_feedback_receive (&feedback, sender, data, size, now, &bye);
  fail_if (bye);
}

static const PspPacketResult *
result_of (size_t i)
{
  fail_unless (i < report.n_results);
  return &results[i];
}

/* Across the wrap, with one that did not come. */
GST_START_TEST (test_acknowledgements)
{
  send_run (65534, 4);
  receive (make (65534, "1101", 5, 8), 50 * MS);
  fail_unless_equals_int (n_reports, 1);
  fail_unless_equals_int (reported.kind, PSP_REPORT_TWCC);
  fail_unless_equals_int64 (reported.newest, 3 * MS);
  fail_unless_equals_int64 (reported.oldest, 0);
  fail_unless_equals_int (report.n_received, 3);
  fail_unless_equals_int64 (result_of (0)->sent_at, 0);
  fail_unless_equals_int64 (result_of (1)->sent_at, 1 * MS);
  fail_unless_equals_int64 (result_of (1)->arrived_at -
      result_of (0)->arrived_at, 8 * TICK);
  /* From the newest one's departure; its wait for the report is not known. */
  fail_unless_equals_int64 (report.rtt_sample, 47 * MS);
  fail_unless_equals_int64 (feedback.malformed, 0);
}

GST_END_TEST;

/* A count that is missed was that of a lost report: its packets are neither lost
 * nor received. Without a gap they were lost. */
GST_START_TEST (test_lost_report)
{
  bool lost = __i__ > 0;
  size_t size;

  send_run (65530, 16);
  receive (make (65530, "1111", 5, 8), 50 * MS);
  size = make (2, "10111111", 5, 8);
  data[19] = (uint8_t) (lost ? 2 : 1);  /* the count */
  receive (size, 60 * MS);
  fail_unless_equals_int (n_reports, 2);
  fail_unless_equals_int (report.n_received, 7);
  fail_unless_equals_int (report.n_lost, lost ? 1 : 5);
  fail_unless_equals_int (report.in_flight, 0);
  /* It comes after all. */
  size = make (65534, "1111", 5, 8);
  data[19] = 1;
  receive (size, 61 * MS);
  fail_unless_equals_int (report.n_recovered, lost ? 0 : 4);
  fail_unless_equals_int (feedback.twcc.next.count, lost ? 3 : 2);
}

GST_END_TEST;

/* What says that a packet came which never left, or left too long ago, says
 * nothing; nor does a report about somebody else's stream. */
GST_START_TEST (test_unknown_numbers)
{
  send_run (100, 4);
  receive (make (104, "111", 5, 8), 50 * MS);
  fail_unless_equals_int64 (reported.newest, PSP_TIME_UNKNOWN);
  fail_unless_equals_int (reported.kind, PSP_REPORT_NONE);
  /* The same place in memory, another number. */
  receive (make (100 + PSP_TWCC_NUMBERS, "1111", 5, 8), 50 * MS);
  fail_unless_equals_int (n_reports, 0);
  receive (make (98, "111111", 5, 8), 50 * MS);
  make (100, "1111", 5, 8);
  data[11]++;
  receive (4 * data[3] + 4, 50 * MS);
  fail_unless_equals_int (n_reports, 0);
  fail_unless_equals_int64 (reported.newest, PSP_TIME_UNKNOWN);
  /* That it did not come is true. */
  receive (make (98, "001111", 5, 8), 50 * MS);
  fail_unless_equals_int (n_reports, 1);
  fail_unless_equals_int (report.n_received, 4);
}

GST_END_TEST;

/* Without stamps nobody could answer by numbers. */
GST_START_TEST (test_closed)
{
  psp_twcc_feedback_clear (&feedback.twcc);
  send_run (100, 4);
  receive (make (100, "1111", 5, 8), 50 * MS);
  fail_unless_equals_int (n_reports, 0);
  fail_unless_equals_int (reported.kind, PSP_REPORT_NONE);
}

GST_END_TEST;

/* A packet that was sent again as another one has the number from then on. */
GST_START_TEST (test_sent_again)
{
  send_run (100, 4);
  send_packet (SSRC + 1, 77, 101, 30 * MS);
  receive (make (101, "1", 5, 8), 80 * MS);
  fail_unless_equals_int (report.n_received, 1);
  fail_unless_equals_int64 (result_of (0)->sent_at, 30 * MS);
}

GST_END_TEST;

/* The reference wraps after 12 days; times go on. */
GST_START_TEST (test_reference_wraps)
{
  int64_t before;

  send_run (0, 4);
  receive (make (0, "11", 0xffffff, 0), 50 * MS);
  before = result_of (1)->arrived_at;
  receive (make (2, "11", 0, 0), 114 * MS);
  fail_unless_equals_int64 (result_of (0)->arrived_at - before, UNIT);
}

GST_END_TEST;

/* A clock that jumps is believed after a second without one that fits. Packets
 * count all the same. */
GST_START_TEST (test_forged_time)
{
  send_run (0, 6);
  receive (make (0, "1", 100, 0), 50 * MS);
  receive (make (1, "1", 100 + 40, 0), 60 * MS);
  fail_unless_equals_int (n_reports, 2);
  fail_unless_equals_int64 (result_of (0)->arrived_at, PSP_TIME_UNKNOWN);
  receive (make (2, "1", 101, 0), 110 * MS);
  fail_unless (result_of (0)->arrived_at != PSP_TIME_UNKNOWN);
}

GST_END_TEST;

/* Of a receiver that sends both, the kind that came first counts. */
GST_START_TEST (test_both_kinds)
{
  PspCcfbMetric metric = { true, 0, 0 };
  PspCcfbPacker packer;
  PspWriter w;

  send_run (0, 6);
  receive (make (0, "11", 100, 0), 50 * MS);
  fail_unless_equals_int (n_reports, 1);
  w = psp_writer (data, sizeof data);
  psp_ccfb_begin (&packer, &w, 0x5ec0de);
  psp_ccfb_stream (&packer, SSRC, 2);
  psp_ccfb_add_metric (&packer, &metric);
  psp_ccfb_end (&packer, 1 << 16);
  receive (w.size, 60 * MS);
  fail_unless_equals_int (n_reports, 1);
  receive (w.size, 1060 * MS);
  fail_unless_equals_int (n_reports, 2);
  receive (make (3, "11", 200, 0), 1070 * MS);
  fail_unless_equals_int (n_reports, 2);
}

GST_END_TEST;

/* A report that says nothing of arrivals decides nothing. */
GST_START_TEST (test_none_received)
{
  send_run (0, 4);
  receive (make (0, "0000", 100, 0), 50 * MS);
  fail_unless_equals_int (n_reports, 0);
  fail_unless_equals_int (reported.kind, PSP_REPORT_NONE);
  fail_unless_equals_int64 (feedback.twcc.reference, PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (feedback.malformed, 0);
}

GST_END_TEST;

/* One report on all numbers that are remembered, with times. */
GST_START_TEST (test_large)
{
  PspWriter w = psp_writer (data, sizeof data);

  send_all ();
  begin (&w, 0, PSP_TWCC_NUMBERS, 5);
  add_run (&w, 1, PSP_TWCC_NUMBERS);
  for (int i = 0; i < PSP_TWCC_NUMBERS; i++)
    psp_write_u8 (&w, 1);
  end (&w, 0);
  receive (w.size, PSP_SECOND);
  fail_unless_equals_int (n_reports, 1);
  fail_unless_equals_int (report.n_received, PSP_TWCC_NUMBERS);
  fail_unless_equals_int64 (result_of (PSP_TWCC_NUMBERS - 1)->arrived_at,
      5 * UNIT + PSP_TWCC_NUMBERS * TICK);
  fail_unless_equals_int64 (feedback.malformed, 0);
}

GST_END_TEST;

/* After an outage a report may reach further back than is remembered. */
GST_START_TEST (test_after_outage)
{
  PspWriter w = psp_writer (data, sizeof data);

  send_all ();
  add_report (&w, (uint16_t) - 20000, 20000 + PSP_TWCC_NUMBERS - 4, 4);
  receive (w.size, PSP_SECOND);
  fail_unless_equals_int (report.n_received, 4);
  fail_unless_equals_int (report.n_lost, PSP_TWCC_NUMBERS - 4);
  fail_unless_equals_int (reported.kind, PSP_REPORT_TWCC);
  fail_unless_equals_int64 (feedback.malformed, 0);
}

GST_END_TEST;

/* One more than is remembered cannot all have left. */
GST_START_TEST (test_too_large)
{
  PspWriter w = psp_writer (data, sizeof data);

  send_all ();
  add_report (&w, 0, 0, PSP_TWCC_NUMBERS + 1);
  receive (w.size, PSP_SECOND);
  fail_unless_equals_int (n_reports, 0);
  fail_unless_equals_int64 (feedback.malformed, 1);
  fail_unless_equals_int (n_walked, 0);
}

GST_END_TEST;

/* Of several reports in a datagram those count that say no more than all
 * numbers came; what lies behind says nothing. */
GST_START_TEST (test_bound)
{
  PspWriter w = psp_writer (data, sizeof data);

  send_all ();
  add_report (&w, 0, 0, 4);
  add_report (&w, 0, 0, PSP_TWCC_NUMBERS - 4);
  add_report (&w, PSP_TWCC_NUMBERS - 4, 0, 4);
  receive (w.size, PSP_SECOND);
  fail_unless_equals_int (n_reports, 2);
  fail_unless_equals_int (report.n_received, PSP_TWCC_NUMBERS - 8);
  fail_unless_equals_int64 (reported.newest,
      (PSP_TWCC_NUMBERS - 5) * 100 * PSP_USECOND);
  fail_unless_equals_int64 (feedback.malformed, 1);
  /* The next datagram has room again. */
  w = psp_writer (data, sizeof data);
  add_report (&w, PSP_TWCC_NUMBERS - 4, 0, 4);
  receive (w.size, PSP_SECOND);
  fail_unless_equals_int (n_reports, 3);
  fail_unless_equals_int (report.n_received, 4);
}

GST_END_TEST;

/* Whatever fills a datagram, it costs no more than one report on all numbers:
 * that they came, or that none of 32,768 did. */
GST_START_TEST (test_flood)
{
  static const struct
  {
    size_t n_none, n;
  } rows[] = { {0, PSP_TWCC_NUMBERS}, {PSP_TWCC_MAX_PACKETS, 0},
  {0, PSP_TWCC_MAX_PACKETS}
  };
  PspWriter w = psp_writer (data, sizeof data);
  guint n = 0;

  send_all ();
  for (; w.capacity - w.size >= 36; n++)
    add_report (&w, 0, rows[__i__].n_none, rows[__i__].n);
  fail_unless (n >= 256);
  receive (w.size, PSP_SECOND);
  /* Of a credible report it is looked twice, if the packets are known and what
   * is said of them, each time up to its end; here of what a datagram reports,
   * and of what is taken from it. */
  fail_unless (n_walked <= 4 * (PSP_TWCC_NUMBERS + n),
      "%" G_GUINT64_FORMAT " packets of %u reports", n_walked, n);
  fail_unless_equals_int (n_reports, rows[__i__].n == PSP_TWCC_NUMBERS);
  fail_unless_equals_int64 (feedback.malformed,
      rows[__i__].n == PSP_TWCC_NUMBERS ? n - 1 : rows[__i__].n ? n : 0);
}

GST_END_TEST;

GST_START_TEST (test_malformed)
{
  size_t size;

  send_run (0, 4);
  size = make (0, "1111", 100, 0);
  data[14] = 0;                 /* of no packets */
  data[15] = 0;
  receive (size, 50 * MS);
  fail_unless_equals_int64 (feedback.malformed, 1);
  fail_unless_equals_int (n_reports, 0);
}

GST_END_TEST;

/* Its pieces, one by one. */
GST_START_TEST (test_pieces)
{
  PspFeedback read;
  PspTwccFeedback f;
  PspKey key = { SSRC, 1 };
  PspTwcc twcc;

  send_run (0, 2);
  psp_twcc_feedback_init (&f);
  fail_if (psp_twcc_feedback_find (&f, sender, 9, &key));
  fail_unless (psp_twcc_feedback_open (&f));
  psp_twcc_feedback_sent (&f, 9, &key);
  fail_unless (psp_twcc_feedback_find (&f, sender, 9, &key));
  fail_unless_equals_int (key.number, 1);
  fail_unless (psp_twcc_parse (data, make (9, "1", 5, 8), &twcc));
  fail_unless (psp_twcc_feedback_is_credible (&f, &twcc));
  fail_unless (psp_twcc_feedback_read (&f, sender, &twcc, 50 * MS,
          &read));
  fail_unless_equals_int (read.n, 1);
  fail_unless_equals_int64 (read.reported_at, 5 * UNIT + 8 * TICK);
  fail_unless_equals_int64 (f.reference, PSP_TIME_UNKNOWN);
  psp_twcc_feedback_accept (&f, 50 * MS);
  fail_unless_equals_int64 (f.reference, 5 * UNIT);
  psp_twcc_feedback_forget (&f);
  fail_unless_equals_int64 (f.reference, PSP_TIME_UNKNOWN);
  psp_twcc_feedback_clear (&f);
}

GST_END_TEST;

static Suite *
twccfeedback_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-twccfeedback");
  TCase *tc = tcase_create ("twccfeedback");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_acknowledgements);
  tcase_add_loop_test (tc, test_lost_report, 0, 2);
  tcase_add_test (tc, test_unknown_numbers);
  tcase_add_test (tc, test_closed);
  tcase_add_test (tc, test_sent_again);
  tcase_add_test (tc, test_reference_wraps);
  tcase_add_test (tc, test_forged_time);
  tcase_add_test (tc, test_both_kinds);
  tcase_add_test (tc, test_none_received);
  tcase_add_test (tc, test_large);
  tcase_add_test (tc, test_after_outage);
  tcase_add_test (tc, test_too_large);
  tcase_add_test (tc, test_bound);
  tcase_add_loop_test (tc, test_flood, 0, 3);
  tcase_add_test (tc, test_malformed);
  tcase_add_test (tc, test_pieces);
  return s;
}

GST_CHECK_MAIN (twccfeedback);
