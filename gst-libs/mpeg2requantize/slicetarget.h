/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerewriter.h: what the macroblock at hand ought to be in the
 * closed loop, and the errors that it is left with.
 */
#ifndef MPEG2REQUANTIZE_SLICETARGET_H
#define MPEG2REQUANTIZE_SLICETARGET_H

#include <mpeg2requantize/slicerewriter.h>

/* Whether the macroblock inherits errors: they and their energies are there
 * then. */
bool m2v_slice_target_inherit (M2vSliceRewriter * r);

/* Whether one without coefficients would get any with the code for what it
 * inherits. */
bool m2v_slice_target_needs (const M2vSliceRewriter * r,
    unsigned code);

/* Sets the target: its coefficients and, with `inherits`, its errors, but for
 * those of blocks that have no coefficients and would get none with the
 * code. */
void m2v_slice_target_set (M2vSliceRewriter * r, bool inherits,
    unsigned code);

/* What is left of the target becomes the macroblock's errors. */
void m2v_slice_target_store (M2vSliceRewriter * r);

#endif
