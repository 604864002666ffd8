/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/answerlimit.h>
#include <rtpfeedback/receiver.h>

#define OWN 0x0bad0bad
#define NTP UINT64_C (0xe000000180000000)
#define MS PSP_MSECOND
#define CNAME "me@example"
/* RR without blocks and SDES with the above. */
#define REGULAR_SIZE (8 + 4 + 4 + 2 + 10 + 4)

static PspReceiver *
new_receiver (int64_t interval)
{
  PspReceiverConfig config = {
    .ssrc = OWN,
    .cname = CNAME,
    .feedback_interval = interval,
    .max_rtcp_size = 1200,
    .clock_rate = 90000,
    .random_seed = 7,
  };

  return psp_receiver_new (&config);
}

static PspReceiverResult
arrive (PspReceiver * r, uint32_t ssrc, uint16_t seq, int64_t at)
{
  PspRtpHeader header = {
    .ssrc = ssrc,
    .seq = seq,
    .timestamp = (uint32_t) (at / 1000 * 9 / 100),
    .payload_type = 96,
    .size = 1212,
    .payload_size = 1200,
  };

  return psp_receiver_packet (r, &header, PSP_ECN_ECT0, at);
}

/* What a datagram holds. */
typedef struct
{
  uint8_t data[1500];
  size_t size;
  unsigned n_rr, n_sdes, n_bye, n_nacks, n_requests, n_ccfb, n_blocks;
  PspRtcpReportBlock blocks[31];
  uint32_t bye_ssrc;
  PspCcfb ccfb;
} Datagram;

static void
read_datagram (Datagram * d)
{
  PspRtcpPacket packet;
  size_t position = 0;

  d->n_rr = d->n_sdes = d->n_bye = d->n_nacks = d->n_requests = d->n_ccfb = 0;
  d->n_blocks = 0;
  if (d->size == 0)
    return;
  fail_unless (psp_rtcp_validate (d->data, d->size));
  fail_unless_equals_int (psp_packet_kind (d->data, d->size), PSP_PACKET_RTCP);
  while (psp_rtcp_next (d->data, d->size, &position, &packet)) {
    fail_unless (d->n_ccfb == 0);       /* it comes last */
    if (packet.type == PSP_RTCP_RR) {
      fail_unless (d->n_rr++ == 0 && d->n_sdes == 0);
      while (psp_rtcp_parse_report_block (&packet, d->n_blocks,
              &d->blocks[d->n_blocks]))
        d->n_blocks++;
    } else if (packet.type == PSP_RTCP_SDES) {
      fail_unless (d->n_sdes++ == 0 && d->n_rr == 1);
      fail_unless (memcmp (packet.data + 10, CNAME, sizeof CNAME) == 0);
    } else if (packet.type == PSP_RTCP_BYE) {
      fail_unless (psp_rtcp_parse_bye (&packet, 0, &d->bye_ssrc));
      d->n_bye++;
    } else if (packet.type == PSP_RTCP_PSFB) {
      d->n_requests++;
    } else if (packet.count == 1) {
      fail_unless (d->n_nacks++ == 0 && d->n_requests == 0);
    } else {
      fail_unless (psp_ccfb_parse (packet.data, packet.size, &d->ccfb));
      d->n_ccfb++;
    }
  }
  fail_unless_equals_int (d->n_rr, d->n_sdes);
}

static bool
pack (PspReceiver * r, int64_t now, Datagram * d)
{
  d->size = psp_receiver_pack (r, now, NTP, d->data, sizeof d->data);
  read_datagram (d);
  return d->size > 0;
}

/* The next datagram that has a regular report, and when it came. */
static int64_t
pack_regular (PspReceiver * r, Datagram * d)
{
  for (unsigned i = 0; i < 1000; i++) {
    int64_t at = psp_receiver_next (r, 0);

    if (at == PSP_TIME_NEVER)
      return at;
    if (pack (r, at, d) && d->n_rr > 0)
      return at;
  }
  fail ("no end");
  return 0;
}

