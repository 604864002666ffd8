/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "backlog.h"

#define PICTURE 8000
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
    fail_unless (itcp_backlog_tick (&b, rows[__i__].unsent[i], PICTURE) ==
        rows[__i__].found[i], "%s: tick %u", rows[__i__].what, i);
}

GST_END_TEST;

static Suite *
backlog_suite (void)
{
  Suite *s = suite_create ("itcp-backlog");
  TCase *tc = tcase_create ("backlog");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_backlog, 0, G_N_ELEMENTS (rows));
  return s;
}

GST_CHECK_MAIN (backlog);
