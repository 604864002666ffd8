/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Divides a target's bits among the pictures of a group. The random-access
 * picture comes first, then references while there are bits, so that the end
 * of the group is dropped. Disposable pictures and temporal layers get what
 * the references to come leave.
 */
#ifndef H26X_BUDGET_H
#define H26X_BUDGET_H

#include <h26x/groups.h>

typedef struct
{
  int64_t target;               /* bits per second */
  /* Bits earned and spent in the present group. */
  double earned, spent;
  double debt;                  /* bits overspent by earlier groups */
  bool forgiven;                /* the present group makes no debt */
  H26xShare share;
} H26xBudget;

/* Initialises all but the target, which the owner sets. */
void h26x_budget_init (H26xBudget * b);

/* Begins a group. Call it once a random-access picture. Returns the share
 * of groups such as this one that may pass; 1 = all. */
double h26x_budget_begin (H26xBudget * b, const H26xGroups * groups,
    double bits);

/* True if there is room for another picture. `references`: more references
 * come. */
bool h26x_budget_fits (H26xBudget * b, const H26xGroups * groups,
    unsigned class, double bits, bool references);

/* Counts the bits of a picture that pass. Call it once a picture. `held`:
 * the picture passes even without room, and bits without room are not paid
 * back. */
void h26x_budget_spend (H26xBudget * b, const H26xGroups * groups,
    double bits, bool held);

#endif
