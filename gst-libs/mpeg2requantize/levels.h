/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Levels for the coefficients that a macroblock ought to have, and what levels
 * stand for. Coefficients are in 32nds, so that inverse quantisation (13818-2
 * clause 7.4.2.3) is exact: 2 * level * W * q where intra, (2 * level + sign)
 * * W * q where not. Saturation is taken into account; what decoders round
 * away (to integers, MPEG-1's to odd ones, mismatch control) is not.
 */
#ifndef MPEG2REQUANTIZE_LEVELS_H
#define MPEG2REQUANTIZE_LEVELS_H

#include <mpeg2requantize/kernels.h>
#include <mpeg2requantize/levelscale.h>
#include <mpeg2requantize/levelworth.h>

/* What a macroblock's blocks ought to be. Intra DC is none of it: it stays as
 * it is. */
typedef struct
{
  uint8_t pattern;              /* bit i: block i is there, else all zero */
  int32_t block[M2V_MAX_BLOCKS][64]; /* in kernels.h's order: 8 * u + v */
} M2vMacroblockTarget;

/* What becomes of a level, and what that is worth. */
typedef struct
{
  int16_t level;
  int16_t longest;              /* run, where the matrix is flat */
  float worth;                  /* bits, where the weight is 1 */
} M2vScaledLevel;

/* Magnitudes that are common. */
#define M2V_N_SCALED 16

/* From one quantiser to another, at a price. */
typedef struct
{
  M2vLevelScale scale;
  float per_bit;
  int n;                        /* magnitudes that have been needed so far */
  M2vScaledLevel levels[M2V_N_SCALED];
} M2vScaledLevels;

/* A picture's. */
typedef struct
{
  const M2vKernels *kernels;
  const M2vPictureParams *picture;
  M2vRounding rounding;
  int max_level;
  uint8_t scales[32];           /* by code */
  const uint8_t *places;        /* of a block, by position in the scan */
  const uint8_t *positions;     /* by place */
  uint8_t matrices[M2V_N_MATRICES][64];        /* by place */
  uint8_t min_weight[M2V_N_MATRICES];
  bool flat[M2V_N_MATRICES];    /* all weights are 16, the default */
  float squares[M2V_N_MATRICES][64];    /* of weights, by position */
  const M2vRuns *runs;          /* [table]; NULL: all are worth their bits */
  unsigned priced;              /* m2v_levels_set_price; 0: not yet */
  float per_bit;                /* 1 / lambda */
  M2vScaledLevels scaled[2][32];        /* the last ones used, [intra][to] */
} M2vLevels;

/* Matrices may be NULL where they are not known: flat ones then. So may the
 * runs. */
void m2v_levels_init (M2vLevels * l, const M2vKernels * kernels,
    const M2vPictureParams * picture, const M2vMatrices * matrices,
    const M2vRounding * rounding, const M2vRuns * runs);

/* From now on a bit costs what it does where TM5 wants that
 * quantiser_scale. */
void m2v_levels_set_price (M2vLevels * l, unsigned scale);

/* Which of the matrices a block has. */
static inline unsigned
m2v_levels_matrix (const M2vLevels * l, bool intra, unsigned block)
{
  unsigned base = intra ? M2V_MATRIX_INTRA : M2V_MATRIX_NON_INTRA;

  /* Clause 7.4.2.1: in 4:2:0 chrominance has luminance's. */
  return l->picture->n_blocks > 6 && block >= 4
      ? base + M2V_MATRIX_CHROMA_INTRA : base;
}

/* Adds factor (1, -1) times what the macroblock's coefficients stand for with
 * the code. Blocks that are not in the pattern come into it where they have
 * any. */
void m2v_levels_add (const M2vLevels * l, const M2vMacroblock * mb,
    unsigned code, int factor, M2vMacroblockTarget * target);

/* Gives the macroblock the levels next to the target with the code, as far as
 * they are worth their bits, and takes away from the target what they stand
 * for; true where they are others than it has. Type, quantiser and pattern are
 * not set. */
bool m2v_choose_levels (const M2vLevels * l,
    M2vMacroblockTarget * target, unsigned code, M2vMacroblock * mb);

/* As adding and then choosing levels, for a macroblock whose target its own
 * coefficients are: scaled from its own code to another, or the same. What
 * it is left with becomes the target, if there is one. True where it has fewer
 * levels than before. */
bool m2v_levels_scale (M2vLevels * l, unsigned code, M2vMacroblock * mb,
    M2vMacroblockTarget * target);

/* Below this energy (kernels.h), a block has no coefficients with the code. */
uint64_t m2v_levels_least_energy (const M2vLevels * l, bool intra,
    unsigned block, unsigned code);

/* Those coefficients of a target's block that levels other than 0 are nearest
 * to with the code, and those that are as near to 0; returns how many. For all
 * coarser codes that is enough, too. */
unsigned m2v_levels_find_targets (const M2vLevels * l,
    const M2vMacroblockTarget * target, bool intra, unsigned block,
    unsigned code, M2vTarget out[64]);

#endif
