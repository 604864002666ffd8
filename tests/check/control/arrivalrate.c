/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/arrivalrate.h>

#define MS PSP_MSECOND

static void
add (PspArrivalRate * e, int64_t index, double sent, double arrived,
    bool app_limited)
{
  PspPacketResult x = { 0 };

  x.index = index;
  x.size = 1;                   /* packets/s are bytes/s */
  x.sent_at = (int64_t) (sent * MS);
  x.arrived_at = (int64_t) (arrived * MS);
  x.app_limited = app_limited;
  psp_arrival_rate_add (e, &x, 1, 0);
}

/* The next one, `gap` ms after *t. */
static void
add_next (PspArrivalRate * e, int64_t index, double *t, double gap,
    bool app_limited)
{
  *t += gap;
  add (e, index, *t, *t, app_limited);
}

/* Sent every `sent` ms, arriving every `arrived` ms in steps of `step`. */
/* *INDENT-OFF* */
static const struct
{
  double sent, arrived, step, rate, tolerance;
} rate_rows[] = {
  {5, 5, 0, 200, 0},
  {3, 5, 0, 200, 0},            /* queueing */
  {5, 3, 0, 200, 0},            /* a queue that drains is no faster path */
  {5, 5, 1000. / 1024, 200, 0.04},
  {1, 1, 1000. / 1024, 1000, 0.1},
  {0.1, 0.1, 1000. / 1024, 10000, 0.1},
  {0.01, 0.01, 1000. / 1024, 100000, 0.1},
};
/* *INDENT-ON* */

GST_START_TEST (test_rate)
{
  const double step = rate_rows[__i__].step;
  const double expected = rate_rows[__i__].rate;
  PspArrivalRate e;
  int i;

  psp_arrival_rate_init (&e);
  fail_unless (psp_arrival_rate_get (&e) == 0);
  for (i = 0; i < 20000; i++) {
    double arrived = i * rate_rows[__i__].arrived;

    if (step > 0)
      arrived = floor (arrived / step) * step;
    add (&e, i, i * rate_rows[__i__].sent, arrived, false);
    fail_unless ((psp_arrival_rate_get (&e) > 0) == (i >= 3) || step > 0);
    if (i > 19000)
      fail_unless (fabs (psp_arrival_rate_get (&e) / expected - 1) <=
          rate_rows[__i__].tolerance + 1e-3, "%f", psp_arrival_rate_get (&e));
  }
  fail_unless (fabs (psp_arrival_rate_sent (&e) * rate_rows[__i__].sent / 1000
          - 1) < 1e-3);
  fail_if (psp_arrival_rate_limited (&e));
}

GST_END_TEST;

/* Gain 0.1 a packet: from 200/s to 100/s, 1 - 0.9^n of the way in interval. */
GST_START_TEST (test_rate_gain)
{
  PspArrivalRate e;
  double t = 0;
  int i;

  psp_arrival_rate_init (&e);
  for (i = 0; i < 1000; i++)
    add_next (&e, i, &t, 5, false);
  for (i = 1; i <= 20; i++) {
    add_next (&e, 1000 + i, &t, 10, false);
    fail_unless (fabs (1000 / psp_arrival_rate_get (&e)
            - (10 - 5 * pow (0.9, i))) < 1e-3);
  }
}

GST_END_TEST;

/* The pause of an interruption is no interval. */
GST_START_TEST (test_rate_interrupted)
{
  PspArrivalRate e;
  double t = 0, before;
  int i;

  psp_arrival_rate_init (&e);
  for (i = 0; i < 1000; i++)
    add_next (&e, i, &t, 5, false);
  before = psp_arrival_rate_get (&e);
  psp_arrival_rate_interrupt (&e);
  add_next (&e, i, &t, 1000, false);
  fail_unless (psp_arrival_rate_get (&e) == before);
  add_next (&e, i + 1, &t, 1000, false);
  fail_unless (psp_arrival_rate_get (&e) < before);
}

GST_END_TEST;

/* Jittered and overtaken packets keep the rate. */
GST_START_TEST (test_rate_reordered)
{
  static const double late[] = { 0, 12, 3, 0, 7, 0 };
  PspArrivalRate e;
  double sum = 0;
  int i;

  psp_arrival_rate_init (&e);
  for (i = 0; i < 6000; i++) {
    add (&e, i, i * 5, i * 5 + late[i % 6], false);
    if (i >= 3000)
      sum += 1000 / psp_arrival_rate_get (&e);
  }
  fail_unless (fabs (sum / 3000 - 5) < 0.5, "%f", sum / 3000);
}

GST_END_TEST;

/* The application's gaps do not lower the rate, but its own rate may raise it;
 * then the rate is known to be a lower bound. */
