/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/reporting.h>

/* Bytes of a report of one packet or two. They are kept for the next
 * report, which would have to wait if they were spent on repetition. */
#define RESERVE 24
/* Numbers of a stream beside its unreported packets for which the floor has
 * room: what was lost between them. */
#define FLOOR_GAP 8

/* One stream's part of a message that is being planned. */
typedef struct
{
  unsigned stream;              /* index of the stream */
  int64_t first, last;          /* sequence numbers that are reported */
  int64_t wanted;               /* first sequence number if there is room */
} Block;

typedef struct
{
  Block blocks[PSP_MAX_STREAMS];
  unsigned n;
  size_t size;
} Plan;

void
psp_reporting_init (PspReporting * f, int64_t interval, int64_t floor_interval,
    size_t max_size)
{
  memset (f, 0, sizeof *f);
  f->interval = interval;
  f->floor_interval = floor_interval;
  f->max_size = max_size;
  f->credit = PSP_REPORTING_FIRST_CREDIT;
  f->last_at = PSP_TIME_UNKNOWN;
}

void
psp_reporting_earn (PspReporting * f, uint64_t payload_size)
{
  f->credit += PSP_RECEIVER_RTCP_SHARE * (double) payload_size;
  if (f->credit > PSP_REPORTING_MAX_CREDIT)
    f->credit = PSP_REPORTING_MAX_CREDIT;
}

void
psp_reporting_spend (PspReporting * f, size_t size)
{
  f->credit -= (double) size;
  if (f->credit < -PSP_REPORTING_MAX_DEBT)
    f->credit = -PSP_REPORTING_MAX_DEBT;
}

static size_t
block_size (int64_t n_reports)
{
  return PSP_CCFB_STREAM_SIZE + (size_t) (n_reports + 1) / 2 * 4;
}

/* Returns how many packets a block of at most `size` can report. */
static int64_t
block_capacity (size_t size)
{
  return size < PSP_CCFB_STREAM_SIZE ? 0 :
      (int64_t) ((size - PSP_CCFB_STREAM_SIZE) / 4 * 2);
}

/* True if the stream has unreported arrivals and is not in the plan. */
static bool
is_outside (const PspStream * stream, unsigned i, const Plan * plan)
{
  for (unsigned k = 0; plan && k < plan->n; k++)
    if (plan->blocks[k].stream == i)
      return false;
  return stream->n_unreported > 0;
}

/* Returns the stream outside the plan whose unreported arrivals wait longest,
 * or −1. */
static int
find_oldest (const PspStream * streams, unsigned n_streams, const Plan * plan)
{
  int oldest = -1;

  for (unsigned i = 0; i < n_streams; i++) {
    if (is_outside (&streams[i], i, plan) && (oldest < 0 ||
            streams[i].oldest_unreported_at <
            streams[oldest].oldest_unreported_at))
      oldest = (int) i;
  }
  return oldest;
}

static Block
required_block (const PspStream * streams, int i)
{
  PspStreamRange range;
  Block block;

  psp_stream_range (&streams[i], &range);
  block.stream = (unsigned) i;
  block.first = range.required;
  block.last = streams[i].highest;
  block.wanted = range.wanted;
  return block;
}

/* Leaves what does not fit in `room` to the next message. Returns how many
 * packets fit. */
static int64_t
split (Block * block, size_t room)
{
  int64_t capacity = block_capacity (room);

  if (block->last - block->first >= capacity)
    block->last = block->first + capacity - 1;
  return block->last - block->first + 1;
}

/* Returns when the unreported arrivals need a report, whatever it costs. */
static int64_t
due_at (const PspReporting * f, const PspStream * streams, unsigned n_streams)
{
  int64_t oldest = PSP_TIME_NEVER;
  unsigned n_unreported = 0;
  bool urgent = false;

  for (unsigned i = 0; i < n_streams; i++) {
    const PspStream *s = &streams[i];

    if (s->n_unreported == 0)
      continue;
    n_unreported += s->n_unreported;
    urgent |= s->urgent;
    if (s->oldest_unreported_at < oldest)
      oldest = s->oldest_unreported_at;
  }
  if (n_unreported == 0)
    return PSP_TIME_NEVER;
  if (urgent || n_unreported >= PSP_RECEIVER_REPORT_PACKETS)
    return oldest;
  return oldest + f->interval;
}

/* Returns what the floor has for the unreported packets of all streams, or of
 * those that the plan has not got. */
static size_t
floor_blocks (const PspStream * streams, unsigned n_streams, const Plan * plan)
{
  size_t size = 0;

  for (unsigned i = 0; i < n_streams; i++) {
    if (is_outside (&streams[i], i, plan))
      size += block_size (streams[i].n_unreported + FLOOR_GAP);
  }
  return size;
}

/* Plans what must be reported, the stream that waits longest first. Where credit
 * does not pay for all, a stream leaves the others what the floor has for
 * them. */
