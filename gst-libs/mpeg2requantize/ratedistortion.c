/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a level costs in bits hangs on the level and on the run before it, so
 * the best way to have a coefficient at some place is the best of the ways to
 * have the one before it, plus its own cost: dynamic programming over the place
 * of the last coefficient.
 */
#include <mpeg2requantize/ratedistortion.h>

#include <string.h>

#include <mpeg2requantize/kernels.h>

/* Bits of a coefficient's escape (table B.16; 11172-2 table 2-B.5g), and
 * the largest level of MPEG-1's short one. */
#define ESCAPE_BITS 24
#define MPEG1_ESCAPE_BITS 20
#define MPEG1_LONG_ESCAPE_BITS 28
#define MPEG1_MAX_SHORT_LEVEL 127

/* Bits of +-1 as the first coefficient of a block that is not intra. */
#define FIRST_ONE_BITS 2

/* Rows of M2vLengths: that of all higher magnitudes, and that of MPEG-1's long
 * escapes. */
#define LAST_ROW (M2V_N_LENGTHS - 2)
#define LONG_ROW (M2V_N_LENGTHS - 1)

/* lambda = k * quantiser_scale ^ 2 where a distortion is of samples: times
 * 1024 in 32nds. k = 0.15: docs/recoding.md. */
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

static inline const uint8_t *
row_of (const uint8_t bits[M2V_N_LENGTHS][64], int level)
{
  return bits[level > MPEG1_MAX_SHORT_LEVEL ? LONG_ROW : level < LAST_ROW
      ? level : LAST_ROW];
}

/* Half of a step: inverse quantisation gives 2 * level of it where intra, else
 * 2 * level + 1. */
static inline int32_t
half_step (const M2vQuantiser * q, unsigned position)
{
  return (int32_t) (q->matrix[position] * q->scale);
}

unsigned
m2v_find_targets (const M2vQuantiser * q, const int32_t dense[64],
    M2vTarget out[64])
{
  unsigned n = 0;

  for (unsigned i = q->intra; i < 64; i++) {
    int32_t magnitude = dense[i] < 0 ? -dense[i] : dense[i];

    out[n].value = dense[i];
    out[n].position = (uint8_t) i;
    n += magnitude > half_step (q, i);
  }
  return n;
}

/* A place that may have a coefficient, at the end of the best way there. */
typedef struct
{
  int64_t cost;                 /* of the way */
  int16_t level;                /* magnitude */
  uint8_t bits;                 /* its own */
  uint8_t before;               /* the place before */
  int8_t position;
  bool negative;
} Place;

typedef struct
{
  const uint8_t (*bits)[64];    /* of M2vLengths */
  bool intra;
  int max_level;
  int64_t lambda;
  unsigned n;
  Place places[65];             /* the first is the block's beginning */
  /* Those that may come before another: their costs ascend. One that costs no
   * less than a later one never will, for with longer runs codes get no
   * shorter. */
  unsigned n_alive;
  uint8_t alive[65];
} Ways;

/* The nearest level's magnitude; where two are as near, the smaller. */
static inline int32_t
nearest_level (bool intra, int32_t magnitude, int32_t half)
{
  if (intra)
    return (magnitude + half - 1) / (2 * half);
  if (2 * magnitude <= 3 * half)
    return 0;
  return magnitude <= 2 * half ? 1 : (magnitude - 1) / (2 * half);
}

/* Makes place the end of the best way to it with that level, if there is none
 * better. */
static inline void
try_level (const Ways * w, Place * place, int level, int64_t distortion)
{
  const uint8_t *row = row_of (w->bits, level);
  bool first_one = place->position == 0 && level == 1;

  for (unsigned i = 0; i < w->n_alive; i++) {
    const Place *from = &w->places[w->alive[i]];
    unsigned bits = first_one ? FIRST_ONE_BITS
        : row[place->position - from->position - 1];
    int64_t cost = from->cost + distortion + w->lambda * bits;

    if (cost < place->cost) {
      place->cost = cost;
      place->level = (int16_t) level;
      place->bits = (uint8_t) bits;
      place->before = w->alive[i];
    }
  }
}

static inline void
add_place (Ways * w, const M2vTarget * target, int32_t half)
{
  Place *place = &w->places[w->n];
  bool negative = target->value < 0;
  int64_t magnitude = negative ? -target->value : target->value;
  int64_t limit = negative ? -M2V_SATURATED_MIN : M2V_SATURATED_MAX;
  int32_t level = nearest_level (w->intra,
      (int32_t) (magnitude < limit ? magnitude : limit), half);

  if (level == 0)
    return;
  if (level > w->max_level)
    level = w->max_level;
  place->position = (int8_t) target->position;
  place->negative = negative;
  place->cost = INT64_MAX;
  for (int k = level; k > 0 && k >= level - 1; k--) {
    int64_t value = (int64_t) (2 * k + !w->intra) * half;

    value = value < limit ? value : limit;
    try_level (w, place, k, value * (value - 2 * magnitude));
  }
  while (w->n_alive > 0
      && w->places[w->alive[w->n_alive - 1]].cost >= place->cost)
    w->n_alive--;
  w->alive[w->n_alive++] = (uint8_t) w->n++;
}

/* The way that ends there. */
static unsigned
trace (const Ways * w, unsigned end, M2vCoefficient out[64], unsigned *bits)
{
  unsigned n = 0;

  for (unsigned i = end; i > 0; i = w->places[i].before)
    n++;
  for (unsigned i = end, k = n; i > 0; i = w->places[i].before) {
    const Place *place = &w->places[i];

    out[--k].level = (int16_t) (place->negative ? -place->level : place->level);
    out[k].position = (uint8_t) place->position;
    out[k].form = M2V_FORM_SHORTEST;
    *bits += place->bits;
  }
  return n;
}

unsigned
m2v_choose_block (const M2vQuantiser * q, int64_t lambda,
    const M2vTarget * targets, unsigned n, M2vCoefficient out[64],
    M2vBlockCost * cost)
{
  unsigned end;
  Ways w;

  w.bits = q->lengths->bits[q->table];
  w.intra = q->intra;
  w.max_level =
      q->lengths->mpeg2 ? M2V_ESCAPE_MAX_LEVEL : M2V_MPEG1_ESCAPE_MAX_LEVEL;
  w.lambda = lambda;
  w.places[0].cost = 0;
  w.places[0].position = q->intra ? 0 : -1;
  w.n = w.n_alive = 1;
  w.alive[0] = 0;
  for (unsigned i = 0; i < n; i++)
    add_place (&w, &targets[i], half_step (q, targets[i].position));

  /* A block that is not intra has at least one. */
  end = !q->intra && w.n > 1;
  for (unsigned i = end + 1; i < w.n; i++) {
    if (w.places[i].cost < w.places[end].cost)
      end = i;
  }
  cost->bits = 0;
  n = trace (&w, end, out, &cost->bits);
  cost->distortion = w.places[end].cost - lambda * cost->bits;
  if (q->intra || n > 0)
    cost->bits += m2v_end_of_block[q->table].length;
  return n;
}
