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
  l.unproved_bitrate = MAX (l.unproved_bitrate, 0);
  if (l.max_bitrate > 0)
    l.min_bitrate = MIN (l.min_bitrate, l.max_bitrate);
  return l;
}

/* True if upstream that obeys the last notice sends next to nothing and waits
 * for another target. */
static bool
is_awaited (const PspSender * s)
{
  int64_t announced = s->notices.announced.target_bitrate;

  return announced >= 0 && announced < PSP_RESUMING_BITRATE;
}

/* Ends the slot that was based on other limits or another controller. */
static void
end_slot (PspSender * s)
{
  double most = (double) s->limits.max_bitrate;
  int64_t limited = s->last_sent_at;

  if (most > 0)
    limited += psp_period_of (8.0 * s->last_payload, most);
  s->limited_until = MIN (s->limited_until, limited);
  psp_pacer_advance (&s->pacer,
      MAX (s->last_sent_at + s->period, s->limited_until));
}

void
psp_sender_verify_ecn (PspSender * s)
{
  const PspControllerClass *klass = s->controller->klass;
  PspEcn ecn = s->ecn_asked;

  if (!klass->on_feedback)
    ecn = PSP_ECN_NOT_ECT;
  else if (ecn == PSP_ECN_ECT1 && !klass->scalable)
    ecn = PSP_ECN_ECT0;
  psp_ecn_path_begin (&s->ecn, ecn);
}

/* Starts on a new path, about which nothing is known. */
static void
start_path (PspSender * s, int64_t now)
{
  psp_pacer_init (&s->pacer, now);
  psp_pacer_hold (&s->pacer, s->limited_until);
  psp_gap_stats_init (&s->gaps);
  psp_meter_init (&s->meter);
  psp_supervision_init (&s->link, &s->timing,
      s->controller->klass->needs_feedback);
  s->closed = s->probing = s->probed = s->waits = false;
  s->opened_at = s->heard_at = s->last_sent_at = now;
  s->expired_at = s->ticked_at = now;
  psp_sender_verify_ecn (s);
}

PspSender *
psp_sender_new (const PspSenderConfig * config, int64_t now)
{
  PspSender *s = calloc (1, sizeof *s);

  if (!s)
    return NULL;
  s->limits = sane_limits (&config->limits);
  s->timing = config->timing ? *config->timing : psp_feedback_timing_default;
  s->history = psp_history_new ();
  s->controller = psp_controller_new (config->controller, &s->limits,
      config->parameters, now, &s->decision);
  if (!s->history || !s->controller) {
    psp_sender_free (s);
    return NULL;
  }
  s->pairs = config->pairs;
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
    const double *parameters, int64_t start_bitrate, int64_t now)
{
  PspLimits limits = s->limits;
  PspController *controller;
  PspDecision decision;

  limits.start_bitrate = start_bitrate;
  controller = psp_controller_new (klass, &limits, parameters, now, &decision);
  if (!controller)
    return false;
  controller->mean_payload = s->controller->mean_payload;
  controller->mean_size = s->controller->mean_size;
  controller->in_use_bitrate = MAX (MIN (start_bitrate,
          psp_meter_delivered (&s->meter, now)), 0);
  psp_controller_free (s->controller);
  s->controller = controller;
  /* The controller is reset again, because it now knows the size of packets and
   * what arrived. */
  psp_controller_reset (controller, now, &decision);
  s->decision = decision;
  psp_history_forget (s->history);
  psp_sender_verify_ecn (s);
  psp_gap_stats_init (&s->gaps);
  s->resuming = is_awaited (s);
  psp_supervision_require (&s->link, klass->needs_feedback);
  psp_notices_reset (&s->notices, now);
  psp_sender_apply (s, now);
  /* This controller would not have let a packet wait for so long. */
  if (psp_pacer_next (&s->pacer, now) > now + s->period)
    end_slot (s);
  if (s->observer)
    psp_observe_controller (s, PSP_CALL_SET_CONTROLLER, now,
        PSP_NUMBERS (start_bitrate, now));
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
  end_slot (s);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_SET_LIMITS, now,
        PSP_NUMBERS (s->limits.min_bitrate, s->limits.max_bitrate,
            s->limits.start_bitrate, s->limits.unproved_bitrate, now));
}

void
psp_sender_set_parameters (PspSender * s, const double *parameters, int64_t now)
{
  psp_controller_set_parameters (s->controller, parameters, now, &s->decision);
  psp_sender_apply (s, now);
  end_slot (s);
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
psp_sender_set_timing (PspSender * s, const PspFeedbackTiming * timing,
    int64_t now)
{
  s->timing = *timing;
  if (s->observer)
    psp_observe_timing (s, now);
}

void
psp_sender_set_ecn (PspSender * s, PspEcn ecn, int64_t now)
{
  s->ecn_asked = ecn;
  psp_sender_verify_ecn (s);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_SET_ECN, now, PSP_NUMBERS (ecn, now));
}

void
psp_sender_set_reserved (PspSender * s, int64_t bitrate, int64_t now)
{
  s->reserved = MAX (bitrate, 0);
  psp_sender_apply (s, now);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_SET_RESERVED, now,
        PSP_NUMBERS (bitrate, now));
}

void
psp_sender_reset (PspSender * s, int64_t now)
{
  s->resuming = is_awaited (s);
  psp_history_forget (s->history);
  /* The controller may have started from the rate of the path before. */
  s->controller->in_use_bitrate = 0;
  psp_controller_set_limits (s->controller, &s->limits, now, &s->decision);
  psp_controller_reset (s->controller, now, &s->decision);
  start_path (s, now);
  psp_notices_reset (&s->notices, now);
  psp_sender_apply (s, now);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_RESET, now, PSP_NUMBERS (now));
}

void
psp_sender_forget_receiver (PspSender * s, unsigned receiver, int64_t now)
{
  psp_history_forget_receiver (s->history, receiver);
  psp_sender_apply (s, now);
}

void
psp_sender_resume (PspSender * s, int64_t now)
{
  psp_supervision_resume (&s->link, now);
  if (s->observer)
    psp_observe_change (s, PSP_CALL_RESUME, now, PSP_NUMBERS (now));
}
