/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "floor.h"

#include <math.h>

/* Before any picture has been recoded: about what streams of 1 to 6 Mb/s do.
 * Headers, vectors and DC values are not made smaller by a quantiser, so that
 * bits fall less than the quantiser grows. */
#define FIRST_SLOPE .8
#define MIN_SLOPE .2
#define MAX_SLOPE 1.5
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
    f->types[i].slope = FIRST_SLOPE;
  }
}

/* Down to the coarsest quantiser from another. */
static double
fall (double slope, double from, double coarsest)
{
  return from < coarsest ? pow (from / coarsest, slope) : 1;
}

void
scaler_floor_learn (ScalerFloor * f, const ScalerFloorPicture * p)
{
  ScalerFloorType *type = &f->types[p->type];
  double ratio, share;

  if (!is_known (p) || p->bits_out <= 0 || p->scale_out < p->scale_in)
    return;
  ratio = p->scale_out / p->scale_in;
  if (ratio >= MIN_RATIO) {
    double slope = log (p->bits_in / p->bits_out) / log (ratio);

    type->slope += WEIGHT * (clamp (slope, MIN_SLOPE, MAX_SLOPE) - type->slope);
  }
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
