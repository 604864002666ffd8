/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/cubic.h>

#include <math.h>

static const struct
{
  double c, beta, min_window, max_window, small_window;
} defaults = {
  .c = .4,                      /* RFC 9438 section 5 */
  .beta = .7,                   /* RFC 9438 section 4.6 */
  /* segments. TCP keeps one, and waits for its timer once that is lost. */
  .min_window = .5,
  .max_window = 1e6,            /* segments */
  /* segments. A smaller window grows in proportion, because a segment more each
   * round trip would be too steep. */
  .small_window = 4,
};

void
psp_cubic_init (PspCubic * c, double window)
{
  c->window = fmin (fmax (window, defaults.min_window), defaults.max_window);
  c->w_max = 0;
  c->k = c->w_est = 0;
  c->epoch = -1;
}

double
psp_reno_growth (double window, double beta, double segments)
{
  return 3 * (1 - beta) / (1 + beta) * segments
      / fmax (window, defaults.small_window);
}

/* RFC 9438 sections 4.2 to 4.5. */
void
psp_cubic_acked (PspCubic * c, double now, double segments, double rtt)
{
  double at, target;

  if (c->epoch < 0) {
    c->epoch = now;
    c->w_max = fmax (c->w_max, c->window);
    c->k = cbrt ((c->w_max - c->window) / defaults.c);
    c->w_est = c->window;
  }
  at = now - c->epoch + rtt - c->k;
  target = defaults.c * at * at * at + c->w_max;
  target = fmin (fmax (target, c->window), 1.5 * c->window);
  c->w_est += psp_reno_growth (c->window, defaults.beta, segments);
  c->window += fmin ((target - c->window) * segments / c->window,
      target - c->window);
  c->window = fmin (fmax (c->window, c->w_est), defaults.max_window);
}

/* RFC 9438 sections 4.6 and 4.7. */
void
psp_cubic_lost (PspCubic * c)
{
  c->w_max = c->window < c->w_max ? c->window * (1 + defaults.beta) / 2 :
      c->window;
  c->window = fmax (c->window * defaults.beta, defaults.min_window);
  c->epoch = -1;
}
