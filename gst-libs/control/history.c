/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/history.h>

#include <stdlib.h>
#include <string.h>

#include <control/sentpackets.h>

/* ns. RFC 8888's arrival offsets have steps of 977 µs. */
#define MIN_RTT PSP_MSECOND
/* ns. Feedback may name packets for this long: a receiver's first report does,
 * and so do reports that repeat late packets. */
#define REMEMBERED (4 * PSP_SECOND)
/* Memory is tight when less than the capacity divided by this is free for
 * packets that leave until the next check. */
#define TIGHT_SHARE 8

struct PspHistory
{
  PspSentPackets sent;
  /* the highest indexes that each receiver got, descending; −1 = none */
  int64_t newest[PSP_MAX_RECEIVERS][PSP_HISTORY_LOSS_THRESHOLD];
  PspPacketResult *results;     /* one for each packet that is remembered */
};

static void
forget_newest (PspHistory * h, unsigned receiver)
{
  unsigned i;

  for (i = 0; i < PSP_HISTORY_LOSS_THRESHOLD; i++)
    h->newest[receiver][i] = -1;
}

PspHistory *
psp_history_new (void)
{
  PspHistory *h = calloc (1, sizeof *h);
  unsigned i;

  if (!h)
    return NULL;
  h->results = malloc (PSP_HISTORY_FIRST_CAPACITY * sizeof *h->results);
  if (!h->results
      || !psp_sent_packets_init (&h->sent, PSP_HISTORY_FIRST_CAPACITY)) {
    free (h->results);
    free (h);
    return NULL;
  }
  for (i = 0; i < PSP_MAX_RECEIVERS; i++)
    forget_newest (h, i);
  return h;
}

void
psp_history_free (PspHistory * h)
{
  if (!h)
    return;
  psp_sent_packets_clear (&h->sent);
  free (h->results);
  free (h);
}

bool
psp_history_is_tight (const PspHistory * h, int64_t now)
{
  unsigned capacity = h->sent.capacity;
  int64_t index = h->sent.next - capacity + capacity / TIGHT_SHARE;

  if (index < 0 || capacity == PSP_HISTORY_CAPACITY)
    return false;
  return h->sent.oldest <= index
      || now - psp_sent_packets_at (&h->sent, index)->sent_at < REMEMBERED;
}

bool
psp_history_grow (PspHistory * h)
{
  unsigned capacity = MIN (2 * h->sent.capacity, PSP_HISTORY_CAPACITY);
  PspPacketResult *results = malloc (capacity * sizeof *results);

  if (!results || !psp_sent_packets_grow (&h->sent, capacity)) {
    free (results);
    return false;
  }
  free (h->results);
  h->results = results;
  return true;
}

int64_t
psp_history_sent (PspHistory * h, const PspPacket * packet, PspEcn ecn,
    int64_t now, bool app_limited)
{
  return psp_sent_packets_add (&h->sent, packet, ecn, now, app_limited);
}

void
psp_history_bind (PspHistory * h, int64_t index, const PspKey * key)
{
  psp_sent_packets_bind (&h->sent, index, key);
}

void
psp_history_forget (PspHistory * h)
{
  psp_sent_packets_forget (&h->sent);
}

void
psp_history_forget_receiver (PspHistory * h, unsigned receiver)
{
  receiver &= PSP_MAX_RECEIVERS - 1;
  psp_sent_packets_forget_receiver (&h->sent, receiver);
  forget_newest (h, receiver);
}

/* True if the acknowledgement describes a packet that left without a key, which
 * cannot be distinguished from a forged one. Otherwise the key names it. */
static bool
is_described (const PspAcknowledgement * a)
{
  return a->sent_at != PSP_TIME_UNKNOWN;
}

static PspFeedbackResult
validate (const PspHistory * h, const PspFeedback * feedback)
{
  bool known = false;
  size_t i;

  for (i = 0; i < feedback->n; i++) {
    const PspAcknowledgement *a = &feedback->acknowledgements[i];
    int series = psp_sent_packets_find_series (&h->sent, a->key.series);

    known |= series >= 0 || is_described (a);
    if (a->received && series >= 0 && !is_described (a)
        && psp_sent_packets_look_up (&h->sent, (unsigned) series,
            a->key.number) < 0
        && psp_sent_packets_never_sent (&h->sent, (unsigned) series,
            a->key.number))
      return PSP_FEEDBACK_NEVER_SENT;
  }
  return known ? PSP_FEEDBACK_OK : PSP_FEEDBACK_UNKNOWN_SERIES;
}

