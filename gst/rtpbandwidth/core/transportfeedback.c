/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "transportfeedback.h"

#include <string.h>

/* ns; the reference time has 24 bits in units of 64 ms (section 3.1 of the
 * draft). */
#define WRAP ((INT64_C (1) << 24) * 64 * PSP_MSECOND)

void
psp_transport_packet (uint32_t payload_size, PspPacket * packet)
{
  memset (packet, 0, sizeof *packet);
  packet->size = payload_size + PSP_TRANSPORT_HEADER;
  packet->payload_size = payload_size;
}

/* Unwraps an arrival. One before its reference time comes as a value far
 * beyond the wrap. */
static int64_t
unwrap (PspTransportTime * t, uint64_t time)
{
  int64_t within = (int64_t) time % WRAP, ahead;

  if (!t->known) {
    t->known = true;
    t->newest = within;
    return within;
  }
  ahead = (within - t->newest) % WRAP;
  if (ahead > WRAP / 2)
    ahead -= WRAP;
  else if (ahead < -WRAP / 2)
    ahead += WRAP;
  if (t->newest > INT64_MAX / 2 || t->newest < -INT64_MAX / 2)
    t->newest = within;         /* no clock gets this far */
  else
    t->newest += ahead;
  return t->newest;
}

/* Makes an acknowledgement of a status. Returns false if its packet is not
 * known. */
static bool
describe (const PspSender * sender, uint32_t series,
    const PspTransportStatus * status, PspAcknowledgement * a)
{
  memset (a, 0, sizeof *a);
  a->key.series = series;
  a->key.number = status->number;
  a->received = !status->lost;
  a->arrived_at = a->sent_at = PSP_TIME_UNKNOWN;
  if (status->sent_at <= INT64_MAX) {
    a->sent_at = (int64_t) status->sent_at;
    a->size = status->payload_size + PSP_TRANSPORT_HEADER;
    return true;
  }
  return psp_sender_sent_at (sender, &a->key) != PSP_TIME_UNKNOWN;
}

bool
psp_transport_concerns (const PspSender * sender, uint32_t series,
    const PspTransportStatus * statuses, size_t n)
{
  PspAcknowledgement a;

  for (size_t i = 0; i < n; i++)
    if (describe (sender, series, &statuses[i], &a))
      return true;
  return false;
}

size_t
psp_transport_acknowledge (PspTransportTime * time, const PspSender * sender,
    uint32_t series, const PspTransportStatus * statuses, size_t n,
    PspAcknowledgement * acknowledgements, int64_t * reported_at)
{
  size_t used = 0;

  *reported_at = PSP_TIME_UNKNOWN;
  for (size_t i = 0; i < n; i++) {
    PspAcknowledgement *a = &acknowledgements[used];

    if (!describe (sender, series, &statuses[i], a))
      continue;
    if (a->received && statuses[i].arrived_at != PSP_TRANSPORT_NONE) {
      a->arrived_at = unwrap (time, statuses[i].arrived_at);
      *reported_at = MAX (*reported_at, a->arrived_at);
    }
    used++;
  }
  return used;
}

void
psp_transport_align (PspTransportTime * time,
    PspAcknowledgement * acknowledgements, size_t n, int64_t * reported_at)
{
  for (size_t i = 0; i < n; i++) {
    const PspAcknowledgement *a = &acknowledgements[i];
    int64_t way;

    if (a->arrived_at == PSP_TIME_UNKNOWN || a->sent_at == PSP_TIME_UNKNOWN
        || __builtin_sub_overflow (a->arrived_at, a->sent_at, &way))
      continue;
    if (!time->measured || way < time->least)
      time->least = way;
    time->measured = true;
  }
  if (!time->measured || *reported_at == PSP_TIME_UNKNOWN)
    return;
  *reported_at = PSP_TIME_UNKNOWN;
  for (size_t i = 0; i < n; i++) {
    PspAcknowledgement *a = &acknowledgements[i];

    if (a->arrived_at == PSP_TIME_UNKNOWN
        || __builtin_sub_overflow (a->arrived_at, time->least, &a->arrived_at))
      a->arrived_at = PSP_TIME_UNKNOWN;
    *reported_at = MAX (*reported_at, a->arrived_at);
  }
}
