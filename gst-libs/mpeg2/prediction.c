/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The predictors of a macroblock's values (clauses 7.2.1, 7.6.3).
 */
#include <string.h>

#include <mpeg2/macroblock.h>

/* Resets the DC predictors (table 7-2); MPEG-1's 1024 / 8 is that of 8 bits. */
static void
reset_dc (const M2vPictureParams * p, M2vPrediction * at)
{
  for (unsigned i = 0; i < 3; i++)
    at->dc[i] = (int16_t) (128 << p->intra_dc_precision);
}

static void
reset_vectors (M2vPrediction * at)
{
  memset (at->pmv, 0, sizeof at->pmv);
}

void
m2v_prediction_reset (const M2vPictureParams * p, M2vPrediction * at,
    unsigned quantiser)
{
  reset_dc (p, at);
  reset_vectors (at);
  at->quantiser = (uint16_t) quantiser;
}

void
m2v_prediction_skip (const M2vPictureParams * p, M2vPrediction * at)
{
  reset_dc (p, at);
  if (p->type == M2V_PICTURE_P)
    reset_vectors (at);
}

/* Updates the vector predictors (clause 7.6.3.3, table 7-9). */
static void
update_vectors (const M2vPictureParams * p, M2vPrediction * at,
    const M2vMacroblock * mb, unsigned s)
{
  unsigned n = m2v_vector_count (p, mb->motion);
  bool of_field = !m2v_is_field (p) && mb->motion != M2V_MOTION_FRAME;

  for (unsigned r = 0; r < 2; r++) {
    const int16_t *vector = mb->vectors[r < n ? r : 0][s].vector;

    at->pmv[r][s][0] = vector[0];
    at->pmv[r][s][1] = (int16_t) (of_field ? vector[1] * 2 : vector[1]);
  }
}

void
m2v_prediction_advance (const M2vPictureParams * p, M2vPrediction * at,
    const M2vMacroblock * mb)
{
  bool intra = mb->type & M2V_INTRA;

  if (mb->type & M2V_QUANT)
    at->quantiser = mb->quantiser;

  if (intra) {
    at->dc[0] = mb->dc[3];
    at->dc[1] = mb->dc[p->n_blocks - 2];
    at->dc[2] = mb->dc[p->n_blocks - 1];
  } else {
    reset_dc (p, at);
  }

  if (intra ? mb->motion == 0
      : p->type == M2V_PICTURE_P && !(mb->type & M2V_FORWARD)) {
    reset_vectors (at);
    return;
  }
  if (intra || (mb->type & M2V_FORWARD))
    update_vectors (p, at, mb, 0);
  if (mb->type & M2V_BACKWARD)
    update_vectors (p, at, mb, 1);
}
