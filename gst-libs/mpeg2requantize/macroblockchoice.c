/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/macroblockchoice.h>

#include <string.h>

/* Bits of the shortest code of a level, a block's first (table B.14). */
#define LEAST_LEVEL_BITS 2
/* Bits of the end of block (table B.14). */
#define LEAST_END_BITS 2

static void
count_pattern_bits (M2vChooser * c)
{
  const unsigned n = 1 << M2V_PATTERN_BLOCKS;
  unsigned max = 0;

  c->min_pattern_bits = UINT8_MAX;
  for (unsigned pattern = 0; pattern < n; pattern++) {
    unsigned bits = c->vlc->pattern_codes[pattern].length
        + c->picture->n_blocks - M2V_PATTERN_BLOCKS;

    c->pattern_bits[pattern] = (uint8_t) bits;
    if (pattern > 0 && bits < c->min_pattern_bits)
      c->min_pattern_bits = bits;
    if (bits > max)
      max = bits;
  }
  c->pattern_bits_range = max - c->min_pattern_bits;
}

void
m2v_chooser_init (M2vChooser * c, const M2vPictureParams * picture,
    const M2vVlc * vlc, const M2vMatrices * matrices)
{
  c->picture = picture;
  c->vlc = vlc;
  m2v_lengths_init (&c->lengths, picture->mpeg2);
  for (unsigned code = 1; code < 32; code++)
    c->scales[code] = (uint8_t) m2v_quantiser_scale (picture, code);
  for (unsigned i = 0; i < M2V_N_MATRICES; i++) {
    m2v_matrix_in_scan_order (picture, matrices->matrix[i], c->matrices[i]);
    /* 0 is forbidden, and would be a divisor. */
    for (unsigned k = 0; k < 64; k++)
      c->matrices[i][k] += c->matrices[i][k] == 0;
  }
  count_pattern_bits (c);
}

/* Returns a block's quantiser. In 4:2:0 chrominance has luminance's matrix
 * (clause 7.4.2.1). */
static M2vQuantiser
quantiser_for (const M2vChooser * c, bool intra, unsigned block, unsigned code)
{
  unsigned matrix = intra ? M2V_MATRIX_INTRA : M2V_MATRIX_NON_INTRA;
  M2vQuantiser q = {
    .lengths = &c->lengths,
    .intra = intra,
    .table = intra && c->picture->intra_vlc_format,
    .scale = c->scales[code],
  };

  if (c->picture->n_blocks > M2V_PATTERN_BLOCKS && block >= 4)
    matrix += M2V_MATRIX_CHROMA_INTRA;
  q.matrix = c->matrices[matrix];
  return q;
}

/* Finds the blocks that are worth more bits than any pattern's code saves. */
static unsigned
find_sure (const M2vChooser * c, unsigned candidates,
    const int64_t costs[M2V_MAX_BLOCKS], int64_t lambda, int64_t * sum)
{
  unsigned sure = 0;

  for (; candidates; candidates &= candidates - 1) {
    unsigned i = (unsigned) __builtin_ctz (candidates);

    if (costs[i] + lambda * c->pattern_bits_range < 0) {
      sure |= 1u << i;
      *sum += costs[i];
    }
  }
  return sure;
}

/* Chooses the blocks to code, at least one, from the cost that each adds. Sets
 * *cost to the cost of these blocks and the pattern's code. */
static unsigned
choose_pattern (const M2vChooser * c, unsigned candidates,
    const int64_t costs[M2V_MAX_BLOCKS], int64_t lambda, int64_t * cost)
{
  const unsigned mask = (1 << M2V_PATTERN_BLOCKS) - 1;
  int64_t sums[1 << M2V_PATTERN_BLOCKS], sum = 0;
  unsigned beyond = 0, sure, open, best = 0;

  for (unsigned i = M2V_PATTERN_BLOCKS; i < c->picture->n_blocks; i++) {
    if ((candidates >> i & 1) && costs[i] < 0) {
      sum += costs[i];
      beyond |= 1u << i;
    }
  }
  sure = find_sure (c, candidates & mask, costs, lambda, &sum);
  open = candidates & mask & ~sure;
  *cost = M2V_COST_NEVER;
  /* Tries all subsets, each after those with one block less. */
  sums[0] = sum;
  for (unsigned s = 0;; s = (s - open) & open) {
    if (s > 0)
      sums[s] = sums[s & (s - 1)] + costs[__builtin_ctz (s)];
    if (s > 0 || sure > 0 || beyond > 0) {
      sum = sums[s] + lambda * c->pattern_bits[sure | s];
      if (sum < *cost) {
        *cost = sum;
        best = s;
      }
    }
    if (s == open)
      break;
  }
  return beyond | sure | best;
}

