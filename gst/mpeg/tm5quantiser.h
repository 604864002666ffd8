/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Quantisers and their codes. For tm5.c alone.
 */
#ifndef TM5_QUANTISER_H
#define TM5_QUANTISER_H

#include "tm5.h"

/* The code, up to max_code, whose quantiser_scale is nearest to twice the model's
 * quantiser. */
unsigned tm5_nearest_code (bool q_scale_type, double quantiser,
    unsigned max_code);

#endif
