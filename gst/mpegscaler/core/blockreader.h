/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicereader.h.
 */
#ifndef SCALER_BLOCKREADER_H
#define SCALER_BLOCKREADER_H

#include "slicereader.h"

/* The blocks of mb->pattern; false where they are damaged. */
bool scaler_read_blocks (ScalerSliceReader * r, ScalerMacroblock * mb);

#endif
