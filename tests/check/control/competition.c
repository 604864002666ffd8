/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <control/poise/competition.h>

/* RFC 9438: W(t) = C (t - K)^3 + W_max with K = cbrt (W_max (1 - beta) / C).
 * At a round trip of 1 s the cubic is above Reno's line. */
GST_START_TEST (test_cubic)
{
  PspCubic c;
  int i;

  psp_cubic_init (&c, 100);
  psp_cubic_lost (&c);
  fail_unless_equals_float (c.window, 70);
  for (i = 0; i <= 4; i++)
    psp_cubic_acked (&c, 10 + i, c.window, 1);
  /* K = cbrt (75) = 4.217 */
  fail_unless (fabs (c.k - 4.217) < .001, "%f", c.k);
  fail_unless (fabs (c.window - (.4 * pow (5 - 4.217, 3) + 100)) < .1, "%f",
      c.window);
  /* Fast convergence: it was below the last maximum. */
  psp_cubic_init (&c, 100);
  psp_cubic_lost (&c);
  psp_cubic_lost (&c);
  fail_unless (fabs (c.w_max - 70 * .85) < 1e-9);
  fail_unless_equals_float (c.window, 49);
}

GST_END_TEST;

/* A share of less than a few segments a round trip: it may fall below one, and grows
 * in proportion. */
GST_START_TEST (test_small_window)
{
  PspCubic c;
  int i;

  psp_cubic_init (&c, 2);
  for (i = 0; i < 3; i++)
    psp_cubic_lost (&c);
  fail_unless (c.window < 1, "%f", c.window);
  for (i = 0; i < 20; i++)
    psp_cubic_lost (&c);
  fail_unless_equals_float (c.window, .5);
  psp_cubic_init (&c, 1);
  for (i = 0; i < 4; i++)
    psp_cubic_acked (&c, i * .1, c.window, .1);
  fail_unless (c.window > 1.2 && c.window < 1.8, "%f", c.window);
}

GST_END_TEST;

static void
run (PspCompetition * c, PspCompetitionInput * in, double until, bool loss,
    double fall)
{
  PspPacketResult lost = {.outcome = PSP_OUTCOME_LOST,.size = 1460 };
  PspReport report = {.results = &lost,.n_results = loss };

  for (; in->now < until; in->now += .025) {
    lost.index = in->next_index++;
    fail_unless (psp_competition_run (c, &report, in));
    if (in->standing > .03)
      in->standing -= fall * .025;
    report.n_results = 0;
  }
}

/* Reno halves its window and grows by a segment in a round trip. What gives up
 * less grows by less; a window below four segments grows in proportion. */
GST_START_TEST (test_reno_growth)
{
  fail_unless_equals_float (psp_reno_growth (10, .5, 10), 1);
  fail_unless_equals_float (psp_reno_growth (10, .5, 5), .5);
  fail_unless (fabs (psp_reno_growth (10, .85, 10) - .243) < .001);
  fail_unless_equals_float (psp_reno_growth (2, .5, 2), .5);
}

GST_END_TEST;

/* Each 8 s a loss is the time for a dip; without a fall it ends soon, with one
 * it lasts until the queue is gone. */
GST_START_TEST (test_dip)
{
  PspCompetitionInput in = {.standing = .2,.newest = .25,.rtt = .3,
    .loop = .3,.received = 1e6,.acknowledged = 12000,.empty = .02
  };
  PspCompetition c;

  psp_competition_init (&c, 8);
  psp_competition_begin (&c, 1e6, &in);
  fail_unless (fabs (c.rate - 1e6) < 1);
  run (&c, &in, 7, true, 0);
  fail_unless (c.dip_until < 0);
  run (&c, &in, 9, false, 0);
  run (&c, &in, 9.2, true, 0);
  fail_unless (c.dip_until > 0);
  fail_unless (c.rate <= .6e6);
  run (&c, &in, 10, false, 0);
  fail_unless (c.dip_until < 0, "nobody gave way");
  run (&c, &in, 19, false, 0);
  run (&c, &in, 19.8, true, .4);
  fail_unless (c.dip_until > 0, "the queue falls as when alone");
}

GST_END_TEST;

/* A competitor that backs off empties a short queue, and fills it anew: it has
 * left where the queue stays gone. A dip that empties it lasts until then. */
