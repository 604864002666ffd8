/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerewriter.h: the quantiser_scale_code of the current macroblock.
 */
#ifndef MPEG2REQUANTIZE_SLICECODE_H
#define MPEG2REQUANTIZE_SLICECODE_H

#include <mpeg2requantize/slicerewriter.h>

/* Notes and counts the code that is wanted, at most the maximum. */
void m2v_slice_code_want (M2vSliceRewriter * r, unsigned wanted);

/* Returns the macroblock's code in the output, or the wanted code if levels are
 * chosen by cost. */
unsigned m2v_slice_code_choose (M2vSliceRewriter * r);

#endif
