/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/pipe.h>

#define MS PSP_MSECOND
#define MEAN 1000

static void
note_sent (PspPipe * p, int64_t now, uint32_t size, int64_t in_flight)
{
  PspSent sent = {.now = now,.size = size,.in_flight = in_flight };

  psp_pipe_sent (p, &sent, MEAN);
}

/* One result of a packet sent at 0, 40 ms before. */
static bool
report (PspPipe * p, PspOutcome outcome, uint32_t size, int64_t in_flight)
{
  PspPacketResult x = {.arrived_at = PSP_TIME_UNKNOWN,.size = size,
    .outcome = (uint8_t) outcome
  };
  PspReport r = {.now = 40 * MS,.in_flight = in_flight,.results = &x,
    .rtt_sample = outcome == PSP_OUTCOME_RECEIVED ? 40 * MS : PSP_TIME_UNKNOWN,
    .n_results = 1
  };

  return psp_pipe_report (p, &r, MEAN, 0);
}

/* A peak is remembered for half a second to one. */
GST_START_TEST (test_peak)
{
  PspPipe p;

  psp_pipe_init (&p, MEAN);
  note_sent (&p, 0, MEAN, 1);
  note_sent (&p, 0, MEAN, 2);
  report (&p, PSP_OUTCOME_LOST, MEAN, 1);
  report (&p, PSP_OUTCOME_LOST, MEAN, 0);
  note_sent (&p, 500 * MS, MEAN, 1);
  fail_unless (psp_pipe_peak (&p) == 2);
  note_sent (&p, 999 * MS, 0, 1);
  fail_unless (psp_pipe_peak (&p) == 2);
  note_sent (&p, 1000 * MS, 0, 1);
  fail_unless (psp_pipe_peak (&p) == 1);
}

GST_END_TEST;

GST_START_TEST (test_timeout)
{
  PspPipe p;
  unsigned i;

  psp_pipe_init (&p, MEAN);
  fail_unless_equals_int64 (psp_pipe_timeout (&p), PSP_SECOND);
  psp_pipe_double_timeout (&p);
  fail_unless_equals_int64 (psp_pipe_timeout (&p), 2 * PSP_SECOND);
  psp_pipe_double_timeout (&p);
  fail_unless_equals_int64 (psp_pipe_timeout (&p), 2 * PSP_SECOND);
  /* A sample ends the doubling: 40 ms + 4 × 20 ms are below the least. */
  fail_unless (report (&p, PSP_OUTCOME_RECEIVED, MEAN, 0));
  fail_unless_equals_int64 (psp_pipe_timeout (&p), 200 * MS);
  psp_pipe_double_timeout (&p);
  fail_unless_equals_int64 (psp_pipe_timeout (&p), 400 * MS);
  for (i = 0; i < 100; i++)
    psp_pipe_double_timeout (&p);
  fail_unless_equals_int64 (psp_pipe_timeout (&p), PSP_SECOND);
}

GST_END_TEST;

/* The round trip is of a packet of 100 bytes; one of the mean size takes the
 * link for .9 of its slot longer, and that much of it is on the path. */
GST_START_TEST (test_holds)
{
  PspPipe p;

  psp_pipe_init (&p, MEAN);
  fail_unless (psp_pipe_base_rtt (&p) == 0);
  fail_unless (report (&p, PSP_OUTCOME_RECEIVED, 100, 0));
  fail_unless (psp_pipe_base_rtt (&p) == 40 * MS);
  fail_unless (fabs (psp_pipe_holds (&p, 100) - 4.9) < 1e-9);
  psp_pipe_init (&p, MEAN);
  fail_unless (report (&p, PSP_OUTCOME_RECEIVED, 1400, 0));
  fail_unless (fabs (psp_pipe_holds (&p, 100) - 4) < 1e-9);
}

GST_END_TEST;

/* Packets of the mean size a second: of bytes, as the rate counts. */
GST_START_TEST (test_rates)
{
  PspPacketResult results[40];
  PspPipe p;

  psp_pipe_init (&p, MEAN);
  fail_unless (psp_pipe_rate (&p) == 0);
  for (int i = 0; i < 40; i++)
    results[i] = (PspPacketResult) {
    .index = i,.sent_at = i * 5 * MS,.arrived_at = i * 10 * MS,.size =
        2 * MEAN,.outcome = PSP_OUTCOME_RECEIVED};
  psp_arrival_rate_add (&p.rate, results, 40, 0);
  fail_unless (fabs (psp_pipe_rate (&p) - 200) < 1e-6);
  fail_unless (fabs (psp_pipe_sent_rate (&p) - 400) < 1e-6);
}

GST_END_TEST;

static Suite *
pipe_suite (void)
{
  Suite *s = suite_create ("control-pipe");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_peak);
  tcase_add_test (tc, test_timeout);
  tcase_add_test (tc, test_holds);
  tcase_add_test (tc, test_rates);
  return s;
}

GST_CHECK_MAIN (pipe);
