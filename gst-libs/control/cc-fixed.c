/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "fixed": one packet every `period`, whatever happens: the "simple
 * packet-spacing agent" (PSA) of Kapadia, Feng and Feng, "The Effects of
 * Inter-Packet Spacing on the Delivery of Multimedia Content", ICDCS 2001,
 * section 3.
 */
#include <control/controller.h>

enum
{
  PERIOD
};

static const PspParameter parameters[] = {
  [PERIOD] = {"period", "ns", 0, 3600e9, 1.5e6,
      "Time from one packet's start to the next one's; 0 sends at once",
      "ours: packets of 1500 octets at 8 Mb/s"},
  {.name = NULL}
};

static void
fixed_update (PspController * c, PspDecision * d)
{
  d->period = (int64_t) c->parameters[PERIOD];
  d->target_bitrate = psp_controller_bitrate (c, (double) d->period);
}

static void
fixed_init (PspController * c, int64_t now, PspDecision * d)
{
  (void) now;
  fixed_update (c, d);
}

/* The mean size of the packets changes, and the bitrate changes with it. */
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
  .parameters = parameters,
  .init = fixed_init,
  .on_sent = fixed_on_sent,
  .on_limits = fixed_on_limits,
};
