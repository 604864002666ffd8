/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a macroblock is coded against (clauses 7.2.1, 7.6.3).
 */
#include <string.h>

#include "macroblock.h"

/* Table 7-2; MPEG-1's 1024 / 8 is that of 8 bits. */
static void
reset_dc (const ScalerPicture * p, ScalerPrediction * at)
{
  for (unsigned i = 0; i < 3; i++)
    at->dc[i] = (int16_t) (128 << p->intra_dc_precision);
}

static void
reset_vectors (ScalerPrediction * at)
{
  memset (at->pmv, 0, sizeof at->pmv);
}

void
scaler_prediction_reset (const ScalerPicture * p, ScalerPrediction * at,
    unsigned quantiser)
{
  reset_dc (p, at);
  reset_vectors (at);
  at->quantiser = (uint16_t) quantiser;
}

void
scaler_prediction_skip (const ScalerPicture * p, ScalerPrediction * at)
{
  reset_dc (p, at);
  if (p->type == MPEG_PICTURE_P)
    reset_vectors (at);
}

/* Clause 7.6.3.3, table 7-9. */
static void
update_vectors (const ScalerPicture * p, ScalerPrediction * at,
    const ScalerMacroblock * mb, unsigned s)
{
  unsigned n = scaler_vector_count (p, mb->motion);
  bool of_field = !scaler_is_field (p) && mb->motion != SCALER_MOTION_FRAME;

  for (unsigned r = 0; r < 2; r++) {
    const int16_t *vector = mb->vectors[r < n ? r : 0][s].vector;

    at->pmv[r][s][0] = vector[0];
    at->pmv[r][s][1] = (int16_t) (of_field ? vector[1] * 2 : vector[1]);
  }
}

void
scaler_prediction_advance (const ScalerPicture * p, ScalerPrediction * at,
    const ScalerMacroblock * mb)
{
  bool intra = mb->type & SCALER_INTRA;

  if (mb->type & SCALER_QUANT)
    at->quantiser = mb->quantiser;

  if (intra) {
    at->dc[0] = mb->dc[3];
    at->dc[1] = mb->dc[p->n_blocks - 2];
    at->dc[2] = mb->dc[p->n_blocks - 1];
  } else {
    reset_dc (p, at);
  }

  if (intra ? mb->motion == 0
      : p->type == MPEG_PICTURE_P && !(mb->type & SCALER_FORWARD)) {
    reset_vectors (at);
    return;
  }
  if (intra || (mb->type & SCALER_FORWARD))
    update_vectors (p, at, mb, 0);
  if (mb->type & SCALER_BACKWARD)
    update_vectors (p, at, mb, 1);
}
