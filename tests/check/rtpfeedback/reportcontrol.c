/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/reportcontrol.h>

#define MS PSP_MSECOND
#define SSRC 7
#define PAYLOAD 1200

static PspSenderReports reports;
static PspReportControl control;
static uint64_t payload;        /* bytes sent */

static void
setup (void)
{
  psp_sender_reports_init (&reports, "me", 1);
  psp_report_control_init (&control, 1e6);
  payload = 0;
}

static void
send_packets (unsigned n)
{
  const PspRtpHeader header = {.ssrc = SSRC,.payload_size = PAYLOAD };

  for (unsigned i = 0; i < n; i++)
    psp_sender_reports_sent (&reports, &header, 0, 0);
  payload += n * PAYLOAD;
}

/* The middle 32 bits of an NTP time. */
static uint32_t
ntp (int64_t now)
{
  return (uint32_t) (now / PSP_SECOND * 65536 +
      now % PSP_SECOND * 65536 / PSP_SECOND);
}

/* next: when the packet behind the highest left. */
static bool
report_block (const PspRtcpReportBlock * block, int64_t next, int64_t now)
{
  uint8_t data[64];
  PspWriter w = psp_writer (data, sizeof data);

  psp_rtcp_write_rr (&w, 1, block, 1);
  fail_if (psp_report_control_receive (&control, &reports, data, w.size - 1,
          payload, next, ntp (now), now));
  return psp_report_control_receive (&control, &reports, data, w.size, payload,
      next, ntp (now), now);
}

static bool
report_next (uint32_t ssrc, uint32_t highest, int32_t lost, int64_t rtt,
    int64_t next, int64_t now)
{
  PspRtcpReportBlock block = {.ssrc = ssrc,.highest_seq = highest,
    .cumulative_lost = lost
  };

  if (rtt > 0) {
    block.delay_since_last_sr = 65536;
    block.last_sr = ntp (now - rtt) - block.delay_since_last_sr;
  }
  return report_block (&block, next, now);
}

static bool
report (uint32_t ssrc, uint32_t highest, int32_t lost, int64_t rtt, int64_t now)
{
  return report_next (ssrc, highest, lost, rtt, PSP_TIME_UNKNOWN, now);
}

/* 1000 packets in 10 s are 960 kb/s. What comes of the second report? */
static const struct
{
  int32_t lost;
  int64_t rtt;
  double before, after, loss;
} decisions[] = {
  {0, 0, 1e6, 1331000, 0},      /* 1.1³: no more for one report */
  {0, 0, 1.4e6, 1440000, 0},    /* 1.5 times what was sent */
  {20, 0, 1e6, 1331000, .02},
  {21, 0, 1e6, .85 * .979 * 960000, .021},
  {101, 0, 1e6, .7 * .899 * 960000, .101},
  {1000, 0, 1e6, 64000, 1},     /* never less */
  {-5, 0, 1e6, 1331000, 0},     /* duplicates */
  {0, 149 * MS, 1e6, 1331000, 0},
  {0, 162 * MS, 1e6, (1 - 62 / 500.) * 960000, 0},
};

GST_START_TEST (test_decisions)
{
  control.bitrate = decisions[__i__].before;
  send_packets (100);
  fail_if (report (SSRC + 1, 99, 0, 0, 0));
  fail_unless (report (SSRC, 99, 10, 100 * MS, 0));
  fail_unless (control.loss < 0);
  fail_unless (control.bitrate == decisions[__i__].before);
  fail_unless (ABS (control.rtt - 100 * MS) < MS);
  send_packets (1000);
  fail_unless (report (SSRC, 1099, 10 + decisions[__i__].lost,
          decisions[__i__].rtt, 10 * PSP_SECOND));
  fail_unless (ABS (control.loss - decisions[__i__].loss) < 1e-6);
  /* A round trip is known to 1/65536 s. */
  fail_unless (ABS (control.bitrate - decisions[__i__].after) < 50, "%f",
      control.bitrate);
}

GST_END_TEST;

