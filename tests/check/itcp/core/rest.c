/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "rest.h"

static const ItcpRestParams params[] = { ITCP_REST_BURSTS, ITCP_REST_PACED };

/* Rarely, there is none. */
GST_START_TEST (test_seldom)
{
  const ItcpRestParams *p = &params[__i__];
  ItcpRest r;

  itcp_rest_init (&r, p);
  for (gint64 now = -5 * ITCP_SECOND; now < 5 * ITCP_SECOND; now += p->interval)
    fail_unless_equals_int64 (itcp_rest_look (&r, now), now);
}

GST_END_TEST;

/* Some come at once, again after a while. */
GST_START_TEST (test_at_once)
{
  const ItcpRestParams *p = &params[__i__];
  gint64 now = 7 * ITCP_SECOND;
  ItcpRest r;

  itcp_rest_init (&r, p);
  for (guint k = 0; k < 2; k++) {
    for (guint i = 0; i < p->at_once; i++)
      fail_unless_equals_int64 (itcp_rest_look (&r, now), now);
    fail_unless_equals_int64 (itcp_rest_look (&r, now), now + p->interval);
    now += (p->at_once + 1) * p->interval;
  }
}

GST_END_TEST;

/* Whatever comes whenever, who keeps to the rests looks no more often. */
GST_START_TEST (test_average)
{
  const ItcpRestParams *p = &params[__i__ % 2];
  static const gint64 spacings[] = { 1, 300, 999, 1400, 1999 }; /* us */
  gint64 spacing = spacings[__i__ / 2] * 1000;
  gint64 now = 0, until = 0;
  guint n = 0;
  ItcpRest r;

  itcp_rest_init (&r, p);
  for (; now < ITCP_SECOND; now += spacing) {
    if (now < until)
      continue;
    until = itcp_rest_look (&r, now);
    n++;
  }
  fail_unless (n <= p->at_once + ITCP_SECOND / p->interval + 1);
  /* And not much more seldom than a whole spacing makes it. */
  fail_unless (n >= ITCP_SECOND / (p->interval + spacing));
}

GST_END_TEST;

/* Whoever looks during a rest, for another reason, does not make it longer. */
GST_START_TEST (test_amid)
{
  const ItcpRestParams *p = &params[__i__];
  gint64 now = 0;
  ItcpRest r;

  itcp_rest_init (&r, p);
  for (guint i = 0; i < 1000; i++)
    fail_unless (itcp_rest_look (&r, now) <= now + p->interval);
  now += (p->at_once + 1) * p->interval;
  fail_unless_equals_int64 (itcp_rest_look (&r, now), now);
}

GST_END_TEST;

static Suite *
rest_suite (void)
{
  Suite *s = suite_create ("rest");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_seldom, 0, G_N_ELEMENTS (params));
  tcase_add_loop_test (tc, test_at_once, 0, G_N_ELEMENTS (params));
  tcase_add_loop_test (tc, test_average, 0, 10);
  tcase_add_loop_test (tc, test_amid, 0, G_N_ELEMENTS (params));
  return s;
}

GST_CHECK_MAIN (rest);
