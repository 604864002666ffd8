/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/flight.h>

#define MEAN 1000

static PspFlight flight;

static void
setup (void)
{
  psp_flight_init (&flight, MEAN);
}

static void
note_sent (uint32_t size, int64_t in_flight)
{
  PspSent sent = {.size = size,.in_flight = in_flight };

  psp_flight_sent (&flight, &sent, MEAN);
}

static void
report (PspOutcome outcome, uint32_t size, int64_t in_flight)
{
  PspPacketResult x = {.size = size,.outcome = (uint8_t) outcome };
  PspReport r = {.in_flight = in_flight,.results = &x,.n_results = 1 };

  psp_flight_report (&flight, &r, MEAN);
}

static bool
exceeds_by (double packets)
{
  return fabs (psp_flight_excess (&flight) - packets) < 1e-9;
}

/* In flight are bytes; a packet is MEAN of them. */
GST_START_TEST (test_sizes)
{
  note_sent (100, 1);
  note_sent (1400, 2);
  fail_unless (flight.bytes == 1500);
  fail_unless (exceeds_by (-.5));
  report (PSP_OUTCOME_LOST, 100, 1);
  fail_unless (exceeds_by (.4));
  /* Its bytes have left the flight already. */
  report (PSP_OUTCOME_RECOVERED, 100, 1);
  fail_unless (exceeds_by (.4));
  report (PSP_OUTCOME_RECEIVED, 1400, 0);
  fail_unless (psp_flight_excess (&flight) == 0);
}

GST_END_TEST;

/* After a reset three more are under way than it knows, each of the mean size
 * for all it knows; later the history forgets two. */
GST_START_TEST (test_unknown_packets)
{
  note_sent (400, 4);
  fail_unless (flight.bytes == 3400);
  fail_unless (exceeds_by (-.6));
  note_sent (400, 3);
  fail_unless (exceeds_by (-1.2));
  /* More is gone than there was. */
  report (PSP_OUTCOME_LOST, 60000, 1);
  fail_unless (exceeds_by (-1));
}

GST_END_TEST;

static Suite *
flight_suite (void)
{
  Suite *s = suite_create ("control-flight");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_sizes);
  tcase_add_test (tc, test_unknown_packets);
  return s;
}

GST_CHECK_MAIN (flight);
