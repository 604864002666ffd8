/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/twccfeedback.h>

#include <stdlib.h>

#include <control/call.h>

/* A recording of the session has a line for each report. */
_Static_assert (PSP_TWCC_NUMBERS <= PSP_CALL_ACKNOWLEDGEMENTS,
    "a report on all numbers fits in a line");

/* ns. Between two reports the receiver's clock and ours advance by the
 * same time, except for the time that packets and reports were on the way. */
#define MAX_JUMP PSP_SECOND
/* ns. After this long without a time that fits, the receiver has another
 * clock. */
#define DOUBT PSP_SECOND

const PspFeedbackTiming psp_twcc_feedback_timing = {
  .report_interval = 400 * PSP_MSECOND,
  .min_silence = 1500 * PSP_MSECOND,
  .silence_rtts = 4,
  .stop_after = 10 * PSP_SECOND,
  .probe_interval = PSP_SECOND
};

struct PspTransportNumber
{
  PspKey key;
  uint16_t number;
  bool used;
};

void
psp_twcc_feedback_init (PspTwccFeedback * f)
{
  f->numbers = NULL;
  f->acknowledgements = NULL;
  f->n_series = 0;
  psp_twcc_feedback_forget (f);
}

void
psp_twcc_feedback_clear (PspTwccFeedback * f)
{
  free (f->numbers);
  free (f->acknowledgements);
  f->numbers = NULL;
  f->acknowledgements = NULL;
}

void
psp_twcc_feedback_forget (PspTwccFeedback * f)
{
  f->reference = f->read_reference = PSP_TIME_UNKNOWN;
  f->accepted_at = 0;
  f->next.known = false;
}

bool
psp_twcc_feedback_open (PspTwccFeedback * f)
{
  if (f->numbers)
    return true;
  f->numbers = calloc (PSP_TWCC_NUMBERS, sizeof *f->numbers);
  f->acknowledgements = calloc (PSP_TWCC_NUMBERS, sizeof *f->acknowledgements);
  if (f->numbers && f->acknowledgements)
    return true;
  psp_twcc_feedback_clear (f);
  return false;
}

static bool
has_series (const PspTwccFeedback * f, uint32_t series)
{
  for (unsigned i = 0; i < f->n_series && i < PSP_MAX_SERIES; i++)
    if (f->series[i] == series)
      return true;
  return false;
}

void
psp_twcc_feedback_sent (PspTwccFeedback * f, uint16_t number,
    const PspKey * key)
{
  if (!f->numbers)
    return;
  f->numbers[number % PSP_TWCC_NUMBERS] = (PspTransportNumber) {
  *key, number, true};
  if (!has_series (f, key->series))
    f->series[f->n_series++ % PSP_MAX_SERIES] = key->series;
}

/* Returns the place that holds the number, or NULL. */
static const PspTransportNumber *
find (const PspTwccFeedback * f, uint16_t number)
{
  const PspTransportNumber *found = &f->numbers[number % PSP_TWCC_NUMBERS];

  return found->used && found->number == number ? found : NULL;
}

bool
psp_twcc_feedback_find (const PspTwccFeedback * f, const PspSender * s,
    uint16_t number, PspKey * key)
{
  const PspTransportNumber *found;

  if (!f->numbers)
    return false;
  found = find (f, number);
  if (!found)
    return false;
  *key = found->key;
  return psp_sender_sent_at (s, key) != PSP_TIME_UNKNOWN;
}

bool
psp_twcc_feedback_is_credible (const PspTwccFeedback * f, const PspTwcc * twcc)
{
  PspTwccIterator it;
  PspTwccPacket packet;

  if (!f->numbers || !has_series (f, twcc->media_ssrc))
    return false;
  psp_twcc_begin (twcc, 0, &it);
  while (psp_twcc_next_received (&it, &packet))
    if (!find (f, packet.seq))
      return false;
  return true;
}

/* Returns the report's reference time, or PSP_TIME_UNKNOWN if no clock can
 * show that time. */
static int64_t
find_reference (const PspTwccFeedback * f, const PspTwcc * twcc, int64_t now)
{
  int64_t reference = psp_twcc_reference_time (twcc, f->reference);
  int64_t since = now - f->accepted_at, jump;

  if (!twcc->has_times)
    return PSP_TIME_UNKNOWN;
  if (f->reference == PSP_TIME_UNKNOWN || since >= DOUBT)
    return reference;
  jump = reference - f->reference - since;
  return jump > MAX_JUMP || jump < -MAX_JUMP ? PSP_TIME_UNKNOWN : reference;
}

/* Adds the packets on which the reports were lost that this one's count
 * misses. If one of them comes late, its packets are forgotten by then. */
static void
add_untold (PspTwccFeedback * f, const PspSender * s, const PspTwcc * twcc,
    PspFeedback * feedback)
{
  int8_t missed = (int8_t) (twcc->count - f->next.count);
  uint16_t n = (uint16_t) (twcc->begin_seq - f->next.number);

  f->read_next = f->next;
  if (f->next.known && missed < 0)
    return;
  f->read_next = (PspTwccNext) {
  true, (uint8_t) (twcc->count + 1),
        (uint16_t) (twcc->begin_seq + twcc->n_packets)};
  if (!f->next.known || missed == 0 || n > PSP_TWCC_NUMBERS)
    return;
  for (unsigned i = 0; i < n; i++) {
    PspAcknowledgement a = {.untold = true,.arrived_at = PSP_TIME_UNKNOWN,
      .sent_at = PSP_TIME_UNKNOWN
    };

    if (psp_twcc_feedback_find (f, s, (uint16_t) (f->next.number + i), &a.key))
      f->acknowledgements[feedback->n++] = a;
  }
}

bool
psp_twcc_feedback_read (PspTwccFeedback * f, const PspSender * s,
    const PspTwcc * twcc, int64_t now, PspFeedback * feedback)
{
  PspTwccIterator it;
  PspTwccPacket packet;

  feedback->acknowledgements = f->acknowledgements;
  feedback->n = 0;
  /* A report does not say when it left, only that the last packet had come. */
  feedback->reported_at = PSP_TIME_UNKNOWN;
  feedback->receiver = 0;
  f->read_reference = find_reference (f, twcc, now);
  psp_twcc_begin (twcc, f->read_reference == PSP_TIME_UNKNOWN ? 0 :
      f->read_reference, &it);
  while (psp_twcc_next_received (&it, &packet)) {
    PspAcknowledgement a = {.received = true,.sent_at = PSP_TIME_UNKNOWN };

    if (!psp_twcc_feedback_find (f, s, packet.seq, &a.key))
      continue;
    a.arrived_at = f->read_reference == PSP_TIME_UNKNOWN ? PSP_TIME_UNKNOWN :
        packet.arrived_at;
    feedback->reported_at = MAX (feedback->reported_at, a.arrived_at);
    /* There is room: a report names a number once, and each that is found has
     * its own place in `numbers`. */
    f->acknowledgements[feedback->n++] = a;
  }
  if (feedback->n == 0)
    return false;
  add_untold (f, s, twcc, feedback);
  return true;
}

void
psp_twcc_feedback_accept (PspTwccFeedback * f, int64_t now)
{
  f->next = f->read_next;
  if (f->read_reference == PSP_TIME_UNKNOWN)
    return;
  f->reference = f->read_reference;
  f->accepted_at = now;
}
