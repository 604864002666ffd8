/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The errors of reference frames: what the source's decoded frames have more
 * than the output's. A picture inherits them by motion compensation, which is
 * linear but for rounding, so that it can be applied to the errors alone (P.
 * Assuncao, M. Ghanbari: A frequency-domain video transcoder for dynamic
 * bit-rate reduction of MPEG-2 bit streams, 1998).
 *
 *   m2v_drift_begin (&d, &picture, top_field_first);
 *   (for each macroblock that is read, in any order, the last one counts)
 *     if (m2v_drift_macroblock (&d, &macroblock))
 *       ...                      (its blocks inherit errors)
 *     m2v_drift_block (...)   (inherited: replace them by what they become)
 *   m2v_drift_end (&d);
 *
 * The unit is kernels.h's. A frame of errors that are all zero is only said to
 * be that.
 */
#ifndef MPEG2REQUANTIZE_DRIFT_H
#define MPEG2REQUANTIZE_DRIFT_H

#include <mpeg2requantize/kernels.h>
#include <mpeg2/macroblock.h>

/* Streams of larger frames have no loop: 1920x1152. Two frames of 4:2:0 then
 * take 13 MB, at 720x576 2.5 MB. */
#define M2V_DRIFT_MAX_MACROBLOCKS (120 * 72)

typedef struct
{
  bool zero;                    /* all of it, whatever there is */
  int16_t *planes[3];
} M2vErrorFrame;

/* Samples of a macroblock or block. */
typedef struct
{
  int16_t *samples;
  ptrdiff_t stride;
} M2vErrorBlock;

typedef struct
{
  const M2vKernels *kernels;
  unsigned columns, rows;       /* of macroblocks, of the frames */
  unsigned n_blocks;
  int16_t *memory;
  uint8_t *done;                /* in it: whether a macroblock has its errors */
  M2vErrorFrame frames[2];
  unsigned newest;              /* of them, in coded order */
  /* The newest frame's first field, where the second is awaited; else 0. */
  M2vStructure first_field;
  bool up;                      /* rounding: every other picture */

  /* The picture at hand. */
  const M2vPictureParams *picture;
  bool top_field_first;
  bool second_field;
  bool stores;                  /* its errors: it is no B */
  bool inherits;                /* what it refers to has errors */
  M2vErrorBlock macroblock[3];       /* at hand */
  int16_t scratch[3][16 * 16];  /* of B */
  M2vMacroblock skipped;
} M2vDriftLoop;

/* Zeroed memory is a loop without frames. */
void m2v_drift_free (M2vDriftLoop * d);

/* References are no longer known: no errors are assumed. */
void m2v_drift_lost (M2vDriftLoop * d);

/* False where there is no room for frames of that size; all is lost then. */
bool m2v_drift_begin (M2vDriftLoop * d, const M2vPictureParams * picture,
    bool top_field_first);

/* Whether the picture at hand has no errors and inherits none. */
bool m2v_drift_is_free (const M2vDriftLoop * d);

/* It inherits its errors, or none; whether it may have inherited any. */
bool m2v_drift_macroblock (M2vDriftLoop * d,
    const M2vMacroblock * mb);

/* Where the errors of a block of the macroblock at hand are. They may be
 * changed after m2v_drift_touch. */
M2vErrorBlock m2v_drift_block (const M2vDriftLoop * d, bool field_dct,
    unsigned block);

/* The frame at hand has errors from now on. */
void m2v_drift_touch (M2vDriftLoop * d);

/* Those that are left inherit from where they are, in I nothing: they are
 * skipped (in P; what B inherit is not stored), or missing, and taken to be
 * concealed. */
void m2v_drift_end (M2vDriftLoop * d);

#endif
