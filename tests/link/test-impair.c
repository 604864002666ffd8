/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The wire's impairments: their frequencies, bounds and order.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include "testlink.h"

#define N 100000
#define MS INT64_C (1000000)

static LinkPacket taken[2 * N];
static guint n_taken;

/* An assertion costs more than the model does: in loops only fail () is used.
 * N packets of 1000 bytes, 1 ms apart, without a bottleneck unless given. */
static void
run (const char *spec, LinkStats * stats)
{
  Link *l;
  int k;

  l = new_link (spec);
  n_taken = 0;
  for (k = 0; k < N; k++) {
    LinkPacket packet = { 0 };

    packet.size = 1000;
    if (link_offer (l, k * MS, &packet) != LINK_ACCEPTED)
      fail ("packet %d was refused", k);
    while (link_take (l, k * MS, &taken[n_taken]))
      n_taken++;
  }
  while (link_take (l, LINK_NEVER, &taken[n_taken]))
    n_taken++;
  link_get_stats (l, stats);
  link_free (l);
}

/* Within five standard deviations of the binomial distribution. */
static void
expect_frequency (guint64 count, double p)
{
  fail_unless (fabs ((double) count - N * p) < 5 * sqrt (N * p * (1 - p)) + 1,
      "%d of %d, not %g", (int) count, N, p);
}

static guint
overtaken (void)
{
  guint i, n = 0;

  for (i = 1; i < n_taken; i++)
    n += taken[i].sequence < taken[i - 1].sequence;
  return n;
}

GST_START_TEST (test_frequencies)
{
  static const double rows[] = { 0, 0.001, 0.01, 0.3, 1 };
  double p = rows[__i__];
  LinkStats s;
  char *spec;
  guint i;

  spec = g_strdup_printf ("loss=%g,seed=5", p);
  run (spec, &s);
  g_free (spec);
  expect_frequency (s.verdicts[LINK_DROPPED_LOSS], p);
  spec = g_strdup_printf ("dup=%g,corrupt=%g", p, p);
  run (spec, &s);
  g_free (spec);
  expect_frequency (s.verdicts[LINK_DUPLICATE], p);
  expect_frequency (s.corrupted, p);
  fail_unless_equals_uint64 (s.delivered, N);
  for (i = 0; i < n_taken; i++)
    if (taken[i].corrupt_bit < -1 || taken[i].corrupt_bit >= 8000)
      fail ("bit %d of 8000", (int) taken[i].corrupt_bit);
}

GST_END_TEST;

/* Share of time in the bad state: p / (p + r); mean run of losses: 1 / r. */
GST_START_TEST (test_gilbert)
{
  guint64 runs = 0, lost;
  LinkStats s;
  guint i;

  run ("gilbert=0.01:0.1", &s);
  lost = s.verdicts[LINK_DROPPED_LOSS];
  fail_unless (fabs ((double) lost / N - 1.0 / 11) < 0.006, "%d", (int) lost);
  for (i = 1; i < n_taken; i++)
    runs += taken[i].verdict == LINK_DROPPED_LOSS &&
        taken[i - 1].verdict != LINK_DROPPED_LOSS;
  fail_unless (fabs ((double) lost / runs - 10) < 1, "%g",
      (double) lost / runs);

  run ("gilbert=0.01:0.1:0.5:0.1", &s);
  lost = s.verdicts[LINK_DROPPED_LOSS];
  fail_unless (fabs ((double) lost / N - (0.5 + 0.1 * 10) / 11) < 0.006);
}

GST_END_TEST;

GST_START_TEST (test_jitter)
{
  static const struct
  {
    const char *spec;
    double mean, deviation;     /* ms; a normal cut at 3 sigma has .9866 */
  } rows[] = {
    {"delay=20ms,jitter=12ms:reorder", 6, 3.4641},
    {"delay=20ms,jitter=12ms:normal:reorder", 6, 1.9732},
  };
  LinkStats s;
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    double sum = 0, squares = 0;

    run (rows[i].spec, &s);
    for (k = 0; k < n_taken; k++) {
      double extra =
          (double) (taken[k].delivered - taken[k].departed - 20 * MS) / MS;

      if (extra < 0 || extra > 12)
        fail ("packet %u: %g ms", k, extra);
      sum += extra;
      squares += extra * extra;
    }
    sum /= n_taken;
    fail_unless (fabs (sum - rows[i].mean) < 0.05, "row %u: %g", i, sum);
    squares = sqrt (squares / n_taken - sum * sum);
    fail_unless (fabs (squares - rows[i].deviation) < 0.05, "row %u: %g", i,
        squares);
    fail_unless (overtaken () > N / 10);
  }
}

GST_END_TEST;

/* Without "reorder", jitter holds later packets back instead, and still no
 * packet is delayed by more than the bound. */
GST_START_TEST (test_jitter_in_order)
{
  LinkStats s;
  int64_t last = 0;
  guint k;

  run ("delay=20ms,jitter=12ms,dup=0.1", &s);
  fail_unless_equals_int (overtaken (), 0);
  for (k = 0; k < n_taken; k++) {
    int64_t extra = taken[k].delivered - taken[k].departed - 20 * MS;

    if (extra < 0 || extra > 12 * MS || taken[k].delivered < last)
      fail ("packet %u: %d ns", k, (int) extra);
    last = taken[k].delivered;
  }
}

GST_END_TEST;

/* Packets are 1 ms apart: those delayed by n + .5 ms are overtaken by n, less
 * those that are as late themselves. */
GST_START_TEST (test_reorder)
{
  static const int by[] = { 1, 5, 9, 50 };
  int64_t extra = by[__i__] * MS + MS / 2;
  guint64 late = 0, overtaking = 0;
  LinkStats s;
  char *spec;
  guint i, k;

  spec = g_strdup_printf ("delay=20ms,reorder=0.02:%d.5ms", by[__i__]);
  run (spec, &s);
  g_free (spec);
  for (k = 0; k < n_taken; k++) {
    int64_t waited = taken[k].delivered - taken[k].departed - 20 * MS;

    if (waited != 0 && waited != extra)
      fail ("packet %u: %d ns", k, (int) waited);
    late += waited != 0;
    for (i = k; waited != 0 && i-- > 0 && k - i <= (guint) by[__i__];)
      overtaking += taken[i].sequence > taken[k].sequence;
  }
  expect_frequency (late, 0.02);
  fail_unless_equals_uint64 (s.delivered, N);
  fail_unless (fabs ((double) overtaking / late - .98 * by[__i__]) <
      .02 * by[__i__], "by %g, not %d", (double) overtaking / late,
      by[__i__]);
  fail_unless (overtaken () > N / 100);
}

GST_END_TEST;

/* A lost packet has used the bottleneck. */
GST_START_TEST (test_loss_uses_rate)
{
  LinkStats s;
  guint k;

  run ("rate=8M,overhead=0,loss=0.5", &s);
  for (k = 0; k < n_taken; k++)
    if (taken[k].departed != (int64_t) (taken[k].sequence + 1) * MS)
      fail ("packet %u departs at %" G_GINT64_FORMAT, k, taken[k].departed);
}

GST_END_TEST;

static Suite *
link_impair_suite (void)
{
  Suite *s = suite_create ("link-impair");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_frequencies, 0, 5);
  tcase_add_test (tc, test_gilbert);
  tcase_add_test (tc, test_jitter);
  tcase_add_test (tc, test_jitter_in_order);
  tcase_add_loop_test (tc, test_reorder, 0, 4);
  tcase_add_test (tc, test_loss_uses_rate);
  return s;
}

GST_CHECK_MAIN (link_impair);
