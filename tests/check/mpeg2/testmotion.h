/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: motion compensation (clause 7.6).
 */
#ifndef TEST_MOTION_H
#define TEST_MOTION_H

#include "testframe.h"

/* What a picture is predicted from. */
typedef struct
{
  const TestFrame *frames[2];   /* forward, backward */
  /* The second field of a frame that is no B frame: the frame with the first
   * one. Else NULL. */
  const TestFrame *current;
  gboolean top_field_first;
} TestReferences;

/* A macroblock's prediction: 16 luminance samples a line, 8 chrominance ones;
 * lines of the frame or, in field pictures, of the field. */
typedef struct
{
  guint8 samples[3][16 * 16];
} TestPrediction;

/* FALSE where a reference is missing. */
gboolean test_predict (const M2vPictureParams * picture,
    const TestReferences * references, const M2vMacroblock * mb,
    TestPrediction * out);

#endif
