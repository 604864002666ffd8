/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

/* A share of max_bitrate is not announced: a source that sends exactly what may
 * leave could never drain its queue. */
#define KEPT_OF_MAX(max) ((max) / 20)

/* A target above unproved_bitrate is at most this many times the highest rate
 * that was sent lately. */
#define PROVED 3

/* The target divided by this is always left for media, whatever is reserved. */
#define LEAST_FOR_MEDIA 4

/* Decisions in force */

double
psp_sender_floor (const PspSender * s)
{
  double bitrate = (double) s->limits.min_bitrate;

  if (psp_sender_is_silent (s))
    bitrate = MAX (bitrate, psp_controller_mean_bits (s->controller)
        * PSP_SECOND / (double) psp_supervision_silence (&s->link,
            psp_meter_rtt (&s->meter)));
  if (s->limits.max_bitrate > 0)
    bitrate = MIN (bitrate, (double) s->limits.max_bitrate);
  return bitrate;
}

static void
apply_period (PspSender * s)
{
  int64_t period = s->decision.period;
  double least = psp_sender_floor (s), most = (double) s->limits.max_bitrate;
  double bits = psp_controller_mean_bits (s->controller);

  if (least > 0 && (psp_sender_is_silent (s)
          || period > psp_period_of (bits, least)))
    period = psp_period_of (bits, least);
  s->wanted_period = s->period = MAX (period, 0);
  if (most > 0)
    s->period = MAX (s->period, psp_period_of (bits, most));
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
  return s->resuming ? PSP_RESUMING_BITRATE : PSP_BITRATE_UNKNOWN;
}

/* Returns the target as far as packets have proved the path. The target of a
 * controller without feedback, or with scales, is what the application set. */
static int64_t
proved_target (PspSender * s, int64_t target, int64_t now)
{
  const PspLimits *l = &s->limits;
  int64_t peak = psp_meter_peak_sent (&s->meter, now);

  if (l->unproved_bitrate == 0 || s->decision.scale >= 0
      || !s->controller->klass->needs_feedback)
    return target;
  return MIN (target, MAX (PROVED * peak, MAX (l->unproved_bitrate,
              l->start_bitrate)));
}

static void
apply_target (PspSender * s, int64_t now)
{
  int64_t wanted = wanted_target (s), target = wanted;
  int64_t max = s->limits.max_bitrate;
  PspReason reason = s->decision.reason;

  s->whole_target = target;
  if (target >= 0) {
    target = proved_target (s, target, now);
    if (max > 0)
      target = MIN (target, max - KEPT_OF_MAX (max));
    target = MAX (target, s->limits.min_bitrate);
    if (target != wanted)
      reason = PSP_REASON_LIMIT;
    s->whole_target = target;
    target = MAX (MAX (target - s->reserved, target / LEAST_FOR_MEDIA),
        s->limits.min_bitrate);
  }
  if (psp_sender_is_silent (s)) {
    target =
        s->link.state == PSP_LINK_SILENT ? (int64_t) psp_sender_floor (s) : 0;
    reason = PSP_REASON_TIMEOUT;
  }
  psp_notices_update (&s->notices, now, target, s->decision.scale, reason);
}

/* A packet that is forgotten undecided would never be found lost, and the
 * controller would not learn of it. */
int64_t
psp_sender_window (const PspSender * s)
{
  return s->controller->klass->needs_feedback ?
      MIN (s->decision.window, PSP_HISTORY_CAPACITY) : s->decision.window;
}

static void
apply_window (PspSender * s, int64_t now)
{
  bool closed = !psp_sender_is_silent (s) && !s->probing
      && psp_history_in_flight (s->history) >= psp_sender_window (s);

  if (s->closed && !closed)
    s->opened_at = now;
  s->closed = closed;
  s->probed &= closed;
}

void
psp_sender_apply (PspSender * s, int64_t now)
{
  apply_period (s);
  apply_target (s, now);
  apply_window (s, now);
}

/* Feedback came back after silence: the schedule of silence ends at once. */
static void
end_silence (PspSender * s, int64_t now)
{
  s->resuming = s->decision.target_bitrate < 0;
  apply_period (s);
  psp_pacer_init (&s->pacer, now);
  psp_pacer_hold (&s->pacer, MAX (s->last_sent_at + s->period,
          s->limited_until));
}

/* Reports */

void
psp_sender_take_report (PspSender * s, const PspReport * report)
{
  s->stats.packets_acked += report->n_received + report->n_recovered;
  s->stats.packets_lost += report->n_lost;
  s->stats.packets_recovered += report->n_recovered;
  s->stats.packets_ce += report->n_ce;
  psp_ecn_path_report (&s->ecn, report);
  psp_meter_report (&s->meter, report);
  if (report->n_results > 0)
    psp_controller_feedback (s->controller, report, &s->decision);
}

/* A report without arrivals does not show that the path carries packets. */
static void
note_arrivals (PspSender * s, int64_t now)
{
  PspLinkState before = s->link.state;

  s->heard_at = now;
  s->probing = false;
  if (!psp_supervision_feedback (&s->link))
    return;
  if (s->ecn.verdict == PSP_ECN_PATH_NOT_ECHOED)
    psp_sender_verify_ecn (s);
  if (before != PSP_LINK_WAITING)
    end_silence (s, now);
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
      psp_sender_take_report (s, &report);
      if (report.n_received + report.n_recovered > 0)
        note_arrivals (s, now);
      psp_sender_apply (s, now);
      break;
  }
  if (s->observer)
    psp_observe_acknowledge (s, feedback, now);
  return result;
}

/* Notices */

int64_t
psp_sender_bitrate_in_use (const PspSender * s, int64_t now)
{
  int64_t start = s->limits.start_bitrate;
  int64_t target = s->whole_target;
  int64_t delivered = psp_meter_delivered (&s->meter, now);

  if (psp_sender_is_silent (s))
    return start;
  if (target < 0)
    return delivered > 0 ? delivered : start;
  return MIN (target, MAX (delivered, MAX (start, s->limits.unproved_bitrate)));
}

int64_t
psp_sender_pace (const PspSender * s)
{
  if (s->period <= 0 || psp_sender_is_stopped (s))
    return PSP_BITRATE_UNKNOWN;
  return (int64_t) (psp_controller_mean_bits (s->controller) * PSP_SECOND
      / (double) s->period);
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
  stats->ecn = s->ecn.verdict;
  stats->gap_mean = s->gaps.mean;
  stats->gap_deviation = psp_gap_stats_deviation (&s->gaps);
  stats->gap_p99 = psp_gap_stats_quantile (&s->gaps, 0.99);
}