GST_START_TEST (test_reduced_size_feedback)
{
  PspReceiver *r = new_receiver (25 * MS);
  PspCcfbStream stream;
  PspCcfbMetric metric;
  Datagram d;
  size_t position = 0;

  fail_unless_equals_int64 (psp_receiver_next (r, 0), PSP_TIME_NEVER);
  fail_if (pack (r, PSP_SECOND, &d));
  fail_unless_equals_int (arrive (r, 1, 10, PSP_SECOND), PSP_RECEIVER_OK);
  fail_unless_equals_int (arrive (r, 1, 11, 1010 * MS), PSP_RECEIVER_OK);
  fail_unless_equals_int64 (psp_receiver_next (r, 0), 1025 * MS);
  fail_unless (pack (r, 1025 * MS, &d));
  fail_unless_equals_int (d.n_rr, 0);
  fail_unless_equals_int (d.n_ccfb, 1);
  fail_unless_equals_int (d.size, 24);
  fail_unless_equals_int64 (d.ccfb.sender_ssrc, OWN);
  fail_unless_equals_int64 (d.ccfb.timestamp, 0x00018000);
  fail_unless (psp_ccfb_next_stream (&d.ccfb, &position, &stream));
  fail_unless_equals_int (stream.ssrc, 1);
  fail_unless_equals_int (stream.begin_seq, 10);
  psp_ccfb_metric (&stream, 1, &metric);
  fail_unless (metric.received);
  fail_unless_equals_int (metric.ecn, PSP_ECN_ECT0);
  fail_unless_equals_int64 (metric.offset / MS, 14);
  fail_if (pack (r, 1025 * MS, &d));
  psp_receiver_free (r);
}

GST_END_TEST;

