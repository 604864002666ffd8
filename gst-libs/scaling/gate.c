/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <scaling/gate.h>

/* Number of references. After so many without a key picture, the stream needs
 * none: its references have repaired the picture after a gap, because MPEG-1
 * and 2 code each macroblock intra at least once in so many P pictures. */
#define FORCED_UPDATING 132

void
scaling_gate_reset (ScalingGate * g, bool lost)
{
  g->group_due = true;
  g->key_wanted = false;
  if (!lost)
    g->n_references = 0;
}

void
scaling_gate_stop (ScalingGate * g)
{
  g->closed = true;
  g->group_due = true;
}

void
scaling_gate_count (ScalingGate * g, const ScalingPicture * picture)
{
  if (picture->reference && g->n_references < FORCED_UPDATING)
    g->n_references++;
}

void
scaling_gate_want_key (ScalingGate * g)
{
  g->key_wanted = true;
}

/* True if the next group passes below scale 0; spends the credit for it
 * (Bresenham's line). */
static bool
spend_credit (ScalingGate * g, double share)
{
  g->credit += share;
  if (!g->group_due && g->credit < 1 && !(g->key_wanted && g->credit > 0))
    return false;
  g->credit = g->group_due ? 0 : g->credit - 1;
  g->group_due = false;
  return true;
}

/* A key picture may open the gate, and below scale 0 close it. In a stream
 * without key pictures a late reference opens it. */
bool
scaling_gate_passes (ScalingGate * g, const ScalingPicture * picture, int scale,
    double share, bool seen_key)
{
  if (picture->key) {
    g->closed = scale < 0 && !spend_credit (g, share);
    if (!g->closed)
      g->key_wanted = false;
    if (scale >= 0) {
      g->group_due = false;
      g->credit = 0;
    }
  } else if (picture->reference && !seen_key
      && g->n_references == FORCED_UPDATING) {
    g->closed = false;
  }
  return !g->closed;
}
