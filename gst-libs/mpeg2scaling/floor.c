/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2scaling/floor.h>

#include <math.h>

/* The usual slope from a source's quantiser to the coarsest, by type. A
 * quantiser does not make headers, vectors and DC values smaller, so bits
 * fall less than it grows; but P pictures lose vectors, too. */
static const double usual_slope[] = {
  [M2V_PICTURE_I] = .65,
  [M2V_PICTURE_P] = 1,
  [M2V_PICTURE_B] = .75
};

/* Lower limit of a measured slope. */
#define MIN_SLOPE .2
/* Upper limit of a measured slope. */
#define MAX_SLOPE 1.5
/* The quantiser_scale from which on little is left to lose (q_scale_type 1
 * reaches 112). */
#define FLAT 62.
/* Least ratio of two quantisers that gives a slope. */
#define MIN_RATIO 1.25
/* Weight of the last picture in the average that predicts the next. */
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

/* Returns the factor by which bits fall from a quantiser to the coarsest. */
static double
fall (double slope, double from, double coarsest)
{
  coarsest = fmin (coarsest, FLAT);
  return from < coarsest ? pow (from / coarsest, slope) : 1;
}

/* Learns the slope. The farther the quantiser has gone towards the
 * coarsest, the more the slope measured up to there counts for the rest. */
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

/* Returns the root of a picture's complexity, which is its bits times its
 * quantiser. The bits at the coarsest quantiser are proportional to it. */
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

/* Returns what is known of the type, or the least that is known of others. */
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
