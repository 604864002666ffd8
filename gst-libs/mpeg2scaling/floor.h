/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What pictures come to at the coarsest quantiser, learned from what they came
 * to at others.
 */
#ifndef MPEG2SCALING_FLOOR_H
#define MPEG2SCALING_FLOOR_H

#include <mpeg2/types.h>

typedef struct
{
  double root;                  /* bits at the floor over those of its source times
                                 * quantiser_scale, the root of it; 0: not known */
  double slope;                 /* bits ~ quantiser_scale^-slope */
} M2vFloorType;

typedef struct
{
  M2vFloorType types[M2V_PICTURE_B + 1];    /* by M2vPictureType */
} M2vFloor;

/* A picture as it was and as it was recoded. */
typedef struct
{
  M2vPictureType type;         /* I, P or B */
  double bits_in, bits_out;
  double scale_in, scale_out;   /* mean quantiser_scale; 0: not known */
  double coarsest;              /* quantiser_scale */
} M2vFloorPicture;

void m2v_floor_init (M2vFloor * f);

void m2v_floor_learn (M2vFloor * f, const M2vFloorPicture * picture);

/* Share of its bits that would be left of such a picture (bits_out and
 * scale_out are not looked at); 1 where nothing is known. */
double m2v_floor_share (const M2vFloor * f,
    const M2vFloorPicture * picture);

#endif
