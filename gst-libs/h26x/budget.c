/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/budget.h>

#include <math.h>
#include <string.h>

/* ns per second */
#define SECOND 1e9

void
h26x_budget_init (H26xBudget * b)
{
  memset (b, 0, sizeof *b);
  h26x_share_init (&b->share);
}

static double
bits_over (const H26xBudget * b, int64_t duration)
{
  return (double) b->target * (double) duration / SECOND;
}

/* Returns the bits left for the current picture and the rest of its group. */
static double
room_of (const H26xBudget * b, const H26xGroups * groups)
{
  return b->earned + bits_over (b, h26x_groups_rest (groups)) - b->spent
      - b->debt;
}

/* A group that turned out shorter than expected has spent too much.
 * Nothing could be expected of the first group, so it makes no debt. What
 * a group leaves is not for the next one, which would exceed the target. */
double
h26x_budget_begin (H26xBudget * b, const H26xGroups * groups, double bits)
{
  double all = bits_over (b, h26x_groups_rest (groups));
  double debt = b->forgiven ? 0 : b->spent + b->debt - b->earned;

  b->debt = fmin (fmax (debt, 0), all);
  b->earned = b->spent = 0;
  b->forgiven = bits > all || groups->n_past == 0;
  return bits > all ? all / bits : 1;
}

bool
h26x_budget_fits (H26xBudget * b, const H26xGroups * groups, unsigned class,
    double bits, bool references)
{
  double room = room_of (b, groups), left, amounts[H26X_N_CLASSES];
  double rest = (double) (h26x_groups_rest (groups) - groups->duration)
      / SECOND;

  if (bits > room)
    return false;
  if (class == 0)
    return true;
  for (unsigned c = 0; c < H26X_N_CLASSES; c++)
    amounts[c] = h26x_groups_rate (groups, c) * rest;
  amounts[class] += bits;
  left = references ? room - amounts[0] : room;
  return h26x_share_passes (&b->share, class, left, amounts);
}

void
h26x_budget_spend (H26xBudget * b, const H26xGroups * groups, double bits,
    bool held)
{
  double room = room_of (b, groups);

  if (held)
    bits = fmin (bits, fmax (room, 0));
  b->spent += bits;
  b->earned += bits_over (b, groups->duration);
}
