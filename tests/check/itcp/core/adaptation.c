/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "adaptation.h"

#define MS PSP_MSECOND
#define S PSP_SECOND
#define BASE 2000000
#define NONE PSP_BITRATE_UNKNOWN

static ItcpSymbiosisParams
params (gint64 base)
{
  ItcpSymbiosisParams p = itcp_symbiosis_defaults;

  p.base_bitrate = base;
  return p;
}

static void
expect (ItcpNotice notice, gboolean message, gboolean event, PspReason reason,
    gint64 target)
{
  fail_unless_equals_int (notice.message, message);
  fail_unless_equals_int (notice.event, event);
  if (message)
    fail_unless_equals_int (notice.message_reason, reason);
  if (event)
    fail_unless_equals_int (notice.event_reason, reason);
  if (message || event)
    fail_unless_equals_int64 (notice.target_bitrate, target);
}

#define expect_both(notice, reason, target) \
  expect (notice, TRUE, TRUE, reason, target)
#define expect_message(notice, reason, target) \
  expect (notice, TRUE, FALSE, reason, target)
#define expect_event(notice, reason, target) \
  expect (notice, FALSE, TRUE, reason, target)
#define expect_nothing(notice) \
  expect (notice, FALSE, FALSE, PSP_REASON_START, NONE)

/* The decision is what any controller's is. */
GST_START_TEST (test_decision)
{
  ItcpSymbiosisParams p = params (BASE), unknown = params (0);
  ItcpSymbiosis s;
  PspDecision d;

  itcp_symbiosis_init (&s, &unknown);
  itcp_symbiosis_decide (&s, &d);
  fail_unless_equals_int64 (d.target_bitrate, PSP_BITRATE_UNKNOWN);
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_decide (&s, &d);
  fail_unless_equals_int64 (d.target_bitrate, BASE);
  fail_unless_equals_int64 (d.next_tick, PSP_TIME_NEVER);
  itcp_symbiosis_event (&s, PSP_REASON_DUPACK, S);
  itcp_symbiosis_decide (&s, &d);
  fail_unless_equals_int64 (d.target_bitrate, 1100000);
  fail_unless_equals_int (d.reason, PSP_REASON_DUPACK);
  fail_unless_equals_int (d.scale, -1);
  fail_unless_equals_int64 (d.window, PSP_WINDOW_NONE);
  fail_unless_equals_int64 (d.period, 0);
  fail_unless_equals_int64 (d.next_tick, 2 * S);
  itcp_symbiosis_tick (&s, 2 * S);
  itcp_symbiosis_decide (&s, &d);
  fail_unless_equals_int (d.reason, PSP_REASON_INCREASE);
  itcp_symbiosis_look (&s, BASE);
  itcp_symbiosis_tick (&s, 2500 * MS);
  itcp_symbiosis_decide (&s, &d);
  fail_unless_equals_int (d.reason, PSP_REASON_BACKLOG);
}

GST_END_TEST;

/* Each of TCP's events is a message; the pipeline hears of a lower target at
 * once, however many there are, and of none that has not changed. */
GST_START_TEST (test_events)
{
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;

  p.min_bitrate = 605000;
  itcp_adaptation_init (&a, &p);
  expect_both (itcp_adaptation_begin (&a, true, S), PSP_REASON_START, BASE);
  expect_both (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S + 1),
      PSP_REASON_REXMT, 1100000);
  expect_both (itcp_adaptation_event (&a, PSP_REASON_DUPACK, 1, S + 2),
      PSP_REASON_DUPACK, 605000);
  for (guint i = 0; i < 10; i++)
    expect_message (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1,
            S + 3 + i * 100 * MS), PSP_REASON_REXMT, 605000);
  fail_unless_equals_int64 (itcp_adaptation_next (&a), 2900 * MS + 3);
}

GST_END_TEST;

/* Several at once are one message. */
GST_START_TEST (test_events_at_once)
{
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;

  itcp_adaptation_init (&a, &p);
  itcp_adaptation_begin (&a, true, 0);
  expect_nothing (itcp_adaptation_event (&a, PSP_REASON_REXMT, 0, S));
  expect_both (itcp_adaptation_event (&a, PSP_REASON_REXMT, 2, S),
      PSP_REASON_REXMT, 605000);
}

