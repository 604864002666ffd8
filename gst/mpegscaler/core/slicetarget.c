/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "slicetarget.h"

bool
scaler_slice_target_inherit (ScalerSliceRequantizer * r)
{
  const ScalerMacroblock *mb = &r->macroblock;

  if (!r->drift || !scaler_drift_macroblock (r->drift, mb))
    return false;
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    ScalerErrorBlock errors;

    r->energies[i] = UINT32_MAX;
    if (mb->n_coefficients[i] > 0)
      continue;
    errors = scaler_drift_block (r->drift, mb->field_dct, i);
    r->energies[i] = r->levels.kernels->energy (errors.samples, errors.stride);
  }
  return true;
}

static bool
block_needs (const ScalerSliceRequantizer * r, unsigned block, unsigned code)
{
  return r->energies[block] >= scaler_levels_least_energy (&r->levels, false,
      block, code);
}

bool
scaler_slice_target_needs (const ScalerSliceRequantizer * r, unsigned code)
{
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    if (block_needs (r, i, code))
      return true;
  }
  return false;
}

void
scaler_slice_target_set (ScalerSliceRequantizer * r, bool inherits,
    unsigned code)
{
  const ScalerMacroblock *mb = &r->macroblock;
  ScalerMacroblockTarget *target = &r->target;

  target->pattern = 0;
  for (unsigned i = 0; inherits && i < r->picture->n_blocks; i++) {
    ScalerErrorBlock errors;

    if (!block_needs (r, i, code))
      continue;
    errors = scaler_drift_block (r->drift, mb->field_dct, i);
    r->levels.kernels->forward (errors.samples, errors.stride,
        target->block[i]);
    target->pattern |= (uint8_t) (1 << i);
  }
  scaler_levels_add (&r->levels, mb, mb->quantiser, 1, target);
}

void
scaler_slice_target_store (ScalerSliceRequantizer * r)
{
  ScalerDriftLoop *d = r->drift;

  if (!d || !d->stores || r->target.pattern == 0)
    return;
  scaler_drift_touch (d);
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    ScalerErrorBlock errors;

    if (!(r->target.pattern >> i & 1))
      continue;
    errors = scaler_drift_block (d, r->macroblock.field_dct, i);
    r->levels.kernels->inverse (r->target.block[i], errors.samples,
        errors.stride);
  }
}
