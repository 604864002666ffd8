/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/rtcpfeedback.h>

#include <stdlib.h>
#include <string.h>

#include <rtpfeedback/rtcp.h>

/* 1/65536 s; 17 years. Unwrapped receiver times start again beyond this, so
 * that arithmetic on them cannot overflow. */
#define MAX_RECEIVER_TIME (INT64_C (1) << 45)
/* 1/65536 s. The delays of two reports differ by less; a larger jump is
 * forged. */
#define MAX_JUMP 65536
/* ns. After this long without a time that fits, the receiver has another
 * clock. */
#define DOUBT PSP_SECOND

bool
psp_rtcp_feedback_init (PspRtcpFeedback * f, size_t max_size)
{
  memset (f, 0, sizeof *f);
  psp_twcc_feedback_init (&f->twcc);
  f->capacity = max_size / PSP_CCFB_METRIC_SIZE;
  f->acknowledgements = calloc (f->capacity, sizeof *f->acknowledgements);
  return f->acknowledgements != NULL;
}

void
psp_rtcp_feedback_clear (PspRtcpFeedback * f)
{
  free (f->acknowledgements);
  f->acknowledgements = NULL;
  psp_twcc_feedback_clear (&f->twcc);
}

void
psp_rtcp_feedback_forget (PspRtcpFeedback * f)
{
  f->receiver_time_known = false;
  f->taken = PSP_REPORT_NONE;
  psp_twcc_feedback_forget (&f->twcc);
}

/* Returns a report's time stamp on the receiver's time line, 1/65536 s, or
 * PSP_TIME_UNKNOWN if no clock can show that time. */
static int64_t
unwrap_receiver_time (const PspRtcpFeedback * f, uint32_t timestamp,
    int64_t now)
{
  int64_t since = now - f->accepted_at, expected, jump;

  if (!f->receiver_time_known)
    return timestamp;
  expected = f->receiver_time + since / PSP_SECOND * 65536
      + since % PSP_SECOND * 65536 / PSP_SECOND;
  if (expected > MAX_RECEIVER_TIME || expected < -MAX_RECEIVER_TIME)
    return timestamp;
  jump = (int32_t) (timestamp - (uint32_t) expected);
  if ((jump > MAX_JUMP || jump < -MAX_JUMP) && since < DOUBT)
    return PSP_TIME_UNKNOWN;
  return expected + jump;
}

/* Converts in two halves, because t × 10⁹ does not fit. */
static int64_t
nanoseconds (int64_t t)
{
  return (t >> 16) * PSP_SECOND + ((t & 0xffff) * PSP_SECOND >> 16);
}

/* Returns false if the stream's metrics do not fit. */
static bool
add_stream (PspRtcpFeedback * f, PspFeedback * feedback,
    const PspCcfbStream * stream)
{
  PspCcfbMetric metric;
  unsigned i;

  if (stream->n_reports > f->capacity - feedback->n)
    return false;
  for (i = 0; i < stream->n_reports; i++) {
    PspAcknowledgement *a = &f->acknowledgements[feedback->n++];

    psp_ccfb_metric (stream, i, &metric);
    a->key.series = stream->ssrc;
    a->key.number = (uint16_t) (stream->begin_seq + i);
    a->received = metric.received;
    a->ecn = metric.ecn;
    a->arrived_at = PSP_TIME_UNKNOWN;
    if (metric.received && metric.offset != PSP_TIME_UNKNOWN
        && feedback->reported_at != PSP_TIME_UNKNOWN)
      a->arrived_at = feedback->reported_at - metric.offset;
    a->sent_at = PSP_TIME_UNKNOWN;
    a->size = 0;
  }
  return true;
}

