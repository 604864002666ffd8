/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whole groups that go: while the stream is stopped, and below scale 0.
 */
#ifndef SCALER_GATE_H
#define SCALER_GATE_H

#include "assembler.h"

typedef struct
{
  /* All goes, until an I passes: stopped, or the group is dropped. */
  bool closed;
  bool group_due;               /* the next group passes: there was none yet */
  double credit;                /* of groups to pass */
  unsigned n_anchors;           /* I and P that came, up to a bound */
} ScalerGate;

/* Start, flush: stopped before, an I still has to come first. `lost`: it is the
 * same stream that goes on. All zeros is a gate that was never used. */
void scaler_gate_reset (ScalerGate * g, bool lost);

/* Nothing passes, and what passes first afterwards is an I. */
void scaler_gate_stop (ScalerGate * g);

/* Once a frame that comes, before scaler_gate_passes. */
void scaler_gate_count (ScalerGate * g, const MpegFrame * frame);

/* Whether the frame's group passes. Below scale 0 (`scale` -1) `share` (0..1) of
 * the groups do. `seen_intra`: the stream is known to have I. */
bool scaler_gate_passes (ScalerGate * g, const MpegFrame * frame, int scale,
    double share, bool seen_intra);

#endif
