/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/levels.h>

#include <stdlib.h>
#include <string.h>

/* The weight if no matrix is known: the non-intra default (clause 6.3.11). */
#define FLAT_WEIGHT 16

/* For functions whose caller would run out of registers with them inlined. */
#define NOINLINE __attribute__ ((noinline))

/* Rounding in eighths, added before truncation, so that an intra coefficient
 * becomes 1 if that is nearer than 0. A level of 1 is one step there. */
#define NEAREST_INTRA 4
/* The same rounding for non-intra, where a level of 1 is one and a half
 * steps. */
#define NEAREST_NON_INTRA 2

/* Returns the place, column by column, of a place in raster order. */
static inline uint8_t
transposed (uint8_t raster)
{
  return (uint8_t) (raster % 8 * 8 + raster / 8);
}

void
m2v_levels_init (M2vLevels * l, const M2vKernels * kernels,
    const M2vPictureParams * picture, const M2vMatrices * matrices,
    const M2vRounding * rounding, const M2vRuns * runs)
{
  l->kernels = kernels;
  l->picture = picture;
  l->rounding = *rounding;
  l->runs = runs;
  l->priced = 0;
  l->per_bit = 0;
  l->max_level =
      picture->mpeg2 ? M2V_ESCAPE_MAX_LEVEL : M2V_MPEG1_ESCAPE_MAX_LEVEL;
  for (unsigned code = 1; code < 32; code++) {
    l->scales[code] = (uint8_t) m2v_quantiser_scale (picture, code);
    l->scaled[false][code].scale.from = l->scaled[true][code].scale.from = 0;
  }
  for (unsigned k = 0; k < 64; k++) {
    l->places[k] = transposed (m2v_scan_tables[picture->alternate_scan][k]);
    l->positions[l->places[k]] = (uint8_t) k;
  }
  for (unsigned i = 0; i < M2V_N_MATRICES; i++) {
    l->min_weight[i] = UINT8_MAX;
    l->flat[i] = true;
    for (unsigned k = 0; k < 64; k++) {
      uint8_t place = transposed (m2v_scan_tables[false][k]);
      uint8_t weight = matrices ? matrices->matrix[i][k] : FLAT_WEIGHT;

      /* 0 is forbidden, and would be a divisor. */
      if (weight == 0)
        weight = 1;
      l->matrices[i][place] = weight;
      l->flat[i] = l->flat[i] && weight == FLAT_WEIGHT;
      l->squares[i][l->positions[place]] = (float) (weight * weight);
      if (weight < l->min_weight[i])
        l->min_weight[i] = weight;
    }
  }
}

void
m2v_levels_set_price (M2vLevels * l, unsigned scale)
{
  if (l->priced != scale)
    l->per_bit = 1 / (float) m2v_lambda (scale);
  l->priced = scale;
}

static inline int32_t
dequantise (bool intra, int level, unsigned step)
{
  int twice = 2 * level + (intra ? 0 : (level > 0) - (level < 0));
  int value = twice * (int) step;

  if (value >= M2V_SATURATED_MIN && value <= M2V_SATURATED_MAX)
    return value;
  return value < 0 ? M2V_SATURATED_MIN : M2V_SATURATED_MAX;
}

void
m2v_levels_add (const M2vLevels * l, const M2vMacroblock * mb,
    unsigned code, int factor, M2vMacroblockTarget * target)
{
  bool intra = mb->type & M2V_INTRA;
  unsigned scale = l->scales[code];

  for (unsigned coded = m2v_coded_blocks (mb); coded; coded &= coded - 1) {
    unsigned i = (unsigned) __builtin_ctz (coded);
    const uint8_t *matrix = l->matrices[m2v_levels_matrix (l, intra, i)];
    const M2vCoefficient *c = mb->coefficients[i];
    int32_t *block = target->block[i];
    unsigned n = mb->n_coefficients[i];

    if (!(target->pattern >> i & 1))
      l->kernels->clear (block);
    target->pattern |= (uint8_t) (1 << i);
    for (unsigned k = 0; k < n; k++) {
      unsigned place = l->places[c[k].position];

      block[place] += factor * dequantise (intra, c[k].level,
          matrix[place] * scale);
    }
  }
}

/* Converts a set of places to a set of positions. */
static inline uint64_t
in_scan_order (const M2vLevels * l, uint64_t places_set)
{
  uint64_t set = 0;

  for (; places_set; places_set &= places_set - 1)
    set |= UINT64_C (1) << l->positions[__builtin_ctzll (places_set)];
  return set;
}

static inline const M2vRuns *
runs_of (const M2vLevels * l, bool intra)
{
  return l->runs ? &l->runs[intra && l->picture->intra_vlc_format] : NULL;
}

