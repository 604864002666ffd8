/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

/* ns. Losses are presumed in batches rather than packet by packet. */
#define EXPIRY_INTERVAL (10 * PSP_MSECOND)
/* ns. A controller that asks for ticks in the past must not keep its caller
 * busy. */
#define TICK_INTERVAL (100 * PSP_USECOND)
/* ns. A notice that the caller did not take is offered again. */
#define OFFER_INTERVAL PSP_SECOND

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
    psp_observe_time (s, PSP_CALL_TICK, now);
}
