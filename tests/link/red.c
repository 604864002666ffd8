/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "red.h"

#include <math.h>

void
link_red_init (LinkRed * red, const LinkRedConfig * config,
    uint64_t seed, unsigned stream)
{
  red->config = *config;
  red->average = 0.0;
  red->count = -1;
  link_random_init (&red->random, seed, stream);
}

/* Figure 2: avg <- (1 - w_q) avg + w_q q, or, after the queue was empty,
 * avg <- (1 - w_q)^m avg with m = idle time / time of a typical packet. */
static void
average (LinkRed * red, uint32_t packets, int64_t idle, int64_t rate)
{
  const LinkRedConfig *c = &red->config;

  if (idle < 0) {
    red->average += c->weight * ((double) packets - red->average);
  } else if (rate == LINK_UNLIMITED) {
    red->average = 0.0;
  } else {
    double m = (double) idle * 1e-9 * (double) rate / (8.0 * c->mean_size);

    red->average *= pow (1.0 - c->weight, m);
  }
}

double
link_red_probability (const LinkRed * red)
{
  const LinkRedConfig *c = &red->config;
  double avg = red->average;

  if (avg < c->min)
    return 0.0;
  if (avg < c->max)
    return c->probability * (avg - c->min) / (c->max - c->min);
  if (c->gentle && avg < 2 * c->max)
    return c->probability + (1.0 - c->probability) * (avg - c->max) / c->max;
  return 1.0;
}

LinkRedVerdict
link_red_arrive (LinkRed * red, uint32_t packets, int64_t idle, int64_t rate)
{
  const LinkRedConfig *c = &red->config;
  double pb;

  average (red, packets, idle, rate);
  if (red->average < c->min) {
    red->count = -1;
    return LINK_RED_PASS;
  }
  if (red->average >= (c->gentle ? 2 * c->max : c->max)) {
    red->count = 0;
    return LINK_RED_FORCED;
  }
  red->count++;
  pb = link_red_probability (red);
  /* p_a = p_b / (1 - count p_b) makes the gaps between drops uniform. */
  if (red->count * pb < 1.0 &&
      !link_random_chance (&red->random, pb / (1.0 - red->count * pb)))
    return LINK_RED_PASS;
  red->count = 0;
  return LINK_RED_EARLY;
}

void
link_red_overflow (LinkRed * red)
{
  red->count = 0;
}
