/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/poise-private.h>

static const struct
{
  double dctcp_gain;
} defaults = {
  .dctcp_gain = 1. / 16,        /* RFC 8257 section 3.3 */
};

void
psp_poise_answer_marks (Poise * c, PspDecision * d)
{
  bool scalable = psp_poise_is_scalable (c);
  double factor = c->base.parameters[DECREASE];

  c->marks += defaults.dctcp_gain * (c->n_marked / c->n_arrived - c->marks);
  if (c->n_marked > 0) {
    if (c->mode == POISE_START)
      psp_poise_end_start (c);
    if (scalable || !psp_poise_is_marked (c))
      c->fair_window = c->rate * psp_poise_round_trip (c) / PSP_SEGMENT;
    if (scalable) {
      factor = 1 - c->marks / 2;
      c->capacity *= 1 - c->marks / 4;
    }
    c->fair_window *= factor;
    psp_poise_decrease (c, factor, PSP_REASON_ECN, d);
    c->marked_at = c->now;
  }
  c->n_marked = c->n_arrived = 0;
  c->marks_at = c->now;
}

/* TCP that waits for marks fills the queue again sooner than a sender that
 * waits for delay. So R is no less than TCP's window in a round trip. A queue
 * for L4S may have no TCP in it. */
void
psp_poise_follow_marks (Poise * c, double acknowledged)
{
  if (psp_poise_is_scalable (c) || !psp_poise_is_marked (c))
    return;
  c->fair_window += psp_reno_growth (c->fair_window,
      c->base.parameters[DECREASE], acknowledged / PSP_SEGMENT);
  c->rate = fmax (c->rate, c->fair_window * PSP_SEGMENT
      / psp_poise_round_trip (c));
}
