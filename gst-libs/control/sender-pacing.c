/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

/* ns. The system cannot wake up for each of such short slots. */
#define PAIRS_BELOW (100 * PSP_USECOND)
#define SIZES_MEASURED 16       /* the mean size is over this many packets */
/* A share of max_bitrate that is not announced: a source that sends exactly
 * what is let through would never get rid of its queue. */
#define KEPT_OF_MAX(max) ((max) / 20)

/* Bits/s. This target is announced to an upstream that waits while the
 * controller knows no target yet. Packets at this rate are enough to measure
 * round trips. */
#define RESUMING_BITRATE 64000

static double
mean_bits (const PspSender * s)
{
  return 8 * MAX (s->mean_payload, 1.0);
}

/* Returns the period of packets of so many bits at a bitrate above 0. */
static int64_t
period_of (double bits, double bitrate)
{
  return (int64_t) (bits * PSP_SECOND / bitrate);
}

static bool
is_silent (const PspSender * s)
{
  return s->link.state == PSP_LINK_SILENT || s->link.state == PSP_LINK_STOPPED;
}

/* Returns the rate that may be sent whatever the controller says. In silence no
 * more than this is sent. It is never 0, because feedback cannot return without
 * packets. */
static double
floor_bitrate (const PspSender * s)
{
  double bitrate = (double) s->limits.min_bitrate;

  if (is_silent (s))
    bitrate = MAX (bitrate, mean_bits (s) * PSP_SECOND /
        (double) psp_supervision_silence (&s->link, psp_meter_rtt (&s->meter)));
  if (s->limits.max_bitrate > 0)
    bitrate = MIN (bitrate, (double) s->limits.max_bitrate);
  return bitrate;
}

static void
apply_period (PspSender * s)
{
  int64_t period = s->decision.period;
  double least = floor_bitrate (s), most = (double) s->limits.max_bitrate;

  if (least > 0 && (is_silent (s)
          || period > period_of (mean_bits (s), least)))
    period = period_of (mean_bits (s), least);
  s->wanted_period = s->period = MAX (period, 0);
  if (most > 0)
    s->period = MAX (s->period, period_of (mean_bits (s), most));
}

/* If a controller knows no target and holds nothing back, the limits decide. */
static int64_t
wanted_target (const PspSender * s)
{
  if (s->decision.target_bitrate >= 0)
    return s->decision.target_bitrate;
  if (s->limits.start_bitrate > 0)
    return s->limits.start_bitrate;
  if (s->limits.max_bitrate > 0 && s->decision.period == 0
      && s->decision.window == PSP_WINDOW_NONE)
    return INT64_MAX;
  return s->resuming ? RESUMING_BITRATE : PSP_BITRATE_UNKNOWN;
}

static void
apply_target (PspSender * s, int64_t now)
{
  int64_t wanted = wanted_target (s), target = wanted;
  int64_t max = s->limits.max_bitrate;
  PspReason reason = s->decision.reason;

  if (target >= 0) {
    if (max > 0)
      target = MIN (target, max - KEPT_OF_MAX (max));
    target = MAX (target, s->limits.min_bitrate);
    if (target != wanted)
      reason = PSP_REASON_LIMIT;
  }
  if (is_silent (s)) {
    target = s->link.state == PSP_LINK_SILENT ? (int64_t) floor_bitrate (s) : 0;
    reason = PSP_REASON_TIMEOUT;
  }
  psp_notices_update (&s->notices, now, target, s->decision.scale, reason);
}

/* Returns how many packets may be in flight. A packet that is forgotten
 * undecided would never be found lost, and the controller would not learn of
 * it. */
static int64_t
window_of (const PspSender * s)
{
  return s->controller->klass->needs_feedback ?
      MIN (s->decision.window, PSP_HISTORY_CAPACITY) : s->decision.window;
}

static void
apply_window (PspSender * s, int64_t now)
{
  bool closed = !is_silent (s)
      && psp_history_in_flight (s->history) >= window_of (s);

  if (s->closed && !closed)
    s->opened_at = now;
  s->closed = closed;
}

void
psp_sender_apply (PspSender * s, int64_t now)
{
  apply_period (s);
  apply_target (s, now);
  apply_window (s, now);
}

/* Returns when the next packet may leave. */
static int64_t
departure (const PspSender * s, int64_t now)
{
  int64_t at = psp_pacer_next (&s->pacer, now);
  double least;

  if (psp_sender_is_stopped (s))
    return MAX (at, s->last_sent_at + s->timing->probe_interval);
  if (!s->closed)
    return at;
  least = floor_bitrate (s);
  if (least <= 0)
    return PSP_TIME_NEVER;
  return MAX (at, s->last_sent_at + period_of (mean_bits (s), least));
}

int64_t
psp_sender_ready_at (const PspSender * s, int64_t now)
{
  if (!s->backlog && !s->waiting)
    return PSP_TIME_UNKNOWN;
  return MAX (departure (s, now), s->opened_at);
}

bool
psp_sender_is_stopped (const PspSender * s)
{
  return s->link.state == PSP_LINK_STOPPED;
}

bool
psp_sender_is_awaited (const PspSender * s)
{
  int64_t announced = s->notices.announced.target_bitrate;

  return announced >= 0 && announced < RESUMING_BITRATE;
}

