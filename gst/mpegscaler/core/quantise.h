/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What levels for the coefficients that a block ought to have hang on;
 * scaler_target_in_scan_order gives such blocks.
 *
 * Coefficients are in 32nds, so that inverse quantisation (13818-2 clause 7.4.2.3,
 * MPEG-1 without its rounding to odd) is exact: 2 * level * W * q where intra,
 * (2 * level + sign) * W * q where not. Blocks are dense, by place in scan
 * order; place 0 of intra blocks is none of this.
 */
#ifndef SCALER_QUANTISE_H
#define SCALER_QUANTISE_H

#include "requantize.h"
#include "vlc.h"

typedef struct
{
  const ScalerPicture *picture;
  const ScalerVlc *vlc;
  bool intra;
  unsigned scale;               /* quantiser_scale */
  const uint8_t *matrix;        /* W, by places of the scan */
  ScalerRounding rounding;
} ScalerQuantiser;

#endif