static unsigned
type_bits (const M2vChooser * c, unsigned type)
{
  unsigned bits =
      c->vlc->type_codes[c->picture->type - M2V_PICTURE_I][type].length;

  if (type & M2V_QUANT)
    bits += M2V_QUANTISER_BITS;
  if ((type & (M2V_INTRA | M2V_PATTERN)) && !m2v_is_field (c->picture)
      && !c->picture->frame_pred_frame_dct)
    bits++;                     /* dct_type */
  return bits;
}

static unsigned
increment_bits (unsigned increment)
{
  unsigned n = (increment - 1) / M2V_MAX_ADDRESS_INCREMENT;

  return n * m2v_address_escape.length
      + m2v_address_increments[increment
      - n * M2V_MAX_ADDRESS_INCREMENT].length;
}

/* Returns the bits of vectors that equal their predictors, as those of skipped
 * macroblocks do; in P it is the minimum. */
static unsigned
motion_bits (const M2vChooser * c, unsigned type)
{
  unsigned n = ((type & M2V_FORWARD) != 0) + ((type & M2V_BACKWARD) != 0);
  bool field = m2v_is_field (c->picture);

  if (n == 0)
    return 0;
  return n * (2 + field) + (field || !c->picture->frame_pred_frame_dct ? 2 : 0);
}

/* Returns the bits of a macroblock that is not skipped without its vectors and
 * blocks, and of the next one's increment. */
static unsigned
header_bits (const M2vChooser * c, const M2vChoice * choice, unsigned type)
{
  return increment_bits (choice->increment) + increment_bits (1)
      + type_bits (c, type);
}

/* Returns the cost without coefficients. A skipped macroblock transmits no
 * vectors. */
static int64_t
empty_cost (const M2vChooser * c, const M2vChoice * choice,
    const M2vMacroblock * mb)
{
  unsigned type = mb->type & (M2V_FORWARD | M2V_BACKWARD);
  unsigned bits;

  if (choice->may_skip)
    return choice->lambda * ((int64_t) increment_bits (choice->increment + 1)
        - motion_bits (c, type));
  bits = header_bits (c, choice, type ? type : M2V_FORWARD);
  if (type == 0)
    bits += motion_bits (c, M2V_FORWARD);
  return choice->lambda * bits;
}

/* Returns the cost without blocks and pattern. Intra macroblocks without
 * coefficients need no quantiser. */
static int64_t
fixed_cost (const M2vChooser * c, const M2vChoice * choice,
    const M2vMacroblock * mb, unsigned code, bool coded)
{
  unsigned type = mb->type & ~(unsigned) M2V_QUANT;

  if (coded && code != choice->in_force)
    type |= M2V_QUANT;
  if (mb->type & M2V_INTRA)
    return choice->lambda * type_bits (c, type);
  return choice->lambda * header_bits (c, choice, type | M2V_PATTERN);
}

/* Returns the least cost that a block adds. It may be left out if it is not
 * intra. */
static inline int64_t
least_cost (bool intra, int64_t cost)
{
  return intra || cost < 0 ? cost : 0;
}

/* Finds the candidates of all blocks; returns their least cost. */
static int64_t
find_candidates (M2vChooser * c, const M2vChoice * choice, bool intra,
    unsigned code)
{
  int64_t least = intra ? 0 : choice->lambda * c->min_pattern_bits;

  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    M2vQuantiser q = quantiser_for (c, intra, i, code);

    c->candidates[i].n = 0;
    c->candidates[i].least_cost = 0;
    if (choice->n_targets[i] > 0)
      m2v_find_candidates (&q, choice->lambda, choice->targets[i],
          choice->n_targets[i], &c->candidates[i]);
    least += least_cost (intra, c->candidates[i].least_cost);
  }
  return least;
}

/* Chooses each block's coefficients, and sets the cost that it adds. `least` is
 * the least total cost. Returns false as soon as that reaches the limit. */
static bool
choose_blocks (const M2vChooser * c, const M2vChoice * choice, bool intra,
    int64_t least, int64_t limit, M2vWay * way, int64_t costs[M2V_MAX_BLOCKS])
{
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    const M2vCandidates *candidates = &c->candidates[i];
    M2vQuantiser q = quantiser_for (c, intra, i, way->code);
    M2vBlockCost block;

    way->n[i] = 0;
    costs[i] = candidates->least_cost;
    if (candidates->n == 0)
      continue;
    if (least >= limit)
      return false;
    way->n[i] = (uint8_t) m2v_choose_block (&q, choice->lambda, candidates,
        way->coefficients[i], &block);
    costs[i] = m2v_block_cost (&block, choice->lambda);
    least += least_cost (intra, costs[i])
        - least_cost (intra, candidates->least_cost);
  }
  return least < limit;
}

