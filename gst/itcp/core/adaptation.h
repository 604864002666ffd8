/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides which of symbiosis' decisions are announced, to whom, and when. The
 * application gets a message for each of TCP's events and for each decision.
 * The pipeline gets an event when the target has changed, by the rules of all
 * senders (control/notices.h). While symbiosis is off the pipeline gets none;
 * upstream elements that still obey a lower target are released first.
 */
#ifndef ITCP_CORE_ADAPTATION_H
#define ITCP_CORE_ADAPTATION_H

#include <control/notices.h>

#include "symbiosis.h"

typedef struct
{
  ItcpSymbiosis symbiosis;
  PspNotices notices;
} ItcpAdaptation;

typedef struct
{
  bool message;                 /* post a message to the application */
  bool event;                   /* push an event upstream */
  PspReason message_reason, event_reason;
  int64_t target_bitrate;       /* bits/s; PSP_BITRATE_UNKNOWN = leave it out */
} ItcpNotice;

void itcp_adaptation_init (ItcpAdaptation * a,
    const ItcpSymbiosisParams * params);
/* Handles the start of a connection; `first` is true for the first one. */
ItcpNotice itcp_adaptation_begin (ItcpAdaptation * a, bool first, int64_t now);
/* Handles n events of this kind that TCP had at once. */
ItcpNotice itcp_adaptation_event (ItcpAdaptation * a, PspReason reason,
    unsigned n, int64_t now);
/* Does what is due by now. */
ItcpNotice itcp_adaptation_tick (ItcpAdaptation * a, int64_t now);
ItcpNotice itcp_adaptation_set_params (ItcpAdaptation * a,
    const ItcpSymbiosisParams * params, int64_t now);
/* Announces the target again to an upstream that was linked later. */
ItcpNotice itcp_adaptation_repeat (ItcpAdaptation * a, int64_t now);
/* Returns when the next tick is due, or PSP_TIME_NEVER. */
int64_t itcp_adaptation_next (const ItcpAdaptation * a);

#endif
