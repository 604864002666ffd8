/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerewriter.h: the target of the current macroblock in the closed
 * loop, and its remaining errors.
 */
#ifndef MPEG2REQUANTIZE_SLICETARGET_H
#define MPEG2REQUANTIZE_SLICETARGET_H

#include <mpeg2requantize/slicerewriter.h>

/* Lets the macroblock inherit errors, and sets their energies. Returns false if
 * it inherits none. */
bool m2v_slice_target_inherit (M2vSliceRewriter * r);

/* Sets the energies of the macroblock's errors. */
void m2v_slice_target_measure (M2vSliceRewriter * r);

/* True if a macroblock without coefficients would get some with the code, from
 * the errors that it inherits. */
bool m2v_slice_target_needs (const M2vSliceRewriter * r,
    unsigned code);

/* Sets the target: the macroblock's coefficients and, with `inherits`, its
 * errors, except those of blocks that have no coefficients and would get none
 * with the code. */
void m2v_slice_target_set (M2vSliceRewriter * r, bool inherits,
    unsigned code);

/* Stores the rest of the target as the macroblock's errors. */
void m2v_slice_target_store (M2vSliceRewriter * r);

#endif
