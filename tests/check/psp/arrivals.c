/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When datagrams arrived, with clocks that say what the test wants.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>

#include <control/types.h>

#include "gstpsparrivals.h"

#define MS PSP_MSECOND
/* The wall clock's distance from the monotonic one. */
#define WALL (1000 * PSP_SECOND)
/* The element's clock's. */
#define CLOCK (50 * GST_SECOND)

/* One datagram each, with the moment of the reading. */
static const struct
{
  const gchar *what;
  gint64 now, emptied_at;
  gint64 stamp;                 /* the kernel's, on the monotonic clock */
  gint64 at;                    /* when it arrived */
} datagrams[] = {
  {"waited for 3 ms", 10 * MS, 0, 7 * MS, 7 * MS},
  {"arrives in order", 10 * MS, 0, 6 * MS, 7 * MS},
  {"came after the socket was empty", 20 * MS, 15 * MS, 12 * MS, 15 * MS},
  {"has a stamp ahead of now", 30 * MS, 15 * MS, 31 * MS, 30 * MS},
  {"waited for long", 5000 * MS, 31 * MS, 40 * MS, 4000 * MS},
};

GST_START_TEST (test_dates)
{
  GstPspArrivals a = { 0 };

  gst_psp_arrivals_init (&a);
  for (guint i = 0; i < G_N_ELEMENTS (datagrams); i++) {
    const PspUdpDatagram d = {.arrived_at = WALL + datagrams[i].stamp };
    GstClockTime clock_time;

    a.now = datagrams[i].now;
    a.wall = WALL + a.now;
    a.time = CLOCK + a.now;
    a.emptied_at = datagrams[i].emptied_at;
    fail_unless (gst_psp_arrivals_date (&a, &d, &clock_time) ==
        datagrams[i].at, "what %s", datagrams[i].what);
    fail_unless_equals_uint64 (clock_time, CLOCK + datagrams[i].at);
  }
}

GST_END_TEST;

/* Without a stamp, a datagram arrives when it is read. */
GST_START_TEST (test_no_stamp)
{
  const PspUdpDatagram d = {.arrived_at = -1 };
  GstPspArrivals a = {.now = 8 * MS,.wall = WALL,.time = CLOCK };
  GstClockTime clock_time;

  gst_psp_arrivals_init (&a);
  fail_unless_equals_int64 (gst_psp_arrivals_date (&a, &d, &clock_time),
      8 * MS);
  fail_unless_equals_uint64 (clock_time, CLOCK);
}

GST_END_TEST;

/* The wall clock steps between the stamp and the reading: the arrival stays between
 * the last look at the socket and now. */
GST_START_TEST (test_wall_clock_steps)
{
  const PspUdpDatagram d = {.arrived_at = WALL + 9 * MS };
  GstPspArrivals a = {.now = 10 * MS,.time = CLOCK };
  GstClockTime clock_time;

  gst_psp_arrivals_init (&a);
  a.emptied_at = 5 * MS;
  a.wall = 2 * WALL;
  fail_unless_equals_int64 (gst_psp_arrivals_date (&a, &d, &clock_time),
      5 * MS);
  a.wall = 0;
  fail_unless_equals_int64 (gst_psp_arrivals_date (&a, &d, &clock_time),
      10 * MS);
}

GST_END_TEST;

/* The element's clock, read a little wrong, turns no packets round; one that was set
 * back by more than a second is believed. */
GST_START_TEST (test_clock_set_back)
{
  const PspUdpDatagram d = {.arrived_at = -1 };
  GstPspArrivals a = {.time = CLOCK };
  GstClockTime clock_time;

  gst_psp_arrivals_init (&a);
  gst_psp_arrivals_date (&a, &d, &clock_time);
  a.time = CLOCK - GST_USECOND;
  gst_psp_arrivals_date (&a, &d, &clock_time);
  fail_unless_equals_uint64 (clock_time, CLOCK);
  a.time = CLOCK - 2 * GST_SECOND;
  gst_psp_arrivals_date (&a, &d, &clock_time);
  fail_unless_equals_uint64 (clock_time, CLOCK - 2 * GST_SECOND);
}

GST_END_TEST;

/* The clock is the one that the element has when it is read, or none. */
GST_START_TEST (test_reads)
{
  GstElement *element = gst_pipeline_new (NULL);
  GstClock *clock = gst_test_clock_new_with_start_time (CLOCK);
  const PspUdpDatagram d = {.arrived_at = -1 };
  GstPspArrivals a = { 0 };
  GstClockTime clock_time;

  gst_psp_arrivals_init (&a);
  gst_psp_arrivals_read (&a, element);
  fail_unless (gst_psp_arrivals_date (&a, &d, &clock_time) == a.now);
  fail_unless (clock_time == GST_CLOCK_TIME_NONE);

  gst_element_set_clock (element, clock);
  gst_psp_arrivals_read (&a, element);
  fail_unless (gst_psp_arrivals_date (&a, &d, &clock_time) == a.now);
  fail_unless_equals_uint64 (clock_time, CLOCK);

  gst_element_set_clock (element, NULL);
  ASSERT_OBJECT_REFCOUNT (clock, "clock", 2);
  gst_psp_arrivals_clear (&a);
  ASSERT_OBJECT_REFCOUNT (clock, "clock", 1);
  gst_object_unref (clock);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
arrivals_suite (void)
{
  Suite *s = suite_create ("psp_arrivals");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_dates);
  tcase_add_test (tc, test_no_stamp);
  tcase_add_test (tc, test_wall_clock_steps);
  tcase_add_test (tc, test_clock_set_back);
  tcase_add_test (tc, test_reads);
  return s;
}

GST_CHECK_MAIN (arrivals);
