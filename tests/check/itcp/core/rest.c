/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "rest.h"

/* Rarely, there is none. */
GST_START_TEST (test_seldom)
{
  ItcpRest r;

  itcp_rest_init (&r);
  for (gint64 now = -5 * ITCP_SECOND; now < 5 * ITCP_SECOND;
      now += ITCP_REST_INTERVAL)
    fail_unless_equals_int64 (itcp_rest_look (&r, now, 1), now);
}

GST_END_TEST;

/* Some come at once, again after a while. */
GST_START_TEST (test_at_once)
{
  gint64 now = 7 * ITCP_SECOND;
  ItcpRest r;

  itcp_rest_init (&r);
  for (guint k = 0; k < 2; k++) {
    for (guint i = 0; i < ITCP_REST_AT_ONCE; i++)
      fail_unless_equals_int64 (itcp_rest_look (&r, now, 1), now);
    fail_unless_equals_int64 (itcp_rest_look (&r, now, 1),
        now + ITCP_REST_INTERVAL);
    now += (ITCP_REST_AT_ONCE + 1) * ITCP_REST_INTERVAL;
  }
}

GST_END_TEST;

/* Whatever comes whenever, who keeps to the rests looks no more often. */
GST_START_TEST (test_average)
{
  static const gint64 spacings[] = { 1, 300, 999, 2400, 2999 }; /* us */
  gint64 spacing = spacings[__i__] * 1000;
  gint64 now = 0, until = 0;
  guint n = 0;
  ItcpRest r;

  itcp_rest_init (&r);
  for (; now < ITCP_SECOND; now += spacing) {
    if (now < until)
      continue;
    until = itcp_rest_look (&r, now, 1);
    n++;
  }
  fail_unless (n <= ITCP_REST_AT_ONCE + ITCP_SECOND / ITCP_REST_INTERVAL + 1);
  /* And not much more seldom than a whole spacing makes it. */
  fail_unless (n >= ITCP_SECOND / (ITCP_REST_INTERVAL + spacing));
}

GST_END_TEST;

/* Where there are many, they are not left until the queue is full. */
GST_START_TEST (test_many)
{
  gint64 now = 0;
  ItcpRest r;

  itcp_rest_init (&r);
  while (itcp_rest_look (&r, now, 1) == now);
  fail_unless_equals_int64 (itcp_rest_look (&r, now, ITCP_REST_RECORDS),
      now + ITCP_REST_INTERVAL);
  fail_unless_equals_int64 (itcp_rest_look (&r, now, 4 * ITCP_REST_RECORDS),
      now + ITCP_REST_INTERVAL / 4);
  fail_unless (itcp_rest_look (&r, now, G_MAXUINT) < now + 100);
}

GST_END_TEST;

/* Whoever looks during a rest, for another reason, does not make it longer. */
GST_START_TEST (test_amid)
{
  gint64 now = 0;
  ItcpRest r;

  itcp_rest_init (&r);
  for (guint i = 0; i < 1000; i++)
    fail_unless (itcp_rest_look (&r, now, 1) <= now + ITCP_REST_INTERVAL);
  now += (ITCP_REST_AT_ONCE + 1) * ITCP_REST_INTERVAL;
  fail_unless_equals_int64 (itcp_rest_look (&r, now, 1), now);
}

GST_END_TEST;

static Suite *
rest_suite (void)
{
  Suite *s = suite_create ("rest");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_seldom);
  tcase_add_test (tc, test_at_once);
  tcase_add_loop_test (tc, test_average, 0, 5);
  tcase_add_test (tc, test_many);
  tcase_add_test (tc, test_amid);
  return s;
}

GST_CHECK_MAIN (rest);