void
psp_sender_end_slot (PspSender * s)
{
  double most = (double) s->limits.max_bitrate;
  int64_t limited = s->last_sent_at;

  if (most > 0)
    limited += period_of (8.0 * s->last_payload, most);
  s->limited_until = MIN (s->limited_until, limited);
  psp_pacer_advance (&s->pacer,
      MAX (s->last_sent_at + s->period, s->limited_until));
}

void
psp_sender_end_silence (PspSender * s, int64_t now)
{
  s->resuming = s->decision.target_bitrate < 0;
  apply_period (s);
  psp_pacer_init (&s->pacer, now);
  psp_pacer_hold (&s->pacer, MAX (s->last_sent_at + s->period,
          s->limited_until));
}

unsigned
psp_sender_allowance (const PspSender * s, int64_t now, unsigned max,
    int64_t * next_at)
{
  int64_t at = departure (s, now), room = 0;

  *next_at = MAX (at, now);
  if (at <= now) {
    room = window_of (s) - psp_history_in_flight (s->history);
    if (is_silent (s) || s->closed)
      room = 1;
    if (s->period > 0)
      room = MIN (room, psp_pacer_room (&s->pacer));
  }
  room = MIN (room, max);
  if (s->observer)
    psp_observe (s, PSP_CALL_ALLOWANCE, PSP_NUMBERS (now, max),
        PSP_NUMBERS (room, *next_at));
  return (unsigned) room;
}

void
psp_sender_wait (PspSender * s)
{
  s->waiting = true;
  psp_pacer_wait (&s->pacer);
  if (s->observer)
    psp_observe (s, PSP_CALL_WAIT, NULL, 0, NULL, 0);
}

static void
measure_sizes (PspSender * s, const PspPacket * packet)
{
  double gain;

  if (s->n_sizes < SIZES_MEASURED)
    s->n_sizes++;
  gain = 1.0 / s->n_sizes;
  s->mean_payload += gain * (packet->payload_size - s->mean_payload);
  s->mean_size += gain * (packet->size - s->mean_size);
  s->controller->mean_payload = s->mean_payload;
  s->controller->mean_size = s->mean_size;
}

/* Returns the time from this packet's start to the next one's that the
 * controller, or min_bitrate, asks for. */
static int64_t
wanted_slot (const PspSender * s, const PspPacket * packet)
{
  double slot = (double) s->wanted_period;

  if (s->decision.longest_slot <= 0 || is_silent (s))
    return s->wanted_period;
  slot *= packet->size / MAX (s->mean_size, 1.0);
  return (int64_t) MIN (slot, (double) MAX (s->wanted_period,
          s->decision.longest_slot));
}

/* Returns the slot of a packet that leaves now. For max_bitrate its own size
 * counts: with the mean size, a mix of sizes would stay below the limit or
 * exceed it. */
static void
pace (PspSender * s, const PspPacket * packet, int64_t now, bool backlog)
{
  int64_t slot = wanted_slot (s, packet), least;

  if (s->limits.max_bitrate > 0) {
    least = period_of (8.0 * packet->payload_size,
        (double) s->limits.max_bitrate);
    s->limited_until = now + least;
    slot = MAX (slot, least);
  }
  psp_pacer_set (&s->pacer, slot,
      s->pairs && s->period > 0 && s->period < PAIRS_BELOW ? 2 : 1);
  psp_pacer_sent (&s->pacer, now, backlog);
}

int64_t
psp_sender_sent (PspSender * s, const PspPacket * packet, int64_t now,
    bool backlog)
{
  bool waited = s->backlog || s->waiting, moved;
  bool held = s->closed || psp_sender_is_stopped (s);
  int64_t rtt = psp_meter_rtt (&s->meter);
  PspSent sent;

  psp_supervision_sent (&s->link, now, rtt, psp_sender_ready_at (s, now));
  moved = psp_pacer_hold (&s->pacer, held ? now : s->opened_at);
  sent.now = now;
  sent.size = packet->size;
  sent.app_limited = !waited && now > psp_pacer_next (&s->pacer, now);
  sent.index = psp_history_sent (s->history, packet, now, sent.app_limited);
  sent.in_flight = psp_history_in_flight (s->history);
  sent.window = s->decision.window;
  psp_gap_stats_add (&s->gaps, now, waited && !moved);
  s->stats.packets_sent++;
  s->stats.bytes_sent += packet->size;
  s->stats.payload_bytes_sent += packet->payload_size;
  s->backlog = backlog;
  s->waiting = false;
  s->last_sent_at = now;
  s->last_payload = packet->payload_size;
  measure_sizes (s, packet);
  psp_controller_sent (s->controller, &sent, &s->decision);
  psp_sender_apply (s, now);
  pace (s, packet, now, backlog);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_SENT, now,
        PSP_NUMBERS (packet->size, packet->payload_size, packet->has_key,
            packet->has_key ? packet->key.series : 0,
            packet->has_key ? packet->key.number : 0, now, backlog));
  return sent.index;
}

bool
psp_sender_media_allowed (const PspSender * s, int64_t now)
{
  return !psp_sender_is_stopped (s) || departure (s, now) <= now;
}
