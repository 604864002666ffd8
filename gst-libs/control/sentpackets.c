/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sentpackets.h>

#include <stdlib.h>
#include <string.h>

/* The series of a packet without a key: the last place. */
#define NO_SERIES PSP_MAX_SERIES
/* Table entries of a series per packet that is remembered: numbers may have
 * gaps. */
#define TABLE_FACTOR 2
/* A jump by at least a quarter of the numbers is a restart of the series. */
#define RESTART_JUMP 16384
/* ns. Keys are stamped right behind the pacing, so a packet that left earlier
 * by this much is another one. */
#define UNBOUND_AGE PSP_SECOND
/* ns. A series that was silent for as long may be replaced. */
#define IN_USE PSP_SECOND

static unsigned
slot_of (const PspSentPackets * r, int64_t index)
{
  return (unsigned) (index & (r->capacity - 1));
}

static int64_t
index_of_slot (const PspSentPackets * r, unsigned slot)
{
  int64_t last = r->next - 1;

  return last - ((last - (int64_t) slot) & (r->capacity - 1));
}

static bool
is_live (const PspSentPackets * r, const PspSentPacket * p, int64_t index)
{
  return index >= r->series[p->series].live_from;
}

/* Each series has a table of its own, in which consecutive numbers have
 * consecutive places. An entry is a ring slot plus one, and 0 is none: memory
 * that no number has touched stays untouched. Entries of packets that have left
 * the ring stay, and no longer agree with the packet in that slot. */

static unsigned
entries (const PspSentPackets * r)
{
  return TABLE_FACTOR * r->capacity;
}

static uint16_t *
entry_of (const PspSentPackets * r, unsigned series, uint16_t number)
{
  return &r->table[series * entries (r) + (number & (entries (r) - 1))];
}

/* Returns the packet that the entry names, or NULL. It has this number or one
 * that shares its place. */
static PspSentPacket *
packet_of (const PspSentPackets * r, uint16_t entry, unsigned series,
    uint16_t number)
{
  PspSentPacket *p;

  if (entry == 0)
    return NULL;
  p = &r->packets[entry - 1];
  return p->series == series
      && ((p->number ^ number) & (entries (r) - 1)) == 0 ? p : NULL;
}

static bool
allocate (PspSentPackets * r, unsigned capacity)
{
  r->packets = calloc (capacity, sizeof *r->packets);
  r->table = calloc ((size_t) PSP_MAX_SERIES * TABLE_FACTOR * capacity,
      sizeof *r->table);
  if (!r->packets || !r->table) {
    free (r->packets);
    free (r->table);
    return false;
  }
  r->capacity = capacity;
  return true;
}

bool
psp_sent_packets_init (PspSentPackets * r, unsigned capacity)
{
  memset (r, 0, sizeof *r);
  return allocate (r, capacity);
}

void
psp_sent_packets_clear (PspSentPackets * r)
{
  free (r->packets);
  free (r->table);
}

bool
psp_sent_packets_grow (PspSentPackets * r, unsigned capacity)
{
  PspSentPackets old = *r;
  int64_t index = MAX (r->next - r->capacity, 0);
  unsigned slot;

  if (!allocate (r, capacity)) {
    *r = old;
    return false;
  }
  for (slot = 0; slot < capacity; slot++) {
    r->packets[slot].series = NO_SERIES;
    r->packets[slot].state = PSP_SENT_FORGOTTEN;
  }
  /* The order is that of sending, so that the newest packet of a key keeps
   * it. */
  for (; index < r->next; index++) {
    const PspSentPacket *p = &old.packets[slot_of (&old, index)];

    slot = slot_of (r, index);
    r->packets[slot] = *p;
    if (p->series != NO_SERIES)
      *entry_of (r, p->series, p->number) = (uint16_t) (slot + 1);
  }
  psp_sent_packets_clear (&old);
  return true;
}

static void
leave_flight (PspSentPackets * r, const PspSentPacket * p)
{
  r->in_flight--;
  r->series[p->series].in_flight--;
}

static void
advance_oldest (PspSentPackets * r)
{
  const PspSentPacket *p;

  for (; r->oldest < r->next; r->oldest++) {
    p = &r->packets[slot_of (r, r->oldest)];
    if (p->state == PSP_SENT_UNDECIDED && is_live (r, p, r->oldest))
      break;
  }
}

int
psp_sent_packets_find_series (const PspSentPackets * r, uint32_t name)
{
  int i;

  for (i = 0; i < PSP_MAX_SERIES; i++)
    if (r->series[i].used && r->series[i].name == name)
      return i;
  return -1;
}

/* True if packets of the series left lately and are still in flight. Another
 * series must not take its place: if they took turns, no report would be of a
 * known packet. */
static bool
is_in_use (const PspSentPackets * r, const PspSentSeries * s, int64_t now)
{
  return s->used && s->in_flight > 0 && s->last_at >= r->next - r->capacity
      && now - r->packets[slot_of (r, s->last_at)].sent_at < IN_USE;
}

