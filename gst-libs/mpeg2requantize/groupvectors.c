/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/groupvectors.h>

/* The part of the share below which vectors are no longer chosen. Quantisers and
 * the least that pictures come to are others while they are, so this must not
 * change at once. */
#define KEEP_CHOOSING .5

/* The part of a group's macroblocks that want the coarsest quantiser: from which
 * on vectors are chosen, and below which they no longer are. While they are,
 * quantisers become much finer. */
#define MOSTLY_COARSEST .5
#define HARDLY_COARSEST .01

/* Where nothing is known: non-intra levels up to 3 are gone then. */
#define UNKNOWN_COARSER 4

static bool
is_worth_choosing (const M2vGroupVectors * g, double share)
{
  bool keeps = g->n_groups > 1 && g->chooses;

  if (share >= 1)
    return false;
  if (g->n_groups == 0 || g->omitted || share <= 0)
    return true;
  return (double) g->vector_bits
      > share * (keeps ? KEEP_CHOOSING : 1) * (double) g->bits
      || (double) g->n_coarsest
      > (keeps ? HARDLY_COARSEST : MOSTLY_COARSEST) * (double) g->n_quantised;
}

bool
m2v_group_vectors_begin (M2vGroupVectors * g, M2vPictureType type,
    double share)
{
  if (type == M2V_PICTURE_I && g->last != M2V_PICTURE_I) {
    g->chooses = is_worth_choosing (g, share);
    g->vector_bits = g->bits = g->n_quantised = g->n_coarsest = 0;
    g->omitted = false;
    g->n_groups++;
  }
  g->last = type;
  return g->chooses;
}

unsigned
m2v_group_vectors_coarser (const M2vGroupVectors * g, double share)
{
  return g->n_groups == 1 && share > 0 ? UNKNOWN_COARSER : 1;
}
