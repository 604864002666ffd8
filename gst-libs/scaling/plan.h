/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Chooses the pictures of a group that pass if pictures are made smaller
 * downstream, but not smaller than a floor: by rank, as many as the group has
 * bits for at their floors. Bits that remain make these pictures larger.
 */
#ifndef SCALING_PLAN_H
#define SCALING_PLAN_H

#include <scaling/policy.h>

/* The cost of a picture that is made smaller downstream. */
typedef struct
{
  size_t floor;                 /* bytes; its least size */
  /* seconds at the target that the sent pictures are behind it; negative =
   * ahead. For a key picture, the part of that which its group takes over. */
  double credit;
  /* seconds that its group is expected to go on, if no group before it shows
   * that */
  double rest;
} ScalingCost;

typedef struct
{
  /* number of pictures by rank, which is their lowest scale */
  unsigned n[SCALING_N_SCALES];
  int64_t duration;             /* ns */
} ScalingGroup;

typedef struct
{
  ScalingGroup past[3];         /* a ring of the last groups */
  unsigned n_past;
  ScalingGroup usual;           /* the expected content of the group */
  /* disposable pictures right behind the key picture of the first group */
  unsigned n_leading;
  ScalingGroup group;           /* up to the current picture, included */
  double floors[SCALING_N_SCALES];      /* bits of a picture; 0 = not known */
  /* the next picture's share by rank; it passes at 1 */
  double due[SCALING_N_SCALES];
  double floor;                 /* bits; the floors of the group so far */
  double grant;                 /* seconds that the group took over */

  /* The current picture. */
  bool begins;                  /* it begins a group */
  unsigned rank;
  double seconds;
  ScalingCost cost;
  double replaced;              /* bits that leave instead if it is dropped */

  int64_t target;               /* the target that `scale` was found for */
  int scale;                    /* highest scale that fits whole; -1 = none */
  bool planned;                 /* some pictures are dropped */
  double later[SCALING_N_SCALES];       /* how many pass after this one */
} ScalingPlan;

void scaling_plan_init (ScalingPlan * p);

/* Adds a picture; call it for each one in coded order. */
void scaling_plan_add (ScalingPlan * p, const ScalingPicture * picture,
    unsigned rank, const ScalingCost * cost, size_t replaced_size);

/* Returns the scale whose pictures all fit the target. Below 0 `share` of the
 * groups pass. */
int scaling_plan_scale (ScalingPlan * p, int64_t target, double *share);

/* True if the picture passes; also plans which ones pass after it. `fill`: some
 * pictures of a rank may pass, otherwise all or none. */
bool scaling_plan_passes (ScalingPlan * p, bool fill);

/* Replaces scaling_plan_passes if a scale says what passes: plans which
 * pictures pass after this one. */
void scaling_plan_follow (ScalingPlan * p, int scale);

#endif
