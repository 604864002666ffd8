/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicereader.h.
 */
#ifndef MPEG2_BLOCKREADER_H
#define MPEG2_BLOCKREADER_H

#include <mpeg2/slicereader.h>

/* Reads the blocks of mb->pattern; returns false if they are damaged. */
bool m2v_read_blocks (M2vSliceReader * r, M2vMacroblock * mb);

#endif
