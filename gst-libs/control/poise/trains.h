/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The capacity of a path, from packets that left close to one another. A train
 * is a run of packets that waited for the pacer. It is measured from one packet
 * to later ones that are about as large or larger; those between may have any
 * size. All packets but the first arrive between the two ends. On a link that
 * was slower than the pacer this gives the link's rate. On a faster link it
 * gives at least the pace, and the pace then counts.
 */
#ifndef CONTROL_POISE_TRAINS_H
#define CONTROL_POISE_TRAINS_H

#include <control/report.h>

typedef struct
{
  int64_t index;                /* the train's last packet; −1 = none */
  double sent_at;               /* s; when the last packet left */
  double last_bits;             /* bits of the last packet */
  double begun_at;              /* s; when the first measured packet left */
  double arrived_at;            /* s; when the first measured packet arrived */
  double sent_pending;          /* bits sent from then on, without the last */
  double arrived_pending;       /* bits arrived since then, without the first */
  double first_bits;            /* about the least size that ends a part */
  bool committed;               /* the train was measured up to begun_at */
  double sent_bits;             /* sums of trains since the last measurement */
  double arrived_bits;          /* the same, of bits that arrived */
  double sent_span;             /* s in which sent_bits left */
  double arrival_span;          /* s in which arrived_bits arrived */
} PspTrains;

/* The rates in bits/s at which trains were sent (in) and arrived (out). Where
 * jitter delayed their first packets they arrived faster than they were
 * sent. */
typedef struct
{
  double in, out;
} PspTrainRates;

void psp_trains_init (PspTrains * t);
/* Adds a packet that arrived. Returns true and sets `rates` if the trains since
 * the last measurement span `span` seconds. */
bool psp_trains_add (PspTrains * t, const PspPacketResult * packet,
    double bits, double span, PspTrainRates * rates);

#endif
