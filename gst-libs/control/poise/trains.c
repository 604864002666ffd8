/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/trains.h>

#include <math.h>

static const struct
{
  double longest_gap, similar, fastest;
} defaults = {
  .longest_gap = .1,            /* s; the pacer makes no longer pause */
  /* Share of the size. If packets differ by less, their transmission times
   * hardly differ. */
  .similar = .2,
  .fastest = 4,                 /* largest arrival rate over the sent rate */
};

void
psp_trains_init (PspTrains * t)
{
  t->index = -1;
  t->sent_bits = t->arrived_bits = t->sent_span = t->arrival_span = 0;
}

static void
begin (PspTrains * t, double sent_at, double arrived_at)
{
  t->begun_at = sent_at;
  t->arrived_at = arrived_at;
  t->sent_pending = t->arrived_pending = 0;
}

bool
psp_trains_add (PspTrains * t, const PspPacketResult * packet, double bits,
    double span, PspTrainRates * rates)
{
  double sent_at = (double) packet->sent_at * 1e-9;
  double arrived_at = (double) packet->arrived_at * 1e-9;
  double gap = sent_at - t->sent_at;
  bool follows = t->index >= 0 && packet->index == t->index + 1
      && !packet->app_limited && gap >= 0 && gap < defaults.longest_gap;

  t->sent_pending += t->last_bits;
  t->arrived_pending += bits;
  t->index = packet->index;
  t->sent_at = sent_at;
  t->last_bits = bits;
  if (!follows || bits < (1 - defaults.similar) * t->first_bits) {
    /* A smaller packet may begin a measured part, but not end it. */
    if (!follows || !t->committed) {
      begin (t, sent_at, arrived_at);
      t->first_bits = bits;
      t->committed = false;
    }
    return false;
  }
  t->sent_bits += t->sent_pending;
  t->arrived_bits += t->arrived_pending;
  t->sent_span += sent_at - t->begun_at;
  t->arrival_span += arrived_at - t->arrived_at;
  begin (t, sent_at, arrived_at);
  t->committed = true;
  if (t->sent_span < span)
    return false;
  rates->in = t->sent_bits / t->sent_span;
  rates->out = t->arrived_bits / fmax (t->arrival_span,
      t->sent_span / defaults.fastest);
  t->sent_bits = t->arrived_bits = t->sent_span = t->arrival_span = 0;
  t->first_bits = bits;
  t->committed = false;
  return true;
}
