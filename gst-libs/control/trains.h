/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The capacity of a path, from packets that left close to one another. A train
 * is a run of packets that waited for the pacer. It is measured from one packet
 * to later ones that are about as large or larger, those between may have any
 * size. What arrives between two ends is all but the first packet. On a link
 * that was slower than the pacer that is exact; on a faster one it is too much
 * rather than too little, and the pace then counts.
 */
#ifndef CONTROL_TRAINS_H
#define CONTROL_TRAINS_H

#include <control/report.h>

typedef struct
{
  /* the last packet of the train; index −1 = none */
  int64_t index;
  double sent_at, last_bits;
  /* the packet from which is measured; s */
  double begun_at, arrived_at;
  double sent_pending, arrived_pending; /* bits since then */
  double first_bits;            /* least size that ends a measured part */
  bool committed;               /* the train was measured up to there */
  /* sums of trains since the last judgement */
  double sent_bits, arrived_bits, sent_span, arrival_span;
} PspTrains;

/* Rates in bits/s at which the same bits were sent and arrived. Where jitter held the
 * first ones for longer they arrived faster than they were sent. */
typedef struct
{
  double in, out;
} PspTrainRates;

void psp_trains_init (PspTrains * t);
/* Adds a packet that arrived. Returns true if trains of `span` seconds were
 * summed up, of which `rates` tells. */
bool psp_trains_add (PspTrains * t, const PspPacketResult * packet,
    double bits, double span, PspTrainRates * rates);

#endif
