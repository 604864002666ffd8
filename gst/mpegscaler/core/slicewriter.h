/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes slices, macroblock by macroblock. The writer keeps what a decoder of
 * its output would, and codes everything against that: macroblocks may be left
 * out (they are then skipped ones: see scaler_slice_writer_may_skip), lose
 * coefficients, change their quantiser. One that is as it was read comes out
 * bit for bit.
 *
 * What cannot be written (a vector beyond f_code's range, a level of 0,
 * positions that do not ascend, no room) sets `error`, which stays; the output
 * is then worthless. Nothing is allocated.
 */
#ifndef SCALER_SLICEWRITER_H
#define SCALER_SLICEWRITER_H

#include "bits.h"
#include "macroblock.h"
#include "slicereader.h"
#include "vlc.h"

typedef struct
{
  /* Ignores how things were coded in the source (forms, deltas of a vector,
   * stuffing, quantisers that repeat the one in force): the shortest of
   * each. */
  bool canonical;
  bool error;

  /* Private. */
  const ScalerPicture *picture;
  const ScalerVlc *vlc;
  ScalerBitWriter bits;
  ScalerPrediction prediction;
  unsigned row;                 /* of the slice */
  unsigned address;             /* of the macroblock before */
  uint8_t direction;
  bool first;
} ScalerSliceWriter;

/* The last so many bytes of the output are room to work in. */
#define SCALER_SLICE_WRITER_RESERVE 2048

/* Starts a picture's output. */
void scaler_slice_writer_init (ScalerSliceWriter * w,
    const ScalerPicture * picture, const ScalerVlc * vlc, uint8_t * out,
    size_t capacity);

/* Start code and header. The quantiser may be another than the one read. */
void scaler_slice_writer_begin (ScalerSliceWriter * w,
    const ScalerSlice * slice, unsigned quantiser);

/* As begin, and then the slice as it was read up to mb, as bits; `direction`:
 * SCALER_FORWARD and _BACKWARD of the macroblock before mb, 0: intra or none.
 * The quantiser may be another than the one read where none up to mb depends
 * on it. */
void scaler_slice_writer_resume (ScalerSliceWriter * w,
    const ScalerSlice * slice, unsigned quantiser, const ScalerMacroblock * mb,
    unsigned direction);

/* Those between the one before and this are skipped. SCALER_QUANT is added
 * where mb->quantiser differs from the one in force and it matters. */
void scaler_slice_writer_put (ScalerSliceWriter * w,
    const ScalerMacroblock * mb);

/* As put, for one that is as it was read from `data` (the slice): its bits are
 * copied where they mean the same here. */
void scaler_slice_writer_copy (ScalerSliceWriter * w,
    const ScalerMacroblock * mb, const uint8_t * data);

/* Whether leaving it out gives the same prediction: it has no coefficients
 * (scaler_macroblock_empty), is neither first nor last of its slice, and
 * P: has a zero vector, frame prediction, in field pictures from the same
 * parity (clause 7.6.6.1, .2); B: direction and vectors that a skipped one has
 * here (clause 7.6.6.3, .4). */
bool scaler_slice_writer_may_skip (const ScalerSliceWriter * w,
    const ScalerMacroblock * mb);

/* Zero bits up to the next byte, then n_trailing zero bytes. */
void scaler_slice_writer_end (ScalerSliceWriter * w, size_t n_trailing);

/* Appends bytes as they are, between slices. */
void scaler_slice_writer_bytes (ScalerSliceWriter * w, const uint8_t * data,
    size_t size);

/* Ends the output: its size, 0 after an error. */
size_t scaler_slice_writer_finish (ScalerSliceWriter * w);

#endif