static void
make_plan (const PspStream * streams, unsigned n_streams, size_t room,
    size_t allowance, bool paid, Plan * plan)
{
  int i;

  plan->n = 0;
  plan->size = PSP_CCFB_FIXED_SIZE;
  while ((i = find_oldest (streams, n_streams, plan)) >= 0) {
    Block *block = &plan->blocks[plan->n];
    int64_t n_reports, affordable;
    size_t others;

    if (plan->size + block_size (1) > (room < allowance ? room : allowance))
      break;
    *block = required_block (streams, i);
    n_reports = split (block, room - plan->size);
    others = paid ? 0 : floor_blocks (streams, n_streams, plan)
        - block_size (streams[i].n_unreported + FLOOR_GAP);
    affordable = block_capacity (allowance - plan->size - MIN (others,
            allowance - plan->size - block_size (1)));
    if (n_reports > affordable) {
      if (paid && plan->n > 0)
        break;
      /* Only the newest packets are reported. */
      n_reports = affordable;
      block->first = block->last - n_reports + 1;
      block->wanted = block->first;
    }
    plan->n++;
    plan->size += block_size (n_reports);
  }
}

/* Spends the remaining bytes on the gaps before each block and on
 * repetition. */
static void
extend_plan (Plan * plan, size_t allowance)
{
  for (unsigned i = 0; i < plan->n; i++) {
    Block *block = &plan->blocks[i];
    size_t size = block_size (block->last - block->first + 1);
    int64_t most = block_capacity (size + allowance - plan->size);

    if (block->last - block->wanted + 1 <= most)
      block->first = block->wanted;
    else
      block->first = block->last - most + 1;
    plan->size += block_size (block->last - block->first + 1) - size;
  }
}

/* Plans all streams with unreported arrivals at once. A sender that counts
 * later arrivals over all of its streams must not get a report of only some. */
bool
psp_reporting_is_paid (const PspReporting * f, const PspStream * streams,
    unsigned n_streams)
{
  Plan plan;

  if (f->credit >= (double) f->max_size)
    return true;
  make_plan (streams, n_streams, f->max_size, f->max_size, true, &plan);
  return plan.n == 0 || f->credit >= (double) plan.size;
}

static int64_t
floor_at (const PspReporting * f)
{
  return f->last_at == PSP_TIME_UNKNOWN ? PSP_TIME_UNKNOWN :
      f->last_at + f->floor_interval;
}

int64_t
psp_reporting_next (const PspReporting * f, const PspStream * streams,
    unsigned n_streams)
{
  int64_t due = due_at (f, streams, n_streams);
  int64_t floor = floor_at (f);

  if (due == PSP_TIME_NEVER || due >= floor
      || psp_reporting_is_paid (f, streams, n_streams))
    return due;
  return floor;
}

void
psp_reporting_note_throttled (PspReporting * f, const PspStream * streams,
    unsigned n_streams, int64_t now)
{
  if (f->throttled || due_at (f, streams, n_streams) > now ||
      psp_reporting_next (f, streams, n_streams) <= now)
    return;
  f->throttled = true;
  f->n_throttled++;
}

static void
write_plan (const Plan * plan, PspStream * streams, uint32_t ssrc, int64_t now,
    uint32_t timestamp, PspWriter * w)
{
  PspCcfbPacker packer;
  PspCcfbMetric metric;

  psp_ccfb_begin (&packer, w, ssrc);
  for (unsigned i = 0; i < plan->n; i++) {
    const Block *block = &plan->blocks[i];
    PspStream *s = &streams[block->stream];

    psp_ccfb_stream (&packer, s->ssrc, (uint16_t) block->first);
    for (int64_t seq = block->first; seq <= block->last; seq++) {
      psp_stream_metric (s, seq, now, &metric);
      psp_ccfb_add_metric (&packer, &metric);
    }
    psp_stream_reported (s, block->last);
  }
  psp_ccfb_end (&packer, timestamp);
}

/* Returns the bytes that are allowed whatever is paid for. */
static size_t
floor_size (const PspReporting * f, const PspStream * streams,
    unsigned n_streams)
{
  size_t size = PSP_CCFB_FIXED_SIZE + floor_blocks (streams, n_streams, NULL);

  return MAX (PSP_REPORTING_FLOOR_SIZE, MIN (size, f->max_size));
}

size_t
psp_reporting_room (const PspReporting * f, const PspStream * streams,
    unsigned n_streams, bool early, int64_t now)
{
  size_t allowance = f->credit > 0 ? (size_t) f->credit : 0;
  bool paid = psp_reporting_is_paid (f, streams, n_streams);

  if (early ? !paid : psp_reporting_next (f, streams, n_streams) > now)
    return 0;
  return paid ? allowance :
      MAX (allowance, floor_size (f, streams, n_streams));
}

void
psp_reporting_left (PspReporting * f, size_t size, int64_t now)
{
  psp_reporting_spend (f, size);
  f->last_at = now;
  f->throttled = false;
  f->n_sent++;
}

bool
psp_reporting_pack (PspReporting * f, PspStream * streams, unsigned n_streams,
    bool early, uint32_t ssrc, int64_t now, uint32_t timestamp, PspWriter * w)
{
  size_t room = w->capacity - w->size;
  size_t allowance = psp_reporting_room (f, streams, n_streams, early, now);
  bool paid = psp_reporting_is_paid (f, streams, n_streams);
  Plan plan;

  if (allowance == 0)
    return false;
  make_plan (streams, n_streams, room, allowance, paid, &plan);
  if (plan.n == 0)
    return false;
  allowance = paid && allowance >= plan.size + RESERVE ? allowance - RESERVE :
      plan.size;
  extend_plan (&plan, room < allowance ? room : allowance);
  write_plan (&plan, streams, ssrc, now, timestamp, w);

  psp_reporting_left (f, plan.size, now);
  return true;
}
