/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads a picture's slices, macroblock by macroblock:
 *
 *   while (m2v_slices_next (slices, size, &position, &range)) {
 *     const uint8_t *data = slices + range.offset;
 *
 *     if (!m2v_is_slice (data, range.size))
 *       continue;                        (pass it unchanged)
 *     m2v_slice_reader_begin (&r, &picture, &vlc, data, range.size);
 *     while (m2v_slice_reader_next (&r, &macroblock))
 *       ...
 *     if (r.error)
 *       ...                              (pass the picture unchanged)
 *   }
 *
 * An error is a value that the standard forbids and that cannot be written
 * again: codes that do not exist, more than 64 coefficients, addresses beyond
 * the picture (MPEG-2: the row), DC values out of range, f_codes that are not
 * in use. Vectors that point out of the picture are no error here. The reader
 * allocates nothing.
 */
#ifndef MPEG2_SLICEREADER_H
#define MPEG2_SLICEREADER_H

#include <mpeg2/bitreader.h>
#include <mpeg2/macroblock.h>
#include <mpeg2/vlc.h>

/* A slice's header. */
typedef struct
{
  unsigned row;                 /* row in the picture, from 0 */
  unsigned quantiser;           /* quantiser_scale_code */
  const uint8_t *data;          /* first byte of the slice */
  /* position in bits behind quantiser_scale_code */
  size_t extra;
  /* number of bits from there to the last extra_bit_slice: MPEG-2's intra_slice
   * and all extra_information_slice, a multiple of 9 */
  size_t n_extra;
} M2vSlice;

typedef struct
{
  M2vSlice slice;
  bool error;
  /* number of zero bytes behind the slice; valid at its end */
  size_t n_trailing;

  /* Private. */
  const M2vPictureParams *picture;
  const M2vVlc *vlc;
  M2vBitReader bits;
  M2vPrediction prediction;
  size_t size;
  unsigned address;             /* of the macroblock before */
  uint8_t direction;            /* of the macroblock before; 0 = intra, none */
  bool first;                   /* the next macroblock is the first */
  bool ended;                   /* there are no more macroblocks */
} M2vSliceReader;

/* Cuts slice data (M2vPicture's `slices`) at start codes; returns false at the
 * end. The ranges include data that is no slice, also that before the first
 * start code. */
bool m2v_slices_next (const uint8_t * data, size_t size, size_t * position,
    M2vRange * range);

static inline bool
m2v_is_slice (const uint8_t * data, size_t size)
{
  return size > 4 && data[0] == 0 && data[1] == 0 && data[2] == 1
      && m2v_code_is_slice (data[3]);
}

/* Begins to read a slice. `data` begins with its start code and reaches to the
 * next one. data, picture and vlc must stay in place while the slice is read.
 * Returns false and sets `error` if the header cannot be read. */
bool m2v_slice_reader_begin (M2vSliceReader * r,
    const M2vPictureParams * picture, const M2vVlc * vlc, const uint8_t * data,
    size_t size);

/* Reads the next macroblock, which the caller may change. Returns false at the
 * slice's end, and at an error. */
bool m2v_slice_reader_next (M2vSliceReader * r, M2vMacroblock * mb);

/* True if no macroblock is skipped behind the last one that was read: the next
 * one follows at once, or the slice has ended. MPEG-1's stuffing counts as if
 * there were some. */
bool m2v_slice_reader_skips_none (M2vSliceReader * r);

#endif
