/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Statistics of the gaps between packets that a sender achieves while more
 * packets wait.
 */
#ifndef CONTROL_GAPSTATS_H
#define CONTROL_GAPSTATS_H

#include <control/types.h>

/* There are four buckets per octave. Gaps shorter than the first bucket's (5
 * µs) or longer than the last one's (235 ms) need no finer resolution. */
#define PSP_GAP_STATS_BUCKETS 64

typedef struct
{
  uint64_t n;                   /* number of gaps */
  double mean;                  /* ns */
  double m2;                    /* sum of squared deviations (Welford) */
  uint32_t buckets[PSP_GAP_STATS_BUCKETS];      /* for quantiles */
  int64_t last;                 /* ns; when the last packet left */
} PspGapStats;

void psp_gap_stats_init (PspGapStats * s);
/* A packet left at `now`. `counts` is true if it already waited when the packet
 * before it left. */
void psp_gap_stats_add (PspGapStats * s, int64_t now, bool counts);
double psp_gap_stats_deviation (const PspGapStats * s); /* ns */
/* Returns a quantile in ns, exact to a quarter of an octave; 0 if no gap was
 * counted. */
int64_t psp_gap_stats_quantile (const PspGapStats * s, double q);

#endif
