/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/path.h>

#define MS PSP_MSECOND

/* RFC 6298 section 2: SRTT, RTTVAR and what follows from them, in ms. */
/* *INDENT-OFF* */
static const struct
{
  double sample, smoothed, deviation, timeout;
} delay_rows[] = {
  {100, 100, 50, 300},          /* (2.2) */
  {100, 100, 37.5, 250},        /* (2.3) */
  {180, 110, 48.125, 302.5},
  {30, 100, 56.09375, 324.375},
};
/* *INDENT-ON* */

GST_START_TEST (test_delay)
{
  PspDelay e;
  unsigned i;

  psp_delay_init (&e);
  psp_delay_add (&e, PSP_TIME_UNKNOWN);
  psp_delay_add (&e, 0);
  fail_unless (psp_delay_timeout (&e) == 0);
  for (i = 0; i < G_N_ELEMENTS (delay_rows); i++) {
    psp_delay_add (&e, (int64_t) (delay_rows[i].sample * MS));
    fail_unless (fabs (e.smoothed / MS - delay_rows[i].smoothed) < 1e-9);
    fail_unless (fabs (e.deviation / MS - delay_rows[i].deviation) < 1e-9);
    fail_unless (fabs (psp_delay_timeout (&e) / MS - delay_rows[i].timeout)
        < 1e-9);
  }
}

GST_END_TEST;

GST_START_TEST (test_interval)
{
  fail_unless_equals_int64 (psp_interval (7, 5), 2);
  fail_unless_equals_int64 (psp_interval (5, 7), 0);
  fail_unless_equals_int64 (psp_interval (2 * PSP_MAX_INTERVAL, 5),
      PSP_MAX_INTERVAL);
  fail_unless_equals_int64 (psp_interval (INT64_MAX, INT64_MIN),
      PSP_MAX_INTERVAL);
  fail_unless_equals_int64 (psp_interval (INT64_MIN, INT64_MAX), 0);
}

GST_END_TEST;

/* Samples in ms at times in s, and the minimum of a life of 10 s. */
/* *INDENT-OFF* */
static const struct
{
  double at, sample, minimum, for_ever;
} minimum_rows[] = {
  {0, 40, 40, 40},
  {1, 50, 40, 40},
  {4, 40.9, 40, 40},            /* within a step: seen again */
  {8, 45, 40, 40},              /* the first half of its life */
  {10, 60, 40, 40},
  {13, 55, 40, 40},
  {14.1, 70, 55, 40},           /* forgotten */
  {15, 54, 54, 40},
  {16, 1, 1, 1},                /* forged */
  {20, 30, 1, 1},
  {21, 50, 1, 1},
  {26, 52, 50, 1},
  {100, 80, 80, 1},             /* nothing for long */
  {100, 70, 70, 1},
};
/* *INDENT-ON* */

GST_START_TEST (test_minimum)
{
  PspMinimum m, for_ever;

  psp_minimum_init (&m);
  psp_minimum_init (&for_ever);
  fail_unless_equals_int64 (m.value, PSP_TIME_NEVER);
  for (unsigned i = 0; i < G_N_ELEMENTS (minimum_rows); i++) {
    int64_t at = (int64_t) (minimum_rows[i].at * PSP_SECOND);
    int64_t sample = (int64_t) (minimum_rows[i].sample * MS);

    psp_minimum_add (&m, sample, i, at, 10 * PSP_SECOND);
    psp_minimum_add (&for_ever, sample, i, at, 0);
    fail_unless_equals_int64 (m.value,
        (int64_t) (minimum_rows[i].minimum * MS));
    fail_unless (minimum_rows[m.size].sample == minimum_rows[i].minimum);
    fail_unless_equals_int64 (for_ever.value,
        (int64_t) (minimum_rows[i].for_ever * MS));
  }
}

GST_END_TEST;

/* The life is long enough to measure a long round trip. */
GST_START_TEST (test_life)
{
  PspPath p;

  psp_path_init (&p);
  fail_unless_equals_int64 (psp_path_life (&p, 10), 10 * PSP_SECOND);
  p.rtt.smoothed = 100 * MS;
  fail_unless_equals_int64 (psp_path_life (&p, 10), 10 * PSP_SECOND);
  p.rtt.smoothed = PSP_SECOND;
  fail_unless_equals_int64 (psp_path_life (&p, 10), 40 * PSP_SECOND);
  fail_unless_equals_int64 (psp_path_life (&p, 0), 0);
}

GST_END_TEST;

/* Four packets 5 ms apart, the third lost, reported 7 ms after the last came:
 * the first waited 15 + 7 ms at the receiver. */
