/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/supervision.h>

#define MS PSP_MSECOND
#define S PSP_SECOND
#define NONE PSP_TIME_UNKNOWN

static PspSupervision link;

/* The state at a time, ticked whenever asked for on the way. */
static PspLinkState
state_at (int64_t now, int64_t rtt, int64_t ready_at)
{
  int64_t next;

  while ((next = psp_supervision_next (&link, rtt, ready_at)) <= now)
    fail_unless (psp_supervision_tick (&link, next, rtt, ready_at));
  fail_if (psp_supervision_tick (&link, now, rtt, ready_at));
  return link.state;
}

/* A packet every 20 ms. */
static void
send_until (int64_t from, int64_t until, int64_t rtt)
{
  for (; from < until; from += 20 * MS) {
    state_at (from, rtt, NONE);
    psp_supervision_sent (&link, from, rtt, NONE);
  }
}

GST_START_TEST (test_silence)
{
  psp_supervision_init (&link, &psp_feedback_timing_default, true);
  fail_unless_equals_int64 (psp_supervision_silence (&link, NONE), 500 * MS);
  fail_unless_equals_int64 (psp_supervision_silence (&link, 100 * MS),
      500 * MS);
  fail_unless_equals_int64 (psp_supervision_silence (&link, 200 * MS),
      800 * MS);
}

GST_END_TEST;

/* A controller that needs no feedback ends silence; one that does counts from
 * then on. And a pause is none of it. */
GST_START_TEST (test_required)
{
  psp_supervision_init (&link, &psp_feedback_timing_default, true);
  send_until (0, 600 * MS, NONE);
  fail_unless_equals_int (state_at (600 * MS, NONE, NONE), PSP_LINK_SILENT);
  psp_supervision_require (&link, false);
  fail_unless_equals_int (link.state, PSP_LINK_WAITING);
  send_until (600 * MS, 5 * S, NONE);
  fail_unless_equals_int (state_at (5 * S, NONE, NONE), PSP_LINK_WAITING);
  psp_supervision_require (&link, true);
  send_until (5 * S, 5400 * MS, NONE);
  psp_supervision_resume (&link, 5400 * MS);
  send_until (5400 * MS, 5880 * MS, NONE);
  fail_unless_equals_int (state_at (5880 * MS, NONE, NONE), PSP_LINK_WAITING);
  send_until (5900 * MS, 5940 * MS, NONE);
  fail_unless_equals_int (state_at (5940 * MS, NONE, NONE), PSP_LINK_SILENT);
}

GST_END_TEST;

/* Reports that come in bursts, as RTCP's early rules make them: what is silence,
 * and what comes of it, is the session's to say. */
GST_START_TEST (test_other_timing)
{
  static const PspFeedbackTiming timing = {
    .min_silence = 2 * S,
    .silence_rtts = 10,
    .stop_after = 30 * S,
    .probe_interval = 5 * S
  };

  psp_supervision_init (&link, &timing, true);
  fail_unless_equals_int64 (psp_supervision_silence (&link, NONE), 2 * S);
  fail_unless_equals_int64 (psp_supervision_silence (&link, 300 * MS), 3 * S);
  fail_unless_equals_int64 (psp_supervision_silence (&link, INT64_MAX / 2),
      2 * S);
  send_until (0, 30 * S, NONE);
  fail_unless_equals_int (state_at (29 * S, NONE, NONE), PSP_LINK_SILENT);
  fail_unless_equals_int (state_at (30 * S, NONE, NONE), PSP_LINK_STOPPED);
}

GST_END_TEST;

GST_START_TEST (test_no_answer_at_all)
{
  psp_supervision_init (&link, &psp_feedback_timing_default, true);
  fail_unless_equals_int64 (psp_supervision_next (&link, NONE, NONE),
      PSP_TIME_NEVER);
  send_until (1 * S, 1500 * MS, NONE);
  fail_unless_equals_int (state_at (1499 * MS, NONE, NONE), PSP_LINK_WAITING);
  fail_unless_equals_int (state_at (1500 * MS, NONE, NONE), PSP_LINK_SILENT);
  send_until (1500 * MS, 11 * S, NONE);
  fail_unless_equals_int (state_at (11 * S - 1, NONE, NONE), PSP_LINK_SILENT);
  fail_unless_equals_int (state_at (11 * S, NONE, NONE), PSP_LINK_STOPPED);
  fail_unless (psp_supervision_feedback (&link));
  fail_unless_equals_int (link.state, PSP_LINK_ALIVE);
  fail_if (psp_supervision_feedback (&link));
}

