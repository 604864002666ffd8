/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <ratecontrol/tm5plan.h>

#include <math.h>

/* What a group leaves to later ones at most, seconds, and how far it is behind
 * its own plan. What is beyond came of the floor or of a source that has no
 * more: nothing can or should make it good. */
#define MAX_DEBT .25
#define MAX_CREDIT .04
/* Of a group's budget, what a deviation may be when the target changes. */
#define MAX_DEVIATION .03
/* How far ahead of an even spread front-loading may be, seconds. */
#define MAX_FRONT .15
#define MAX_LEAD .071           /* 1/2 - front_rest (1, 1/2) */
/* Of the time since the start, what may have been sent ahead of it: who cuts a
 * short clip may cut it right behind an I. */
#define CLIP_LEAD .08
/* Seconds for which a clip is short. */
#define SHORT_CLIP 2.

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

  if (t->extended || t->n_past == 0 ||
      (t->held > 0 && t->seconds < SHORT_CLIP))
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

static double
floor_of (const Tm5 * t, unsigned type)
{
  return fmin (t->floor_bits[type], t->source_bits[type]);
}

/* What P and B cannot use, for the source has no more, is the I's, who has to
 * know beforehand. Of what one P or B leaves over the next ones make better
 * use, but in a first group, which may end any time. */
static bool
is_capped (const Tm5 * t, unsigned type)
{
  return (t->picture.type == TM5_I && type != TM5_I) || t->n_past == 0;
}

/* What a picture of the type comes to: no less than at the coarsest quantiser, as
 * far as that is known. */
static double
bits_of (const Tm5 * t, unsigned type, double per_weight)
{
  return tm5_clamp (per_weight * weight (t, type), floor_of (t, type),
      is_capped (t, type) ? t->source_bits[type] : INFINITY);
}

/* What n pictures of each type come to. */
static double
sum_of (const Tm5 * t, const double n[TM5_N_TYPES], double per_weight)
{
  double sum = 0;

  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    sum += n[i] * bits_of (t, i, per_weight);
  return sum;
}

/* So many bits for n pictures of each type, by their weights: bits for a weight
 * of 1. What a type cannot do without, or cannot use, the others have less or
 * more. */
static double
share_out (const Tm5 * t, const double n[TM5_N_TYPES], double bits)
{
  double sum = 0, low = 0, high = INFINITY, slope = 0;

  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    const double ends[] = { floor_of (t, i), t->source_bits[i] };

    sum += n[i] * weight (t, i);
    for (unsigned k = 0; n[i] > 0 && k < (is_capped (t, i) ? 2 : 1); k++) {
      double end = ends[k] / weight (t, i);

      if (sum_of (t, n, end) <= bits)
        low = fmax (low, end);
      else
        high = fmin (high, end);
    }
  }
  /* Between two ends the sum is a straight line. */
  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    if ((!is_capped (t, i) || weight (t, i) * low < t->source_bits[i]) &&
        weight (t, i) * high > floor_of (t, i))
      slope += n[i] * weight (t, i);
  }
  if (sum_of (t, n, low) > bits)
    return 0;
  if (slope > 0)
    return low + (bits - sum_of (t, n, low)) / slope;
  return sum > 0 ? fmax (bits / sum, low) : 0;
}

/* The plan's budget for the rest at a target: its share of the group's. */
static double
planned (const Tm5 * t, const Tm5Rest * rest, double target)
{
  const double f = front_load (t);
  double seconds = tm5_seconds (t->group.duration - t->picture.duration) +
      rest->seconds;
  double bits = target * seconds + t->grant;
  double all[TM5_N_TYPES], n, n_all, of_rest = 0, of_all = 0, per_weight;

  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    all[i] = t->coded[i] + rest->n[i];
  all[t->picture.type] -= 1;    /* in both */
  per_weight = share_out (t, all, bits);
  for (unsigned i = TM5_P; i < TM5_N_TYPES; i++) {
    of_rest += rest->n[i] * bits_of (t, i, per_weight);
    of_all += all[i] * bits_of (t, i, per_weight);
  }
  n = rest->n[TM5_P] + rest->n[TM5_B];
  n_all = all[TM5_P] + all[TM5_B];
  if (n > 0)
    of_rest *= front_rest (f, n / n_all) * n_all / n;
  of_rest += rest->n[TM5_I] * bits_of (t, TM5_I, per_weight);
  of_all += all[TM5_I] * bits_of (t, TM5_I, per_weight);
  return of_all > 0 ? bits * of_rest / of_all : 0;
}

