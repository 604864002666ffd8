/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The rate at which packets are reported as received, by the sender's clock.
 */
#ifndef CONTROL_RECEIVEDRATE_H
#define CONTROL_RECEIVEDRATE_H

#include <control/types.h>

/* Pieces of the time over which arrivals are counted. */
#define PSP_RECEIVED_SLOTS 32

typedef struct
{
  double bits[PSP_RECEIVED_SLOTS];      /* per slot; the present one first */
  int n_filled;                 /* since the start, or a silence */
  double since;                 /* s; start of the present slot */
  double peak;                  /* bits/s over 300 ms; decays within 4 s */
} PspReceivedRate;

void psp_received_rate_init (PspReceivedRate * r, double now);
void psp_received_rate_advance (PspReceivedRate * r, double now);
void psp_received_rate_add (PspReceivedRate * r, double bits);
/* Returns bits/s over the last `span` seconds of whole slots, or over those
 * since the start or a silence, if they are fewer. It is over at least `least`
 * seconds: for so long arrivals may have waited for the report that brought
 * them. Both are bounded by the slots that there are. */
double psp_received_rate_get (const PspReceivedRate * r, double span,
    double least);

#endif
