/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The start: R doubles in a round trip, as far as trains have shown that the
 * path carries it.
 */
#include <control/poise/poise-private.h>

static const struct
{
  double doubling, least_doubling, longest_gap;
  double untrained_growth, most_untrained;
  double standing, saturated_standing, received_span, outage;
  double base_fall, base_fall_queues;
} defaults = {
  /* s. R doubles in a round trip and this, the wait for a report. */
  .doubling = .03,
  .least_doubling = .06,        /* s; R doubles in no less: two frames */
  /* s beyond the round trip. C also grows without trains if none came for
   * longer. */
  .longest_gap = .3,
  .untrained_growth = 1.5,      /* of C, 1/s; growth of C without trains */
  .most_untrained = 4,          /* times R, its limit: two doublings of R */
  .standing = .015,             /* s; a longer standing wait ends the start */
  .saturated_standing = .006,   /* the same after a saturated train */
  .received_span = .15,         /* s; a longer one lags behind the growth */
  .outage = 1,                  /* s; media that comes this late is useless */
  /* s. TCP has left if the base falls by more than this and base_fall_queues
   * h. */
  .base_fall = .02,
  .base_fall_queues = 2,        /* times h; the other part of that fall */
};

void
psp_poise_enter_start (Poise * c)
{
  c->mode = POISE_START;
  c->verified = c->n_saturated = 0;
  c->trained_at = c->now;
}

/* Without a saturated train C is only what the rate has grown to. */
void
psp_poise_end_start (Poise * c)
{
  if (c->n_saturated == 0)
    c->capacity = fmax (c->capacity / 2,
        psp_poise_received_rate (c, defaults.received_span));
  c->rate = fmin (c->rate, c->base.parameters[HEADROOM] * c->capacity);
  psp_poise_enter_delay (c);
}

/* True if a queue is gone that had stood for the whole life of the smallest
 * delay. TCP has left then, because flows of this kind leave shorter queues to
 * one another. */
static bool
has_drained (const Poise * c)
{
  return c->base_before - c->queueing.base
      > defaults.base_fall + defaults.base_fall_queues * c->threshold;
}

/* The capacity is now as unknown as at the start. */
void
psp_poise_start_again (Poise * c)
{
  if (c->mode != POISE_DELAY)
    return;
  if (c->queueing.newest > defaults.outage)
    c->gone = true;
  if (!psp_poise_is_calm (c)
      || (!c->gone && !c->hidden && !has_drained (c)))
    return;
  c->gone = c->hidden = false;
  psp_signs_clear (&c->signs);
  c->rate = fmax (c->rate, fmin (POISE_START_RATE, c->before / 2));
  c->capacity = fmax (c->capacity, c->rate);
  psp_poise_enter_start (c);
}

void
psp_poise_run_start (Poise * c, double dt)
{
  double standing = psp_queueing_standing (&c->queueing);

  c->rate *= exp2 (dt / fmax (c->base_rtt + defaults.doubling,
          defaults.least_doubling));
  /* Frames of a packet or two are no trains, so C also grows without. It
   * stays near R, so that a C that no train has shown does not hide a fall. */
  if (c->now - c->trained_at > defaults.longest_gap + c->base_rtt
      && c->capacity < defaults.most_untrained * c->rate)
    c->capacity *= 1 + defaults.untrained_growth * dt;
  c->rate = fmin (fmin (c->rate, c->loss_test.limit), c->capacity);
  if (standing > defaults.standing + c->queueing.jitter
      || (c->n_saturated > 0 && standing > defaults.saturated_standing))
    psp_poise_end_start (c);
}
