/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tm5plan.h"

#include <math.h>

/* A group's deviation from its plan that is remembered, seconds. What is beyond
 * came of the floor or of a source that has no more: nothing can or should make
 * it good. */
#define MAX_DEBT .25
#define MAX_CREDIT .1
/* Of a group's budget, what a deviation may be when the target changes. */
#define MAX_DEVIATION .03
/* How far ahead of an even spread front-loading may be, seconds. */
#define MAX_FRONT .15
#define MAX_LEAD .071           /* 1/2 - front_rest (1, 1/2) */

static double
clamp (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

/* X / K: what a picture of the type needs for its share of the quality. */
static double
weight (const Tm5 * t, unsigned type)
{
  const double k[TM5_N_TYPES] = { 1, t->params.kp, t->params.kb };

  return t->complexity[type] / k[type];
}

/* Front-loading as it may be in this group: the lead is greatest in its middle,
 * MAX_LEAD of its duration. */
static double
front_load (const Tm5 * t)
{
  double seconds = tm5_seconds (t->expected.duration);

  if (t->extended || t->n_past == 0)
    return 0;
  return fmin (t->params.front_load, MAX_FRONT / (MAX_LEAD * seconds));
}

/* How much more than an even share of what is left a P or B gets when x of the
 * group's are left. The model's successor would give the last ones less than
 * that, and leave bits over. */
static double
front_factor (double f, double x)
{
  return x > .5 ? 1 + f * (x - .5) : 1;
}

/* What that leaves: dR / R = front_factor (f, x) dx / x. */
static double
front_rest (double f, double x)
{
  double from = fmax (x, .5);

  return pow (from, 1 - f / 2) * exp (f * (from - 1)) * fmin (2 * x, 1);
}

/* The share of the group's bits that belongs to the rest, by the plan. */
static double
planned_share (const Tm5 * t, const Tm5Rest * rest)
{
  const double f = front_load (t);
  double all[TM5_N_TYPES], n, n_all, of_rest, of_all;

  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    all[i] = t->group.n[i] + rest->n[i];
  all[t->picture.type] -= 1;    /* in both */
  n = rest->n[TM5_P] + rest->n[TM5_B];
  n_all = all[TM5_P] + all[TM5_B];
  of_rest = rest->n[TM5_P] * weight (t, TM5_P) +
      rest->n[TM5_B] * weight (t, TM5_B);
  of_all = all[TM5_P] * weight (t, TM5_P) + all[TM5_B] * weight (t, TM5_B);
  if (n > 0)
    of_rest *= front_rest (f, n / n_all) * n_all / n;
  of_rest += rest->n[TM5_I] * weight (t, TM5_I);
  of_all += all[TM5_I] * weight (t, TM5_I);
  return of_rest / of_all;
}

/* Step 1: T, the picture's share of what is left, R. Where debts grow that cannot
 * be made good, pictures of types that are at the floor take what they take, so
 * that the others have less. */
double
tm5_plan_target (const Tm5 * t, const Tm5Rest * rest)
{
  const Tm5Type type = t->picture.type;
  const double f = front_load (t);
  double n = rest->n[TM5_P] + rest->n[TM5_B], n_all;
  double sum = 0, bits = t->budget;

  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    if (t->indebted && t->at_floor[i] && !t->at_floor[type])
      bits -= rest->n[i] * t->floor_bits[i];
    else
      sum += rest->n[i] * weight (t, i);
  }
  bits = fmax (bits, 0) * weight (t, type) / sum;
  if (type == TM5_I)
    return bits;
  n_all = t->group.n[TM5_P] + t->group.n[TM5_B] - 1 + n;
  return bits * front_factor (f, n / n_all);
}

/* The plan's budget for the rest at a target. */
static double
planned (const Tm5 * t, const Tm5Rest * rest, double target)
{
  double seconds = tm5_seconds (t->group.duration - t->picture.duration) +
      rest->seconds;

  return (target * seconds + t->grant) * planned_share (t, rest);
}

/* A new target: what of the group is left is planned as if all of it had been
 * coded at the new one. What waits in the bucket takes as long as before, or
 * less. */
void
tm5_plan_retarget (Tm5 * t, const Tm5Rest * rest)
{
  const double from = (double) t->target;
  const double to = (double) t->new_target;
  const double ratio = to / from;
  double seconds = tm5_seconds (t->expected.duration);
  double most = MAX_DEVIATION * to * seconds, deviation;

  t->target = t->new_target;
  deviation = t->balance + from * rest->seconds - planned (t, rest, from);
  t->grant *= ratio;
  t->aside = clamp (t->aside * ratio, -most, most);
  t->balance = planned (t, rest, to) - to * rest->seconds +
      clamp (deviation * ratio, -most, most);
  if (ratio < 1) {
    t->level *= ratio;
    t->source_level *= ratio;
  }
  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    t->start[i] *= pow (ratio, t->params.follow - 1);
}

/* TM5's R carries over; here in instalments. Of a debt beyond them, as groups
 * leave that end sooner than expected, a third more. */
void
tm5_plan_carry (Tm5 * t)
{
  double target = (double) t->target;
  double all = t->balance + t->aside;
  double most = t->params.max_carry * target *
      tm5_seconds (t->expected.duration);

  t->grant = clamp (t->params.carry * all, -most, most);
  t->grant += fmin (t->params.carry * all + most, 0) / 3;
  t->aside = clamp (all - t->grant, -MAX_DEBT * target, MAX_CREDIT * target);
  t->balance = t->grant;
}

/* R. */
double
tm5_plan_budget (Tm5 * t, const Tm5Rest * rest)
{
  double target = (double) t->target;
  double plan = planned (t, rest, target);
  double deviation = t->balance + target * rest->seconds - plan;

  if (t->passing)
    deviation = 0;
  deviation = clamp (deviation, -MAX_DEBT * target, MAX_CREDIT * target);
  t->indebted = deviation <= -MAX_DEBT * target ||
      t->aside <= -.99 * MAX_DEBT * target;
  t->balance = plan + deviation - target * rest->seconds;
  return plan + deviation;
}
