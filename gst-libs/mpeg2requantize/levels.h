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

/* What a macroblock's blocks ought to be. Intra DC is none of it: it stays as
 * it is. */
typedef struct
{
  uint8_t pattern;              /* bit i: block i is there, else all zero */
  int32_t block[M2V_MAX_BLOCKS][64]; /* in kernels.h's order: 8 * u + v */
} M2vMacroblockTarget;

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
} M2vLevels;

void m2v_levels_init (M2vLevels * l, const M2vKernels * kernels,
    const M2vPictureParams * picture, const M2vMatrices * matrices,
    const M2vRounding * rounding);

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

/* Gives the macroblock the levels next to the target with the code, and takes
 * away from the target what they stand for; true where they are others than it
 * has. Type, quantiser and pattern are not set. */
bool m2v_choose_levels (const M2vLevels * l,
    M2vMacroblockTarget * target, unsigned code, M2vMacroblock * mb);

/* As adding and then choosing levels, for a macroblock whose target its own
 * coefficients are: `to` is another code, `r` takes there from its own. */
void m2v_levels_scale (const M2vLevels * l,
    const M2vLevelScale * r, unsigned to, M2vMacroblock * mb,
    M2vMacroblockTarget * target);

/* Below this energy (kernels.h), a block has no coefficients with the code. */
uint64_t m2v_levels_least_energy (const M2vLevels * l, bool intra,
    unsigned block, unsigned code);

/* A block of the target, by position in the scan; zeros where it is not in
 * the pattern. */
void m2v_target_in_scan_order (const M2vLevels * l,
    const M2vMacroblockTarget * target, unsigned block, int32_t out[64]);

#endif
