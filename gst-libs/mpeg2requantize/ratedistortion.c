/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The bits of a level depend on the level and on the run before it. So the best
 * way to have a coefficient at some place is the best of the ways to have the
 * one before it, plus its own cost: dynamic programming over the place of the
 * last coefficient.
 */
#include <mpeg2requantize/ratedistortion.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2requantize/kernels.h>

/* Bits of a coefficient's escape (table B.16). */
#define ESCAPE_BITS 24
/* Bits of a short escape in MPEG-1 (11172-2 table 2-B.5g). */
#define MPEG1_ESCAPE_BITS 20
/* Bits of a long escape in MPEG-1 (11172-2 table 2-B.5g). */
#define MPEG1_LONG_ESCAPE_BITS 28

/* Bits of +-1 as the first coefficient of a block that is not intra. */
#define FIRST_ONE_BITS 2

/* The row of M2vLengths for its magnitude and all higher ones. */
#define LAST_ROW (M2V_N_LENGTHS - 2)
/* The row of M2vLengths for MPEG-1's long escapes. */
#define LONG_ROW (M2V_N_LENGTHS - 1)

/* lambda / quantiser_scale ^ 2. It is k = 0.15 (docs/recoding.md) if the
 * distortion is that of samples, and 1024 times that in 32nds. */
#define LAMBDA 154

int64_t
m2v_lambda (unsigned scale)
{
  return LAMBDA * (int64_t) (scale * scale);
}

void
m2v_lengths_init (M2vLengths * lengths, bool mpeg2)
{
  lengths->mpeg2 = mpeg2;
  for (unsigned table = 0; table < 2; table++) {
    uint8_t (*bits)[64] = lengths->bits[table];

    memset (bits, mpeg2 ? ESCAPE_BITS : MPEG1_ESCAPE_BITS, LONG_ROW * 64);
    memset (bits[LONG_ROW], mpeg2 ? ESCAPE_BITS : MPEG1_LONG_ESCAPE_BITS, 64);
    for (unsigned i = 0; i < M2V_N_RUN_LEVELS; i++) {
      const M2vRunLevel *c = &m2v_run_levels[table][i];

      bits[c->level][c->run] = (uint8_t) (c->length + 1);
    }
  }
}

/* Returns the lengths of a level's code by the run before it. */
static inline const uint8_t *
row_of (const uint8_t bits[M2V_N_LENGTHS][64], unsigned position, int level)
{
  static const uint8_t first_one[1] = { FIRST_ONE_BITS };

  if (position == 0 && level == 1)
    return first_one;
  return bits[level > M2V_MPEG1_MAX_SHORT_LEVEL ? LONG_ROW : level < LAST_ROW
      ? level : LAST_ROW];
}

/* Returns half of a step. Inverse quantisation gives 2 * level half steps for
 * intra, 2 * level + 1 for non-intra. */
static inline int32_t
half_step (const M2vQuantiser * q, unsigned position)
{
  return (int32_t) (q->matrix[position] * q->scale);
}

/* A place with a coefficient, at the end of the best way to it. */
typedef struct
{
  int16_t level;                /* magnitude */
  uint8_t bits;                 /* length of its code */
  uint8_t before;               /* index of the place before */
} Place;

/* The end of a way that may come before another place. */
typedef struct
{
  int64_t cost;                 /* cost of the whole way */
  int position;                 /* position in the scan */
  unsigned place;               /* index of the place */
} End;

typedef struct
{
  Place places[65];             /* the first is the block's beginning */
  unsigned best;                /* the first of the places that cost least */
  int64_t best_cost;
  unsigned n_alive;
  /* Ends that may come before another place; their costs ascend. An end that
   * costs at least as much as a later one is left out, because codes do not get
   * shorter with longer runs. */
  End alive[65];
} Ways;

/* Returns the nearest level's magnitude; if two are equally near, the smaller.
 * Processors cannot predict levels, so here and below there is no branch on
 * them. Large ones are an exception: they are rare and need a division. */
static inline int32_t
nearest_level (bool intra, int32_t magnitude, int32_t half)
{
  if (intra)
    return magnitude > 7 * half ? (magnitude + half - 1) / (2 * half)
        : (magnitude > half) + (magnitude > 3 * half) + (magnitude > 5 * half);
  return magnitude > 8 * half ? (magnitude - 1) / (2 * half)
      : (2 * magnitude > 3 * half) + (magnitude > 4 * half)
      + (magnitude > 6 * half);
}

/* Returns the change of the distortion by a level of that magnitude. */
static inline int64_t
distortion_of (bool intra, int32_t level, int32_t half, int32_t limit,
    int32_t target)
{
  int32_t value = (2 * level + !intra) * half;

  value = value < limit ? value : limit;
  return value * ((int64_t) value - 2 * (int64_t) target);
}

/* Returns the least cost that the candidate adds, at most 0. `shortest` is the
 * run from the candidate before. */
static inline int64_t
least_cost (const M2vCandidate * c, const uint8_t bits[M2V_N_LENGTHS][64],
    int64_t lambda, int shortest)
{
  int64_t cost = c->distortion[0]
      + lambda * row_of (bits, c->position, c->level)[shortest];
  int64_t other = c->distortion[1]
      + lambda * row_of (bits, c->position, c->level - 1)[shortest];

  cost = cost < other ? cost : other;
  return cost < 0 ? cost : 0;
}

