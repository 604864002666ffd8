/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/reportcontrol.h>

#include <math.h>

/* Shares lost, and what is sent of what arrived after them. */
#define SOME_LOSS 0.02
#define MUCH_LOSS 0.1
#define AFTER_SOME_LOSS 0.85
#define AFTER_MUCH_LOSS 0.7
/* The same for a queue: what is left out drains it within so long, but is neither
 * less nor more than these. */
#define DRAIN_TIME (500 * PSP_MSECOND)
#define LEAST_DRAIN 0.1
#define MOST_DRAIN 0.5
/* ns; a shorter queue is none, for round trips differ. */
#define LEAST_QUEUE (30 * PSP_MSECOND)
/* Growth a second: below and above what was congested last, and within a twentieth
 * of it, or where the fastest congestion was: whoever comes back there from a slower
 * path meets it again. The next report may be long in coming: at most so many
 * seconds' growth for one. */
#define GROWTH 1.07
#define FREE_GROWTH 1.1
#define NEAR_GROWTH 1.015
#define NEAR 0.05
#define FASTEST_BEGINS 0.8
#define MOST_GROWTH 3.
/* ns. What is reported sooner after a decrease was sent before it. */
#define DECREASE_INTERVAL PSP_SECOND
/* bits/s. With less, no report comes that could say that more fits. */
#define LEAST_BITRATE 64e3
/* Of what was sent: what nobody sends proves nothing. */
#define PROVED 1.5
/* ns. What comes in less time counts with what comes next; a longer one says
 * nothing of a rate. */
#define LEAST_INTERVAL (100 * PSP_MSECOND)
#define MOST_INTERVAL (10 * PSP_SECOND)
/* s. The shortest round trip comes nearer to the last one in this time, for a
 * path may become longer. */
#define RTT_MEMORY 60.
/* 1/65536 s; a longer round trip is another clock. */
#define MOST_RTT (10 << 16)

void
psp_report_control_init (PspReportControl * c, double bitrate)
{
  memset (c, 0, sizeof *c);
  c->bitrate = bitrate;
  c->loss = -1;
  c->rtt = c->rtt_min = c->heard_at = c->decreased_at = PSP_TIME_UNKNOWN;
}

/* What a datagram says of all streams since the last. */
typedef struct
{
  bool any;
  int64_t expected, lost;       /* packets */
  int64_t rtt;
} Summary;

/* An SR is a sample of the way there once, however often it is reported. */
static void
take_rtt (Summary * summary, const PspRtcpReportBlock * block, uint32_t last_sr,
    uint32_t ntp)
{
  uint32_t rtt = ntp - block->last_sr - block->delay_since_last_sr;

  if (block->last_sr != 0 && block->last_sr != last_sr && rtt < MOST_RTT)
    summary->rtt = MAX ((int64_t) rtt * PSP_SECOND / 65536, PSP_MSECOND);
}

/* The first block of a stream is what the next one is compared with, and so is
 * one whose numbers went back: another receiver, or a copy. */
static void
take_block (PspSenderReports * reports, const PspRtcpReportBlock * block,
    uint32_t ntp, Summary * summary)
{
  for (unsigned i = 0; i < reports->n_streams; i++) {
    PspSenderReportsStream *s = &reports->streams[i];
    int64_t expected = (int32_t) (block->highest_seq - s->reported.highest_seq);
    int64_t lost = block->cumulative_lost - s->reported.cumulative_lost;

    if (s->ssrc != block->ssrc)
      continue;
    summary->any = true;
    take_rtt (summary, block, s->reported.last_sr, ntp);
    if (s->reported.ssrc == s->ssrc && expected > 0 && lost <= expected
        && expected <= s->packets) {
      summary->expected += expected;
      summary->lost += MAX (lost, 0);
    }
    s->reported = *block;
  }
}

static void
decrease (PspReportControl * c, double arrived, double share, int64_t now)
{
  c->congested = arrived;
  c->fastest = MAX (c->fastest, arrived);
  c->bitrate = MAX (MIN (c->bitrate, share * arrived), LEAST_BITRATE);
  c->decreased_at = now;
  c->decreases = true;
}

static bool
is_near_congestion (const PspReportControl * c)
{
  return fabs (c->bitrate - c->congested) < NEAR * c->congested ||
      (c->bitrate > FASTEST_BEGINS * c->fastest
      && c->bitrate < (1 + NEAR) * c->fastest);
}