static PspPacketResult *
add_result (PspHistory * h, PspReport * report, int64_t index,
    PspOutcome outcome)
{
  const PspSentPacket *p = psp_sent_packets_get (&h->sent, index);
  PspPacketResult *r = &h->results[report->n_results++];

  r->index = index;
  r->sent_at = p->sent_at;
  r->arrived_at = PSP_TIME_UNKNOWN;
  r->size = p->size;
  r->outcome = (uint8_t) outcome;
  r->ecn = PSP_ECN_NOT_ECT;
  r->sent_ecn = p->ecn;
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
note_newest (int64_t * newest, int64_t index)
{
  int i;

  if (index <= newest[PSP_HISTORY_LOSS_THRESHOLD - 1])
    return;
  for (i = PSP_HISTORY_LOSS_THRESHOLD - 1; i > 0 && newest[i - 1] < index; i--)
    newest[i] = newest[i - 1];
  newest[i] = index;
}

/* Returns when the packet arrived, if it can have: not before it left, nor
 * after the report that says so. Arrival times and our clock are rounded. */
static int64_t
possible_arrival (const PspAcknowledgement * a, int64_t reported_at,
    int64_t sent_at, int64_t now)
{
  int64_t held;

  if (a->arrived_at == PSP_TIME_UNKNOWN || reported_at == PSP_TIME_UNKNOWN)
    return a->arrived_at;
  if (__builtin_sub_overflow (reported_at, a->arrived_at, &held)
      || held < 0 || held > now - sent_at + 2 * MIN_RTT)
    return PSP_TIME_UNKNOWN;
  return a->arrived_at;
}

/* Returns the codepoint on arrival, if it is possible. Routers mark only what
 * left ECN-capable (RFC 3168 section 5): another mark is a lie or a mistake,
 * and means no congestion. */
static uint8_t
possible_ecn (const PspAcknowledgement * a, uint8_t sent)
{
  return a->ecn == PSP_ECN_CE && sent == PSP_ECN_NOT_ECT ? PSP_ECN_NOT_ECT :
      a->ecn;
}

static void
note_received (PspHistory * h, PspReport * report, int64_t index,
    const PspAcknowledgement * a, int64_t reported_at)
{
  PspSentPacket *p = psp_sent_packets_get (&h->sent, index);
  PspPacketResult *r;
  bool lost = p && p->state == PSP_SENT_LOST;
  int64_t held = 0;

  if (!p || (p->state != PSP_SENT_UNDECIDED && !lost))
    return;
  if (lost)
    p->state = PSP_SENT_RECEIVED;
  else
    psp_sent_packets_decide (&h->sent, p, PSP_SENT_RECEIVED);
  r = add_result (h, report, index,
      lost ? PSP_OUTCOME_RECOVERED : PSP_OUTCOME_RECEIVED);
  r->ecn = possible_ecn (a, p->ecn);
  report->n_ce += r->ecn == PSP_ECN_CE;
  report->payload_received += p->payload_size;
  r->arrived_at = possible_arrival (a, reported_at, p->sent_at, report->now);
  if (index > h->newest[p->receiver][0]) {
    /* A key that was sent twice does not show which of the two packets arrived
     * (Karn). */
    report->rtt_sample = PSP_TIME_UNKNOWN;
    if (r->arrived_at != PSP_TIME_UNKNOWN && reported_at != PSP_TIME_UNKNOWN)
      held = reported_at - r->arrived_at;
    if (r->arrived_at != PSP_TIME_UNKNOWN && !p->resent)
      report->rtt_sample = MAX (MIN_RTT, report->now - p->sent_at - held);
  }
  note_newest (h->newest[p->receiver], index);
}

/* Returns the packet's index, or −1. */
static int64_t
look_up (const PspHistory * h, const PspKey * key)
{
  int series = psp_sent_packets_find_series (&h->sent, key->series);

  return series < 0 ? -1 :
      psp_sent_packets_look_up (&h->sent, (unsigned) series, key->number);
}

int64_t
psp_history_sent_at (const PspHistory * h, const PspKey * key)
{
  int64_t index = look_up (h, key);

  return index < 0 ? PSP_TIME_UNKNOWN :
      psp_sent_packets_at (&h->sent, index)->sent_at;
}

/* Returns the index of the packet that the acknowledgement belongs to, or −1.
 * An acknowledgement by another receiver says nothing. */
static int64_t
find_packet (PspHistory * h, const PspAcknowledgement * a, unsigned receiver)
{
  int64_t index = look_up (h, &a->key);

  if (index >= 0)
    return psp_sent_packets_at (&h->sent, index)->receiver == receiver ?
        index : -1;
  if (!is_described (a))
    return -1;
  index = psp_sent_packets_unbound (&h->sent, receiver, a->sent_at, a->size);
  if (index >= 0)
    psp_sent_packets_bind (&h->sent, index, &a->key);
  return index;
}

/* Where a report has no arrival time, the round trip includes the time for which
 * the receiver held it: without any, controllers could not answer losses. */
static void
measure_without_times (const PspHistory * h, PspReport * report)
{
  const PspPacketResult *newest = NULL;
  const PspSentPacket *p;
  size_t i;

  for (i = 0; i < report->n_results; i++) {
    const PspPacketResult *r = &report->results[i];

    if (r->arrived_at != PSP_TIME_UNKNOWN)
      return;
    if (!newest || r->index > newest->index)
      newest = r;
  }
  if (!newest)
    return;
  p = psp_sent_packets_at (&h->sent, newest->index);
  if (newest->index == h->newest[p->receiver][0] && !p->resent)
    report->rtt_sample = MAX (MIN_RTT, report->now - newest->sent_at);
}

/* Leaves a packet without an outcome. */
static void
forget (PspHistory * h, int64_t index)
{
  PspSentPacket *p = psp_sent_packets_get (&h->sent, index);

  if (p && p->state == PSP_SENT_UNDECIDED)
    psp_sent_packets_decide (&h->sent, p, PSP_SENT_FORGOTTEN);
}

static void
note_acknowledgements (PspHistory * h, PspReport * report,
    const PspFeedback * feedback)
{
  int64_t index;
  size_t i;

  for (i = 0; i < feedback->n; i++) {
    const PspAcknowledgement *a = &feedback->acknowledgements[i];

    if (!a->received && !a->untold && !is_described (a))
      continue;
    index = find_packet (h, a, feedback->receiver);
    if (a->untold && index >= 0)
      forget (h, index);
    if (a->received && index >= 0)
      note_received (h, report, index, a, feedback->reported_at);
  }
  measure_without_times (h, report);
}

static void
note_lost (PspHistory * h, PspReport * report, int64_t index)
{
  add_result (h, report, index, PSP_OUTCOME_LOST);
  psp_sent_packets_decide (&h->sent, psp_sent_packets_get (&h->sent, index),
      PSP_SENT_LOST);
}

/* Returns the highest of the `rank`th highest indexes. */
static int64_t
highest_of_all (const PspHistory * h, unsigned rank)
{
  int64_t highest = -1;
  unsigned i;

  for (i = 0; i < PSP_MAX_RECEIVERS; i++)
    highest = MAX (highest, h->newest[i][rank]);
  return highest;
}

/* Decides which packets are lost because three later ones arrived. These must
 * have gone to the same receiver: another one may report on what left later
 * before this one reports at all. A packet that no acknowledgement has named is
 * forgotten: those that are lost are named, too, so it was a report that was
 * lost. */
static void
note_overtaken (PspHistory * h, PspReport * report)
{
  const unsigned rank = PSP_HISTORY_LOSS_THRESHOLD - 1;
  int64_t end = highest_of_all (h, rank), index;

  for (index = h->sent.oldest; index < end; index++) {
    const PspSentPacket *p = psp_sent_packets_get (&h->sent, index);

    if (!p || p->state != PSP_SENT_UNDECIDED
        || index >= h->newest[p->receiver][rank])
      continue;
    if (psp_sent_packets_is_named (p))
      note_lost (h, report, index);
    else
      forget (h, index);
  }
}

/* Sorts by ascending index. It is Shell's sort: reports are mostly sorted
 * already, and a hostile order must not cost quadratic time. */
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
  report->newest_index = highest_of_all (h, 0);
}

