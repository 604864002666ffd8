/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

#include <stdlib.h>

/* ns. Losses are presumed in batches rather than packet by packet. */
#define EXPIRY_INTERVAL (10 * PSP_MSECOND)
/* ns. A controller that asks for ticks in the past must not keep its caller
 * busy. */
#define TICK_INTERVAL (100 * PSP_USECOND)
/* ns. A notice that the caller did not take is offered again. */
#define OFFER_INTERVAL PSP_SECOND

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
    psp_observe_controller (s, PSP_CALL_SET_CONTROLLER, now, PSP_NUMBERS (now));
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
    psp_observe_change (s, PSP_CALL_SET_LIMITS, now,
        PSP_NUMBERS (s->limits.min_bitrate, s->limits.max_bitrate,
            s->limits.start_bitrate, now));
}

void
psp_sender_set_parameters (PspSender * s, const double *parameters, int64_t now)
{
  psp_controller_set_parameters (s->controller, parameters, now, &s->decision);
  psp_sender_apply (s, now);
  psp_sender_end_slot (s);
  if (s->observer)
    psp_observe_controller (s, PSP_CALL_SET_PARAMETERS, now, PSP_NUMBERS (now));
}

void
psp_sender_set_pairs (PspSender * s, bool pairs)
{
  s->pairs = pairs;
  if (s->observer)
    psp_observe (s, PSP_CALL_SET_PAIRS, PSP_NUMBERS (s->pairs), NULL, 0);
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
    psp_observe_change (s, PSP_CALL_RESET, now, PSP_NUMBERS (now));
}

void
psp_sender_resume (PspSender * s, int64_t now)
{
  psp_supervision_resume (&s->link, now);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_RESUME, now, PSP_NUMBERS (now));
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

static void
take_report (PspSender * s, const PspReport * report)
{
  s->stats.packets_acked += report->n_received + report->n_recovered;
  s->stats.packets_lost += report->n_lost;
  s->stats.packets_recovered += report->n_recovered;
  s->stats.packets_ce += report->n_ce;
  psp_meter_report (&s->meter, report,
      psp_history_payload_received (s->history));
  if (report->n_results > 0)
    psp_controller_feedback (s->controller, report, &s->decision);
}

/* A report without arrivals does not show that the path carries packets. */
static void
note_arrivals (PspSender * s, int64_t now)
{
  PspLinkState before = s->link.state;

  if (psp_supervision_feedback (&s->link) && before != PSP_LINK_WAITING)
    psp_sender_end_silence (s, now);
}

int64_t
psp_sender_sent_at (const PspSender * s, const PspKey * key)
{
  return psp_history_sent_at (s->history, key);
}

PspFeedbackResult
psp_sender_acknowledge (PspSender * s, const PspFeedback * feedback,
    int64_t now)
{
  PspReport report;
  PspFeedbackResult result =
      psp_history_feedback (s->history, feedback, now, &report);

  switch (result) {
    case PSP_FEEDBACK_UNKNOWN_SERIES:
      s->stats.feedback_unknown_series++;
      break;
    case PSP_FEEDBACK_NEVER_SENT:
      s->stats.feedback_never_sent++;
      break;
    case PSP_FEEDBACK_OK:
      s->stats.feedback_received++;
      take_report (s, &report);
      if (report.n_received + report.n_recovered > 0)
        note_arrivals (s, now);
      psp_sender_apply (s, now);
      break;
  }
  if (s->observer)
    psp_observe_acknowledge (s, feedback, now);
  return result;
}

/* A controller that needs no feedback presumes no losses until feedback has
 * come. */
static int64_t
next_expiry (const PspSender * s)
{
  int64_t oldest = psp_history_oldest_in_flight_at (s->history);
  int64_t age = s->decision.loss_timeout;

  if (oldest == PSP_TIME_NEVER || (s->link.state == PSP_LINK_WAITING
          && !s->link.required))
    return PSP_TIME_NEVER;
  if (age <= 0)
    age = psp_meter_loss_timeout (&s->meter, s->timing->report_interval);
  return MAX (oldest + age, s->expired_at + EXPIRY_INTERVAL);
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

  next = MIN (next, next_expiry (s));
  next = MIN (next, MAX (s->decision.next_tick, s->ticked_at + TICK_INTERVAL));
  if (notice != PSP_TIME_NEVER)
    next = MIN (next, offered (s, notice));
  return next;
}

void
psp_sender_tick (PspSender * s, int64_t now)
{
  int64_t rtt = psp_meter_rtt (&s->meter), age = s->decision.loss_timeout;
  PspReport report;

  psp_supervision_tick (&s->link, now, rtt, psp_sender_ready_at (s, now));
  if (next_expiry (s) <= now) {
    if (age <= 0)
      age = psp_meter_loss_timeout (&s->meter, s->timing->report_interval);
    s->expired_at = now;
    if (psp_history_expire (s->history, now, age, &report))
      take_report (s, &report);
  }
  if (s->decision.next_tick <= now)
    psp_controller_tick (s->controller, now, &s->decision);
  s->ticked_at = now;
  psp_sender_apply (s, now);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_TICK, now, PSP_NUMBERS (now));
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
