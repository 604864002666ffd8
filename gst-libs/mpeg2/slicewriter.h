/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes slices, macroblock by macroblock. The writer keeps the predictors that
 * a decoder of its output has, and codes all values against them. So
 * macroblocks may be left out (they are then skipped, see
 * m2v_slice_writer_may_skip), lose coefficients, or change their quantiser. A
 * macroblock that is unchanged is written bit for bit.
 *
 * Values that cannot be written (a vector beyond f_code's range, a level of 0,
 * positions that do not ascend, no room) set `error` permanently; the output is
 * then invalid. The writer allocates nothing.
 */
#ifndef MPEG2_SLICEWRITER_H
#define MPEG2_SLICEWRITER_H

#include <mpeg2/bitwriter.h>
#include <mpeg2/macroblock.h>
#include <mpeg2/slicereader.h>
#include <mpeg2/vlc.h>

typedef struct
{
  /* Uses the shortest code of each value, and ignores how the source coded it
   * (forms, deltas of a vector, stuffing, quantisers that repeat the one in
   * force). */
  bool canonical;
  bool error;

  /* Private. */
  const M2vPictureParams *picture;
  const M2vVlc *vlc;
  M2vBitWriter bits;
  M2vPrediction prediction;
  unsigned row;                 /* row of the slice */
  unsigned address;             /* of the macroblock before */
  uint8_t direction;
  bool first;
} M2vSliceWriter;

/* Number of bytes at the end of the output that the writer needs as work
 * space. */
#define M2V_SLICE_WRITER_RESERVE 2048

/* Starts a picture's output. */
void m2v_slice_writer_init (M2vSliceWriter * w,
    const M2vPictureParams * picture, const M2vVlc * vlc, uint8_t * out,
    size_t capacity);

/* Writes start code and header. The quantiser may differ from the one read. */
void m2v_slice_writer_begin (M2vSliceWriter * w,
    const M2vSlice * slice, unsigned quantiser);

/* Writes start code and header, then copies the bits of the slice up to mb.
 * `direction`: M2V_FORWARD and _BACKWARD of the macroblock before mb; 0 = intra
 * or none. The quantiser may differ from the one read if no macroblock up to mb
 * depends on it. */
void m2v_slice_writer_resume (M2vSliceWriter * w,
    const M2vSlice * slice, unsigned quantiser, const M2vMacroblock * mb,
    unsigned direction);

/* Writes a macroblock; those between it and the one before are skipped.
 * M2V_QUANT is added if mb->quantiser differs from the one in force and the
 * macroblock needs it. */
void m2v_slice_writer_put (M2vSliceWriter * w,
    const M2vMacroblock * mb);

/* Writes a macroblock that is unchanged since it was read from `data` (the
 * slice). Its bits are copied if they have the same meaning here. */
void m2v_slice_writer_copy (M2vSliceWriter * w,
    const M2vMacroblock * mb, const uint8_t * data);

/* True if a skipped macroblock here has the same prediction: mb has no
 * coefficients (m2v_macroblock_empty) and is neither first nor last of its
 * slice. In P it has a zero vector, frame prediction, in field pictures from
 * the same parity (clause 7.6.6.1, .2). In B it has the direction and vectors
 * of a skipped one (clause 7.6.6.3, .4). */
bool m2v_slice_writer_may_skip (const M2vSliceWriter * w,
    const M2vMacroblock * mb);

/* Writes zero bits up to the next byte, then n_trailing zero bytes. */
void m2v_slice_writer_end (M2vSliceWriter * w, size_t n_trailing);

/* Appends bytes unchanged, between slices. */
void m2v_slice_writer_bytes (M2vSliceWriter * w, const uint8_t * data,
    size_t size);

/* Ends the output; returns its size; 0 = error. */
size_t m2v_slice_writer_finish (M2vSliceWriter * w);

#endif
