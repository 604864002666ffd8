/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of drift.h: motion compensation of a macroblock's errors.
 */
#ifndef MPEG2REQUANTIZE_DRIFTMOTION_H
#define MPEG2REQUANTIZE_DRIFTMOTION_H

#include <mpeg2requantize/drift.h>

/* Predicts the errors of the macroblock at d->column and d->row into
 * d->macroblock. */
void m2v_drift_compensate (M2vDriftLoop * d, const M2vMacroblock * mb);

#endif
