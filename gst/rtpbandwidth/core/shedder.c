/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "shedder.h"

#include <string.h>

void
psp_shedder_init (PspShedder * s)
{
  memset (s, 0, sizeof *s);
}

static int
find_stream (const PspShedder * s, uint32_t ssrc)
{
  for (int i = 0; i < PSP_SHEDDER_STREAMS; i++)
    if (s->streams[i].used && s->streams[i].ssrc == ssrc)
      return i;
  return -1;
}

static PspShedderStream *
get_stream (PspShedder * s, uint32_t ssrc)
{
  int found = find_stream (s, ssrc), oldest = 0;
  PspShedderStream *stream;

  if (found >= 0)
    return &s->streams[found];
  for (int i = 1; i < PSP_SHEDDER_STREAMS; i++)
    if (s->streams[oldest].used
        && (!s->streams[i].used
            || s->streams[i].last < s->streams[oldest].last))
      oldest = i;
  stream = &s->streams[oldest];
  memset (stream, 0, sizeof *stream);
  stream->used = true;
  stream->ssrc = ssrc;
  psp_renumbering_init (&stream->numbers);
  return stream;
}

static bool
has_most (const PspShedder * s, const PspShedderStream * stream)
{
  for (int i = 0; i < PSP_SHEDDER_STREAMS; i++)
    if (s->streams[i].waiting > stream->waiting)
      return false;
  return true;
}

bool
psp_shedder_offer (PspShedder * s, const PspShedderPacket * packet,
    PspShedderRoom room, uint16_t * sent)
{
  PspShedderStream *stream = get_stream (s, packet->ssrc);
  bool begins = !stream->begun || stream->timestamp != packet->timestamp;

  stream->last = ++s->offered;
  stream->has_media |= !packet->repeats;
  if (begins) {
    stream->begun = true;
    stream->timestamp = packet->timestamp;
    stream->refused = room == PSP_SHEDDER_FULL && has_most (s, stream);
  }
  if (room == PSP_SHEDDER_OVERFLOWING && !stream->refused)
    stream->refused = begins = true;
  if (stream->refused
      && psp_renumbering_remove (&stream->numbers, packet->number)) {
    s->dropped_packets++;
    s->dropped_pictures += begins;
    return false;
  }
  *sent = psp_renumbering_add (&stream->numbers, packet->number);
  if (stream->n_waiting == 0 || (int16_t) (*sent - stream->newest) > 0)
    stream->newest = *sent;
  stream->waiting += packet->payload_size;
  stream->n_waiting++;
  return true;
}

void
psp_shedder_left (PspShedder * s, uint32_t ssrc, uint32_t payload_size)
{
  int i = find_stream (s, ssrc);
  PspShedderStream *stream = i >= 0 ? &s->streams[i] : NULL;

  if (!stream)
    return;
  stream->waiting -= stream->waiting < payload_size ? stream->waiting :
      payload_size;
  stream->n_waiting -= stream->n_waiting > 0;
}

void
psp_shedder_take_back (PspShedder * s, uint32_t ssrc)
{
  int i = find_stream (s, ssrc);

  if (i < 0)
    return;
  psp_renumbering_take_back (&s->streams[i].numbers);
  s->streams[i].newest--;
}

/* True if the packet still waits. Packets of a stream leave in the order
 * of their numbers. */
static bool
waits (const PspShedderStream * stream, uint16_t sent)
{
  return (uint16_t) (stream->newest - sent) < stream->n_waiting;
}

bool
psp_shedder_has_media (const PspShedder * s, uint32_t ssrc)
{
  int i = find_stream (s, ssrc);

  return i >= 0 && s->streams[i].has_media;
}

bool
psp_shedder_request (PspShedder * s, uint32_t ssrc, uint16_t * number)
{
  int i = find_stream (s, ssrc);
  PspShedderRequest *request;

  if (i < 0)
    return true;                /* no packet of it has passed */
  if (waits (&s->streams[i], *number)
      || !psp_renumbering_original (&s->streams[i].numbers, *number, number))
    return false;
  request = &s->requests[s->n_requests++ % PSP_SHEDDER_REQUESTS];
  request->ssrc = ssrc;
  request->number = *number;
  return true;
}

static uint32_t
distance (uint32_t a, uint32_t b)
{
  return a - b < b - a ? a - b : b - a;
}

/* Returns the stream from which a packet with this number was requested:
 * the one that was repeated before, or else the one with the closest
 * timestamp; NULL = none. *only is whether it was requested from no other
 * stream. */
static const PspShedderStream *
find_asked (const PspShedder * s, const PspShedderStream * repeats,
    uint32_t timestamp, uint16_t number, bool *only)
{
  unsigned oldest = s->n_requests > PSP_SHEDDER_REQUESTS ?
      s->n_requests - PSP_SHEDDER_REQUESTS : 0;
  const PspShedderStream *found = NULL;

  *only = true;
  for (unsigned i = s->n_requests; i-- > oldest;) {
    const PspShedderRequest *request = &s->requests[i % PSP_SHEDDER_REQUESTS];
    int at = find_stream (s, request->ssrc);
    const PspShedderStream *stream = at >= 0 ? &s->streams[at] : NULL;

    if (request->number != number || !stream || stream == found)
      continue;
    if (repeats->paired && repeats->repeated_ssrc == stream->ssrc)
      return stream;
    *only = found == NULL;
    if (!found || distance (stream->timestamp, timestamp) <
        distance (found->timestamp, timestamp))
      found = stream;
  }
  return found;
}

static bool
find_sent (PspShedder * s, PspShedderStream * repeats, uint32_t timestamp,
    uint16_t * number)
{
  bool only;
  const PspShedderStream *asked = find_asked (s, repeats, timestamp, *number,
      &only);
  int paired = repeats->paired ? find_stream (s, repeats->repeated_ssrc) : -1;

  if (!asked && paired >= 0)
    asked = &s->streams[paired];
  else if (asked && only) {
    repeats->paired = true;
    repeats->repeated_ssrc = asked->ssrc;
  }
  return asked ? psp_renumbering_sent (&asked->numbers, *number, number) :
      s->dropped_packets == 0;
}

bool
psp_shedder_repeat (PspShedder * s, const PspShedderPacket * packet,
    uint16_t * number)
{
  PspShedderStream *repeats = get_stream (s, packet->ssrc);

  repeats->last = ++s->offered;
  if (find_sent (s, repeats, packet->timestamp, number))
    return true;
  psp_renumbering_remove (&repeats->numbers, packet->number);
  return false;
}