/* What the first report after a decrease has lost was lost before it, unless it
 * is much; and then it may rise again. */
GST_START_TEST (test_after_decrease)
{
  double bitrate;

  send_packets (100);
  report (SSRC, 99, 0, 0, 0);
  send_packets (1000);
  report (SSRC, 1099, 50, 0, 10 * PSP_SECOND);
  bitrate = control.bitrate;
  fail_unless (bitrate < 960e3);
  send_packets (500);
  report (SSRC, 1599, 75, 0, 15 * PSP_SECOND);
  fail_unless (control.bitrate == bitrate);
  send_packets (500);
  report (SSRC, 2099, 75, 0, 20 * PSP_SECOND);
  fail_unless (control.bitrate > bitrate);
  send_packets (500);
  report (SSRC, 2599, 100, 0, 25 * PSP_SECOND);
  bitrate = control.bitrate;
  send_packets (500);
  report (SSRC, 3099, 200, 0, 30 * PSP_SECOND);
  fail_unless (control.bitrate < .7 * bitrate);
}

GST_END_TEST;

/* A second of growth, by what was congested: the last time at 800 kb/s, and before
 * that at 2 Mb/s. */
static const struct
{
  double bitrate, growth;
} growths[] = {
  {700e3, 1.07},
  {790e3, 1.015},
  {830e3, 1.015},
  {850e3, 1.1},
  {1590e3, 1.1},
  {1610e3, 1.015},
  {2090e3, 1.015},
  {2110e3, 1.1},
};

GST_START_TEST (test_growth)
{
  const double bitrate = growths[__i__].bitrate;

  control.bitrate = bitrate;
  control.congested = 800e3;
  control.fastest = 2e6;
  send_packets (100);
  report (SSRC, 99, 0, 0, 0);
  send_packets (1000);
  report (SSRC, 1099, 0, 0, PSP_SECOND);
  fail_unless (ABS (control.bitrate - growths[__i__].growth * bitrate) < 1,
      "%f", control.bitrate);
}

GST_END_TEST;

/* What had not come when the report was made tells of a queue, where it left
 * longer ago than a round trip takes; not twice in a row, and not where no round
 * trip is known. */
static const struct
{
  int64_t rtt, waited;
  double after;
} queues[] = {
  {100 * MS, 149 * MS, 1331000},
  {100 * MS, 160 * MS, .88 * 960000},
  {100 * MS, 300 * MS, .6 * 960000},
  {100 * MS, 900 * MS, .5 * 960000},
  {20 * MS, 49 * MS, 1331000},
  {20 * MS, 51 * MS, .9 * 960000},
  {0, 900 * MS, 1331000},
};

GST_START_TEST (test_queue)
{
  const int64_t now = 10 * PSP_SECOND;
  double bitrate;

  send_packets (100);
  report (SSRC, 99, 0, queues[__i__].rtt, 0);
  send_packets (1000);
  report_next (SSRC, 1099, 0, 0, now - queues[__i__].waited, now);
  bitrate = control.bitrate;
  fail_unless (ABS (bitrate - queues[__i__].after) < 50, "%f", bitrate);
  if (bitrate > 960e3)
    return;
  send_packets (500);
  report_next (SSRC, 1599, 0, 0, now + 4 * PSP_SECOND, now + 5 * PSP_SECOND);
  fail_unless (control.bitrate == bitrate);
  send_packets (500);
  report_next (SSRC, 2099, 0, 0, now + 10 * PSP_SECOND - 20 * MS,
      now + 10 * PSP_SECOND);
  fail_unless (control.bitrate > bitrate);
}

GST_END_TEST;

/* Numbers that nobody can have: what was never sent, more lost than sent, what
 * goes back, a round trip of another clock. Nor do copies count. */
