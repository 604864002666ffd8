/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/slicechoice.h>

static bool
may_skip (M2vSliceRewriter * r)
{
  M2vMacroblock *mb = &r->macroblock;
  const M2vVector vector = mb->vectors[0][0];
  const uint8_t type = mb->type, motion = mb->motion;
  bool may;

  if (type & M2V_INTRA)
    return false;
  /* The macroblock becomes what m2v_macroblock_empty makes of it. */
  mb->type &= M2V_FORWARD | M2V_BACKWARD;
  if (mb->type == 0) {
    mb->type = M2V_FORWARD;
    m2v_macroblock_set_zero (r->picture, mb);
  }
  may = m2v_slice_writer_may_skip (&r->writer, mb);
  mb->type = type;
  mb->motion = motion;
  mb->vectors[0][0] = vector;
  return may;
}

/* Finds the targets for the finest of the codes. */
static void
find_targets (const M2vSliceRewriter * r, M2vChoice * choice)
{
  unsigned finest = choice->codes[0];

  for (unsigned k = 1; k < choice->n_codes; k++) {
    if (choice->codes[k] < finest)
      finest = choice->codes[k];
  }
  for (unsigned i = 0; i < r->picture->n_blocks; i++)
    choice->n_targets[i] = m2v_levels_find_targets (&r->levels, &r->target,
        r->macroblock.type & M2V_INTRA, i, finest, choice->targets[i]);
}

bool
m2v_slice_choice_make (M2vSliceRewriter * r, unsigned wanted, unsigned *code)
{
  M2vMacroblock *mb = &r->macroblock;
  unsigned source = mb->quantiser;
  M2vChoice choice;
  bool changed;

  if (!r->started)
    m2v_slice_rewriter_place (r);
  choice.lambda = m2v_lambda (r->scales[wanted]);
  choice.codes[0] = source;
  choice.codes[1] = wanted > source ? wanted : source;
  choice.codes[2] = r->bound ? r->code : source;
  choice.n_codes = 3;
  choice.in_force = r->bound ? r->code : 0;
  choice.may_skip = may_skip (r);
  choice.increment = mb->address - r->writer.address;
  find_targets (r, &choice);
  *code = m2v_choose_macroblock (&r->chooser, &choice, mb, &changed);
  return changed;
}
