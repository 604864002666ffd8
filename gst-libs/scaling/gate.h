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
  bool key_wanted;              /* by a receiver, since the last group began */
  double credit;                /* of groups to pass; negative: one was lent */
  unsigned n_references;        /* that came, up to a bound */
} ScalingGate;

/* Start, flush: stopped before, a key picture still has to come first. `lost`:
 * it is the same stream that goes on. All zeros is a gate that was never
 * used. */
void scaling_gate_reset (ScalingGate * g, bool lost);

/* Nothing passes, and what passes first afterwards is a key picture. */
void scaling_gate_stop (ScalingGate * g);

/* A receiver waits for a key picture: below scale 0 the next group passes before
 * its turn, and the turns after it come later. No second one is lent before the
 * first is paid back, so that many requests cost no more than the share. */
void scaling_gate_want_key (ScalingGate * g);

/* Once a picture that comes, before scaling_gate_passes. */
void scaling_gate_count (ScalingGate * g, const ScalingPicture * picture);

/* Whether the picture's group passes. Below scale 0 (`scale` -1) `share` (0..1)
 * of the groups do. `seen_key`: the stream is known to have key pictures. */
bool scaling_gate_passes (ScalingGate * g, const ScalingPicture * picture,
    int scale, double share, bool seen_key);

#endif