GST_START_TEST (test_impossible)
{
  send_packets (2000);
  fail_unless (report (SSRC, 99, 0, 100 * MS, 0));
  report (SSRC, 99 + 3000, 2900, 0, 1 * PSP_SECOND);
  report (SSRC, 99, 0, 0, 2 * PSP_SECOND);
  report (SSRC, 199, 101, 0, 3 * PSP_SECOND);
  report (SSRC, 150, 50, 11 * PSP_SECOND, 4 * PSP_SECOND);
  report (SSRC, 150, 50, 11 * PSP_SECOND, 5 * PSP_SECOND);
  fail_unless (control.loss < 0 && control.bitrate == 1e6);
  fail_unless (ABS (control.rtt - 100 * MS) < MS);
  /* A flood of reports is one. */
  fail_if (report (SSRC, 160, 59, 0, 5050 * MS));
  fail_unless (control.loss < 0);
}

GST_END_TEST;

/* At a limit the count of lost packets stands still (RFC 3550 appendix A.3).
 * What is lost of 1000 packets then comes from the fraction, of which the
 * report has the integer part. */
#define MOST_LOST 0x7fffff
#define LEAST_LOST (-0x800000)

static const struct
{
  int32_t before, after;
  uint8_t fraction;
  double loss;                  /* -1: the report is impossible */
} limits[] = {
  {MOST_LOST, MOST_LOST, 153, .598},
  {MOST_LOST, MOST_LOST, 255, .997},
  {MOST_LOST, MOST_LOST, 0, 0},
  {MOST_LOST - 10, MOST_LOST, 153, .598},
  {MOST_LOST, MOST_LOST - 10, 153, .598},
  {LEAST_LOST, LEAST_LOST, 153, .598},
  {LEAST_LOST + 10, LEAST_LOST, 153, .598},
  {LEAST_LOST, LEAST_LOST + 10, 153, .598},
  {MOST_LOST - 100, MOST_LOST - 1, 153, .099},
  {LEAST_LOST + 1, LEAST_LOST + 100, 153, .099},
  {MOST_LOST - 1001, MOST_LOST, 255, -1},
  {LEAST_LOST, LEAST_LOST + 1001, 255, -1},
};

GST_START_TEST (test_limits)
{
  const double loss = limits[__i__].loss;
  PspRtcpReportBlock block = {.ssrc = SSRC,.highest_seq = 99,
    .cumulative_lost = limits[__i__].before
  };

  send_packets (100);
  fail_unless (report_block (&block, PSP_TIME_UNKNOWN, 0));
  send_packets (1000);
  block.highest_seq += 1000;
  block.cumulative_lost = limits[__i__].after;
  block.fraction_lost = limits[__i__].fraction;
  fail_unless (report_block (&block, PSP_TIME_UNKNOWN, 10 * PSP_SECOND));
  fail_unless (ABS (control.loss - loss) < 1e-6, "%f", control.loss);
  fail_unless ((control.bitrate < 1e6) == (loss > .02), "%f", control.bitrate);
}

GST_END_TEST;

/* A third of three packets is 85/256 of them, and still one packet. */
GST_START_TEST (test_limit_few)
{
  PspRtcpReportBlock block = {.ssrc = SSRC,.highest_seq = 99,
    .cumulative_lost = MOST_LOST
  };

  send_packets (103);
  report_block (&block, PSP_TIME_UNKNOWN, 0);
  block.highest_seq += 3;
  block.fraction_lost = 85;
  report_block (&block, PSP_TIME_UNKNOWN, 5 * PSP_SECOND);
  fail_unless (ABS (control.loss - 1 / 3.) < 1e-6, "%f", control.loss);
}

GST_END_TEST;

/* Reports more than 10 s apart lower the bitrate as others do, but do not raise
 * it. A packet in 8 ms is 1.2 Mb/s. */
