/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When packets may wait in the socket for others.
 */
#include <gst/check/gstcheck.h>

#include <control/types.h>

#include "gstpspgather.h"

#define US PSP_USECOND
#define MS PSP_MSECOND
#define ROOM 212992             /* bytes; what Linux gives by default */

static gint64
packets (GstPspGather * g, gint64 at, gint64 gap, guint n)
{
  for (guint i = 0; i < n; i++, at += gap)
    gst_psp_gather_arrived (g, at, 1200);
  return at;
}

static const struct
{
  gint64 gap, time;
} paces[] = {
  {4 * MS, 0},
  {1400 * US, 0},               /* one more comes in two milliseconds */
  {1300 * US, 2 * MS},
  {600 * US, 2 * MS},
  {400 * US, 1600 * US},        /* four packets */
  {10 * US, 40 * US},
  {0, 0},
};

GST_START_TEST (test_pace)
{
  GstPspGather g;

  for (guint i = 0; i < G_N_ELEMENTS (paces); i++) {
    gst_psp_gather_init (&g, ROOM);
    packets (&g, 0, paces[i].gap, GST_PSP_GATHER_PACKETS);
    /* Not known yet. */
    fail_unless_equals_int64 (gst_psp_gather_time (&g), 0);
    gst_psp_gather_arrived (&g, GST_PSP_GATHER_PACKETS * paces[i].gap, 1200);
    fail_unless_equals_int64 (gst_psp_gather_time (&g), paces[i].time);
  }
}

GST_END_TEST;

/* Who sent 40 packets at once may do it again: while one waits for the next, the
 * socket would overflow. */
GST_START_TEST (test_burst)
{
  GstPspGather g;
  gint64 at, end;

  gst_psp_gather_init (&g, ROOM);
  at = packets (&g, 0, 400 * US, 100);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 1600 * US);
  at = packets (&g, at, 5 * US, 40);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 20 * US);
  for (end = at + 4 * PSP_SECOND; at < end;) {
    at = packets (&g, at, 400 * US, 25);
    fail_unless_equals_int64 (gst_psp_gather_time (&g), 0);
  }
  packets (&g, at, 400 * US, 12000);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 1600 * US);
}

GST_END_TEST;

/* Waits in vain become fewer, and what was found makes up for them. */
GST_START_TEST (test_in_vain)
{
  static const guint pauses[] = { 8, 16, 32, 64, 128, 128 };
  GstPspGather g;
  gint64 at;

  gst_psp_gather_init (&g, ROOM);
  at = packets (&g, 0, 300 * US, 100);
  for (guint i = 0; i < G_N_ELEMENTS (pauses); i++) {
    gst_psp_gather_waited (&g, i % 2);
    at = packets (&g, at, 300 * US, pauses[i] - 1);
    fail_unless_equals_int64 (gst_psp_gather_time (&g), 0);
    at = packets (&g, at, 300 * US, 1);
    fail_unless_equals_int64 (gst_psp_gather_time (&g), 1200 * US);
  }
  gst_psp_gather_waited (&g, 2);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 1200 * US);
  gst_psp_gather_waited (&g, 0);
  packets (&g, at, 300 * US, 8);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 1200 * US);
}

GST_END_TEST;

GST_START_TEST (test_clock)
{
  GstPspGather g;
  gint64 at;

  gst_psp_gather_init (&g, ROOM);
  packets (&g, -1, 0, 100);     /* no stamps */
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 0);

  at = packets (&g, 1000 * PSP_SECOND, 300 * US, 100);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 1200 * US);
  gst_psp_gather_arrived (&g, at - 100 * PSP_SECOND, 1200);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 0);
  at = packets (&g, at - 99 * PSP_SECOND, 300 * US, 100);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 1200 * US);

  gst_psp_gather_arrived (&g, at + 100 * PSP_SECOND, 1200);
  fail_unless_equals_int64 (gst_psp_gather_time (&g), 0);
}

GST_END_TEST;

/* No more are waited for than fit the socket, whatever their size was lately. */
static const struct
{
  gsize room, size;
  gint64 gap, time;
} rooms[] = {
  {ROOM, 1472, 500 * US, 2 * MS},
  {ROOM, 8900, 500 * US, 3 * 500 * US},
  {ROOM, 30000, 500 * US, 0},
  {ROOM, 60000, 500 * US, 0},
  {8192, 1200, 500 * US, 0},
  {20 * ROOM, 60000, 500 * US, 2 * MS},
  {0, 1200, 500 * US, 0},
};

GST_START_TEST (test_room)
{
  GstPspGather g;
  gint64 at;

  for (guint i = 0; i < G_N_ELEMENTS (rooms); i++) {
    gst_psp_gather_init (&g, rooms[i].room);
    at = packets (&g, 0, rooms[i].gap, 100);
    gst_psp_gather_arrived (&g, at, rooms[i].size);
    packets (&g, at + rooms[i].gap, rooms[i].gap, 100);
    fail_unless_equals_int64 (gst_psp_gather_time (&g), rooms[i].time);
  }
}

GST_END_TEST;

static Suite *
gather_suite (void)
{
  Suite *s = suite_create ("psp_gather");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_pace);
  tcase_add_test (tc, test_burst);
  tcase_add_test (tc, test_in_vain);
  tcase_add_test (tc, test_clock);
  tcase_add_test (tc, test_room);
  return s;
}

GST_CHECK_MAIN (gather);
