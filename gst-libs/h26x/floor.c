/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/floor.h>

#include <string.h>

/* True if the next random-access picture would break when this reference
 * and all after it are dropped. It is not known yet which references
 * before that picture an anchor nearer to it would use, so all of them
 * stay up to there. */
static bool
next_group_breaks (const H26xHolds * holds, const H26xGroups * groups,
    const H26xPicture * picture, int64_t order)
{
  int64_t step = groups->present.order + groups->span - order;

  if (h26x_groups_idr (groups))
    return false;
  if (picture->frame_num_gap_limit > 0 && !holds->allow_gaps)
    return true;
  return !holds->splices && picture->order_cycle > 0
      && step >= picture->order_cycle / 2;
}

bool
h26x_holds (const H26xHolds * holds, const H26xGroups * groups,
    const H26xPicture * picture, unsigned class, int64_t order)
{
  if (class > 0)
    return false;
  if ((groups->n_past == 0 && holds->first_stays)
      || next_group_breaks (holds, groups, picture, order))
    return true;
  return holds->max_freeze >= 0
      && h26x_groups_rest (groups) > holds->max_freeze;
}

void
h26x_floor_init (H26xFloor * f)
{
  memset (f, 0, sizeof *f);
}

unsigned
h26x_floor_add (H26xFloor * f, const H26xHolds * holds,
    const H26xGroups * groups, const H26xPicture * picture, unsigned class,
    unsigned rank)
{
  if (!picture->readable)
    return rank;
  if (picture->random_access) {
    f->order = picture->order;
    f->rank[1] = f->rank[0];
    f->rank[0] = 0;
    f->exceeded[1] = f->exceeded[0];
    f->exceeded[0] = false;
    return rank;
  }
  if (!h26x_holds (holds, groups, picture, class, f->order))
    return rank;
  if (picture->counts)
    f->order = picture->order;
  if (rank > f->rank[0])
    f->rank[0] = rank;
  return 0;
}

void
h26x_floor_exceed (H26xFloor * f)
{
  f->exceeded[0] = true;
}

bool
h26x_floor_exceeded (const H26xFloor * f)
{
  return f->exceeded[0] || f->exceeded[1];
}

int
h26x_floor_scale (const H26xFloor * f, const H26xHolds * holds,
    const H26xGroups * groups)
{
  unsigned rank = f->rank[0] > f->rank[1] ? f->rank[0] : f->rank[1];

  if (rank > 0)
    return (int) rank;
  return holds->max_freeze >= 0 && groups->usual > holds->max_freeze ? 0 : -1;
}
