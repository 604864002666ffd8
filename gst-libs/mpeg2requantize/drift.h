/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The errors of reference frames: the source's decoded frames minus those of
 * the output. A picture inherits them by motion compensation, which is linear
 * except for rounding, so that it can be applied to the errors alone (P.
 * Assuncao, M. Ghanbari: A frequency-domain video transcoder for dynamic
 * bit-rate reduction of MPEG-2 bit streams, 1998).
 *
 *   m2v_drift_begin (&d, &picture, top_field_first);
 *   (for each macroblock that is read, in any order, the last one counts)
 *     if (m2v_drift_macroblock (&d, &macroblock))
 *       ...                      (its blocks inherit errors)
 *     m2v_drift_block (...)   (replace the inherited errors by the new ones)
 *   m2v_drift_end (&d);
 *
 * kernels.h has the unit. A frame whose errors are all zero is only marked as
 * zero.
 *
 * sourceframes.h uses a loop for decoded samples, with the same prediction.
 */
#ifndef MPEG2REQUANTIZE_DRIFT_H
#define MPEG2REQUANTIZE_DRIFT_H

#include <mpeg2requantize/kernels.h>
#include <mpeg2/macroblock.h>

/* Largest number of macroblocks of a frame that has a loop: 1920x1152. Two
 * frames of 4:2:0 then take 13 MB, at 720x576 2.5 MB. */
#define M2V_DRIFT_MAX_MACROBLOCKS (120 * 72)

/* What is known of a macroblock of the current picture. */
typedef enum
{
  M2V_DONE_NOT,                 /* nothing: it is skipped or missing */
  M2V_DONE,                     /* it has its errors */
  M2V_DONE_SKIPPED              /* it is skipped, and gets them at the end */
} M2vDone;

typedef struct
{
  bool zero;                    /* all errors are zero; planes are undefined */
  int16_t *planes[3];
} M2vErrorFrame;

/* The errors of a macroblock or block. */
typedef struct
{
  int16_t *samples;
  ptrdiff_t stride;
} M2vErrorBlock;

/* The samples of a macroblock's Y, Cb and Cr, line by line. */
typedef struct
{
  int16_t planes[3][16 * 16];
} M2vSamples;

typedef struct
{
  const M2vKernels *kernels;
  /* The frames have decoded samples instead of errors, so that halves are
   * always rounded up. */
  bool decodes;
  unsigned columns, rows;       /* size of the frames in macroblocks */
  unsigned n_blocks;            /* number of blocks of a macroblock */
  int16_t *memory;              /* all planes, and `done` */
  uint8_t *done;                /* M2vDone by address; in `memory` */
  M2vErrorFrame frames[2];
  unsigned newest;              /* index of the last frame in coded order */
  /* the newest frame's first field if its second is still to come; else 0 */
  M2vStructure first_field;
  M2vPictureType first_type;    /* of that first field */
  bool up;                      /* rounding; changes with each stored picture */

  /* The current picture. */
  const M2vPictureParams *picture;
  bool top_field_first;
  bool second_field;
  bool stores;                  /* its errors are stored: it is no B */
  bool inherits;                /* one of its references has errors */
  unsigned column, row;         /* of the macroblock, in the picture */
  M2vErrorBlock macroblock[3];  /* errors of the macroblock, Y, Cb, Cr */
  M2vSamples scratch;           /* errors of a macroblock of B */
  M2vMacroblock skipped;        /* a skipped macroblock */
} M2vDriftLoop;

/* Frees the memory. Zeroed memory is a loop without frames. */
void m2v_drift_free (M2vDriftLoop * d);

/* Forgets the references, because they are no longer known: no errors are
 * assumed. */
void m2v_drift_lost (M2vDriftLoop * d);

/* Begins a picture. Returns false if there is no room for frames of that size;
 * the references are forgotten then. */
bool m2v_drift_begin (M2vDriftLoop * d, const M2vPictureParams * picture,
    bool top_field_first);

/* True if the current picture has no errors and inherits none. */
bool m2v_drift_is_free (const M2vDriftLoop * d);

/* Lets a macroblock inherit its errors. Returns true if it may have inherited
 * any. */
bool m2v_drift_macroblock (M2vDriftLoop * d,
    const M2vMacroblock * mb);

/* Adds to the errors of the current macroblock, within their range. */
void m2v_drift_add (M2vDriftLoop * d, const M2vSamples * errors);

/* Makes the current macroblock's errors be in `to`, not in the frame. */
void m2v_drift_use (M2vDriftLoop * d, M2vSamples * to);

/* Predicts a macroblock that is not intra into `to`, and stores nothing in the
 * frame. */
void m2v_drift_predict (M2vDriftLoop * d, const M2vMacroblock * mb,
    M2vSamples * to);

/* Returns the place of the errors of a block of the current macroblock. They
 * may be changed after m2v_drift_touch. */
M2vErrorBlock m2v_drift_block (const M2vDriftLoop * d, bool field_dct,
    unsigned block);

/* Notes that the current frame has errors from now on. */
void m2v_drift_touch (M2vDriftLoop * d);

/* Ends the picture. The other macroblocks inherit from their own place, in I no
 * errors: they are skipped (in P; the errors of B are not stored), or missing,
 * and taken to be concealed. */
void m2v_drift_end (M2vDriftLoop * d);

#endif
