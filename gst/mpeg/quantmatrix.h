/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Between the readers of headers; the rest of what quantmatrix.c has is in
 * headers.h.
 */
#ifndef MPEG_QUANTMATRIX_H
#define MPEG_QUANTMATRIX_H

#include "bitreader.h"
#include "headers.h"

/* A load flag, and the matrix that follows where it is set: loads it (with a
 * luminance matrix its chrominance matrix) and sets its bit in `loaded`. */
bool mpeg_read_matrix (MpegBitReader * r, MpegMatrices * m, unsigned which,
    unsigned *loaded);

#endif
