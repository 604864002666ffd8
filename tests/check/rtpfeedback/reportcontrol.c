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

static bool
report (uint32_t ssrc, uint32_t highest, int32_t lost, int64_t rtt, int64_t now)
{
  PspRtcpReportBlock block = {.ssrc = ssrc,.highest_seq = highest,
    .cumulative_lost = lost
  };
  uint8_t data[64];
  PspWriter w = psp_writer (data, sizeof data);

  if (rtt > 0) {
    block.delay_since_last_sr = 65536;
    block.last_sr = ntp (now - rtt) - block.delay_since_last_sr;
  }
  psp_rtcp_write_rr (&w, 1, &block, 1);
  fail_if (psp_report_control_receive (&control, &reports, data, w.size - 1,
          payload, ntp (now), now));
  return psp_report_control_receive (&control, &reports, data, w.size, payload,
      ntp (now), now);
}

/* 1000 packets in 10 s are 960 kb/s. What comes of the second report? */
static const struct
{
  int32_t lost;
  int64_t rtt;
  double before, after, loss;
} decisions[] = {
  {0, 0, 1e6, 1259712, 0},      /* 1.08³: no more for one report */
  {0, 0, 1.4e6, 1440000, 0},    /* 1.5 times what was sent */
  {20, 0, 1e6, 1259712, .02},
  {21, 0, 1e6, .85 * .979 * 960000, .021},
  {101, 0, 1e6, .7 * .899 * 960000, .101},
  {1000, 0, 1e6, 64000, 1},     /* never less */
  {-5, 0, 1e6, 1259712, 0},     /* duplicates */
  {0, 149 * MS, 1e6, 1259712, 0},
  {0, 162 * MS, 1e6, .9 * 960000, 0},
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
  fail_unless (ABS (control.bitrate - decisions[__i__].after) < 1, "%f",
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

/* A drop-tail bottleneck with a queue of 60 packets, 20 ms each way, whose rate
 * changes each minute, and a source that sends all it may. */
typedef struct
{
  int64_t free_at;              /* the queue is empty */
  uint32_t received, lost, seq;
} Link;

static const double capacities[] = { 2e6, .8e6, 2e6 };

#define PHASE (60 * PSP_SECOND)
#define DELAY (20 * MS)

/* Returns when what is sent now arrives; PSP_TIME_NEVER: it is dropped. */
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

/* The intervals of regular RTCP (RFC 3550 section 6.2), and of AVPF. */
static const int64_t intervals[] = { 4120 * MS, 500 * MS };

/* Returns the share of the capacity that was used; *lost is that of packets. */
static double
run_step (guint32 seed, int64_t interval, double *lost)
{
  const int64_t end = G_N_ELEMENTS (capacities) * PHASE;
  GRand *random = g_rand_new_with_seed (seed);
  int64_t rr_at = PSP_SECOND, sr_at = PSP_SECOND / 2;
  int64_t sr_sent = 0, sr_arrives = PSP_TIME_NEVER, last_sr = 0, last_sr_at = 0;
  double offered = 0;
  Link link = { 0, 0, 0, 0 };

  setup ();
  control.bitrate = 600e3;
  for (int64_t now = 0; now < end;
      now += (int64_t) (8e9 * PAYLOAD / MAX (control.bitrate, 64e3))) {
    if (now >= sr_at) {
      sr_sent = now;
      sr_arrives = pass (&link, now, 60);
      sr_at += (int64_t) ((double) intervals[0] *
          g_rand_double_range (random, .5, 1.5));
    }
    if (now >= sr_arrives) {
      last_sr = sr_sent;
      last_sr_at = sr_arrives;
      sr_arrives = PSP_TIME_NEVER;
    }
    if (now >= rr_at) {
      report (SSRC, link.seq - 1, (int32_t) link.lost,
          last_sr ? last_sr_at - last_sr + DELAY : 0, now);
      rr_at += (int64_t) ((double) interval *
          g_rand_double_range (random, .5, 1.5));
    }
    send_packets (1);
    link.seq++;
    if (pass (&link, now, PAYLOAD) == PSP_TIME_NEVER)
      link.lost++;
    else
      link.received++;
  }
  for (guint i = 0; i < G_N_ELEMENTS (capacities); i++)
    offered += capacities[i] * PHASE / PSP_SECOND;
  g_rand_free (random);
  *lost = (double) link.lost / link.seq;
  return 8. * PAYLOAD * link.received / offered;
}

/* On average, for it is chance when the reports come. Most of what is lost is so
 * until the first report after the step down. */
GST_START_TEST (test_step)
{
  enum
  { N_RUNS = 20 };
  double use = 0, loss = 0, lost;

  for (guint32 i = 0; i < N_RUNS; i++) {
    use += run_step (i, intervals[__i__], &lost) / N_RUNS;
    loss += lost / N_RUNS;
  }
  GST_INFO ("use %.3f, loss %.4f", use, loss);
  fail_unless (use >= .7, "used %f", use);
  fail_unless (loss <= .03, "lost %f", loss);
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
  tcase_add_test (tc, test_impossible);
  tcase_add_loop_test (tc, test_step, 0, G_N_ELEMENTS (intervals));
  return s;
}

GST_CHECK_MAIN (report_control);
