/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/nacks.h>

/* Items of one NACK. They name more numbers than a window of losses has. */
#define MAX_ITEMS 64

void
psp_nacks_init (PspNacks * n)
{
  memset (n, 0, sizeof *n);
  n->credit = PSP_NACKS_FIRST_CREDIT;
}

void
psp_nacks_earn (PspNacks * n, uint64_t payload_size)
{
  n->credit += PSP_NACKS_SHARE * (double) payload_size;
  if (n->credit > PSP_NACKS_MAX_CREDIT)
    n->credit = PSP_NACKS_MAX_CREDIT;
}

static bool
is_missing (const PspStream * s, int64_t seq)
{
  return seq > s->first && seq < s->highest &&
      seq >= psp_stream_window_start (s) &&
      !(s->state[seq & PSP_STREAM_MASK] & PSP_STREAM_ARRIVED);
}

static bool
want (PspStream * s, uint16_t number, int64_t interval, int64_t now)
{
  int64_t seq = s->highest + psp_seq_distance (number, (uint16_t) s->highest);
  uint8_t *state = &s->state[seq & PSP_STREAM_MASK];

  if (s->bye_at != PSP_TIME_UNKNOWN ||
      now - s->last_arrival >= PSP_STREAM_SILENCE || !is_missing (s, seq) ||
      *state & PSP_STREAM_WANTED)
    return false;
  if (*state & PSP_STREAM_ASKED
      && now - s->arrived_at[seq & PSP_STREAM_MASK] < interval)
    return false;
  *state |= PSP_STREAM_WANTED;
  s->first_wanted = MIN (s->first_wanted, seq);
  return true;
}

bool
psp_nacks_add (PspStream * streams, unsigned n_streams, const uint32_t * ssrc,
    uint16_t number, int64_t interval, int64_t now)
{
  bool any = false;

  for (unsigned i = 0; i < n_streams; i++)
    if (!ssrc || streams[i].ssrc == *ssrc)
      any |= want (&streams[i], number, interval, now);
  return any;
}

int64_t
psp_nacks_next (const PspNacks * n, const PspStream * streams,
    unsigned n_streams, int64_t now)
{
  if (n->credit < PSP_RTCP_NACK_SIZE (1))
    return PSP_TIME_NEVER;
  for (unsigned i = 0; i < n_streams; i++)
    if (streams[i].first_wanted != PSP_STREAM_NONE_WANTED)
      return now;
  return PSP_TIME_NEVER;
}

/* Returns the next wanted number from `seq` on, or PSP_STREAM_NONE_WANTED.
 * A packet that has arrived meanwhile is no longer wanted. */
static int64_t
next_wanted (const PspStream * s, int64_t seq)
{
  for (seq = MAX (seq, psp_stream_window_start (s)); seq < s->highest; seq++)
    if (s->state[seq & PSP_STREAM_MASK] & PSP_STREAM_WANTED)
      return seq;
  return PSP_STREAM_NONE_WANTED;
}

static void
note_asked (PspNacks * n, PspStream * s, int64_t seq, int64_t now)
{
  uint8_t *state = &s->state[seq & PSP_STREAM_MASK];

  *state &= (uint8_t) ~ PSP_STREAM_WANTED;
  *state |= PSP_STREAM_ASKED;
  s->arrived_at[seq & PSP_STREAM_MASK] = now;
  n->n_asked++;
}

/* Fills at most `max` items, and leaves the rest wanted. */
static unsigned
fill_items (PspNacks * n, PspStream * s, uint32_t ssrc, int64_t now,
    PspNack * items, unsigned max)
{
  int64_t seq = next_wanted (s, s->first_wanted), first = 0;
  unsigned count = 0;

  while (seq != PSP_STREAM_NONE_WANTED) {
    if (count == 0 || seq - first >= PSP_RTCP_NACK_SPAN) {
      if (count == max)
        break;
      items[count++] = (PspNack) { ssrc, s->ssrc, (uint16_t) seq, 0 };
      first = seq;
    } else {
      items[count - 1].following |= (uint16_t) (1 << (seq - first - 1));
    }
    note_asked (n, s, seq, now);
    seq = next_wanted (s, seq + 1);
  }
  s->first_wanted = seq;
  return count;
}

void
psp_nacks_pack (PspNacks * n, PspStream * streams, unsigned n_streams,
    uint32_t ssrc, int64_t now, PspWriter * w)
{
  PspNack items[MAX_ITEMS];

  for (unsigned i = 0; i < n_streams; i++) {
    PspStream *s = &streams[i];
    double room = MIN ((double) (w->capacity - w->size), n->credit);
    unsigned max, count;

    if (s->first_wanted == PSP_STREAM_NONE_WANTED ||
        room < PSP_RTCP_NACK_SIZE (1))
      continue;
    max = (unsigned) (room - PSP_RTCP_NACK_SIZE (0)) / 4;
    count = fill_items (n, s, ssrc, now, items, MIN (max, MAX_ITEMS));
    if (count == 0)
      continue;
    psp_rtcp_write_nack (w, items, count);
    n->credit -= PSP_RTCP_NACK_SIZE (count);
  }
}
