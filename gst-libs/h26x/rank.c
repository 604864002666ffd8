/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/rank.h>

/* The parts of a group without disposable pictures that scales 1 to 3
 * pass. */
static const double parts[] = { 0, .25, .5, .75 };

/* True if the picture is in the half that scale 3 passes: the lowest
 * layers of what may go without a freeze. */
static bool
is_of_half (H26xShare * half, const H26xGroups * groups, unsigned class)
{
  double amounts[H26X_N_CLASSES], all = 0;

  for (unsigned c = 1; c < H26X_N_CLASSES; c++)
    all += amounts[c] = h26x_groups_count (groups, c);
  return h26x_share_passes (half, class, all / 2, amounts);
}

static bool
has_disposables (const H26xGroups * groups)
{
  for (unsigned c = 1; c < H26X_N_CLASSES; c++)
    if (h26x_groups_count (groups, c) > 0)
      return true;
  return false;
}

unsigned
h26x_rank (H26xShare * half, const H26xGroups * groups,
    const H26xPicture * picture, unsigned class)
{
  double place = h26x_groups_place (groups);

  if (!picture->readable || picture->random_access)
    return 0;
  if (class > 0)
    return is_of_half (half, groups, class) ? 3 : 4;
  if (groups->present.n[0] == 1)
    return 1;
  if (groups->n_past == 0)
    return 2;
  if (place < parts[1])
    return 1;
  if (has_disposables (groups) || place < parts[2])
    return 2;
  return place < parts[3] ? 3 : 4;
}
