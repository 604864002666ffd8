/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a target gives to a group of pictures, in bits: first to its
 * random-access picture, then to references while there are bits, so that the end
 * of the group goes; disposable pictures and temporal layers have what references
 * to come leave.
 */
#ifndef H26X_BUDGET_H
#define H26X_BUDGET_H

#include <h26x/groups.h>

typedef struct
{
  int64_t target;               /* bits per second */
  double earned, spent;         /* of the present group */
  double debt;                  /* of those before */
  bool forgiven;                /* the present one makes no debt */
  H26xShare share;
} H26xBudget;

/* The target is the owner's to set. */
void h26x_budget_init (H26xBudget * b);

/* Once a random-access picture; which share of the groups such as this one may
 * pass, 1: all. */
double h26x_budget_begin (H26xBudget * b, const H26xGroups * groups,
    double bits);

/* Whether another picture has room; `references`: more of them come. */
bool h26x_budget_fits (H26xBudget * b, const H26xGroups * groups,
    unsigned class, double bits, bool references);

/* Once a picture, with the bits that pass of it. `held`: whether they have room
 * or not, and what has none is not paid back. */
void h26x_budget_spend (H26xBudget * b, const H26xGroups * groups,
    double bits, bool held);

#endif
