/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/stream.h>

/* Shorter names of the bits of a state. */
#define ECN PSP_STREAM_ECN
#define ARRIVED PSP_STREAM_ARRIVED
#define REPORTED PSP_STREAM_REPORTED

int64_t
psp_stream_window_start (const PspStream * s)
{
  return MAX (s->first, s->highest - PSP_STREAM_WINDOW + 1);
}

/* Restarts the stream before `seq` arrives (RFC 3550 appendix A.1,
 * init_seq). */
static void
restart (PspStream * s, uint16_t seq)
{
  s->base = s->first = seq;
  s->highest = s->base - 1;
  s->jumped = false;
  s->has_transit = false;
  s->n_unreported = 0;
  s->next_report = s->previous[0] = s->previous[1] = s->base;
  s->first_wanted = PSP_STREAM_NONE_WANTED;
  memset (s->state, 0, sizeof s->state);
}

void
psp_stream_init (PspStream * s, const PspRtpHeader * header, int64_t now)
{
  memset (s, 0, sizeof *s);
  s->ssrc = header->ssrc;
  s->last_arrival = now;
  s->last_sr_at = s->bye_at = s->key_requested_at = PSP_TIME_UNKNOWN;
  restart (s, header->seq);
}

static void
restart_after_jump (PspStream * s, uint16_t seq)
{
  s->expected_before = psp_stream_expected (s);
  restart (s, seq);
  s->urgent = true;
}

static void
add_unreported (PspStream * s, int64_t seq)
{
  int64_t at = s->arrived_at[seq & PSP_STREAM_MASK];

  s->first_unreported =
      s->n_unreported ? MIN (s->first_unreported, seq) : seq;
  s->oldest_unreported_at =
      s->n_unreported ? MIN (s->oldest_unreported_at, at) : at;
  s->n_unreported++;
}

static void
advance (PspStream * s, int64_t seq)
{
  int64_t from = MAX (s->highest + 1, seq - PSP_STREAM_WINDOW + 1);

  if (seq > s->highest + 1)
    s->urgent = true;
  for (int64_t i = from; i <= seq; i++)
    s->state[i & PSP_STREAM_MASK] = 0;
  s->highest = seq;
}

/* Notes another copy of a packet. The arrival time of the first copy
 * counts, and a CE mark on any copy (RFC 8888 section 3.1). A copy that
 * ends a silence is the probe of a sender that got no report on the first
 * copy, so it is reported again. */
static void
note_duplicate (PspStream * s, int64_t seq, uint8_t ecn, bool silent)
{
  uint8_t *state = &s->state[seq & PSP_STREAM_MASK];
  bool again = silent;

  s->duplicates++;
  if (ecn == PSP_ECN_CE && (*state & ECN) != PSP_ECN_CE) {
    *state |= PSP_ECN_CE;
    again = true;
  }
  if (again && *state & REPORTED) {
    *state &= (uint8_t) ~ REPORTED;
    add_unreported (s, seq);
  }
}

/* Updates the jitter, which has 4 bits of fraction (RFC 3550 appendix
 * A.8). */
static void
update_jitter (PspStream * s, const PspArrival * a, uint32_t clock_rate)
{
  int64_t seconds = a->arrived_at / PSP_SECOND;
  int64_t rest = a->arrived_at % PSP_SECOND;
  uint32_t arrival, transit, d;

  if (clock_rate == 0)
    return;
  /* This wraps modulo 2^32, as the time stamps do. */
  arrival = (uint32_t) ((uint64_t) seconds * clock_rate) +
      (uint32_t) (rest * clock_rate / PSP_SECOND);
  transit = arrival - a->header.timestamp;
  if (s->has_transit) {
    d = transit - s->transit;
    if (d > INT32_MAX)
      d = -d;
    s->jitter += d;
    s->jitter -= (s->jitter + 8 - d) >> 4;
  }
  s->transit = transit;
  s->has_transit = true;
}