GST_END_TEST;

/* What lowers the target by no more than 5 % goes upstream once a round trip,
 * and once in 20 ms, at most; the last target always does. */
GST_START_TEST (test_small_decreases)
{
  static const gint64 rtts[] = { 0, 5 * MS, 100 * MS };
  gint64 rtt = rtts[__i__], apart = MAX (rtt, 20 * MS), last = S;
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;
  ItcpNotice notice;
  guint n_events = 0;
  gint64 upstream = BASE;

  p.alpha = 0.98;
  p.hold = 3600 * S;
  itcp_adaptation_init (&a, &p);
  itcp_symbiosis_set_rtt (&a.symbiosis, rtt);
  expect_both (itcp_adaptation_begin (&a, true, S), PSP_REASON_START, BASE);
  for (gint64 now = S + MS; now < 2 * S; now += MS) {
    if (now % (7 * MS) == 0 && now < S + 500 * MS)
      notice = itcp_adaptation_event (&a, PSP_REASON_DUPACK, 1, now);
    else
      notice = itcp_adaptation_tick (&a, now);
    if (!notice.event)
      continue;
    fail_unless_equals_int (notice.event_reason, PSP_REASON_DUPACK);
    fail_unless (now >= last + apart
        || notice.target_bitrate < 0.95 * upstream);
    last = now;
    upstream = notice.target_bitrate;
    n_events++;
  }
  fail_unless (n_events > 5 && n_events < 71);
  fail_unless_equals_int64 (upstream, a.symbiosis.rate);
}

GST_END_TEST;

/* A rise that has to wait is an event later, and no second message. */
GST_START_TEST (test_rise_waits)
{
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;

  itcp_adaptation_init (&a, &p);
  itcp_adaptation_begin (&a, true, 0);
  expect_both (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S),
      PSP_REASON_REXMT, 1100000);
  itcp_symbiosis_set_rtt (&a.symbiosis, 40 * MS);
  p.min_bitrate = 1500000;
  expect_message (itcp_adaptation_set_params (&a, &p, S + 10 * MS),
      PSP_REASON_LIMIT, 1500000);
  fail_unless_equals_int64 (itcp_adaptation_next (&a), S + 40 * MS);
  expect_nothing (itcp_adaptation_tick (&a, S + 40 * MS - 1));
  expect_event (itcp_adaptation_tick (&a, S + 40 * MS), PSP_REASON_LIMIT,
      1500000);
  expect_nothing (itcp_adaptation_tick (&a, S + 50 * MS));
  expect_both (itcp_adaptation_tick (&a, 2 * S), PSP_REASON_INCREASE, 1600000);
}

GST_END_TEST;

/* A measured base is no decision. The first event is reported as what it is. */
GST_START_TEST (test_measured)
{
  ItcpSymbiosisParams p = params (0);
  ItcpAdaptation a;

  itcp_adaptation_init (&a, &p);
  expect_nothing (itcp_adaptation_begin (&a, true, 0));
  expect_message (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S),
      PSP_REASON_REXMT, NONE);
  itcp_symbiosis_set_measured (&a.symbiosis, 1000000);
  expect_nothing (itcp_adaptation_tick (&a, 2 * S));
  itcp_symbiosis_set_measured (&a.symbiosis, BASE);
  expect_both (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, 3 * S),
      PSP_REASON_REXMT, 1100000);
}

GST_END_TEST;

/* Another connection begins at the base. */
GST_START_TEST (test_reset)
{
  ItcpSymbiosisParams p = params (__i__ ? 0 : BASE);
  gint64 target = __i__ ? NONE : BASE;
  ItcpAdaptation a;

  itcp_adaptation_init (&a, &p);
  itcp_adaptation_begin (&a, true, 0);
  itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S);
  expect_both (itcp_adaptation_begin (&a, false, S + 1), PSP_REASON_RESET,
      target);
  expect_nothing (itcp_adaptation_tick (&a, 10 * S));
}

GST_END_TEST;

