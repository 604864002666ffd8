/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Describes MPEG-1/2 frames for codec-free scaling.
 */
#ifndef MPEG2SCALING_PICTURE_H
#define MPEG2SCALING_PICTURE_H

#include <mpeg2/assembler.h>
#include <scaling/picture.h>

/* The last I or P; all zeros at the start. */
typedef struct
{
  bool known;                   /* nothing is missing since then */
  unsigned temporal_reference;
} M2vLastReference;

/* Describes the frame. Call it once a frame, in coded order. */
void m2v_scaling_picture (M2vLastReference * last, const M2vFrame * frame,
    ScalingPicture * picture);

#endif