static inline void
find_candidates (const M2vQuantiser * q, bool intra, int64_t lambda,
    const M2vTarget * targets, unsigned n, M2vCandidates * out)
{
  const uint8_t (*bits)[64] = q->lengths->bits[q->table];
  const int32_t max_level =
      q->lengths->mpeg2 ? M2V_ESCAPE_MAX_LEVEL : M2V_MPEG1_ESCAPE_MAX_LEVEL;
  M2vCandidate *c = out->candidates;
  int64_t least = 0;
  int before = intra ? 0 : -1;

  for (unsigned i = 0; i < n; i++) {
    const int32_t target = abs (targets[i].value);
    const int32_t half = half_step (q, targets[i].position);
    const int32_t limit =
        targets[i].value < 0 ? -M2V_SATURATED_MIN : M2V_SATURATED_MAX;
    int32_t level = nearest_level (intra, target < limit ? target : limit,
        half);
    const bool present = level > 0;
    int64_t cost;

    level = level < max_level ? level : max_level;
    c->level = (int16_t) level;
    c->position = targets[i].position;
    c->negative = targets[i].value < 0;
    c->distortion[0] = distortion_of (intra, level, half, limit, target);
    c->distortion[1] = distortion_of (intra, level - 1, half, limit, target);
    c->distortion[1] = level > 1 ? c->distortion[1] : M2V_COST_NEVER;
    cost = least_cost (c, bits, lambda, c->position - 1 - before);
    least += present ? cost : 0;
    before = present ? c->position : before;
    c += present;
  }
  out->n = (unsigned) (c - out->candidates);
  if (intra || out->n > 0)
    least += lambda * m2v_end_of_block[q->table].length;
  out->least_cost = least;
}

void
m2v_find_candidates (const M2vQuantiser * q, int64_t lambda,
    const M2vTarget * targets, unsigned n, M2vCandidates * out)
{
  if (q->intra)
    find_candidates (q, true, lambda, targets, n, out);
  else
    find_candidates (q, false, lambda, targets, n, out);
}

/* Finds the best way to place n, and adds its end to the others. */
static inline void
add_place (Ways * w, const M2vCandidate * c,
    const uint8_t bits[M2V_N_LENGTHS][64], int64_t lambda, unsigned n)
{
  const uint8_t *row = row_of (bits, c->position, c->level);
  const uint8_t *lower_row = row_of (bits, c->position, c->level - 1);
  int64_t cost = M2V_COST_NEVER, lower_cost = M2V_COST_NEVER;
  unsigned from = 0, lower_from = 0, n_less = 0;
  const End *end;
  bool lower;

  for (unsigned i = 0; i < w->n_alive; i++) {
    const int run = c->position - 1 - w->alive[i].position;
    const int64_t sum = w->alive[i].cost + lambda * row[run];
    const int64_t lower_sum = w->alive[i].cost + lambda * lower_row[run];

    from = sum < cost ? i : from;
    cost = sum < cost ? sum : cost;
    lower_from = lower_sum < lower_cost ? i : lower_from;
    lower_cost = lower_sum < lower_cost ? lower_sum : lower_cost;
  }
  cost += c->distortion[0];
  lower_cost += c->distortion[1];
  lower = lower_cost < cost;
  cost = lower ? lower_cost : cost;
  end = &w->alive[lower ? lower_from : from];
  w->places[n].level = (int16_t) (c->level - lower);
  w->places[n].bits = (lower ? lower_row : row)[c->position - 1
      - end->position];
  w->places[n].before = (uint8_t) end->place;
  w->best = cost < w->best_cost ? n : w->best;
  w->best_cost = cost < w->best_cost ? cost : w->best_cost;

  for (unsigned i = 0; i < w->n_alive; i++)
    n_less += w->alive[i].cost < cost;
  w->alive[n_less] = (End) {
  cost, c->position, n};
  w->n_alive = n_less + 1;
}

/* Writes the coefficients of the best way; returns how many there are. */
static unsigned
trace (const Ways * w, const M2vCandidate * candidates, M2vCoefficient out[64],
    unsigned *bits)
{
  unsigned n = 0;

  for (unsigned i = w->best; i > 0; i = w->places[i].before)
    n++;
  for (unsigned i = w->best, k = n; i > 0; i = w->places[i].before) {
    const int level = w->places[i].level;

    out[--k].level = (int16_t) (candidates[i - 1].negative ? -level : level);
    out[k].position = candidates[i - 1].position;
    out[k].form = M2V_FORM_SHORTEST;
    *bits += w->places[i].bits;
  }
  return n;
}

unsigned
m2v_choose_block (const M2vQuantiser * q, int64_t lambda,
    const M2vCandidates * candidates, M2vCoefficient out[64],
    M2vBlockCost * cost)
{
  unsigned n;
  Ways w;

  w.n_alive = 1;
  w.alive[0] = (End) {
  0, q->intra ? 0 : -1, 0};
  /* A block that is not intra has at least one coefficient if there is a
   * candidate. */
  w.best = 0;
  w.best_cost = q->intra || candidates->n == 0 ? 0 : INT64_MAX;
  for (unsigned i = 0; i < candidates->n; i++)
    add_place (&w, &candidates->candidates[i], q->lengths->bits[q->table],
        lambda, i + 1);

  cost->bits = 0;
  n = trace (&w, candidates->candidates, out, &cost->bits);
  cost->distortion = w.best_cost - lambda * cost->bits;
  if (q->intra || n > 0)
    cost->bits += m2v_end_of_block[q->table].length;
  return n;
}
