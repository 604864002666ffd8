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

typedef struct
{
  /* The picture's. */
  const ScalerPicture *picture;
  const ScalerVlc *vlc;
  /* By places of the scan: [intra][chrominance]. */
  const uint8_t *matrices[2][2];

  /* Private. */
  ScalerLengths lengths;
  uint8_t scales[32];           /* by code */
  unsigned n_targets[SCALER_MAX_BLOCKS];
  ScalerTarget targets[SCALER_MAX_BLOCKS][64];
  struct ScalerWay
  {
    unsigned code;
    int64_t cost;
    uint8_t n[SCALER_MAX_BLOCKS];       /* coefficients */
    ScalerCoefficient coefficients[SCALER_MAX_BLOCKS][64];
  } ways[2];
} ScalerChooser;

/* Starts a picture. What is given stays where it is. */
void scaler_chooser_init (ScalerChooser * c, const ScalerPicture * picture,
    const ScalerVlc * vlc, const uint8_t * const matrices[2][2]);

typedef struct
{
  int64_t lambda;               /* per bit */
  /* To choose from. */
  const uint8_t *codes;
  unsigned n_codes;
  unsigned in_force;            /* quantiser_scale_code */
  /* Without coefficients it may be skipped. */
  bool may_skip;
  unsigned increment;           /* its macroblock_address_increment */
  /* What each block ought to have, dense, by place in scan order; bit i of
   * present: block i ought to have anything. */
  const int32_t (*targets)[64];
  unsigned present;
} ScalerChoice;

/* lambda for a quantiser_scale. */
int64_t scaler_choice_lambda (double k, unsigned scale);

/* Gives the macroblock coefficients and quantiser; all but intra ones may be
 * left without any. Type and pattern remain to be set. */
void scaler_choose_macroblock (ScalerChooser * c, const ScalerChoice * choice,
    ScalerMacroblock * mb);

#endif