/* Returns the coefficient as one number. */
static inline uint32_t
load_coefficient (const M2vCoefficient * c)
{
  uint32_t bits;

  memcpy (&bits, c, sizeof bits);
  return bits;
}

/* Gives a block those levels that are `present`, by place, and that are worth
 * their bits, and subtracts their values from the target. Returns true if the
 * levels have changed; a level that is the same keeps its form. Processors
 * cannot predict which levels stay, so there is no branch on that. */
static bool
set_block (const M2vLevels * l, M2vMacroblock * mb, unsigned block,
    uint64_t present, const int16_t levels[64], const uint8_t matrix[64],
    unsigned scale, int32_t target[64])
{
  bool intra = mb->type & M2V_INTRA;
  const M2vRuns *runs = runs_of (l, intra);
  M2vCoefficient *c = mb->coefficients[block];
  unsigned n = 0, n_before = mb->n_coefficients[block];
  int next = intra;             /* position behind the last one */
  uint32_t changed = 0;

  for (present = in_scan_order (l, present); present; present &= present - 1) {
    int position = __builtin_ctzll (present);
    unsigned place = l->places[position];
    int16_t level = levels[place];
    int32_t value = dequantise (intra, level, matrix[place] * scale);
    int longest = runs ? m2v_longest_run (runs, (unsigned) abs (level),
        m2v_worth ((float) abs (target[place]), (float) abs (value),
            l->per_bit)) : 63;
    /* All bits are set if the level stays, none if it does not. */
    int32_t stays = ~((longest - (position - next)) >> 31);
    bool same = (n < n_before) & (c[n].level == level)
        & (c[n].position == position);
    M2vCoefficient after = { level, (uint8_t) position,
      (uint8_t) (c[n].form & -same)
    };
    uint32_t bits = load_coefficient (&c[n]);
    uint32_t change = (load_coefficient (&after) ^ bits) & (uint32_t) stays;

    bits ^= change;
    memcpy (&c[n], &bits, sizeof bits);
    changed |= change;
    target[place] -= value & stays;
    next += (position + 1 - next) & stays;
    n -= (unsigned) stays;
  }
  mb->n_coefficients[block] = (uint8_t) n;
  return n != n_before || changed;
}

bool
m2v_choose_levels (const M2vLevels * l, M2vMacroblockTarget * target,
    unsigned code, M2vMacroblock * mb)
{
  bool intra = mb->type & M2V_INTRA, changed = false;
  unsigned rounding = intra ? l->rounding.intra : l->rounding.non_intra;
  unsigned scale = l->scales[code];
  int16_t levels[64];

  for (unsigned i = 0; i < l->picture->n_blocks; i++) {
    const uint8_t *matrix = l->matrices[m2v_levels_matrix (l, intra, i)];
    uint64_t present = 0;

    if (target->pattern >> i & 1)
      present = l->kernels->quantise (target->block[i], matrix, scale,
          rounding, l->max_level, levels);
    if (intra)
      present &= ~UINT64_C (1);
    changed |= set_block (l, mb, i, present, levels, matrix, scale,
        target->block[i]);
  }
  return changed;
}

static M2vScaledLevel
scale_magnitude (const M2vScaledLevels * s, bool intra, const M2vRuns * runs,
    int magnitude)
{
  int level = m2v_scale_level (&s->scale, intra, magnitude);
  float value = (float) ((2 * magnitude + !intra) * (int) s->scale.from);
  float result = (float) ((2 * level + !intra) * (int) s->scale.to);
  float worth = m2v_worth (value, result, s->per_bit);
  int longest = runs ? m2v_longest_run (runs, (unsigned) level,
      worth * FLAT_WEIGHT * FLAT_WEIGHT) : level > 0 ? 63 : -1;

  return (M2vScaledLevel) {
  (int16_t) level, (int16_t) longest, worth};
}

/* Scales a level of a magnitude that has not been needed yet, or is too large
 * to be kept. */
static NOINLINE const M2vScaledLevel *
new_scaled (M2vScaledLevels * s, bool intra, const M2vRuns * runs,
    int magnitude, M2vScaledLevel * large)
{
  if (magnitude >= M2V_N_SCALED) {
    *large = scale_magnitude (s, intra, runs, magnitude);
    return large;
  }
  for (; s->n <= magnitude; s->n++)
    s->levels[s->n] = scale_magnitude (s, intra, runs, s->n);
  return &s->levels[magnitude];
}

static M2vScaledLevels *
scaled_to (M2vLevels * l, bool intra, unsigned from_code, unsigned code)
{
  const unsigned from = l->scales[from_code], to = l->scales[code];
  M2vScaledLevels *s = &l->scaled[intra][code];

  if (s->scale.from == from && s->per_bit == l->per_bit)
    return s;
  m2v_level_scale_init (&s->scale, &l->rounding, from, to);
  s->per_bit = l->per_bit;
  s->n = 0;
  return s;
}

