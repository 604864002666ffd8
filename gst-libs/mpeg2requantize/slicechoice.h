/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerewriter.h: chooses the current macroblock by its cost.
 */
#ifndef MPEG2REQUANTIZE_SLICECHOICE_H
#define MPEG2REQUANTIZE_SLICECHOICE_H

#include <mpeg2requantize/slicerewriter.h>

/* Gives the macroblock coefficients for its target if code `wanted` is wanted,
 * and sets *code to the code that they are for. Returns false if they have not
 * changed. */
bool m2v_slice_choice_make (M2vSliceRewriter * r,
    unsigned wanted, unsigned *code);

#endif