/* Who is part of another participant leaves regular reports to it. */
GST_START_TEST (test_feedback_alone)
{
  PspReceiverConfig config = {
    .ssrc = OWN,
    .feedback_interval = 25 * MS,
    .max_rtcp_size = 1200,
    .feedback_alone = true,
  };
  PspReceiver *r = psp_receiver_new (&config);
  Datagram d;

  for (uint16_t i = 0; i < 200; i++) {
    arrive (r, 1, i, i * 100 * MS);
    while (psp_receiver_next (r, 0) != PSP_TIME_NEVER)
      if (pack (r, psp_receiver_next (r, 0), &d)) {
        fail_unless_equals_int (d.n_rr, 0);
        fail_unless_equals_int (d.n_ccfb, 1);
      }
  }
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_regular_reports)
{
  PspReceiver *r = new_receiver (25 * MS);
  int64_t at, last;
  Datagram d;

  arrive (r, 1, 10, 0);
  arrive (r, 2, 20, 0);
  arrive (r, 2, 23, 0);

  /* RFC 3550 section 6.3.1: the first one at half the interval. */
  last = pack_regular (r, &d);
  fail_unless (last >= 1026 * MS && last <= 3079 * MS);
  fail_unless_equals_int (d.n_blocks, 2);
  fail_unless_equals_int (d.size, REGULAR_SIZE + 2 * 24);
  fail_unless_equals_int (d.blocks[0].ssrc, 1);
  fail_unless_equals_int (d.blocks[0].fraction_lost, 0);
  fail_unless_equals_int (d.blocks[1].ssrc, 2);
  fail_unless_equals_int (d.blocks[1].cumulative_lost, 2);
  fail_unless_equals_int (d.blocks[1].fraction_lost, 128);
  fail_unless_equals_int (d.blocks[1].highest_seq, 23);

  /* Only who was heard since; arrivals are reported along before they are due. */
  arrive (r, 2, 24, last + 1);
  pack (r, last + 1 + 25 * MS, &d);
  at = psp_receiver_next (r, 0);
  fail_unless (at - last >= 2052 * MS && at - last <= 6157 * MS);
  arrive (r, 2, 25, at - 1);
  fail_unless (pack (r, at, &d));
  fail_unless_equals_int (d.n_blocks, 1);
  fail_unless_equals_int (d.blocks[0].ssrc, 2);
  fail_unless_equals_int (d.blocks[0].fraction_lost, 0);
  fail_unless_equals_int (d.n_ccfb, 1);

  /* Nobody was: an empty one, and after 25 s none at all. */
  last = at;
  at = pack_regular (r, &d);
  fail_unless_equals_int (d.n_blocks, 0);
  fail_unless_equals_int (d.size, REGULAR_SIZE);
  while ((at = pack_regular (r, &d)) != PSP_TIME_NEVER)
    fail_unless (at < last + 25 * PSP_SECOND);
  fail_unless_equals_int64 (psp_receiver_next (r, 0), PSP_TIME_NEVER);

  /* Until it comes again. */
  arrive (r, 2, 26, last + 100 * PSP_SECOND);
  at = pack_regular (r, &d);
  fail_unless (at >= last + 102 * PSP_SECOND);
  fail_unless_equals_int (d.n_blocks, 1);
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_sender_report)
{
  static const PspRtcpSenderInfo info = {
    1, UINT64_C (0x1234567890abcdef), 0, 1, 1200
  };
  PspReceiver *r = new_receiver (25 * MS);
  uint8_t data[128];
  PspWriter w = psp_writer (data, sizeof data);
  PspReceiverStats stats;
  Datagram d;
  uint32_t byes[PSP_MAX_STREAMS];
  int64_t at;

  psp_rtcp_write_sr (&w, &info);
  psp_rtcp_write_sdes (&w, &info.ssrc, 1, "you");
  /* Of a stream not heard of: nothing. */
  fail_if (psp_receiver_rtcp (r, data, w.size, 0, byes));
  arrive (r, 1, 10, 0);
  fail_if (psp_receiver_rtcp (r, data, w.size, 100 * MS, byes));
  at = pack_regular (r, &d);
  fail_unless_equals_int64 (d.blocks[0].last_sr, 0x567890ab);
  fail_unless_equals_int64 (d.blocks[0].delay_since_last_sr,
      (at - 100 * MS) * 65536 / PSP_SECOND);
  psp_receiver_stats (r, &stats);
  fail_unless_equals_int (stats.rtcp_received, 2);
  fail_unless_equals_int (stats.rtcp_malformed, 0);

  fail_if (psp_receiver_rtcp (r, data, w.size - 1, 0, byes));
  fail_if (psp_receiver_rtcp (r, data, 0, 0, byes));
  psp_receiver_stats (r, &stats);
  fail_unless_equals_int (stats.rtcp_received, 2);
  fail_unless_equals_int (stats.rtcp_malformed, 2);
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_sender_says_bye)
{
  static const uint32_t ssrcs[] = { 99, 2, 1 };
  PspReceiver *r = new_receiver (25 * MS);
  uint8_t data[128];
  PspWriter w = psp_writer (data, sizeof data);
  PspReceiverStats stats;
  Datagram d;
  uint32_t byes[PSP_MAX_STREAMS] = { 0 };

  psp_rtcp_write_bye (&w, ssrcs, 2);
  arrive (r, 1, 10, 0);
  arrive (r, 2, 10, 0);
  fail_unless (psp_receiver_rtcp (r, data, w.size, 0, byes));
  fail_unless_equals_int (byes[0], 2);
  /* Who believes it says so. */
  psp_receiver_stats (r, &stats);
  fail_if (stats.streams[1].bye);
  fail_unless (psp_receiver_rtcp (r, data, w.size, 0, byes));
  psp_receiver_end_stream (r, 99, 0);
  psp_receiver_end_stream (r, 2, 0);
  /* Said once. */
  fail_if (psp_receiver_rtcp (r, data, w.size, 0, byes));
  psp_receiver_stats (r, &stats);
  fail_if (stats.streams[0].bye);
  fail_unless (stats.streams[1].bye);
  fail_if (pack_regular (r, &d) == PSP_TIME_NEVER);
  fail_unless_equals_int (d.n_blocks, 1);
  fail_unless_equals_int (d.blocks[0].ssrc, 1);

  /* Nobody is left to report to. */
  w = psp_writer (data, sizeof data);
  psp_rtcp_write_bye (&w, &ssrcs[2], 1);
  fail_unless (psp_receiver_rtcp (r, data, w.size, PSP_SECOND, byes));
  fail_unless_equals_int (byes[0], 1);
  psp_receiver_end_stream (r, 1, PSP_SECOND);
  fail_unless_equals_int64 (pack_regular (r, &d), PSP_TIME_NEVER);
  psp_receiver_free (r);
}