GST_START_TEST (test_gone)
{
  bool dips = __i__ == 1;
  PspCompetitionInput in = {.standing = .2,.newest = .25,.rtt = .3,
    .loop = .3,.received = 1e6,.acknowledged = 12000,.empty = .02
  };
  PspReport report = { 0 };
  PspCompetition c;

  psp_competition_init (&c, 8);
  psp_competition_begin (&c, 1e6, &in);
  run (&c, &in, 8.1, false, 0);
  if (dips)
    run (&c, &in, 8.2, true, 0);
  fail_unless ((c.dip_until > 0) == dips);
  in.standing = .01;
  run (&c, &in, 8.5, false, 0);
  in.standing = .1;
  run (&c, &in, 8.6, false, 0);
  in.standing = .01;
  c.dip_until = dips ? in.now : -1;
  run (&c, &in, 9, false, 0);
  fail_unless ((c.dip_until > 0) == dips);
  fail_unless (!dips || c.rate <= .6e6, "%f", c.rate);
  in.now = 9.2;
  fail_if (psp_competition_run (&c, &report, &in));
}

GST_END_TEST;

/* The long wait of an outage counts until the queue overflows, or until the
 * sender competes again: the usual full queue of a competitor must not seem to
 * be gone because of it. */
GST_START_TEST (test_outage)
{
  bool overflows = __i__ == 1;
  PspCompetitionInput in = {.standing = .2,.newest = 3,.rtt = .3,
    .loop = .3,.received = 1e6,.acknowledged = 12000,.empty = .02
  };
  PspReport report = { 0 };
  PspCompetition c;

  psp_competition_init (&c, 8);
  psp_competition_begin (&c, 1e6, &in);
  in.newest = .25;
  if (overflows) {
    run (&c, &in, .025, true, 0);
  } else {
    /* .2 s are less than a tenth of 3 s. */
    run (&c, &in, .5, false, 0);
    fail_if (psp_competition_run (&c, &report, &in));
    psp_competition_begin (&c, 1e6, &in);
  }
  fail_unless_equals_float (c.longest, .25);
  run (&c, &in, 3, false, 0);
}

GST_END_TEST;

/* Another time between dips is in force at once; the same one changes nothing. */
GST_START_TEST (test_interval)
{
  PspCompetitionInput in = {.standing = .2,.newest = .25,.rtt = .3,
    .loop = .3,.received = 1e6,.acknowledged = 12000,.empty = .02
  };
  PspCompetition c;

  psp_competition_init (&c, 8);
  psp_competition_begin (&c, 1e6, &in);
  c.dip_interval = 16;
  psp_competition_set_interval (&c, 8);
  fail_unless_equals_float (c.dip_interval, 16);
  psp_competition_set_interval (&c, 2);
  run (&c, &in, 2.5, false, 0);
  run (&c, &in, 2.6, true, 0);
  fail_unless (c.dip_until > 0);
}

GST_END_TEST;

/* It leaves when the queue is gone, and comes back with its window. */
GST_START_TEST (test_return)
{
  PspCompetitionInput in = {.now = 1,.standing = .2,.newest = .25,.rtt = .3,
    .loop = .3,.received = 1e6,.acknowledged = 12000,.empty = .02
  };
  PspReport report = { 0 };
  PspCompetition c;
  double window;

  psp_competition_init (&c, 8);
  fail_if (psp_competition_is_recent (&c, in.now));
  psp_competition_begin (&c, 2e6, &in);
  run (&c, &in, 2, true, 0);
  in.now = 5;
  in.standing = .01;
  fail_if (psp_competition_run (&c, &report, &in));
  window = c.cubic.window;
  in.now = 14;
  fail_unless (psp_competition_is_recent (&c, in.now));
  psp_competition_begin (&c, 64e3, &in);
  fail_unless_equals_float (c.cubic.window, window);
  fail_unless_equals_float (c.dip_interval, 16);
  /* Who was wrong waits for longer, 1 s at most. */
  in.now = 14.7;
  fail_unless (psp_competition_run (&c, &report, &in));
  in.now = 15.1;
  fail_if (psp_competition_run (&c, &report, &in));
}

GST_END_TEST;

/* A queue that never overflowed may have been one that flows of this kind leave: a
 * later one is not known to be the same competitor's. */
