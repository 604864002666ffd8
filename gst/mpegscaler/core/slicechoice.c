/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "slicechoice.h"

/* The writer stands where the reader does as long as it has not begun. */
static void
follow_source (ScalerSliceRequantizer * r)
{
  const ScalerMacroblock *mb = &r->macroblock;
  ScalerSliceWriter *w = &r->writer;

  w->prediction = mb->before;
  w->address = mb->address - mb->n_skipped - 1;
  w->direction = r->direction;
  w->first = mb->first;
}

static bool
may_skip (ScalerSliceRequantizer * r)
{
  ScalerMacroblock *mb = &r->macroblock;
  const ScalerVector vector = mb->vectors[0][0];
  const uint8_t type = mb->type, motion = mb->motion;
  bool may;

  if (type & SCALER_INTRA)
    return false;
  /* What scaler_macroblock_empty would make of it. */
  mb->type &= SCALER_FORWARD | SCALER_BACKWARD;
  if (mb->type == 0) {
    mb->type = SCALER_FORWARD;
    scaler_macroblock_set_zero (r->picture, mb);
  }
  may = scaler_slice_writer_may_skip (&r->writer, mb);
  mb->type = type;
  mb->motion = motion;
  mb->vectors[0][0] = vector;
  return may;
}

bool
scaler_slice_requantizer_choose (ScalerSliceRequantizer * r, unsigned wanted,
    unsigned *code)
{
  ScalerMacroblock *mb = &r->macroblock;
  unsigned source = mb->quantiser;
  ScalerChoice choice;
  bool changed;

  if (!r->started)
    follow_source (r);
  choice.lambda = scaler_choice_lambda (r->scales[wanted]);
  choice.codes[0] = source;
  choice.codes[1] = wanted > source ? wanted : source;
  choice.codes[2] = r->bound ? r->code : source;
  choice.n_codes = 3;
  choice.in_force = r->bound ? r->code : 0;
  choice.may_skip = may_skip (r);
  choice.increment = mb->address - r->writer.address;
  choice.pattern = r->target.pattern;
  for (unsigned i = 0; i < r->picture->n_blocks; i++) {
    if (choice.pattern >> i & 1)
      scaler_target_in_scan_order (&r->levels, &r->target, i,
          choice.targets[i]);
  }
  *code = scaler_choose_macroblock (&r->chooser, &choice, mb, &changed);
  return changed;
}
