/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * TM5's step 1: what is left of a group's bits, and the share of a picture. For
 * tm5.c alone.
 *
 * The balance is what the target allowed until now less what was sent; with
 * what it will allow until the group's end that is R. A group has a plan, the
 * shares by which its pictures should use its bits; where R differs from what
 * the plan leaves for the rest, that is the group's deviation.
 */
#ifndef RATECONTROL_TM5PLAN_H
#define RATECONTROL_TM5PLAN_H

#include <ratecontrol/tm5group.h>

/* What a group takes over of what the ones before have left; `thinned`: pictures
 * are left out. */
double tm5_plan_grant (const Tm5 * tm5, bool thinned);

/* The group begins: takes over what the one before has left. */
void tm5_plan_carry (Tm5 * tm5);

/* Before each picture: in a stream's first seconds the group leaves bits, so that
 * the next one's I is not far ahead of the time since the start. */
void tm5_plan_hold (Tm5 * tm5);

/* Puts the new target in force. */
void tm5_plan_retarget (Tm5 * tm5, const Tm5Rest * rest);

/* R. Forgets what of the deviation cannot be made good. */
double tm5_plan_budget (Tm5 * tm5, const Tm5Rest * rest);

/* Of R, what the pictures after the one at hand need with the coarsest
 * quantiser, as far as that is known. */
double tm5_plan_floor (const Tm5 * tm5, const Tm5Rest * rest);

/* T of the picture at hand. */
double tm5_plan_target (const Tm5 * tm5, const Tm5Rest * rest);

#endif