GST_END_TEST;

/* Played once more, at once: what is under way at the BYE is no new beginning,
 * what comes half a second after it is. */
GST_START_TEST (test_bye_and_on)
{
  static const uint32_t ssrc = 1;
  PspReceiver *r = new_receiver (25 * MS);
  uint8_t data[128];
  PspWriter w = psp_writer (data, sizeof data);
  uint32_t byes[PSP_MAX_STREAMS] = { 0 };
  PspReceiverStats stats;
  uint16_t seq = 10;

  psp_rtcp_write_bye (&w, &ssrc, 1);
  arrive (r, 1, seq++, 0);
  fail_unless (psp_receiver_rtcp (r, data, w.size, 10 * MS, byes));
  psp_receiver_end_stream (r, 1, 10 * MS);
  for (int64_t now = 20 * MS; now <= 1500 * MS; now += 10 * MS) {
    arrive (r, 1, seq++, now);
    psp_receiver_stats (r, &stats);
    fail_unless_equals_int (stats.streams[0].bye, now < 510 * MS);
  }
  fail_unless (psp_receiver_rtcp (r, data, w.size, 1510 * MS, byes));
  psp_receiver_free (r);
}

GST_END_TEST;

/* As rtpfunnel's streams end: in one packet, each to be reported. */
GST_START_TEST (test_several_streams_say_bye)
{
  static const uint32_t ssrcs[] = { 3, 99, 1, 3 };
  PspReceiver *r = new_receiver (25 * MS);
  uint8_t data[128];
  PspWriter w = psp_writer (data, sizeof data);
  uint32_t byes[PSP_MAX_STREAMS] = { 0 };

  psp_rtcp_write_bye (&w, ssrcs, 4);
  arrive (r, 1, 10, 0);
  arrive (r, 2, 10, 0);
  arrive (r, 3, 10, 0);
  fail_unless_equals_int (psp_receiver_rtcp (r, data, w.size, 0, byes), 2);
  fail_unless_equals_int (byes[0], 3);
  fail_unless_equals_int (byes[1], 1);
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_own_rtcp_is_ignored)
{
  static const uint32_t own = OWN, other = 1;
  PspReceiver *r = new_receiver (25 * MS);
  uint8_t data[128];
  PspWriter w = psp_writer (data, sizeof data);
  PspReceiverStats stats;
  uint32_t byes[PSP_MAX_STREAMS];

  arrive (r, 1, 10, 0);
  psp_rtcp_write_rr (&w, own, NULL, 0);
  psp_rtcp_write_bye (&w, &other, 1);
  fail_if (psp_receiver_rtcp (r, data, w.size, 0, byes));
  psp_receiver_stats (r, &stats);
  fail_unless_equals_int (stats.rtcp_received, 0);
  fail_unless_equals_int (stats.rtcp_malformed, 0);
  fail_if (stats.streams[0].bye);
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_ssrc_collision)
{
  PspReceiver *r = new_receiver (25 * MS);
  Datagram d;

  arrive (r, OWN, 10, 0);
  fail_unless (pack (r, 25 * MS, &d));
  fail_unless (d.ccfb.sender_ssrc != OWN);
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_we_say_bye)
{
  PspReceiver *r = new_receiver (25 * MS);
  Datagram d;

  /* Never heard of: nobody to say it to. */
  arrive (r, 1, 10, 0);
  fail_unless_equals_int (psp_receiver_pack_bye (r, 0, NTP, d.data,
          sizeof d.data), 0);
  pack (r, 25 * MS, &d);
  for (size_t capacity = 0; capacity < REGULAR_SIZE + 8; capacity++)
    fail_unless_equals_int (psp_receiver_pack_bye (r, 0, NTP, d.data,
            capacity), 0);
  d.size = psp_receiver_pack_bye (r, 30 * MS, NTP, d.data, sizeof d.data);
  fail_unless_equals_int (d.size, REGULAR_SIZE + 24 + 8);
  read_datagram (&d);
  fail_unless_equals_int (d.n_rr, 1);
  fail_unless_equals_int (d.n_blocks, 1);
  fail_unless_equals_int (d.n_bye, 1);
  fail_unless_equals_int64 (d.bye_ssrc, OWN);
  fail_unless_equals_int64 (psp_receiver_next (r, 0), PSP_TIME_NEVER);
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_no_feedback)
{
  PspReceiver *r = new_receiver (0);
  Datagram d;

  arrive (r, 1, 10, 0);
  arrive (r, 1, 20, 0);
  fail_unless_equals_int64 (psp_receiver_next (r, 0), PSP_TIME_NEVER);
  fail_if (pack (r, 100 * PSP_SECOND, &d));
  fail_unless_equals_int (psp_receiver_pack_bye (r, 0, NTP, d.data,
          sizeof d.data), 0);
  psp_receiver_set_feedback_interval (r, 10 * MS);
  fail_unless (pack (r, 1 * PSP_SECOND, &d));
  psp_receiver_free (r);
}

