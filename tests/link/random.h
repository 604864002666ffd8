/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Seeded random numbers: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
 */
#ifndef LINK_RANDOM_H
#define LINK_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  uint64_t state;
} LinkRandom;

/* Streams of one seed are independent: what one impairment draws does not
 * move another's draws. */
void link_random_init (LinkRandom * r, uint64_t seed, unsigned stream);
uint64_t link_random_bits (LinkRandom * r);
/* Returns a number in [0, 1). */
double link_random_uniform (LinkRandom * r);
bool link_random_chance (LinkRandom * r, double probability);
/* Returns a normal number of mean 0 and deviation 1. */
double link_random_normal (LinkRandom * r);

#endif
