/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/macroblockchoice.h>

#include <string.h>

/* A cost beyond all, with room for more. */
#define NEVER (INT64_MAX / 2)

/* Blocks whose pattern has a code: those beyond have a bit of their own. */
#define N_PATTERN_BLOCKS 6

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
    /* 0 is forbidden, and would be divided by. */
    for (unsigned k = 0; k < 64; k++)
      c->matrices[i][k] += c->matrices[i][k] == 0;
  }
}

/* Clause 7.4.2.1: in 4:2:0 chrominance has luminance's matrix. */
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

  if (c->picture->n_blocks > N_PATTERN_BLOCKS && block >= 4)
    matrix += M2V_MATRIX_CHROMA_INTRA;
  q.matrix = c->matrices[matrix];
  return q;
}

/* Of a pattern that is not intra's; by bits as in M2vMacroblock. */
static unsigned
pattern_bits (const M2vChooser * c, unsigned pattern)
{
  unsigned cbp = 0;

  for (unsigned i = 0; i < N_PATTERN_BLOCKS; i++)
    cbp |= (pattern >> i & 1) << (N_PATTERN_BLOCKS - 1 - i);
  return c->vlc->pattern_codes[cbp].length + c->picture->n_blocks
      - N_PATTERN_BLOCKS;
}

/* Which blocks to code, given what each adds to the cost where it is; at least
 * one. Sets *cost to what they add together with the pattern's code. */
static unsigned
choose_pattern (const M2vChooser * c, unsigned candidates,
    const int64_t costs[M2V_MAX_BLOCKS], int64_t lambda, int64_t * cost)
{
  const unsigned mask = (1 << N_PATTERN_BLOCKS) - 1;
  int64_t sums[1 << N_PATTERN_BLOCKS], beyond = 0;
  unsigned pattern = 0, best = 0;

  for (unsigned i = N_PATTERN_BLOCKS; i < c->picture->n_blocks; i++) {
    if ((candidates >> i & 1) && costs[i] < 0) {
      beyond += costs[i];
      pattern |= 1u << i;
    }
  }
  *cost = NEVER;
  /* All subsets, each after those it has one block more than. */
  sums[0] = beyond;
  for (unsigned s = 0;; s = (s - candidates) & candidates & mask) {
    if (s > 0)
      sums[s] = sums[s & (s - 1)] + costs[__builtin_ctz (s)];
    if (s > 0 || pattern > 0) {
      int64_t sum = sums[s] + lambda * pattern_bits (c, s);

      if (sum < *cost) {
        *cost = sum;
        best = s;
      }
    }
    if (s == (candidates & mask))
      break;
  }
  return pattern | best;
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

/* Of vectors that are as predicted, which those of skipped macroblocks are (in
 * P at the least). */
static unsigned
motion_bits (const M2vChooser * c, unsigned type)
{
  unsigned n = ((type & M2V_FORWARD) != 0) + ((type & M2V_BACKWARD) != 0);
  bool field = m2v_is_field (c->picture);

  if (n == 0)
    return 0;
  return n * (2 + field) + (field || !c->picture->frame_pred_frame_dct ? 2 : 0);
}

/* Bits of the macroblock but for its vectors and blocks, and of the next one's
 * increment, where this is not skipped. */
static unsigned
header_bits (const M2vChooser * c, const M2vChoice * choice, unsigned type)
{
  return increment_bits (choice->increment) + increment_bits (1)
      + type_bits (c, type);
}

/* Without coefficients. Skipped, it has no vectors to transmit. */
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

/* Chooses each block's coefficients; returns which have any, and sets what each
 * adds to the cost. */
static unsigned
choose_blocks (const M2vChooser * c, bool intra, unsigned code,
    int64_t lambda, M2vWay * way, int64_t costs[M2V_MAX_BLOCKS])
{
  unsigned present = 0;

  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    M2vQuantiser q = quantiser_for (c, intra, i, code);
    M2vBlockCost block;

    way->n[i] = 0;
    costs[i] = 0;
    if (c->n_targets[i] == 0)
      continue;
    way->n[i] = (uint8_t) m2v_choose_block (&q, lambda, c->targets[i],
        c->n_targets[i], way->coefficients[i], &block);
    costs[i] = m2v_block_cost (&block, lambda);
    present |= (unsigned) (way->n[i] > 0) << i;
  }
  return present;
}

static void
try_code (const M2vChooser * c, const M2vChoice * choice,
    const M2vMacroblock * mb, unsigned code, M2vWay * way)
{
  bool intra = mb->type & M2V_INTRA;
  unsigned type = mb->type & ~(unsigned) M2V_QUANT, present;
  int64_t costs[M2V_MAX_BLOCKS], empty;

  way->code = code;
  way->cost = 0;
  present = choose_blocks (c, intra, code, choice->lambda, way, costs);
  if (present > 0 && code != choice->in_force)
    type |= M2V_QUANT;
  if (intra) {
    for (unsigned i = 0; i < c->picture->n_blocks; i++)
      way->cost += costs[i];
    way->cost += choice->lambda * type_bits (c, type);
    return;
  }
  empty = empty_cost (c, choice, mb);
  if (present > 0)
    present = choose_pattern (c, present, costs, choice->lambda, &way->cost);
  way->cost += choice->lambda * header_bits (c, choice, type | M2V_PATTERN);
  if (present == 0 || empty <= way->cost) {
    way->cost = empty;
    present = 0;
  }
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    if (!(present >> i & 1))
      way->n[i] = 0;
  }
}

static void
find_targets (M2vChooser * c, const M2vChoice * choice, bool intra)
{
  unsigned finest = choice->codes[0];

  for (unsigned k = 1; k < choice->n_codes; k++) {
    if (choice->codes[k] < finest)
      finest = choice->codes[k];
  }
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    M2vQuantiser q = quantiser_for (c, intra, i, finest);

    c->n_targets[i] = 0;
    if (choice->pattern >> i & 1)
      c->n_targets[i] = m2v_find_targets (&q, choice->targets[i],
          c->targets[i]);
  }
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

/* True where they are others than it had. */
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

unsigned
m2v_choose_macroblock (M2vChooser * c, const M2vChoice * choice,
    M2vMacroblock * mb, bool *changed)
{
  M2vWay *best = &c->ways[0], *other = &c->ways[1];

  find_targets (c, choice, mb->type & M2V_INTRA);
  for (unsigned k = 0; k < choice->n_codes; k++) {
    if (is_repeated (choice, k))
      continue;
    try_code (c, choice, mb, choice->codes[k], k == 0 ? best : other);
    if (k > 0 && other->cost < best->cost) {
      M2vWay *worse = best;

      best = other;
      other = worse;
    }
  }
  *changed = set_coefficients (c, best, mb);
  return best->code;
}
