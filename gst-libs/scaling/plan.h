/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which pictures of a group pass where something behind makes smaller what
 * passes, up to a floor: as many as their group has bits for, by rank, at their
 * floors. What that leaves makes those that pass larger.
 */
#ifndef SCALING_PLAN_H
#define SCALING_PLAN_H

#include <scaling/policy.h>

/* What a picture comes to behind us. */
typedef struct
{
  size_t floor;                 /* bytes, at least */
  double credit;                /* seconds at the target: what was sent is behind
                                 * it, or ahead (negative); for a key picture,
                                 * what its group takes over of that */
  double rest;                  /* seconds that its group is thought to go on, where
                                 * none before it tells */
} ScalingCost;

typedef struct
{
  unsigned n[SCALING_N_SCALES]; /* pictures, by rank: their lowest scale */
  int64_t duration;
} ScalingGroup;

typedef struct
{
  ScalingGroup past[3];         /* a ring */
  unsigned n_past;
  ScalingGroup usual;           /* what the group is expected to be */
  unsigned n_leading;           /* disposable ones behind the very first one's key */
  ScalingGroup group;           /* so far, the picture at hand included */
  double floors[SCALING_N_SCALES];      /* bits of a picture, 0: not known */
  double due[SCALING_N_SCALES]; /* of the next picture, that passes at 1 */
  double floor;                 /* bits of the group so far */
  double grant;                 /* seconds that the group took over */

  /* The picture at hand. */
  bool begins;                  /* a group */
  unsigned rank;
  double seconds;
  ScalingCost cost;
  double replaced;              /* bits of what leaves where it goes */

  int64_t target;               /* that `scale` was found for */
  int scale;                    /* the highest that fits whole; -1: none */
  bool planned;                 /* some pictures go */
  double later[SCALING_N_SCALES];       /* those that pass, still to come */
} ScalingPlan;

void scaling_plan_init (ScalingPlan * p);

/* Once a picture, in coded order. */
void scaling_plan_add (ScalingPlan * p, const ScalingPicture * picture,
    unsigned rank, const ScalingCost * cost, size_t replaced_size);

/* The scale whose pictures fit the target whole. Below 0 `share` of the groups
 * pass. */
int scaling_plan_scale (ScalingPlan * p, int64_t target, double *share);

/* Whether the picture passes, and which ones are to pass after it. `fill`: some
 * of a rank may, else all or none. */
bool scaling_plan_passes (ScalingPlan * p, bool fill);

/* Instead: a scale says what passes; which ones are to after it. */
void scaling_plan_follow (ScalingPlan * p, int scale);

#endif
