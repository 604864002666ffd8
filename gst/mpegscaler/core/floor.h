/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What pictures come to at the coarsest quantiser, learned from what they came to
 * at others.
 */
#ifndef SCALER_FLOOR_H
#define SCALER_FLOOR_H

#include "types.h"

typedef struct
{
  double share;                 /* of the source's bits; 0: not known */
  double slope;                 /* bits ~ quantiser_scale^-slope */
} ScalerFloorType;

typedef struct
{
  ScalerFloorType types[MPEG_PICTURE_B + 1];    /* by MpegPictureType */
} ScalerFloor;

/* A picture as it was and as it was recoded. */
typedef struct
{
  MpegPictureType type;         /* I, P or B */
  double bits_in, bits_out;
  double scale_in, scale_out;   /* mean quantiser_scale; 0: not known */
  double coarsest;              /* quantiser_scale */
} ScalerFloorPicture;

void scaler_floor_init (ScalerFloor * f);

void scaler_floor_learn (ScalerFloor * f, const ScalerFloorPicture * picture);

/* Share of its bits that would be left of such a picture (bits_out and scale_out
 * are not looked at); 1 where nothing is known. */
double scaler_floor_share (const ScalerFloor * f,
    const ScalerFloorPicture * picture);

#endif