/* Leaves out the blocks that are not in the pattern. */
static void
set_pattern (const M2vChooser * c, M2vWay * way, unsigned pattern)
{
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    if (!(pattern >> i & 1))
      way->n[i] = 0;
  }
}

/* Returns a bound of what the macroblock costs with coefficients, whatever the
 * code: those that are coded are exact and have the shortest code. */
static int64_t
bound_cost (const M2vChooser * c, const M2vChoice * choice)
{
  const int64_t coefficient = choice->lambda * LEAST_LEVEL_BITS;
  int64_t sum = choice->lambda * c->min_pattern_bits;

  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    int64_t cost = choice->lambda * LEAST_END_BITS;

    for (unsigned k = 0; k < choice->n_targets[i]; k++) {
      const int64_t value = choice->targets[i][k].value;
      const int64_t gain = value * value - coefficient;

      cost -= gain > 0 ? gain : 0;
    }
    sum += cost < 0 ? cost : 0;
  }
  return sum;
}

/* Finds the best way with the code; returns false if it costs at least the
 * limit. */
static bool
try_code (M2vChooser * c, const M2vChoice * choice,
    const M2vMacroblock * mb, unsigned code, int64_t limit, M2vWay * way)
{
  const bool intra = mb->type & M2V_INTRA;
  int64_t least = fixed_cost (c, choice, mb, code, !intra)
      + find_candidates (c, choice, intra, code);
  int64_t costs[M2V_MAX_BLOCKS];
  unsigned present = 0;

  way->code = code;
  way->cost = 0;
  if (!choose_blocks (c, choice, intra, least, limit, way, costs))
    return false;
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    present |= (unsigned) (way->n[i] > 0) << i;
    way->cost += costs[i];
  }
  if (!intra)
    set_pattern (c, way, choose_pattern (c, present, costs, choice->lambda,
            &way->cost));
  way->cost += fixed_cost (c, choice, mb, code, present > 0);
  return way->cost < limit;
}

static bool
is_repeated (const M2vChoice * choice, unsigned k)
{
  for (unsigned i = 0; i < k; i++) {
    if (choice->codes[i] == choice->codes[k])
      return true;
  }
  return false;
}

/* Sets the coefficients; returns true if they have changed. */
static bool
set_coefficients (const M2vChooser * c, const M2vWay * way, M2vMacroblock * mb)
{
  bool changed = false;

  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    unsigned n = way->n[i];

    changed = changed || n != mb->n_coefficients[i];
    for (unsigned k = 0; k < n && !changed; k++)
      changed = way->coefficients[i][k].level != mb->coefficients[i][k].level
          || way->coefficients[i][k].position
          != mb->coefficients[i][k].position;
    if (!changed)
      continue;
    mb->n_coefficients[i] = (uint8_t) n;
    memcpy (mb->coefficients[i], way->coefficients[i],
        n * sizeof *way->coefficients[i]);
  }
  return changed;
}

/* Sets the first way: no coefficients, which non-intra macroblocks may have
 * with any code. */
static void
begin_best (const M2vChooser * c, const M2vChoice * choice,
    const M2vMacroblock * mb, M2vWay * best)
{
  best->code = choice->codes[0];
  best->cost = mb->type & M2V_INTRA ? M2V_COST_NEVER :
      empty_cost (c, choice, mb);
  memset (best->n, 0, sizeof best->n);
}

unsigned
m2v_choose_macroblock (M2vChooser * c, const M2vChoice * choice,
    M2vMacroblock * mb, bool *changed)
{
  M2vWay *best = &c->ways[0], *other = &c->ways[1];

  begin_best (c, choice, mb, best);
  if (!(mb->type & M2V_INTRA) && bound_cost (c, choice)
      + fixed_cost (c, choice, mb, choice->in_force, false) >= best->cost) {
    *changed = set_coefficients (c, best, mb);
    return best->code;
  }
  for (unsigned k = 0; k < choice->n_codes; k++) {
    if (!is_repeated (choice, k)
        && try_code (c, choice, mb, choice->codes[k], best->cost, other)) {
      M2vWay *worse = best;

      best = other;
      other = worse;
    }
  }
  *changed = set_coefficients (c, best, mb);
  return best->code;
}
