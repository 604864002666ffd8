/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicewriter.h.
 */
#ifndef MPEG2_BLOCKWRITER_H
#define MPEG2_BLOCKWRITER_H

#include <mpeg2/slicewriter.h>

/* Writes the blocks of an intra macroblock or of mb->pattern; returns false if
 * they cannot be written. */
bool m2v_write_blocks (M2vSliceWriter * w, const M2vMacroblock * mb);

#endif