static const struct
{
  int64_t interval;
  unsigned lost;                /* of 1000 packets */
  int64_t rtt;
  double before, after;
} intervals_apart[] = {
  {10000 * MS, 0, 0, 1e6, 1331000},
  {10001 * MS, 0, 0, 1e6, 1e6},
  {14000 * MS, 20, 0, 1e6, 1e6},
  {14000 * MS, 21, 0, 1e6, .85 * .979 * 1.2e6},
  {14000 * MS, 600, 0, 1e6, .7 * .4 * 1.2e6},
  {14000 * MS, 600, 0, 200e3, 200e3},
  {14000 * MS, 1000, 0, 1e6, 64000},
  {14000 * MS, 0, 149 * MS, 1e6, 1e6},
  {14000 * MS, 0, 200 * MS, 1e6, .8 * 1.2e6},
};

GST_START_TEST (test_far_apart)
{
  const int64_t interval = intervals_apart[__i__].interval;
  const unsigned sent = (unsigned) (interval / (8 * MS));
  const int32_t lost = (int32_t) (sent * intervals_apart[__i__].lost / 1000);

  control.bitrate = intervals_apart[__i__].before;
  send_packets (100);
  report (SSRC, 99, 0, 100 * MS, 0);
  send_packets (sent);
  report (SSRC, 99 + sent, lost, intervals_apart[__i__].rtt, interval);
  /* Packets are whole. */
  fail_unless (ABS (control.bitrate - intervals_apart[__i__].after) < 1000,
      "%f", control.bitrate);
}

GST_END_TEST;

/* A source that sends all it may, of which 60 % are lost, ends at the least
 * bitrate, however far apart the reports are. */
static const int64_t starved[] = { 8 * PSP_SECOND, 11 * PSP_SECOND,
  14 * PSP_SECOND
};

GST_START_TEST (test_starved)
{
  uint32_t highest = 99;
  int32_t lost = 0;

  send_packets (100);
  for (unsigned i = 0; i < 20; i++) {
    const unsigned n = (unsigned) (control.bitrate / 8 / PAYLOAD *
        (double) starved[__i__] / PSP_SECOND);

    report (SSRC, highest, lost, 0, i * starved[__i__]);
    send_packets (n);
    highest += n;
    lost += (int32_t) (n * 6 / 10);
  }
  fail_unless (control.bitrate == 64e3, "%f", control.bitrate);
}

GST_END_TEST;

/* A drop-tail bottleneck with a queue of 60 packets, 20 ms each way, whose rate
 * changes each minute, and a source that sends all it may. The receiver reports
 * what had come to it then, as little as that may be. */
static const double capacities[] = { 2e6, .8e6, 2e6 };

#define PHASE (60 * PSP_SECOND)
#define DELAY (20 * MS)
#define MEMORY 4096             /* packets: more than can be under way */

typedef struct
{
  int64_t sent_at, arrives_at;  /* PSP_TIME_NEVER: it is dropped */
} Packet;

typedef struct
{
  int64_t free_at;              /* the queue is empty */
  Packet packets[MEMORY];
  Packet sr;                    /* the one sent last */
  uint32_t sent, received;
  uint32_t highest, lost;       /* as the receiver sees it */
} Link;

/* Returns when what is sent now arrives. */
static int64_t
pass (Link * link, int64_t now, unsigned size)
{
  double capacity = capacities[now / PHASE];

  link->free_at = MAX (link->free_at, now);
  if ((double) (link->free_at - now) * capacity / 8e9 > 60 * PAYLOAD)
    return PSP_TIME_NEVER;
  link->free_at += (int64_t) (8e9 * size / capacity);
  return link->free_at + DELAY;
}

static void
pass_packet (Link * link, int64_t now)
{
  Packet *p = &link->packets[link->sent++ % MEMORY];

  p->sent_at = now;
  p->arrives_at = pass (link, now, PAYLOAD);
  if (p->arrives_at != PSP_TIME_NEVER)
    link->received++;
}

/* The receiver knows of a loss once something arrives behind it. */
static void
see_packets (Link * link, int64_t until)
{
  for (uint32_t i = link->highest + 1; i < link->sent; i++) {
    const Packet *p = &link->packets[i % MEMORY];

    if (p->arrives_at == PSP_TIME_NEVER)
      continue;
    if (p->arrives_at > until)
      return;
    link->lost += i - link->highest - 1;
    link->highest = i;
  }
}