GST_END_TEST;

/* A further stream waits for a place until one has been silent for a second. Its
 * packets count, but are not reported: if streams took turns in one place, none
 * would be. */
GST_START_TEST (test_streams_replaced)
{
  PspReceiver *r = new_receiver (25 * MS);
  PspReceiverStats stats;

  for (unsigned i = 0; i < PSP_MAX_STREAMS; i++)
    arrive (r, i, 10, i * MS);
  arrive (r, 0, 11, 100 * MS);  /* so 1 is silent for longest */
  arrive (r, 77, 5, PSP_SECOND);
  psp_receiver_stats (r, &stats);
  fail_unless_equals_int (stats.streams[1].ssrc, 1);
  fail_unless_equals_int (stats.packets, PSP_MAX_STREAMS + 2);
  arrive (r, 77, 6, PSP_SECOND + MS);
  psp_receiver_stats (r, &stats);
  fail_unless_equals_int (stats.n_streams, PSP_MAX_STREAMS);
  fail_unless_equals_int (stats.streams[0].ssrc, 0);
  fail_unless_equals_int (stats.streams[0].packets, 2);
  fail_unless_equals_int (stats.streams[1].ssrc, 77);
  fail_unless_equals_int (stats.streams[1].packets, 1);
  fail_unless_equals_int (stats.packets, PSP_MAX_STREAMS + 3);
  fail_unless_equals_int (stats.bytes, (PSP_MAX_STREAMS + 3) * 1212);
  fail_unless_equals_int (stats.payload_bytes, (PSP_MAX_STREAMS + 3) * 1200);
  psp_receiver_free (r);
}

GST_END_TEST;

GST_START_TEST (test_all_streams_in_one_report)
{
  PspReceiver *r = new_receiver (25 * MS);
  PspCcfbStream stream;
  unsigned n = 0;
  size_t position = 0;
  Datagram d;

  for (unsigned i = 0; i < PSP_MAX_STREAMS; i++)
    arrive (r, i, 10, 0);
  fail_unless (pack (r, 0, &d));
  while (psp_ccfb_next_stream (&d.ccfb, &position, &stream))
    fail_unless_equals_int (stream.ssrc, n++);
  fail_unless_equals_int (n, PSP_MAX_STREAMS);
  fail_if (pack (r, 0, &d));

  /* And in the regular one. */
  fail_if (pack_regular (r, &d) == PSP_TIME_NEVER);
  fail_unless_equals_int (d.n_blocks, PSP_MAX_STREAMS);
  psp_receiver_free (r);
}

GST_END_TEST;

/* Reports and regular reports fit the smallest datagram asked for. */
GST_START_TEST (test_size_limit)
{
  static const size_t limits[] = { 64, 100, 200, 400, 512, 1200 };

  for (unsigned i = 0; i < G_N_ELEMENTS (limits); i++) {
    PspReceiverConfig config = {
      .ssrc = OWN,
      .cname = CNAME,
      .feedback_interval = 25 * MS,
      .max_rtcp_size = limits[i],
    };
    PspReceiver *r = psp_receiver_new (&config);
    unsigned n_rr = 0, n_ccfb = 0;
    Datagram d;

    for (unsigned k = 0; k < 4000; k++) {
      if (k % 10 != 5)
        arrive (r, k % PSP_MAX_STREAMS, (uint16_t) (k / PSP_MAX_STREAMS),
            k * 2 * MS);
      while (pack (r, k * 2 * MS, &d)) {
        fail_unless (d.size <= limits[i]);
        n_rr += d.n_rr;
        n_ccfb += d.n_ccfb;
      }
    }
    fail_unless (n_rr >= 1);
    fail_unless (n_ccfb >= 100);
    psp_receiver_free (r);
  }
}