static PspReceiverResult
accept_packet (PspStream * s, const PspArrival * a, uint32_t clock_rate)
{
  int64_t seq = s->highest +
      psp_seq_distance (a->header.seq, (uint16_t) s->highest);
  unsigned slot = seq & PSP_STREAM_MASK;
  bool silent = a->arrived_at - s->last_arrival >= PSP_STREAM_SILENCE;

  s->counts.packets++;
  s->counts.bytes += a->header.size;
  s->counts.payload_bytes += a->header.payload_size;
  /* A packet that was still in flight when the sender sent BYE does not restart
   * the stream. */
  if (s->bye_at != PSP_TIME_UNKNOWN
      && a->arrived_at - s->bye_at >= PSP_STREAM_SILENCE)
    s->bye_at = PSP_TIME_UNKNOWN;
  s->last_arrival = a->arrived_at;
  s->jumped = false;

  if (seq > s->highest) {
    advance (s, seq);
  } else if (s->state[slot] & ARRIVED) {
    note_duplicate (s, seq, a->ecn, silent);
    return PSP_RECEIVER_DUPLICATE;
  } else {
    s->reordered++;
    s->first = MIN (s->first, seq);
  }
  s->arrived_at[slot] = a->arrived_at;
  s->state[slot] = ARRIVED | (a->ecn & ECN);
  add_unreported (s, seq);
  update_jitter (s, a, clock_rate);
  return PSP_RECEIVER_OK;
}

/* True if a packet that is so many numbers behind is late and no jump. RFC
 * 3550's 100 numbers are 10 ms at 10,000 packets a second, so a missing number
 * of the window is late as long as the packet after it is no older than
 * MAX_LATE. One that has arrived is not: a short stream that begins anew has
 * its old numbers. */
static bool
is_late (const PspStream * s, int64_t behind, int64_t now)
{
  int64_t seq = s->highest - behind;

  if (behind < PSP_STREAM_MAX_MISORDER)
    return true;
  if (behind >= PSP_STREAM_WINDOW || seq < s->first
      || s->state[seq & PSP_STREAM_MASK] & ARRIVED)
    return false;
  do
    seq++;
  while (!(s->state[seq & PSP_STREAM_MASK] & ARRIVED));
  return now - s->arrived_at[seq & PSP_STREAM_MASK] <= PSP_STREAM_MAX_LATE;
}

/* Takes a packet (RFC 3550 appendix A.1, update_seq). The packet of a jump
 * is kept and counts once its successor has arrived. */
PspReceiverResult
psp_stream_packet (PspStream * s, const PspArrival * arrival,
    uint32_t clock_rate)
{
  uint16_t seq = arrival->header.seq;
  int distance = psp_seq_distance (seq, (uint16_t) s->highest);

  if (distance < PSP_STREAM_MAX_DROPOUT
      && is_late (s, -distance, arrival->arrived_at))
    return accept_packet (s, arrival, clock_rate);

  if (arrival->arrived_at - s->last_arrival >= PSP_STREAM_SILENCE) {
    restart_after_jump (s, seq);
  } else if (s->jumped && seq == (uint16_t) (s->candidate.header.seq + 1)) {
    PspArrival candidate = s->candidate;

    restart_after_jump (s, candidate.header.seq);
    accept_packet (s, &candidate, clock_rate);
  } else {
    s->jumped = true;
    s->candidate = *arrival;
    return PSP_RECEIVER_PROBATION;
  }
  return accept_packet (s, arrival, clock_rate);
}

void
psp_stream_reset_jitter (PspStream * s)
{
  s->jitter = 0;
  s->has_transit = false;
}

uint64_t
psp_stream_expected (const PspStream * s)
{
  return s->expected_before + (uint64_t) (s->highest - s->base + 1);
}

int64_t
psp_stream_lost (const PspStream * s)
{
  return (int64_t) (psp_stream_expected (s) - s->counts.packets);
}

uint32_t
psp_stream_jitter (const PspStream * s)
{
  return (uint32_t) (s->jitter >> 4);
}

