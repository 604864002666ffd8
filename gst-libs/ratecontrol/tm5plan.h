/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * TM5's step 1: the remaining bits of a group, and the share of a picture. For
 * tm5.c only.
 *
 * The balance is the bits that the target allowed until now, less the bits that
 * were sent. R is the balance plus the bits that the target allows until the
 * group's end. A group has a plan: the shares of its bits that its pictures
 * should use. The group's deviation is R less the plan's bits for the rest.
 */
#ifndef RATECONTROL_TM5PLAN_H
#define RATECONTROL_TM5PLAN_H

#include <ratecontrol/tm5group.h>

/* Returns the bits that a group takes over from those before; negative = a
 * debt. `thinned`: pictures are left out. */
double tm5_plan_grant (const Tm5 * tm5, bool thinned);

/* Begins a group, which takes over its grant. */
void tm5_plan_carry (Tm5 * tm5);

/* Holds back bits in a stream's first seconds, so that the next group's I is
 * not far ahead of the time since the start. Call it before each picture. */
void tm5_plan_hold (Tm5 * tm5);

/* Puts the new target in force. */
void tm5_plan_retarget (Tm5 * tm5, const Tm5Rest * rest);

/* Returns R. Forgets the part of the deviation that no group can make up
 * for. */
double tm5_plan_budget (Tm5 * tm5, const Tm5Rest * rest);

/* Returns the bits of R that the pictures after the current one need with the
 * coarsest quantiser, if their sizes are known. */
double tm5_plan_floor (const Tm5 * tm5, const Tm5Rest * rest);

/* Returns T of the current picture. */
double tm5_plan_target (const Tm5 * tm5, const Tm5Rest * rest);

#endif