GST_START_TEST (test_path)
{
  const int64_t offset = 99 * PSP_SECOND;
  PspPacketResult x[] = {
    {0, 0, offset + 20 * MS, 1200, PSP_OUTCOME_RECEIVED, 0, 0, false},
    {1, 5 * MS, offset + 25 * MS, 1200, PSP_OUTCOME_RECEIVED, 0, 0, false},
    {2, 10 * MS, PSP_TIME_UNKNOWN, 1200, PSP_OUTCOME_LOST, 0, 0, false},
    {3, 15 * MS, offset + 35 * MS, 1200, PSP_OUTCOME_RECEIVED, 0, 0, false},
  };
  PspReport r = {.now = 62 * MS,.rtt_sample = 40 * MS,.results = x,
    .n_results = 4
  };
  PspPath p;

  psp_path_init (&p);
  fail_unless (psp_path_base_rtt (&p) == 0);
  fail_unless (psp_path_add (&p, &r, 0));
  /* The 7 ms may have been up to half a step of 1/1024 s less. */
  fail_unless_equals_int64 (p.base_rtt.value, 40 * MS + PSP_SECOND / 2048);
  fail_unless (psp_path_base_rtt (&p) == 40 * MS);
  fail_unless (p.delay.smoothed == 62 * MS);
  fail_unless (p.hold == 22 * MS);
  fail_unless_equals_int (p.base_rtt.size, 1200);
  /* Filtered from now on: nothing held. */
  r.results = &x[3];
  r.n_results = 1;
  r.now = 55 * MS;
  fail_unless (psp_path_add (&p, &r, 0));
  fail_unless (p.hold == 22 * MS * 7 / 8);
  fail_unless (psp_path_base_rtt (&p) == 40 * MS);
  /* A report without arrivals brings no samples. */
  r.results = &x[2];
  r.rtt_sample = PSP_TIME_UNKNOWN;
  fail_if (psp_path_add (&p, &r, 0));
  fail_unless_equals_int64 (p.last_rtt, 40 * MS);
}

GST_END_TEST;

/* A packet was given up too early: it still says how long to wait, but not next
 * to one that was not. */
GST_START_TEST (test_recovered)
{
  PspPacketResult x[] = {
    {0, 0, 99 * PSP_SECOND, 1200, PSP_OUTCOME_RECOVERED, 0, 0, false},
    {1, 5 * MS, 99 * PSP_SECOND, 1200, PSP_OUTCOME_RECOVERED, 0, 0, false},
    {2, 10 * MS, 99 * PSP_SECOND, 1200, PSP_OUTCOME_RECEIVED, 0, 0, false},
  };
  PspReport r = {.now = 3000 * MS,.rtt_sample = 2995 * MS,.results = x,
    .n_results = 2
  };
  PspPath p;

  psp_path_init (&p);
  fail_unless (psp_path_add (&p, &r, 0));
  fail_unless (p.delay.smoothed == 2995 * MS);
  fail_unless (p.hold == 0);
  r.now = 2000 * MS;
  r.rtt_sample = 1990 * MS;
  r.n_results = 3;
  psp_path_init (&p);
  fail_unless (psp_path_add (&p, &r, 0));
  fail_unless (p.delay.smoothed == 1990 * MS);
}

GST_END_TEST;

/* Eight packets `sent` µs apart, each `arrived` µs after the one before. The
 * arrivals are reported in steps of 1/1024 s, and all at once: the first waited
 * for `hold` µs. */
/* *INDENT-OFF* */
static const struct
{
  double sent, arrived, hold;
} hold_rows[] = {
  {10, 10, 70},                 /* arrivals reported: all at once */
  {209, 209, 1463},             /* 1 step, of 1.498 */
  {300, 300, 2100},
  {3000, 3000, 21000},
  {100, 3000, 21484.375 - 976.5625},    /* queued: reported as 22 steps */
  {3000, 100, 976.5625 + 976.5625},     /* came in a bunch: 1 step */
};
/* *INDENT-ON* */

GST_START_TEST (test_hold)
{
  const int64_t offset = 99 * PSP_SECOND;
  PspPacketResult x[8] = { {0} };
  PspReport r = { 0 };
  PspPath p;
  int i;

  for (i = 0; i < 8; i++) {
    double before = (7 - i) * hold_rows[__i__].arrived;

    x[i].index = i;
    x[i].size = 1200;
    x[i].sent_at = (int64_t) (i * hold_rows[__i__].sent * PSP_USECOND);
    x[i].arrived_at = offset
        - (int64_t) floor (before * 1024 / 1e6 + 0.5) * PSP_SECOND / 1024;
  }
  r.rtt_sample = 40 * MS;
  r.now = x[7].sent_at + r.rtt_sample;
  r.results = x;
  r.n_results = 8;
  psp_path_init (&p);
  fail_unless (psp_path_add (&p, &r, 0));
  fail_unless (fabs (p.hold / PSP_USECOND - hold_rows[__i__].hold) < 0.01,
      "%f", p.hold / PSP_USECOND);
  fail_unless (psp_path_base_rtt (&p) == 40 * MS);
}

GST_END_TEST;

static Suite *
path_suite (void)
{
  Suite *s = suite_create ("control-path");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_delay);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_minimum);
  tcase_add_test (tc, test_life);
  tcase_add_test (tc, test_path);
  tcase_add_test (tc, test_recovered);
  tcase_add_loop_test (tc, test_hold, 0, G_N_ELEMENTS (hold_rows));
  return s;
}

GST_CHECK_MAIN (path);
