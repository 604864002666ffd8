/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * An engine and a receiver that answers by transport-wide numbers.
 */
#include "enginerun.h"

#include <gst/check/gstcheck.h>
#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/twcc.h>

/* The receiver says by their transport-wide numbers that these packets came, from
 * this one on, 40 ms after they left; of each `one_of` packets one did not come. */
static gsize
write_twcc (guint8 * data, gsize room, guint16 begin, guint n, guint one_of,
    gint64 now)
{
  const gint64 arrived = now - n * SPACING + 40 * PSP_MSECOND;
  const gint64 unit = 64 * PSP_MSECOND;
  PspWriter w = psp_writer (data, room);
  gint64 last = arrived / unit * unit;

  psp_write_u32 (&w, 0x80000000 | PSP_TWCC_FMT << 24 | PSP_RTCP_RTPFB << 16);
  psp_write_u32 (&w, 1);
  psp_write_u32 (&w, 0);        /* the stream of run_media() */
  psp_write_u16 (&w, begin);
  psp_write_u16 (&w, (guint16) n);
  psp_write_u32 (&w, (guint32) (arrived / unit) << 8);
  for (guint i = 0; i < n; i += 7) {
    guint chunk = 0;            /* seven symbols of two bits: small deltas */

    for (guint k = i; k < i + 7; k++)
      chunk = chunk << 2 | (k < n && (one_of == 0 || k % one_of != 0));
    psp_write_u16 (&w, (guint16) (0xc000 | chunk));
  }
  for (guint i = 0; i < n; i++) {
    const gint64 at = arrived + i * SPACING;

    if (one_of > 0 && i % one_of == 0)
      continue;
    psp_write_u8 (&w, (guint8) ((at - last) / (250 * PSP_USECOND)));
    last = at;
  }
  while (w.size % 4)
    psp_write_u8 (&w, 0);
  data[3] = (guint8) (w.size / 4 - 1);
  fail_if (w.error);
  return w.size;
}

/* All that left since the last report came. */
static void
report_by_twcc (Member * m, guint16 port, gint64 now)
{
  guint8 data[256];
  guint16 begin = (guint16) (m->number - m->n_numbered + 1);

  fail_unless (m->n_numbered > 0);
  receive_from (m->engine, port, data, write_twcc (data, sizeof data, begin,
          m->n_numbered, 0, now), now);
  m->n_numbered = 0;
}

static GstPspEngine *
make_numbered_engine (void)
{
  GstPspEngine *engine = make_open_engine ();

  gst_psp_engine_set_transport_id (engine, TRANSPORT_ID);
  return engine;
}

/* A receiver that answers by transport-wide numbers, as seldom as WebRTC's do, is
 * heard: the controller rules, across the wrap of the numbers, and hears of all
 * packets, whether or not a payloader numbered them. */
