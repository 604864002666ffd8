/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The rules of poise, one by one, over a path that each test describes: the
 * delay of each packet, what gets lost, and what arrives how fast.
 */
#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "bottleneck.h"

#define SIZE 1200               /* of an RTP packet */
#define BITS (8.0 * (SIZE + 28))

/* A path in whose place the test answers. */
typedef struct
{
  PspController *c;
  PspDecision d;
  int64_t now, index;
  double delay;                 /* s, one way; what waits in queues included */
  double back;                  /* s */
  bool app_limited;             /* the next frame */
  unsigned left_over;           /* packets that wait behind the next frame */
  uint32_t size;                /* of an RTP packet */
  guint8 sent_ecn, arrives;     /* PspEcn of packets */
} Path;

static void
path_init (Path * p, int64_t start)
{
  PspLimits limits = {.start_bitrate = start };

  memset (p, 0, sizeof *p);
  p->c = psp_controller_new (&psp_cc_poise, &limits, NULL, 0, &p->d);
  p->size = SIZE;
  p->c->mean_size = SIZE;
  p->c->mean_payload = SIZE - 12;
  p->delay = p->back = .02;
  p->app_limited = true;
}

static void
report (Path * p, const PspPacketResult * results, unsigned n, unsigned n_lost)
{
  PspReport r = {.now = p->now,.results = results,.n_results = n,
    .n_received = n - n_lost,.n_lost = n_lost,.newest_index = p->index - 1,
    .oldest_in_flight_at = PSP_TIME_NEVER,
    .rtt_sample = (int64_t) ((p->delay + p->back) * 1e9)
  };
  unsigned i;

  for (i = 0; i < n; i++)
    r.n_ce += results[i].ecn == PSP_ECN_CE;
  psp_controller_feedback (p->c, &r, &p->d);
}

/* A frame of n packets, sent at `in` and arriving at `out` bits/s, and the
 * report of it, so many ms after the one before. */
static void
frame_after (Path * p, unsigned n, double in, double out, unsigned n_lost,
    bool ce, int64_t ms)
{
  PspPacketResult results[64];
  double bits = 8. * (p->size + 28);
  unsigned i;

  memset (results, 0, sizeof results);
  for (i = 0; i < n; i++) {
    PspSent sent = {.now = p->now + (int64_t) (i * bits / in * 1e9),
      .index = p->index,.size = p->size,.in_flight = 1,
      .app_limited = i == 0 && p->app_limited,
      .backlog = n - 1 - i + p->left_over
    };

    results[i].index = p->index++;
    results[i].size = p->size;
    results[i].sent_at = sent.now;
    results[i].arrived_at = p->now + (int64_t) ((p->delay + i * bits / out)
        * 1e9);
    results[i].app_limited = sent.app_limited;
    results[i].outcome = i < n_lost ? PSP_OUTCOME_LOST : PSP_OUTCOME_RECEIVED;
    results[i].sent_ecn = p->sent_ecn;
    results[i].ecn = ce ? PSP_ECN_CE : p->arrives;
    psp_controller_sent (p->c, &sent, &p->d);
  }
  p->now += ms * PSP_MSECOND;
  report (p, results, n, n_lost);
}

static void
frame (Path * p, unsigned n, double in, double out, unsigned n_lost, bool ce)
{
  frame_after (p, n, in, out, n_lost, ce, 33);
}

/* Bits/s of IP packets that the target means. */
static double
rate (const Path * p)
{
  return (double) p->d.target_bitrate * BITS / (8 * (SIZE - 12));
}

/* Bits/s at which packets leave. */
static double
pace (const Path * p)
{
  return BITS * 1e9 / (double) p->d.period;
}

/* Until the rate is that of a path of 2 Mb/s, on which a queue stands where
 * more is sent. */
static void
settle (Path * p)
{
  int i;

  for (i = 0; i < 300; i++) {
    p->delay = rate (p) > 1.96e6 ? .032 : .02;
    frame (p, 6, 2.4e6, 2e6, 0, false);
  }
  p->delay = .02;
}

/* Frames until the rate gives way once to others' queue. */
static void
give_way (Path * p)
{
  double before = rate (p);

  p->delay = .05;
  do
    frame (p, 6, 2.4e6, 2e6, 0, false);
  while (p->d.reason != PSP_REASON_DELAY || rate (p) > .9 * before);
  p->delay = .02;
}

/* n frames beside others that keep a long queue. */
static void
contend (Path * p, int n)
{
  int i;

  for (i = 0; i < n; i++) {
    p->delay = .12 + .02 * sin (i / 5.);
    frame (p, (unsigned) MAX (rate (p) * .033 / BITS, 1), 2.4e6, 1.5e6, 0,
        false);
  }
}

