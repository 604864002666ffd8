/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Random early detection: Floyd and Jacobson, "Random Early Detection
 * Gateways for Congestion Avoidance", IEEE/ACM ToN 1(4), 1993, figure 2;
 * queue measured in packets. Option "gentle": Floyd's note of 2000, the
 * probability rises from max_p to 1 between max_th and 2 max_th.
 */
#ifndef LINK_RED_H
#define LINK_RED_H

#include "packet.h"
#include "random.h"

typedef struct
{
  double min, max;              /* packets */
  double weight;                /* w_q */
  double probability;           /* max_p */
  bool gentle;
  uint32_t mean_size;           /* bytes, for the decay of an idle queue */
} LinkRedConfig;

/* The paper's section 5 uses w_q 0.002 and max_p 1/50; min 5 and max 15 keep
 * its rule max = 3 min. */
#define LINK_RED_DEFAULTS { 5, 15, 0.002, 0.02, false, 1000 }

typedef enum
{
  LINK_RED_PASS,
  LINK_RED_EARLY,               /* by chance: mark if possible, else drop */
  LINK_RED_FORCED               /* drop */
} LinkRedVerdict;

typedef struct
{
  LinkRedConfig config;
  double average;
  int64_t count;                /* packets since the last early one, or -1 */
  LinkRandom random;
} LinkRed;

void link_red_init (LinkRed * red, const LinkRedConfig * config,
    uint64_t seed, unsigned stream);
/* Decides on a packet that arrives while `packets` wait. `idle` is how long the
 * link has been idle in ns, or -1 if it is busy; `rate` is the link's. */
LinkRedVerdict link_red_arrive (LinkRed * red, uint32_t packets,
    int64_t idle, int64_t rate);
/* Notes that the packet was then dropped because there was no room. */
void link_red_overflow (LinkRed * red);
/* Returns p_b of the current average, 0..1. */
double link_red_probability (const LinkRed * red);

#endif
