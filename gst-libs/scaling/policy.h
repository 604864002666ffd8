/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The GOP scale policy of Chung and Claypool's media scaling ("Better-behaved,
 * better-performing multimedia networking", table 2), extended to any stream
 * and codec: the rules for I, P and B apply to key pictures, other references
 * and disposable pictures.
 *
 * Each picture gets the lowest scale that still passes it, so that one walk
 * over the stream serves all scales. After a change of scale the policy may
 * pass a picture that is undecodable: the caller, who knows the codec, must
 * drop it.
 */
#ifndef SCALING_POLICY_H
#define SCALING_POLICY_H

#include <scaling/picture.h>

/* Number of scales, from 0 (fewest pictures) to 4 (all). */
#define SCALING_N_SCALES 5
/* The scale that passes all pictures. */
#define SCALING_MAX_SCALE 4

typedef struct
{
  bool seen_key;                /* a key picture has come since the start */
  /* The group's first reference other than its key picture has come. */
  bool first_predicted_passed;
  /* expected length of the current run of disposable pictures, from their
   * distances */
  unsigned run_length;
  unsigned run_position;        /* pictures of the current run seen */
  /* Alternates in runs of one picture, where every other one is dropped at
   * scale 3. */
  bool single_toggle;
  unsigned last_run_length;     /* is used if distances are not usable */
} ScalingPolicy;

void scaling_policy_init (ScalingPolicy * p);

/* Returns the lowest scale (0..4) that passes the picture; call it for each one
 * in coded order. */
unsigned scaling_policy_next (ScalingPolicy * p,
    const ScalingPicture * picture);

#endif
