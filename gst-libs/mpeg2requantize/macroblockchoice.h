/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A macroblock's quantiser and coefficients, by what they cost: distortion +
 * lambda * bits. ratedistortion.h has the units, docs/recoding.md what is
 * tried and why.
 */
#ifndef MPEG2REQUANTIZE_MACROBLOCKCHOICE_H
#define MPEG2REQUANTIZE_MACROBLOCKCHOICE_H

#include <mpeg2requantize/ratedistortion.h>

/* Blocks whose pattern has a code: those beyond have a bit of their own. */
#define M2V_PATTERN_BLOCKS 6

/* A way to code the macroblock. */
typedef struct
{
  unsigned code;                /* quantiser_scale_code */
  int64_t cost;
  uint8_t n[M2V_MAX_BLOCKS]; /* coefficients */
  M2vCoefficient coefficients[M2V_MAX_BLOCKS][64];
} M2vWay;

/* Private. */
typedef struct
{
  /* The picture's. */
  const M2vPictureParams *picture;
  const M2vVlc *vlc;
  M2vLengths lengths;
  uint8_t scales[32];           /* by code */
  uint8_t matrices[M2V_N_MATRICES][64];        /* by position in the scan */

  /* Of patterns, by bits as in M2vMacroblock: of the blocks that have a code
   * together; the fewest, and how many more the most are. */
  uint8_t pattern_bits[1 << M2V_PATTERN_BLOCKS];
  unsigned min_pattern_bits, pattern_bits_range;

  /* The macroblock's. */
  M2vCandidates candidates[M2V_MAX_BLOCKS];
  M2vWay ways[2];
} M2vChooser;

/* Starts a picture. Picture and tables stay where they are. */
void m2v_chooser_init (M2vChooser * c, const M2vPictureParams * picture,
    const M2vVlc * vlc, const M2vMatrices * matrices);

/* Quantisers that are tried for a macroblock. */
#define M2V_MAX_CHOICES 4

typedef struct
{
  int64_t lambda;               /* per bit */
  unsigned codes[M2V_MAX_CHOICES];   /* to choose from; once or more often */
  unsigned n_codes;
  unsigned in_force;            /* the code; 0: all cost the same */
  /* Without coefficients it may be skipped. */
  bool may_skip;
  unsigned increment;           /* its macroblock_address_increment */
  /* What each block ought to have, as far as levels other than 0 are near to it
   * with any of the codes; positions ascend. */
  unsigned n_targets[M2V_MAX_BLOCKS];
  M2vTarget targets[M2V_MAX_BLOCKS][64];
} M2vChoice;

/* Gives the macroblock coefficients; all but intra ones may be left without
 * any. Type, quantiser and pattern are not set. Returns the code that they are
 * for, and in *changed whether they are others than it had. */
unsigned m2v_choose_macroblock (M2vChooser * c,
    const M2vChoice * choice, M2vMacroblock * mb, bool *changed);

#endif
