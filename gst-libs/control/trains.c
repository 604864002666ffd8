/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/trains.h>

#include <math.h>

/* s. A longer pause between two packets is none of the pacer's. */
#define LONGEST_GAP .1
/* Transmission times of packets that differ less hardly matter. */
#define SIMILAR .2

void
psp_trains_init (PspTrains * t)
{
  t->index = -1;
  t->bits = t->sent_span = t->arrival_span = 0;
}

static bool
alike (double a, double b)
{
  return fabs (a - b) <= SIMILAR * fmax (a, b);
}

static void
begin (PspTrains * t, double sent_at, double arrived_at, double bits)
{
  t->first_bits = bits;
  t->begun_at = sent_at;
  t->arrived_at = arrived_at;
  t->pending = 0;
  t->committed = false;
}

bool
psp_trains_add (PspTrains * t, const PspPacketResult * packet, double bits,
    double span, PspTrainRates * rates)
{
  double sent_at = (double) packet->sent_at * 1e-9;
  double arrived_at = (double) packet->arrived_at * 1e-9;
  double gap = sent_at - t->sent_at;
  bool follows = t->index >= 0 && packet->index == t->index + 1
      && !packet->app_limited && gap >= 0 && gap < LONGEST_GAP;

  t->pending += t->last_bits;
  t->index = packet->index;
  t->sent_at = sent_at;
  t->last_bits = bits;
  if (!follows || (!t->committed && bits > t->first_bits
          && !alike (bits, t->first_bits))) {
    begin (t, sent_at, arrived_at, bits);
    return false;
  }
  if (!alike (bits, t->first_bits))
    return false;
  t->bits += t->pending;
  t->sent_span += sent_at - t->begun_at;
  t->arrival_span += arrived_at - t->arrived_at;
  begin (t, sent_at, arrived_at, t->first_bits);
  t->committed = true;
  if (t->sent_span < span)
    return false;
  rates->in = t->bits / t->sent_span;
  rates->out = t->bits / fmax (t->arrival_span, t->sent_span / 1000);
  t->bits = t->sent_span = t->arrival_span = 0;
  return true;
}
