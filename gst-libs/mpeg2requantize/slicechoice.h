/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerewriter.h: the macroblock at hand by what it costs.
 */
#ifndef MPEG2REQUANTIZE_SLICECHOICE_H
#define MPEG2REQUANTIZE_SLICECHOICE_H

#include <mpeg2requantize/slicerewriter.h>

/* Gives the macroblock coefficients for its target where code `wanted` was
 * asked for, and sets *code to the one that they are for; false where it stays
 * as it is. */
bool m2v_slice_choice_make (M2vSliceRewriter * r,
    unsigned wanted, unsigned *code);

#endif
