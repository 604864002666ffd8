/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Replaces a frame by a repetition: its headers stay, its slices are exchanged
 * for skipped ones.
 */
#ifndef SCALER_REPLACER_H
#define SCALER_REPLACER_H

#include "assembler.h"
#include "decision.h"

typedef struct
{
  uint8_t *slices[2];           /* of the last frame's pictures */
  size_t sizes[2];
  size_t capacity;
  size_t usual_size;            /* sum of the last sizes; 0: none yet */
} ScalerReplacer;

/* False where memory is short; clear it then too. */
bool scaler_replacer_init (ScalerReplacer * r);
void scaler_replacer_clear (ScalerReplacer * r);

/* About what the frame would be replaced by; 0: it cannot be. */
size_t scaler_replacer_size (const ScalerReplacer * r, const MpegFrame * frame);

/* Writes the slices for the frame's pictures; `backward`: a B that may only
 * refer to the I or P after it. False where it cannot be replaced. */
bool scaler_replacer_write (ScalerReplacer * r, const MpegFrame * frame,
    bool backward);

/* Puts what was written in the place of the frame's slices. */
void scaler_replacer_exchange (const ScalerReplacer * r,
    const MpegFrame * frame, ScalerDecision * decision);

#endif
