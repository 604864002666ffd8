/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Chooses a macroblock's quantiser and coefficients by their cost: distortion +
 * lambda * bits. ratedistortion.h has the units, docs/recoding.md the choices
 * and their reasons.
 */
#ifndef MPEG2REQUANTIZE_MACROBLOCKCHOICE_H
#define MPEG2REQUANTIZE_MACROBLOCKCHOICE_H

#include <mpeg2requantize/ratedistortion.h>

/* Number of blocks that share the pattern's code; later blocks have a separate
 * bit. */
#define M2V_PATTERN_BLOCKS 6

/* A way to code the macroblock. */
typedef struct
{
  unsigned code;                /* quantiser_scale_code */
  int64_t cost;
  uint8_t n[M2V_MAX_BLOCKS]; /* number of coefficients */
  M2vCoefficient coefficients[M2V_MAX_BLOCKS][64];
} M2vWay;

/* Private. */
typedef struct
{
  /* The values of the picture. */
  const M2vPictureParams *picture;
  const M2vVlc *vlc;
  M2vLengths lengths;
  uint8_t scales[32];           /* quantiser_scale by code */
  uint8_t matrices[M2V_N_MATRICES][64];        /* by position in the scan */

  /* length of each pattern's code; patterns as in M2vMacroblock */
  uint8_t pattern_bits[1 << M2V_PATTERN_BLOCKS];
  /* the least of these except [0], and the largest less the least */
  unsigned min_pattern_bits, pattern_bits_range;

  /* The values of the macroblock. */
  M2vCandidates candidates[M2V_MAX_BLOCKS];
  M2vWay ways[2];
} M2vChooser;

/* Starts a picture. Picture and tables must stay in place. */
void m2v_chooser_init (M2vChooser * c, const M2vPictureParams * picture,
    const M2vVlc * vlc, const M2vMatrices * matrices);

/* Largest number of quantisers that are tried for a macroblock. */
#define M2V_MAX_CHOICES 4

typedef struct
{
  int64_t lambda;               /* cost of a bit */
  unsigned codes[M2V_MAX_CHOICES];   /* codes to try; may repeat */
  unsigned n_codes;
  unsigned in_force;            /* code in force; 0 = all cost the same */
  bool may_skip;                /* without coefficients it may be skipped */
  unsigned increment;           /* its macroblock_address_increment */
  unsigned n_targets[M2V_MAX_BLOCKS];
  /* The target coefficients of each block that are near to a level other than 0
   * with any of the codes; positions ascend. */
  M2vTarget targets[M2V_MAX_BLOCKS][64];
} M2vChoice;

/* Gives the macroblock coefficients. It may get none if it is not intra. Type,
 * quantiser and pattern are not set. Returns the code of the coefficients, and
 * in *changed whether they have changed. */
unsigned m2v_choose_macroblock (M2vChooser * c,
    const M2vChoice * choice, M2vMacroblock * mb, bool *changed);

#endif
