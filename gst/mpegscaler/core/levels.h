/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Levels for the coefficients that a macroblock ought to have, and what levels
 * stand for. Coefficients are in 32nds, so that inverse quantisation (13818-2
 * clause 7.4.2.3) is exact: 2 * level * W * q where intra, (2 * level + sign)
 * * W * q where not. Saturation is taken into account; what decoders round
 * away (to integers, MPEG-1's to odd ones, mismatch control) is not.
 */
#ifndef SCALER_LEVELS_H
#define SCALER_LEVELS_H

#include "kernels.h"
#include "requantize.h"

/* What a macroblock's blocks ought to be. Intra DC is none of it: it stays as
 * it is. */
typedef struct
{
  uint8_t pattern;              /* bit i: block i is there, else all zero */
  int32_t block[SCALER_MAX_BLOCKS][64]; /* in kernels.h's order: 8 * u + v */
} ScalerMacroblockTarget;

/* A picture's. */
typedef struct
{
  const ScalerKernels *kernels;
  const ScalerPicture *picture;
  ScalerRounding rounding;
  int max_level;
  uint8_t scales[32];           /* by code */
  const uint8_t *places;        /* of a block, by position in the scan */
  const uint8_t *positions;     /* by place */
  uint8_t matrices[MPEG_N_MATRICES][64];        /* by place */
  uint8_t min_weight[MPEG_N_MATRICES];
} ScalerLevels;

void scaler_levels_init (ScalerLevels * l, const ScalerKernels * kernels,
    const ScalerPicture * picture, const MpegMatrices * matrices,
    const ScalerRounding * rounding);

/* Which of the matrices a block has. */
static inline unsigned
scaler_levels_matrix (const ScalerLevels * l, bool intra, unsigned block)
{
  unsigned base = intra ? MPEG_MATRIX_INTRA : MPEG_MATRIX_NON_INTRA;

  /* Clause 7.4.2.1: in 4:2:0 chrominance has luminance's. */
  return l->picture->n_blocks > 6 && block >= 4
      ? base + MPEG_MATRIX_CHROMA_INTRA : base;
}

/* Adds factor (1, -1) times what the macroblock's coefficients stand for with
 * the code. Blocks that are not in the pattern come into it where they have
 * any. */
void scaler_levels_add (const ScalerLevels * l, const ScalerMacroblock * mb,
    unsigned code, int factor, ScalerMacroblockTarget * target);

/* Gives the macroblock the levels next to the target with the code, and takes
 * away from the target what they stand for; true where they are others than it
 * has. Type, quantiser and pattern are not set. */
bool scaler_choose_levels (const ScalerLevels * l,
    ScalerMacroblockTarget * target, unsigned code, ScalerMacroblock * mb);

/* As adding and then choosing levels, for a macroblock whose target its own
 * coefficients are: `to` is another code, `r` takes there from its own. */
void scaler_levels_requantize (const ScalerLevels * l,
    const ScalerRequantization * r, unsigned to, ScalerMacroblock * mb,
    ScalerMacroblockTarget * target);

/* Below this energy (kernels.h), a block has no coefficients with the code. */
uint64_t scaler_levels_least_energy (const ScalerLevels * l, bool intra,
    unsigned block, unsigned code);

/* A block of the target, by position in the scan; zeros where it is not in
 * the pattern. */
void scaler_target_in_scan_order (const ScalerLevels * l,
    const ScalerMacroblockTarget * target, unsigned block, int32_t out[64]);

#endif