/* Writes the scaled level and returns whether it stays. There is no branch,
 * because processors could not predict it. */
static inline bool
put_scaled (M2vCoefficient * c, M2vCoefficient before, int level, int run,
    int longest)
{
  c->level = (int16_t) (before.level < 0 ? -level : level);
  c->position = before.position;
  c->form = M2V_FORM_SHORTEST;
  return run <= longest;
}

/* Scales the levels of a block with a flat matrix, or without runs; returns how
 * many stay. */
static NOINLINE unsigned
scale_flat (const M2vLevels * l, M2vScaledLevels * s, bool intra,
    M2vCoefficient * c, unsigned n)
{
  const M2vRuns *runs = runs_of (l, intra);
  unsigned n_left = 0;
  int next = intra;

  for (unsigned k = 0; k < n; k++) {
    const M2vCoefficient before = c[k];
    int magnitude = abs (before.level), position = before.position;
    M2vScaledLevel large;
    const M2vScaledLevel *to = magnitude < s->n ? &s->levels[magnitude]
        : new_scaled (s, intra, runs, magnitude, &large);
    bool stays;

    stays = put_scaled (&c[n_left], before, to->level, position - next,
        to->longest);
    n_left += stays;
    next = stays ? position + 1 : next;
  }
  return n_left;
}

/* Scales the levels of a block by the weights of its matrix; returns how many
 * stay. */
static NOINLINE unsigned
scale_weighted (const M2vLevels * l, M2vScaledLevels * s,
    bool intra, const float squares[64], M2vCoefficient * c, unsigned n)
{
  const M2vRuns *runs = runs_of (l, intra);
  unsigned n_left = 0;
  int next = intra;

  for (unsigned k = 0; k < n; k++) {
    const M2vCoefficient before = c[k];
    int magnitude = abs (before.level), position = before.position;
    M2vScaledLevel large;
    const M2vScaledLevel *to = magnitude < s->n ? &s->levels[magnitude]
        : new_scaled (s, intra, runs, magnitude, &large);
    bool stays;

    stays = put_scaled (&c[n_left], before, to->level, position - next,
        m2v_longest_run (runs, (unsigned) to->level,
            to->worth * squares[position]));
    n_left += stays;
    next = stays ? position + 1 : next;
  }
  return n_left;
}

bool
m2v_levels_scale (M2vLevels * l, unsigned code, M2vMacroblock * mb,
    M2vMacroblockTarget * target)
{
  bool intra = mb->type & M2V_INTRA, fewer = false;
  M2vScaledLevels *s = scaled_to (l, intra, mb->quantiser, code);

  if (target) {
    target->pattern = 0;
    m2v_levels_add (l, mb, mb->quantiser, 1, target);
  }
  for (unsigned coded = m2v_coded_blocks (mb); coded; coded &= coded - 1) {
    unsigned i = (unsigned) __builtin_ctz (coded);
    unsigned matrix = m2v_levels_matrix (l, intra, i);
    M2vCoefficient *c = mb->coefficients[i];
    unsigned n = mb->n_coefficients[i], n_left;

    n_left = !l->runs || l->flat[matrix] ? scale_flat (l, s, intra, c, n)
        : scale_weighted (l, s, intra, l->squares[matrix], c, n);
    mb->n_coefficients[i] = (uint8_t) n_left;
    fewer |= n_left < n;
  }
  if (target)
    m2v_levels_add (l, mb, code, -1, target);
  return fewer;
}

uint64_t
m2v_levels_least_energy (const M2vLevels * l, bool intra, unsigned block,
    unsigned code)
{
  unsigned rounding = intra ? l->rounding.intra : l->rounding.non_intra;
  uint64_t least = (8 - rounding) * 2u * l->scales[code]
      * l->min_weight[m2v_levels_matrix (l, intra, block)];

  /* This is the energy of a single coefficient at the threshold, which is in
   * eighths. */
  return (least * least + 63) / 64;
}

unsigned
m2v_levels_find_targets (const M2vLevels * l,
    const M2vMacroblockTarget * target, bool intra, unsigned block,
    unsigned code, M2vTarget out[64])
{
  const int32_t *values = target->block[block];
  uint64_t present = 0;
  int16_t levels[64];
  unsigned n = 0;

  if (target->pattern >> block & 1)
    present = l->kernels->quantise (values,
        l->matrices[m2v_levels_matrix (l, intra, block)], l->scales[code],
        intra ? NEAREST_INTRA : NEAREST_NON_INTRA, l->max_level, levels);
  if (intra)
    present &= ~UINT64_C (1);
  for (present = in_scan_order (l, present); present; present &= present - 1) {
    unsigned position = (unsigned) __builtin_ctzll (present);

    out[n].value = values[l->places[position]];
    out[n++].position = (uint8_t) position;
  }
  return n;
}
