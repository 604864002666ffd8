/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "backlog.h"

#define PICTURE 8000
#define RATE (PICTURE * 8 * 30)
#define N 9

/* Unsent bytes tick by tick, and in which ticks they are congestion. */
static const struct
{
  const gchar *what;
  gint64 unsent[N];
  gboolean found[N];
} rows[] = {
  {"never any",
      {0, 0, 0, 0, 0, 0, 0, 0, 0}, {0}},
  {"a large picture that leaves again",
      {0, 30000, 12000, 0, 0, 30000, 9000, 0, 0}, {0}},
  {"it grows, but is below a picture",
      {1000, 2000, 3000, 4000, 5000, 6000, 7000, 7900, 8000}, {0}},
  {"always some unsent, as with bbr",
      {20000, 21000, 20000, 19000, 22000, 20000, 21000, 18000, 20000}, {0}},
  {"an outage: again with each doubling",
        {0, 5000, 10000, 15000, 20000, 25000, 30000, 35000, 40000},
      {0, 0, TRUE, 0, TRUE, 0, 0, 0, TRUE}},
  {"the first two ticks know no growth",
        {9000, 18000, 27000, 27000, 27000, 27000, 27000, 27000, 27000},
      {0, 0, TRUE}},
  {"growth that pauses before it has doubled",
        {0, 5000, 10000, 10000, 12000, 14000, 14000, 13000, 12000},
      {0, 0, TRUE}},
  {"gone and back",
        {0, 5000, 10000, 3000, 0, 5000, 10000, 0, 0},
      {0, 0, TRUE, 0, 0, 0, TRUE}},
};

GST_START_TEST (test_backlog)
{
  ItcpBacklog b;

  itcp_backlog_init (&b);
  for (guint i = 0; i < N; i++)
    fail_unless (itcp_backlog_tick (&b, rows[__i__].unsent[i], PICTURE / 2,
            RATE) == rows[__i__].found[i], "%s: tick %u", rows[__i__].what, i);
}

GST_END_TEST;

/* Ten pictures a second, one each third tick, of which a share leaves until
 * the next: how many of ten ticks find congestion. */
static const struct
{
  const gchar *what;
  gint64 sizes[3];
  gint64 leaves;                /* bytes a tick */
  gboolean found;
} slow_rows[] = {
  {"an outage", {24000, 24000, 24000}, 0, TRUE},
  {"half of it leaves", {24000, 24000, 24000}, 4000, TRUE},
  {"all of it leaves", {24000, 24000, 24000}, 8000, FALSE},
  {"all of it leaves, and sizes grow", {2000, 24000, 46000}, 16000, FALSE},
};

GST_START_TEST (test_slow)
{
  gint64 unsent = 0;
  guint found = 0;
  ItcpBacklog b;

  itcp_backlog_init (&b);
  for (guint i = 0; i < 30; i++) {
    gint64 written = i % 3 == 0 ? slow_rows[__i__].sizes[i / 3 % 3] : 0;

    unsent += written;
    found += itcp_backlog_tick (&b, unsent, written, RATE);
    unsent = MAX (unsent - slow_rows[__i__].leaves, 0);
  }
  fail_unless ((found > 0) == slow_rows[__i__].found, "%s: %u",
      slow_rows[__i__].what, found);
}

GST_END_TEST;

/* Whoever fills the socket at once writes no picture. */
GST_START_TEST (test_greedy)
{
  ItcpBacklog b;

  itcp_backlog_init (&b);
  fail_if (itcp_backlog_tick (&b, 500000, 1000000, RATE));
  fail_if (itcp_backlog_tick (&b, 510000, 50000, RATE));
  fail_unless (itcp_backlog_tick (&b, 520000, 50000, RATE));
}

GST_END_TEST;

static Suite *
backlog_suite (void)
{
  Suite *s = suite_create ("itcp-backlog");
  TCase *tc = tcase_create ("backlog");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_backlog, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_slow, 0, G_N_ELEMENTS (slow_rows));
  tcase_add_test (tc, test_greedy);
  return s;
}

GST_CHECK_MAIN (backlog);
