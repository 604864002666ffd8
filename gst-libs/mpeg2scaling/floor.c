/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2scaling/floor.h>

#include <math.h>

/* By type, what is usual from a source's quantiser to the coarsest. Headers,
 * vectors and DC values are not made smaller by a quantiser, so that bits fall
 * less than it grows; but P lose vectors, too. */
static const double usual_slope[] = {
  [M2V_PICTURE_I] = .65,
  [M2V_PICTURE_P] = 1,
  [M2V_PICTURE_B] = .75
};

/* What a slope that was measured is clamped to. */
#define MIN_SLOPE .2
#define MAX_SLOPE 1.5
/* A quantiser_scale: from here on there is little left to lose (q_scale_type 1
 * reaches 112). */
#define FLAT 62.
/* Two quantisers give a slope where one is so many times the other. */
#define MIN_RATIO 1.25
/* Of the last picture, in the average that is expected of the next. */
#define WEIGHT .25

static double
clamp (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

static bool
is_known (const M2vFloorPicture * p)
{
  return p->type >= M2V_PICTURE_I && p->type <= M2V_PICTURE_B
      && p->bits_in > 0 && p->scale_in > 0 && p->coarsest > 0;
}

void
m2v_floor_init (M2vFloor * f)
{
  for (unsigned i = 0; i <= M2V_PICTURE_B; i++) {
    f->types[i].root = 0;
    f->types[i].slope = usual_slope[i];
  }
}

/* Down to the coarsest quantiser from another. */
static double
fall (double slope, double from, double coarsest)
{
  coarsest = fmin (coarsest, FLAT);
  return from < coarsest ? pow (from / coarsest, slope) : 1;
}

/* As far as the quantiser has gone of the way to the coarsest, the slope up to
 * there tells the one from there on. */
static void
learn_slope (M2vFloorType * type, const M2vFloorPicture * p)
{
  double ratio = p->scale_out / p->scale_in;
  double whole = fmin (p->coarsest, FLAT) / p->scale_in, way, slope;

  if (ratio < MIN_RATIO || whole < MIN_RATIO)
    return;
  way = fmin (log (ratio) / log (whole), 1);
  slope = log (p->bits_in / p->bits_out) / log (ratio);
  slope = clamp (slope, MIN_SLOPE, MAX_SLOPE);
  slope = usual_slope[p->type] + way * (slope - usual_slope[p->type]);
  type->slope += WEIGHT * (slope - type->slope);
}

/* A picture's complexity is its bits times its quantiser. What is left at the
 * coarsest one goes with the root of it. */
static double
complexity_root (const M2vFloorPicture * p)
{
  return sqrt (p->bits_in * p->scale_in);
}

void
m2v_floor_learn (M2vFloor * f, const M2vFloorPicture * p)
{
  M2vFloorType *type;
  double bits, root;

  if (!is_known (p) || p->bits_out <= 0 || p->scale_out < p->scale_in)
    return;
  type = &f->types[p->type];
  learn_slope (type, p);
  bits = p->bits_out * fall (type->slope, p->scale_out, p->coarsest);
  root = fmin (bits, p->bits_in) / complexity_root (p);
  if (type->root > 0)
    root = type->root + WEIGHT * (root - type->root);
  type->root = root;
}

/* What is known of the type, or the least that is of others. */
static double
known_root (const M2vFloor * f, M2vPictureType type)
{
  double root = INFINITY;

  if (f->types[type].root > 0)
    return f->types[type].root;
  for (unsigned i = M2V_PICTURE_I; i <= M2V_PICTURE_B; i++) {
    if (f->types[i].root > 0)
      root = fmin (root, f->types[i].root);
  }
  return root;
}

double
m2v_floor_share (const M2vFloor * f, const M2vFloorPicture * p)
{
  double share;

  if (!is_known (p))
    return 1;
  share = known_root (f, p->type) * complexity_root (p) / p->bits_in;
  if (f->types[p->type].root <= 0)
    share = fmin (share, fall (f->types[p->type].slope, p->scale_in,
            p->coarsest));
  return fmin (share, 1);
}
