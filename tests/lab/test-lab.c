/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include "figures.h"
#include "source.h"

#define S INT64_C (1000000000)

static char order[16];

static void
note (void *data, void *argument)
{
  (void) argument;
  g_strlcat (order, data, sizeof order);
}

GST_START_TEST (test_calendar)
{
  LabCalendar c = { 0 };
  LabTimer t;

  order[0] = '\0';
  lab_timer_init (&t, &c, note, (void *) "t");
  lab_calendar_add (&c, 20, note, (void *) "b", NULL);
  lab_calendar_add (&c, 10, note, (void *) "a", NULL);
  lab_calendar_add (&c, 20, note, (void *) "c", NULL);
  lab_calendar_add (&c, 40, note, (void *) "e", NULL);
  lab_timer_set (&t, 15);
  lab_timer_set (&t, 30);
  lab_calendar_run (&c, 30);
  fail_unless_equals_string (order, "abct");
  fail_unless_equals_int64 (c.now, 30);
  lab_timer_set (&t, 50);
  lab_timer_set (&t, LAB_NEVER);
  lab_calendar_run (&c, 60);
  fail_unless_equals_string (order, "abcte");
  lab_calendar_clear (&c);
}

GST_END_TEST;

static double
bytes_of (LabSource * source, double from, double to)
{
  uint32_t payloads[LAB_FRAME_PACKETS];
  double bytes = 0;
  size_t n, i;

  while (source->klass->next (source) < (int64_t) (to * 1e9)) {
    int64_t now = source->klass->next (source);

    n = source->klass->take (source, now, payloads);
    fail_unless (source->klass->next (source) > now);
    for (i = 0; i < n; i++) {
      fail_unless (payloads[i] > 0 && payloads[i] <= 1200);
      bytes += now >= (int64_t) (from * 1e9) ? payloads[i] : 0;
    }
  }
  return bytes;
}

/* Each makes its part of the target, and follows it; the recorded ones roughly
 * so, as their pictures come. */
GST_START_TEST (test_sources)
{
  const char *name = lab_sources[__i__].name;
  double made = strcmp (name, "part") == 0 ? .6 :
      strcmp (name, "slices") == 0 ? .93 : 1, first, second;
  double tolerance = source_encoder (name) ? .3 : .05;
  LabSource *source = lab_source_new (name, 1000000, 7);

  first = bytes_of (source, 0, 60) * 8 / 60e6;
  fail_unless (fabs (first / made - 1) < tolerance, "%s: %f", name, first);
  source->klass->set_target (source, 60 * S, 2000000);
  second = bytes_of (source, 62, 122) * 8 / 120e6;
  fail_unless (fabs (second / made - 1) < tolerance, "%s: %f", name, second);
  source->klass->free (source);
}

GST_END_TEST;

/* Two of the competitors share a link equally and fill it. */
GST_START_TEST (test_competitors)
{
  LabCalendar calendar = { 0 };
  LabWay forward = {.link = "rate=4M,delay=20ms,queue=60p" };
  LabWay back = {.link = "delay=20ms" };
  LabDirection *f = lab_direction_new (&calendar, &forward, 1);
  LabDirection *b = lab_direction_new (&calendar, &back, 2);
  LabTcpConfig config = {.reno = __i__ == 1,.seed = 1 };
  LabTcp *first = lab_tcp_new (&calendar, 0, &config, f, b);
  LabTcp *second = lab_tcp_new (&calendar, 1, &config, f, b);
  double x, y;

  lab_calendar_run (&calendar, 300 * S);
  x = lab_tcp_received (first, 60 * S, 300 * S) / 240 / 4e6;
  y = lab_tcp_received (second, 60 * S, 300 * S) / 240 / 4e6;
  fail_unless (x + y > .98 && x + y < 1.001, "%f %f", x, y);
  fail_unless (x > .4 && y > .4, "%f %f", x, y);
  lab_calendar_clear (&calendar);
  lab_tcp_free (first);
  lab_tcp_free (second);
  lab_direction_free (f);
  lab_direction_free (b);
}

