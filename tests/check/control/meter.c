/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include <control/meter.h>

#define MS PSP_MSECOND

static PspMeter meter;

static void
report (int64_t now, int64_t rtt, unsigned n_received, unsigned n_lost,
    unsigned n_recovered)
{
  PspPacketResult results[16] = { 0 };
  PspReport r = { 0 };

  r.now = now;
  r.rtt_sample = rtt;
  r.n_received = n_received;
  r.n_lost = n_lost;
  r.n_recovered = n_recovered;
  r.n_results = n_received + n_lost + n_recovered;
  r.payload_received = 1000 * (n_received + n_recovered);
  for (size_t i = 0; i < r.n_results; i++) {
    results[i].index = (int64_t) i;
    results[i].sent_at = now - rtt - 20 * MS;   /* held back for 20 ms */
    results[i].arrived_at = PSP_TIME_UNKNOWN;
    results[i].outcome = i < n_received ? PSP_OUTCOME_RECEIVED :
        i < n_received + n_lost ? PSP_OUTCOME_LOST : PSP_OUTCOME_RECOVERED;
  }
  r.results = results;
  psp_meter_report (&meter, &r);
}

static void
setup (void)
{
  psp_meter_init (&meter);
}

GST_START_TEST (test_unknown)
{
  fail_unless_equals_int64 (psp_meter_rtt (&meter), PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (psp_meter_rtt_min (&meter), PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (psp_meter_rtt_deviation (&meter), PSP_TIME_UNKNOWN);
  fail_unless (psp_meter_loss (&meter) < 0);
  fail_unless_equals_int64 (psp_meter_delivered (&meter, 0),
      PSP_BITRATE_UNKNOWN);
  fail_unless_equals_int64 (psp_meter_loss_timeout (&meter, 25 * PSP_MSECOND),
      1025 * MS);
  report (0, PSP_TIME_UNKNOWN, 0, 0, 0);        /* nothing new */
  fail_unless (psp_meter_loss (&meter) < 0);
  fail_unless_equals_int64 (psp_meter_rtt (&meter), PSP_TIME_UNKNOWN);
}

GST_END_TEST;

/* RFC 6298 section 2: R/2 at first, then gains of 1/8 and 1/4. */
GST_START_TEST (test_rtt)
{
  report (0, 80 * MS, 1, 0, 0);
  fail_unless_equals_int64 (psp_meter_rtt (&meter), 80 * MS);
  fail_unless_equals_int64 (psp_meter_rtt_deviation (&meter), 40 * MS);
  /* 100 ms until it was reported, 4 × 50, and a report may get lost. */
  fail_unless_equals_int64 (psp_meter_loss_timeout (&meter, 25 * PSP_MSECOND),
      325 * MS);
  report (0, 160 * MS, 1, 0, 0);
  fail_unless_equals_int64 (psp_meter_rtt (&meter), 90 * MS);
  fail_unless_equals_int64 (psp_meter_rtt_deviation (&meter), 50 * MS);
  fail_unless_equals_int64 (psp_meter_rtt_min (&meter), 80 * MS);
  for (int i = 0; i < 100; i++)
    report (0, 10 * MS, 1, 0, 0);
  fail_unless_equals_int64 (psp_meter_loss_timeout (&meter, 25 * PSP_MSECOND),
      225 * MS);
  /* Where round trips were long the last one tells of packets before it. */
  for (int i = 0; i < 100; i++)
    report (0, 5 * PSP_SECOND, 1, 0, 0);
  report (0, 1 * PSP_SECOND, 1, 0, 0);
  fail_unless (psp_meter_loss_timeout (&meter, 25 * PSP_MSECOND)
      > 4 * PSP_SECOND);
  fail_unless_equals_int64 (psp_meter_overtaken_timeout (&meter,
          25 * PSP_MSECOND), 1225 * MS);
}

GST_END_TEST;

GST_START_TEST (test_loss)
{
  report (0, 40 * MS, 8, 0, 0);
  fail_unless (psp_meter_loss (&meter) == 0);
  report (50 * MS, 40 * MS, 6, 2, 0);
  fail_unless (fabs (psp_meter_loss (&meter) - 2.0 / 16) < 1e-9);
  report (60 * MS, 40 * MS, 0, 0, 1);   /* one was only late */
  fail_unless (fabs (psp_meter_loss (&meter) - 1.0 / 16) < 1e-9);
  report (100 * MS, 40 * MS, 4, 0, 0);
  fail_unless (fabs (psp_meter_loss (&meter) - 1.0 / 20) < 1e-9);
  report (200 * MS, 40 * MS, 4, 0, 0);
  fail_unless (psp_meter_loss (&meter) == 0);
  report (300 * MS, 40 * MS, 0, 0, 9);  /* revoked in vain: never below 0 */
  fail_unless (psp_meter_loss (&meter) == 0);
}

GST_END_TEST;

/* A loss of the round trip before is revoked, too. */
GST_START_TEST (test_loss_revoked_later)
{
  report (0, 40 * MS, 8, 0, 0);
  report (50 * MS, 40 * MS, 6, 2, 0);
  report (120 * MS, 40 * MS, 3, 1, 0);
  fail_unless (fabs (psp_meter_loss (&meter) - 3.0 / 20) < 1e-9);
  report (130 * MS, 40 * MS, 0, 0, 2);
  fail_unless (fabs (psp_meter_loss (&meter) - 1.0 / 20) < 1e-9);
  report (140 * MS, 40 * MS, 0, 0, 1);
  fail_unless (psp_meter_loss (&meter) == 0);
}

GST_END_TEST;

/* 1000 bytes every 10 ms: 800 kb/s. */
GST_START_TEST (test_delivered)
{
  int64_t now;

  for (now = 0; now < 3000 * MS; now += 10 * MS) {
    report (now, 40 * MS, 1, 0, 0);
    fail_unless_equals_int64 (psp_meter_delivered (&meter, now),
        now < 1000 * MS ? PSP_BITRATE_UNKNOWN : 800000);
  }
  fail_unless_equals_int64 (psp_meter_delivered (&meter, now + 500 * MS),
      400000);
  fail_unless_equals_int64 (psp_meter_delivered (&meter, now + 1000 * MS), 0);
}

GST_END_TEST;

/* 1000 bytes each 10 ms are 800 kb/s; what was sent is remembered for 5 s. */
GST_START_TEST (test_peak_sent)
{
  int64_t t = 7 * PSP_SECOND;

  fail_unless_equals_int64 (psp_meter_peak_sent (&meter, t), 0);
  for (; t < 7 * PSP_SECOND + 250 * MS; t += 10 * MS) {
    psp_meter_sent (&meter, t, 1000);
    fail_unless_equals_int64 (psp_meter_peak_sent (&meter, t), 0);
  }
  fail_unless_equals_int64 (psp_meter_peak_sent (&meter, t), 800000);
  psp_meter_sent (&meter, t, 9);
  t += 4900 * MS;
  fail_unless_equals_int64 (psp_meter_peak_sent (&meter, t), 800000);
  t += 250 * MS;
  fail_unless_equals_int64 (psp_meter_peak_sent (&meter, t), 288);
  psp_meter_sent (&meter, t + 60 * PSP_SECOND, 1000);
  fail_unless_equals_int64 (psp_meter_peak_sent (&meter, t + 60 * PSP_SECOND),
      0);
  fail_unless_equals_int64 (psp_meter_peak_sent (&meter, t + 61 * PSP_SECOND),
      32000);
}

GST_END_TEST;

static Suite *
meter_suite (void)
{
  Suite *s = suite_create ("control-meter");
  TCase *tc = tcase_create ("meter");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_unknown);
  tcase_add_test (tc, test_rtt);
  tcase_add_test (tc, test_loss);
  tcase_add_test (tc, test_loss_revoked_later);
  tcase_add_test (tc, test_delivered);
  tcase_add_test (tc, test_peak_sent);
  return s;
}

GST_CHECK_MAIN (meter);
