/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What an engine makes of what receivers send: whose feedback counts, repairs,
 * requests for a key frame, receivers that send receiver reports alone or nothing,
 * and ECN.
 */
#include "enginerun.h"

#include <gst/check/gstcheck.h>
#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtcp.h>

/* Feedback */

#define PERIOD (600 * PSP_MSECOND)

static guint64
count_acknowledged (GstPspEngine * engine, gint64 now)
{
  GstPspEngineStats stats;

  gst_psp_engine_stats (engine, now, &stats);
  return stats.sender.packets_acked;
}

/* Feedback from the receiver's host, one step each: what it reports, from which
 * port, and whether that counts. Packet i leaves at i × PERIOD; the step is a round
 * trip after packet `at`. */
GST_START_TEST (test_feedback_port)
{
  static const struct
  {
    guint at;
    guint16 port, seq;
    gboolean counts;
  } steps[] = {
    {0, 5000, 0, TRUE},
    /* It speaks: nobody else does. */
    {1, 6000, 1, FALSE},
    {1, 5000, 1, TRUE},
    {2, 6000, 2, FALSE},
    /* It has been silent for more than a second, but what left before is known
     * to anybody who saw it then, and what never left to nobody. */
    {3, 6000, 1, FALSE},
    {3, 6000, 7, FALSE},
    {3, 6000, 3, TRUE},
    /* From now on it is the receiver. */
    {4, 5000, 4, FALSE},
    {4, 6000, 4, TRUE},
  };
  Member m = {.engine = make_engine ("none", 0) };
  guint64 n_acknowledged = 0, n_foreign = 0;
  GstPspEngineStats stats;

  open_engine (m.engine);
  for (guint i = 0, seq = 0; i < G_N_ELEMENTS (steps); i++) {
    gint64 now = steps[i].at * PERIOD + RTT;

    for (; seq <= steps[i].at; seq++) {
      queue_packet (m.engine, 0, (guint16) seq, seq * PERIOD);
      run_member (&m, seq * PERIOD);
    }
    report (m.engine, steps[i].port, steps[i].seq, now);
    n_acknowledged += steps[i].counts;
    n_foreign += !steps[i].counts;
    fail_unless_equals_uint64 (count_acknowledged (m.engine, now),
        n_acknowledged);
    gst_psp_engine_stats (m.engine, now, &stats);
    fail_unless_equals_uint64 (stats.feedback_foreign, n_foreign);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Repairs */

/* With a payload type for them, repairs leave in the next slots, ahead of the
 * queue. Without one, upstream is asked for them once somebody has asked. Other
 * ports than the receiver's are refused. */
GST_START_TEST (test_repairs)
{
  const gboolean own = __i__ == 0;
  const GstPspRepairConfig config = {
    .payload_type = own ? 97 : 0,.share = .5,.deadline = PSP_SECOND
  };
  Member m = {.engine = make_engine ("fixed", 0) };
  gint64 now = 0;

  open_engine (m.engine);
  gst_psp_engine_set_repair (m.engine, &config, 0);
  queue_packets (m.engine, 0, 0);
  run_member (&m, 0);
  report (m.engine, 5000, 0, RTT);
  for (guint i = 1; i < 12; i++) {
    run_member (&m, now += SPACING);
    /* Upstream's repairs are known of from the first request on. */
    if (i == 1)
      request_packets (m.engine, 5000, 0, 0, now);
  }
  fail_unless_equals_int (m.n_requests, own ? 0 : 1);
  m.n_repairs = m.n_requests = 0;
  request_packets (m.engine, 6000, 8, 1, now);
  run_member (&m, now + 1);
  fail_unless_equals_int (m.n_requests, 0);
  request_packets (m.engine, 5000, 8, 1, now);
  run_member (&m, now + 2);
  fail_unless_equals_int (m.n_requests, own ? 0 : 2);
  fail_unless_equals_int (m.n_repairs, 0);
  for (guint i = 1; i <= 4; i++) {
    run_member (&m, now += SPACING);
    fail_unless_equals_int (m.n_repairs, own ? MIN (i, 2) : 0);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What repairs and redundancy take of the rate is not announced. Payload type 0,
 * which stands for none, is PCMU's, and media. */
GST_START_TEST (test_reserved)
{
  const gboolean pcmu = __i__ == 1;
  const GstPspRepairConfig config = {.deadline = PSP_SECOND };
  const PspLimits limits = {.max_bitrate = 1000000,.start_bitrate = 950000 };
  Member m = {.engine = make_engine ("none", 0) };
  const PspAddress nowhere = { 0 };
  GstPspEngineStats stats;
  gint64 now = 0;

  gst_psp_engine_open (m.engine, &nowhere, 0);
  gst_psp_engine_set_limits (m.engine, &limits, 0);
  gst_psp_engine_stats (m.engine, now, &stats);
  fail_unless_equals_int64 (stats.sender.target_bitrate, 950000);
  media_type = pcmu ? 0 : 96;
  gst_psp_engine_set_repair (m.engine, &config, media_type);
  for (guint i = 0; i < 500; i++) {
    m.n_sent = m.n_polls = 0;
    queue_packet (m.engine, 0, (guint16) i, now);
    run_member (&m, now);
    now += 10 * PSP_MSECOND;
  }
  gst_psp_engine_stats (m.engine, now, &stats);
  /* 88 bytes each 10 ms. */
  fail_unless (ABS ((gint64) stats.reserved_bitrate - (pcmu ? 0 : 70400)) <
      4000);
  fail_unless_equals_int64 (stats.sender.target_bitrate,
      950000 - (gint64) stats.reserved_bitrate);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Requests for a key frame */

static void
request_key (GstPspEngine * engine, guint16 port, guint32 ssrc, gint64 now)
{
  const PspKeyRequest request = { PSP_KEY_REQUEST_PLI, 1, ssrc, 0 };
  guint8 data[PSP_RTCP_KEY_REQUEST_SIZE];
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_key_request (&w, &request);
  receive_from (engine, port, data, w.size, now);
}

static void
say_bye (GstPspEngine * engine, guint16 port, gint64 now)
{
  guint8 data[8];
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_bye (&w, &reporter_ssrc, 1);
  receive_from (engine, port, data, w.size, now);
}

/* Packet i leaves at i × 100 ms. What the receiver's host asks from a port
 * counts once the port has reported packets, and no more often than each
 * 500 ms. A receiver that had the first packet lacks nothing; one that comes
 * later asks by coming, also at the port of the one before: it has another
 * SSRC, or comes after a BYE. Whoever changes its SSRC again and again asks for
 * no more. */
static const struct
{
  guint ms;
  enum
  { REPORT, REQUEST, OTHER, RESET, BYE, NOTHING } what;
  guint16 port;
  guint n_key_frames;           /* so far */
  guint32 ssrc;                 /* of the reporter */
} key_steps[] = {
  {10, REQUEST, 5000, 0, 0},
  {40, REPORT, 5000, 0, 0},
  {50, OTHER, 5000, 0, 0},
  {60, REQUEST, 6000, 0, 0},
  {70, REQUEST, 5000, 1, 0},
  {200, REQUEST, 5000, 1, 0},
  {400, REQUEST, 5000, 1, 0},
  {569, NOTHING, 0, 1, 0},
  {570, NOTHING, 0, 2, 0},
  {1500, NOTHING, 0, 2, 0},
  {1501, REQUEST, 5000, 3, 0},
  {2300, REPORT, 6000, 3, 0},
  {2700, REPORT, 6000, 4, 0},
  {3300, RESET, 0, 4, 0},
  {3450, REPORT, 6000, 5, 0},
  {4440, REPORT, 6000, 5, 1},
  {4460, REPORT, 6000, 6, 1},
  {5410, REPORT, 6000, 6, 1},
  {5470, REPORT, 6000, 6, 2},
  {6310, REPORT, 6000, 6, 3},
  {6420, REPORT, 6000, 7, 4},
  {6520, REPORT, 6000, 7, 5},
  {7430, REPORT, 6000, 8, 6},
  /* Only the receiver's own BYE counts, and only for what left since. */
  {8440, BYE, 7000, 8, 6},
  {8450, REPORT, 6000, 8, 6},
  {8510, BYE, 6000, 8, 6},
  {8520, REPORT, 6000, 8, 6},
  {8610, REPORT, 6000, 9, 6},
  {8620, BYE, 6000, 9, 6},
  {9510, REPORT, 6000, 9, 6},
  {9620, REPORT, 6000, 10, 6},
  {9720, REPORT, 6000, 10, 6},
  /* So does only one of its SSRC, and the first one. */
  {10700, BYE, 6000, 10, 7},
  {10720, REPORT, 6000, 10, 6},
  {10820, REPORT, 6000, 10, 6},
  {10830, BYE, 6000, 10, 6},
  {10910, BYE, 6000, 10, 6},
  {10930, REPORT, 6000, 11, 6},
};

GST_START_TEST (test_key_requests)
{
  Member m = {.engine = make_engine ("none", 0) };
  guint seq = 0;

  open_engine (m.engine);
  for (guint i = 0; i < G_N_ELEMENTS (key_steps); i++) {
    gint64 now = key_steps[i].ms * PSP_MSECOND;

    for (; seq * 100 < key_steps[i].ms; seq++) {
      m.n_sent = m.n_polls = 0;
      queue_packet (m.engine, 0, (guint16) seq, seq * 100 * PSP_MSECOND);
      run_member (&m, seq * 100 * PSP_MSECOND);
    }
    reporter_ssrc = key_steps[i].ssrc;
    if (key_steps[i].what == REPORT)
      report (m.engine, key_steps[i].port, (guint16) (seq - 1), now);
    else if (key_steps[i].what == RESET)
      gst_psp_engine_reset (m.engine, now);
    else if (key_steps[i].what == BYE)
      say_bye (m.engine, key_steps[i].port, now);
    else if (key_steps[i].what != NOTHING)
      request_key (m.engine, key_steps[i].port, key_steps[i].what == OTHER,
          now);
    run_member (&m, now);
    fail_unless (m.n_key_frames == key_steps[i].n_key_frames,
        "%u key frames after %u ms", m.n_key_frames, key_steps[i].ms);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Receivers without RFC 8888 */

static void
report_by_rr (GstPspEngine * engine, guint16 port, guint16 highest, gint64 now)
{
  const PspRtcpReportBlock block = {.ssrc = 0,.highest_seq = highest };
  guint8 data[64];
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_rr (&w, 1, &block, 1);
  receive_from (engine, port, data, w.size, now);
}

/* Where only receiver reports come, these keep media going; when they cease, or
 * name what was never sent, it falls silent. CCFB, once it comes, is all that
 * counts. */
GST_START_TEST (test_receiver_reports)
{
  Member m = {.engine = make_open_engine () };
  const gint64 start = 300000 / 20 * 19;

  run_media (&m, 0, 3000);
  report_by_rr (m.engine, 7000, 40000, 3000 * PSP_MSECOND);
  check_feedback (m.engine, 3000, PSP_REPORT_NONE, -1);
  report_by_rr (m.engine, 7000, last_seq, 3000 * PSP_MSECOND);
  check_feedback (m.engine, 3000, PSP_REPORT_RR, start);
  for (guint ms = 3000; ms < 40000; ms += 4000) {
    run_media (&m, ms, ms + 4000);
    report_by_rr (m.engine, 7000, last_seq, (ms + 4000) * PSP_MSECOND);
    check_feedback (m.engine, ms + 4000, PSP_REPORT_RR, start);
  }
  fail_unless_equals_int (m.n_warnings, 0);
  run_media (&m, 43000, 57980);
  check_feedback (m.engine, 57980, PSP_REPORT_RR, start);
  run_media (&m, 58000, 60000);
  check_feedback (m.engine, 60000, PSP_REPORT_NONE, -1);
  run_media (&m, 60000, 71000);
  check_feedback (m.engine, 71000, PSP_REPORT_NONE, 0);
  fail_unless_equals_int (m.n_warnings, 1);

  report_by_rr (m.engine, 7000, last_seq, 71000 * PSP_MSECOND);
  check_feedback (m.engine, 71000, PSP_REPORT_RR, start);
  run_media (&m, 71000, 72000);
  report (m.engine, 7000, last_seq, 72000 * PSP_MSECOND);
  check_feedback (m.engine, 72000, PSP_REPORT_CCFB, -1);
  report_by_rr (m.engine, 7000, last_seq, 72001 * PSP_MSECOND);
  check_feedback (m.engine, 72001, PSP_REPORT_CCFB, -1);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What the application starts with is no bound. */
GST_START_TEST (test_reports_rise)
{
  const PspLimits limits = {.start_bitrate = 36000 };
  Member m = {.engine = make_open_engine () };
  GstPspEngineStats stats;

  gst_psp_engine_set_limits (m.engine, &limits, 0);
  run_media (&m, 0, 3000);
  report_by_rr (m.engine, 7000, last_seq, 3000 * PSP_MSECOND);
  check_feedback (m.engine, 3000, PSP_REPORT_RR, 36000 / 20 * 19);
  for (guint ms = 3000; ms < 11000; ms += 4000) {
    run_media (&m, ms, ms + 4000);
    report_by_rr (m.engine, 7000, last_seq, (ms + 4000) * PSP_MSECOND);
  }
  gst_psp_engine_stats (m.engine, 11000 * PSP_MSECOND, &stats);
  fail_unless (stats.sender.target_bitrate > 36000);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Whose CCFB is on its way may have sent a receiver report just before: at the
 * start and on a new path the controller goes on. A receiver that has had a
 * second of media and sent no CCFB sends none. */
GST_START_TEST (test_receiver_report_first)
{
  Member m = {.engine = make_open_engine () };

  run_media (&m, 0, 200);
  report_by_rr (m.engine, 7000, last_seq, 200 * PSP_MSECOND);
  check_feedback (m.engine, 200, PSP_REPORT_NONE, -1);
  report (m.engine, 7000, last_seq, 210 * PSP_MSECOND);
  check_feedback (m.engine, 210, PSP_REPORT_CCFB, -1);
  run_media (&m, 220, 3000);
  gst_psp_engine_path_changed (m.engine, 3000 * PSP_MSECOND);
  run_media (&m, 3000, 3400);
  report_by_rr (m.engine, 7000, last_seq, 3400 * PSP_MSECOND);
  check_feedback (m.engine, 3400, PSP_REPORT_NONE, -1);
  run_media (&m, 3400, 4100);
  report_by_rr (m.engine, 7000, last_seq, 4100 * PSP_MSECOND);
  check_feedback (m.engine, 4100, PSP_REPORT_RR, -1);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* One warning says that more streams leave than are accounted for. */
GST_START_TEST (test_too_many_streams)
{
  Member m = {.engine = make_open_engine () };
  gint64 now = 0;

  for (guint32 ssrc = 0; ssrc < PSP_MAX_SERIES + 3; ssrc++) {
    queue_packet (m.engine, ssrc, 0, now);
    for (guint i = 0; i < 10; i++)
      run_member (&m, now += PSP_MSECOND);
    fail_unless_equals_int (m.n_warnings, ssrc >= PSP_MAX_SERIES);
  }
  fail_unless_equals_int (m.n_sent, PSP_MAX_SERIES + 3);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What leaves where nothing has ever come back is what the application names, if
 * it does; one warning says so. */
GST_START_TEST (test_no_feedback)
{
  const gboolean named = __i__ == 1;
  Member m = {.engine = make_open_engine () };

  if (named)
    gst_psp_engine_set_no_feedback_bitrate (m.engine, 100000, 0);
  run_media (&m, 0, 12000);
  check_feedback (m.engine, 12000, PSP_REPORT_NONE, named ? 95000 : 0);
  fail_unless_equals_int (m.n_warnings, 1);
  report (m.engine, 7000, last_seq, 12000 * PSP_MSECOND);
  check_feedback (m.engine, 12000, PSP_REPORT_CCFB, -1);
  /* It has come: its end is not answered so. */
  run_media (&m, 12000, 24000);
  check_feedback (m.engine, 24000, PSP_REPORT_CCFB, 0);
  fail_unless_equals_int (m.n_warnings, 2);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Receivers are at IPv4's addresses unless told otherwise; at one of IPv6 the
 * warning says so. */
GST_START_TEST (test_no_feedback_by_ipv6)
{
  const gboolean v6 = __i__ == 1;
  Member m = {.engine = make_engine ("poise", 0) };
  PspAddress to;

  fail_unless_equals_int (psp_address_resolve (v6 ? "2001:db8::1" :
          "192.0.2.1", 5004, v6 ? AF_INET6 : AF_INET, &to), 0);
  gst_psp_engine_open (m.engine, &to, 0);
  run_media (&m, 0, 12000);
  fail_unless_equals_int (m.n_warnings, 1);
  fail_unless (strstr (m.warning, "No feedback has come") != NULL);
  fail_unless_equals_int (strstr (m.warning, "address=::") != NULL, v6);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Explicit congestion notification */

static PspEcnVerdict
get_verdict (GstPspEngine * engine)
{
  GstPspEngineStats stats;

  gst_psp_engine_stats (engine, 0, &stats);
  return stats.sender.ecn;
}

/* Packets [from, to) leave, one in 100 ms, and the port reports each, Not-ECT, a
 * round trip later. */
static void
run_reported (Member * m, guint from, guint to, guint16 port)
{
  for (guint seq = from; seq < to; seq++) {
    gint64 now = seq * 100 * PSP_MSECOND;

    m->n_polls = m->n_sent = 0;
    queue_packet (m->engine, 0, (guint16) seq, now);
    run_member (m, now);
    report (m->engine, port, (guint16) seq, now + RTT);
  }
}

/* Another receiver, and another path, may carry what the one before did not. */
GST_START_TEST (test_ecn_anew)
{
  Member m = {.engine = make_engine ("media-scaling", 0) };

  open_engine (m.engine);
  gst_psp_engine_set_ecn (m.engine, PSP_ECN_ECT0, 0);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_TESTING);
  run_reported (&m, 0, 40, 5000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_BLEACHED);
  run_reported (&m, 60, 61, 6000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_TESTING);
  run_reported (&m, 61, 100, 6000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_BLEACHED);
  reporter_ssrc++;
  run_reported (&m, 120, 121, 6000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_TESTING);
  run_reported (&m, 121, 160, 6000);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_BLEACHED);
  gst_psp_engine_path_changed (m.engine, 16 * PSP_SECOND);
  fail_unless_equals_int (get_verdict (m.engine), PSP_ECN_PATH_TESTING);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

static Suite *
enginefeedback_suite (void)
{
  Suite *s = suite_create ("psp/enginefeedback");
  TCase *tc = tcase_create ("general");

  GST_DEBUG_CATEGORY_INIT (gst_psp_sink_debug, "pspsink", 0, "test");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_feedback_port);
  tcase_add_loop_test (tc, test_repairs, 0, 2);
  tcase_add_loop_test (tc, test_reserved, 0, 2);
  tcase_add_test (tc, test_key_requests);
  tcase_add_test (tc, test_receiver_reports);
  tcase_add_test (tc, test_reports_rise);
  tcase_add_test (tc, test_receiver_report_first);
  tcase_add_loop_test (tc, test_no_feedback, 0, 2);
  tcase_add_loop_test (tc, test_no_feedback_by_ipv6, 0, 2);
  tcase_add_test (tc, test_too_many_streams);
  tcase_add_test (tc, test_ecn_anew);
  return s;
}

GST_CHECK_MAIN (enginefeedback);