GST_END_TEST;

/* Every case runs, and a seed makes the same figures each time. */
GST_START_TEST (test_cases)
{
  const LabCase *c = &lab_cases[__i__];
  double first[LAB_N_FIGURES], second[LAB_N_FIGURES];
  unsigned i;

  lab_run (c, "scp", NULL, NULL, 3, first, NULL);
  lab_run (c, "scp", NULL, NULL, 3, second, NULL);
  fail_unless (first[LAB_USE] >= 0 && first[LAB_USE] < 1.01, "%s: %f",
      c->name, first[LAB_USE]);
  for (i = 0; i < LAB_N_FIGURES; i++)
    fail_unless (first[i] == second[i]
        || (isnan (first[i]) && isnan (second[i])), "%s", c->name);
}

GST_END_TEST;

/* What docs/evidence/performance.md and others have measured of scp. */
GST_START_TEST (test_known_controller)
{
  double f[LAB_N_FIGURES];

  lab_run (lab_case_find ("steady"), "scp", NULL, NULL, 1, f, NULL);
  fail_unless (f[LAB_USE] > .92 && f[LAB_USE] < .98, "%f", f[LAB_USE]);
  fail_unless (f[LAB_WAIT] < 20, "%f", f[LAB_WAIT]);
  fail_unless (f[LAB_LOSS] == 0);
  lab_run (lab_case_find ("cubic60"), "scp", NULL, NULL, 1, f, NULL);
  fail_unless (f[LAB_SHARE] < .1, "%f", f[LAB_SHARE]);
}

GST_END_TEST;

/* The bars of docs/evidence/poise.md in a reduced form: two seeds that its tables
 * do not have, and some room. */
