/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/ecnpath.h>

#define MS PSP_MSECOND
#define S PSP_SECOND
#define RTT 4                   /* packets */

/* How a network delivers what leaves as ECT; NOTHING is no report at all. */
typedef enum
{ WORKS, MARKS, BLEACHES, CHANGES, DROPS, NOTHING } Network;

/* A packet each `gap`, and a report of each a round trip later. */
typedef struct
{
  PspEcnPath path;
  int64_t now, gap;
  guint n, n_ect;
  guint8 sent[RTT];
} Session;

static void
begin (Session * s, PspEcn codepoint, int64_t gap)
{
  memset (s, 0, sizeof *s);
  s->gap = gap;
  psp_ecn_path_begin (&s->path, codepoint);
}

static void
report (Session * s, PspEcn sent, Network network)
{
  static const PspEcn arrives[] = {
    [MARKS] = PSP_ECN_CE,
    [BLEACHES] = PSP_ECN_NOT_ECT
  };
  PspPacketResult result = {
    .sent_at = s->now - RTT * s->gap,
    .sent_ecn = (guint8) sent,
    .ecn = (guint8) sent
  };
  PspReport r = {.now = s->now,.results = &result,.n_results = 1 };

  if (sent != PSP_ECN_NOT_ECT && network == DROPS)
    result.outcome = PSP_OUTCOME_LOST;
  else if (sent != PSP_ECN_NOT_ECT && network == CHANGES)
    result.ecn = (guint8) (sent ^ 3);
  else if (sent != PSP_ECN_NOT_ECT && network != WORKS)
    result.ecn = (guint8) arrives[network];
  psp_ecn_path_report (&s->path, &r);
}

static void
step (Session * s, Network network)
{
  PspEcn ecn;

  s->now += s->gap;
  if (s->n >= RTT && network != NOTHING)
    report (s, s->sent[s->n % RTT], network);
  ecn = psp_ecn_path_next (&s->path);
  s->sent[s->n++ % RTT] = (guint8) ecn;
  s->n_ect += ecn != PSP_ECN_NOT_ECT;
  psp_ecn_path_sent (&s->path, s->now);
}

static void
run (Session * s, Network network, int64_t duration)
{
  int64_t until = s->now + duration;

  while (s->now < until)
    step (s, network);
}

/* One packet in four until the first one is reported as it was sent, or marked;
 * then all. */
GST_START_TEST (test_capable)
{
  PspEcn codepoint = __i__ & 1 ? PSP_ECN_ECT1 : PSP_ECN_ECT0;
  Session s;

  begin (&s, codepoint, 20 * MS);
  for (guint i = 0; i < RTT; i++)
    step (&s, __i__ & 2 ? MARKS : WORKS);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_TESTING);
  fail_unless_equals_int (s.n_ect, 1);
  fail_unless_equals_int (s.sent[0], codepoint);
  run (&s, __i__ & 2 ? MARKS : WORKS, 60 * S);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_CAPABLE);
  fail_unless_equals_int (s.n_ect, s.n - (RTT - 1));
  fail_unless_equals_int (psp_ecn_path_next (&s.path), codepoint);
}

GST_END_TEST;

static const struct
{
  Network network;
  PspEcnVerdict verdict;
  const gchar *name;
} failures[] = {
  {BLEACHES, PSP_ECN_PATH_BLEACHED, "bleached"},
  {CHANGES, PSP_ECN_PATH_REMARKED, "remarked"},
  {DROPS, PSP_ECN_PATH_DROPPED, "dropped"},
  {NOTHING, PSP_ECN_PATH_NOT_ECHOED, "not-echoed"}
};

/* Two seconds of sending, of which a quarter is at stake; from then on nothing
 * is ECN-capable, whatever comes. */
GST_START_TEST (test_failures)
{
  Session s;
  guint n_ect;

  begin (&s, PSP_ECN_ECT0, 20 * MS);
  run (&s, failures[__i__].network, 2 * S);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_TESTING);
  n_ect = s.n_ect;
  fail_unless (n_ect <= s.n / 4 + 1);
  run (&s, failures[__i__].network, 40 * MS);
  fail_unless_equals_int (s.path.verdict, failures[__i__].verdict);
  fail_unless_equals_string (psp_ecn_verdict_name (s.path.verdict),
      failures[__i__].name);
  run (&s, WORKS, 60 * S);
  fail_unless_equals_int (s.path.verdict, failures[__i__].verdict);
  fail_unless (s.n_ect <= n_ect + 1);

  /* Another path. */
  psp_ecn_path_begin (&s.path, PSP_ECN_ECT0);
  run (&s, WORKS, S);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_CAPABLE);
}

GST_END_TEST;

/* A path that has carried ECN is watched, for it may become another. */
GST_START_TEST (test_path_changes)
{
  Session s;

  begin (&s, PSP_ECN_ECT1, 20 * MS);
  run (&s, WORKS, 10 * S);
  run (&s, failures[__i__].network, 2 * S);
  /* What the sender does where nothing arrives any more. */
  if (failures[__i__].network >= DROPS)
    psp_ecn_path_doubt (&s.path);
  run (&s, failures[__i__].network, 2100 * MS);
  fail_unless_equals_int (s.path.verdict, failures[__i__].verdict);
}

GST_END_TEST;

/* An outage that ends is no reason to give ECN up, nor are a few packets that
 * were bleached. */
GST_START_TEST (test_doubt)
{
  Session s;

  begin (&s, PSP_ECN_ECT0, 20 * MS);
  run (&s, WORKS, 10 * S);
  run (&s, NOTHING, S);
  psp_ecn_path_doubt (&s.path);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_TESTING);
  run (&s, NOTHING, S);
  run (&s, WORKS, 200 * MS);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_CAPABLE);
  for (guint i = 0; i < 1000; i++)
    step (&s, i % 3 == 0 ? BLEACHES : WORKS);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_CAPABLE);
  /* There is nothing to doubt where ECN is off. */
  psp_ecn_path_begin (&s.path, PSP_ECN_NOT_ECT);
  psp_ecn_path_doubt (&s.path);
  run (&s, WORKS, 3 * S);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_OFF);
}

GST_END_TEST;

/* Pauses are no sending: a few packets that chance took decide nothing. */
GST_START_TEST (test_pauses)
{
  Session s;

  begin (&s, PSP_ECN_ECT0, 10 * S);
  for (guint i = 0; i < 7; i++)
    step (&s, DROPS);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_TESTING);
  for (guint i = 0; i < 30; i++)
    step (&s, DROPS);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_DROPPED);
}

GST_END_TEST;

/* Reports of what left before say nothing of the new path. */
GST_START_TEST (test_old_packets)
{
  Session s;

  begin (&s, PSP_ECN_ECT0, 20 * MS);
  run (&s, WORKS, S);
  psp_ecn_path_begin (&s.path, PSP_ECN_ECT0);
  report (&s, PSP_ECN_ECT0, WORKS);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_TESTING);
  step (&s, WORKS);
  fail_unless_equals_int (s.path.verdict, PSP_ECN_PATH_TESTING);
}

GST_END_TEST;

static Suite *
ecnpath_suite (void)
{
  Suite *s = suite_create ("ecnpath");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_capable, 0, 4);
  tcase_add_loop_test (tc, test_failures, 0, G_N_ELEMENTS (failures));
  tcase_add_loop_test (tc, test_path_changes, 0, G_N_ELEMENTS (failures));
  tcase_add_test (tc, test_doubt);
  tcase_add_test (tc, test_pauses);
  tcase_add_test (tc, test_old_packets);
  return s;
}

GST_CHECK_MAIN (ecnpath);
