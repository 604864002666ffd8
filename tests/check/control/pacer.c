/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/pacer.h>

#define MS PSP_MSECOND
#define US PSP_USECOND
#define END { -1, false, 0 }

/* A packet leaves at `when`, backlog behind it or not; then the next one may
 * leave at `next`. */
/* *INDENT-OFF* */
static const struct
{
  const char *what;
  int64_t period;
  unsigned quantum;
  struct
  {
    int64_t when;
    bool backlog;
    int64_t next;
  } steps[8];
} rows[] = {
  {"every period", 8 * MS, 1, {
      {0, true, 8 * MS}, {8 * MS, true, 16 * MS}, {16 * MS, true, 24 * MS},
      END}},
  {"the schedule is absolute: a little late changes nothing", 8 * MS, 1, {
      {0, true, 8 * MS}, {9 * MS, true, 16 * MS}, {16 * MS, true, 24 * MS},
      END}},
  {"too early counts from its slot", 8 * MS, 1, {
      {0, true, 8 * MS}, {7 * MS, true, 16 * MS}, END}},
  {"no period, no wait", 0, 1, {
      {0, true, 0}, {0, true, 0}, {5 * MS, true, 5 * MS},
      {5 * MS, false, 5 * MS}, END}},
  {"after a stall two leave, then slots shorter by an eighth", 8 * MS, 1, {
      {0, true, 8 * MS},
      {18 * MS, true, 18 * MS}, /* 10 late; its successor at once; 2 owed */
      {18 * MS, true, 25 * MS},
      {25 * MS, true, 32 * MS}, /* paid: slots at 0 mod 8 again */
      {32 * MS, true, 40 * MS},
      END}},
  {"no more than 10 ms are repaid", 8 * MS, 1, {
      {0, true, 8 * MS}, {1000 * MS, true, 1000 * MS},
      {1000 * MS, true, 1007 * MS}, {1007 * MS, true, 1014 * MS},
      {1014 * MS, false, 1021 * MS}, /* the queue ran empty: forgiven */
      {1021 * MS, true, 1029 * MS}, {1029 * MS, true, 1037 * MS},
      END}},
  {"after idling at once, and no debt", 8 * MS, 1, {
      {0, false, 8 * MS}, {50 * MS, true, 58 * MS}, {58 * MS, true, 66 * MS},
      END}},
  {"idling does not shorten the last slot", 8 * MS, 1, {
      {0, true, 8 * MS}, {8 * MS, false, 16 * MS}, {16 * MS, false, 24 * MS},
      END}},
  {"pairs", 1 * MS, 2, {
      {0, true, 0}, {0, true, 2 * MS}, {2 * MS, true, 2 * MS},
      {2 * MS, true, 4 * MS}, END}},
  {"half a pair pays half", 1 * MS, 2, {
      {0, false, 1 * MS}, {1 * MS, true, 1 * MS}, {1 * MS, true, 3 * MS},
      END}},
};
/* *INDENT-ON* */

GST_START_TEST (test_rows)
{
  PspPacer p;

  psp_pacer_init (&p, 0);
  psp_pacer_set (&p, rows[__i__].period, rows[__i__].quantum);
  for (int i = 0; rows[__i__].steps[i].when >= 0; i++) {
    int64_t when = rows[__i__].steps[i].when, next;

    psp_pacer_sent (&p, when, rows[__i__].steps[i].backlog);
    next = psp_pacer_next (&p, when);
    fail_unless (next == rows[__i__].steps[i].next ||
        (next <= when && rows[__i__].steps[i].next == when),
        "%s, step %d: next at %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
        rows[__i__].what, i, next, rows[__i__].steps[i].next);
  }
}

GST_END_TEST;

GST_START_TEST (test_change)
{
  PspPacer p;

  psp_pacer_init (&p, -1 * MS);
  fail_unless_equals_int64 (psp_pacer_next (&p, -1 * MS), -1 * MS);
  psp_pacer_set (&p, 8 * MS, 1);
  psp_pacer_sent (&p, 0, true);
  psp_pacer_set (&p, 2 * MS, 1);
  fail_unless_equals_int64 (psp_pacer_next (&p, 0), 8 * MS);
  psp_pacer_sent (&p, 8 * MS, true);
  fail_unless_equals_int64 (psp_pacer_next (&p, 8 * MS), 10 * MS);
}

GST_END_TEST;

GST_START_TEST (test_hold)
{
  PspPacer p;

  psp_pacer_init (&p, 0);
  psp_pacer_set (&p, 8 * MS, 1);
  psp_pacer_sent (&p, 0, true);
  psp_pacer_hold (&p, 5 * MS);
  fail_unless_equals_int64 (psp_pacer_next (&p, 0), 8 * MS);
  psp_pacer_hold (&p, 50 * MS);
  psp_pacer_sent (&p, 50 * MS, true);
  fail_unless_equals_int64 (psp_pacer_next (&p, 50 * MS), 58 * MS);
}

GST_END_TEST;

/* A packet that waits for its slot keeps the schedule: the queue did not run
 * empty. */
