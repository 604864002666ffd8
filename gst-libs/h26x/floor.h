/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Pictures that stay whatever the rule, and so what is not to be had:
 * docs/h26x.md, "What stays against the rule".
 */
#ifndef H26X_FLOOR_H
#define H26X_FLOOR_H

#include <h26x/groups.h>

typedef struct
{
  bool allow_gaps;              /* in frame_num */
  bool splices;                 /* a random-access picture can begin anew */
  bool first_stays;             /* the first group, of which nobody knows the end */
  int64_t max_freeze;           /* ns; negative: no limit */
} H26xHolds;

/* Whether a picture stays, and all that its group has up to there; `order`: the
 * picture order count of the last one that passed and counts. Behind
 * h26x_groups_add. */
bool h26x_holds (const H26xHolds * holds, const H26xGroups * groups,
    const H26xPicture * picture, unsigned class, int64_t order);

/* Of the present group, and of the one before. */
typedef struct
{
  int64_t order;                /* of the last that counts, were all gone that may */
  unsigned rank[2];             /* the highest of what stays */
  bool exceeded[2];             /* something stayed for which a target had no room */
} H26xFloor;

void h26x_floor_init (H26xFloor * f);

/* Once a picture; `rank`: the lowest scale that passes it (rank.h). Returns the
 * lowest scale at which it stays. */
unsigned h26x_floor_add (H26xFloor * f, const H26xHolds * holds,
    const H26xGroups * groups, const H26xPicture * picture, unsigned class,
    unsigned rank);

/* The picture stayed, for which the target had no room. */
void h26x_floor_exceed (H26xFloor * f);
bool h26x_floor_exceeded (const H26xFloor * f);

/* The lowest scale that is to be had; -1: whole groups can go too. */
int h26x_floor_scale (const H26xFloor * f, const H26xHolds * holds,
    const H26xGroups * groups);

#endif