/* Off: messages without a target, and nothing upstream, whatever comes. */
GST_START_TEST (test_off)
{
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;

  p.enabled = false;
  itcp_adaptation_init (&a, &p);
  expect_message (itcp_adaptation_begin (&a, true, 0), PSP_REASON_START, NONE);
  expect_message (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S),
      PSP_REASON_REXMT, NONE);
  expect_message (itcp_adaptation_repeat (&a, 2 * S), PSP_REASON_START, NONE);
  expect_message (itcp_adaptation_begin (&a, false, 3 * S), PSP_REASON_RESET,
      NONE);
  expect_nothing (itcp_adaptation_tick (&a, 4 * S));
  /* Switched on it begins with the next event. */
  p.enabled = true;
  expect_nothing (itcp_adaptation_set_params (&a, &p, 5 * S));
  expect_nothing (itcp_adaptation_tick (&a, 6 * S));
  expect_both (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, 7 * S),
      PSP_REASON_REXMT, 1100000);
}

GST_END_TEST;

/* Switched off: who has obeyed a lower target is released, once, and when it may
 * be. */
GST_START_TEST (test_release)
{
  const gboolean waits = __i__ == 1;
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;
  gint64 now = waits ? S + MS : 2 * S;

  itcp_adaptation_init (&a, &p);
  itcp_adaptation_begin (&a, true, 0);
  itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S);
  p.enabled = false;
  expect (itcp_adaptation_set_params (&a, &p, now), TRUE, !waits,
      PSP_REASON_LIMIT, BASE);
  if (waits)
    expect_event (itcp_adaptation_tick (&a, S + 20 * MS), PSP_REASON_LIMIT,
        BASE);
  expect_message (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, 3 * S),
      PSP_REASON_REXMT, NONE);
  p.base_bitrate = 2 * BASE;
  expect_message (itcp_adaptation_set_params (&a, &p, 4 * S),
      PSP_REASON_LIMIT, NONE);
  expect_nothing (itcp_adaptation_tick (&a, 10 * S));
  fail_unless_equals_int64 (itcp_adaptation_next (&a), PSP_TIME_NEVER);
}

GST_END_TEST;

/* Symbiosis is switched off before a small decrease could be announced. It is
 * never announced, and upstream, which obeys the base, needs no release. */
GST_START_TEST (test_off_at_the_base)
{
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;

  p.alpha = 0.98;
  itcp_adaptation_init (&a, &p);
  itcp_adaptation_begin (&a, true, S);
  if (__i__)
    expect_message (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S + 1),
        PSP_REASON_REXMT, 1960000);
  p.enabled = false;
  expect (itcp_adaptation_set_params (&a, &p, S + 2), __i__ != 0, FALSE,
      PSP_REASON_LIMIT, NONE);
  fail_unless_equals_int64 (itcp_adaptation_next (&a), PSP_TIME_NEVER);
  expect_message (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, 2 * S),
      PSP_REASON_REXMT, NONE);
  p.enabled = true;
  expect_nothing (itcp_adaptation_set_params (&a, &p, 3 * S));
  expect_nothing (itcp_adaptation_tick (&a, 10 * S));
}

GST_END_TEST;

/* To an upstream that has come since: the target as it is. */
GST_START_TEST (test_repeat)
{
  ItcpSymbiosisParams p = params (BASE);
  ItcpAdaptation a;

  itcp_adaptation_init (&a, &p);
  itcp_adaptation_begin (&a, true, 0);
  itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S);
  expect_both (itcp_adaptation_repeat (&a, S + 1), PSP_REASON_START, 1100000);
  expect_both (itcp_adaptation_event (&a, PSP_REASON_REXMT, 1, S + 2),
      PSP_REASON_REXMT, 605000);
}

GST_END_TEST;

static Suite *
adaptation_suite (void)
{
  Suite *s = suite_create ("itcp-adaptation");
  TCase *tc = tcase_create ("adaptation");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_decision);
  tcase_add_test (tc, test_events);
  tcase_add_test (tc, test_events_at_once);
  tcase_add_loop_test (tc, test_small_decreases, 0, 3);
  tcase_add_test (tc, test_rise_waits);
  tcase_add_test (tc, test_measured);
  tcase_add_loop_test (tc, test_reset, 0, 2);
  tcase_add_test (tc, test_off);
  tcase_add_loop_test (tc, test_release, 0, 2);
  tcase_add_loop_test (tc, test_off_at_the_base, 0, 2);
  tcase_add_test (tc, test_repeat);
  return s;
}

GST_CHECK_MAIN (adaptation);