static void
increase (PspReportControl * c, double sent, double seconds)
{
  double growth = c->bitrate < c->congested ? GROWTH : FREE_GROWTH;
  double most = PROVED * sent;

  if (is_near_congestion (c))
    growth = NEAR_GROWTH;
  if (c->bitrate < most)
    c->bitrate = MIN (c->bitrate * pow (growth, MIN (seconds, MOST_GROWTH)),
        most);
}

/* ns; what the round trip is longer than the shortest, or 0. The packet behind the
 * highest reported had not come when the report was made: if it left long ago, it
 * waits in a queue or was lost, which is congestion as well. That is known of each
 * report, the round trip of an SR only once a SR. */
static int64_t
find_queue (const PspReportControl * c, const Summary * summary,
    int64_t next_sent_at, int64_t now)
{
  int64_t rtt = summary->rtt == PSP_TIME_UNKNOWN ? 0 : summary->rtt;

  if (c->rtt_min == PSP_TIME_UNKNOWN)
    return 0;
  if (next_sent_at != PSP_TIME_UNKNOWN)
    rtt = MAX (rtt, now - next_sent_at);
  rtt -= c->rtt_min;
  return rtt > MAX (LEAST_QUEUE, c->rtt_min / 2) ? rtt : 0;
}

static double
after_queue (int64_t queue)
{
  double drain = (double) queue / DRAIN_TIME;

  return 1 - MAX (LEAST_DRAIN, MIN (drain, MOST_DRAIN));
}

static void
decide (PspReportControl * c, int64_t queue, double sent, double seconds,
    int64_t now)
{
  double arrived = sent * (1 - c->loss);
  bool after_decrease = c->decreases;

  c->decreases = false;
  if (c->decreased_at != PSP_TIME_UNKNOWN &&
      now - c->decreased_at < DECREASE_INTERVAL)
    return;
  if (c->loss > MUCH_LOSS)
    decrease (c, arrived, AFTER_MUCH_LOSS, now);
  else if ((c->loss > SOME_LOSS || queue > 0) && after_decrease)
    return;                     /* of before the decrease */
  else if (c->loss > SOME_LOSS)
    decrease (c, arrived, AFTER_SOME_LOSS, now);
  else if (queue > 0)
    decrease (c, arrived, after_queue (queue), now);
  else
    increase (c, sent, seconds);
}

static void
take_rtt_sample (PspReportControl * c, int64_t rtt, double seconds)
{
  if (rtt == PSP_TIME_UNKNOWN)
    return;
  if (c->rtt_min != PSP_TIME_UNKNOWN)
    c->rtt_min += (int64_t) ((double) (c->rtt - c->rtt_min) *
        MIN (seconds / RTT_MEMORY, 1));
  if (c->rtt_min == PSP_TIME_UNKNOWN || rtt < c->rtt_min)
    c->rtt_min = rtt;
  c->rtt = rtt;
}

static void
take_summary (PspReportControl * c, const Summary * summary, uint64_t payload,
    int64_t next_sent_at, int64_t now)
{
  int64_t interval = c->heard_at == PSP_TIME_UNKNOWN ? 0 : now - c->heard_at;
  double seconds = (double) interval / PSP_SECOND;

  take_rtt_sample (c, summary->rtt, seconds);
  if (summary->expected > 0 && interval > 0 && interval <= MOST_INTERVAL) {
    c->loss = (double) summary->lost / (double) summary->expected;
    decide (c, find_queue (c, summary, next_sent_at, now),
        8. * (double) (payload - c->payload) / seconds, seconds, now);
  }
  c->heard_at = now;
  c->payload = payload;
}

bool
psp_report_control_receive (PspReportControl * c, PspSenderReports * reports,
    const uint8_t * data, size_t size, uint64_t payload, int64_t next_sent_at,
    uint32_t ntp, int64_t now)
{
  Summary summary = { false, 0, 0, PSP_TIME_UNKNOWN };
  PspRtcpReportBlock block;
  PspRtcpPacket packet;
  size_t position = 0;

  if (!psp_rtcp_validate (data, size) || (c->heard_at != PSP_TIME_UNKNOWN &&
          now - c->heard_at < LEAST_INTERVAL))
    return false;
  while (psp_rtcp_next (data, size, &position, &packet))
    for (unsigned i = 0; psp_rtcp_parse_report_block (&packet, i, &block); i++)
      take_block (reports, &block, ntp, &summary);
  if (summary.any)
    take_summary (c, &summary, payload, next_sent_at, now);
  return summary.any;
}
