/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides whether a level is worth its bits. If v becomes a level whose value
 * is r, leaving it out instead adds v^2 - (v - r)^2 = r * (2 * v - r) to the
 * distortion, and saves the bits of its code. At a price of lambda a bit it is
 * worth r * (2 * v - r) / lambda bits: docs/recoding.md. The length of the code
 * depends on the run before it. Codes do not get shorter with longer runs, so
 * there is a longest run with which the level stays.
 */
#ifndef MPEG2REQUANTIZE_LEVELWORTH_H
#define MPEG2REQUANTIZE_LEVELWORTH_H

#include <mpeg2requantize/ratedistortion.h>

/* Number of magnitudes. The last one stands for all higher ones, which are
 * worth any code. */
#define M2V_N_WORTH_LEVELS 64
/* Bits; no code is longer. */
#define M2V_MAX_WORTH 31

typedef struct
{
  /* [magnitude][bits]: the longest run with which the level's code has no more
   * bits; -1 = none */
  int8_t longest[M2V_N_WORTH_LEVELS][M2V_MAX_WORTH + 1];
} M2vRuns;

/* Sets the runs of a table, as in M2vLengths. */
void m2v_runs_init (M2vRuns * runs, const M2vLengths * lengths, unsigned table);

/* Returns the worth in bits; value, result: v and r; per_bit: 1 / lambda. */
static inline float
m2v_worth (float value, float result, float per_bit)
{
  return result * (2 * value - result) * per_bit;
}

/* Returns the longest run behind which a level stays that is worth so many
 * bits; -1 = it does not stay. Processors cannot predict what is worth more
 * than any code: whole numbers are compared without a branch. */
static inline int
m2v_longest_run (const M2vRuns * runs, unsigned magnitude, float bits)
{
  unsigned row = magnitude < M2V_N_WORTH_LEVELS ? magnitude
      : M2V_N_WORTH_LEVELS - 1;
  uint64_t worth = (uint64_t) (int64_t) bits;

  return runs->longest[row][worth < M2V_MAX_WORTH ? worth : M2V_MAX_WORTH];
}

#endif
