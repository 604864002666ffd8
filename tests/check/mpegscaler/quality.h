/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What decoded pictures are worth: PSNR of luma against the decoded source's, by
 * FFmpeg.
 */
#ifndef __TEST_QUALITY_H__
#define __TEST_QUALITY_H__

#include "stream.h"

/* The mean over frames, dB at most 100 each; the least in *worst, where it is not
 * NULL. Frame i of the source is in `data` where present[i]. What FFmpeg does not
 * show, as it has no reference for it, is not compared, on either side. */
gdouble test_quality (const TestStream * s, const gint * present,
    const guint8 * data, gsize size, gdouble * worst);

#endif
