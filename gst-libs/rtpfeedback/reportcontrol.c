/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/reportcontrol.h>

#include <math.h>

/* Share lost above which there is some loss. */
#define SOME_LOSS 0.02
/* Share lost above which there is much loss. */
#define MUCH_LOSS 0.1
/* Share of the arrived bitrate that is sent after some loss. */
#define AFTER_SOME_LOSS 0.85
/* Share of the arrived bitrate that is sent after much loss. */
#define AFTER_MUCH_LOSS 0.7
/* ns within which the decrease drains a queue. */
#define DRAIN_TIME (500 * PSP_MSECOND)
/* Share of the arrived bitrate that a decrease for a queue leaves out at
 * least. */
#define LEAST_DRAIN 0.1
/* Share of the arrived bitrate that a decrease for a queue leaves out at
 * most. */
#define MOST_DRAIN 0.5
/* ns; a shorter queue does not count, because round trips vary. */
#define LEAST_QUEUE (30 * PSP_MSECOND)
/* Growth a second below the bitrate of the last congestion. */
#define GROWTH 1.07
/* Growth a second above the bitrate of the last congestion. */
#define FREE_GROWTH 1.1
/* Growth a second near the bitrate of the last or of the fastest
 * congestion. A sender that returns there from a slower path meets that
 * congestion again. */
#define NEAR_GROWTH 1.015
/* Share of a congested bitrate that is near it. */
#define NEAR 0.05
/* Share of the fastest congested bitrate from which on it is near. */
#define FASTEST_BEGINS 0.8
/* Seconds of growth for one report at most, because the next may come
 * late. */
#define MOST_GROWTH 3.
/* ns; what is reported sooner after a decrease was sent before it. */
#define DECREASE_INTERVAL PSP_SECOND
/* bits/s; with less, no report comes that could show that more fits. */
#define LEAST_BITRATE 64e3
/* Most bitrate as a multiple of what was sent, because unused bitrate
 * proves nothing. */
#define PROVED 1.5
/* ns; a report that comes sooner counts with the next one. */
#define LEAST_INTERVAL (100 * PSP_MSECOND)
/* Seconds; after a longer interval the bitrate does not rise, because what
 * arrived over so long is no measure of today's path. */
#define MOST_INTERVAL 10.
/* Packets; between these limits a report counts what was lost (RFC 3550
 * section 6.4.1: 24 bits signed). */
#define LEAST_LOST (-0x800000)
#define MOST_LOST 0x7fffff
/* s; in this time the shortest round trip approaches the last one, because
 * a path may become longer. */
#define RTT_MEMORY 60.
/* 1/65536 s; a longer round trip comes from another clock. */
#define MOST_RTT (10 << 16)

void
psp_report_control_init (PspReportControl * c, double bitrate)
{
  memset (c, 0, sizeof *c);
  c->bitrate = bitrate;
  c->loss = -1;
  c->rtt = c->rtt_min = c->heard_at = c->decreased_at = PSP_TIME_UNKNOWN;
}

/* What a datagram reports on all streams since the last datagram. */
typedef struct
{
  bool any;
  int64_t expected, lost;       /* packets */
  int64_t rtt;
} Summary;

/* Takes the round trip. An SR is one sample, however often it is reported. */
static void
take_rtt (Summary * summary, const PspRtcpReportBlock * block, uint32_t last_sr,
    uint32_t ntp)
{
  uint32_t rtt = ntp - block->last_sr - block->delay_since_last_sr;

  if (block->last_sr != 0 && block->last_sr != last_sr && rtt < MOST_RTT)
    summary->rtt = MAX ((int64_t) rtt * PSP_SECOND / 65536, PSP_MSECOND);
}

static bool
is_at_limit (int32_t cumulative_lost)
{
  return cumulative_lost <= LEAST_LOST || cumulative_lost >= MOST_LOST;
}

/* Returns the packets lost between two report blocks. A count at its limit
 * stands still (RFC 3550 appendix A.3). The fraction then tells what was lost.
 * It is an integer part (section 6.4.1), so its packets are rounded up. */
static int64_t
find_lost (const PspRtcpReportBlock * before, const PspRtcpReportBlock * block,
    int64_t expected)
{
  if (is_at_limit (before->cumulative_lost)
      || is_at_limit (block->cumulative_lost))
    return (expected * block->fraction_lost + 255) / 256;
  return MAX (block->cumulative_lost - before->cumulative_lost, 0);
}

/* Takes a report block. The first block of a stream is only the basis for
 * the next one, and so is one whose numbers went back: it is of another
 * receiver, or a copy. */
static void
take_block (PspSenderReports * reports, const PspRtcpReportBlock * block,
    uint32_t ntp, Summary * summary)
{
  for (unsigned i = 0; i < reports->n_streams; i++) {
    PspSenderReportsStream *s = &reports->streams[i];
    int64_t expected = (int32_t) (block->highest_seq - s->reported.highest_seq);
    int64_t counted = block->cumulative_lost - s->reported.cumulative_lost;

    if (s->ssrc != block->ssrc)
      continue;
    summary->any = true;
    take_rtt (summary, block, s->reported.last_sr, ntp);
    if (s->reported.ssrc == s->ssrc && expected > 0 && counted <= expected
        && expected <= s->packets) {
      summary->expected += expected;
      summary->lost += find_lost (&s->reported, block, expected);
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

/* Returns the ns that the round trip exceeds the shortest one by, or 0.
 * The packet after the highest reported one had not come when the report
 * was made. If it left long ago, it waits in a queue or was lost, which is
 * congestion as well. Each report shows that; the round trip of an SR is
 * known only once an SR. */
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
    /* it reports on packets of before the decrease */
    return;
  else if (c->loss > SOME_LOSS)
    decrease (c, arrived, AFTER_SOME_LOSS, now);
  else if (queue > 0)
    decrease (c, arrived, after_queue (queue), now);
  else if (seconds <= MOST_INTERVAL)
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
  if (summary->expected > 0 && interval > 0) {
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