static const struct
{
  const char *name, *source;
  LabFigure figure;
  double least, most;
} bars[] = {
  {"key", NULL, LAB_USE, .93, 1},
  {"key", NULL, LAB_WAIT, 0, 15},
  {"key", "x264-zerolatency-busy", LAB_USE, .9, 1},
  {"rtt200", NULL, LAB_USE, .9, 1},
  {"r40k", "x264-zerolatency", LAB_WAIT, 0, 120},
  {"r60k", NULL, LAB_LOSS, 0, .5},
  {"r100k", NULL, LAB_USE, .95, 1.001},
  {"step", NULL, LAB_PEAK, 0, 100},
  {"step", NULL, LAB_DOWN, 0, .5},
  {"step", NULL, LAB_UP, 0, 1.5},
  {"stop20", NULL, LAB_UP, 0, 2.5},
  {"stop20", NULL, LAB_USE, .9, 1},
  {"stop20", "x264-zerolatency-busy", LAB_UP, 0, 3.5},
  {"hole1", NULL, LAB_UP, 0, 1.5},
  {"hole30", NULL, LAB_UP, 0, 2.5},
  {"hole30", "x264-zerolatency-busy", LAB_UP, 0, 4},
  {"longer", NULL, LAB_USE, .88, 1},
  {"clock", NULL, LAB_WAIT, 0, 15},
  {"clockback", NULL, LAB_WAIT, 0, 15},
  {"clockback", NULL, LAB_PEAK, 0, 40},
  {"asked", NULL, LAB_UP, 0, 1.2},
  {"cubic60", NULL, LAB_SHARE, .35, .65},
  {"cubic60", NULL, LAB_WORST, .2, 1},
  {"cubic60", "x264-zerolatency-busy", LAB_SHARE, .3, .6},
  {"cubicfade", NULL, LAB_SHARE, .35, .68},
  {"cubicfade", "x264-zerolatency-busy", LAB_SHARE, .35, .6},
  {"codelcubic0", NULL, LAB_SHARE, .4, .6},
  {"codelcubic1", NULL, LAB_SHARE, .4, .6},
  {"cubicfirst", "x264-zerolatency-busy", LAB_SHARE, .33, .6},
  {"cubic15", "x264-zerolatency-busy", LAB_SHARE, .45, .6},
  {"cubicfirst15", NULL, LAB_SHARE, .3, .67},
  {"cubicfirst30", NULL, LAB_SHARE, .3, .65},
  {"cubicfirst30", "vp8", LAB_SHARE, .3, .65},
  {"cubicfirst40", "x264-zerolatency-busy", LAB_SHARE, .3, .65},
  {"tcpleave", "x264-zerolatency-busy", LAB_UP, 0, 4},
  {"pages", NULL, LAB_USE, .6, 1},
  {"pages", "x264-zerolatency-busy", LAB_USE, .48, 1},
  {"pages", NULL, LAB_DELAY, 0, 950},
  {"pagesmall", NULL, LAB_USE, .44, 1},
  {"pagesmall", "x264-zerolatency-busy", LAB_USE, .34, 1},
  {"pagemid", "x264-zerolatency-busy", LAB_USE, .34, 1},
  {"pagesmallfast", NULL, LAB_USE, .35, 1},
  {"fqcubic", NULL, LAB_SHARE, .38, .55},
  {"fqcubic", NULL, LAB_WAIT, 0, 40},
  {"fqself", NULL, LAB_JAIN, .97, 1},
  {"self2", NULL, LAB_JAIN, .9, 1},
  {"self8narrow", "vp9", LAB_WAIT, 0, 80},
  {"self3narrow", "x264-default", LAB_LOSS, 0, 4},
  {"selfloss", NULL, LAB_WAIT, 0, 100},
  {"selfloss", "x264-zerolatency-busy", LAB_WAIT, 0, 100},
  {"selfshallow", NULL, LAB_LOSS, 0, 18},
  {"r51", NULL, LAB_USE, .92, 1},
  {"r51", NULL, LAB_WAIT, 0, 20},
  {"loss5", NULL, LAB_USE, .83, 1},
  {"jitter30", NULL, LAB_USE, .9, 1},
  {"jitterfast", NULL, LAB_USE, .4, 1},
  {"wifi", NULL, LAB_USE, .83, 1},
  {"reorder5", NULL, LAB_WAIT, 0, 20},
  {"l4s", NULL, LAB_USE, .85, 1},
  {"l4s", NULL, LAB_WAIT, 0, 1},
  {"l4s2", NULL, LAB_JAIN, .85, 1},
  {"police", NULL, LAB_LOSS, 0, 6},
};

GST_START_TEST (test_bars)
{
  const LabCase *c = lab_case_find (bars[__i__].name);
  double f[LAB_N_FIGURES], x;
  uint64_t seed;

  for (seed = 11; seed <= 12; seed++) {
    lab_run (c, "poise", NULL, bars[__i__].source, seed, f, NULL);
    x = f[bars[__i__].figure];
    fail_unless (x >= bars[__i__].least && x <= bars[__i__].most,
        "%s, %s, seed %d: %s %f", c->name, bars[__i__].source ?
        bars[__i__].source : "its source", (int) seed,
        lab_figure_names[bars[__i__].figure], x);
  }
}

GST_END_TEST;

/* Flows of poise share in these seeds, too. In the first three a small one whose
 * frames always meet another's would stay small; in the last two all would take
 * back together what they gave up. */
static const struct
{
  const char *name;
  uint64_t seed;
} unequal[] = {
  {"self2", 77}, {"self4", 48}, {"self8", 91}, {"self16far", 2}, {"self16far", 3}
};

GST_START_TEST (test_sharing)
{
  double f[LAB_N_FIGURES];

  lab_run (lab_case_find (unequal[__i__].name), "poise", NULL, NULL,
      unequal[__i__].seed, f, NULL);
  fail_unless (f[LAB_JAIN] > .88, "%s: %f", unequal[__i__].name, f[LAB_JAIN]);
}

GST_END_TEST;

