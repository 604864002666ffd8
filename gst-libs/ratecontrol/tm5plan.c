/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <ratecontrol/tm5plan.h>

#include <math.h>

/* Seconds at the target; the largest debt that a group leaves to later ones, or
 * has against its own plan. A larger debt comes from the floor, and no group
 * can make up for it. */
#define MAX_DEBT .25
/* Seconds at the target; the largest credit that a group leaves to later ones.
 * A larger credit comes from a source that needs no more bits. */
#define MAX_CREDIT .04
/* Largest share of a group's budget that a deviation may be when the target
 * changes. */
#define MAX_DEVIATION .03
/* Seconds that front-loading may be ahead of an even spread. */
#define MAX_FRONT .15
#define MAX_LEAD .071           /* 1/2 - front_rest (1, 1/2) */
/* Share of the time since the start that the sent pictures may be ahead of it,
 * because a short clip may end right behind an I. */
#define CLIP_LEAD .08
/* Seconds; a shorter clip is short. */
#define SHORT_CLIP 2.

/* Returns X / K: the bits that a picture of the type needs for its share of the
 * quality, up to a common factor. */
static double
weight (const Tm5 * t, unsigned type)
{
  const double k[TM5_N_TYPES] = { 1, t->params.kp, t->params.kb };

  return t->complexity[type] / k[type];
}

/* Returns the front-loading that this group may have. The lead is greatest in
 * its middle, MAX_LEAD of its duration. */
static double
front_load (const Tm5 * t)
{
  double seconds = tm5_seconds (t->expected.duration);

  if (t->extended || t->n_past == 0 ||
      (t->held > 0 && t->seconds < SHORT_CLIP))
    return 0;
  return fmin (t->params.front_load, MAX_FRONT / (MAX_LEAD * seconds));
}

/* Returns the factor on an even share of the rest that a P or B gets when a
 * share x of the group's P and B is still to come. It is never below 1, or the
 * last ones would leave bits unused. */
static double
front_factor (double f, double x)
{
  return x > .5 ? 1 + f * (x - .5) : 1;
}

/* Returns the share of the bits that front_factor leaves when a share x of the
 * pictures is still to come: dR / R = front_factor (f, x) dx / x. */
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

/* True if pictures of the type are planned with no more bits than in the
 * source. For the target of an I, P and B are: the I gets the bits that they
 * cannot use. Otherwise the next P and B make better use of the bits that one
 * leaves, except in a first group, which may end at any time. */
static bool
is_capped (const Tm5 * t, unsigned type)
{
  return (t->picture.type == TM5_I && type != TM5_I) || t->n_past == 0;
}

/* Returns the planned bits of a picture of the type: no less than at the
 * coarsest quantiser, if that size is known. */
static double
bits_of (const Tm5 * t, unsigned type, double per_weight)
{
  return tm5_clamp (per_weight * weight (t, type), floor_of (t, type),
      is_capped (t, type) ? t->source_bits[type] : INFINITY);
}

/* Returns the planned bits of n pictures of each type. */
static double
sum_of (const Tm5 * t, const double n[TM5_N_TYPES], double per_weight)
{
  double sum = 0;

  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    sum += n[i] * bits_of (t, i, per_weight);
  return sum;
}

/* Distributes bits to n pictures of each type by their weights; returns the
 * bits for a weight of 1. If one type needs more at its floor, the others get
 * less; if one cannot use its bits, the others get more. */
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

/* Returns the plan's budget for the rest of the group at a target. */
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
  all[t->picture.type] -= 1;    /* the current picture is in both */
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

/* Step 1: returns T, the picture's share of R. Front-loading leaves the floor
 * of the other pictures. */
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

/* Plans the rest of the group as if the whole group had been coded at the new
 * target. The bits in the bucket take as long as before, or less. */
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

/* TM5's R carries over at once. Here it does so in instalments, so that no
 * group suffers much from another. A third of a debt beyond the instalment is
 * added, but at most another instalment, unless most groups were not as long
 * as expected. If pictures are dropped, the whole debt is added, because those
 * that pass are mostly at their floor. */
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

/* The next group's I will put the stream as far ahead as the last group was, so
 * this group holds back bits for it. A debt that it has to pay comes first. */
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
