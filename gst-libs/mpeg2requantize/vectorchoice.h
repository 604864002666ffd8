/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Chooses how a macroblock of a P or B picture is predicted, by what is missing
 * then and by the bits of its vectors. docs/recoding.md has the rule.
 *
 * No picture refers to a B. In P the closed loop must keep what the chosen
 * prediction lacks among its errors, so that nothing spreads.
 */
#ifndef MPEG2REQUANTIZE_VECTORCHOICE_H
#define MPEG2REQUANTIZE_VECTORCHOICE_H

#include <mpeg2requantize/sourceframes.h>
#include <mpeg2/slicewriter.h>

/* The vectors that a direction may have. */
typedef enum
{
  M2V_VECTORS_NONE,             /* it is not used */
  M2V_VECTORS_OWN,              /* those of the source */
  M2V_VECTORS_MEAN,             /* the mean of its two vectors */
  M2V_VECTORS_PREDICTED,        /* the predictors, which cost least */
  M2V_VECTORS_ZERO,             /* P: none is written */
  M2V_N_VECTORS
} M2vVectors;

/* A direction predicted by some vectors. */
typedef struct
{
  bool valid;                   /* there are such vectors, within the frame */
  bool done;                    /* `samples` are predicted */
  uint8_t motion;               /* M2vMotion */
  unsigned bits;                /* of the vectors */
  M2vVector vectors[2];
  M2vSamples samples;
} M2vOption;

typedef struct
{
  M2vSourceFrames *frames;
  const M2vPictureParams *picture;
  const M2vVlc *vlc;

  /* Private: the values of the macroblock. */
  M2vOption options[2][M2V_N_VECTORS];  /* [forward, backward] */
  M2vSamples source;            /* as it is decoded */
  int16_t average[16 * 16];     /* of a plane's two directions */
  /* the source's prediction, then what the chosen one lacks, in 32nds */
  M2vSamples difference;
} M2vVectorChooser;

/* Starts a picture, whose frames have begun it. All must stay in place. */
void m2v_vector_chooser_init (M2vVectorChooser * c, M2vSourceFrames * frames,
    const M2vVlc * vlc);

/* Chooses the macroblock's type and vectors. Returns true if they have changed;
 * then `difference` is what it lacks, besides the source's coefficients. It is
 * predicted by vectors that it has, in B no macroblock is skipped behind it, and
 * it has the source's coefficients. `writer` is where it is about to be written;
 * lambda is the price of a bit (ratedistortion.h). */
bool m2v_choose_vectors (M2vVectorChooser * c, const M2vLevels * levels,
    const M2vSliceWriter * writer, int64_t lambda, M2vMacroblock * mb);

#endif
