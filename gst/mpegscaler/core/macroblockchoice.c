/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "macroblockchoice.h"

#include <string.h>

#define QUANTISER_BITS 5

/* Blocks whose pattern has a code: those beyond have a bit of their own. */
#define N_PATTERN_BLOCKS 6

void
scaler_chooser_init (ScalerChooser * c, const ScalerPicture * picture,
    const ScalerVlc * vlc, const uint8_t * const matrices[2][2])
{
  c->picture = picture;
  c->vlc = vlc;
  memcpy (c->matrices, matrices, sizeof c->matrices);
  scaler_lengths_init (&c->lengths, picture->mpeg2);
  for (unsigned code = 1; code < 32; code++)
    c->scales[code] = (uint8_t) scaler_quantiser_scale (picture, code);
}

int64_t
scaler_choice_lambda (double k, unsigned scale)
{
  return (int64_t) (k * scale * scale * 1024);
}

static ScalerQuantiser
quantiser_for (const ScalerChooser * c, bool intra, unsigned block,
    unsigned code)
{
  ScalerQuantiser q = {
    .picture = c->picture,
    .vlc = c->vlc,
    .intra = intra,
    .scale = c->scales[code],
    .matrix = c->matrices[intra][block >= 4]
  };

  return q;
}

/* Of a pattern that is not intra's; by bits as in ScalerMacroblock. */
static unsigned
pattern_bits (const ScalerChooser * c, unsigned pattern)
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
choose_pattern (const ScalerChooser * c, unsigned candidates,
    const int64_t costs[SCALER_MAX_BLOCKS], int64_t lambda, int64_t * cost)
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
  *cost = INT64_MAX;
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
type_bits (const ScalerChooser * c, unsigned type)
{
  unsigned bits =
      c->vlc->type_codes[c->picture->type - MPEG_PICTURE_I][type].length;

  if (type & SCALER_QUANT)
    bits += QUANTISER_BITS;
  if ((type & (SCALER_INTRA | SCALER_PATTERN)) && !scaler_is_field (c->picture)
      && !c->picture->frame_pred_frame_dct)
    bits++;                     /* dct_type */
  return bits;
}

static unsigned
increment_bits (unsigned increment)
{
  unsigned n = (increment - 1) / MPEG_MAX_ADDRESS_INCREMENT;

  return n * mpeg_address_escape.length
      + mpeg_address_increments[increment
      - n * MPEG_MAX_ADDRESS_INCREMENT].length;
}

/* Without coefficients. Skipped, it lengthens the next one's increment; else
 * that one has one of its own, of 1. */
static int64_t
empty_cost (const ScalerChooser * c, const ScalerChoice * choice,
    const ScalerMacroblock * mb)
{
  unsigned type = mb->type & (SCALER_FORWARD | SCALER_BACKWARD);
  unsigned bits;

  if (choice->may_skip) {
    bits = increment_bits (choice->increment + 1);
    return choice->lambda * bits;
  }
  bits = increment_bits (choice->increment) + 1
      + type_bits (c, type ? type : SCALER_FORWARD);
  if (type == 0)
    bits += 2;                  /* a zero vector, at best */
  return choice->lambda * bits;
}

/* With a code: fills *way. */
static void
try_code (const ScalerChooser * c, const ScalerChoice * choice,
    const ScalerMacroblock * mb, unsigned code, struct ScalerWay *way)
{
  bool intra = mb->type & SCALER_INTRA;
  int64_t costs[SCALER_MAX_BLOCKS], cost = 0;
  unsigned candidates = 0, pattern, type, bits;
  bool any = false;

  way->code = code;
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    ScalerQuantiser q = quantiser_for (c, intra, i, code);
    ScalerBlockCost block;

    way->n[i] = 0;
    if (c->n_targets[i] == 0)
      continue;
    way->n[i] = (uint8_t) scaler_choose_block (&q, &c->lengths,
        choice->lambda, c->targets[i], c->n_targets[i],
        way->coefficients[i], &block);
    costs[i] = scaler_block_cost (&block, choice->lambda);
    any = any || way->n[i] > 0;
    if (intra)
      cost += costs[i];
    else if (way->n[i] > 0)
      candidates |= 1u << i;
  }
  type = mb->type & ~(unsigned) SCALER_QUANT;
  if (!intra && candidates == 0) {
    way->cost = empty_cost (c, choice, mb);
    way->code = choice->in_force;
    return;
  }
  pattern = 0xff;
  if (!intra) {
    pattern = choose_pattern (c, candidates, costs, choice->lambda, &cost);
    type |= SCALER_PATTERN;
  }
  if (any && code != choice->in_force)
    type |= SCALER_QUANT;
  bits = increment_bits (choice->increment) + 1 + type_bits (c, type);
  way->cost = cost + choice->lambda * bits;
  if (!intra) {
    int64_t empty = empty_cost (c, choice, mb);

    if (empty <= way->cost) {
      way->cost = empty;
      pattern = 0;
    }
  }
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    if (!(pattern >> i & 1))
      way->n[i] = 0;
  }
  if (pattern == 0 || !any)
    way->code = choice->in_force;
}

static void
find_targets (ScalerChooser * c, const ScalerChoice * choice, bool intra)
{
  unsigned finest = choice->codes[0];

  for (unsigned k = 1; k < choice->n_codes; k++) {
    if (choice->codes[k] < finest)
      finest = choice->codes[k];
  }
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    ScalerQuantiser q = quantiser_for (c, intra, i, finest);

    c->n_targets[i] = 0;
    if (choice->present >> i & 1)
      c->n_targets[i] = scaler_find_targets (&q, choice->targets[i],
          c->targets[i]);
  }
}

void
scaler_choose_macroblock (ScalerChooser * c, const ScalerChoice * choice,
    ScalerMacroblock * mb)
{
  struct ScalerWay *best = &c->ways[0], *other = &c->ways[1];

  find_targets (c, choice, mb->type & SCALER_INTRA);
  for (unsigned k = 0; k < choice->n_codes; k++) {
    try_code (c, choice, mb, choice->codes[k], k == 0 ? best : other);
    if (k > 0 && other->cost < best->cost) {
      struct ScalerWay *worse = best;

      best = other;
      other = worse;
    }
  }
  mb->quantiser = (uint8_t) best->code;
  for (unsigned i = 0; i < c->picture->n_blocks; i++) {
    mb->n_coefficients[i] = best->n[i];
    memcpy (mb->coefficients[i], best->coefficients[i],
        best->n[i] * sizeof *best->coefficients[i]);
  }
}
