/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/slicevectors.h>

#include <mpeg2requantize/slicetarget.h>

/* Bits of vectors of which nothing can be saved: two vectors that equal their
 * predictors, and motion_type. */
#define LEAST_BITS 6

/* What is skipped behind a macroblock of B is predicted as it is (clause
 * 7.6.6), so that macroblock stays. In P it has a zero vector. */
bool
m2v_slice_vectors_may_change (M2vSliceRewriter * r)
{
  const M2vMacroblock *mb = &r->macroblock;

  /* 0: not known, but many. */
  return r->vectors && !(mb->type & M2V_INTRA)
      && (mb->type & (M2V_FORWARD | M2V_BACKWARD))
      && (mb->n_motion_bits > LEAST_BITS || mb->n_motion_bits == 0)
      && (r->picture->type == M2V_PICTURE_P
      || m2v_slice_reader_skips_none (&r->reader));
}

/* Adds what the chosen prediction lacks to the errors that the macroblock
 * inherits. */
static void
inherit (M2vSliceRewriter * r)
{
  if (r->drift) {
    m2v_drift_macroblock (r->drift, &r->macroblock);
    m2v_drift_add (r->drift, &r->vectors->difference);
  } else {
    m2v_drift_use (&r->frames->loop, &r->vectors->difference);
  }
  r->moved = r->inherits = true;
  m2v_slice_target_measure (r);
}

bool
m2v_slice_vectors_choose (M2vSliceRewriter * r)
{
  /* Where nothing has to be saved, nothing is. */
  if (!m2v_slice_vectors_may_change (r) || r->scales[r->wanted]
      <= r->coarser * r->scales[r->macroblock.quantiser])
    return false;
  if (!r->started)
    m2v_slice_rewriter_place (r);
  if (!m2v_choose_vectors (r->vectors, &r->levels, &r->writer,
          m2v_lambda (r->scales[r->wanted]), &r->macroblock))
    return false;
  inherit (r);
  return true;
}
