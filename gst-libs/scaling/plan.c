/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <scaling/plan.h>

#include <math.h>
#include <string.h>

/* The highest rank of references: without one the next cannot pass. */
#define LAST_REFERENCE 2
/* ns; a group without a key picture is cut after it. */
#define GROUP_WITHOUT_KEY (SCALING_SECOND / 2)
/* ns; a longer duration contains a gap in the time stamps. */
#define LONGEST_PICTURE SCALING_SECOND
/* Weight of the last picture in the expected floor of its rank. */
#define WEIGHT .5
/* Share of the target; durations are rounded to nanoseconds. */
#define TOLERANCE .001
/* Share of a picture's floor that may be missing when it is planned, because
 * floors are estimates. */
#define PLANNED_LACK .1
/* Share of a planned picture's floor that may be missing when it passes. */
#define LACK .5
/* Share of a group's bits that it may be expected to exceed them by before
 * disposable pictures are dropped. */
#define OVERRUN .06
/* Share of a group's bits. If its floors need no more, OVERRUN does not
 * apply. */
#define NEAR_FLOOR .6
/* Seconds that the sent pictures may be ahead of the target for a reference to
 * pass in a group of unknown length. */
#define LONGEST_LEAD .5
/* Share of the target, above and below it, within which the scale stays. */
#define MARGIN .15

static double
seconds (int64_t duration)
{
  return (double) duration / SCALING_SECOND;
}

void
scaling_plan_init (ScalingPlan * p)
{
  memset (p, 0, sizeof *p);
  p->scale = SCALING_MAX_SCALE;
}

static bool
is_between (const ScalingGroup * g, const ScalingGroup * a,
    const ScalingGroup * b)
{
  return (a->duration <= g->duration && g->duration <= b->duration) ||
      (b->duration <= g->duration && g->duration <= a->duration);
}

static const ScalingGroup *
past_group (const ScalingPlan * p, unsigned back)
{
  return &p->past[(p->n_past - 1 - back) % 3];
}

/* Returns the last group; of three, the one of median duration, because a scene
 * cut makes a short group. */
static const ScalingGroup *
usual_group (const ScalingPlan * p)
{
  const ScalingGroup *a = past_group (p, 0), *b, *c;

  if (p->n_past < 3)
    return a;
  b = past_group (p, 1);
  c = past_group (p, 2);
  if (is_between (a, b, c))
    return a;
  return is_between (b, a, c) ? b : c;
}

static void
begin_group (ScalingPlan * p)
{
  p->past[p->n_past % 3] = p->group;
  /* Only the remainder counts once the ring is full. */
  if (++p->n_past == 6)
    p->n_past = 3;
  p->usual = *usual_group (p);
  memset (&p->group, 0, sizeof p->group);
  for (unsigned r = 0; r < SCALING_N_SCALES; r++)
    p->due[r] = .5;
  p->floor = 0;
  p->grant = p->cost.credit;
  p->begins = true;
}

/* Expects disposable pictures that are displayed before the group's key picture
 * and coded behind it. A stream's first group has none; later ones may have. */
static void
expect_leading (ScalingPlan * p, int64_t duration)
{
  if (p->rank <= LAST_REFERENCE || p->group.n[1] > 0 || p->n_past > 1)
    return;
  if (p->n_past == 0)
    p->n_leading++;
  else if (p->group.n[3] + p->group.n[4] > p->n_leading) {
    p->usual.n[p->rank]++;
    p->usual.duration += duration;
  }
}

void
scaling_plan_add (ScalingPlan * p, const ScalingPicture * picture,
    unsigned rank, const ScalingCost * cost, size_t replaced_size)
{
  int64_t duration = picture->duration;
  double floor = 8. * (double) cost->floor;

  duration = duration < 0 ? 0 : duration;
  duration = duration > LONGEST_PICTURE ? LONGEST_PICTURE : duration;
  p->cost = *cost;
  p->begins = p->n_past == 0;
  if (p->group.duration > 0 && (picture->key || (p->group.n[0] == 0
              && p->group.duration >= GROUP_WITHOUT_KEY)))
    begin_group (p);
  p->rank = rank;
  p->seconds = seconds (duration);
  p->replaced = 8. * (double) replaced_size;
  p->group.n[rank]++;
  p->group.duration += duration;
  expect_leading (p, duration);
  p->floor += floor;
  if (p->floors[rank] > 0)
    p->floors[rank] += WEIGHT * (floor - p->floors[rank]);
  else
    p->floors[rank] = floor;
}

/* Returns the floor of a usual group's pictures up to a scale, in bits. */
static double
usual_floor (const ScalingPlan * p, unsigned scale)
{
  double bits = 0;

  for (unsigned r = 0; r <= scale; r++)
    bits += p->usual.n[r] * p->floors[r];
  return bits;
}

/* The margin prevents oscillation, which a new target cannot cause. Scale 0 has
 * no margin: key pictures alone must not exceed the target, and there is no
 * lower scale to oscillate with. */
