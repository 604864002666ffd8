/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "adaptation.h"

void
itcp_adaptation_init (ItcpAdaptation * a, const ItcpSymbiosisParams * params)
{
  itcp_symbiosis_init (&a->symbiosis, params);
  psp_notices_init (&a->notices);
}

/* Forgets the target that was announced: no upstream element has one to obey.
 * The next target is then a change, not a start. */
static void
forget_announced (ItcpAdaptation * a, int64_t now)
{
  psp_notices_init (&a->notices);
  psp_notices_announced (&a->notices, now);
}

/* Returns TRUE if upstream has a target in force, or a target that is to be
 * withdrawn. */
static bool
rules (const ItcpAdaptation * a)
{
  int64_t announced = a->notices.announced.target_bitrate;

  return a->symbiosis.params.enabled || (announced != PSP_BITRATE_UNKNOWN
      && announced < itcp_symbiosis_base (&a->symbiosis));
}

/* Passes the decision in force to the notices. */
static void
update (ItcpAdaptation * a, int64_t now)
{
  PspDecision d;

  itcp_symbiosis_decide (&a->symbiosis, &d);
  psp_notices_update (&a->notices, now, d.target_bitrate, d.scale, d.reason);
}

static void
note_announced (ItcpAdaptation * a, int64_t now)
{
  if (a->symbiosis.params.enabled)
    psp_notices_announced (&a->notices, now);
  else
    forget_announced (a, now);
}

/* `message` is true if a message with this reason is to be posted. */
static ItcpNotice
make_notice (ItcpAdaptation * a, bool message, PspReason reason, int64_t now)
{
  ItcpNotice notice = {.message = message,.message_reason = reason };

  notice.target_bitrate = PSP_BITRATE_UNKNOWN;
  if (!rules (a))
    return notice;
  if (message)
    update (a, now);
  notice.target_bitrate = a->notices.content.target_bitrate;
  notice.event = psp_notices_due (&a->notices, a->symbiosis.rtt) <= now;
  if (notice.event) {
    notice.event_reason = psp_notices_reason (&a->notices);
    note_announced (a, now);
  }
  return notice;
}

ItcpNotice
itcp_adaptation_begin (ItcpAdaptation * a, bool first, int64_t now)
{
  bool is_known;

  itcp_symbiosis_reset (&a->symbiosis);
  is_known = itcp_symbiosis_is_known (&a->symbiosis);
  if (!rules (a) || (first && !is_known))
    forget_announced (a, now);
  else if (!first)
    psp_notices_reset (&a->notices, now);
  return make_notice (a, !first || is_known, first ? PSP_REASON_START :
      PSP_REASON_RESET, now);
}

ItcpNotice
itcp_adaptation_event (ItcpAdaptation * a, PspReason reason, unsigned n,
    int64_t now)
{
  for (unsigned i = 0; i < n; i++)
    itcp_symbiosis_event (&a->symbiosis, reason, now);
  return make_notice (a, n > 0, reason, now);
}

ItcpNotice
itcp_adaptation_tick (ItcpAdaptation * a, int64_t now)
{
  bool changed = itcp_symbiosis_tick (&a->symbiosis, now);

  return make_notice (a, changed, a->symbiosis.reason, now);
}

ItcpNotice
itcp_adaptation_set_params (ItcpAdaptation * a,
    const ItcpSymbiosisParams * params, int64_t now)
{
  bool changed = itcp_symbiosis_set_params (&a->symbiosis, params, now);

  /* A target that waits to be announced is void. */
  if (!rules (a))
    forget_announced (a, now);
  return make_notice (a, changed, PSP_REASON_LIMIT, now);
}

ItcpNotice
itcp_adaptation_repeat (ItcpAdaptation * a, int64_t now)
{
  ItcpNotice notice = {.message = true,.message_reason = PSP_REASON_START,
    .event_reason = PSP_REASON_START
  };

  notice.target_bitrate = PSP_BITRATE_UNKNOWN;
  notice.event = rules (a);
  if (notice.event) {
    update (a, now);
    notice.target_bitrate = a->notices.content.target_bitrate;
    note_announced (a, now);
  }
  return notice;
}

int64_t
itcp_adaptation_next (const ItcpAdaptation * a)
{
  int64_t next = itcp_symbiosis_next (&a->symbiosis);
  int64_t due = psp_notices_due (&a->notices, a->symbiosis.rtt);

  return due < next ? due : next;
}
