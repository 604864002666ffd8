/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Chooses the levels of a block that cost least: distortion + lambda * bits.
 *
 * Coefficients are in 32nds, so that inverse quantisation (13818-2 clause
 * 7.4.2.3, MPEG-1 without its rounding to odd) is exact: 2 * level * W * q for
 * intra, (2 * level + sign) * W * q for non-intra. A distortion is the sum of
 * their squared errors, so that 1024 units are one squared step of a sample
 * (the transform is orthonormal). It is relative to that of the block without
 * coefficients, which is constant. Intra DC is not included. See
 * docs/recoding.md.
 */
#ifndef MPEG2REQUANTIZE_RATEDISTORTION_H
#define MPEG2REQUANTIZE_RATEDISTORTION_H

#include <mpeg2/macroblock.h>
#include <mpeg2/vlc.h>

/* Number of rows of lengths: magnitudes up to 63, whose last row also stands
 * for higher ones, and one row for MPEG-1's longer escapes. */
#define M2V_N_LENGTHS 65

/* A cost that is never chosen; others can be added to it without overflow. */
#define M2V_COST_NEVER (INT64_MAX / 2)

/* The bits of a coefficient with its sign, by the run before it. The table has
 * 8 KiB and is made once for a kind of stream. */
typedef struct
{
  uint8_t bits[2][M2V_N_LENGTHS][64];        /* [table][row][run] */
  bool mpeg2;
} M2vLengths;

void m2v_lengths_init (M2vLengths * lengths, bool mpeg2);

/* Returns the cost of a bit if TM5 wants this quantiser_scale. */
int64_t m2v_lambda (unsigned scale);

typedef struct
{
  const M2vLengths *lengths;
  bool intra;
  unsigned table;               /* 1 = table B.15 (intra_vlc_format) */
  unsigned scale;               /* quantiser_scale */
  const uint8_t *matrix;        /* W, not 0, by position in the scan */
} M2vQuantiser;

/* A target coefficient. */
typedef struct
{
  int32_t value;                /* 32nds */
  uint8_t position;             /* place in scan order; intra: 1..63 */
} M2vTarget;

/* The levels that a target may get: the nearest level, or one less. */
typedef struct
{
  int64_t distortion[2];        /* of each level, relative to that of 0 */
  int16_t level;                /* magnitude of the nearest level, not 0 */
  uint8_t position;             /* place in scan order */
  bool negative;
} M2vCandidate;

typedef struct
{
  unsigned n;
  /* No choice among the candidates costs less (m2v_block_cost). */
  int64_t least_cost;
  M2vCandidate candidates[64];
} M2vCandidates;

/* Finds those of n targets, with ascending positions, that are near to a level
 * other than 0. */
void m2v_find_candidates (const M2vQuantiser * q, int64_t lambda,
    const M2vTarget * targets, unsigned n, M2vCandidates * out);

typedef struct
{
  int64_t distortion;           /* relative to that of the empty block */
  unsigned bits;                /* all coefficients and the end of block */
} M2vBlockCost;

/* Returns the cost in one number; lambda is per bit, >= 0, below 2^32. */
static inline int64_t
m2v_block_cost (const M2vBlockCost * cost, int64_t lambda)
{
  return cost->distortion + lambda * cost->bits;
}

/* Chooses among nearest level, the next smaller one, and 0 for each of the
 * candidates. Returns how many coefficients there are. A block that is not
 * intra has none only if there is no candidate; it costs nothing then. The
 * caller decides whether it is better left out, because that depends on the
 * other blocks. */
unsigned m2v_choose_block (const M2vQuantiser * q,
    int64_t lambda, const M2vCandidates * candidates, M2vCoefficient out[64],
    M2vBlockCost * cost);

#endif