GST_END_TEST;

GST_START_TEST (test_stats)
{
  PspReceiver *r = new_receiver (25 * MS);
  PspReceiverStats stats;
  Datagram d;
  size_t octets = 0;
  unsigned n_ccfb = 0;

  fail_unless_equals_int (arrive (r, 1, 10, 0), PSP_RECEIVER_OK);
  fail_unless_equals_int (arrive (r, 1, 13, 0), PSP_RECEIVER_OK);
  fail_unless_equals_int (arrive (r, 1, 12, 0), PSP_RECEIVER_OK);
  fail_unless_equals_int (arrive (r, 1, 12, 0), PSP_RECEIVER_DUPLICATE);
  fail_unless_equals_int (arrive (r, 1, 9000, 0), PSP_RECEIVER_PROBATION);
  for (int64_t now = 0; now < 4 * PSP_SECOND; now += MS) {
    while (pack (r, now, &d)) {
      octets += d.size;
      n_ccfb += d.n_ccfb;
    }
  }
  psp_receiver_stats (r, &stats);
  fail_unless_equals_int (stats.n_streams, 1);
  fail_unless_equals_int (stats.packets, 4);
  fail_unless_equals_int (stats.streams[0].ssrc, 1);
  fail_unless_equals_int (stats.streams[0].packets, 4);
  fail_unless_equals_int (stats.streams[0].expected, 4);
  fail_unless_equals_int (stats.streams[0].lost, 0);
  fail_unless_equals_int (stats.streams[0].duplicates, 1);
  fail_unless_equals_int (stats.streams[0].reordered, 1);
  fail_unless (n_ccfb > 0);
  fail_unless_equals_int (stats.feedback_sent, n_ccfb);
  fail_unless_equals_int (stats.feedback_bytes, octets);
  psp_receiver_free (r);
}

GST_END_TEST;

/* All RTCP together, at rates where the budget is all used. In two minutes there
 * are at most so many regular reports: RFC 3550 section 6.2, 2.5 s apart. */
#define N_REGULAR 48

GST_START_TEST (test_budget)
{
  static const struct
  {
    uint32_t payload;
    int64_t spacing;
  } rows[] = { {1200, 38400 * PSP_USECOND}, {160, 20 * MS}, {600, 3 * MS} };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    PspReceiver *r = new_receiver (25 * MS);
    PspReceiverStats stats;
    PspRtpHeader header = {.ssrc = 1,.payload_size = rows[i].payload };
    double allowed, floor;
    Datagram d;

    for (int64_t now = 0; now < 120 * PSP_SECOND; now += rows[i].spacing) {
      while (psp_receiver_next (r, now) < now)
        pack (r, psp_receiver_next (r, now), &d);
      header.seq++;
      psp_receiver_packet (r, &header, 0, now);
    }
    psp_receiver_stats (r, &stats);
    /* A report and what it says of some packets, eight times a second. */
    floor =
        20 + 2 * (double) (PSP_RECEIVER_FLOOR_INTERVAL / rows[i].spacing + 2);
    allowed =
        MAX (0.02 * (double) stats.payload_bytes,
        120 * 8 * floor + N_REGULAR * (REGULAR_SIZE + 24));
    fail_unless ((double) stats.feedback_bytes <= allowed + 2 * 128);
    fail_unless (stats.feedback_sent > 200);
    fail_unless (i == 2 || stats.feedback_throttled > 0);
    psp_receiver_free (r);
  }
}

GST_END_TEST;

/* A new clock rate starts the jitter anew; without one there is none. */
/* A request for a key picture leaves at once, and no two in 500 ms. It is RTCP
 * like other: it is paid for, and none leaves where nothing is reported. */
