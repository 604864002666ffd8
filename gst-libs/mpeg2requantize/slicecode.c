/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/slicecode.h>

static bool
is_near (const M2vSliceRewriter * r, unsigned wanted, unsigned in_force)
{
  unsigned a = r->scales[wanted], b = r->scales[in_force];

  return a >= r->settings->hysteresis_from
      && (a > b ? a - b : b - a) <= r->settings->hysteresis;
}

/* True if a coarser quantiser saves bits. Below the scale at which a level of 1
 * becomes 0, it saves almost none: most levels keep their bits, but get errors.
 * With the source's quantiser they are exact unless errors are inherited or the
 * prediction is another. */
static bool
is_of_use (const M2vSliceRewriter * r)
{
  const M2vMacroblock *mb = &r->macroblock;

  return !r->levels.runs || r->inherits || r->moved
      || m2v_ones_are_gone (&r->settings->rounding, mb->type & M2V_INTRA,
      r->scales[mb->quantiser], r->scales[r->wanted]);
}

void
m2v_slice_code_want (M2vSliceRewriter * r, unsigned wanted)
{
  unsigned max = r->settings->max_code;

  r->tally.n_quantised++;
  r->tally.n_coarsest += wanted >= max && r->macroblock.quantiser < max;
  if (wanted >= max || (r->macroblock.quantiser >= max && !r->by_cost)) {
    r->tally.n_at_maximum++;
    wanted = max;
  }
  r->wanted = wanted > 1 ? wanted : 1;
}

unsigned
m2v_slice_code_choose (M2vSliceRewriter * r)
{
  const M2vMacroblock *mb = &r->macroblock;
  unsigned wanted = r->wanted;

  if (r->by_cost)
    return wanted;
  m2v_levels_set_price (&r->levels, r->scales[wanted]);
  if (wanted <= mb->quantiser || !is_of_use (r))
    return mb->quantiser;
  if (r->bound && r->code >= mb->quantiser
      && r->code <= r->settings->max_code && is_near (r, wanted, r->code))
    return r->code;
  return wanted;
}