static void
report_link (Link * link, int64_t now)
{
  int64_t made_at = now - DELAY, rtt = 0;
  int64_t next = PSP_TIME_UNKNOWN;

  see_packets (link, made_at);
  if (link->highest + 1 < link->sent)
    next = link->packets[(link->highest + 1) % MEMORY].sent_at;
  if (link->sr.arrives_at <= made_at) {
    rtt = link->sr.arrives_at - link->sr.sent_at + DELAY;
    link->sr.arrives_at = PSP_TIME_NEVER;
  }
  report_next (SSRC, link->highest, (int32_t) link->lost, rtt, next, now);
}

/* The intervals of regular RTCP (RFC 3550 section 6.2), and of AVPF. */
static const int64_t intervals[] = { 4120 * MS, 500 * MS };

static int64_t
draw (GRand * random, int64_t interval)
{
  return (int64_t) ((double) interval * g_rand_double_range (random, .5, 1.5));
}

/* Returns the share of the capacity that was used; *lost is that of packets. */
static double
run_step (guint32 seed, int64_t interval, double *lost)
{
  const int64_t end = G_N_ELEMENTS (capacities) * PHASE;
  GRand *random = g_rand_new_with_seed (seed);
  int64_t rr_at = PSP_SECOND, sr_at = PSP_SECOND / 2;
  double offered = 0;
  static Link link;

  setup ();
  control.bitrate = 600e3;
  memset (&link, 0, sizeof link);
  link.sr.arrives_at = PSP_TIME_NEVER;
  for (int64_t now = 0; now < end;
      now += (int64_t) (8e9 * PAYLOAD / control.bitrate)) {
    if (now >= sr_at) {
      link.sr.sent_at = now;
      link.sr.arrives_at = pass (&link, now, 60);
      sr_at += draw (random, intervals[0]);
    }
    if (now >= rr_at) {
      report_link (&link, now);
      rr_at += draw (random, interval);
    }
    send_packets (1);
    pass_packet (&link, now);
  }
  for (guint i = 0; i < G_N_ELEMENTS (capacities); i++)
    offered += capacities[i] * PHASE / PSP_SECOND;
  g_rand_free (random);
  *lost = 1 - (double) link.received / link.sent;
  return 8. * PAYLOAD * link.received / offered;
}

/* On average, for it is chance when the reports come. Most of what is lost is so
 * until the first report after the step down. */
GST_START_TEST (test_step)
{
  enum
  { N_RUNS = 60 };
  double use = 0, loss = 0, lost;

  for (guint32 i = 0; i < N_RUNS; i++) {
    use += run_step (i, intervals[__i__], &lost) / N_RUNS;
    loss += lost / N_RUNS;
  }
  GST_INFO ("use %.3f, loss %.4f", use, loss);
  fail_unless (use >= .7, "used %f", use);
  fail_unless (loss <= .02, "lost %f", loss);
}

GST_END_TEST;

static Suite *
report_control_suite (void)
{
  Suite *s = suite_create ("rtpfeedback/reportcontrol");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_loop_test (tc, test_decisions, 0, G_N_ELEMENTS (decisions));
  tcase_add_test (tc, test_after_decrease);
  tcase_add_loop_test (tc, test_queue, 0, G_N_ELEMENTS (queues));
  tcase_add_loop_test (tc, test_growth, 0, G_N_ELEMENTS (growths));
  tcase_add_test (tc, test_impossible);
  tcase_add_loop_test (tc, test_limits, 0, G_N_ELEMENTS (limits));
  tcase_add_test (tc, test_limit_few);
  tcase_add_loop_test (tc, test_far_apart, 0, G_N_ELEMENTS (intervals_apart));
  tcase_add_loop_test (tc, test_starved, 0, G_N_ELEMENTS (starved));
  tcase_add_loop_test (tc, test_step, 0, G_N_ELEMENTS (intervals));
  return s;
}

GST_CHECK_MAIN (report_control);
