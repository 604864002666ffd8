/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drops whole groups: while the stream is stopped, and below scale 0.
 */
#ifndef SCALING_GATE_H
#define SCALING_GATE_H

#include <scaling/picture.h>

typedef struct
{
  /* All pictures are dropped until a key picture passes, because the stream is
   * stopped or the group is dropped. */
  bool closed;
  /* The next group passes, because none has passed yet. */
  bool group_due;
  /* A receiver has asked for a key picture since the last group began. */
  bool key_wanted;
  /* groups that may pass; negative = one passed in advance */
  double credit;
  unsigned n_references;        /* number of references seen, up to a bound */
} ScalingGate;

/* Resets the gate at the start or at a flush. If it was stopped, a key picture
 * still has to come first. `lost`: the same stream goes on. A gate that was
 * never used is all zeros. */
void scaling_gate_reset (ScalingGate * g, bool lost);

/* Closes the gate. A key picture is the first that passes afterwards. */
void scaling_gate_stop (ScalingGate * g);

/* Asks for a key picture for a receiver: below scale 0 the next group passes
 * before its turn, and the turns after it come later. No second one passes in
 * advance before that, so that many requests do not exceed the share. */
void scaling_gate_want_key (ScalingGate * g);

/* Counts a picture; call it for each one, before scaling_gate_passes. */
void scaling_gate_count (ScalingGate * g, const ScalingPicture * picture);

/* True if the picture's group passes. Below scale 0 (`scale` -1) `share` (0..1)
 * of the groups do. `seen_key`: the stream is known to have key pictures. */
bool scaling_gate_passes (ScalingGate * g, const ScalingPicture * picture,
    int scale, double share, bool seen_key);

#endif
