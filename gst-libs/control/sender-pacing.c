/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

/* ns. Shorter slots carry two packets, because the system cannot wake up for
 * each of them. */
#define PAIRS_BELOW (100 * PSP_USECOND)
#define SIZES_MEASURED 16       /* the mean size is over this many packets */

/* ns. Losses are presumed in batches rather than packet by packet. */
#define EXPIRY_INTERVAL (10 * PSP_MSECOND)
/* ns. A controller that asks for ticks in the past must not keep its caller
 * busy. */
#define TICK_INTERVAL (100 * PSP_USECOND)
/* ns. A notice that the caller did not take is offered again. */
#define OFFER_INTERVAL PSP_SECOND

/* Returns when the next packet may leave. */
static int64_t
departure (const PspSender * s, int64_t now)
{
  int64_t at = psp_pacer_next (&s->pacer, now);
  double least;

  if (psp_sender_is_stopped (s))
    return MAX (at, s->last_sent_at + s->timing.probe_interval);
  if (!s->closed)
    return at;
  least = psp_sender_floor (s);
  if (least <= 0)
    return PSP_TIME_NEVER;
  return MAX (at, s->last_sent_at
      + psp_period_of (psp_controller_mean_bits (s->controller), least));
}

int64_t
psp_sender_ready_at (const PspSender * s, int64_t now)
{
  if (!s->waits)
    return PSP_TIME_UNKNOWN;
  return MAX (departure (s, now), s->opened_at);
}

uint64_t
psp_sender_overlooked (const PspSender * s)
{
  return psp_history_overlooked (s->history);
}

bool
psp_sender_is_stopped (const PspSender * s)
{
  return s->link.state == PSP_LINK_STOPPED;
}

