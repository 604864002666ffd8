/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The start: twice the rate in a round trip, as far as trains have shown it.
 */
#include <control/poise-private.h>

static const struct
{
  double doubling, least_doubling, longest_gap;
  double untrained_growth, most_untrained;
  double standing, saturated_standing, received_span, outage;
  double base_fall, base_fall_queues;
} defaults = {
  .doubling = .03,              /* s beyond the round trip; a report waits */
  .least_doubling = .06,        /* s; two frames */
  .longest_gap = .3,            /* s beyond the round trip without trains */
  .untrained_growth = 1.5,      /* of C, 1/s */
  .most_untrained = 4,          /* of R; two of its doublings */
  .standing = .015,             /* s; a queue that ends it */
  .saturated_standing = .006,   /* the same, of a train that was saturated */
  .received_span = .15,         /* s; a longer one is behind the growth */
  .outage = 1,                  /* s; nobody watches what is so late */
  .base_fall = .02,             /* s, and so many times h more: TCP has left */
  .base_fall_queues = 2,
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

/* A queue had been there for as long as a minimum lives, and is gone: TCP has left.
 * Flows of this kind leave less to one another. */
static bool
has_drained (const Poise * c)
{
  return c->base_before - c->queueing.base
      > defaults.base_fall + defaults.base_fall_queues * c->threshold;
}

/* What the path carries now is as little known as at the start. */
void
psp_poise_start_again (Poise * c)
{
  if (c->mode != POISE_DELAY)
    return;
  if (c->queueing.newest > defaults.outage)
    c->gone = true;
  if (!c->gone && !has_drained (c))
    return;
  if (psp_queueing_standing (&c->queueing) > c->threshold / 2
      || c->queueing.newest > c->threshold)
    return;
  c->gone = false;
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
  /* Frames of a packet or two are no trains. What so little has not shown must
   * not hide a fall. */
  if (c->now - c->trained_at > defaults.longest_gap + c->base_rtt
      && c->capacity < defaults.most_untrained * c->rate)
    c->capacity *= 1 + defaults.untrained_growth * dt;
  c->rate = fmin (fmin (c->rate, c->loss_test.limit), c->capacity);
  if (standing > defaults.standing + c->queueing.jitter
      || (c->n_saturated > 0 && standing > defaults.saturated_standing))
    psp_poise_end_start (c);
}