/* Begins a series, whose first packet has index `from`, in this place. */
static void
begin_series (PspSentPackets * r, unsigned place, const PspKey * key,
    int64_t from)
{
  PspSentSeries *s = &r->series[place];

  r->series_were_evicted |= s->used;
  r->in_flight -= s->in_flight;
  if (s->used)
    memset (entry_of (r, place, 0), 0, entries (r) * sizeof *r->table);
  memset (s, 0, sizeof *s);
  s->used = true;
  s->name = key->series;
  s->complete = !r->series_were_evicted;
  s->highest = key->number;
  s->oldest = key->number;
  s->run_at = INT64_MIN / 2;
  s->created_at = from;
  s->live_from = from;
}

/* Returns the place of the series of this name. A new series replaces the one
 * that was silent for longest; NO_SERIES = that one, too, is in use. */
static unsigned
take_series (PspSentPackets * r, const PspKey * key, int64_t from, int64_t now)
{
  int found = psp_sent_packets_find_series (r, key->series);
  unsigned i, place = 0;

  if (found >= 0)
    return (unsigned) found;
  for (i = 0; i < PSP_MAX_SERIES && r->series[place].used; i++)
    if (!r->series[i].used || r->series[i].last_at < r->series[place].last_at)
      place = i;
  if (is_in_use (r, &r->series[place], now))
    return NO_SERIES;
  begin_series (r, place, key, from);
  return place;
}

/* A packet of this series can no longer be looked up. */
static void
lose (PspSentSeries * s, const PspSentPacket * p, int64_t index)
{
  uint16_t after = (uint16_t) (p->number + 1);

  s->complete = false;
  if (index >= s->run_at && psp_seq_distance (after, s->oldest) > 0)
    s->oldest = after;
}

/* Frees the ring slot that the next packet takes. */
static void
evict (PspSentPackets * r)
{
  const PspSentPacket *p = &r->packets[slot_of (r, r->next)];
  int64_t index = r->next - r->capacity;
  PspSentSeries *s = &r->series[p->series];

  if (index < 0)
    return;
  if (p->state == PSP_SENT_UNDECIDED && is_live (r, p, index))
    leave_flight (r, p);
  if (p->series != NO_SERIES && index >= s->created_at)
    lose (s, p, index);
  r->oldest = MAX (r->oldest, index + 1);
}

static void
note_number (PspSentPackets * r, PspSentSeries * s, uint16_t number,
    int64_t index)
{
  int ahead = psp_seq_distance (number, s->highest);

  s->last_at = MAX (s->last_at, index);
  if (abs (ahead) >= RESTART_JUMP) {
    s->complete = false;
    s->run_at = r->next;
    s->oldest = number;
    s->highest = number;
  } else if (ahead > 0) {
    s->highest = number;
  }
}

/* Lets the table forget an older packet of this key, or of one that shares its
 * place. Who sends a key again takes the older packet for lost, so that one stays
 * in flight, and later arrivals decide: a repair must not hide a loss. But where
 * nothing left between the two, the newer one only probes the path. */
static void
replace (PspSentPackets * r, int64_t index, int64_t before, unsigned place)
{
  PspSentPacket *p = &r->packets[slot_of (r, index)];
  PspSentPacket *older = &r->packets[slot_of (r, before)];

  p->resent = older->number == p->number;
  if (p->resent && index - before > 1)
    return;
  if (older->state == PSP_SENT_UNDECIDED && is_live (r, older, before))
    leave_flight (r, older);
  older->state = PSP_SENT_FORGOTTEN;
  if (!p->resent)
    lose (&r->series[place], older, before);
}

/* Gives a packet in the ring its key. */
static void
name (PspSentPackets * r, int64_t index, unsigned place, uint16_t number)
{
  uint16_t *entry = entry_of (r, place, number);
  PspSentPacket *p = &r->packets[slot_of (r, index)];
  bool taken = packet_of (r, *entry, place, number);

  p->number = number;
  if (taken)
    replace (r, index, index_of_slot (r, *entry - 1), place);
  p->series = place & (2 * PSP_MAX_SERIES - 1);
  *entry = (uint16_t) (slot_of (r, index) + 1);
}

