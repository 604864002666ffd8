/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "random.h"

#include <math.h>

void
link_random_init (LinkRandom * r, uint64_t seed, unsigned stream)
{
  r->state = seed;
  r->state = link_random_bits (r) ^ ((uint64_t) stream << 32 | stream);
  r->state = link_random_bits (r);
}

uint64_t
link_random_bits (LinkRandom * r)
{
  uint64_t z = r->state += UINT64_C (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C (0x94d049bb133111eb);
  return z ^ z >> 31;
}

double
link_random_uniform (LinkRandom * r)
{
  return (double) (link_random_bits (r) >> 11) * 0x1p-53;
}

bool
link_random_chance (LinkRandom * r, double probability)
{
  return link_random_uniform (r) < probability;
}

/* Box and Muller 1958; the second number is not kept. */
double
link_random_normal (LinkRandom * r)
{
  double u = 1.0 - link_random_uniform (r);
  double v = link_random_uniform (r);

  return sqrt (-2.0 * log (u)) * cos (2.0 * M_PI * v);
}