/* TCP that was there first leaves a part in these seeds, too. The first four have
 * less than .06 without signs that are less than whole, the next two without
 * signs of queues that stood. In the two after these a sender that falls back to
 * what it has received of the first frames has .04 for 10 s. Beside a Reno it has
 * less than .17 without the sawtooth, in the last two less than .25 if the
 * competitor is forgotten while the queue is empty. */
static const struct
{
  const char *name, *way, *source;
  LabFigure figure;
  double least;
  uint64_t seed;
} starving[] = {
  {"cubicfirst30", "rate=4M,delay=20ms,queue=40p", NULL, LAB_SHARE, .2, 6},
  {"cubicfirst30", "rate=4M,delay=20ms,queue=40p", NULL, LAB_SHARE, .2, 7},
  {"cubicfirst30", "rate=16M,delay=20ms,queue=60p", NULL, LAB_SHARE, .2, 2},
  {"cubicfirst30", "rate=8M,delay=5ms,queue=60p", NULL, LAB_SHARE, .2, 2},
  {"cubicfirst30", "rate=2M,delay=20ms,queue=30p", NULL, LAB_SHARE, .3, 1},
  {"cubicfirst30", "rate=1M,delay=20ms,queue=20p", NULL, LAB_SHARE, .3, 1},
  {"cubicfirst30", "rate=6M,delay=20ms,queue=60p", "x264-zerolatency", LAB_WORST,
        .1, 3},
  {"cubicfirst30", "rate=6M,delay=20ms,queue=60p", "x264-zerolatency", LAB_WORST,
        .1, 4},
  {"renofirst20", "rate=4M,delay=20ms,queue=20p", NULL, LAB_SHARE, .4, 1},
  {"renofirst20", "rate=4M,delay=20ms,queue=20p", NULL, LAB_SHARE, .4, 2},
  {"renofirst40", "rate=16M,delay=20ms,queue=40p", NULL, LAB_SHARE, .4, 2},
  {"renofirst40", "rate=16M,delay=20ms,queue=40p", "vp8", LAB_SHARE, .25, 1}
};

GST_START_TEST (test_not_starved)
{
  LabCase c = *lab_case_find (starving[__i__].name);
  double f[LAB_N_FIGURES], x;

  c.forward.link = starving[__i__].way;
  lab_run (&c, "poise", NULL, starving[__i__].source, starving[__i__].seed, f,
      NULL);
  x = f[starving[__i__].figure];
  fail_unless (x > starving[__i__].least, "%s, seed %d: %f",
      starving[__i__].way, (int) starving[__i__].seed, x);
}

GST_END_TEST;

/* Who decides by losses comes back as well, only later. After 20 kb/s for 20 s
 * only ten seconds are measured, which `psp` mostly takes. */
static const struct
{
  const char *controller, *outage;
  double most;
} returns[] = {
  {"rap-psp", "stop20", 12}, {"rap-psp", "hole1", 12}, {"rap-psp", "hole30", 12},
  {"rap-psp", "stop8", 12}, {"psp", "hole1", 14}, {"psp", "hole30", 14},
  {"psp", "stop8", 14}, {"damped-psp", "hole1", 14}, {"damped-psp", "hole30",
        14}, {"damped-psp", "stop8", 14}
};

GST_START_TEST (test_returns)
{
  double f[LAB_N_FIGURES];

  lab_run (lab_case_find (returns[__i__].outage), returns[__i__].controller,
      NULL, NULL, 11, f, NULL);
  fail_unless (f[LAB_UP] < returns[__i__].most, "%s, %s: %f s",
      returns[__i__].controller, returns[__i__].outage, f[LAB_UP]);
}

GST_END_TEST;

/* To claim what was lost brings no controller more than it has without, nor
 * more losses. */