int64_t
psp_sent_packets_add (PspSentPackets * r, const PspPacket * packet,
    PspEcn ecn, int64_t now, bool app_limited)
{
  unsigned place = packet->has_key ? take_series (r, &packet->key, r->next,
      now) : NO_SERIES;
  bool known = !packet->has_key || place != NO_SERIES;
  PspSentSeries *s = &r->series[place];
  int64_t index = r->next;
  PspSentPacket *p;

  if (place != NO_SERIES)
    note_number (r, s, packet->key.number, index);
  evict (r);
  p = &r->packets[slot_of (r, index)];
  p->sent_at = now;
  p->size = (uint16_t) MIN (packet->size, UINT16_MAX);
  p->payload_size = (uint16_t) MIN (packet->payload_size, UINT16_MAX);
  p->number = 0;
  p->series = NO_SERIES;
  p->receiver = packet->receiver & (PSP_MAX_RECEIVERS - 1);
  p->state = known ? PSP_SENT_UNDECIDED : PSP_SENT_FORGOTTEN;
  p->app_limited = app_limited;
  p->resent = false;
  p->ecn = ecn;
  r->next++;
  r->n_overlooked += !known;
  if (place != NO_SERIES)
    name (r, index, place, packet->key.number);
  s->in_flight += known;
  r->in_flight += known;
  advance_oldest (r);
  return index;
}

void
psp_sent_packets_bind (PspSentPackets * r, int64_t index, const PspKey * key)
{
  PspSentPacket *p = &r->packets[slot_of (r, index)];
  bool live;
  unsigned place;

  if (index < 0 || index >= r->next || index < r->next - r->capacity
      || p->series != NO_SERIES)
    return;
  live = is_live (r, p, index);
  place = take_series (r, key, index, p->sent_at);
  if (place == NO_SERIES) {
    if (live && p->state == PSP_SENT_UNDECIDED)
      leave_flight (r, p);
    p->state = PSP_SENT_FORGOTTEN;
    r->n_overlooked++;
    return;
  }
  note_number (r, &r->series[place], key->number, index);
  if (live && p->state == PSP_SENT_UNDECIDED) {
    r->series[NO_SERIES].in_flight--;
    r->series[place].in_flight++;
  } else if (!live) {
    p->state = PSP_SENT_FORGOTTEN;
  }
  name (r, index, place, key->number);
  advance_oldest (r);
}

int64_t
psp_sent_packets_unbound (const PspSentPackets * r, unsigned receiver,
    int64_t sent_at, uint32_t size)
{
  int64_t first = MAX (r->next - r->capacity, 0), index, found = -1;

  first = MAX (first, r->series[NO_SERIES].live_from);
  for (index = r->next - 1; index >= first; index--) {
    const PspSentPacket *p = &r->packets[slot_of (r, index)];

    /* Earlier packets left earlier, so this limits the search. */
    if (sent_at - p->sent_at > UNBOUND_AGE)
      break;
    if (p->receiver != receiver)
      continue;
    if (p->series != NO_SERIES) {
      if (found >= 0)
        break;                  /* all earlier packets were bound before */
      continue;
    }
    if (p->sent_at > sent_at || p->size != size)
      continue;
    if (found >= 0 && p->sent_at < r->packets[slot_of (r, found)].sent_at)
      break;
    /* The search goes on for the first of the packets that left together. */
    found = index;
  }
  return found;
}

void
psp_sent_packets_forget (PspSentPackets * r)
{
  unsigned i;

  for (i = 0; i <= PSP_MAX_SERIES; i++) {
    r->series[i].live_from = r->next;
    r->series[i].in_flight = 0;
  }
  r->in_flight = 0;
  r->oldest = r->next;
}

void
psp_sent_packets_forget_receiver (PspSentPackets * r, unsigned receiver)
{
  int64_t index;

  for (index = r->oldest; index < r->next; index++) {
    PspSentPacket *p = psp_sent_packets_get (r, index);

    if (p && p->state == PSP_SENT_UNDECIDED && p->receiver == receiver)
      psp_sent_packets_decide (r, p, PSP_SENT_FORGOTTEN);
  }
}

int64_t
psp_sent_packets_look_up (const PspSentPackets * r, unsigned series,
    uint16_t number)
{
  uint16_t entry = *entry_of (r, series, number);
  const PspSentPacket *p = packet_of (r, entry, series, number);

  return p && p->number == number ? index_of_slot (r, entry - 1) : -1;
}

bool
psp_sent_packets_never_sent (const PspSentPackets * r, unsigned series,
    uint16_t number)
{
  const PspSentSeries *s = &r->series[series];
  int ahead = psp_seq_distance (number, s->highest);

  if (s->complete)
    return true;
  if (r->next - s->run_at < RESTART_JUMP)
    return false;               /* it may belong to the run before */
  if (ahead > 0)
    return ahead < RESTART_JUMP;
  return psp_seq_distance (number, s->oldest) >= 0;
}

PspSentPacket *
psp_sent_packets_get (PspSentPackets * r, int64_t index)
{
  PspSentPacket *p = &r->packets[slot_of (r, index)];

  return is_live (r, p, index) ? p : NULL;
}

const PspSentPacket *
psp_sent_packets_at (const PspSentPackets * r, int64_t index)
{
  return &r->packets[slot_of (r, index)];
}

void
psp_sent_packets_decide (PspSentPackets * r, PspSentPacket * p,
    PspSentState state)
{
  p->state = state;
  leave_flight (r, p);
  advance_oldest (r);
}
