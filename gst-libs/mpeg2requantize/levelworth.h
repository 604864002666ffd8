/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether a level is worth its bits. Where v becomes a level that stands for r,
 * leaving it out instead adds v^2 - (v - r)^2 = r * (2 * v - r) to the
 * distortion, and saves the bits of its code. At a price of lambda a bit it is
 * worth r * (2 * v - r) / lambda of them: docs/recoding.md. How many it takes
 * hangs on the run before it, and with longer runs codes get no shorter, so that
 * there is a longest run with which it stays.
 */
#ifndef MPEG2REQUANTIZE_LEVELWORTH_H
#define MPEG2REQUANTIZE_LEVELWORTH_H

#include <mpeg2requantize/ratedistortion.h>

/* Of magnitudes from the last one on. They are worth any code. */
#define M2V_N_WORTH_LEVELS 64
/* In bits: no code is longer. */
#define M2V_MAX_WORTH 31

/* The longest run with which a level's code has no more than so many bits; -1:
 * none has. */
typedef struct
{
  int8_t longest[M2V_N_WORTH_LEVELS][M2V_MAX_WORTH + 1];
} M2vRuns;

/* Of a table, as in M2vLengths. */
void m2v_runs_init (M2vRuns * runs, const M2vLengths * lengths, unsigned table);

/* In bits, M2V_MAX_WORTH at most; value, result: v and r; per_bit: 1 /
 * lambda. */
static inline float
m2v_worth (float value, float result, float per_bit)
{
  float bits = result * (2 * value - result) * per_bit;

  return bits < M2V_MAX_WORTH ? bits : M2V_MAX_WORTH;
}

/* The longest run behind which a level stays that is worth so many bits; -1: it
 * does not. */
static inline int
m2v_longest_run (const M2vRuns * runs, unsigned magnitude, float bits)
{
  unsigned row = magnitude < M2V_N_WORTH_LEVELS ? magnitude
      : M2V_N_WORTH_LEVELS - 1;
  unsigned worth = (unsigned) (int) bits;

  return runs->longest[row][worth < M2V_MAX_WORTH ? worth : M2V_MAX_WORTH];
}

#endif