GST_START_TEST (test_wait)
{
  for (int waits = 0; waits < 2; waits++) {
    PspPacer p;

    psp_pacer_init (&p, 0);
    psp_pacer_set (&p, 8 * MS, 1);
    psp_pacer_sent (&p, 0, false);
    if (waits)
      psp_pacer_wait (&p);
    psp_pacer_sent (&p, 9 * MS, true);
    fail_unless_equals_int64 (psp_pacer_next (&p, 9 * MS),
        waits ? 16 * MS : 17 * MS);
  }
}

GST_END_TEST;

/* A slot may begin sooner, never later; and a hold says whether it moved. */
GST_START_TEST (test_advance)
{
  PspPacer p;

  psp_pacer_init (&p, 0);
  psp_pacer_set (&p, 8 * MS, 1);
  psp_pacer_sent (&p, 0, true);
  psp_pacer_advance (&p, 9 * MS);
  fail_unless_equals_int64 (psp_pacer_next (&p, MS), 8 * MS);
  psp_pacer_advance (&p, 5 * MS);
  fail_unless_equals_int64 (psp_pacer_next (&p, MS), 5 * MS);
  fail_if (psp_pacer_hold (&p, 5 * MS));
  fail_unless (psp_pacer_hold (&p, 6 * MS));
  fail_unless_equals_int64 (psp_pacer_next (&p, MS), 6 * MS);
}

GST_END_TEST;

GST_START_TEST (test_room)
{
  PspPacer p;

  psp_pacer_init (&p, 0);
  fail_unless_equals_int (psp_pacer_room (&p), 1);
  psp_pacer_set (&p, 8 * MS, 3);
  fail_unless_equals_int (psp_pacer_room (&p), 3);
  psp_pacer_sent (&p, 0, true);
  fail_unless_equals_int (psp_pacer_room (&p), 2);
  psp_pacer_sent (&p, 0, true);
  fail_unless_equals_int (psp_pacer_room (&p), 1);
  psp_pacer_sent (&p, 0, true);
  fail_unless_equals_int (psp_pacer_room (&p), 3);
  /* An empty queue ends the slot. */
  psp_pacer_sent (&p, 24 * MS, false);
  fail_unless_equals_int (psp_pacer_room (&p), 3);
}

GST_END_TEST;

/* The guarantee of pacer.h, over wake-ups late by random amounts. */
static void
check_guarantee (int64_t period, int64_t max_late, uint32_t seed)
{
  enum
  { N = 20000 };
  GRand *rand = g_rand_new_with_seed (seed);
  int64_t *d = g_new (int64_t, N);
  int64_t now = 0, late, longest = 0;
  bool within_debt = max_late < PSP_PACER_MAX_DEBT / 4;
  PspPacer p;

  psp_pacer_init (&p, 0);
  psp_pacer_set (&p, period, 1);
  for (int i = 0; i < N; i++) {
    /* Mostly little, now and then the most. */
    late = (int64_t) (g_rand_double (rand) * (double) max_late / 10);
    if (g_rand_int_range (rand, 0, 40) == 0)
      late = max_late;
    now = MAX (now, psp_pacer_next (&p, now)) + late;
    d[i] = now;
    psp_pacer_sent (&p, now, true);
    /* So often: only where it fails there is something to note. */
    if (p.debt < 0 || p.debt > PSP_PACER_MAX_DEBT)
      fail ("%d: debt of %" G_GINT64_FORMAT, i, p.debt);
  }
  for (int i = 2; i < N; i++) {
    if (d[i] - d[i - 2] < period * 7 / 8)
      fail ("%d: two slots within %" G_GINT64_FORMAT, i, d[i] - d[i - 2]);
  }
  for (int i = 0; i + 100 < N; i++) {
    if (d[i + 100] - d[i] < 99 * period - PSP_PACER_MAX_DEBT)
      fail ("%d: 100 slots within %" G_GINT64_FORMAT, i, d[i + 100] - d[i]);
    longest = MAX (longest, d[i + 1] - d[i]);
  }
  fail_unless (longest >= max_late);
  if (within_debt)
    fail_unless (ABS ((double) d[N - 1] / (N - 1) - (double) period)
        < (double) period / 1000, "mean %g of %" G_GINT64_FORMAT,
        (double) d[N - 1] / (N - 1), period);
  g_free (d);
  g_rand_free (rand);
}

GST_START_TEST (test_guarantee)
{
  static const int64_t periods[] = { 50 * US, 333333, 1500 * US, 20 * MS };

  for (unsigned i = 0; i < G_N_ELEMENTS (periods); i++) {
    check_guarantee (periods[i], periods[i] / 10, 1);
    check_guarantee (periods[i], periods[i] * 5 / 4, 2);
    /* Only this much can be repaid: 1 of 40 slots late by 3, an eighth back
     * from each. */
    check_guarantee (periods[i], periods[i] * 3, 3);
    check_guarantee (periods[i], 100 * MS, 4);
  }
}

GST_END_TEST;

static Suite *
pacer_suite (void)
{
  Suite *s = suite_create ("control-pacer");
  TCase *tc = tcase_create ("pacer");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_change);
  tcase_add_test (tc, test_hold);
  tcase_add_test (tc, test_wait);
  tcase_add_test (tc, test_advance);
  tcase_add_test (tc, test_room);
  tcase_add_test (tc, test_guarantee);
  return s;
}

GST_CHECK_MAIN (pacer);