GST_START_TEST (test_key_request)
{
  const uint32_t known = 1, unknown = 2;
  PspReceiver *r = new_receiver (25 * MS);
  int64_t now = PSP_SECOND;
  Datagram d;

  fail_if (psp_receiver_request_key (r, NULL, false, now));
  arrive (r, known, 10, now);
  fail_if (psp_receiver_request_key (r, &unknown, false, now));
  fail_unless (psp_receiver_request_key (r, &known, true, now));
  fail_unless_equals_int64 (psp_receiver_next (r, now), now);
  fail_unless (pack (r, now, &d));
  fail_unless_equals_int (d.n_requests, 1);
  fail_unless_equals_int (d.size, PSP_RTCP_KEY_REQUEST_SIZE);

  for (unsigned i = 0; i < 1000; i++) {
    psp_receiver_request_key (r, NULL, false, now += 5 * MS);
    while (pack (r, now, &d))
      fail_unless (d.n_requests == 0 || now >= 1500 * MS);
    arrive (r, known, 11 + i, now);
  }
  psp_receiver_set_feedback_interval (r, 0);
  fail_if (psp_receiver_request_key (r, NULL, false, now));
  psp_receiver_free (r);
}

GST_END_TEST;

/* A lost packet is asked for at once, in one datagram with what else is due and
 * before it. */
GST_START_TEST (test_packet_request)
{
  PspReceiver *r = new_receiver (25 * MS);
  PspReceiverStats stats;
  int64_t now = PSP_SECOND;
  PspRtcpPacket packet;
  size_t position = 0;
  PspNack nack;
  Datagram d;

  fail_if (psp_receiver_request_packet (r, NULL, 11, 20 * MS, now));
  arrive (r, 1, 10, now);
  while (pack (r, now, &d));
  arrive (r, 1, 12, now);
  fail_unless (psp_receiver_request_packet (r, NULL, 11, 20 * MS, now));
  fail_unless (psp_receiver_request_key (r, NULL, false, now));
  fail_unless_equals_int64 (psp_receiver_next (r, now), now);
  fail_unless (pack (r, now, &d));
  fail_unless (psp_rtcp_next (d.data, d.size, &position, &packet));
  fail_unless (psp_rtcp_parse_nack (&packet, 0, &nack));
  fail_unless_equals_int (nack.first, 11);
  fail_unless_equals_int (nack.ssrc, 1);
  fail_unless_equals_int (d.n_requests, 1);
  fail_unless (d.size > PSP_RTCP_NACK_SIZE (1) + 12);   /* a report follows */
  psp_receiver_stats (r, &stats);
  fail_unless_equals_uint64 (stats.packets_requested, 1);

  fail_if (psp_receiver_request_packet (r, NULL, 11, 20 * MS, now + 19 * MS));
  fail_unless (psp_receiver_request_packet (r, NULL, 11, 20 * MS,
          now + 20 * MS));
  psp_receiver_set_feedback_interval (r, 0);
  fail_if (psp_receiver_request_packet (r, NULL, 11, 20 * MS, now + 50 * MS));
  psp_receiver_free (r);
}

GST_END_TEST;

/* Senders that want much RTCP for little: 100 packets a second for a minute, at
 * random numbers, which are gaps or jumps, and requests for a key picture and for
 * lost packets with each. No more leaves than came; and of RTCP no more than 5 %
 * of the payload, the credits, eight reports of 64 packets a second, and the regular reports. */
static const struct
{
  unsigned n_ssrcs;
  uint32_t payload;
  int range;                    /* of sequence numbers */
} hostile_senders[] = {
  {1, 0, 10},
  {1, 0, 2999},
  {1, 0, 65536},
  {PSP_MAX_STREAMS, 0, 2999},
  {1000, 0, 65536},
  {1000, 1200, 65536},
};

