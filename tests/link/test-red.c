/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RED against rows worked out by hand from the paper's figure 2.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include "red.h"
#include "testlink.h"

#define BUSY -1
#define MS INT64_C (1000000)

/* w_q 1/2; an idle time of 10 ms is one packet of 1250 bytes at 1 Mb/s. */
GST_START_TEST (test_average)
{
  static const struct
  {
    uint32_t packets;
    int64_t idle;
    double average;
  } rows[] = {
    {0, BUSY, 0.0}, {4, BUSY, 2.0}, {8, BUSY, 5.0}, {8, BUSY, 6.5},
    {2, BUSY, 4.25}, {0, BUSY, 2.125}, {0, 10 * MS, 1.0625},
    {0, 30 * MS, 0.1328125}, {0, 0, 0.1328125}, {1, BUSY, 0.56640625},
  };
  const LinkRedConfig config = { 100, 200, 0.5, 0.02, false, 1250 };
  LinkRed red;
  guint i;

  link_red_init (&red, &config, 1, 0);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    fail_unless_equals_int (link_red_arrive (&red, rows[i].packets,
            rows[i].idle, 1000000), LINK_RED_PASS);
    fail_unless (fabs (red.average - rows[i].average) < 1e-12,
        "row %u: %g", i, red.average);
  }
}

GST_END_TEST;

GST_START_TEST (test_probability)
{
  static const struct
  {
    gboolean gentle;
    double average, probability;
  } rows[] = {
    {FALSE, 0, 0}, {FALSE, 4.99, 0}, {FALSE, 5, 0}, {FALSE, 7.5, 0.005},
    {FALSE, 10, 0.01}, {FALSE, 14, 0.018}, {FALSE, 15, 1}, {FALSE, 29, 1},
    {TRUE, 10, 0.01}, {TRUE, 15, 0.02}, {TRUE, 22.5, 0.51},
    {TRUE, 18.75, 0.265}, {TRUE, 30, 1}, {TRUE, 99, 1},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    LinkRedConfig config = LINK_RED_DEFAULTS;
    LinkRed red;

    config.gentle = rows[i].gentle;
    link_red_init (&red, &config, 1, 0);
    red.average = rows[i].average;
    fail_unless (fabs (link_red_probability (&red) -
            rows[i].probability) < 1e-12, "row %u", i);
  }
}

GST_END_TEST;

/* At a constant average, figure 2 spaces drops evenly over 1 .. 1/p_b - 1
 * packets: 1/(2 p_b) in the mean, and each gap is as likely. */
GST_START_TEST (test_spacing)
{
  static const struct
  {
    uint32_t packets;
    gboolean gentle;
    int mean;
  } rows[] = { {10, FALSE, 50}, {15, TRUE, 25}, {6, FALSE, 250} };
  const int n = 1000000;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    LinkRedConfig config = { 5, 15, 1, 0.02, rows[i].gentle, 1000 };
    int k, gap = 0, drops = 0, longest = 0, below = 0;
    LinkRed red;

    link_red_init (&red, &config, 7, 0);
    for (k = 0; k < n; k++) {
      gap++;
      if (link_red_arrive (&red, rows[i].packets, BUSY, 1000000) !=
          LINK_RED_EARLY)
        continue;
      longest = MAX (longest, gap);
      below += gap < rows[i].mean;
      drops++;
      gap = 0;
    }
    fail_unless (fabs ((double) n / drops - rows[i].mean) <
        0.03 * rows[i].mean, "row %u: %g", i, (double) n / drops);
    fail_unless (longest <= 2 * rows[i].mean, "row %u: %d", i, longest);
    fail_unless (longest >= 2 * rows[i].mean - 10, "row %u: %d", i, longest);
    fail_unless (fabs ((double) below / drops - 0.5) < 0.03, "row %u", i);
  }
}

GST_END_TEST;

GST_START_TEST (test_forced)
{
  LinkRedConfig config = { 5, 15, 1, 0.02, false, 1000 };
  LinkRed red;

  link_red_init (&red, &config, 1, 0);
  fail_unless_equals_int (link_red_arrive (&red, 4, BUSY, 1000000),
      LINK_RED_PASS);
  fail_unless_equals_int64 (red.count, -1);
  fail_unless_equals_int (link_red_arrive (&red, 15, BUSY, 1000000),
      LINK_RED_FORCED);
  fail_unless_equals_int64 (red.count, 0);
  link_red_arrive (&red, 4, BUSY, 1000000);
  fail_unless_equals_int64 (red.count, -1);
  link_red_arrive (&red, 6, BUSY, 1000000);
  fail_unless_equals_int64 (red.count, 0);
  config.gentle = true;
  link_red_init (&red, &config, 1, 0);
  fail_unless_equals_int (link_red_arrive (&red, 30, BUSY, 1000000),
      LINK_RED_FORCED);
}

GST_END_TEST;

typedef struct
{
  LinkStats stats;
  double mean_wait;             /* ns */
} Outcome;

static void
overload (const char *spec, uint8_t ecn, Outcome * outcome)
{
  LinkPacket packet = { 0 };
  Link *l;
  int k;

  l = new_link (spec);
  for (k = 0; k < 50000; k++) {
    packet.size = 1250;
    packet.ecn = ecn;
    link_offer (l, k * 9500000LL, &packet);     /* 1.05 of the rate */
    while (link_take (l, k * 9500000LL, &packet));
  }
  link_get_stats (l, &outcome->stats);
  outcome->mean_wait = outcome->stats.wait_sum / outcome->stats.waits;
  link_free (l);
}

/* In the link: 5 % too much load. RED must drop 1 - 1/1.0526 = 5 %, where its
 * average settles: with p_b and even spacing, 2 p_b = .05. */
GST_START_TEST (test_equilibrium)
{
  Outcome o;
  double dropped, average;

  overload ("rate=1M,overhead=0,red=5:15:0.002:0.05", 0, &o);
  dropped = (double) o.stats.verdicts[LINK_DROPPED_RED] / o.stats.offered;
  average = o.mean_wait / (10.0 * MS);
  fail_unless (fabs (dropped - 0.05) < 0.003, "%g", dropped);
  fail_unless_equals_uint64 (o.stats.verdicts[LINK_DROPPED_FULL], 0);
  fail_unless (fabs (average - 10.0) < 1.0, "%g", average);
}

GST_END_TEST;

/* ECT packets are marked in place of early drops, never of forced ones. */
GST_START_TEST (test_ecn)
{
  Outcome o;

  overload ("rate=1M,overhead=0,red=5:15:0.002:0.05,ecn", 2, &o);
  fail_unless (o.stats.marked > 1000);
  fail_unless (o.stats.verdicts[LINK_DROPPED_RED] > 0);
  overload ("rate=1M,overhead=0,red=5:15:0.002:0.05,ecn", 0, &o);
  fail_unless_equals_uint64 (o.stats.marked, 0);
  overload ("rate=1M,overhead=0,red=5:15:0.002:0.05", 2, &o);
  fail_unless_equals_uint64 (o.stats.marked, 0);
}

GST_END_TEST;

static Suite *
link_red_suite (void)
{
  Suite *s = suite_create ("link-red");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_average);
  tcase_add_test (tc, test_probability);
  tcase_add_test (tc, test_spacing);
  tcase_add_test (tc, test_forced);
  tcase_add_test (tc, test_equilibrium);
  tcase_add_test (tc, test_ecn);
  return s;
}

GST_CHECK_MAIN (link_red);
