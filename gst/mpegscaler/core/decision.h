/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What becomes of a frame, and of which pieces what leaves is put together.
 */
#ifndef SCALER_DECISION_H
#define SCALER_DECISION_H

#include "carry.h"

typedef enum
{
  SCALER_PASS,
  SCALER_DROP,
  SCALER_REPLACE                /* passed on with skipped slices */
} ScalerAction;

typedef struct
{
  ScalerAction action;
  unsigned lowest_scale;        /* as the policy ranks the frame */
  int scale;                    /* in force; -1: below 0 */
  /* Pass, replace: the output, picture 0 first; n_first of the pieces make up
   * picture 0, the rest picture 1. Valid until the next call. */
  unsigned n_pieces;
  unsigned n_first;
  MpegPiece pieces[2 * MPEG_CARRY_MAX_PIECES];
} ScalerDecision;

/* Bytes that leave of a picture. */
size_t scaler_decision_size (const ScalerDecision * d, unsigned picture);

/* Takes the bytes of `range`, counted from the picture's span, out of its
 * pieces; `literal` stands where they began, and nowhere where no piece has that
 * byte. What is a literal already stays. Adds two pieces at the most; nothing
 * changes where there is no room for them. */
void scaler_decision_exchange (ScalerDecision * d, unsigned picture,
    const MpegRange * range, const uint8_t * literal, size_t size);

#endif
