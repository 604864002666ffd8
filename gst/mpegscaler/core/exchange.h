/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Exchanges bytes in what a picture is put together from.
 */
#ifndef SCALER_EXCHANGE_H
#define SCALER_EXCHANGE_H

#include "types.h"

/* Most pieces that one piece becomes. */
#define SCALER_EXCHANGE_MAX_PIECES 3

/* A piece without the bytes of `range` in it, counted from its picture's span;
 * `literal` stands where they began. What is a literal already stays. Returns
 * the number of pieces. */
unsigned scaler_exchange (const MpegPiece * piece, const MpegRange * range,
    const uint8_t * literal, size_t size,
    MpegPiece out[SCALER_EXCHANGE_MAX_PIECES]);

#endif