bool
psp_rtcp_feedback_read (PspRtcpFeedback * f, const uint8_t * packet,
    size_t size, int64_t now, PspFeedback * feedback)
{
  size_t position = 0;
  PspCcfbStream stream;
  PspCcfb ccfb;

  feedback->acknowledgements = f->acknowledgements;
  feedback->receiver = 0;
  feedback->n = 0;
  f->read_time = PSP_TIME_UNKNOWN;
  if (!psp_ccfb_parse (packet, size, &ccfb)) {
    f->malformed++;
    return false;
  }
  f->read_time = unwrap_receiver_time (f, ccfb.timestamp, now);
  feedback->reported_at = f->read_time == PSP_TIME_UNKNOWN ?
      PSP_TIME_UNKNOWN : nanoseconds (f->read_time);
  while (psp_ccfb_next_stream (&ccfb, &position, &stream))
    if (!add_stream (f, feedback, &stream)) {
      f->malformed++;
      return false;
    }
  return true;
}

void
psp_rtcp_feedback_accept (PspRtcpFeedback * f, int64_t now)
{
  if (f->read_time == PSP_TIME_UNKNOWN)
    return;
  f->receiver_time = f->read_time;
  f->receiver_time_known = true;
  f->accepted_at = now;
}

/* True if the other kind of feedback, which has another time line, came
 * recently. */
static bool
is_recent (bool came, int64_t at, int64_t now)
{
  return came && now - at < DOUBT;
}

static void
receive_ccfb (PspRtcpFeedback * f, PspSender * s, const PspRtcpPacket * packet,
    int64_t now)
{
  PspFeedback feedback;

  if (is_recent (f->twcc.reference != PSP_TIME_UNKNOWN, f->twcc.accepted_at,
          now))
    return;
  if (psp_rtcp_feedback_read (f, packet->data, packet->size, now, &feedback)
      && psp_sender_acknowledge (s, &feedback, now) == PSP_FEEDBACK_OK) {
    psp_rtcp_feedback_accept (f, now);
    f->taken = PSP_REPORT_CCFB;
  }
}

/* Parses one TWCC of a datagram. The datagram may have `left` more packets as
 * received, so that its size bounds its cost: without times (libwebrtc's
 * transport-wide-cc-02), two bytes report 8191 packets (section 3.1.3 of
 * draft-holmer-rmcat-transport-wide-cc-extensions-01). Returns false if the
 * report is malformed or has more. */
static bool
parse_twcc (const PspRtcpPacket * packet, unsigned *left, PspTwcc * twcc)
{
  if (!psp_twcc_parse (packet->data, packet->size, twcc)
      || twcc->n_received > *left)
    return false;
  *left -= twcc->n_received;
  return true;
}

static void
receive_twcc (PspRtcpFeedback * f, PspSender * s, const PspRtcpPacket * packet,
    int64_t now, unsigned *left)
{
  PspFeedback feedback;
  PspTwcc twcc;

  if (is_recent (f->receiver_time_known, f->accepted_at, now))
    return;
  if (!parse_twcc (packet, left, &twcc))
    f->malformed++;
  else if (psp_twcc_feedback_is_credible (&f->twcc, &twcc)
      && psp_twcc_feedback_read (&f->twcc, s, &twcc, now, &feedback)
      && psp_sender_acknowledge (s, &feedback, now) == PSP_FEEDBACK_OK) {
    psp_twcc_feedback_accept (&f->twcc, now);
    f->taken = PSP_REPORT_TWCC;
  }
}

void
psp_rtcp_feedback_receive (PspRtcpFeedback * f, PspSender * s,
    const uint8_t * data, size_t size, int64_t now, bool *bye_seen)
{
  PspRtcpPacket packet;
  unsigned twcc_left = PSP_TWCC_NUMBERS;
  size_t position = 0;

  *bye_seen = false;
  if (!psp_rtcp_validate (data, size)) {
    f->malformed++;
    return;
  }
  f->bytes += size;
  while (psp_rtcp_next (data, size, &position, &packet)) {
    if (packet.type == PSP_RTCP_RTPFB && packet.count == PSP_CCFB_FMT)
      receive_ccfb (f, s, &packet, now);
    else if (packet.type == PSP_RTCP_RTPFB && packet.count == PSP_TWCC_FMT)
      receive_twcc (f, s, &packet, now, &twcc_left);
    else if (packet.type == PSP_RTCP_BYE)
      *bye_seen = true;
  }
}