double
tm5_plan_floor (const Tm5 * t, const Tm5Rest * rest)
{
  double bits = -floor_of (t, t->picture.type);

  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    bits += rest->n[i] * floor_of (t, i);
  return fmax (bits, 0);
}

/* Step 1: T, the picture's share of what is left, R. Front-loading leaves what
 * the others need at least. */
double
tm5_plan_target (const Tm5 * t, const Tm5Rest * rest)
{
  const Tm5Type type = t->picture.type;
  double n = rest->n[TM5_P] + rest->n[TM5_B], n_all;
  double bits = weight (t, type) * share_out (t, rest->n, t->budget);

  if (type == TM5_I)
    return bits;
  n_all = t->coded[TM5_P] + t->coded[TM5_B] - 1 + n;
  bits *= front_factor (front_load (t), n / n_all);
  return fmin (bits, fmax (t->budget - tm5_plan_floor (t, rest), 0));
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
  t->held = fmin (t->held * ratio, SHORT_CLIP * t->params.hold * to);
  t->lead = fmin (t->lead * ratio, to);
  t->aside = tm5_clamp (t->aside * ratio, -most, most);
  t->balance = planned (t, rest, to) - to * rest->seconds +
      tm5_clamp (deviation * ratio, -most, most);
  if (ratio < 1) {
    t->level *= ratio;
    t->source_level *= ratio;
  }
  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    t->start[i] *= pow (ratio, t->params.follow - 1);
}

/* TM5's R carries over; here in instalments, so that no group pays much for
 * another: of a debt beyond them a third more, but at most as much again,
 * unless groups end sooner than expected all the time. Where pictures are
 * dropped all of it, for what is left is mostly at its floor. */
double
tm5_plan_grant (const Tm5 * t, bool thinned)
{
  double carry = thinned && t->n_past <= 1 ? 1 : t->params.carry;
  double due = carry * (t->balance + t->aside);
  double most = t->params.max_carry * (double) t->target *
      tm5_seconds (t->expected.duration);
  double beyond = fmin (due + most, 0);

  if (!thinned) {
    beyond /= 3;
    if (tm5_group_is_regular (t))
      beyond = fmax (beyond, -most);
  }
  return tm5_clamp (due, -most, most) + beyond;
}

static bool
is_thinned (const Tm5 * t)
{
  return t->picture.planned || tm5_group_is_thinned (t);
}

void
tm5_plan_carry (Tm5 * t)
{
  double target = (double) t->target;
  double all = t->balance + t->aside;

  t->grant = tm5_plan_grant (t, is_thinned (t));
  t->aside = tm5_clamp (all - t->grant, -MAX_DEBT * target,
      MAX_CREDIT * target);
  t->balance = t->grant;
}

/* The next group's I will be as far ahead as this one's was, from what this one
 * holds back. A debt that it pays for comes first. */
void
tm5_plan_hold (Tm5 * t)
{
  double seconds = tm5_seconds (t->expected.duration);
  double end = t->seconds + seconds - tm5_seconds (t->group.duration);
  double most = t->params.hold * (double) t->target * seconds;
  double more;

  if (t->n_past == 0 || t->seconds >= SHORT_CLIP || is_thinned (t))
    return;
  more = t->lead - t->aside - t->held -
      CLIP_LEAD * end * (double) t->target;
  most += fmin (t->grant, 0);
  more = tm5_clamp (more, 0, fmax (most, 0));
  t->held += more;
  t->grant -= more;
  t->balance -= more;
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
  deviation = fmax (deviation, -MAX_DEBT * target);
  t->balance = plan + deviation - target * rest->seconds;
  t->deviation = deviation;
  return plan + deviation;
}