GST_START_TEST (test_no_overflow)
{
  PspCompetitionInput in = {.now = 1,.standing = .05,.newest = .05,.rtt = .3,
    .loop = .3,.received = 1e6,.acknowledged = 12000,.empty = .02
  };
  PspReport report = { 0 };
  PspCompetition c;

  psp_competition_init (&c, 8);
  psp_competition_begin (&c, 2e6, &in);
  run (&c, &in, 2, false, 0);
  in.now = 5;
  in.standing = .01;
  fail_if (psp_competition_run (&c, &report, &in));
  fail_if (psp_competition_is_recent (&c, in.now));
  psp_competition_begin (&c, 1e6, &in);
  fail_unless_equals_float (c.rate, 1e6);
  fail_unless_equals_float (c.dip_interval, 8);
}

GST_END_TEST;

/* TCP was there first, and its queue passed for the path. When it leaves the base
 * falls: a dip finds it at once, however often that was wrong before. */
GST_START_TEST (test_base_falls)
{
  bool falls = __i__ == 1;
  PspCompetitionInput in = {.now = 1,.standing = .1,.newest = .1,.rtt = .3,
    .loop = .3,.received = 1e6,.acknowledged = 12000,.empty = .02,.base = .15
  };
  PspCompetition c;

  psp_competition_init (&c, 8);
  psp_competition_begin (&c, 1e6, &in);
  c.dip_interval = 32;
  c.gone_for = 1;
  run (&c, &in, 10, false, 0);
  in.base = falls ? .05 : .14;
  in.standing = .01;
  run (&c, &in, 10.1, false, 0);
  fail_unless ((c.dip_until > 0) == falls);
  fail_unless_equals_float (c.dip_interval, falls ? 8 : 32);
  fail_unless_equals_float (c.gone_for, falls ? .5 : 1);
  fail_unless (!falls || c.rate <= .6e6, "%f", c.rate);
}

GST_END_TEST;

/* As a TCP connection that begins (RFC 6928). */
GST_START_TEST (test_first_window)
{
  PspCompetitionInput in = {.standing = .2,.newest = .25,.rtt = .2,.loop = .3 };
  PspCompetition c;

  psp_competition_init (&c, 8);
  psp_competition_begin (&c, 30e3, &in);
  fail_unless_equals_float (c.cubic.window, 10);
  fail_unless_equals_float (c.rate, 10 * 12e3 / .2);
}

GST_END_TEST;

/* A hundred losses, each of a flight of its own, are answered as often as they
 * are segments of 1500 bytes (RFC 7141 section 2.3). */
GST_START_TEST (test_small_losses)
{
  static const guint sizes[] = { 60, 150, 375, 750, 1200, 1500 };
  PspCompetitionInput in = {.standing = .2,.newest = .25,.rtt = .2,.loop = .3 };
  PspPacketResult lost = {.outcome = PSP_OUTCOME_LOST,.size = sizes[__i__] };
  PspReport report = {.results = &lost,.n_results = 1 };
  PspCompetition c;
  guint n_answers = 0, i;

  psp_competition_init (&c, 1000);
  psp_competition_begin (&c, 1e6, &in);
  for (i = 0; i < 100; i++) {
    double before = c.cubic.window = 100;

    lost.index = in.next_index++;
    psp_competition_run (&c, &report, &in);
    n_answers += c.cubic.window < before;
  }
  fail_unless (ABS ((int) n_answers - (int) (sizes[__i__] / 15)) <= 1, "%u",
      n_answers);
}

GST_END_TEST;

static Suite *
competition_suite (void)
{
  Suite *s = suite_create ("control-competition");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_cubic);
  tcase_add_test (tc, test_small_window);
  tcase_add_test (tc, test_dip);
  tcase_add_loop_test (tc, test_gone, 0, 2);
  tcase_add_test (tc, test_reno_growth);
  tcase_add_loop_test (tc, test_outage, 0, 2);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_return);
  tcase_add_test (tc, test_no_overflow);
  tcase_add_loop_test (tc, test_base_falls, 0, 2);
  tcase_add_test (tc, test_first_window);
  tcase_add_loop_test (tc, test_small_losses, 0, 6);
  return s;
}

GST_CHECK_MAIN (competition);
