/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "sender-private.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* Presumed losses come in batches, not packet by packet. */
#define EXPIRY_INTERVAL (10 * PSP_MSECOND)
/* A controller whose ticks stay in the past must not spin its caller. */
#define TICK_INTERVAL (100 * PSP_USECOND)
/* What a tick has offered and the caller has not taken comes again. */
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

/* A report of nothing that has come is none of a path that carries anything. */
static void
note_arrivals (PspSender * s, int64_t now)
{
  PspLinkState before = s->link.state;

  if (psp_supervision_feedback (&s->link) && before != PSP_LINK_WAITING)
    psp_sender_revive (s, now);
}

static void
take_ccfb (PspSender * s, const PspRtcpPacket * packet, int64_t now)
{
  PspReport report;
  PspCcfb ccfb;

  if (!psp_ccfb_parse (packet->data, packet->size, &ccfb)) {
    s->stats.feedback_malformed++;
    return;
  }
  switch (psp_history_feedback (s->history, &ccfb, now, &report)) {
    case PSP_FEEDBACK_UNKNOWN_SSRC:
      s->stats.feedback_unknown_ssrc++;
      return;
    case PSP_FEEDBACK_NEVER_SENT:
      s->stats.feedback_never_sent++;
      return;
    case PSP_FEEDBACK_OK:
      break;
  }
  s->stats.feedback_received++;
  take_report (s, &report);
  if (report.n_received + report.n_recovered > 0)
    note_arrivals (s, now);
  psp_sender_follow (s, now);
}

void
psp_sender_rtcp (PspSender * s, const uint8_t * data, size_t size,
    int64_t now, bool *bye_seen)
{
  PspRtcpPacket packet;
  size_t position = 0;

  *bye_seen = false;
  if (!psp_rtcp_validate (data, size)) {
    s->stats.feedback_malformed++;
    return;
  }
  s->stats.feedback_bytes += size;
  while (psp_rtcp_next (data, size, &position, &packet)) {
    if (packet.type == PSP_CCFB_PT && packet.count == PSP_CCFB_FMT)
      take_ccfb (s, &packet, now);
    else if (packet.type == PSP_RTCP_BYE)
      *bye_seen = true;
  }
}

/* Without feedback, ever, a controller that needs none presumes nothing. */
static int64_t
next_expiry (const PspSender * s)
{
  int64_t oldest = psp_history_oldest_in_flight_at (s->history);
  int64_t age = s->decision.loss_timeout;

  if (oldest == PSP_TIME_NEVER || (s->link.state == PSP_LINK_WAITING
          && !s->link.required))
    return PSP_TIME_NEVER;
  if (age <= 0)
    age = psp_meter_loss_timeout (&s->meter);
  return MAX (oldest + age, s->expired_at + EXPIRY_INTERVAL);
}

/* What is due again and again until the caller takes it. */
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
  if (s->reports.next_at != PSP_TIME_NEVER)
    next = MIN (next, offered (s, s->reports.next_at));
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
      age = psp_meter_loss_timeout (&s->meter);
    s->expired_at = now;
    if (psp_history_expire (s->history, now, age, &report))
      take_report (s, &report);
  }
  if (s->decision.next_tick <= now)
    psp_controller_tick (s->controller, now, &s->decision);
  s->ticked_at = now;
  psp_sender_follow (s, now);
}
