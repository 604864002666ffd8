/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/receivedrate.h>

#include <string.h>

static const struct
{
  double slot, peak_span, peak_decay;
} defaults = {
  .slot = .05,                  /* s; two reports */
  .peak_span = .3,              /* s; some ten frames */
  .peak_decay = 4,              /* s; RFC 7661 section 4.3 has minutes */
};

void
psp_received_rate_init (PspReceivedRate * r, double now)
{
  memset (r, 0, sizeof *r);
  r->since = now;
}

/* Returns bits/s over the last n whole slots. */
static double
mean (const PspReceivedRate * r, int n)
{
  double sum = 0;
  int i;

  for (i = 1; i <= n; i++)
    sum += r->bits[i];
  return sum / (n * defaults.slot);
}

void
psp_received_rate_advance (PspReceivedRate * r, double now)
{
  /* Silence shows no rate, so it empties the slots and keeps the peak. */
  if (!(now - r->since < PSP_RECEIVED_SLOTS * defaults.slot)) {
    memset (r->bits, 0, sizeof r->bits);
    r->since = now;
    r->n_filled = 0;
  }
  /* The first slot begins with an arrival. */
  if (r->n_filled == 0 && !(r->bits[0] > 0))
    r->since = now;
  while (now - r->since >= defaults.slot) {
    double rate;

    memmove (&r->bits[1], &r->bits[0],
        (PSP_RECEIVED_SLOTS - 1) * sizeof r->bits[0]);
    r->bits[0] = 0;
    r->since += defaults.slot;
    r->n_filled = MIN (r->n_filled + 1, PSP_RECEIVED_SLOTS - 1);
    rate = mean (r, (int) (defaults.peak_span / defaults.slot + .5));
    r->peak *= 1 - defaults.slot / defaults.peak_decay;
    r->peak = rate > r->peak ? rate : r->peak;
  }
}

void
psp_received_rate_add (PspReceivedRate * r, double bits)
{
  r->bits[0] += bits;
}

double
psp_received_rate_get (const PspReceivedRate * r, double span, double least)
{
  int n = (int) (MIN (span, 1e3) / defaults.slot + .5);
  int n_least = (int) (MIN (least, 1e3) / defaults.slot + .5);

  /* At the start, and after a silence, fewer slots are filled. */
  n = MAX (MIN (n, r->n_filled), n_least);
  return mean (r, MAX (MIN (n, PSP_RECEIVED_SLOTS - 1), 1));
}

double
psp_received_rate_span (const PspReceivedRate * r)
{
  return r->n_filled * defaults.slot;
}
