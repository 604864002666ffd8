/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "sentring.h"

#include <stdlib.h>
#include <string.h>

#define NO_SLOT UINT16_MAX

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static int64_t
index_of_slot (const PspSentRing * r, unsigned slot)
{
  int64_t last = r->next - 1;

  return last - ((last - (int64_t) slot) & PSP_SENT_MASK);
}

static bool
is_live (const PspSentRing * r, const PspSentPacket * p, int64_t index)
{
  return index >= r->streams[p->stream].live_from;
}

static void
leave_flight (PspSentRing * r, const PspSentPacket * p)
{
  r->in_flight--;
  r->streams[p->stream].in_flight--;
}

static void
advance_oldest (PspSentRing * r)
{
  const PspSentPacket *p;

  for (; r->oldest < r->next; r->oldest++) {
    p = &r->packets[r->oldest & PSP_SENT_MASK];
    if (p->state == PSP_SENT_UNDECIDED && is_live (r, p, r->oldest))
      break;
  }
}

int
psp_sent_ring_find_stream (const PspSentRing * r, uint32_t ssrc)
{
  int i;

  for (i = 0; i < PSP_MAX_STREAMS; i++)
    if (r->streams[i].used && r->streams[i].ssrc == ssrc)
      return i;
  return -1;
}

/* The stream with this SSRC, in the place of the one silent for longest where
 * it is new. */
static unsigned
take_stream (PspSentRing * r, const PspRtpHeader * header)
{
  int found = psp_sent_ring_find_stream (r, header->ssrc);
  unsigned i, place = 0;
  PspSentStream *s;

  if (found >= 0)
    return (unsigned) found;
  for (i = 0; i < PSP_MAX_STREAMS && r->streams[place].used; i++)
    if (!r->streams[i].used
        || r->streams[i].last_at < r->streams[place].last_at)
      place = i;
  s = &r->streams[place];
  r->streams_were_evicted |= s->used;
  r->in_flight -= s->in_flight;
  memset (r->slots[place], 0xff, sizeof r->slots[place]);
  memset (s, 0, sizeof *s);
  s->used = true;
  s->ssrc = header->ssrc;
  s->complete = !r->streams_were_evicted;
  s->highest_seq = header->seq;
  s->oldest_seq = header->seq;
  s->run_at = INT64_MIN / 2;
  s->created_at = r->next;
  s->live_from = r->next;
  return place;
}

/* A packet of this stream can no longer be looked up. */
static void
lose_sight (PspSentStream * s, const PspSentPacket * p, int64_t index)
{
  uint16_t after = (uint16_t) (p->seq + 1);

  s->complete = false;
  if (index >= s->run_at && psp_seq_distance (after, s->oldest_seq) > 0)
    s->oldest_seq = after;
}

/* The ring slot that the next packet takes. */
static void
evict (PspSentRing * r)
{
  const PspSentPacket *p = &r->packets[r->next & PSP_SENT_MASK];
  int64_t index = r->next - PSP_HISTORY_CAPACITY;
  PspSentStream *s = &r->streams[p->stream];

  if (index < 0)
    return;
  if (p->state == PSP_SENT_UNDECIDED && is_live (r, p, index))
    leave_flight (r, p);
  if (index >= s->created_at)
    lose_sight (s, p, index);
  r->oldest = MAX (r->oldest, index + 1);
}

/* Forgets what was sent under this sequence number, or under the one that
 * shares its place; true where it was the same one. */
static bool
supersede (PspSentRing * r, unsigned stream, uint16_t seq)
{
  unsigned slot = r->slots[stream][seq & PSP_SENT_MASK];
  PspSentPacket *p;
  int64_t index;

  if (slot == NO_SLOT)
    return false;
  index = index_of_slot (r, slot);
  p = &r->packets[slot];
  if (p->stream != stream || ((p->seq ^ seq) & PSP_SENT_MASK) != 0)
    return false;
  if (p->state == PSP_SENT_UNDECIDED && is_live (r, p, index))
    leave_flight (r, p);
  p->state = PSP_SENT_FORGOTTEN;
  if (p->seq != seq)
    lose_sight (&r->streams[stream], p, index);
  return p->seq == seq;
}

/* A jump by a quarter of the sequence space or more is a restart. */
static void
follow_seq (PspSentRing * r, PspSentStream * s, uint16_t seq)
{
  int ahead = psp_seq_distance (seq, s->highest_seq);

  if (abs (ahead) >= PSP_HISTORY_CAPACITY) {
    s->complete = false;
    s->run_at = r->next;
    s->oldest_seq = seq;
    s->highest_seq = seq;
  } else if (ahead > 0) {
    s->highest_seq = seq;
  }
}

int64_t
psp_sent_ring_add (PspSentRing * r, const PspRtpHeader * header, int64_t now,
    bool app_limited)
{
  unsigned stream = take_stream (r, header);
  PspSentStream *s = &r->streams[stream];
  bool resent = supersede (r, stream, header->seq);
  PspSentPacket *p;

  follow_seq (r, s, header->seq);
  evict (r);
  p = &r->packets[r->next & PSP_SENT_MASK];
  p->sent_at = now;
  p->size = (uint16_t) MIN (header->size, UINT16_MAX);
  p->payload_size = (uint16_t) MIN (header->payload_size, UINT16_MAX);
  p->seq = header->seq;
  p->stream = (uint8_t) stream;
  p->state = PSP_SENT_UNDECIDED;
  p->app_limited = app_limited;
  p->resent = resent;
  r->slots[stream][header->seq & PSP_SENT_MASK] =
      (uint16_t) (r->next & PSP_SENT_MASK);
  s->last_at = r->next;
  s->in_flight++;
  r->in_flight++;
  r->next++;
  advance_oldest (r);
  return r->next - 1;
}

void
psp_sent_ring_forget (PspSentRing * r)
{
  unsigned i;

  for (i = 0; i < PSP_MAX_STREAMS; i++) {
    r->streams[i].live_from = r->next;
    r->streams[i].in_flight = 0;
  }
  r->in_flight = 0;
  r->oldest = r->next;
}

int64_t
psp_sent_ring_look_up (const PspSentRing * r, unsigned stream, uint16_t seq)
{
  unsigned slot = r->slots[stream][seq & PSP_SENT_MASK];
  const PspSentPacket *p;

  if (slot == NO_SLOT)
    return -1;
  p = &r->packets[slot];
  return p->stream == stream && p->seq == seq ? index_of_slot (r, slot) : -1;
}

bool
psp_sent_ring_never_sent (const PspSentRing * r, unsigned stream, uint16_t seq)
{
  const PspSentStream *s = &r->streams[stream];
  int ahead = psp_seq_distance (seq, s->highest_seq);

  if (s->complete)
    return true;
  if (r->next - s->run_at < PSP_HISTORY_CAPACITY)
    return false;               /* it may belong to the run before */
  if (ahead > 0)
    return ahead < PSP_HISTORY_CAPACITY;
  return psp_seq_distance (seq, s->oldest_seq) >= 0;
}

PspSentPacket *
psp_sent_ring_get (PspSentRing * r, int64_t index)
{
  PspSentPacket *p = &r->packets[index & PSP_SENT_MASK];

  return is_live (r, p, index) ? p : NULL;
}

void
psp_sent_ring_decide (PspSentRing * r, PspSentPacket * p, PspSentState state)
{
  p->state = state;
  leave_flight (r, p);
  advance_oldest (r);
}
