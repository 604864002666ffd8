/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/gapstats.h>

#include <math.h>
#include <string.h>

#define N_BUCKETS PSP_GAP_STATS_BUCKETS
/* log2 of ns: the buckets start at 4096 ns. */
#define FIRST_OCTAVE 12

void
psp_gap_stats_init (PspGapStats * s)
{
  memset (s, 0, sizeof *s);
  s->last = PSP_TIME_UNKNOWN;
}

static int64_t
bucket_start (unsigned bucket)
{
  return (int64_t) (4 + bucket % 4) << (FIRST_OCTAVE - 2 + bucket / 4);
}

static unsigned
bucket_of (int64_t gap)
{
  unsigned octave;

  if (gap < bucket_start (1))
    return 0;
  if (gap >= bucket_start (N_BUCKETS - 1))
    return N_BUCKETS - 1;
  octave = 63 - (unsigned) __builtin_clzll ((unsigned long long) gap);
  return 4 * (octave - FIRST_OCTAVE) + (unsigned) (gap >> (octave - 2)) % 4;
}

static void
count_gap (PspGapStats * s, int64_t gap)
{
  unsigned bucket = bucket_of (gap), i;
  double deviation = (double) gap - s->mean;

  s->n++;
  s->mean += deviation / (double) s->n;
  s->m2 += deviation * ((double) gap - s->mean);
  if (s->buckets[bucket] == UINT32_MAX)
    for (i = 0; i < N_BUCKETS; i++)
      s->buckets[i] /= 2;
  s->buckets[bucket]++;
}

void
psp_gap_stats_add (PspGapStats * s, int64_t now, bool counts)
{
  if (counts && s->last != PSP_TIME_UNKNOWN && now >= s->last)
    count_gap (s, now - s->last);
  s->last = now;
}

double
psp_gap_stats_deviation (const PspGapStats * s)
{
  return s->n > 1 ? sqrt (s->m2 / (double) (s->n - 1)) : 0;
}

int64_t
psp_gap_stats_quantile (const PspGapStats * s, double q)
{
  uint64_t total = 0;
  double rank, below = 0;
  unsigned i;

  for (i = 0; i < N_BUCKETS; i++)
    total += s->buckets[i];
  if (total == 0)
    return 0;
  rank = q * (double) total;
  for (i = 0; i < N_BUCKETS - 1; i++) {
    if (s->buckets[i] > 0 && below + s->buckets[i] >= rank)
      break;
    below += s->buckets[i];
  }
  if (i == 0 || i == N_BUCKETS - 1)
    return bucket_start (i == 0 ? 1 : i);
  /* The gaps inside a bucket are taken as evenly spread. */
  return bucket_start (i) + (int64_t) ((rank - below) / s->buckets[i] *
      (double) (bucket_start (i + 1) - bucket_start (i)));
}
