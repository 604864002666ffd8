/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * MPEG-1/2 frames as codec-free scaling sees them.
 */
#ifndef MPEG2SCALING_PICTURE_H
#define MPEG2SCALING_PICTURE_H

#include <mpeg2/assembler.h>
#include <scaling/picture.h>

/* The last I or P; all zeros at the start. */
typedef struct
{
  bool known;                   /* nothing is missing since */
  unsigned temporal_reference;
} M2vLastReference;

/* Once a frame, in coded order. */
void m2v_scaling_picture (M2vLastReference * last, const M2vFrame * frame,
    ScalingPicture * picture);

#endif