PspFeedbackResult
psp_history_feedback (PspHistory * h, const PspFeedback * feedback,
    int64_t now, PspReport * report)
{
  PspFeedbackResult result = validate (h, feedback);

  if (result != PSP_FEEDBACK_OK)
    return result;
  begin_report (h, report, now, false);
  note_acknowledgements (h, report, feedback);
  note_overtaken (h, report);
  end_report (h, report);
  return PSP_FEEDBACK_OK;
}

bool
psp_history_is_overtaken (const PspHistory * h)
{
  const PspSentPacket *p = psp_sent_packets_at (&h->sent, h->sent.oldest);

  return h->sent.in_flight > 0 && h->sent.oldest < h->newest[p->receiver][0];
}

static bool
is_expired (const PspHistory * h, int64_t now, int64_t age, int64_t overtaken)
{
  return psp_history_oldest_in_flight_at (h) <= now -
      (psp_history_is_overtaken (h) ? overtaken : age);
}

bool
psp_history_expire (PspHistory * h, int64_t now, int64_t age,
    int64_t overtaken, PspReport * report)
{
  if (!is_expired (h, now, age, overtaken))
    return false;
  begin_report (h, report, now, true);
  while (is_expired (h, now, age, overtaken))
    note_lost (h, report, h->sent.oldest);
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
  return h->sent.in_flight > 0 ?
      psp_sent_packets_at (&h->sent, h->sent.oldest)->sent_at : PSP_TIME_NEVER;
}

uint64_t
psp_history_overlooked (const PspHistory * h)
{
  return h->sent.n_overlooked;
}
