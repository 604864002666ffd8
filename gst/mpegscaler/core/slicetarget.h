/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerequantizer.h: what the macroblock at hand ought to be in the
 * closed loop, and the errors that it is left with.
 */
#ifndef SCALER_SLICETARGET_H
#define SCALER_SLICETARGET_H

#include "slicerequantizer.h"

/* Whether the macroblock inherits errors: they and their energies are there
 * then. */
bool scaler_slice_target_inherit (ScalerSliceRequantizer * r);

/* Whether one without coefficients would get any with the code for what it
 * inherits. */
bool scaler_slice_target_needs (const ScalerSliceRequantizer * r,
    unsigned code);

/* Sets the target: its coefficients and, with `inherits`, its errors, but for
 * those of blocks that have no coefficients and would get none with the
 * code. */
void scaler_slice_target_set (ScalerSliceRequantizer * r, bool inherits,
    unsigned code);

/* What is left of the target becomes the macroblock's errors. */
void scaler_slice_target_store (ScalerSliceRequantizer * r);

#endif
