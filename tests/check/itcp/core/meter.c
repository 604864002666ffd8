/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "meter.h"

#define MS PSP_MSECOND

/* From 5 s on, at an hour of the clock, bytes every 10 ms. */
static gint64
feed (ItcpMeter * m, gint64 from, gint64 until, gint64 bytes)
{
  for (; from < until; from += 10 * MS)
    itcp_meter_add (m, from, bytes);
  return from;
}

GST_START_TEST (test_begin)
{
  ItcpMeter m;

  itcp_meter_init (&m);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 5000 * MS), 0);
  feed (&m, 5000 * MS, 5200 * MS, 1000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 5199 * MS), 0);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 5200 * MS), 800000);
  feed (&m, 5200 * MS, 6000 * MS, 1000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 6000 * MS), 800000);
}

GST_END_TEST;

/* Less does not count, more does; a short burst as part of its second. */
GST_START_TEST (test_peak)
{
  ItcpMeter m;
  gint64 now;

  itcp_meter_init (&m);
  now = feed (&m, 0, 3000 * MS, 1000);
  now = feed (&m, now, now + 5000 * MS, 200);
  fail_unless_equals_int64 (itcp_meter_peak (&m, now), 800000);
  now = feed (&m, now, now + 2000 * MS, 2000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, now), 1600000);
  /* A day of silence. */
  now += 86400 * PSP_SECOND;
  fail_unless_equals_int64 (itcp_meter_peak (&m, now), 1600000);
  itcp_meter_add (&m, now, 100000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, now + 999 * MS), 1600000);
  itcp_meter_add (&m, now + 999 * MS, 200000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, now + 1000 * MS), 2400000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, now + 9000 * MS), 2400000);
}

GST_END_TEST;

/* Media that starts over: the two stretches are not one second's. */
GST_START_TEST (test_back)
{
  ItcpMeter m;
  gint64 now;

  itcp_meter_init (&m);
  feed (&m, 0, 9500 * MS, 1000);
  feed (&m, 0, 500 * MS, 1000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 500 * MS), 800000);
  now = feed (&m, 500 * MS, 3000 * MS, 1500);
  fail_unless_equals_int64 (itcp_meter_peak (&m, now), 1200000);
}

GST_END_TEST;

/* A little back, as by a flushing seek to where it was: neither is that one
 * second's, nor is forgotten what was known. */
GST_START_TEST (test_back_a_little)
{
  ItcpMeter m;

  itcp_meter_init (&m);
  feed (&m, 0, 900 * MS, 1000);
  for (int i = 0; i < 10; i++)
    feed (&m, 0, 500 * MS, 1000);
  itcp_meter_restart (&m);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 0), 800000);
  feed (&m, 100 * MS, 200 * MS, 5000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 200 * MS), 800000);
  feed (&m, 200 * MS, 3000 * MS, 1000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 3000 * MS), 1120000);
}

GST_END_TEST;

/* More than 10^9 bytes a second, whose bits in ns are no int64_t. */
GST_START_TEST (test_very_much)
{
  ItcpMeter m;

  itcp_meter_init (&m);
  feed (&m, 0, 500 * MS, 40000000);
  fail_unless_equals_int64 (itcp_meter_peak (&m, 500 * MS),
      INT64_C (32000000000));
}

GST_END_TEST;

/* A buffer each 20 ms, of which each n-th has a stamp, or only the first. */
GST_START_TEST (test_few_stamps)
{
  static const gint each[] = { 1, 4, 100, 100000 };
  const gint64 start = 3600 * PSP_SECOND;
  ItcpMediaClock c;
  ItcpMeter m;

  itcp_meter_init (&m);
  itcp_media_clock_init (&c);
  fail_unless_equals_int64 (c.time, PSP_TIME_UNKNOWN);
  for (gint i = 0; i < 500; i++) {
    itcp_media_clock_buffer (&c, i % each[__i__] == 0 ? i * 20 * MS :
        PSP_TIME_UNKNOWN, start + i * 20 * MS);
    itcp_meter_add (&m, c.time, 2500);
  }
  /* 1 Mb/s; what waits for the clock to go on counts as one burst. */
  fail_unless (itcp_meter_peak (&m, c.time) >= 1000000);
  fail_unless (itcp_meter_peak (&m, c.time) <= 1300000, "%" G_GINT64_FORMAT,
      itcp_meter_peak (&m, c.time));
}

GST_END_TEST;

/* A file has its own clock, however fast it is read. */
GST_START_TEST (test_fast_stamps)
{
  ItcpMediaClock c;

  itcp_media_clock_init (&c);
  for (gint i = 0; i < 100; i++) {
    itcp_media_clock_buffer (&c, i * 40 * MS, 7 * PSP_SECOND);
    fail_unless_equals_int64 (c.time, i * 40 * MS);
    itcp_media_clock_buffer (&c, PSP_TIME_UNKNOWN, 7 * PSP_SECOND);
    fail_unless_equals_int64 (c.time, i * 40 * MS);
  }
}

GST_END_TEST;

static Suite *
meter_suite (void)
{
  Suite *s = suite_create ("itcp-meter");
  TCase *tc = tcase_create ("meter");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_begin);
  tcase_add_test (tc, test_peak);
  tcase_add_test (tc, test_back);
  tcase_add_test (tc, test_back_a_little);
  tcase_add_test (tc, test_very_much);
  tcase_add_loop_test (tc, test_few_stamps, 0, 4);
  tcase_add_test (tc, test_fast_stamps);
  return s;
}

GST_CHECK_MAIN (meter);
