/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "fixed": one packet every `fixed_period`, whatever happens: the "simple
 * packet-spacing agent" (PSA) of Kapadia, Feng and Feng, "The Effects of
 * Inter-Packet Spacing on the Delivery of Multimedia Content", ICDCS 2001,
 * section 3.
 */
#include "controller.h"

static void
fixed_update (PspController * c, PspDecision * d)
{
  d->period = c->limits.fixed_period;
  d->target_bitrate = psp_controller_bitrate (c, (double) d->period);
}

static void
fixed_init (PspController * c, int64_t now, PspDecision * d)
{
  (void) now;
  fixed_update (c, d);
}

/* The packets' mean size moves, and the bitrate with it. */
static void
fixed_on_sent (PspController * c, const PspSent * sent, PspDecision * d)
{
  (void) sent;
  fixed_update (c, d);
}

static void
fixed_on_limits (PspController * c, int64_t now, PspDecision * d)
{
  int64_t old = d->period;

  (void) now;
  fixed_update (c, d);
  if (d->period != old)
    d->reason = PSP_REASON_LIMIT;
}

const PspControllerClass psp_cc_fixed = {
  .name = "fixed",
  .size = sizeof (PspController),
  .needs_feedback = false,
  .init = fixed_init,
  .on_sent = fixed_on_sent,
  .on_limits = fixed_on_limits,
};
