/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The levels of a block that cost least: distortion + lambda * bits.
 *
 * Coefficients are in 32nds, so that inverse quantisation (13818-2 clause
 * 7.4.2.3, MPEG-1 without its rounding to odd) is exact: 2 * level * W * q
 * where intra, (2 * level + sign) * W * q where not. A distortion is the sum of
 * their squared errors, so that 1024 of it are one squared step of a sample
 * (the transform is orthonormal). It is told relative to that of the block
 * without coefficients, which nothing chosen here changes. Intra DC is none of
 * this. docs/recoding.md.
 */
#ifndef MPEG2REQUANTIZE_RATEDISTORTION_H
#define MPEG2REQUANTIZE_RATEDISTORTION_H

#include <mpeg2/macroblock.h>
#include <mpeg2/vlc.h>

/* Rows of lengths: magnitudes up to 63, that for higher ones, too, and those
 * that MPEG-1 has a longer escape for. */
#define M2V_N_LENGTHS 65

/* Bits of a coefficient, its sign included, by the run before it. 8 KiB, made
 * once for a kind of stream. */
typedef struct
{
  uint8_t bits[2][M2V_N_LENGTHS][64];        /* [table][row][run] */
  bool mpeg2;
} M2vLengths;

void m2v_lengths_init (M2vLengths * lengths, bool mpeg2);

/* What a bit is worth where TM5 wants this quantiser_scale. */
int64_t m2v_lambda (unsigned scale);

typedef struct
{
  const M2vLengths *lengths;
  bool intra;
  unsigned table;               /* 1: table B.15 (intra_vlc_format) */
  unsigned scale;               /* quantiser_scale */
  const uint8_t *matrix;        /* W, not 0, by position in the scan */
} M2vQuantiser;

/* A coefficient that there ought to be. */
typedef struct
{
  int32_t value;                /* 32nds */
  uint8_t position;             /* in scan order; intra: 1..63 */
} M2vTarget;

/* What a target may become: the nearest level, or one less. */
typedef struct
{
  int64_t distortion[2];        /* of either, less that of 0 */
  int16_t level;                /* magnitude of the first, not 0 */
  uint8_t position;
  bool negative;
} M2vCandidate;

typedef struct
{
  unsigned n;
  /* No choice among them costs less (m2v_block_cost). */
  int64_t least_cost;
  M2vCandidate candidates[64];
} M2vCandidates;

/* Of n targets, their positions ascending, those that levels other than 0 are
 * near to. */
void m2v_find_candidates (const M2vQuantiser * q, int64_t lambda,
    const M2vTarget * targets, unsigned n, M2vCandidates * out);

typedef struct
{
  int64_t distortion;           /* less that of the empty block */
  unsigned bits;                /* of all coefficients and the end of block */
} M2vBlockCost;

/* Cost in one number; lambda is per bit, >= 0, below 2^32. */
static inline int64_t
m2v_block_cost (const M2vBlockCost * cost, int64_t lambda)
{
  return cost->distortion + lambda * cost->bits;
}

/* Chooses among nearest level, the next smaller one, and 0 for each of the
 * candidates. Returns how many coefficients there are. Of a block that is not
 * intra, none means that there is no candidate, and costs nothing; whether it
 * is better left out is not asked here, for it hangs on the other blocks. */
unsigned m2v_choose_block (const M2vQuantiser * q,
    int64_t lambda, const M2vCandidates * candidates, M2vCoefficient out[64],
    M2vBlockCost * cost);

#endif