static const struct
{
  const char *controller, *honest, *lying;
} liars[] = {
  {"poise", "police", "policelies"},
  {"poise", "short10", "short10lies"},
  {"scp", "police", "policelies"},
  {"scp", "short10", "short10lies"},
  {"rap-psp", "police", "policelies"},
  {"rap-psp", "short10", "short10lies"},
  {"psp", "police", "policelies"},
  {"damped-psp", "police", "policelies"},
  {"media-scaling", "police", "policelies"}
};

GST_START_TEST (test_liars)
{
  double honest[LAB_N_FIGURES], lying[LAB_N_FIGURES];
  uint64_t seed;

  for (seed = 1; seed <= 2; seed++) {
    lab_run (lab_case_find (liars[__i__].honest), liars[__i__].controller, NULL,
        NULL, seed, honest, NULL);
    lab_run (lab_case_find (liars[__i__].lying), liars[__i__].controller, NULL,
        NULL, seed, lying, NULL);
    fail_unless (lying[LAB_LOSS] < honest[LAB_LOSS] + 2, "%s: %f %% and %f",
        liars[__i__].controller, lying[LAB_LOSS], honest[LAB_LOSS]);
    fail_unless (lying[LAB_WAIT] < honest[LAB_WAIT] + 20, "%s: %f ms and %f",
        liars[__i__].controller, lying[LAB_WAIT], honest[LAB_WAIT]);
  }
}

GST_END_TEST;

/* A session of 20 s over a link at whose end nothing is lost. The source ends at
 * `stop`, 0 = it does not. */
static void
run_session (const char *link, const char *controller, uint8_t ecn,
    int64_t stop, PspSenderStats * stats, int64_t * target)
{
  LabCalendar calendar = { 0 };
  LabWay forward = {.link = link };
  LabWay back = {.link = "delay=20ms" };
  LabDirection *f = lab_direction_new (&calendar, &forward, 1);
  LabDirection *b = lab_direction_new (&calendar, &back, 2);
  LabMediaConfig config = {
    .controller = controller,
    .source = "plain",
    .stop = stop,
    .ecn = ecn,
    .seed = 1
  };
  LabMedia *media = lab_media_new (&calendar, 0, &config, f, b);

  lab_calendar_run (&calendar, 20 * S);
  lab_media_stats (media, stats);
  *target = lab_media_target (media, 20 * S);
  lab_calendar_clear (&calendar);
  lab_media_free (media);
  lab_direction_free (f);
  lab_direction_free (b);
}

/* Marks hold the target down to what the link carries, without loss. */
static const struct
{
  const char *controller, *link;
  uint8_t ecn;
} marking[] = {
  {"scp", "rate=2M,delay=20ms,queue=1000p,codel,ecn", PSP_ECN_ECT0},
  {"scp", "rate=2M,delay=20ms,queue=1000p,step=5ms", PSP_ECN_ECT1},
  {"rap-psp", "rate=2M,delay=20ms,queue=1000p,codel,ecn", PSP_ECN_ECT0},
  {"poise", "rate=2M,delay=20ms,queue=1000p,step=1ms", PSP_ECN_ECT1}
};

GST_START_TEST (test_marks)
{
  PspSenderStats stats;
  int64_t target;

  run_session (marking[__i__].link, marking[__i__].controller,
      marking[__i__].ecn, 0, &stats, &target);
  fail_unless_equals_int (stats.ecn, PSP_ECN_PATH_CAPABLE);
  fail_unless (stats.packets_ce > 0);
  fail_unless_equals_uint64 (stats.packets_lost, 0);
  fail_unless (target < 2000000, "%" G_GINT64_FORMAT, target);
}

GST_END_TEST;

/* Where ECN is of no use packets leave without it, and arrive. */
static const struct
{
  const char *link;
  PspEcnVerdict verdict;
} broken[] = {
  {"rate=2M,delay=20ms,queue=60p,bleach", PSP_ECN_PATH_BLEACHED},
  {"rate=2M,delay=20ms,queue=60p,drop-ect", PSP_ECN_PATH_DROPPED},
};

