/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

#include <stdlib.h>

static PspLimits
sane_limits (const PspLimits * limits)
{
  PspLimits l = *limits;

  l.min_bitrate = MAX (l.min_bitrate, 0);
  l.max_bitrate = MAX (l.max_bitrate, 0);
  l.start_bitrate = MAX (l.start_bitrate, 0);
  if (l.max_bitrate > 0)
    l.min_bitrate = MIN (l.min_bitrate, l.max_bitrate);
  return l;
}

/* The path is new, and nothing is known about it. */
static void
start_path (PspSender * s, int64_t now)
{
  psp_pacer_init (&s->pacer, now);
  psp_pacer_hold (&s->pacer, s->limited_until);
  psp_gap_stats_init (&s->gaps);
  psp_meter_init (&s->meter);
  s->meter.payload_received = psp_history_payload_received (s->history);
  psp_supervision_init (&s->link, s->timing,
      s->controller->klass->needs_feedback);
  s->closed = s->backlog = s->waiting = false;
  s->opened_at = s->last_sent_at = now;
  s->expired_at = s->ticked_at = now;
}

PspSender *
psp_sender_new (const PspSenderConfig * config, int64_t now)
{
  PspSender *s = calloc (1, sizeof *s);

  if (!s)
    return NULL;
  s->limits = sane_limits (&config->limits);
  s->timing = config->timing ? config->timing : &psp_feedback_timing_rfc8888;
  s->history = psp_history_new ();
  s->controller = psp_controller_new (config->controller, &s->limits,
      config->parameters, now, &s->decision);
  if (!s->history || !s->controller) {
    psp_sender_free (s);
    return NULL;
  }
  s->pairs = config->pairs;
  s->mean_payload = s->controller->mean_payload;
  s->mean_size = s->controller->mean_size;
  psp_notices_init (&s->notices);
  start_path (s, now);
  psp_sender_apply (s, now);
  return s;
}

void
psp_sender_free (PspSender * s)
{
  if (!s)
    return;
  psp_history_free (s->history);
  if (s->controller)
    psp_controller_free (s->controller);
  free (s);
}

bool
psp_sender_set_controller (PspSender * s, const PspControllerClass * klass,
    const double *parameters, int64_t now)
{
  PspDecision decision;
  PspController *controller = psp_controller_new (klass, &s->limits, parameters,
      now, &decision);

  if (!controller)
    return false;
  psp_controller_free (s->controller);
  s->controller = controller;
  controller->mean_payload = s->mean_payload;
  controller->mean_size = s->mean_size;
  /* The controller is reset again, because it now knows the size of packets. */
  psp_controller_reset (controller, now, &decision);
  s->decision = decision;
  psp_history_forget (s->history);
  psp_gap_stats_init (&s->gaps);
  s->resuming = psp_sender_is_awaited (s);
  psp_supervision_require (&s->link, klass->needs_feedback);
  psp_notices_reset (&s->notices, now);
  psp_sender_apply (s, now);
  if (s->observer)
    psp_observe_controller (s, now);
  return true;
}

const PspControllerClass *
psp_sender_controller (const PspSender * s)
{
  return s->controller->klass;
}

void
psp_sender_set_limits (PspSender * s, const PspLimits * limits, int64_t now)
{
  s->limits = sane_limits (limits);
  psp_controller_set_limits (s->controller, &s->limits, now, &s->decision);
  psp_sender_apply (s, now);
  psp_sender_end_slot (s);
  if (s->observer)
    psp_observe_limits (s, now);
}

void
psp_sender_set_parameters (PspSender * s, const double *parameters, int64_t now)
{
  psp_controller_set_parameters (s->controller, parameters, now, &s->decision);
  psp_sender_apply (s, now);
  psp_sender_end_slot (s);
  if (s->observer)
    psp_observe_parameters (s, now);
}

void
psp_sender_set_pairs (PspSender * s, bool pairs)
{
  s->pairs = pairs;
  if (s->observer)
    psp_observe_pairs (s);
}

void
psp_sender_reset (PspSender * s, int64_t now)
{
  s->resuming = psp_sender_is_awaited (s);
  psp_history_forget (s->history);
  psp_controller_reset (s->controller, now, &s->decision);
  start_path (s, now);
  psp_notices_reset (&s->notices, now);
  psp_sender_apply (s, now);
  if (s->observer)
    psp_observe_time (s, PSP_CALL_RESET, now);
}

void
psp_sender_resume (PspSender * s, int64_t now)
{
  psp_supervision_resume (&s->link, now);
  if (s->observer)
    psp_observe_time (s, PSP_CALL_RESUME, now);
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
    psp_observe_bind (s, index, key);
}

void
psp_sender_notice (const PspSender * s, PspNotice * notice)
{
  notice->reason = psp_notices_reason (&s->notices);
  notice->target_bitrate = s->notices.content.target_bitrate;
  notice->scale = s->notices.content.scale;
  notice->rtt = psp_meter_rtt (&s->meter);
  notice->loss = psp_meter_loss (&s->meter);
  notice->spacing = s->period > 0 ? s->period : PSP_TIME_UNKNOWN;
}

bool
psp_sender_take_notice (PspSender * s, int64_t now, PspNotice * notice)
{
  bool due = psp_notices_due (&s->notices, psp_meter_rtt (&s->meter)) <= now;

  psp_sender_notice (s, notice);
  if (due)
    psp_notices_announced (&s->notices, now);
  if (s->observer)
    psp_observe_notice (s, now, due, notice);
  return due;
}

void
psp_sender_stats (const PspSender * s, int64_t now, PspSenderStats * stats)
{
  *stats = s->stats;
  stats->rtt = psp_meter_rtt (&s->meter);
  stats->rtt_min = psp_meter_rtt_min (&s->meter);
  stats->rtt_var = psp_meter_rtt_deviation (&s->meter);
  stats->loss = psp_meter_loss (&s->meter);
  stats->in_flight = psp_history_in_flight (s->history);
  stats->period = s->period;
  stats->window = s->decision.window;
  stats->target_bitrate = s->notices.content.target_bitrate;
  stats->delivered_bitrate = psp_meter_delivered (&s->meter, now);
  stats->link = s->link.state;
  stats->gap_mean = s->gaps.mean;
  stats->gap_deviation = psp_gap_stats_deviation (&s->gaps);
  stats->gap_p99 = psp_gap_stats_quantile (&s->gaps, 0.99);
}
