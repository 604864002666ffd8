/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: what real decoders make of a stream, sample by sample.
 */
#ifndef TEST_SAMPLES_H
#define TEST_SAMPLES_H

#include "decoding.h"

#include "testframe.h"

/* All frames in display order. */
typedef struct
{
  Decoder decoder;
  gchar *bytes;
  gsize frame_size;             /* from one to the next */
  guint n;                      /* frames */
  guint width[3], height[3];    /* of the planes, as of a TestFrame */
} Samples;

/* All macroblocks' samples; the frames are as large as `frame`. */
Samples *samples_decode (Decoder decoder, const guint8 * data, gsize size,
    const TestFrame * frame);
void samples_free (Samples * s);

/* Line y of a plane of a frame. */
const guint8 *samples_line (const Samples * s, guint frame, guint component,
    guint y);

#endif