unsigned
psp_sender_allowance (const PspSender * s, int64_t now, unsigned max,
    int64_t * next_at)
{
  int64_t at = departure (s, now), room = 0;

  *next_at = MAX (at, now);
  if (at <= now) {
    room = psp_sender_window (s) - psp_history_in_flight (s->history);
    if (psp_sender_is_silent (s) || s->closed || s->probing)
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

int64_t
psp_sender_slot (const PspSender * s, int64_t now)
{
  return s->closed && !psp_sender_is_silent (s) ?
      psp_pacer_next (&s->pacer, now) : PSP_TIME_NEVER;
}

void
psp_sender_wait (PspSender * s)
{
  s->waits = true;
  psp_pacer_wait (&s->pacer);
  if (s->observer)
    psp_observe (s, PSP_CALL_WAIT, NULL, 0, NULL, 0);
}

PspEcn
psp_sender_ecn (const PspSender * s)
{
  return psp_ecn_path_next (&s->ecn);
}

PspEcnVerdict
psp_sender_ecn_verdict (const PspSender * s)
{
  return s->ecn.verdict;
}

static void
measure_sizes (PspSender * s, const PspPacket * packet)
{
  PspController *c = s->controller;
  double gain;

  if (s->n_sizes < SIZES_MEASURED)
    s->n_sizes++;
  gain = 1.0 / s->n_sizes;
  c->mean_payload += gain * (packet->payload_size - c->mean_payload);
  c->mean_size += gain * (packet->size - c->mean_size);
}

/* Returns the time from this packet's start to the next one's that the
 * controller, or min_bitrate, asks for. */
static int64_t
wanted_slot (const PspSender * s, const PspPacket * packet)
{
  double slot = (double) s->wanted_period;

  if (s->decision.longest_slot <= 0 || psp_sender_is_silent (s))
    return s->wanted_period;
  slot *= packet->size / MAX (s->controller->mean_size, 1.0);
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
    least = psp_period_of (8.0 * packet->payload_size,
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
    unsigned backlog)
{
  bool waited = s->waits, moved;
  bool held = s->closed || psp_sender_is_stopped (s);
  int64_t rtt = psp_meter_rtt (&s->meter);
  PspEcn ecn = psp_sender_ecn (s);
  PspSent sent;

  psp_supervision_sent (&s->link, now, rtt, psp_sender_ready_at (s, now));
  moved = psp_pacer_hold (&s->pacer, held ? now : s->opened_at);
  sent.now = now;
  sent.size = packet->size;
  sent.app_limited = !waited && now > psp_pacer_next (&s->pacer, now);
  sent.index = psp_history_sent (s->history, packet, ecn, now,
      sent.app_limited);
  sent.in_flight = psp_history_in_flight (s->history);
  psp_gap_stats_add (&s->gaps, now, waited && !moved);
  psp_ecn_path_sent (&s->ecn, now);
  s->stats.packets_sent++;
  s->stats.packets_ect += ecn != PSP_ECN_NOT_ECT;
  s->stats.bytes_sent += packet->size;
  s->stats.payload_bytes_sent += packet->payload_size;
  psp_meter_sent (&s->meter, now, packet->payload_size);
  sent.backlog = backlog;
  s->waits = backlog > 0;
  s->probed |= s->probing;
  s->probing = false;
  s->last_sent_at = now;
  s->last_payload = packet->payload_size;
  measure_sizes (s, packet);
  psp_controller_sent (s->controller, &sent, &s->decision);
  psp_sender_apply (s, now);
  pace (s, packet, now, backlog > 0);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_SENT, now,
        PSP_NUMBERS (packet->size, packet->payload_size, packet->has_key,
            packet->has_key ? packet->key.series : 0,
            packet->has_key ? packet->key.number : 0, now, backlog));
  return sent.index;
}

bool
psp_sender_make_room (PspSender * s, int64_t now)
{
  return !psp_history_is_tight (s->history, now)
      || psp_history_grow (s->history);
}

void
psp_sender_bind (PspSender * s, int64_t index, const PspKey * key)
{
  psp_history_bind (s->history, index, key);
  if (s->observer)
    psp_observe (s, PSP_CALL_BIND,
        PSP_NUMBERS (index, key->series, key->number), NULL, 0);
}

bool
psp_sender_media_allowed (const PspSender * s, int64_t now)
{
  return !psp_sender_is_stopped (s) || departure (s, now) <= now;
}

/* Time */

/* Returns for how long a packet may stay undecided. */
static int64_t
loss_timeout (const PspSender * s, bool overtaken)
{
  int64_t interval = s->timing.report_interval;
  int64_t timeout = s->decision.loss_timeout;

  if (timeout <= 0)
    timeout = psp_meter_loss_timeout (&s->meter, interval);
  /* A probe left so that the sender knows sooner. */
  if (!overtaken || !s->probed)
    return timeout;
  return MIN (timeout, psp_meter_overtaken_timeout (&s->meter, interval));
}

/* A controller that needs no feedback presumes no losses until feedback has
 * come. */
static int64_t
next_expiry (const PspSender * s)
{
  int64_t oldest = psp_history_oldest_in_flight_at (s->history);

  if (oldest == PSP_TIME_NEVER || (s->link.state == PSP_LINK_WAITING
          && !s->link.required))
    return PSP_TIME_NEVER;
  return MAX (oldest + loss_timeout (s,
          psp_history_is_overtaken (s->history)),
      s->expired_at + EXPIRY_INTERVAL);
}

/* Returns when a closed window lets one packet through. If the newest packets
 * are lost, only a later one shows it (RFC 8985 section 7), and timeouts are
 * long where round trips were long. */
static int64_t
next_probe (const PspSender * s)
{
  if (!s->closed || psp_sender_is_silent (s)
      || loss_timeout (s, false) <= s->timing.probe_interval
      || psp_history_in_flight (s->history) >= PSP_HISTORY_CAPACITY)
    return PSP_TIME_NEVER;
  return MAX (s->link.last_sent_at, s->heard_at) + s->timing.probe_interval;
}

/* Returns when something is due that stays due until the caller takes it. */
static int64_t
offered (const PspSender * s, int64_t at)
{
  return at > s->ticked_at ? at : s->ticked_at + OFFER_INTERVAL;
}

int64_t
psp_sender_next_tick (const PspSender * s, int64_t now)
{
  int64_t rtt = psp_meter_rtt (&s->meter);
  int64_t next =
      psp_supervision_next (&s->link, rtt, psp_sender_ready_at (s, now));
  int64_t notice = psp_notices_due (&s->notices, rtt);

  next = MIN (next, MIN (next_expiry (s), next_probe (s)));
  next = MIN (next, MAX (s->decision.next_tick, s->ticked_at + TICK_INTERVAL));
  if (notice != PSP_TIME_NEVER)
    next = MIN (next, offered (s, notice));
  return next;
}

void
psp_sender_tick (PspSender * s, int64_t now)
{
  int64_t rtt = psp_meter_rtt (&s->meter);
  PspReport report;

  if (psp_supervision_tick (&s->link, now, rtt, psp_sender_ready_at (s, now)))
    psp_ecn_path_doubt (&s->ecn);
  if (next_expiry (s) <= now) {
    s->expired_at = now;
    if (psp_history_expire (s->history, now, loss_timeout (s, false),
            loss_timeout (s, true), &report))
      psp_sender_take_report (s, &report);
  }
  s->probing = s->probing || next_probe (s) <= now;
  if (s->decision.next_tick <= now)
    psp_controller_tick (s->controller, now, &s->decision);
  s->ticked_at = now;
  psp_sender_apply (s, now);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_TICK, now, PSP_NUMBERS (now));
}