static bool
note_packet (const PspSender * s, uint32_t ssrc, uint16_t seq,
    PspReportKind kind, PspReported * reported)
{
  PspKey key = { ssrc, seq };
  int64_t sent_at = psp_sender_sent_at (s, &key);

  if (sent_at == PSP_TIME_UNKNOWN)
    return false;
  reported->kind = MAX (reported->kind, kind);
  reported->newest = MAX (reported->newest, sent_at);
  reported->oldest = MIN (reported->oldest, sent_at);
  return true;
}

static void
note_block (const PspSender * s, const PspRtcpReportBlock * block,
    PspReported * reported)
{
  PspKey next = { block->ssrc, (uint16_t) (block->highest_seq + 1) };

  if (note_packet (s, block->ssrc, (uint16_t) block->highest_seq,
          PSP_REPORT_RR, reported))
    reported->next = MAX (reported->next, psp_sender_sent_at (s, &next));
}

static void
note_ccfb (const PspSender * s, const PspCcfb * ccfb, PspReported * reported)
{
  PspCcfbStream stream;
  PspCcfbMetric metric;
  size_t position = 0;

  while (psp_ccfb_next_stream (ccfb, &position, &stream))
    for (unsigned i = 0; i < stream.n_reports; i++) {
      psp_ccfb_metric (&stream, i, &metric);
      if (metric.received)
        note_packet (s, stream.ssrc, (uint16_t) (stream.begin_seq + i),
            PSP_REPORT_CCFB, reported);
    }
}

static void
note_twcc (const PspRtcpFeedback * f, const PspSender * s,
    const PspTwcc * twcc, PspReported * reported)
{
  PspTwccIterator it;
  PspTwccPacket packet;
  PspKey key;

  psp_twcc_begin (twcc, 0, &it);
  while (psp_twcc_next_received (&it, &packet))
    if (psp_twcc_feedback_find (&f->twcc, s, packet.seq, &key))
      note_packet (s, key.series, key.number, PSP_REPORT_TWCC, reported);
}

static void
note_reports (const PspRtcpFeedback * f, const PspSender * s,
    const PspRtcpPacket * packet, unsigned *twcc_left, PspReported * reported)
{
  PspRtcpReportBlock block;
  PspCcfb ccfb;
  PspTwcc twcc;

  if (packet->type == PSP_RTCP_RTPFB && packet->count == PSP_CCFB_FMT
      && psp_ccfb_parse (packet->data, packet->size, &ccfb))
    note_ccfb (s, &ccfb, reported);
  if (packet->type == PSP_RTCP_RTPFB && packet->count == PSP_TWCC_FMT
      && parse_twcc (packet, twcc_left, &twcc)
      && psp_twcc_feedback_is_credible (&f->twcc, &twcc))
    note_twcc (f, s, &twcc, reported);
  for (unsigned i = 0; psp_rtcp_parse_report_block (packet, i, &block); i++)
    note_block (s, &block, reported);
}

void
psp_rtcp_feedback_reported (const PspRtcpFeedback * f, const PspSender * s,
    const uint8_t * data, size_t size, PspReported * reported)
{
  unsigned twcc_left = PSP_TWCC_NUMBERS;
  size_t position = 0;
  PspRtcpPacket packet;

  reported->newest = reported->next = PSP_TIME_UNKNOWN;
  reported->oldest = PSP_TIME_NEVER;
  reported->kind = PSP_REPORT_NONE;
  if (!psp_rtcp_validate (data, size))
    return;
  while (psp_rtcp_next (data, size, &position, &packet))
    note_reports (f, s, &packet, &twcc_left, reported);
}

void
psp_rtp_packet (const PspRtpHeader * header, PspPacket * packet)
{
  memset (packet, 0, sizeof *packet);
  packet->size = header->size;
  packet->payload_size = header->payload_size;
  packet->has_key = true;
  packet->key.series = header->ssrc;
  packet->key.number = header->seq;
}
