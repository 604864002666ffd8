/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of slicewriter.h.
 */
#ifndef SCALER_BLOCKWRITER_H
#define SCALER_BLOCKWRITER_H

#include "slicewriter.h"

/* The blocks of an intra macroblock or of mb->pattern; false where they cannot
 * be written. */
bool scaler_write_blocks (ScalerSliceWriter * w, const ScalerMacroblock * mb);

#endif
