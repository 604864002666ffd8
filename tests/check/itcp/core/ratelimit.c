/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "ratelimit.h"

static const ItcpRateLimitParams params[] = {
  {8 * PSP_MSECOND, 16}, {4 * PSP_MSECOND, 1}
};

/* Rarely, there is none. */
GST_START_TEST (test_seldom)
{
  const ItcpRateLimitParams *p = &params[__i__];
  ItcpRateLimit r;

  itcp_rate_limit_init (&r, p);
  for (gint64 now = -5 * PSP_SECOND; now < 5 * PSP_SECOND; now += p->interval)
    fail_unless_equals_int64 (itcp_rate_limit_count (&r, now), now);
}

GST_END_TEST;

/* Some come at once, again after a while. */
GST_START_TEST (test_at_once)
{
  const ItcpRateLimitParams *p = &params[__i__];
  gint64 now = 7 * PSP_SECOND;
  ItcpRateLimit r;

  itcp_rate_limit_init (&r, p);
  for (guint k = 0; k < 2; k++) {
    for (guint i = 0; i < p->at_once; i++)
      fail_unless_equals_int64 (itcp_rate_limit_count (&r, now), now);
    fail_unless_equals_int64 (itcp_rate_limit_count (&r, now),
        now + p->interval);
    now += (p->at_once + 1) * p->interval;
  }
}

GST_END_TEST;

/* Whatever comes whenever, who keeps to the pauses does it no more often. */
GST_START_TEST (test_average)
{
  const ItcpRateLimitParams *p = &params[__i__ % 2];
  static const gint64 spacings[] = { 1, 300, 999, 1400, 1999 }; /* us */
  gint64 spacing = spacings[__i__ / 2] * 1000;
  gint64 now = 0, until = 0;
  guint n = 0;
  ItcpRateLimit r;

  itcp_rate_limit_init (&r, p);
  for (; now < PSP_SECOND; now += spacing) {
    if (now < until)
      continue;
    until = itcp_rate_limit_count (&r, now);
    n++;
  }
  fail_unless (n <= p->at_once + PSP_SECOND / p->interval + 1);
  /* And not much more seldom than a whole spacing makes it. */
  fail_unless (n >= PSP_SECOND / (p->interval + spacing));
}

GST_END_TEST;

/* What is done in a pause, for another reason, does not make it longer. */
GST_START_TEST (test_amid)
{
  const ItcpRateLimitParams *p = &params[__i__];
  gint64 now = 0;
  ItcpRateLimit r;

  itcp_rate_limit_init (&r, p);
  for (guint i = 0; i < 1000; i++)
    fail_unless (itcp_rate_limit_count (&r, now) <= now + p->interval);
  now += (p->at_once + 1) * p->interval;
  fail_unless_equals_int64 (itcp_rate_limit_count (&r, now), now);
}

GST_END_TEST;

/* What is refused is counted, and does not make the pause longer. */
GST_START_TEST (test_allow)
{
  const ItcpRateLimitParams p = { PSP_SECOND, 4 };
  guint allowed = 0, refused, sum = 0;
  ItcpRateLimit l;

  itcp_rate_limit_init (&l, &p);
  /* A flood of a hundred seconds, one each 50 ms. */
  for (guint i = 0; i < 2000; i++) {
    if (!itcp_rate_limit_allow (&l, i * 50 * PSP_MSECOND, &refused))
      continue;
    fail_unless_equals_int (refused, allowed < 6 ? allowed == 5 ? 15 : 0 : 19);
    allowed++;
    sum += refused;
  }
  fail_unless_equals_int (allowed, 104);
  fail_unless_equals_int (allowed + sum + l.refused, 2000);
  /* After a while all is as at first. */
  fail_unless (itcp_rate_limit_allow (&l, 200 * PSP_SECOND, &refused));
  for (guint i = 0; i < 4; i++) {
    fail_unless (itcp_rate_limit_allow (&l, 200 * PSP_SECOND, &refused));
    fail_unless_equals_int (refused, 0);
  }
  fail_if (itcp_rate_limit_allow (&l, 200 * PSP_SECOND, &refused));
}

GST_END_TEST;

static Suite *
rate_limit_suite (void)
{
  Suite *s = suite_create ("itcp-ratelimit");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_seldom, 0, G_N_ELEMENTS (params));
  tcase_add_loop_test (tc, test_at_once, 0, G_N_ELEMENTS (params));
  tcase_add_loop_test (tc, test_average, 0, 10);
  tcase_add_loop_test (tc, test_amid, 0, G_N_ELEMENTS (params));
  tcase_add_test (tc, test_allow);
  return s;
}

GST_CHECK_MAIN (rate_limit);
