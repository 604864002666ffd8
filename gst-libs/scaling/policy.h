/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The GOP scale policy of Chung and Claypool's media scaling ("Better-behaved,
 * better-performing multimedia networking", table 2), extended to any stream
 * and codec: what is printed for I, P and B is for key pictures, other
 * references and disposable pictures.
 *
 * Each picture gets the lowest scale that still passes it, so that one walk
 * over the stream serves all scales. What the policy would pass may still be
 * undecodable after a change of scale: who knows the codec has the last word.
 */
#ifndef SCALING_POLICY_H
#define SCALING_POLICY_H

#include <scaling/picture.h>

/* Scales 0 (fewest pictures) to 4 (all). */
#define SCALING_N_SCALES 5
#define SCALING_MAX_SCALE 4

typedef struct
{
  bool seen_key;                /* a key picture since the start */
  bool first_predicted_passed;  /* the group's first other reference has been */
  /* The run of disposable pictures now going on. */
  unsigned run_length;          /* expected, from distances */
  unsigned run_position;        /* pictures of it seen */
  bool single_toggle;           /* runs of one: every other goes first */
  unsigned last_run_length;     /* for when distances are of no use */
} ScalingPolicy;

void scaling_policy_init (ScalingPolicy * p);

/* Once a picture, in coded order: the lowest scale (0..4) that passes it. */
unsigned scaling_policy_next (ScalingPolicy * p,
    const ScalingPicture * picture);

#endif