GST_START_TEST (test_transport_wide)
{
  static const guint intervals[] = { 40, 100, 260, 480 };       /* ms */
  const guint interval = intervals[__i__ / 2];
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;

  stamped = __i__ % 2 == 1;
  for (guint ms = 0; ms + interval <= 20800; ms += interval) {
    run_media (&m, ms, ms + interval);
    report_by_twcc (&m, 7000, (ms + interval) * PSP_MSECOND);
    check_feedback (m.engine, ms + interval, PSP_REPORT_TWCC, -1);
  }
  gst_psp_engine_stats (m.engine, 20800 * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.sender.link, PSP_LINK_ALIVE);
  fail_unless (stats.sender.packets_acked > 1000);
  fail_unless_equals_int64 (stats.sender.packets_lost, 0);
  fail_unless (stats.sender.target_bitrate >= 300000 / 20 * 19);
  fail_unless_equals_int64 (stats.feedback_malformed, 0);
  fail_unless_equals_int (m.n_warnings, 0);
  stamped = FALSE;
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Retransmissions have numbers of their own: who had the original's would look as
 * one more loss to receivers that report each number once. */
GST_START_TEST (test_transport_wide_repairs)
{
  const GstPspRepairConfig config = {
    .payload_type = 97,.share = .5,.deadline = PSP_SECOND
  };
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;

  stamped = TRUE;
  gst_psp_engine_set_repair (m.engine, &config, 0);
  for (guint ms = 0; ms < 4000; ms += 100) {
    run_media (&m, ms, ms + 100);
    report_by_twcc (&m, 7000, (ms + 100) * PSP_MSECOND);
    request_packets (m.engine, 7000, last_seq, 0, (ms + 100) * PSP_MSECOND);
  }
  fail_unless (m.n_repairs > 20, "%u repairs", m.n_repairs);
  gst_psp_engine_stats (m.engine, 4000 * PSP_MSECOND, &stats);
  fail_unless_equals_int64 (stats.sender.packets_lost, 0);
  fail_unless (stats.sender.packets_acked > 200 + 20);
  stamped = FALSE;
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Losses are seen, and answered as those that CCFB tells of. */
GST_START_TEST (test_transport_wide_losses)
{
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;
  gint64 target = 0, least = G_MAXINT64;
  guint n = 0;

  for (guint ms = 0; ms < 8000; ms += 100) {
    const gint64 now = (ms + 100) * PSP_MSECOND;
    guint8 data[256];

    run_media (&m, ms, ms + 100);
    if (ms < 4000) {
      report_by_twcc (&m, 7000, now);
      continue;
    }
    receive_from (m.engine, 7000, data, write_twcc (data, sizeof data,
            (guint16) (m.number - m.n_numbered + 1), m.n_numbered, 2, now),
        now);
    n += (m.n_numbered + 1) / 2;
    m.n_numbered = 0;
    gst_psp_engine_stats (m.engine, now, &stats);
    target = ms == 4000 ? stats.sender.target_bitrate : target;
    least = MIN (least, stats.sender.target_bitrate);
  }
  /* What is last in a report may still come. */
  fail_unless (stats.sender.packets_lost >= n - 5
      && stats.sender.packets_lost <= n, "%u of %u losses",
      (guint) stats.sender.packets_lost, n);
  /* Losses without a queue are tested, with less: these turn out to be random. */
  fail_unless (least < target * 7 / 10, "%" G_GINT64_FORMAT " of %"
      G_GINT64_FORMAT, least, target);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* What tests a path that was silent has a number of its own, too: by that the
 * receiver answers, and media goes on. */
GST_START_TEST (test_transport_wide_stop)
{
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;
  guint n;

  for (guint ms = 0; ms < 1000; ms += 100) {
    run_media (&m, ms, ms + 100);
    report_by_twcc (&m, 7000, (ms + 100) * PSP_MSECOND);
  }
  run_media (&m, 1000, 20000);
  gst_psp_engine_stats (m.engine, 20000 * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.sender.link, PSP_LINK_STOPPED);
  m.n_numbered = 0;
  gst_psp_engine_flush (m.engine);
  for (guint ms = 20000; ms < 23000; ms += 20) {
    m.n_sent = m.n_polls = 0;
    run_member (&m, ms * PSP_MSECOND);
  }
  n = m.n_numbered;
  fail_unless (n >= 2 && n <= 4, "%u probes", n);
  m.n_numbered = 1;
  report_by_twcc (&m, 7000, 23000 * PSP_MSECOND);
  gst_psp_engine_stats (m.engine, 23000 * PSP_MSECOND, &stats);
  fail_unless_equals_int (stats.sender.link, PSP_LINK_ALIVE);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Of two kinds the one counts that came first, also within one datagram, until it
 * ceases; `stats` says which. */
GST_START_TEST (test_transport_wide_and_ccfb)
{
  const gboolean twcc_first = __i__ == 1;
  const PspReportKind first = twcc_first ? PSP_REPORT_TWCC : PSP_REPORT_CCFB;
  const PspReportKind other = twcc_first ? PSP_REPORT_CCFB : PSP_REPORT_TWCC;
  Member m = {.engine = make_numbered_engine () };

  for (guint ms = 100; ms <= 4000; ms += 100) {
    const gint64 now = ms * PSP_MSECOND;
    guint8 data[512];
    gsize size = 0;

    run_media (&m, ms - 100, ms);
    for (guint k = 0; k < 2; k++) {
      const gboolean twcc = (k == 0) == twcc_first;

      if (k == 0 && ms > 2000)
        continue;
      size += twcc ? write_twcc (data + size, sizeof data - size,
          (guint16) (m.number - m.n_numbered + 1), m.n_numbered, 0, now) :
          write_ccfb (data + size, sizeof data - size, last_seq, now);
    }
    m.n_numbered = 0;
    receive_from (m.engine, 7000, data, size, now);
    /* The other kind counts a second later; few packets leave in between. */
    if (ms <= 2900 || ms >= 3500)
      check_feedback (m.engine, ms, ms <= 2900 ? first : other, -1);
  }
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Numbers that never left prove nothing; nor does another port of the host, while
 * the receiver speaks. */
GST_START_TEST (test_transport_wide_forged)
{
  Member m = {.engine = make_numbered_engine () };
  GstPspEngineStats stats;
  guint8 data[256];

  run_media (&m, 0, 400);
  receive_from (m.engine, 7000, data, write_twcc (data, sizeof data,
          (guint16) (m.number + 1), 10, 0, 400 * PSP_MSECOND),
      400 * PSP_MSECOND);
  check_feedback (m.engine, 400, PSP_REPORT_NONE, -1);
  m.n_numbered = 10;
  report_by_twcc (&m, 7000, 400 * PSP_MSECOND);
  check_feedback (m.engine, 400, PSP_REPORT_TWCC, -1);
  run_media (&m, 400, 600);
  report_by_twcc (&m, 6666, 600 * PSP_MSECOND);
  gst_psp_engine_stats (m.engine, 600 * PSP_MSECOND, &stats);
  fail_unless_equals_int64 (stats.feedback_foreign, 1);
  fail_unless_equals_int64 (stats.sender.packets_acked, 10);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

/* Without the extension in the caps nothing is numbered. */
GST_START_TEST (test_transport_wide_unknown)
{
  Member m = {.engine = make_open_engine () };
  guint8 data[256];

  run_media (&m, 0, 400);
  fail_unless_equals_int (m.n_numbered, 0);
  receive_from (m.engine, 7000, data, write_twcc (data, sizeof data, 0, 10, 0,
          400 * PSP_MSECOND), 400 * PSP_MSECOND);
  check_feedback (m.engine, 400, PSP_REPORT_NONE, -1);
  gst_psp_engine_free (m.engine);
}

GST_END_TEST;

static Suite *
enginetransport_suite (void)
{
  Suite *s = suite_create ("psp/enginetransport");
  TCase *tc = tcase_create ("general");

  GST_DEBUG_CATEGORY_INIT (gst_psp_sink_debug, "pspsink", 0, "test");
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_transport_wide, 0, 8);
  tcase_add_test (tc, test_transport_wide_repairs);
  tcase_add_test (tc, test_transport_wide_losses);
  tcase_add_test (tc, test_transport_wide_stop);
  tcase_add_loop_test (tc, test_transport_wide_and_ccfb, 0, 2);
  tcase_add_test (tc, test_transport_wide_forged);
  tcase_add_test (tc, test_transport_wide_unknown);
  return s;
}

GST_CHECK_MAIN (enginetransport);
