/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Converts the target coefficients of a macroblock to levels, and levels to
 * coefficients. Coefficients are in 32nds, so that inverse quantisation
 * (13818-2 clause 7.4.2.3) is exact: 2 * level * W * q for intra, (2 * level +
 * sign) * W * q for non-intra. Saturation is taken into account; the rounding
 * of decoders (to integers, MPEG-1's to odd ones, mismatch control) is not.
 */
#ifndef MPEG2REQUANTIZE_LEVELS_H
#define MPEG2REQUANTIZE_LEVELS_H

#include <mpeg2requantize/kernels.h>
#include <mpeg2requantize/levelscale.h>
#include <mpeg2requantize/levelworth.h>

/* The target coefficients of a macroblock's blocks, without intra DC, which
 * does not change. */
typedef struct
{
  uint8_t pattern;              /* bit i: block i is valid, else all zero */
  int32_t block[M2V_MAX_BLOCKS][64]; /* in kernels.h's order: 8 * u + v */
} M2vMacroblockTarget;

/* The result of scaling a level, and its worth. */
typedef struct
{
  int16_t level;
  int16_t longest;              /* longest run with a flat matrix */
  float worth;                  /* bits for a weight of 1 */
} M2vScaledLevel;

/* Number of common magnitudes, whose results are kept. */
#define M2V_N_SCALED 16

/* Levels scaled from one quantiser to another, at a price. */
typedef struct
{
  M2vLevelScale scale;
  float per_bit;                /* 1 / lambda */
  int n;                        /* number of magnitudes that are valid */
  M2vScaledLevel levels[M2V_N_SCALED];
} M2vScaledLevels;

/* The tables of a picture. */
typedef struct
{
  const M2vKernels *kernels;
  const M2vPictureParams *picture;
  M2vRounding rounding;
  int max_level;
  uint8_t scales[32];           /* quantiser_scale by code */
  uint8_t places[64];           /* place by position in the scan */
  uint8_t positions[64];        /* position in the scan by place */
  uint8_t matrices[M2V_N_MATRICES][64];        /* weights by place */
  uint8_t min_weight[M2V_N_MATRICES];
  bool flat[M2V_N_MATRICES];    /* all weights are 16, the default */
  float squares[M2V_N_MATRICES][64];    /* squared weights by position */
  /* [table]; NULL = all levels are worth their bits */
  const M2vRuns *runs;
  unsigned priced;              /* scale of m2v_levels_set_price; 0 = none */
  float per_bit;                /* 1 / lambda */
  M2vScaledLevels scaled[2][32];        /* the last ones used, [intra][to] */
} M2vLevels;

/* Starts a picture. If matrices are NULL, not known, flat ones are assumed. The
 * runs may be NULL too. */
void m2v_levels_init (M2vLevels * l, const M2vKernels * kernels,
    const M2vPictureParams * picture, const M2vMatrices * matrices,
    const M2vRounding * rounding, const M2vRuns * runs);

/* Sets the price of a bit from now on: m2v_lambda of the quantiser_scale that
 * TM5 wants. */
void m2v_levels_set_price (M2vLevels * l, unsigned scale);

/* Returns the index of a block's matrix. */
static inline unsigned
m2v_levels_matrix (const M2vLevels * l, bool intra, unsigned block)
{
  unsigned base = intra ? M2V_MATRIX_INTRA : M2V_MATRIX_NON_INTRA;

  /* In 4:2:0 chrominance has luminance's matrix (clause 7.4.2.1). */
  return l->picture->n_blocks > 6 && block >= 4
      ? base + M2V_MATRIX_CHROMA_INTRA : base;
}

/* Adds factor (1, -1) times the macroblock's coefficients, dequantised with the
 * code. Blocks that have coefficients are added to the pattern. */
void m2v_levels_add (const M2vLevels * l, const M2vMacroblock * mb,
    unsigned code, int factor, M2vMacroblockTarget * target);

/* Gives the macroblock the levels nearest to the target with the code that are
 * worth their bits, and subtracts their values from the target. Returns true if
 * the levels have changed. Type, quantiser and pattern are not set. */
bool m2v_choose_levels (const M2vLevels * l,
    M2vMacroblockTarget * target, unsigned code, M2vMacroblock * mb);

/* Scales a macroblock from its own code to another, or the same: has the effect
 * of m2v_levels_add and m2v_choose_levels if its own coefficients are the
 * target. `target`, if not NULL, is set to the remaining errors. Returns true
 * if the macroblock has fewer levels than before. */
bool m2v_levels_scale (M2vLevels * l, unsigned code, M2vMacroblock * mb,
    M2vMacroblockTarget * target);

/* Returns the energy (kernels.h) below which a block has no coefficients with
 * the code. */
uint64_t m2v_levels_least_energy (const M2vLevels * l, bool intra,
    unsigned block, unsigned code);

/* Finds the coefficients of a target's block that are at least as near to
 * another level as to 0 with the code; returns how many. They suffice for all
 * coarser codes too. */
unsigned m2v_levels_find_targets (const M2vLevels * l,
    const M2vMacroblockTarget * target, bool intra, unsigned block,
    unsigned code, M2vTarget out[64]);

#endif
