/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The errors of reference frames: what the source's decoded frames have more
 * than the output's. A picture inherits them by motion compensation, which is
 * linear but for rounding, so that it can be applied to the errors alone (P.
 * Assuncao, M. Ghanbari: A frequency-domain video transcoder for dynamic
 * bit-rate reduction of MPEG-2 bit streams, 1998).
 *
 *   scaler_drift_begin (&d, &picture, top_field_first);
 *   (for each macroblock that is read, in any order, the last one counts)
 *     if (scaler_drift_macroblock (&d, &macroblock))
 *       ...                      (its blocks inherit errors)
 *     scaler_drift_block (...)   (inherited: replace them by what they become)
 *   scaler_drift_end (&d);
 *
 * The unit is kernels.h's. A frame of errors that are all zero is only said to
 * be that.
 */
#ifndef SCALER_DRIFT_H
#define SCALER_DRIFT_H

#include "kernels.h"
#include "macroblock.h"

/* Streams of larger frames have no loop: 1920x1152. Two frames of 4:2:0 then
 * take 13 MB, at 720x576 2.5 MB. */
#define SCALER_DRIFT_MAX_MACROBLOCKS (120 * 72)

typedef struct
{
  bool zero;                    /* all of it, whatever there is */
  int16_t *planes[3];
} ScalerErrorFrame;

/* Samples of a macroblock or block. */
typedef struct
{
  int16_t *samples;
  ptrdiff_t stride;
} ScalerErrorBlock;

typedef struct
{
  const ScalerKernels *kernels;
  unsigned columns, rows;       /* of macroblocks, of the frames */
  unsigned n_blocks;
  int16_t *memory;
  uint8_t *done;                /* in it: whether a macroblock has its errors */
  ScalerErrorFrame frames[2];
  unsigned newest;              /* of them, in coded order */
  /* The newest frame's first field, where the second is awaited; else 0. */
  MpegStructure first_field;
  bool up;                      /* rounding: every other picture */

  /* The picture at hand. */
  const ScalerPicture *picture;
  bool top_field_first;
  bool second_field;
  bool stores;                  /* its errors: it is no B */
  bool inherits;                /* what it refers to has errors */
  ScalerErrorBlock macroblock[3];       /* at hand */
  int16_t scratch[3][16 * 16];  /* of B */
  ScalerMacroblock skipped;
} ScalerDriftLoop;

/* Zeroed memory is a loop without frames. */
void scaler_drift_free (ScalerDriftLoop * d);

/* References are no longer known: no errors are assumed. */
void scaler_drift_lost (ScalerDriftLoop * d);

/* False where there is no room for frames of that size; all is lost then. */
bool scaler_drift_begin (ScalerDriftLoop * d, const ScalerPicture * picture,
    bool top_field_first);

/* Whether the picture at hand has no errors and inherits none. */
bool scaler_drift_is_free (const ScalerDriftLoop * d);

/* It inherits its errors, or none; whether it may have inherited any. */
bool scaler_drift_macroblock (ScalerDriftLoop * d,
    const ScalerMacroblock * mb);

/* Where the errors of a block of the macroblock at hand are. They may be
 * changed after scaler_drift_touch. */
ScalerErrorBlock scaler_drift_block (const ScalerDriftLoop * d, bool field_dct,
    unsigned block);

/* The frame at hand has errors from now on. */
void scaler_drift_touch (ScalerDriftLoop * d);

/* Those that are left inherit from where they are, in I nothing: they are
 * skipped (in P; what B inherit is not stored), or missing, and taken to be
 * concealed. */
void scaler_drift_end (ScalerDriftLoop * d);

#endif
