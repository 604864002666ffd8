/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A macroblock's quantiser and coefficients, by what they cost: distortion +
 * lambda * bits. ratedistortion.h has the units, docs/recoding.md what is
 * tried and why.
 */
#ifndef SCALER_MACROBLOCKCHOICE_H
#define SCALER_MACROBLOCKCHOICE_H

#include "ratedistortion.h"

/* A way to code the macroblock. */
typedef struct
{
  unsigned code;                /* quantiser_scale_code */
  int64_t cost;
  uint8_t n[SCALER_MAX_BLOCKS]; /* coefficients */
  ScalerCoefficient coefficients[SCALER_MAX_BLOCKS][64];
} ScalerWay;

/* Private. */
typedef struct
{
  /* The picture's. */
  const ScalerPicture *picture;
  const ScalerVlc *vlc;
  ScalerLengths lengths;
  uint8_t scales[32];           /* by code */
  uint8_t matrices[MPEG_N_MATRICES][64];        /* by position in the scan */

  /* The macroblock's. */
  unsigned n_targets[SCALER_MAX_BLOCKS];
  ScalerTarget targets[SCALER_MAX_BLOCKS][64];
  ScalerWay ways[2];
} ScalerChooser;

/* Starts a picture. Picture and tables stay where they are. */
void scaler_chooser_init (ScalerChooser * c, const ScalerPicture * picture,
    const ScalerVlc * vlc, const MpegMatrices * matrices);

#define SCALER_MAX_CHOICES 4

typedef struct
{
  int64_t lambda;               /* per bit */
  unsigned codes[SCALER_MAX_CHOICES];   /* to choose from; once or more often */
  unsigned n_codes;
  unsigned in_force;            /* the code; 0: all cost the same */
  /* Without coefficients it may be skipped. */
  bool may_skip;
  unsigned increment;           /* its macroblock_address_increment */
  uint8_t pattern;              /* bit i: block i ought to have anything */
  int32_t targets[SCALER_MAX_BLOCKS][64];       /* by position in the scan */
} ScalerChoice;

/* What a bit is worth where TM5 wants this quantiser_scale. */
int64_t scaler_choice_lambda (unsigned scale);

/* Gives the macroblock coefficients; all but intra ones may be left without
 * any. Type, quantiser and pattern are not set. Returns the code that they are
 * for, and in *changed whether they are others than it had. */
unsigned scaler_choose_macroblock (ScalerChooser * c,
    const ScalerChoice * choice, ScalerMacroblock * mb, bool *changed);

#endif
