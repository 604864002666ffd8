/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a frame's samples, of all macroblocks, whatever part is shown.
 */
#ifndef TEST_FRAME_H
#define TEST_FRAME_H

#include <glib.h>

#include <mpeg2/macroblock.h>

typedef struct
{
  guint width, height;          /* of the plane */
  guint8 *samples;
  /* As last decoded, saturated but not rounded: prediction and the exact
   * transform of the coefficients. */
  gdouble *exact;
} TestPlane;

typedef struct
{
  gboolean is_422;
  TestPlane planes[3];          /* Y, Cb, Cr */
} TestFrame;

/* Of so many macroblocks. */
TestFrame *test_frame_new (guint columns, guint rows, gboolean is_422);
void test_frame_free (TestFrame * frame);

/* The first line of a field (or of the frame), and the lines from one to the
 * next. */
static inline guint
test_first_line (M2vStructure structure)
{
  return structure == M2V_BOTTOM_FIELD;
}

static inline guint
test_line_step (M2vStructure structure)
{
  return structure == M2V_FRAME_PICTURE ? 1 : 2;
}

/* Of a macroblock in a plane. */
static inline guint
test_block_width (guint component)
{
  return component > 0 ? 8 : 16;
}

static inline guint
test_block_height (const TestFrame * frame, guint component)
{
  return component > 0 && !frame->is_422 ? 8 : 16;
}

#endif
