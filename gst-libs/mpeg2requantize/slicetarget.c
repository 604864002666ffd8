/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/slicetarget.h>

/* Returns the errors of a block: those that it inherits, and what another
 * prediction lacks. */
static M2vErrorBlock
error_block (const M2vSliceRewriter * r, unsigned block)
{
  return m2v_drift_block (r->drift ? r->drift : &r->frames->loop,
      r->macroblock.field_dct, block);
}

void
m2v_slice_target_measure (M2vSliceRewriter * r)
{
  const M2vMacroblock *mb = &r->macroblock;

  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    M2vErrorBlock errors;

    r->energies[i] = UINT32_MAX;
    if (mb->n_coefficients[i] > 0)
      continue;
    errors = error_block (r, i);
    r->energies[i] = r->levels.kernels->energy (errors.samples, errors.stride);
  }
}

bool
m2v_slice_target_inherit (M2vSliceRewriter * r)
{
  if (!r->drift || !m2v_drift_macroblock (r->drift, &r->macroblock))
    return false;
  m2v_slice_target_measure (r);
  return true;
}

static bool
block_needs (const M2vSliceRewriter * r, unsigned block, unsigned code)
{
  return r->energies[block] >= m2v_levels_least_energy (&r->levels, false,
      block, code);
}

bool
m2v_slice_target_needs (const M2vSliceRewriter * r, unsigned code)
{
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    if (block_needs (r, i, code))
      return true;
  }
  return false;
}

void
m2v_slice_target_set (M2vSliceRewriter * r, bool inherits, unsigned code)
{
  const M2vMacroblock *mb = &r->macroblock;
  M2vMacroblockTarget *target = &r->target;

  target->pattern = 0;
  for (unsigned i = 0; inherits && i < r->picture->n_blocks; i++) {
    M2vErrorBlock errors;

    if (!block_needs (r, i, code))
      continue;
    errors = error_block (r, i);
    r->levels.kernels->forward (errors.samples, errors.stride,
        target->block[i]);
    target->pattern |= (uint8_t) (1 << i);
  }
  m2v_levels_add (&r->levels, mb, mb->quantiser, 1, target);
}

void
m2v_slice_target_store (M2vSliceRewriter * r)
{
  M2vDriftLoop *d = r->drift;

  if (!d || !d->stores || r->target.pattern == 0)
    return;
  m2v_drift_touch (d);
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    M2vErrorBlock errors;

    if (!(r->target.pattern >> i & 1))
      continue;
    errors = m2v_drift_block (d, r->macroblock.field_dct, i);
    r->levels.kernels->inverse (r->target.block[i], errors.samples,
        errors.stride);
  }
}