/* Free trains double the rate in each round trip and 30 ms. */
GST_START_TEST (test_start)
{
  Path p;
  int i;

  path_init (&p, 300000);
  fail_unless (fabs (rate (&p) / 300e3 - 1) < .03, "%f", rate (&p));
  for (i = 0; i < 10; i++)
    frame (&p, 12, 10e6, 10e6, 0, false);
  fail_unless (rate (&p) > 300e3 * 8 && rate (&p) < 300e3 * 32, "%f",
      rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Whoever starts with 2 Mb/s sends what takes .25 s of it, and then little: n
 * packets in all, for which `results` has room. */
static void
start_unanswered (Path * p, PspPacketResult * results, int n)
{
  const int fast = (int) (.25 * 2e6 / BITS);
  PspSent sent = {.size = SIZE,.in_flight = 1 };

  path_init (p, 2000000);
  for (p->index = 0; p->index < n; p->index++) {
    bool slow = p->index >= fast;

    p->now += (slow ? 25 : 4) * PSP_MSECOND;
    sent.now = p->now;
    sent.index = p->index;
    psp_controller_sent (p->c, &sent, &p->d);
    results[p->index] = (PspPacketResult) {
    .index = p->index,.size = SIZE,.sent_at = p->now,
          /* some jitter, which makes trains of slow packets slower */
    .arrived_at = p->now + (20 + (slow ? p->index % 4 * 3 : 0)) * PSP_MSECOND};
    if (p->index < fast - 1)
      fail_unless (rate (p) > 1.95e6, "%f", rate (p));
    else if (p->index > fast)
      fail_unless (rate (p) < 310e3 && pace (p) < 370e3, "%f, %f", rate (p),
          pace (p));
  }
  fail_unless (p->d.reason == PSP_REASON_TIMEOUT);
}

/* Some receivers answer after .65 s first. An answer that tells of no queue gives
 * the rate back, also where it tells of little that left since. */
GST_START_TEST (test_answered_late)
{
  PspPacketResult results[80];
  Path p;

  start_unanswered (&p, results, G_N_ELEMENTS (results));
  report (&p, results, G_N_ELEMENTS (results), 0);
  fail_unless (rate (&p) > 1.9e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Losses that are presumed are no answer, and take nothing from the start. */
GST_START_TEST (test_presumed_is_no_answer)
{
  PspPacketResult results[80];
  PspReport r = {.results = results,.n_results = 10,.n_lost = 10,
    .timeout = true,.rtt_sample = PSP_TIME_UNKNOWN,
    .oldest_in_flight_at = PSP_TIME_NEVER
  };
  Path p;
  int i;

  start_unanswered (&p, results, G_N_ELEMENTS (results));
  for (i = 0; i < 10; i++)
    results[i].outcome = PSP_OUTCOME_LOST;
  p.now += PSP_SECOND;
  r.now = p.now;
  psp_controller_feedback (p.c, &r, &p.d);
  fail_unless (rate (&p) < 310e3, "%f", rate (&p));
  report (&p, results + 10, G_N_ELEMENTS (results) - 10, 0);
  fail_unless (rate (&p) > 1.9e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A start that needs no proof goes on without an answer. */
GST_START_TEST (test_unanswered_little)
{
  PspSent sent = {.size = SIZE,.in_flight = 1 };
  Path p;

  path_init (&p, 200000);
  for (p.now = 0; p.now < PSP_SECOND; p.now += 40 * PSP_MSECOND) {
    sent.now = p.now;
    sent.index = p.index++;
    psp_controller_sent (p.c, &sent, &p.d);
  }
  fail_unless (fabs (rate (&p) / 200e3 - 1) < .03, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Saturated trains tell the capacity; .975 of it are for the media. */
GST_START_TEST (test_capacity)
{
  Path p;

  path_init (&p, 300000);
  settle (&p);
  fail_unless (fabs (rate (&p) / (.975 * 2e6) - 1) < .03, "%f", rate (&p));
  /* A frame leaves at 1.2 of it. */
  fail_unless (fabs (BITS * 1e9 / (double) p.d.period / 2.4e6 - 1) < .05,
      "%f", BITS * 1e9 / (double) p.d.period);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Two saturated trains end the start, and show more than was tried so far. */
GST_START_TEST (test_start_ends)
{
  Path p;
  int i;

  path_init (&p, 300000);
  for (i = 0; i < 3; i++)
    frame (&p, 6, 3.6e6, 1.8e6, 0, false);
  /* Of the round trip and a report's wait at the capacity. */
  fail_unless (p.d.window >= .75 * 1.8e6 * .064 / BITS, "%" G_GINT64_FORMAT,
      p.d.window);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Slow trains without a queue are others' packets or jitter: one of them counts
 * a fifth of a fast one. */
GST_START_TEST (test_slow_trains)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  before = rate (&p);
  for (i = 0; i < 4; i++)
    frame (&p, 6, 2.4e6, 1.8e6, 0, false);
  fail_unless (rate (&p) > .97 * before, "%f", rate (&p));
  for (i = 0; i < 60; i++)
    frame (&p, 6, 2.4e6, i % 6 ? 1.8e6 : 2e6, 0, false);
  fail_unless (rate (&p) > .93 * before, "%f", rate (&p));
  /* If there are no others, it was a fall, and less is received than passes. */
  for (i = 0; i < 200; i++)
    frame (&p, 5, 2.4e6, 1.6e6, 0, false);
  fail_unless (rate (&p) < .9 * before, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* What is received shows which: no path is slower than that. Beside others the
 * capacity grows, as their part of it would keep it where it is. */
GST_START_TEST (test_trains_among_others)
{
  static const struct
  {
    unsigned packets;           /* 3 are .9 Mb/s, 2 are .6 */
    bool grows;
  } rows[] = { {3, true}, {2, false} };
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  for (i = 0; i < 60; i++)
    frame (&p, 3, pace (&p), MIN (pace (&p), 1e6), 0, false);
  before = rate (&p);
  fail_unless (fabs (before - 1e6) < .1e6, "%f", before);
  for (i = 0; i < 90; i++)
    frame (&p, rows[__i__].packets, 1.2e6, .7e6, 0, false);
  fail_unless ((rate (&p) > before) == rows[__i__].grows, "%f of %f",
      rate (&p), before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A train that is free for once is chance; the next ones count more. */
GST_START_TEST (test_rise)
{
  Path p;

  path_init (&p, 300000);
  settle (&p);
  frame (&p, 6, 4e6, 4e6, 0, false);
  frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (pace (&p) < 1.2 * 2.7e6, "%f", pace (&p));
  settle (&p);
  frame (&p, 6, 4e6, 4e6, 0, false);
  frame (&p, 6, 4e6, 4e6, 0, false);
  frame (&p, 6, 4e6, 4e6, 0, false);
  fail_unless (pace (&p) > 3.6e6, "%f", pace (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* With a queue they are the capacity, and it falls within two frames. */
GST_START_TEST (test_fall)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 8; i++) {
    p.delay = .07;
    frame (&p, 6, 2.4e6, 1e6, 0, false);
  }
  fail_unless (rate (&p) < 1e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* So it does where delays differ, when the queue is longer than they do. */
GST_START_TEST (test_fall_with_jitter)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 100; i++) {
    p.delay = i % 2 ? .02 : .03;
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  }
  for (i = 0; i < 8; i++) {
    p.delay = .15;
    frame (&p, 6, 1.5e6, 1e6, 0, false);
  }
  fail_unless (pace (&p) < .7e6, "%f", pace (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A queue stands, others contend: × .85, no sooner than each 350 ms. */
GST_START_TEST (test_giving_way)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.delay = .045;
  for (i = 0; i < 5; i++)
    frame (&p, 6, 2.4e6, 2.4e6, 0, false);
  before = ((double) p.d.target_bitrate);
  for (i = 0; i < 30; i++)
    frame (&p, 2, 2.4e6, 2.4e6, 0, false);
  /* One second: two or three times. */
  fail_unless ((double) p.d.target_bitrate < .8 * before);
  fail_unless ((double) p.d.target_bitrate > .85 * .85 * .85 * .85 * before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* What waits behind its own burst does not contend with it, though the rate is
 * below what the capacity would allow. */
GST_START_TEST (test_own_burst)
{
  static const double waits[] = { 0, .026, .052, .078, .05, .022, 0 };
  double before;
  Path p;
  unsigned i;

  path_init (&p, 300000);
  settle (&p);
  give_way (&p);
  for (i = 0; i < 15; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  before = rate (&p);
  fail_unless (before < .95 * .975 * 2e6);
  for (i = 0; i < G_N_ELEMENTS (waits); i++) {
    p.delay = .02 + waits[i];
    frame (&p, i < 3 ? 12 : 1, 4.8e6, 2e6, 0, false);
  }
  for (i = 0; i < 4; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (rate (&p) > .97 * before, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* What had to wait for a path to come back does not contend. */
GST_START_TEST (test_silence)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  before = rate (&p);
  p.now += 2 * PSP_SECOND;
  for (i = 0; i < 9; i++) {
    p.delay = i < 6 ? .12 : .02;
    frame (&p, 6, 2e6, 2e6, 0, false);
  }
  fail_unless (rate (&p) > .9 * before, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Who contends gives way again when it has grown by as much: a small flow soon,
 * and after three such times it is alone. */
GST_START_TEST (test_alone_again)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.sent_ecn = p.arrives = PSP_ECN_ECT1;
  for (i = 0; i < 60; i++) {
    p.delay = rate (&p) > .3e6 ? .07 : .02;
    frame (&p, 2, .36e6, .3e6, 0, false);
  }
  p.delay = .02;
  frame (&p, 2, .36e6, .3e6, 0, true);
  fail_unless (rate (&p) < .35e6, "%f", rate (&p));
  for (i = 0; i < 20; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (rate (&p) < .5e6, "%f", rate (&p));
  for (i = 0; i < 58; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (rate (&p) > 1.2e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A source that always makes more than may leave: what left long after the packet
 * before it tells of the jitter, so that more may be under way. */
GST_START_TEST (test_jitter_of_backlog)
{
  double window;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.app_limited = false;
  for (i = 0; i < 60; i++)
    frame (&p, 2, 2.4e6, 2e6, 0, false);
  window = (double) p.d.window;
  for (i = 0; i < 60; i++) {
    p.delay = i % 2 ? .02 : .028;
    frame (&p, 2, 2.4e6, 2e6, 0, false);
  }
  fail_unless ((double) p.d.window > 1.2 * window, "%f of %f",
      (double) p.d.window, window);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* What waits in the sender when a frame comes drains in .4 s, by 15 % of the
 * target at most; the frame itself waits in any case. */
GST_START_TEST (test_own_queue_drains)
{
  static const struct
  {
    unsigned left_over;
    double share;               /* of the target */
  } rows[] = {
    {0, 1}, {6, 1 - 6 * BITS / 2e6 / .4}, {120, .85}
  };
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  before = rate (&p);
  p.left_over = rows[__i__].left_over;
  for (i = 0; i < 3; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (fabs (rate (&p) / before - rows[__i__].share) < .02, "%f",
      rate (&p) / before);
  p.left_over = 0;
  for (i = 0; i < 3; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (fabs (rate (&p) / before - 1) < .02, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* It gave way and less arrived, but the queue stays: it competes, and its
 * target does not fall any more. A loss then is CUBIC's, × .7. */
GST_START_TEST (test_competing)
{
  double before, window;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  contend (&p, 180);
  before = rate (&p);
  fail_unless (before > 500e3, "%f", before);
  window = (double) p.d.window;
  frame (&p, 4, 2.4e6, 1.5e6, 1, false);
  fail_unless (fabs ((double) p.d.window / window - .7) < .12, "%f",
      (double) p.d.window / window);
  /* The encoder hears of it evened out. */
  fail_unless (rate (&p) > .9 * before && rate (&p) < before, "%f",
      rate (&p) / before);
  /* The competitor has left: as at the start, with frames as small as its share. */
  p.delay = .02;
  for (i = 0; i < 60; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), pace (&p),
        MIN (pace (&p), 2e6), 0, false);
  fail_unless (rate (&p) > 1.7e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A queue stands, and for a second nothing comes: that is no time in which giving
 * way did not help. The queue is so long that it would compete at once. */
GST_START_TEST (test_silence_is_no_patience)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.delay = .32;
  for (i = 0; i < 27; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 1.5e6, 0,
        false);
  before = rate (&p);
  p.now += 900 * PSP_MSECOND;
  for (i = 0; i < 9; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 1.5e6, 0,
        false);
  fail_unless (rate (&p) < before, "%f of %f", rate (&p), before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A sender that had little when others' queue came. Its encoder makes no less
 * than `made`, and trains among others' packets keep R at C. */
static const struct
{
  int64_t start;
  uint32_t size;                /* of packets */
  int n_free;                   /* frames before others' queue comes */
  double made;                  /* bits/s that arrive */
} little_rows[] = {
  {36000, 400, 0, 31e3},
  {150000, 900, 30, 75e3}
};

GST_START_TEST (test_competing_for_little)
{
  double made = little_rows[__i__].made;
  Path p;
  int i;

  path_init (&p, little_rows[__i__].start);
  p.size = little_rows[__i__].size;
  p.c->mean_size = p.size;
  p.c->mean_payload = p.size - 12;
  frame_after (&p, 1, made, made, 0, false, 100);
  for (i = 0; i < little_rows[__i__].n_free; i++)
    frame_after (&p, i < 20 ? 3 : 1, pace (&p), 250e3, 0, false, 100);
  for (i = 0; i < 200; i++) {
    p.delay = .066 + .008 * sin (i / 5.);
    frame_after (&p, i % 20 == 0 ? 3 : 1, pace (&p), 1.1 * made, 0, false,
        (int64_t) (8e3 * (p.size + 28) / made));
  }
  fail_unless (rate (&p) > 200e3, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A packet in each round trip, which a long queue makes long, is no silence. */
GST_START_TEST (test_window_is_no_silence)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 40; i++) {
    p.delay = .3 + .05 * sin (i / 2.);
    frame_after (&p, 1, 2.4e6, 1.5e6, 0, false, 320);
  }
  fail_unless (rate (&p) > 1e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Others' packets get between the few of a train. What is received shows that the
 * rate does pass: it gives way by its delay alone. */
GST_START_TEST (test_slow_trains_of_few)
{
  double least = INFINITY;
  Path p;
  int i;

  path_init (&p, 300000);
  p.delay = p.back = .01;
  frame_after (&p, 2, 360e3, 300e3, 0, false, 130);
  for (i = 0; i < 28; i++) {
    p.delay = .045 + .006 * sin (i / 2.);
    frame_after (&p, 2, 1.2 * rate (&p), .8 * rate (&p), 0, false,
        (int64_t) (2 * BITS / rate (&p) * 1e3));
    least = fmin (least, rate (&p));
  }
  fail_unless (least > 60e3, "%f", least);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* So it is from the first on where it has just competed: TCP that backs off is back
 * soon. */
GST_START_TEST (test_slow_trains_after_competing)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  contend (&p, 180);
  fail_unless (rate (&p) > 500e3, "%f", rate (&p));
  p.delay = .02;
  for (i = 0; i < 40; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), pace (&p),
        MIN (pace (&p), 2e6), 0, false);
  before = rate (&p);
  p.delay = .055;
  for (i = 0; i < 8; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), pace (&p),
        .7 * pace (&p), 0, false);
  fail_unless (rate (&p) > .45 * before, "%f of %f", rate (&p), before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Jitter and others keep a small queue, and the capacity falls: the queue of that has
 * all the patience before it. */
GST_START_TEST (test_queue_grows)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 36; i++) {
    p.delay = .037 + .002 * sin (i / 3.);
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 2e6, 0,
        false);
  }
  before = rate (&p);
  for (i = 0; i < 30; i++) {
    p.delay = .17 - .002 * i;
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, .4e6, 0,
        false);
  }
  fail_unless (rate (&p) < .6 * before, "%f of %f", rate (&p), before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* TCP that only backed off fills its queue again: it competes as before, at once,
 * and does not give way first. A queue that flows of this kind leave is none. */
GST_START_TEST (test_competing_again)
{
  bool refills = __i__ == 1;
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 310; i++) {
    p.delay = .12 + .02 * sin (i / 5.);
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 1.5e6,
        i == 210, false);
  }
  before = rate (&p);
  p.delay = .02;
  for (i = 0; i < 25; i++)
    frame (&p, 3, pace (&p), MIN (pace (&p), 2e6), 0, false);
  p.delay = refills ? .09 : .045;
  for (i = 0; i < 30; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 1.5e6, 0,
        false);
  fail_unless ((rate (&p) > .8 * before) == refills, "%f of %f", rate (&p),
      before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Small flows of the same kind may leave a longer queue than a large one did, but
 * not again and again, and never one as long as TCP's. A pause makes no second
 * queue of one. */
GST_START_TEST (test_queue_of_small_flows)
{
  static const struct
  {
    double wait;
    int times;
    bool pauses, competes;
  } rows[] = {
    {.07, 1, false, false}, {.07, 1, true, false}, {.07, 2, false, true},
    {.3, 1, false, true}
  };
  bool competes = false;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 110 * rows[__i__].times; i++) {
    bool stands = i % 110 < 75;

    if (rows[__i__].pauses && i == 65)
      p.now += 1500 * PSP_MSECOND;
    p.delay = .02 + (stands ? rows[__i__].wait * (1 + .1 * sin (i / 5.)) : 0);
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6,
        stands ? 1.5e6 : 2e6, 0, false);
    competes |= i % 110 == 74 && rate (&p) > .6e6;
  }
  fail_unless (competes == rows[__i__].competes);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Others' queue overflows twice: it competes, and does not give way any more. What
 * comes after all was overtaken, and says nothing of a queue. Where packets have just
 * been lost without a queue, losses beside one say little. */
GST_START_TEST (test_overflow)
{
  bool recovered = __i__ == 1, stray = __i__ == 2;
  PspPacketResult late = {.size = SIZE,.outcome = PSP_OUTCOME_RECOVERED,
    .arrived_at = PSP_TIME_UNKNOWN
  };
  PspReport r = {.results = &late,.n_results = 1,.n_recovered = 1,
    .rtt_sample = PSP_TIME_UNKNOWN,.oldest_in_flight_at = PSP_TIME_NEVER
  };
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; stray && i < 60; i++)
    frame (&p, 6, 2.4e6, 2e6, i % 10 == 0, false);
  before = rate (&p);
  for (i = 0; i < 90; i++) {
    p.delay = .065 + .01 * sin (i / 5.);
    frame (&p, 6, 2.4e6, 2e6, i % 30 == 8, false);
    if (recovered && i % 30 == 8) {
      late.index = p.index - 6;
      late.sent_at = p.now - 33 * PSP_MSECOND;
      r.now = p.now;
      psp_controller_feedback (p.c, &r, &p.d);
    }
  }
  fail_unless ((rate (&p) < .4 * before) == (recovered || stray), "%f",
      rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Others' queue grows and is gone at once, each 4 s. */
typedef struct
{
  int times;
  double longest;               /* s */
  int grows, falls;             /* frames */
  bool pauses;                  /* while it grows */
  double again;                 /* s; length of a queue that comes later */
  bool competes;
} Teeth;

static const Teeth teeth[] = {
  {6, .05, 24, 1, false, .05, true},
  /* It gives way in the report that shows that the queue stands, and no more. */
  {6, .05, 13, 1, false, .05, true},
  {3, .05, 24, 1, false, .05, false},
  /* It drains slowly. */
  {6, .05, 24, 12, false, .05, false},
  /* It grew in a pause, which shows nothing. */
  {6, .05, 10, 1, true, .05, false},
  /* The later queue is too short for the same TCP's. */
  {5, .12, 24, 1, false, .031, false}
};

static void
tooth (Path * p, const Teeth * t)
{
  int i;

  for (i = 0; i < 121; i++) {
    if (t->pauses && i == t->grows - 1)
      p->now += 600 * PSP_MSECOND;
    p->delay = .02 + t->longest * (i < t->grows ? .6 + .4 * i / (t->grows - 1)
        : fmax (1 - (double) (i - t->grows + 1) / t->falls, 0));
    frame (p, (unsigned) MAX (rate (p) * .033 / BITS, 1), 2.4e6, 2e6, 0, false);
  }
}

/* Who has seen enough teeth knows the next queue for TCP's, and does not give way
 * to it for long. */
GST_START_TEST (test_sawtooth)
{
  const Teeth *t = &teeth[__i__];
  double early;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < t->times; i++)
    tooth (&p, t);
  p.delay = .02 + t->again;
  for (i = 0; i < 20; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 1.8e6, 0,
        false);
  early = rate (&p);
  for (i = 0; i < 16; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 1.8e6, 0,
        false);
  fail_unless ((rate (&p) > .95 * early) == t->competes, "%f",
      rate (&p) / early);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A key frame waits for itself as long as ever, and a packet of it is lost by
 * chance, twice: no queue was there to overflow, and nobody competes. Who had
 * competed would start anew soon, at twice the rate. */
GST_START_TEST (test_own_queue_overflows_not)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 90; i++) {
    frame (&p, i % 30 == 8 ? 24 : 6, 2.4e6, 2e6, i % 30 == 8, false);
    fail_unless (pace (&p) < 1.9 * rate (&p), "%d: %f", i,
        pace (&p) / rate (&p));
  }
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Delays differ, and the least of a few is far above the least of all. That is no
 * queue which has stood for long when the capacity falls. */
GST_START_TEST (test_jitter_stands_not)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 150; i++) {
    p.delay = i == 0 ? .012 : i % 2 ? .024 : .034;
    if (i > 60 && i < 66)
      p.delay = .045;
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  }
  for (i = 0; i < 20; i++) {
    p.delay = .08 + .002 * i;
    frame (&p, 2, .7e6, .6e6, 0, false);
  }
  fail_unless (rate (&p) < .6e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* The capacity has fallen, and what filled the queue drains while it gives way:
 * nobody else is there. Who competes has half of what was in use. If a part of
 * the queue stays for good, others fill it. */
GST_START_TEST (test_draining)
{
  const double stays[] = { 0, .1 };
  bool competes = false;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.delay = .04;
  for (i = 0; i < 8; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  for (i = 0; i < 200; i++) {
    p.delay = .02 + fmax (.3 * exp (-i / 18.), stays[__i__]);
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), .6e6, .5e6, 0,
        false);
    competes |= i > 20 && rate (&p) > .7e6;
  }
  fail_unless (competes == (stays[__i__] > 0));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* It gave way and the delay did not change at all: the path is longer. */
GST_START_TEST (test_longer_path)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.delay += .04;
  for (i = 0; i < 200; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 2e6, 0,
        false);
  fail_unless (rate (&p) > 1.8e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A queue that stays the same passes for a longer path until it is gone. BBR
 * empties its own each 10 s: from then on the same delay is that of a competitor,
 * beside whom the rate grows until there are losses. */
GST_START_TEST (test_no_longer_path)
{
  bool gone = __i__ == 1;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 460; i++) {
    p.delay = .06 - (gone && i >= 200 && i < 205 ? .04 : 0);
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 2e6, 0,
        false);
  }
  fail_unless ((rate (&p) > 3e6) == gone, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Losses without a queue are none of its own. */
GST_START_TEST (test_random_loss)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 900; i++)
    frame (&p, 6, 2.4e6, 2e6, i % 3 == 0, false);
  fail_unless (rate (&p) > 1.85e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A rare report tells of a queue that overflowed and of how it drained. Its losses
 * are answered once, as the queue's, and are no policer's. */
GST_START_TEST (test_losses_of_drained_queue)
{
  PspPacketResult results[60];
  unsigned i, n_lost = 0;
  double before;
  Path p;

  path_init (&p, 300000);
  settle (&p);
  before = rate (&p);
  memset (results, 0, sizeof results);
  for (i = 0; i < G_N_ELEMENTS (results); i++) {
    bool queued = i < 40, lost = queued && i % 4 > 0;
    int64_t sent_at = p.now + i * 16 * PSP_MSECOND;

    results[i].index = p.index++;
    results[i].size = SIZE;
    results[i].sent_at = sent_at;
    results[i].app_limited = true;
    results[i].outcome = lost ? PSP_OUTCOME_LOST : PSP_OUTCOME_RECEIVED;
    results[i].arrived_at = lost ? PSP_TIME_UNKNOWN :
        sent_at + (queued ? 420 : 20) * PSP_MSECOND;
    n_lost += lost;
  }
  p.now += PSP_SECOND;
  report (&p, results, G_N_ELEMENTS (results), n_lost);
  fail_unless (fabs (rate (&p) / before - .87) < .03, "%f",
      rate (&p) / before);
  for (i = 0; i < 15; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (rate (&p) > .9 * before, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A mark counts once in a round trip: × .85, but by the share of marked packets
 * where they left with ECT(1), whatever the receiver says that they had. Here
 * every packet is marked for five round trips. The share follows as DCTCP's does,
 * by 1/16 in each: Π (1 − (1 − (15/16)ⁿ) / 2) = .63. The rate grows meanwhile; with
 * ECT(0) as fast as that of TCP, whose window would be of 7 segments. */
static const struct
{
  PspEcn sent, arrives;
  double least, most;           /* of the rate that is left */
} mark_rows[] = {
  {PSP_ECN_NOT_ECT, PSP_ECN_NOT_ECT, .41, .78},
  {PSP_ECN_ECT0, PSP_ECN_ECT0, .41, .78},
  {PSP_ECN_ECT0, PSP_ECN_ECT1, .41, .78},
  {PSP_ECN_ECT1, PSP_ECN_ECT1, .62, .72}
};

GST_START_TEST (test_mark)
{
  double before;
  int i, answered = 0;
  Path p;

  path_init (&p, 300000);
  p.sent_ecn = (guint8) mark_rows[__i__].sent;
  p.arrives = (guint8) mark_rows[__i__].arrives;
  settle (&p);
  before = rate (&p);
  /* A frame is .8 of a round trip. */
  for (i = 0; i < 10; i++) {
    frame (&p, 6, 2.4e6, 2e6, 0, true);
    answered += p.d.reason == PSP_REASON_ECN;
  }
  fail_unless_equals_int (answered, 5);
  fail_unless (rate (&p) / before > mark_rows[__i__].least
      && rate (&p) / before < mark_rows[__i__].most, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* TCP that answers a mark fills the queue again. A sender that gave way to that
 * queue, too, would have little, so for 3 s the rate is no less than TCP's with
 * the same mark. With ECT(1) that is so where marked packets had to wait as in a
 * classic queue; in one for L4S there may be no TCP. */
static const struct
{
  PspEcn ecn;
  double delay;                 /* s, of marked packets */
  bool fair;
} fair_rows[] = {
  {PSP_ECN_ECT0, .02, true},
  {PSP_ECN_ECT1, .02, false},
  {PSP_ECN_ECT1, .05, true}
};

GST_START_TEST (test_mark_fair)
{
  bool fair = fair_rows[__i__].fair;
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  p.sent_ecn = p.arrives = (guint8) fair_rows[__i__].ecn;
  settle (&p);
  p.delay = fair_rows[__i__].delay;
  frame (&p, 6, 2.4e6, 2e6, 0, true);
  before = rate (&p);
  p.delay = .05;
  for (i = 0; i < 80; i++)
    frame (&p, 4, 2.4e6, 2e6, 0, false);
  fail_unless ((rate (&p) > .9 * before) == fair, "%f", rate (&p) / before);
  for (i = 0; i < 30; i++)
    frame (&p, 4, 2.4e6, 2e6, 0, false);
  fail_unless (rate (&p) < .8 * before, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Two frames whose packets are marked after a short wait show a queue for L4S
 * again: frames leave no faster than it takes them. */
GST_START_TEST (test_mark_of_l4s_again)
{
  Path p;
  int i;

  path_init (&p, 300000);
  p.sent_ecn = p.arrives = PSP_ECN_ECT1;
  settle (&p);
  p.delay = .05;
  for (i = 0; i < 5; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, true);
  p.delay = .02;
  for (i = 0; i < 10; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (pace (&p) > 2.1e6, "%f", pace (&p));
  for (i = 0; i < 2; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, true);
  fail_unless (pace (&p) < 2e6, "%f", pace (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Frames would be marked if they left faster than the path takes them. So they do
 * not, and what trains do not show is found by growing until a mark comes. */
GST_START_TEST (test_mark_remembered)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  p.sent_ecn = p.arrives = PSP_ECN_ECT1;
  settle (&p);
  for (i = 0; i < 2; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, true);
  before = rate (&p);
  fail_unless (pace (&p) < 2e6 && pace (&p) > before, "%f", pace (&p));
  for (i = 0; i < 60; i++)
    frame (&p, 6, pace (&p), pace (&p), 0, false);
  /* half of .2 √(1.96 · 1 Mb/s) in each of two seconds */
  fail_unless (pace (&p) > 2.15e6 && pace (&p) < 2.35e6, "%f", pace (&p));
  for (i = 0; i < 32; i++)
    frame (&p, 6, pace (&p), pace (&p), 0, false);
  fail_unless (pace (&p) > 1.15 * rate (&p), "%f", pace (&p) / rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A source that makes little is no measure of the path, and silence no proof:
 * 3 times of what arrived, 600 kb/s at least. */
GST_START_TEST (test_proof)
{
  Path p;
  int i;

  path_init (&p, 300000);
  p.c->limits.unproved_bitrate = 600000;
  settle (&p);
  for (i = 0; i < 300; i++)
    frame (&p, 1, 2.4e6, 2e6, 0, false);
  /* 1 packet each 33 ms: 298 kb/s */
  fail_unless (rate (&p) > 590e3 && rate (&p) < 950e3, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Frames of a packet are no trains. What they have not shown of the path lets
 * nothing more leave at once. */
GST_START_TEST (test_untrained)
{
  Path p;
  int i;

  path_init (&p, 300000);
  p.c->limits.unproved_bitrate = 600000;
  for (i = 0; i < 400; i++)
    frame (&p, 1, 10e6, 10e6, 0, false);
  fail_unless (rate (&p) > 590e3 && rate (&p) < 950e3, "%f", rate (&p));
  fail_unless (p.d.window < 100, "%" G_GINT64_FORMAT, p.d.window);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* What arrived under the controller before is a proof. */
GST_START_TEST (test_proof_of_before)
{
  PspLimits limits = {.start_bitrate = 2000000,.unproved_bitrate = 600000 };
  double least[2];
  Path p;
  int i, k;

  for (k = 0; k < 2; k++) {
    path_init (&p, 2000000);
    p.c->in_use_bitrate = k == 0 ? 0 : 2000000;
    psp_controller_set_limits (p.c, &limits, 0, &p.d);
    psp_controller_reset (p.c, 0, &p.d);
    least[k] = rate (&p);
    for (i = 0; i < 10; i++) {
      frame (&p, 1, 2.4e6, 2.4e6, 0, false);
      least[k] = MIN (least[k], rate (&p));
    }
    psp_controller_free (p.c);
  }
  fail_unless (least[0] < 950e3 && least[1] > 1.9e6, "%f %f", least[0],
      least[1]);
}

GST_END_TEST;

/* Reports that are always a second apart are no silence: a queue counts. */
GST_START_TEST (test_seldom_reports)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 30; i++)
    frame_after (&p, 6, 60e3, 60e3, 0, false, 1050);
  before = rate (&p);
  for (i = 0; i < 8; i++) {
    p.delay += .1;
    frame_after (&p, 6, 60e3, 60e3, 0, false, 1050);
  }
  fail_unless (rate (&p) < .4 * before, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* The application asks for more than it sends: so much of it is announced as
 * trains show, and nothing of it where there are none. */
static const struct
{
  int64_t asked;
  unsigned packets;             /* of a frame */
  double least, most;           /* rate, bits/s */
} asked_rows[] = {
  {5000000, 2, 1.7e6, 2.05e6},
  {1200000, 2, 1.15e6, 1.3e6},
  {0, 2, 1.7e6, 2.05e6},        /* nothing needs a proof */
  {600000, 2, 590e3, 1.9e6},
  {5000000, 1, 590e3, 950e3}
};

GST_START_TEST (test_asked)
{
  unsigned packets = asked_rows[__i__].packets;
  double r;
  Path p;
  int i;

  path_init (&p, 300000);
  p.c->limits.unproved_bitrate = asked_rows[__i__].asked;
  for (i = 0; i < 900; i++)
    frame (&p, i % 3 == 0 || packets == 1 ? packets : 0, 2.4e6, 2e6, 0, false);
  r = rate (&p);
  fail_unless (r > asked_rows[__i__].least && r < asked_rows[__i__].most,
      "%f", r);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A path that was all but gone comes back: it is found anew as at the start, and
 * old waits are neither taken for its length nor for another's queue. */
GST_START_TEST (test_outage)
{
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  before = rate (&p);
  for (i = 0; i < 60; i++) {
    p.delay = .02 + MIN (i, 40) * .3;
    p.now += 300 * PSP_MSECOND;
    frame (&p, 1, 2e6, 2e6, 0, false);
  }
  fail_unless (rate (&p) < before / 4, "%f", rate (&p));
  p.delay = .02;
  for (i = 0; i < 20; i++)
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 2), 2.4e6, 2e6, 0,
        false);
  fail_unless (rate (&p) > .8 * before, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* TCP's queue had been there from the first on, and TCP leaves while it gives way:
 * frames of one packet do not show the capacity, so that it starts again. A queue
 * that flows of its kind leave is none. */
GST_START_TEST (test_drained)
{
  bool falls = __i__ == 1;
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  p.delay = .2;
  for (i = 0; i < 60; i++)
    frame (&p, 2, 2.4e6, .3e6, 0, false);
  before = rate (&p);
  p.delay = falls ? .02 : .15;
  for (i = 0; i < 60; i++)
    frame (&p, 1, 2.4e6, 2e6, 0, false);
  fail_unless ((rate (&p) > 3 * before) == falls, "%f of %f", rate (&p),
      before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Beside others that leave again before it competes, trains are slow. The capacity
 * that they hid is then found as at the start, with frames as small as R has become.
 * A queue that drains when C comes down was no others', and hid nothing. */
GST_START_TEST (test_hidden_capacity)
{
  bool others = __i__ == 0;
  double most = 0;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 15; i++) {
    p.delay = others ? .085 + .005 * sin (i) : MAX (.085 - .01 * i, .02);
    frame_after (&p, 4, pace (&p), MIN (pace (&p), .5e6), 0, false, 70);
  }
  fail_unless (rate (&p) < 600e3, "%f", rate (&p));
  p.delay = .02;
  for (i = 0; i < 24; i++) {
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), pace (&p),
        MIN (pace (&p), others ? 2e6 : .5e6), 0, false);
    most = MAX (most, rate (&p));
  }
  fail_unless ((most > 1.7e6) == others, "%f", most);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* What was given up for a burst of others' packets, or beside a page, is taken back
 * when their queue is gone. It is not if the queue stood for longer, or for as long
 * and was no longer than one of this kind, if it was there a moment ago, or if it
 * overflowed. */
GST_START_TEST (test_burst)
{
  static const struct
  {
    int frames, since;          /* of the queue, and since the one before */
    double wait;
    bool lost, returns;
  } rows[] = {
    {7, 60, .07, false, true},
    {20, 60, .14, false, true},
    {34, 60, .14, false, false},
    {20, 60, .03, false, false},
    {7, 8, .07, false, false},
    {20, 15, .14, false, false},
    {7, 60, .07, true, false},
  };
  double before, fallen;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  give_way (&p);
  for (i = 0; i < rows[__i__].since; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  before = rate (&p);
  p.delay += rows[__i__].wait;
  for (i = 0; i < rows[__i__].frames; i++)
    frame (&p, 6, pace (&p), MIN (pace (&p), 1.25e6), rows[__i__].lost
        && i == 5, false);
  fallen = rate (&p);
  fail_unless (fallen < .8 * before, "%f of %f", fallen, before);
  p.delay = .02;
  for (i = 0; i < 10; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless ((rate (&p) > .97 * before) == rows[__i__].returns,
      "%f of %f", rate (&p), before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* The receiver's clock may be anywhere: what the base is says nothing, and it has not
 * fallen when the first packet comes. */
GST_START_TEST (test_clock_offset)
{
  static const double offsets[] = { 0, -1000, 1000 };
  double rates[G_N_ELEMENTS (offsets)];
  PspReport r = {.rtt_sample = PSP_TIME_UNKNOWN,
    .oldest_in_flight_at = PSP_TIME_NEVER
  };
  Path p;
  guint i, n;

  for (i = 0; i < G_N_ELEMENTS (offsets); i++) {
    path_init (&p, 300000);
    r.now = p.now;
    psp_controller_feedback (p.c, &r, &p.d);
    for (n = 0; n < 90; n++) {
      p.delay = offsets[i] + (rate (&p) > 1.96e6 ? .032 : .02);
      frame (&p, 6, 2.4e6, 2e6, 0, false);
      fail_unless (n < 60 || pace (&p) < 1.9 * rate (&p), "%f", pace (&p));
    }
    rates[i] = rate (&p);
    psp_controller_free (p.c);
  }
  fail_unless (fabs (rates[1] / rates[0] - 1) < .01);
  fail_unless (fabs (rates[2] / rates[0] - 1) < .01);
}

GST_END_TEST;

/* A policer lets as much pass after an outage as before. */
GST_START_TEST (test_policed_outage)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 240; i++)
    frame (&p, 6, 2.4e6, 2e6, rate (&p) > 1.6e6, false);
  fail_unless (rate (&p) < 1.6e6, "%f", rate (&p));
  p.delay = 3;
  p.now += 3 * PSP_SECOND;
  frame (&p, 1, 2e6, 2e6, 0, false);
  p.delay = .02;
  for (i = 0; i < 20; i++)
    frame (&p, 12, 10e6, 10e6, 0, false);
  fail_unless (rate (&p) < 1.8e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* A receiver is silent, and then reports a second at once: so much did not come
 * since the silence, when a mark ends the start. */
GST_START_TEST (test_withheld_report)
{
  Path p;
  int i;

  path_init (&p, 300000);
  for (i = 0; i < 10; i++)
    frame (&p, 1, 2e6, 2e6, 0, false);
  p.now += 2 * PSP_SECOND;
  frame_after (&p, 60, .6e6, .6e6, 0, false, 1050);
  frame_after (&p, 1, 2e6, 2e6, 0, true, 60);
  fail_unless (pace (&p) < .8e6, "%f", pace (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Others' queue was as long as in an outage. When it is gone that was none: until
 * it stays gone it still competes, and does not start again, at twice the rate. */
GST_START_TEST (test_long_competition)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 150; i++) {
    p.delay = .02 + MIN (i * .02, 1.2) + .02 * sin (i / 5.);
    frame (&p, (unsigned) MAX (rate (&p) * .033 / BITS, 1), 2.4e6, 1.5e6, 0,
        false);
  }
  p.delay = .02;
  for (i = 0; i < 10; i++) {
    frame (&p, 1, 2.4e6, 2e6, 0, false);
    fail_unless (pace (&p) < 1.9 * rate (&p), "%d: %f of %f", i, pace (&p),
        rate (&p));
  }
  psp_controller_free (p.c);
}

GST_END_TEST;

/* While nothing comes losses are presumed. They prove nothing, and what was
 * proved before remains so. */
GST_START_TEST (test_presumed_losses)
{
  PspPacketResult lost = {.size = SIZE,.outcome = PSP_OUTCOME_LOST,
    .arrived_at = PSP_TIME_UNKNOWN
  };
  PspReport r = {.results = &lost,.n_results = 1,.n_lost = 1,.timeout = true,
    .rtt_sample = PSP_TIME_UNKNOWN,.oldest_in_flight_at = PSP_TIME_NEVER
  };
  double before;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  before = rate (&p);
  for (i = 0; i < 20; i++) {
    p.now += PSP_SECOND;
    r.now = p.now;
    lost.index = p.index++;
    lost.sent_at = p.now - PSP_SECOND;
    psp_controller_feedback (p.c, &r, &p.d);
  }
  for (i = 0; i < 3; i++)
    frame (&p, 6, 2e6, 2e6, 0, false);
  fail_unless (rate (&p) > .9 * before, "%f", rate (&p) / before);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Small packets of a calm scene pass, whatever the capacity is by now. */
GST_START_TEST (test_idle)
{
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  for (i = 0; i < 300; i++)
    frame (&p, 1, 2.4e6, 2e6, 0, false);
  for (i = 0; i < 60; i++)
    frame (&p, 6, 2.4e6, 2e6, 0, false);
  fail_unless (rate (&p) < 2.1e6, "%f", rate (&p));
  psp_controller_free (p.c);
}

GST_END_TEST;

/* The window is of bits: that packets were small does not widen it. */
GST_START_TEST (test_window)
{
  double bits = 0;
  Path p;

  path_init (&p, 300000);
  settle (&p);
  p.c->mean_size = 100;
  p.c->mean_payload = 88;
  frame (&p, 1, 2.4e6, 2e6, 0, false);
  fail_unless (p.d.window > 60);
  while (bits < 1e6) {
    PspSent sent = {.now = p.now,.index = p.index++,.size = SIZE,
      .in_flight = (int64_t) (bits / BITS + 1.5)
    };

    if (sent.in_flight > p.d.window)
      break;
    psp_controller_sent (p.c, &sent, &p.d);
    bits += BITS;
  }
  /* 2 Mb/s for the round trip, the report's time and a slack */
  fail_unless (bits > 2e6 * .05 && bits < 2e6 * .1, "%f", bits);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Packets that wait among others' take none of the rate: the window holds what R
 * sends meanwhile. A queue that flows of this kind leave does not widen it, nor one
 * as long as an outage's. */
GST_START_TEST (test_window_among_others)
{
  static const double waits[] = { .02, .2, 1.2 };
  double wait = waits[__i__], bits;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.delay += wait;
  for (i = 0; i < 5; i++)
    frame_after (&p, 1, 2.4e6, 2e6, 0, false, (int64_t) (wait * 1e3 + 40));
  bits = (double) p.d.window * BITS;
  fail_unless ((bits > rate (&p) * (wait + .1)) == (__i__ == 1), "%f", bits);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Small packets of a calm scene grow when more is coded: what is told leaves
 * room for as many headers as there are, not for those of as small packets at
 * the whole rate. */
GST_START_TEST (test_small_packets)
{
  double headers = 8 * 40 * 4 / .033;
  Path p;
  int i;

  path_init (&p, 300000);
  settle (&p);
  p.size = p.c->mean_size = 32;
  p.c->mean_payload = 20;
  for (i = 0; i < 600; i++)
    frame (&p, 4, 2.4e6, 2e6, 0, false);
  fail_unless (p.d.target_bitrate > .9 * (1.9e6 - headers), "%"
      G_GINT64_FORMAT, p.d.target_bitrate);
  fail_unless (p.d.target_bitrate < 2e6 - headers, "%" G_GINT64_FORMAT,
      p.d.target_bitrate);

  /* Where small ones fill the rate, their headers count. */
  p.size = p.c->mean_size = 200;
  p.c->mean_payload = 188;
  for (i = 0; i < 30; i++)
    frame (&p, 34, 1.9e6, 1.9e6, 0, false);
  fail_unless (p.d.target_bitrate < 2.1e6 * 188 / 228, "%" G_GINT64_FORMAT,
      p.d.target_bitrate);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* Encoders that are told next to nothing make packets that are all header. */
GST_START_TEST (test_least_target)
{
  Path p;
  int i;

  path_init (&p, 300000);
  p.c->mean_size = 20;
  p.c->mean_payload = 8;
  for (i = 0; i < 100; i++) {
    p.delay = i % 2 ? .4 : .02;
    frame (&p, 1, 1e5, 1e5, i > 10, false);
  }
  fail_unless (p.d.target_bitrate >= 30000, "%" G_GINT64_FORMAT,
      p.d.target_bitrate);
  psp_controller_free (p.c);
}

GST_END_TEST;

/* The loop closed: 2, 1, 2 Mb/s with an encoder of slices. */
GST_START_TEST (test_closed_loop)
{
  BnConfig config = {
    .controller = "poise",
    .steps = {{0, 2000000}, {20 * PSP_SECOND, 1000000},
        {30 * PSP_SECOND, 2000000}
        },
    .delay = 20 * PSP_MSECOND,
    .queue = 60,
    .payload = 1200,
    .overhead = 40,
    .report_packets = 8,
    .report_interval = 25 * PSP_MSECOND,
    .fps = 30,
    .noise = .2,
    .slices = 4,
    .key_interval = 60,
    .vbv = 200 * PSP_MSECOND,
    .start_bitrate = 300000,
    .seed = (uint32_t) __i__
  };
  Bn *b = bn_new (&config);

  bn_run (b, 5 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 20 * PSP_SECOND);
  fail_unless (bn_throughput (b) > .88 * 2e6, "%f", bn_throughput (b));
  fail_unless (bn_queue_delay (b) < 12e6, "%f", bn_queue_delay (b));
  bn_run (b, 22 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 30 * PSP_SECOND);
  fail_unless (bn_throughput (b) > .85 * 1e6, "%f", bn_throughput (b));
  fail_unless (bn_queue_delay (b) < 20e6, "%f", bn_queue_delay (b));
  bn_run (b, 33 * PSP_SECOND);
  bn_mark (b);
  bn_run (b, 40 * PSP_SECOND);
  fail_unless (bn_throughput (b) > .85 * 2e6, "%f", bn_throughput (b));
  fail_unless (bn_loss (b) == 0);
  bn_free (b);
}

GST_END_TEST;

static Suite *
cc_poise_suite (void)
{
  Suite *s = suite_create ("control-cc-poise");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_start);
  tcase_add_test (tc, test_answered_late);
  tcase_add_test (tc, test_presumed_is_no_answer);
  tcase_add_test (tc, test_unanswered_little);
  tcase_add_test (tc, test_capacity);
  tcase_add_test (tc, test_start_ends);
  tcase_add_test (tc, test_slow_trains);
  tcase_add_loop_test (tc, test_trains_among_others, 0, 2);
  tcase_add_test (tc, test_rise);
  tcase_add_test (tc, test_fall);
  tcase_add_test (tc, test_fall_with_jitter);
  tcase_add_test (tc, test_giving_way);
  tcase_add_test (tc, test_own_burst);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_alone_again);
  tcase_add_test (tc, test_jitter_of_backlog);
  tcase_add_test (tc, test_competing);
  tcase_add_test (tc, test_silence_is_no_patience);
  tcase_add_loop_test (tc, test_competing_for_little, 0,
      G_N_ELEMENTS (little_rows));
  tcase_add_test (tc, test_window_is_no_silence);
  tcase_add_test (tc, test_slow_trains_of_few);
  tcase_add_test (tc, test_slow_trains_after_competing);
  tcase_add_test (tc, test_queue_grows);
  tcase_add_loop_test (tc, test_competing_again, 0, 2);
  tcase_add_loop_test (tc, test_queue_of_small_flows, 0, 4);
  tcase_add_loop_test (tc, test_overflow, 0, 3);
  tcase_add_loop_test (tc, test_sawtooth, 0, G_N_ELEMENTS (teeth));
  tcase_add_test (tc, test_own_queue_overflows_not);
  tcase_add_loop_test (tc, test_own_queue_drains, 0, 3);
  tcase_add_test (tc, test_jitter_stands_not);
  tcase_add_loop_test (tc, test_draining, 0, 2);
  tcase_add_test (tc, test_longer_path);
  tcase_add_loop_test (tc, test_no_longer_path, 0, 2);
  tcase_add_test (tc, test_random_loss);
  tcase_add_test (tc, test_losses_of_drained_queue);
  tcase_add_loop_test (tc, test_mark, 0, G_N_ELEMENTS (mark_rows));
  tcase_add_loop_test (tc, test_mark_fair, 0, G_N_ELEMENTS (fair_rows));
  tcase_add_test (tc, test_mark_of_l4s_again);
  tcase_add_test (tc, test_mark_remembered);
  tcase_add_test (tc, test_proof);
  tcase_add_test (tc, test_untrained);
  tcase_add_test (tc, test_proof_of_before);
  tcase_add_test (tc, test_seldom_reports);
  tcase_add_loop_test (tc, test_asked, 0, G_N_ELEMENTS (asked_rows));
  tcase_add_test (tc, test_outage);
  tcase_add_loop_test (tc, test_drained, 0, 2);
  tcase_add_loop_test (tc, test_hidden_capacity, 0, 2);
  tcase_add_loop_test (tc, test_burst, 0, 7);
  tcase_add_test (tc, test_clock_offset);
  tcase_add_test (tc, test_policed_outage);
  tcase_add_test (tc, test_withheld_report);
  tcase_add_test (tc, test_long_competition);
  tcase_add_test (tc, test_presumed_losses);
  tcase_add_test (tc, test_idle);
  tcase_add_test (tc, test_window);
  tcase_add_loop_test (tc, test_window_among_others, 0, 3);
  tcase_add_test (tc, test_small_packets);
  tcase_add_test (tc, test_least_target);
  tcase_add_loop_test (tc, test_closed_loop, 1, 4);
  return s;
}

GST_CHECK_MAIN (cc_poise);