GST_END_TEST;

GST_START_TEST (test_silence_after_life)
{
  const int64_t rtt = 200 * MS;

  psp_supervision_init (&link, &psp_feedback_timing_default, true);
  send_until (0, 1 * S, rtt);
  fail_unless (psp_supervision_feedback (&link));
  /* Counted from the first packet that could have been answered since. */
  send_until (1 * S, 3 * S, rtt);
  fail_unless_equals_int (link.state, PSP_LINK_SILENT);
  psp_supervision_feedback (&link);
  send_until (3 * S, 3799 * MS, rtt);
  fail_unless_equals_int (state_at (3799 * MS, rtt, NONE), PSP_LINK_ALIVE);
  fail_unless_equals_int (state_at (3800 * MS, rtt, NONE), PSP_LINK_SILENT);
}

GST_END_TEST;

GST_START_TEST (test_pause_is_no_silence)
{
  psp_supervision_init (&link, &psp_feedback_timing_default, true);
  psp_supervision_feedback (&link);
  /* The last packet of a burst, or the report of it, was lost. */
  psp_supervision_sent (&link, 0, NONE, NONE);
  fail_unless_equals_int (state_at (3600 * S, NONE, NONE), PSP_LINK_ALIVE);
  /* What was waiting may have been dropped, or playing paused. */
  fail_unless_equals_int (state_at (3600 * S, NONE, 100 * MS), PSP_LINK_ALIVE);
  /* A second unanswered burst: of the pause 250 ms count. */
  send_until (3600 * S, 3600 * S + 249 * MS, NONE);
  fail_unless_equals_int (state_at (3600 * S + 249 * MS, NONE, NONE),
      PSP_LINK_ALIVE);
  fail_unless_equals_int (state_at (3600 * S + 250 * MS, NONE, NONE),
      PSP_LINK_SILENT);
}

GST_END_TEST;

GST_START_TEST (test_held_back_is_silence)
{
  /* The window is full: only feedback could let the next packet go. */
  psp_supervision_init (&link, &psp_feedback_timing_default, true);
  psp_supervision_sent (&link, 0, NONE, NONE);
  fail_unless_equals_int64 (psp_supervision_next (&link, NONE,
          PSP_TIME_NEVER), 500 * MS);
  fail_unless_equals_int (state_at (500 * MS, NONE, PSP_TIME_NEVER),
      PSP_LINK_SILENT);
  /* And a slow schedule is not the application's pause. */
  psp_supervision_sent (&link, 5 * S, NONE, 5 * S);
  fail_unless_equals_int (state_at (10 * S, NONE, 10 * S), PSP_LINK_STOPPED);
}

GST_END_TEST;

GST_START_TEST (test_feedback_not_required)
{
  psp_supervision_init (&link, &psp_feedback_timing_default, false);
  send_until (0, 20 * S, NONE);
  fail_unless_equals_int (link.state, PSP_LINK_WAITING);
  psp_supervision_feedback (&link);
  send_until (20 * S, 40 * S, NONE);
  fail_unless_equals_int (link.state, PSP_LINK_ALIVE);
}

GST_END_TEST;

static Suite *
supervision_suite (void)
{
  Suite *s = suite_create ("control-supervision");
  TCase *tc = tcase_create ("supervision");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_required);
  tcase_add_test (tc, test_other_timing);
  tcase_add_test (tc, test_no_answer_at_all);
  tcase_add_test (tc, test_silence_after_life);
  tcase_add_test (tc, test_pause_is_no_silence);
  tcase_add_test (tc, test_held_back_is_silence);
  tcase_add_test (tc, test_feedback_not_required);
  return s;
}

GST_CHECK_MAIN (supervision);
