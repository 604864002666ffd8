/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "sentring.h"

#include <stdlib.h>

#define MIN_RTT PSP_MSECOND     /* arrival offsets come in steps of 977 µs */
/* Unwrapped receiver times beyond this start anew: no arithmetic on them can
 * overflow. 1/65536 s; 17 years. */
#define MAX_RECEIVER_TIME (INT64_C (1) << 45)

#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct PspHistory
{
  PspSentRing sent;
  int64_t newest[PSP_HISTORY_LOSS_THRESHOLD];   /* highest indexes received,
                                                   descending; −1 = none */
  uint64_t payload_received;
  int64_t receiver_time;        /* last report's, unwrapped, 1/65536 s */
  bool receiver_time_known;
  PspPacketResult results[PSP_HISTORY_CAPACITY];
};

PspHistory *
psp_history_new (void)
{
  PspHistory *h = calloc (1, sizeof *h);
  unsigned i;

  if (h)
    for (i = 0; i < PSP_HISTORY_LOSS_THRESHOLD; i++)
      h->newest[i] = -1;
  return h;
}

void
psp_history_free (PspHistory * h)
{
  free (h);
}

int64_t
psp_history_sent (PspHistory * h, const PspRtpHeader * header, int64_t now,
    bool app_limited)
{
  return psp_sent_ring_add (&h->sent, header, now, app_limited);
}

void
psp_history_forget (PspHistory * h)
{
  psp_sent_ring_forget (&h->sent);
  h->receiver_time_known = false;
}

static PspFeedbackResult
validate (const PspHistory * h, const PspCcfb * ccfb)
{
  size_t position = 0;
  PspCcfbStream block;
  PspCcfbMetric metric;
  bool known = false;
  unsigned i;
  uint16_t seq;
  int stream;

  while (psp_ccfb_next_stream (ccfb, &position, &block)) {
    stream = psp_sent_ring_find_stream (&h->sent, block.ssrc);
    if (stream < 0)
      continue;
    known = true;
    for (i = 0; i < block.n_reports; i++) {
      psp_ccfb_metric (&block, i, &metric);
      seq = (uint16_t) (block.begin_seq + i);
      if (metric.received
          && psp_sent_ring_look_up (&h->sent, (unsigned) stream, seq) < 0
          && psp_sent_ring_never_sent (&h->sent, (unsigned) stream, seq))
        return PSP_FEEDBACK_NEVER_SENT;
    }
  }
  return known ? PSP_FEEDBACK_OK : PSP_FEEDBACK_UNKNOWN_SSRC;
}

/* The report's time stamp on the receiver's time line, ns. */
static int64_t
unwrap_receiver_time (PspHistory * h, uint32_t timestamp)
{
  int64_t t = timestamp;

  if (h->receiver_time_known) {
    t = h->receiver_time;
    t += (int32_t) (timestamp - (uint32_t) h->receiver_time);
    if (t > MAX_RECEIVER_TIME || t < -MAX_RECEIVER_TIME)
      t = timestamp;
  }
  h->receiver_time = t;
  h->receiver_time_known = true;
  /* In two halves: t × 10⁹ does not fit. */
  return (t >> 16) * PSP_SECOND + ((t & 0xffff) * PSP_SECOND >> 16);
}

static PspPacketResult *
add_result (PspHistory * h, PspReport * report, int64_t index,
    PspOutcome outcome)
{
  const PspSentPacket *p = psp_sent_ring_get (&h->sent, index);
  PspPacketResult *r = &h->results[report->n_results++];

  r->index = index;
  r->sent_at = p->sent_at;
  r->arrived_at = PSP_TIME_UNKNOWN;
  r->size = p->size;
  r->outcome = (uint8_t) outcome;
  r->ecn = PSP_ECN_NOT_ECT;
  r->app_limited = p->app_limited;
  if (outcome == PSP_OUTCOME_LOST)
    report->n_lost++;
  else if (outcome == PSP_OUTCOME_RECOVERED)
    report->n_recovered++;
  else
    report->n_received++;
  return r;
}

static void
note_newest (PspHistory * h, int64_t index)
{
  int i;

  if (index <= h->newest[PSP_HISTORY_LOSS_THRESHOLD - 1])
    return;
  for (i = PSP_HISTORY_LOSS_THRESHOLD - 1; i > 0 && h->newest[i - 1] < index;
      i--)
    h->newest[i] = h->newest[i - 1];
  h->newest[i] = index;
}

