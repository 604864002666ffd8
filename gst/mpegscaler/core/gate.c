/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gate.h"

/* Both standards have each macroblock intra coded at least once in so many P
 * pictures: a stream that has shown no I for as long does without, and P after a
 * gap mend the picture. */
#define FORCED_UPDATING 132

void
scaler_gate_reset (ScalerGate * g, bool lost)
{
  g->group_due = true;
  if (!lost)
    g->n_anchors = 0;
}

void
scaler_gate_stop (ScalerGate * g)
{
  g->closed = true;
  g->group_due = true;
}

static bool
is_intra (const MpegFrame * frame)
{
  return frame->valid && (frame->type == MPEG_PICTURE_I
      || frame->type == MPEG_PICTURE_D);
}

void
scaler_gate_count (ScalerGate * g, const MpegFrame * frame)
{
  if (mpeg_frame_is_anchor (frame) && g->n_anchors < FORCED_UPDATING)
    g->n_anchors++;
}

/* Whether the next group passes, below scale 0 (Bresenham's line). */
static bool
spend_credit (ScalerGate * g, double share)
{
  g->credit += share;
  if (!g->group_due && g->credit < 1)
    return false;
  g->credit = g->group_due ? 0 : g->credit - 1;
  g->group_due = false;
  return true;
}

/* An I, or what a stream without I has in its place, may open it; below scale 0
 * another I closes it. */
bool
scaler_gate_passes (ScalerGate * g, const MpegFrame * frame, int scale,
    double share, bool seen_intra)
{
  if (is_intra (frame)) {
    g->closed = scale < 0 && !spend_credit (g, share);
    if (scale >= 0) {
      g->group_due = false;
      g->credit = 0;
    }
  } else if (mpeg_frame_is_anchor (frame) && !seen_intra
      && g->n_anchors == FORCED_UPDATING) {
    g->closed = false;
  }
  return !g->closed;
}