int
scaling_plan_scale (ScalingPlan * p, int64_t target, double *share)
{
  const double bits = (double) target * seconds (p->usual.duration);
  const double margin = target == p->target ? MARGIN : TOLERANCE;

  if (p->begins || target != p->target) {
    p->scale = p->scale < 0 ? 0 : p->scale;
    while (p->scale > 0
        && usual_floor (p, (unsigned) p->scale) > bits * (1 + margin))
      p->scale--;
    while (p->scale < SCALING_MAX_SCALE
        && usual_floor (p, (unsigned) p->scale + 1) <= bits * (1 - margin))
      p->scale++;
    if (usual_floor (p, 0) > bits * (1 + TOLERANCE))
      p->scale = -1;
    p->target = target;
  }
  *share = p->scale < 0 ? fmin (bits / usual_floor (p, 0), 1) : 1;
  return p->scale;
}

/* Returns how many pictures of a rank are still to come, the current one
 * included. */
static double
to_come (const ScalingPlan * p, unsigned rank)
{
  unsigned usual = p->usual.n[rank], n = p->group.n[rank];

  return (usual > n ? usual - n : 0) + (rank == p->rank ? 1 : 0);
}

/* Distributes `bits` by rank: of each rank all pictures pass, or as many as the
 * bits suffice for. Bits that remain make the others larger. Returns false if
 * all pass. */
static bool
share_out (ScalingPlan * p, double bits, bool fill)
{
  bool goes = false;

  for (unsigned r = 0; r < SCALING_N_SCALES; r++) {
    double n = to_come (p, r), least = fmax (p->floors[r] - p->replaced, 1);

    p->later[r] = n;
    bits -= n * least;
    if (r == 0 || bits >= -PLANNED_LACK * least)
      continue;
    n += bits / least;
    p->later[r] = fill ? fmax (floor (n + PLANNED_LACK), 0) : 0;
    if (fill && r == p->rank && n >= LACK)
      p->later[r] = fmax (p->later[r], 1);
    goes = goes || p->later[r] < to_come (p, r);
    bits = -INFINITY;
  }
  return goes;
}

/* True if the current picture passes. References pass up to the first that is
 * dropped; disposable pictures pass evenly. */
static bool
takes (ScalingPlan * p)
{
  unsigned r = p->rank;
  double n = p->later[r], all = to_come (p, r);
  bool passes;

  if (r <= LAST_REFERENCE || n < 1 || n >= all)
    return r == 0 || n >= 1;
  p->due[r] += n / all;
  passes = p->due[r] >= 1;
  p->due[r] -= passes;
  return passes;
}

/* Returns the floor of the pictures still to come, the current one included, in
 * bits. */
static double
floor_to_come (const ScalingPlan * p)
{
  double bits = 0;

  for (unsigned r = 0; r < SCALING_N_SCALES; r++)
    bits += to_come (p, r) * p->floors[r];
  return bits;
}

/* True if the floors of all the group's expected pictures fit its bits. If it
 * has used more nevertheless, because floors were higher, disposable pictures
 * do not fit. `bits` = what remains for the group. */
static bool
fits (const ScalingPlan * p, double usual, double bits)
{
  double all = (double) p->target * (usual + p->grant);
  double rest = floor_to_come (p);
  double floor = p->floor - p->floors[p->rank] + rest;

  return floor <= all * (1 + TOLERANCE) && (p->rank <= LAST_REFERENCE
      || floor <= NEAR_FLOOR * all || rest - bits <= OVERRUN * all);
}

/* True if the current picture fits a group of unknown length. References may be
 * further ahead: a dropped one also drops the pictures that refer to it, which
 * may last for seconds. */
static bool
fits_unforeseen (ScalingPlan * p)
{
  const double target = (double) p->target, floor = p->floors[p->rank];
  double duration = seconds (p->group.duration) + p->cost.rest;
  double lead = p->rank <= LAST_REFERENCE ? LONGEST_LEAD : p->cost.rest;

  if (p->rank == 0 || p->floor <= target * duration * (1 + TOLERANCE) ||
      floor - p->replaced <= target * (p->cost.credit + lead))
    return true;
  p->floor -= floor;
  return false;
}

/* Returns the seconds of the group from the current picture on. */
static double
rest_of (const ScalingPlan * p)
{
  return seconds (p->usual.duration) - seconds (p->group.duration) + p->seconds;
}

static bool
is_foreseen (const ScalingPlan * p)
{
  return p->n_past > 0 && rest_of (p) > p->seconds / 2;
}

bool
scaling_plan_passes (ScalingPlan * p, bool fill)
{
  const double target = (double) p->target;
  double usual = seconds (p->usual.duration), rest = rest_of (p), bits;
  bool passes;

  p->planned = is_foreseen (p);
  if (!p->planned)
    return fits_unforeseen (p);
  bits = target * (p->cost.credit + rest);
  if (fits (p, usual, bits)) {
    p->planned = false;
    return true;
  }
  for (unsigned r = 1; r < SCALING_N_SCALES; r++)
    bits -= to_come (p, r) * p->replaced;
  p->planned = share_out (p, bits, fill);
  passes = takes (p);
  p->later[p->rank] -= passes;
  if (!passes && p->rank <= LAST_REFERENCE)
    memset (p->later, 0, sizeof p->later);
  return passes;
}

void
scaling_plan_follow (ScalingPlan * p, int scale)
{
  p->planned = is_foreseen (p) && scale < SCALING_MAX_SCALE;
  for (unsigned r = 0; r < SCALING_N_SCALES; r++)
    p->later[r] = (int) r <= scale ? to_come (p, r) - (r == p->rank) : 0;
}