GST_START_TEST (test_rate_app_limited)
{
  PspArrivalRate e;
  double t = 0;
  int i;

  psp_arrival_rate_init (&e);
  for (i = 0; i < 100; i++)
    add_next (&e, i, &t, 40, true);
  fail_unless (psp_arrival_rate_get (&e) == 0);
  for (; i < 200; i++)
    add_next (&e, i, &t, i % 4 ? 5 : 40, i % 4 == 0);
  fail_unless (fabs (psp_arrival_rate_get (&e) - 200) < 1e-3);
  fail_if (psp_arrival_rate_limited (&e));
  for (; i < 300; i++)
    add_next (&e, i, &t, 4, true);
  fail_unless (fabs (psp_arrival_rate_get (&e) - 250) < 1);
  fail_unless (psp_arrival_rate_limited (&e));
}

GST_END_TEST;

/* Packets of two sizes by turns, sent at `sent` ms a kB through a link of
 * `link` ms a kB: whichever is slower is the rate in bytes, not in packets. */
/* *INDENT-OFF* */
static const struct
{
  uint32_t small, large;
  double sent, link, rate;
} size_rows[] = {
  {1000, 1000, 5, 5, 200e3},
  {100, 1000, 5, 5, 200e3},
  {100, 1000, 3, 5, 200e3},
  {100, 1000, 5, 3, 200e3},
  {20, 1200, 4, 1, 250e3},
};
/* *INDENT-ON* */

GST_START_TEST (test_rate_sizes)
{
  PspArrivalRate e;
  double sent = 0, left = 0, sum = 0;
  int i;

  psp_arrival_rate_init (&e);
  for (i = 0; i < 20000; i++) {
    PspPacketResult x = {.index = i,
      .size = i & 1 ? size_rows[__i__].large : size_rows[__i__].small
    };

    left = fmax (left, sent) + x.size * size_rows[__i__].link / 1000;
    x.sent_at = (int64_t) (sent * MS);
    x.arrived_at = (int64_t) (left * MS);
    psp_arrival_rate_add (&e, &x, 1, 100 * MS);
    sent += x.size * size_rows[__i__].sent / 1000;
    if (i >= 10000)
      sum += psp_arrival_rate_get (&e) / 10000;
  }
  fail_unless (fabs (sum / size_rows[__i__].rate - 1) < 0.03, "%f", sum);
}

GST_END_TEST;

/* A tiny packet soon after a large one raises nothing, if it is app-limited:
 * nor does it lower anything. */
GST_START_TEST (test_rate_tiny)
{
  PspArrivalRate e;
  double rate;
  int i;

  psp_arrival_rate_init (&e);
  for (i = 0; i < 100; i++) {
    PspPacketResult x = {.index = i,.size = i < 99 ? 1000 : 20,
      .sent_at = (i < 99 ? i * 5 : 98 * 5 + 4) * MS,.app_limited = i == 99
    };

    x.arrived_at = x.sent_at;
    rate = psp_arrival_rate_get (&e);
    psp_arrival_rate_add (&e, &x, 1, 0);
  }
  fail_unless (rate == psp_arrival_rate_get (&e));
}

GST_END_TEST;

/* Times that make no sense bound the rate instead of breaking it. */
GST_START_TEST (test_rate_hostile)
{
  static const int64_t times[] = { INT64_MAX, INT64_MIN + 1, 0, INT64_MAX, -5,
    INT64_MIN + 1
  };
  PspArrivalRate e;
  unsigned i, k;

  psp_arrival_rate_init (&e);
  for (i = 0; i < G_N_ELEMENTS (times); i++)
    for (k = 0; k < G_N_ELEMENTS (times); k++) {
      PspPacketResult x = {.index = i,.sent_at = times[i],
        .arrived_at = times[k],.size = i & 1 ? UINT32_MAX : 0
      };
      double rate;

      psp_arrival_rate_add (&e, &x, 1, 40e6);
      rate = psp_arrival_rate_get (&e);
      fail_unless (rate >= 0 && rate <= 1e12);
    }
}

GST_END_TEST;

static Suite *
arrivalrate_suite (void)
{
  Suite *s = suite_create ("control-arrivalrate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rate, 0, G_N_ELEMENTS (rate_rows));
  tcase_add_test (tc, test_rate_gain);
  tcase_add_test (tc, test_rate_interrupted);
  tcase_add_test (tc, test_rate_reordered);
  tcase_add_test (tc, test_rate_app_limited);
  tcase_add_loop_test (tc, test_rate_sizes, 0, G_N_ELEMENTS (size_rows));
  tcase_add_test (tc, test_rate_tiny);
  tcase_add_test (tc, test_rate_hostile);
  return s;
}

GST_CHECK_MAIN (arrivalrate);
