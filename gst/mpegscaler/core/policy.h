/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The GOP scale policy of Chung and Claypool's media scaling ("Better-behaved,
 * better-performing multimedia networking", table 2), extended to any stream.
 *
 * Each frame gets the lowest scale that still passes it, so that one
 * walk over the stream serves all scales. What the policy would pass may
 * still be undecodable after a change of scale: the tracker has the last word.
 */
#ifndef SCALER_POLICY_H
#define SCALER_POLICY_H

#include "assembler.h"

#define SCALER_N_SCALES 5
#define SCALER_MAX_SCALE 4

typedef struct
{
  bool seen_intra;              /* an I since the start */
  bool first_p_passed;          /* the group's first P has been */
  /* The run of B now going on. */
  unsigned run_length;          /* expected, from temporal references */
  unsigned run_position;        /* B frames of it seen */
  bool single_toggle;           /* runs of one B: every other goes first */
  bool has_anchor;
  unsigned anchor_reference;    /* temporal_reference of the last I or P */
  unsigned last_run_length;     /* for when temporal references are of no use */
} ScalerPolicy;

void scaler_policy_init (ScalerPolicy * p);

/* Once a frame, in coded order: the lowest scale (0..4) that passes it. */
unsigned scaler_policy_next (ScalerPolicy * p, const MpegFrame * frame);

#endif