GST_START_TEST (test_broken_ecn)
{
  PspSenderStats stats;
  int64_t target;

  run_session (broken[__i__].link, "scp", PSP_ECN_ECT0, 0, &stats,
      &target);
  fail_unless_equals_int (stats.ecn, broken[__i__].verdict);
  fail_unless_equals_uint64 (stats.packets_ce, 0);
  /* A quarter of 2 s. */
  fail_unless (stats.packets_ect < stats.packets_sent / 20);
  fail_unless (stats.packets_lost <= stats.packets_ect);
  fail_unless (target > 1500000, "%" G_GINT64_FORMAT, target);
}

GST_END_TEST;

/* Where packets overtake others the rate stays, and all that was taken for lost
 * is known to have come. A back-off of scp is undone when the last packet behind
 * it has come, here after a quarter of a second, and four a second are late. */
static const struct
{
  const char *name, *controller;
  double least;                 /* of the rate in order */
} reordering[] = {
  {"reorder1", "poise", .95},
  {"reorder1", "scp", .95},
  {"reorder5", "poise", .95},
  {"reorder5", "scp", .95},
  {"reorder50", "poise", .8},
  {"reorder50", "scp", .65},
};

GST_START_TEST (test_reordering)
{
  const char *controller = reordering[__i__].controller;
  const LabCase *c = lab_case_find (reordering[__i__].name);
  double sum[2] = { 0, 0 }, f[LAB_N_FIGURES];
  LabCase ordered = *c;
  PspSenderStats stats;
  uint64_t seed;
  int64_t target;

  ordered.forward.link = "rate=2M,delay=20ms,queue=60p";
  for (seed = 11; seed <= 14; seed++) {
    lab_run (&ordered, controller, NULL, NULL, seed, f, NULL);
    sum[0] += f[LAB_USE];
    lab_run (c, controller, NULL, NULL, seed, f, NULL);
    sum[1] += f[LAB_USE];
  }
  fail_unless (sum[1] >= reordering[__i__].least * sum[0], "%s, %s: %f",
      c->name, controller, sum[1] / sum[0]);
  run_session (c->forward.link, controller, PSP_ECN_NOT_ECT, 18 * S, &stats,
      &target);
  fail_unless ((stats.packets_lost > 0) == (__i__ >= 2), "%s, %s: %d lost",
      c->name, controller, (int) stats.packets_lost);
  fail_unless_equals_uint64 (stats.packets_recovered, stats.packets_lost);
  fail_unless_equals_uint64 (stats.packets_acked, stats.packets_sent);
}

GST_END_TEST;

static Suite *
lab_suite (void)
{
  Suite *s = suite_create ("lab");
  TCase *tc = tcase_create ("general");
  int n;

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_calendar);
  for (n = 0; lab_sources[n].name; n++);
  tcase_add_loop_test (tc, test_sources, 0, n);
  tcase_add_loop_test (tc, test_competitors, 0, 2);
  for (n = 0; lab_cases[n].name; n++);
  tcase_add_loop_test (tc, test_cases, 0, n);
  tcase_add_test (tc, test_known_controller);
  tcase_add_loop_test (tc, test_bars, 0, G_N_ELEMENTS (bars));
  tcase_add_loop_test (tc, test_sharing, 0, G_N_ELEMENTS (unequal));
  tcase_add_loop_test (tc, test_not_starved, 0, G_N_ELEMENTS (starving));
  tcase_add_loop_test (tc, test_returns, 0, G_N_ELEMENTS (returns));
  tcase_add_loop_test (tc, test_liars, 0, G_N_ELEMENTS (liars));
  tcase_add_loop_test (tc, test_marks, 0, G_N_ELEMENTS (marking));
  tcase_add_loop_test (tc, test_broken_ecn, 0, G_N_ELEMENTS (broken));
  tcase_add_loop_test (tc, test_reordering, 0, G_N_ELEMENTS (reordering));
  return s;
}

GST_CHECK_MAIN (lab);