GST_START_TEST (test_hostile_senders)
{
  enum
  { SECONDS = 60, RATE = 100, HEADERS_CAME = 28, HEADERS_LEFT = 48 };
  const unsigned n_ssrcs = hostile_senders[__i__].n_ssrcs;
  const uint32_t payload = hostile_senders[__i__].payload;
  const double regular = REGULAR_SIZE + 24 * PSP_MAX_STREAMS;
  GRand *random = g_rand_new_with_seed ((guint32) __i__);
  PspReceiver *r = new_receiver (25 * MS);
  PspRtpHeader header = {.size = 12 + payload,.payload_size = payload };
  double came = 0, left = 0, octets = 0;
  PspAnswerLimit limit;
  Datagram d;

  psp_answer_limit_init (&limit);
  for (int64_t i = 0; i < SECONDS * RATE; i++) {
    int64_t now = i * PSP_SECOND / RATE;

    header.ssrc = (uint32_t) g_rand_int_range (random, 0, (int) n_ssrcs);
    header.seq += (uint16_t) g_rand_int_range (random, 1,
        hostile_senders[__i__].range);
    psp_answer_limit_came (&limit, header.size, now);
    came += header.size + HEADERS_CAME;
    psp_receiver_packet (r, &header, 0, now);
    psp_receiver_request_key (r, NULL, true, now);
    psp_receiver_request_packet (r, NULL, header.seq - 1, 0, now);
    psp_receiver_request_packet (r, NULL, header.seq - 2, 0, now);
    for (;;) {
      size_t room = psp_answer_limit_room (&limit, now);

      d.size = psp_receiver_pack (r, now, NTP, d.data, MIN (room, 1200));
      if (d.size == 0)
        break;
      fail_unless (d.size <= room);
      psp_answer_limit_left (&limit, d.size, now);
      left += (double) d.size + HEADERS_LEFT;
      octets += (double) d.size;
      fail_unless (left <= came, "%f bytes for %f", left, came);
    }
  }
  fail_unless (octets > 0);
  fail_unless (octets <= .05 * payload * SECONDS * RATE + 2 * 4096 + 128 +
      SECONDS * (8. * (148 + 28 * PSP_MAX_STREAMS) + 2. * RATE +
          2. * PSP_RTCP_KEY_REQUEST_SIZE * PSP_MAX_STREAMS +
          regular / 2), "%f octets", octets);
  psp_receiver_free (r);
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (test_clock_rate)
{
  PspReceiver *r = new_receiver (25 * MS);
  PspReceiverStats stats;

  for (unsigned i = 0; i < 10; i++)
    arrive (r, 1, (uint16_t) i, i * i * MS);
  psp_receiver_stats (r, &stats);
  fail_unless (stats.streams[0].jitter <= 1);
  psp_receiver_set_clock_rate (r, 8000);
  for (unsigned i = 10; i < 20; i++)
    arrive (r, 1, (uint16_t) i, i * i * MS);
  psp_receiver_stats (r, &stats);
  fail_unless (stats.streams[0].jitter > 100);
  psp_receiver_set_clock_rate (r, 0);
  psp_receiver_stats (r, &stats);
  fail_unless_equals_int (stats.streams[0].jitter, 0);
  psp_receiver_free (r);
}

GST_END_TEST;

static Suite *
receiver_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-receiver");
  TCase *tc = tcase_create ("receiver");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_reduced_size_feedback);
  tcase_add_test (tc, test_feedback_alone);
  tcase_add_test (tc, test_regular_reports);
  tcase_add_test (tc, test_sender_report);
  tcase_add_test (tc, test_sender_says_bye);
  tcase_add_test (tc, test_bye_and_on);
  tcase_add_test (tc, test_several_streams_say_bye);
  tcase_add_test (tc, test_own_rtcp_is_ignored);
  tcase_add_test (tc, test_ssrc_collision);
  tcase_add_test (tc, test_we_say_bye);
  tcase_add_test (tc, test_no_feedback);
  tcase_add_test (tc, test_streams_replaced);
  tcase_add_test (tc, test_all_streams_in_one_report);
  tcase_add_test (tc, test_size_limit);
  tcase_add_test (tc, test_stats);
  tcase_add_test (tc, test_budget);
  tcase_add_test (tc, test_key_request);
  tcase_add_test (tc, test_packet_request);
  tcase_add_loop_test (tc, test_hostile_senders, 0,
      G_N_ELEMENTS (hostile_senders));
  tcase_add_test (tc, test_clock_rate);
  return s;
}

GST_CHECK_MAIN (receiver);
