/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When the next packet may leave, on an absolute schedule.
 *
 * Guarantee: over a backlog, packet n leaves no earlier than its slot, slots
 * are `period` apart (or `quantum` packets every quantum × period), and after
 * a late wake-up at most two packets leave at once. What is
 * still missing then is repaid by slots at most an eighth shorter, up to
 * PSP_PACER_MAX_DEBT of it, so that the mean is the period although no missed
 * slot is replayed in a burst. A queue that runs empty forgives the debt.
 *
 * In figures, for a quantum of 1 and departures d, each at or after what
 * psp_pacer_next said:
 *   d[n+2] >= d[n] + 7/8 period, however late any of them was;
 *   d[n+k] >= d[n] + (k − 1) period − PSP_PACER_MAX_DEBT;
 *   the mean of d[n+1] − d[n] is the period, unless wake-ups were so late that
 *   more than PSP_PACER_MAX_DEBT was owed at once.
 */
#ifndef PSP_CORE_PACER_H
#define PSP_CORE_PACER_H

#include "types.h"

#define PSP_PACER_MAX_DEBT (10 * PSP_MSECOND)

typedef struct
{
  int64_t period;               /* ns; 0 = at once */
  unsigned quantum;             /* packets a slot, ≥ 1 */
  int64_t next;                 /* start of the next slot */
  unsigned left;                /* packets still due in the present slot */
  int64_t debt;                 /* schedule time still to be repaid */
  bool idle;                    /* nothing was waiting when the last left */
} PspPacer;

void psp_pacer_init (PspPacer * p, int64_t now);
/* Takes effect from the slot after the present one. */
void psp_pacer_set (PspPacer * p, int64_t period, unsigned quantum);
/* Earliest departure of the next packet; ≤ now when it may leave at once. */
int64_t psp_pacer_next (const PspPacer * p, int64_t now);
/* Something other than the schedule, such as a window, held the next packet
 * until then: the schedule goes on from there and owes nothing for it. */
void psp_pacer_hold (PspPacer * p, int64_t until);
/* One packet left at `now`; backlog: more are waiting. */
void psp_pacer_sent (PspPacer * p, int64_t now, bool backlog);

/* Achieved gaps while backlogged, against the period in force. */
typedef struct
{
  uint64_t n;
  double mean;                  /* ns */
  double m2;                    /* sum of squared deviations (Welford) */
  uint32_t buckets[64];         /* logarithmic, for quantiles */
  int64_t last;
} PspGapStats;

void psp_gap_stats_init (PspGapStats * s);
/* A packet left at `now`; counts: it was waiting when the one before left. */
void psp_gap_stats_add (PspGapStats * s, int64_t now, bool counts);
double psp_gap_stats_deviation (const PspGapStats * s); /* ns */
/* Within a quarter of an octave; 0 while nothing was counted. */
int64_t psp_gap_stats_quantile (const PspGapStats * s, double q);       /* ns */

#endif
