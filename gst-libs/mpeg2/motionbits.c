/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/motionbits.h>

#include <stdlib.h>

/* Returns the bits of motion_code and motion_residual (clause 6.2.5.2.1). */
static unsigned
delta_bits (const M2vVlc * vlc, unsigned f_code, int delta)
{
  unsigned magnitude = (unsigned) abs (m2v_vector_wrap (f_code, delta));

  if (magnitude == 0)
    return vlc->motion_codes[M2V_MAX_MOTION_CODE].length;
  magnitude = ((magnitude - 1) >> (f_code - 1)) + 1;
  return vlc->motion_codes[M2V_MAX_MOTION_CODE + magnitude].length + f_code - 1;
}

unsigned
m2v_motion_bits (const M2vPictureParams * p, const M2vVlc * vlc,
    const M2vPrediction * at, unsigned motion, unsigned s,
    const M2vVector * vectors)
{
  unsigned n = m2v_vector_count (p, motion), bits = 0;

  for (unsigned r = 0; r < n; r++) {
    bits += m2v_has_field_select (p, motion);
    for (unsigned t = 0; t < 2; t++)
      bits += delta_bits (vlc, p->f_code[s][t], vectors[r].vector[t]
          - m2v_vector_predictor (p, at, motion, r, s, t))
          + (motion == M2V_MOTION_DUAL_PRIME
          ? vlc->dmvector_codes[vectors[r].dmvector[t] + 1].length : 0);
  }
  return bits;
}
