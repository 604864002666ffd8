/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicerequantizer.h: the macroblock at hand by what it costs.
 */
#ifndef SCALER_SLICECHOICE_H
#define SCALER_SLICECHOICE_H

#include "slicerequantizer.h"

/* Gives the macroblock coefficients for its target where code `wanted` was
 * asked for, and sets *code to the one that they are for; false where it stays
 * as it is. */
bool scaler_slice_requantizer_choose (ScalerSliceRequantizer * r,
    unsigned wanted, unsigned *code);

#endif
