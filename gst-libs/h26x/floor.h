/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds the pictures that stay whatever the rule is, and so which scales are
 * not possible: docs/h26x.md, "What stays against the rule".
 */
#ifndef H26X_FLOOR_H
#define H26X_FLOOR_H

#include <h26x/groups.h>

typedef struct
{
  bool allow_gaps;              /* frame_num may have gaps */
  /* a random-access picture can begin a sequence */
  bool splices;
  /* the first group stays, because its end is unknown */
  bool first_stays;
  int64_t max_freeze;           /* ns; negative = no limit */
} H26xHolds;

/* True if a picture stays, with all that its group has up to there.
 * `order` is the picture order count of the last picture that passed and
 * counts. Call it after h26x_groups_add. */
bool h26x_holds (const H26xHolds * holds, const H26xGroups * groups,
    const H26xPicture * picture, unsigned class, int64_t order);

/* What stays of the present group [0] and of the one before [1]. */
typedef struct
{
  /* Picture order count of the last picture that counts if all that may go
   * are dropped. */
  int64_t order;
  unsigned rank[2];             /* the highest rank of what stays */
  bool exceeded[2];             /* the target had no room for what stayed */
} H26xFloor;

void h26x_floor_init (H26xFloor * f);

/* Adds a picture. Call it once a picture; `rank` is the lowest scale that
 * passes it (rank.h). Returns the lowest scale at which it stays. */
unsigned h26x_floor_add (H26xFloor * f, const H26xHolds * holds,
    const H26xGroups * groups, const H26xPicture * picture, unsigned class,
    unsigned rank);

/* Notes that the picture stayed though the target had no room. */
void h26x_floor_exceed (H26xFloor * f);
bool h26x_floor_exceeded (const H26xFloor * f);

/* Returns the lowest scale that is possible; -1 = whole groups can go too. */
int h26x_floor_scale (const H26xFloor * f, const H26xHolds * holds,
    const H26xGroups * groups);

#endif
