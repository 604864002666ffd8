/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The rate at which packets are reported as received, by the sender's clock.
 */
#ifndef CONTROL_POISE_RECEIVEDRATE_H
#define CONTROL_POISE_RECEIVEDRATE_H

#include <control/types.h>

/* The number of slots in which arrivals are counted. */
#define PSP_RECEIVED_SLOTS 32

typedef struct
{
  double bits[PSP_RECEIVED_SLOTS];      /* per slot; the present one first */
  int n_filled;                 /* whole slots since the start or a silence */
  double since;                 /* s; start of the present slot */
  double peak;                  /* highest bits/s over 300 ms; fades in 4 s */
} PspReceivedRate;

void psp_received_rate_init (PspReceivedRate * r, double now);
/* Ends the slots that are over at `now`. */
void psp_received_rate_advance (PspReceivedRate * r, double now);
void psp_received_rate_add (PspReceivedRate * r, double bits);
/* Returns bits/s over the last `span` seconds of whole slots, or over those
 * since the start or a silence if they are fewer. The rate is over `least`
 * seconds at least, because arrivals may have waited that long for the report
 * that brought them. The number of slots bounds both. */
double psp_received_rate_get (const PspReceivedRate * r, double span,
    double least);
/* Returns the seconds of whole slots since the start or a silence. */
double psp_received_rate_span (const PspReceivedRate * r);

#endif
