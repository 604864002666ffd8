/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "floor.h"

#include <math.h>

/* By type, what is usual from a source's quantiser to the coarsest. Headers,
 * vectors and DC values are not made smaller by a quantiser, so that bits fall
 * less than it grows; but P lose vectors, too. */
static const double usual_slope[] = {
  [MPEG_PICTURE_I] = .65,
  [MPEG_PICTURE_P] = 1,
  [MPEG_PICTURE_B] = .75
};

#define MIN_SLOPE .2
#define MAX_SLOPE 1.5
/* From here on there is little left to lose (q_scale_type 1 reaches 112). */
#define FLAT 62.
/* A slope is told by two quantisers that are this far apart. */
#define MIN_RATIO 1.25
/* What the last picture has to say of the next of its type. */
#define WEIGHT .25

static double
clamp (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

static bool
is_known (const ScalerFloorPicture * p)
{
  return p->type >= MPEG_PICTURE_I && p->type <= MPEG_PICTURE_B
      && p->bits_in > 0 && p->scale_in > 0 && p->coarsest > 0;
}

void
scaler_floor_init (ScalerFloor * f)
{
  for (unsigned i = 0; i <= MPEG_PICTURE_B; i++) {
    f->types[i].share = 0;
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
learn_slope (ScalerFloorType * type, const ScalerFloorPicture * p)
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

void
scaler_floor_learn (ScalerFloor * f, const ScalerFloorPicture * p)
{
  ScalerFloorType *type;
  double share;

  if (!is_known (p) || p->bits_out <= 0 || p->scale_out < p->scale_in)
    return;
  type = &f->types[p->type];
  learn_slope (type, p);
  share = p->bits_out / p->bits_in * fall (type->slope, p->scale_out,
      p->coarsest);
  share = clamp (share, 0, 1);
  if (type->share > 0)
    share = type->share + WEIGHT * (share - type->share);
  type->share = share;
}

double
scaler_floor_share (const ScalerFloor * f, const ScalerFloorPicture * p)
{
  if (!is_known (p))
    return 1;
  if (f->types[p->type].share > 0)
    return f->types[p->type].share;
  return fall (f->types[p->type].slope, p->scale_in, p->coarsest);
}
