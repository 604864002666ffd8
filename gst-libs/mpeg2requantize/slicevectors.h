/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerewriter.h: the vectors of the current macroblock.
 */
#ifndef MPEG2REQUANTIZE_SLICEVECTORS_H
#define MPEG2REQUANTIZE_SLICEVECTORS_H

#include <mpeg2requantize/slicerewriter.h>

/* True if the macroblock may be predicted otherwise than in the source. */
bool m2v_slice_vectors_may_change (M2vSliceRewriter * r);

/* Chooses how it is predicted, by the code last wanted; returns true if that
 * has changed. The errors that it inherits are then those of the new
 * prediction, and what that lacks against the source's. */
bool m2v_slice_vectors_choose (M2vSliceRewriter * r);

#endif
