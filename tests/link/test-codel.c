/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * CoDel against RFC 8289's pseudocode, worked out by hand on a link where a
 * packet takes 1 ms.
 */
#include <math.h>

#include "testlink.h"

#define MS INT64_C (1000000)

GST_START_TEST (test_control_law)
{
  static const struct
  {
    uint32_t count;
    int64_t gap;                /* 100 ms / sqrt (count) */
  } rows[] = {
    {1, 100000000}, {2, 70710678}, {3, 57735027}, {4, 50000000},
    {16, 25000000}, {100, 10000000}, {10000, 1000000},
  };
  const LinkCodelConfig config = LINK_CODEL_DEFAULTS;
  LinkCodel codel;
  guint i;

  link_codel_init (&codel, &config);
  for (i = 0; i < G_N_ELEMENTS (rows); i++)
    fail_unless_equals_int64 (link_codel_control_law (&codel, 7,
            rows[i].count), 7 + rows[i].gap);
}

GST_END_TEST;

static void
burst (Link * l, int64_t at, int n, uint8_t ecn)
{
  LinkPacket packet = { 0 };

  while (n-- > 0) {
    packet.size = 1500;
    packet.ecn = ecn;
    fail_unless_equals_int (link_offer (l, at, &packet), LINK_ACCEPTED);
  }
}

/* The times of the drops (or marks) up to `until`, in order. */
static int
collect (Link * l, int64_t until, int64_t * times, int room)
{
  LinkPacket packet;
  int n = 0;

  while (link_take (l, until, &packet)) {
    if (packet.verdict == LINK_DROPPED_CODEL) {
      fail_unless (n < room);
      times[n++] = packet.delivered;
    } else if (packet.marked) {
      fail_unless (n < room);
      times[n++] = packet.started;
    }
  }
  return n;
}

/* The link is free each ms: a drop comes at the first free time at or after
 * it is due. The due times go by the law from the one before. */
static int64_t
next_free (int64_t due)
{
  return (due + MS - 1) / MS * MS;
}

static void
expect_drops (const int64_t * times, int n, int64_t start, uint32_t count)
{
  int64_t due = start;
  int i;

  for (i = 0; i < n; i++) {
    fail_unless_equals_int64 (times[i], next_free (due));
    due += llround (100e6 / sqrt (count + (uint32_t) i));
  }
}

/* 1500 packets at once: the sojourn time reaches 5 ms at 5 ms, stays above for
 * 100 ms, so the first drop is at 105 ms; the next at 205, 275.7, 333.4 ... */
GST_START_TEST (test_drops)
{
  Link *l = new_link ("rate=12M,overhead=0,queue=2000p,codel");
  int64_t times[100];
  int n;

  burst (l, 0, 1500, 0);
  n = collect (l, LINK_NEVER, times, 100);
  fail_unless (n > 40, "%d", n);
  fail_unless_equals_int64 (times[0], 105 * MS);
  fail_unless_equals_int64 (times[1], 205 * MS);
  fail_unless_equals_int64 (times[2], 276 * MS);
  fail_unless_equals_int64 (times[3], 334 * MS);
  expect_drops (times, n, 105 * MS, 1);
  link_free (l);
}

GST_END_TEST;

/* Coming back within 16 intervals, the count goes on where it was (n drops
 * less the one it began with); later, it starts afresh. */
GST_START_TEST (test_memory)
{
  static const struct
  {
    int64_t again;              /* burst, ms */
    gboolean remembers;
  } rows[] = { {600, TRUE}, {1900, TRUE}, {2500, FALSE} };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    Link *l = new_link ("rate=12M,overhead=0,queue=2000p,codel");
    int64_t times[100], at = rows[i].again * MS;
    int before, n;

    burst (l, 0, 500, 0);
    before = collect (l, at, times, 100);
    fail_unless (before >= 5);
    burst (l, at, 500, 0);
    n = collect (l, LINK_NEVER, times, 100);
    fail_unless (n >= 5);
    expect_drops (times, n, at + 105 * MS,
        rows[i].remembers ? (uint32_t) before - 1 : 1);
    link_free (l);
  }
}

GST_END_TEST;

/* Below the target, or above it for less than an interval. */
GST_START_TEST (test_no_drops)
{
  static const struct
  {
    const char *spec;
    int packets;
    int64_t period;             /* ms, of bursts */
  } rows[] = {
    {"rate=12M,overhead=0,codel", 5, 10},
    {"rate=12M,overhead=0,codel", 100, 110},
    {"rate=12M,overhead=0,queue=2000p,codel=400ms:2s", 390, 400},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    Link *l = new_link (rows[i].spec);
    LinkPacket packet;
    LinkStats stats;
    int k;

    for (k = 0; k < 100; k++) {
      burst (l, k * rows[i].period * MS, rows[i].packets, 0);
      while (link_take (l, k * rows[i].period * MS, &packet));
    }
    link_get_stats (l, &stats);
    fail_unless_equals_uint64 (stats.verdicts[LINK_DROPPED_CODEL], 0);
    link_free (l);
  }
}

GST_END_TEST;

/* One packet always waits longer than the target, but no other behind it. */
GST_START_TEST (test_slow_link)
{
  Link *l = new_link ("rate=120k,overhead=0,codel");
  LinkPacket packet;
  LinkStats stats;
  int k;

  burst (l, 0, 1, 0);
  for (k = 0; k < 100; k++) {
    burst (l, k * 100 * MS, 1, 0);
    while (link_take (l, k * 100 * MS, &packet));
  }
  link_get_stats (l, &stats);
  fail_unless_equals_int64 (stats.wait_max, 100 * MS);
  fail_unless_equals_uint64 (stats.verdicts[LINK_DROPPED_CODEL], 0);
  link_free (l);
}

GST_END_TEST;

/* Marks come when drops would, and take nothing away. */
GST_START_TEST (test_ecn)
{
  Link *l = new_link ("rate=12M,overhead=0,queue=2000p,codel,ecn");
  int64_t times[100];
  LinkStats stats;
  int n;

  burst (l, 0, 1000, 1);
  n = collect (l, LINK_NEVER, times, 100);
  fail_unless (n > 20);
  expect_drops (times, n, 105 * MS, 1);
  link_get_stats (l, &stats);
  fail_unless_equals_uint64 (stats.marked, n);
  fail_unless_equals_uint64 (stats.delivered, 1000);
  link_free (l);

  l = new_link ("rate=12M,overhead=0,queue=2000p,codel");
  burst (l, 0, 1000, 1);
  fail_unless (collect (l, LINK_NEVER, times, 100) > 20);
  link_get_stats (l, &stats);
  fail_unless_equals_uint64 (stats.marked, 0);
  link_free (l);
}

GST_END_TEST;

static Suite *
link_codel_suite (void)
{
  Suite *s = suite_create ("link-codel");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_control_law);
  tcase_add_test (tc, test_drops);
  tcase_add_test (tc, test_memory);
  tcase_add_test (tc, test_no_drops);
  tcase_add_test (tc, test_slow_link);
  tcase_add_test (tc, test_ecn);
  return s;
}

GST_CHECK_MAIN (link_codel);