void
psp_stream_sender_report (PspStream * s, uint64_t ntp, int64_t now)
{
  s->last_sr = (uint32_t) (ntp >> 16);
  s->last_sr_at = now;
}

bool
psp_stream_heard (const PspStream * s)
{
  return s->counts.packets != s->received_prior;
}

/* Returns the delay in 1/65536 s, saturated (RFC 3550 section 6.4.1). */
static uint32_t
delay_since (int64_t then, int64_t now)
{
  int64_t delay = now - then;

  if (delay < 0)
    return 0;
  if (delay >= 65536 * PSP_SECOND)
    return UINT32_MAX;
  return (uint32_t) (delay * 65536 / PSP_SECOND);
}

/* Fills a report block (RFC 3550 appendix A.3). */
void
psp_stream_report_block (PspStream * s, int64_t now, PspRtcpReportBlock * block)
{
  uint64_t expected = psp_stream_expected (s);
  int64_t lost = psp_stream_lost (s);
  int64_t expected_now = (int64_t) (expected - s->expected_prior);
  int64_t lost_now =
      expected_now - (int64_t) (s->counts.packets - s->received_prior);

  memset (block, 0, sizeof *block);
  block->ssrc = s->ssrc;
  if (expected_now > 0 && lost_now > 0)
    block->fraction_lost = (uint8_t) MIN (lost_now * 256 / expected_now, 255);
  block->cumulative_lost = (int32_t) MAX (INT32_MIN, MIN (lost, INT32_MAX));
  block->highest_seq = (uint32_t) s->highest;
  block->jitter = psp_stream_jitter (s);
  if (s->last_sr_at != PSP_TIME_UNKNOWN) {
    block->last_sr = s->last_sr;
    block->delay_since_last_sr = delay_since (s->last_sr_at, now);
  }
  s->expected_prior = expected;
  s->received_prior = s->counts.packets;
}

void
psp_stream_range (const PspStream * s, PspStreamRange * range)
{
  int64_t start = psp_stream_window_start (s);
  int64_t required = MAX (s->first_unreported, start);
  int64_t fresh = MAX (MIN (s->next_report, required), start);
  int64_t repeat = MIN (s->previous[0], s->previous[1]);

  repeat = MAX (repeat, fresh - PSP_STREAM_MAX_REPEAT);
  range->required = required;
  range->fresh = fresh;
  range->wanted = MAX (MIN (repeat, fresh), start);
}

void
psp_stream_metric (const PspStream * s, int64_t seq, int64_t now,
    PspCcfbMetric * metric)
{
  uint8_t state = s->state[seq & PSP_STREAM_MASK];

  metric->received = state & ARRIVED;
  metric->ecn = state & ECN;
  metric->offset = now - s->arrived_at[seq & PSP_STREAM_MASK];
}

void
psp_stream_arrival (const PspStream * s, int64_t seq, bool *received,
    int64_t * arrived_at)
{
  *received = s->state[seq & PSP_STREAM_MASK] & ARRIVED;
  *arrived_at = *received ? s->arrived_at[seq & PSP_STREAM_MASK] :
      PSP_TIME_UNKNOWN;
}

void
psp_stream_reported (PspStream * s, int64_t last)
{
  int64_t first = MAX (s->first_unreported, psp_stream_window_start (s));

  s->previous[1] = s->previous[0];
  s->previous[0] = MIN (s->next_report, first);
  s->next_report = MAX (s->next_report, last + 1);
  for (int64_t seq = first; seq <= last; seq++)
    s->state[seq & PSP_STREAM_MASK] |= REPORTED;

  s->n_unreported = 0;
  for (int64_t seq = last + 1; seq <= s->highest; seq++) {
    if ((s->state[seq & PSP_STREAM_MASK] & (ARRIVED | REPORTED)) == ARRIVED)
      add_unreported (s, seq);
  }
  s->urgent = s->n_unreported > 0;
}