static void
note_received (PspHistory * h, PspReport * report, int64_t index,
    const PspCcfbMetric * metric, int64_t reported_at)
{
  PspSentPacket *p = psp_sent_ring_get (&h->sent, index);
  PspPacketResult *r;
  bool lost = p && p->state == PSP_SENT_LOST;

  if (!p || (p->state != PSP_SENT_UNDECIDED && !lost))
    return;
  if (lost)
    p->state = PSP_SENT_RECEIVED;
  else
    psp_sent_ring_decide (&h->sent, p, PSP_SENT_RECEIVED);
  r = add_result (h, report, index,
      lost ? PSP_OUTCOME_RECOVERED : PSP_OUTCOME_RECEIVED);
  r->ecn = metric->ecn;
  report->n_ce += metric->ecn == PSP_ECN_CE;
  h->payload_received += p->payload_size;
  if (metric->offset != PSP_TIME_UNKNOWN)
    r->arrived_at = reported_at - metric->offset;
  if (index > h->newest[0]) {
    /* A number sent twice does not say which of the two arrived (Karn). */
    report->rtt_sample = PSP_TIME_UNKNOWN;
    if (r->arrived_at != PSP_TIME_UNKNOWN && !p->resent)
      report->rtt_sample =
          MAX (MIN_RTT, report->now - p->sent_at - metric->offset);
  }
  note_newest (h, index);
}

static void
note_block (PspHistory * h, PspReport * report, const PspCcfbStream * block,
    unsigned stream, int64_t reported_at)
{
  PspCcfbMetric metric;
  int64_t index;
  unsigned i;
  uint16_t seq;

  for (i = 0; i < block->n_reports; i++) {
    psp_ccfb_metric (block, i, &metric);
    if (!metric.received)
      continue;
    seq = (uint16_t) (block->begin_seq + i);
    index = psp_sent_ring_look_up (&h->sent, stream, seq);
    if (index >= 0)
      note_received (h, report, index, &metric, reported_at);
  }
}

static void
note_lost (PspHistory * h, PspReport * report)
{
  int64_t index = h->sent.oldest;

  add_result (h, report, index, PSP_OUTCOME_LOST);
  psp_sent_ring_decide (&h->sent, psp_sent_ring_get (&h->sent, index),
      PSP_SENT_LOST);
}

/* Ascending index. Shell's sort: mostly sorted already, and a hostile order
 * must not cost the square. */
static void
sort_results (PspPacketResult * results, size_t n)
{
  PspPacketResult r;
  size_t gap = 1, i, j;

  while (gap < n / 3)
    gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (i = gap; i < n; i++) {
      r = results[i];
      for (j = i; j >= gap && results[j - gap].index > r.index; j -= gap)
        results[j] = results[j - gap];
      results[j] = r;
    }
  }
}

static void
begin_report (PspHistory * h, PspReport * report, int64_t now, bool timeout)
{
  memset (report, 0, sizeof *report);
  report->now = now;
  report->timeout = timeout;
  report->rtt_sample = PSP_TIME_UNKNOWN;
  report->results = h->results;
}

static void
end_report (PspHistory * h, PspReport * report)
{
  sort_results (h->results, report->n_results);
  report->in_flight = h->sent.in_flight;
  report->oldest_in_flight_at = psp_history_oldest_in_flight_at (h);
  report->newest_index = h->newest[0];
}

PspFeedbackResult
psp_history_feedback (PspHistory * h, const PspCcfb * ccfb, int64_t now,
    PspReport * report)
{
  PspFeedbackResult result = validate (h, ccfb);
  size_t position = 0;
  PspCcfbStream block;
  int64_t reported_at;
  int stream;

  if (result != PSP_FEEDBACK_OK)
    return result;
  begin_report (h, report, now, false);
  reported_at = unwrap_receiver_time (h, ccfb->timestamp);
  while (psp_ccfb_next_stream (ccfb, &position, &block)) {
    stream = psp_sent_ring_find_stream (&h->sent, block.ssrc);
    if (stream >= 0)
      note_block (h, report, &block, (unsigned) stream, reported_at);
  }
  while (h->sent.oldest < h->newest[PSP_HISTORY_LOSS_THRESHOLD - 1])
    note_lost (h, report);
  end_report (h, report);
  return PSP_FEEDBACK_OK;
}

bool
psp_history_expire (PspHistory * h, int64_t now, int64_t age,
    PspReport * report)
{
  if (h->sent.in_flight == 0 || psp_history_oldest_in_flight_at (h) > now - age)
    return false;
  begin_report (h, report, now, true);
  while (psp_history_oldest_in_flight_at (h) <= now - age)
    note_lost (h, report);
  end_report (h, report);
  return true;
}

int64_t
psp_history_in_flight (const PspHistory * h)
{
  return h->sent.in_flight;
}

int64_t
psp_history_oldest_in_flight_at (const PspHistory * h)
{
  const PspSentPacket *p = &h->sent.packets[h->sent.oldest & PSP_SENT_MASK];

  return h->sent.in_flight > 0 ? p->sent_at : PSP_TIME_NEVER;
}

uint64_t
psp_history_payload_received (const PspHistory * h)
{
  return h->payload_received;
}
