/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of drift.h: motion compensation of a macroblock's errors.
 */
#ifndef SCALER_DRIFTMOTION_H
#define SCALER_DRIFTMOTION_H

#include "drift.h"

/* Of the macroblock at that address, into d->macroblock. */
void scaler_drift_compensate (ScalerDriftLoop * d, const ScalerMacroblock * mb,
    unsigned address);

#endif
