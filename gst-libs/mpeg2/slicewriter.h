/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes slices, macroblock by macroblock. The writer keeps what a decoder of
 * its output would, and codes everything against that: macroblocks may be left
 * out (they are then skipped ones: see m2v_slice_writer_may_skip), lose
 * coefficients, change their quantiser. One that is as it was read comes out
 * bit for bit.
 *
 * What cannot be written (a vector beyond f_code's range, a level of 0,
 * positions that do not ascend, no room) sets `error`, which stays; the output
 * is then worthless. Nothing is allocated.
 */
#ifndef MPEG2_SLICEWRITER_H
#define MPEG2_SLICEWRITER_H

#include <mpeg2/bitwriter.h>
#include <mpeg2/macroblock.h>
#include <mpeg2/slicereader.h>
#include <mpeg2/vlc.h>

typedef struct
{
  /* Ignores how things were coded in the source (forms, deltas of a vector,
   * stuffing, quantisers that repeat the one in force): the shortest of
   * each. */
  bool canonical;
  bool error;

  /* Private. */
  const M2vPictureParams *picture;
  const M2vVlc *vlc;
  M2vBitWriter bits;
  M2vPrediction prediction;
  unsigned row;                 /* of the slice */
  unsigned address;             /* of the macroblock before */
  uint8_t direction;
  bool first;
} M2vSliceWriter;

/* The last so many bytes of the output are room to work in. */
#define M2V_SLICE_WRITER_RESERVE 2048

/* Starts a picture's output. */
void m2v_slice_writer_init (M2vSliceWriter * w,
    const M2vPictureParams * picture, const M2vVlc * vlc, uint8_t * out,
    size_t capacity);

/* Start code and header. The quantiser may be another than the one read. */
void m2v_slice_writer_begin (M2vSliceWriter * w,
    const M2vSlice * slice, unsigned quantiser);

/* As begin, and then the slice as it was read up to mb, as bits; `direction`:
 * M2V_FORWARD and _BACKWARD of the macroblock before mb, 0: intra or none.
 * The quantiser may be another than the one read where none up to mb depends
 * on it. */
void m2v_slice_writer_resume (M2vSliceWriter * w,
    const M2vSlice * slice, unsigned quantiser, const M2vMacroblock * mb,
    unsigned direction);

/* Those between the one before and this are skipped. M2V_QUANT is added
 * where mb->quantiser differs from the one in force and it matters. */
void m2v_slice_writer_put (M2vSliceWriter * w,
    const M2vMacroblock * mb);

/* As put, for one that is as it was read from `data` (the slice): its bits are
 * copied where they mean the same here. */
void m2v_slice_writer_copy (M2vSliceWriter * w,
    const M2vMacroblock * mb, const uint8_t * data);

/* Whether leaving it out gives the same prediction: it has no coefficients
 * (m2v_macroblock_empty), is neither first nor last of its slice, and
 * P: has a zero vector, frame prediction, in field pictures from the same
 * parity (clause 7.6.6.1, .2); B: direction and vectors that a skipped one has
 * here (clause 7.6.6.3, .4). */
bool m2v_slice_writer_may_skip (const M2vSliceWriter * w,
    const M2vMacroblock * mb);

/* Zero bits up to the next byte, then n_trailing zero bytes. */
void m2v_slice_writer_end (M2vSliceWriter * w, size_t n_trailing);

/* Appends bytes as they are, between slices. */
void m2v_slice_writer_bytes (M2vSliceWriter * w, const uint8_t * data,
    size_t size);

/* Ends the output: its size, 0 after an error. */
size_t m2v_slice_writer_finish (M2vSliceWriter * w);

#endif
