/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Predicts the size of pictures at the coarsest quantiser from the sizes that
 * they had at others.
 */
#ifndef MPEG2SCALING_FLOOR_H
#define MPEG2SCALING_FLOOR_H

#include <mpeg2/types.h>

typedef struct
{
  /* Bits at the coarsest quantiser over the root of the source's bits times
   * its quantiser_scale; 0 = not known. */
  double root;
  double slope;                 /* exponent: bits ~ quantiser_scale^-slope */
} M2vFloorType;

typedef struct
{
  M2vFloorType types[M2V_PICTURE_B + 1];    /* indexed by M2vPictureType */
} M2vFloor;

/* A picture before and after recoding. */
typedef struct
{
  M2vPictureType type;         /* I, P or B */
  double bits_in, bits_out;
  double scale_in, scale_out;   /* mean quantiser_scale; 0 = not known */
  double coarsest;              /* coarsest quantiser_scale allowed */
} M2vFloorPicture;

void m2v_floor_init (M2vFloor * f);

void m2v_floor_learn (M2vFloor * f, const M2vFloorPicture * picture);

/* Returns the share of its bits that such a picture would keep at the
 * coarsest quantiser; 1 if nothing is known. It ignores bits_out and
 * scale_out. */
double m2v_floor_share (const M2vFloor * f,
    const M2vFloorPicture * picture);

#endif
