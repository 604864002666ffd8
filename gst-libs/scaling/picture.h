/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Describes a coded picture to scaling, for any codec. The codec's parser fills
 * it in for each picture in coded order.
 */
#ifndef SCALING_PICTURE_H
#define SCALING_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A second; times are int64_t nanoseconds. */
#define SCALING_SECOND INT64_C (1000000000)

typedef struct
{
  /* False if its headers are damaged, so that its kind is not known. It is then
   * neither key nor reference. */
  bool readable;
  bool key;                     /* refers to no other picture */
  bool reference;               /* others may refer to it; else disposable */
  /* How many pictures in display order lie between it and the reference coded
   * last before it, itself included; 0 = not known. A reference is displayed
   * after that one, a disposable picture before it. */
  unsigned distance;
  bool discont;                 /* something may be missing before it */
  size_t bytes;
  int64_t duration;             /* ns; how long it is displayed */
} ScalingPicture;

#endif
