/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "sender-private.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* Slots that the system cannot keep one by one. */
#define PAIRS_BELOW (100 * PSP_USECOND)
#define SIZES_MEASURED 16       /* the mean is over so many packets */
/* What is not announced of max_bitrate: a source that has just what is let
 * through never gets rid of a queue. */
#define KEPT_OF_MAX(max) ((max) / 20)

/* Told to upstream that waits while the controller knows no target yet: enough
 * to bring it round trips. */
#define RESUMING_BITRATE 64000

static double
mean_bits (const PspSender * s)
{
  return 8 * MAX (s->mean_payload, 1.0);
}

/* The period of packets of so many bits at a bitrate > 0. */
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

/* What may leave whatever the controller says. In silence this is all that
 * may, so it is never nothing: without packets feedback cannot return. */
static double
floor_bitrate (const PspSender * s)
{
  double bitrate = (double) s->limits.min_bitrate;

  if (is_silent (s))
    bitrate = MAX (bitrate, mean_bits (s) * PSP_SECOND /
        (double) psp_supervision_patience (psp_meter_rtt (&s->meter)));
  if (s->limits.max_bitrate > 0)
    bitrate = MIN (bitrate, (double) s->limits.max_bitrate);
  return bitrate;
}

static void
follow_period (PspSender * s)
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

/* A controller that knows no target, yet holds nothing back either, leaves it
 * to the limits. */
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
follow_target (PspSender * s, int64_t now)
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

/* Packets that may be in flight: those forgotten undecided would never be
 * found lost, and the controller would never know. */
static int64_t
window_of (const PspSender * s)
{
  return s->controller->klass->needs_feedback ?
      MIN (s->decision.window, PSP_HISTORY_CAPACITY) : s->decision.window;
}

static void
follow_window (PspSender * s, int64_t now)
{
  bool closed = !is_silent (s)
      && psp_history_in_flight (s->history) >= window_of (s);

  if (s->closed && !closed)
    s->opened_at = now;
  s->closed = closed;
}

void
psp_sender_follow (PspSender * s, int64_t now)
{
  follow_period (s);
  follow_target (s, now);
  follow_window (s, now);
}

/* When the next packet may leave. */
static int64_t
departure (const PspSender * s, int64_t now)
{
  int64_t at = psp_pacer_next (&s->pacer, now);
  double least;

  if (psp_sender_is_stopped (s))
    return MAX (at, s->last_sent_at + PSP_SUPERVISION_PROBE);
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
  if (!s->backlog && !s->asked)
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
  int64_t told = s->notices.told.target_bitrate;

  return told >= 0 && told < RESUMING_BITRATE;
}

void
psp_sender_hurry (PspSender * s)
{
  double most = (double) s->limits.max_bitrate;
  int64_t limited = s->last_sent_at;

  if (most > 0)
    limited += period_of (8.0 * s->last_payload, most);
  s->limited_until = MIN (s->limited_until, limited);
  s->pacer.next = MIN (s->pacer.next,
      MAX (s->last_sent_at + s->period, s->limited_until));
}

void
psp_sender_revive (PspSender * s, int64_t now)
{
  s->resuming = s->decision.target_bitrate < 0;
  follow_period (s);
  psp_pacer_init (&s->pacer, now);
  psp_pacer_hold (&s->pacer, MAX (s->last_sent_at + s->period,
          s->limited_until));
}

unsigned
psp_sender_allowance (PspSender * s, int64_t now, unsigned max,
    int64_t * next_at)
{
  int64_t at = departure (s, now), room;

  *next_at = MAX (at, now);
  if (max == 0)
    return 0;
  if (at > now) {
    s->asked = true;
    s->pacer.idle = false;
    return 0;
  }
  room = window_of (s) - psp_history_in_flight (s->history);
  if (is_silent (s) || s->closed)
    room = 1;
  if (s->period > 0)
    room = MIN (room, s->pacer.left > 0 ? s->pacer.left : s->pacer.quantum);
  return (unsigned) MIN (room, max);
}

static void
measure_sizes (PspSender * s, const PspRtpHeader * header)
{
  double gain;

  if (s->n_sizes < SIZES_MEASURED)
    s->n_sizes++;
  gain = 1.0 / s->n_sizes;
  s->mean_payload += gain * (header->payload_size - s->mean_payload);
  s->mean_size += gain * (header->size - s->mean_size);
  s->controller->mean_payload = s->mean_payload;
  s->controller->mean_size = s->mean_size;
}

/* What the controller, or min_bitrate, wants from this packet's start to the
 * next one's. */
static int64_t
wanted_slot (const PspSender * s, const PspRtpHeader * header)
{
  double slot = (double) s->wanted_period;

  if (s->decision.longest_slot <= 0 || is_silent (s))
    return s->wanted_period;
  slot *= header->size / MAX (s->mean_size, 1.0);
  return (int64_t) MIN (slot, (double) MAX (s->wanted_period,
          s->decision.longest_slot));
}

/* The slot of a packet that leaves now. What max_bitrate wants depends on its
 * own size: by the mean, a mix of sizes would either stay below or exceed. */
static void
pace (PspSender * s, const PspRtpHeader * header, int64_t now, bool backlog)
{
  int64_t slot = wanted_slot (s, header), least;

  if (s->limits.max_bitrate > 0) {
    least = period_of (8.0 * header->payload_size,
        (double) s->limits.max_bitrate);
    s->limited_until = now + least;
    slot = MAX (slot, least);
  }
  psp_pacer_set (&s->pacer, slot,
      s->pairs && s->period > 0 && s->period < PAIRS_BELOW ? 2 : 1);
  psp_pacer_sent (&s->pacer, now, backlog);
}

void
psp_sender_sent (PspSender * s, const PspRtpHeader * header,
    int64_t media_time, int64_t now, bool backlog)
{
  bool waited = s->backlog || s->asked;
  bool held = s->closed || psp_sender_is_stopped (s);
  int64_t slot = s->pacer.next;
  int64_t rtt = psp_meter_rtt (&s->meter);
  PspSent sent;

  psp_supervision_sent (&s->link, now, rtt, psp_sender_ready_at (s, now));
  psp_pacer_hold (&s->pacer, held ? now : s->opened_at);
  sent.now = now;
  sent.size = header->size;
  sent.app_limited = !waited && now > psp_pacer_next (&s->pacer, now);
  sent.index = psp_history_sent (s->history, header, now, sent.app_limited);
  sent.in_flight = psp_history_in_flight (s->history);
  sent.window = s->decision.window;
  psp_gap_stats_add (&s->gaps, now, waited && s->pacer.next == slot);
  psp_sender_reports_sent (&s->reports, header, media_time, now);
  s->stats.packets_sent++;
  s->stats.bytes_sent += header->size;
  s->stats.payload_bytes_sent += header->payload_size;
  s->backlog = backlog;
  s->asked = false;
  s->last_sent_at = now;
  s->last_payload = header->payload_size;
  measure_sizes (s, header);
  psp_controller_sent (s->controller, &sent, &s->decision);
  psp_sender_follow (s, now);
  pace (s, header, now, backlog);
}

bool
psp_sender_media_allowed (const PspSender * s, int64_t now)
{
  return !psp_sender_is_stopped (s) || departure (s, now) <= now;
}
