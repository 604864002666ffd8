/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/clock.h>
#include <mpeg2/timebase.h>

#define MS INT64_C (1000000)

/* Fields of 20 ms. */
static const M2vSequence pal = {
  .mpeg2 = true,
  .frame_rate_num = 25,
  .frame_rate_den = 1
};

static const M2vSequence film = {
  .mpeg2 = true,
  .frame_rate_num = 24,
  .frame_rate_den = 1
};

static void
begin (M2vTimebase * base, int64_t time)
{
  m2v_timebase_init (base);
  m2v_timebase_set_sequence (base, &pal, 0);
  m2v_timebase_set (base, time, 0);
}

GST_START_TEST (test_is_time)
{
  fail_unless (m2v_is_time (0) && m2v_is_time (M2V_CLOCK_MAX_TIME)
      && m2v_is_time (-M2V_CLOCK_MAX_TIME));
  fail_if (m2v_is_time (M2V_TIME_NONE));
  fail_if (m2v_is_time (M2V_CLOCK_MAX_TIME + 1));
  fail_if (m2v_is_time (INT64_MAX));
}

GST_END_TEST;

/* Positions count fields, before and behind, and no time leaves the range. */
GST_START_TEST (test_at)
{
  M2vTimebase base;

  begin (&base, 100 * MS);
  fail_unless_equals_int64 (m2v_timebase_at (&base, 0), 100 * MS);
  fail_unless_equals_int64 (m2v_timebase_at (&base, 3), 160 * MS);
  fail_unless_equals_int64 (m2v_timebase_at (&base, -2), 60 * MS);
  m2v_timebase_set (&base, 500 * MS, 10);
  fail_unless_equals_int64 (m2v_timebase_at (&base, 11), 520 * MS);
  m2v_timebase_set (&base, M2V_CLOCK_MAX_TIME, 0);
  fail_unless_equals_int64 (m2v_timebase_at (&base, 5), M2V_CLOCK_MAX_TIME);
  m2v_timebase_set (&base, -M2V_CLOCK_MAX_TIME, 0);
  fail_unless_equals_int64 (m2v_timebase_at (&base, -5), -M2V_CLOCK_MAX_TIME);
}

GST_END_TEST;

/* Another rate counts from where it begins. */
GST_START_TEST (test_sequence)
{
  M2vTimebase base;

  begin (&base, 0);
  m2v_timebase_set_sequence (&base, &film, 10);
  fail_unless_equals_int64 (m2v_timebase_at (&base, 10), 200 * MS);
  fail_unless_equals_int64 (m2v_timebase_at (&base, 10 + 48),
      200 * MS + M2V_SECOND);
  fail_unless_equals_int64 (m2v_timebase_at (&base, 10 - 48),
      200 * MS - M2V_SECOND);
}

GST_END_TEST;

/* PTS in ticks of 90 kHz do not move it, others do. */
GST_START_TEST (test_hold)
{
  M2vTimebase base;

  begin (&base, 0);
  fail_unless (m2v_timebase_hold (&base, 40 * MS, 2));
  fail_if (m2v_timebase_hold (&base, 80 * MS - 11111, 4));
  fail_unless_equals_int64 (m2v_timebase_at (&base, 4), 80 * MS);
  fail_if (m2v_timebase_hold (&base, 120 * MS + 22222, 6));
  fail_unless (m2v_timebase_hold (&base, 130 * MS, 6));
  fail_unless_equals_int64 (m2v_timebase_at (&base, 8), 170 * MS);
  /* what was derived is no reason to stay */
  m2v_timebase_discont (&base);
  fail_unless (m2v_timebase_hold (&base, 170 * MS, 8));
}

GST_END_TEST;

/* Frames of two fields, their times in ms: references at position 2n are shown at
 * 40n where they are right. */
typedef struct
{
  int64_t pts, dts;
  gboolean b;
  int64_t position, earliest, latest;
  gboolean believed;
} Claim;

#define NONE G_MININT64

static const struct
{
  const gchar *what;
  gboolean given;
  Claim claims[4];
} believed[] = {
  {"nothing to contradict", FALSE, {{1000, NONE, FALSE, 0, 0, 0, TRUE}}},
  {"none", TRUE, {{NONE, NONE, FALSE, 2, 40, 40, FALSE}}},
  {"as foreseen", TRUE, {{40, NONE, FALSE, 2, 40, 40, TRUE},
          {80, NONE, FALSE, 4, 80, 80, TRUE}}},
  {"the neighbour's", TRUE, {{40, NONE, FALSE, 2, 40, 40, TRUE},
          {40, NONE, FALSE, 4, 80, 80, FALSE}}},
  {"before the one before has ended", TRUE,
      {{40, NONE, FALSE, 4, 80, 80, FALSE}}},
  {"too late for the reference behind", TRUE,
      {{120, NONE, TRUE, 2, 40, 40, FALSE}}},
  {"a jump", TRUE, {{5000, NONE, FALSE, 2, 40, 40, TRUE}}},
  {"what cannot be, until references and B agree", TRUE,
        {{200, NONE, FALSE, 8, 160, 160, FALSE},
          {80, NONE, TRUE, 2, 40, 40, TRUE}}},
  {"the DTS for certain", TRUE, {{40, 40, FALSE, 8, 160, 160, FALSE},
          {80, 80, FALSE, 10, 200, 200, FALSE},
          {120, 120, FALSE, 12, 240, 240, FALSE}}},
};

GST_START_TEST (test_believe)
{
  M2vTimebase base;

  begin (&base, 0);
  base.given = believed[__i__].given;
  for (guint i = 0; i < 4; i++) {
    const Claim *c = &believed[__i__].claims[i];
    M2vTimeClaim claim = { M2V_TIME_NONE, M2V_TIME_NONE, c->b, !c->b,
      c->position, c->earliest * MS, c->latest * MS
    };

    if (c->pts == 0)
      break;
    if (c->pts != NONE)
      claim.pts = c->pts * MS;
    if (c->dts != NONE)
      claim.dts = c->dts * MS;
    fail_unless_equals_int (m2v_timebase_believe (&base, &claim), c->believed);
  }
}

GST_END_TEST;

static Suite *
timebase_suite (void)
{
  Suite *s = suite_create ("timebase");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_is_time);
  tcase_add_test (tc, test_at);
  tcase_add_test (tc, test_sequence);
  tcase_add_test (tc, test_hold);
  tcase_add_loop_test (tc, test_believe, 0, G_N_ELEMENTS (believed));
  return s;
}

GST_CHECK_MAIN (timebase);
