/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whole groups that go: while the stream is stopped, and below scale 0.
 */
#ifndef SCALING_GATE_H
#define SCALING_GATE_H

#include <scaling/picture.h>

typedef struct
{
  /* All goes, until a key picture passes: stopped, or the group is dropped. */
  bool closed;
  bool group_due;               /* the next group passes: there was none yet */
  double credit;                /* of groups to pass */
  unsigned n_references;           /* that came, up to a bound */
} ScalingGate;

/* Start, flush: stopped before, a key picture still has to come first. `lost`:
 * it is the same stream that goes on. All zeros is a gate that was never
 * used. */
void scaling_gate_reset (ScalingGate * g, bool lost);

/* Nothing passes, and what passes first afterwards is a key picture. */
void scaling_gate_stop (ScalingGate * g);

/* Once a picture that comes, before scaling_gate_passes. */
void scaling_gate_count (ScalingGate * g, const ScalingPicture * picture);

/* Whether the picture's group passes. Below scale 0 (`scale` -1) `share` (0..1)
 * of the groups do. `seen_key`: the stream is known to have key pictures. */
bool scaling_gate_passes (ScalingGate * g, const ScalingPicture * picture,
    int scale, double share, bool seen_key);

#endif
