/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "impair.h"

#include <math.h>

void
link_impair_init (LinkImpair * im, const LinkImpairConfig * config,
    uint64_t seed, unsigned first_stream)
{
  im->config = *config;
  im->bad = false;
  im->latest = INT64_MIN;
  link_random_init (&im->loss, seed, first_stream);
  link_random_init (&im->burst, seed, first_stream + 1);
  link_random_init (&im->corrupt, seed, first_stream + 2);
  link_random_init (&im->duplicate, seed, first_stream + 3);
  link_random_init (&im->jitter, seed, first_stream + 4);
  link_random_init (&im->reorder, seed, first_stream + 5);
}

bool
link_impair_reorders (const LinkImpair * im)
{
  return im->config.reorder > 0 ||
      (im->config.jitter > 0 && im->config.jitter_reorders);
}

static bool
lost_in_burst (LinkImpair * im)
{
  const LinkGilbert *g = &im->config.gilbert;

  if (link_random_chance (&im->burst, im->bad ? g->to_good : g->to_bad))
    im->bad = !im->bad;
  return link_random_chance (&im->burst, im->bad ? g->loss_bad : g->loss_good);
}

bool
link_impair_lost (LinkImpair * im)
{
  bool lost = link_random_chance (&im->loss, im->config.loss);

  if (im->config.bursty)
    lost |= lost_in_burst (im);
  return lost;
}

int64_t
link_impair_corrupt_bit (LinkImpair * im, uint32_t size)
{
  if (size == 0 || !link_random_chance (&im->corrupt, im->config.corrupt))
    return -1;
  return (int64_t) (link_random_uniform (&im->corrupt) * (8.0 * size));
}

bool
link_impair_duplicated (LinkImpair * im)
{
  return link_random_chance (&im->duplicate, im->config.duplicate);
}

static int64_t
jitter (LinkImpair * im)
{
  double j = (double) im->config.jitter;
  double x;

  if (im->config.jitter == 0)
    return 0;
  if (im->config.shape == LINK_JITTER_UNIFORM)
    return (int64_t) (link_random_uniform (&im->jitter) * (j + 1.0));
  do {
    x = j / 2.0 + link_random_normal (&im->jitter) * j / 6.0;
  } while (x < 0.0 || x > j);
  return llround (x);
}

int64_t
link_impair_delivery (LinkImpair * im, int64_t departed)
{
  int64_t at = link_time_add (link_time_add (departed, im->config.delay),
      jitter (im));

  if (link_random_chance (&im->reorder, im->config.reorder))
    return link_time_add (at, im->config.reorder_extra);
  if (im->config.jitter_reorders)
    return at;
  if (at < im->latest)
    at = im->latest;
  im->latest = at;
  return at;
}
