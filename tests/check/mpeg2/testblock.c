/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "testblock.h"

#include <math.h>
#include <string.h>

/* Clause 7.4.2.1: chrominance has matrices of its own in 4:2:2. */
static const guint8 *
choose_matrix (const M2vPictureParams * picture, const M2vMatrices * matrices,
    gboolean intra, guint block)
{
  if (picture->n_blocks > 6 && block >= 4)
    return matrices->matrix[intra ? M2V_MATRIX_CHROMA_INTRA
        : M2V_MATRIX_CHROMA_NON_INTRA];
  return matrices->matrix[intra ? M2V_MATRIX_INTRA : M2V_MATRIX_NON_INTRA];
}

static gint
saturate (gint value)
{
  return CLAMP (value, -2048, 2047);
}

/* Clause 7.4.2.3. MPEG-1 makes it odd, towards zero. */
static gint
dequantise (const M2vPictureParams * picture, gboolean intra, gint level,
    gint scale)
{
  gint sign = level > 0 ? 1 : -1;
  gint value = (2 * level + (intra ? 0 : sign)) * scale / 32;

  if (!picture->mpeg2 && value != 0 && value % 2 == 0)
    value -= sign;
  return saturate (value);
}

void
test_dequantise (const M2vPictureParams * picture, const M2vMatrices * matrices,
    const M2vMacroblock * mb, guint block, gint out[64])
{
  gboolean intra = (mb->type & M2V_INTRA) != 0;
  gint scale = m2v_quantiser_scale (picture, mb->quantiser), sum = 0;
  guint8 weights[64];

  m2v_matrix_in_scan_order (picture, choose_matrix (picture, matrices,
          intra, block), weights);
  memset (out, 0, 64 * sizeof *out);
  if (intra)
    out[0] = sum = mb->dc[block] * (8 >> picture->intra_dc_precision);
  for (guint i = 0; i < mb->n_coefficients[block]; i++) {
    const M2vCoefficient *c = &mb->coefficients[block][i];
    gint value = dequantise (picture, intra, c->level,
        weights[c->position] * scale);

    out[m2v_scan_tables[picture->alternate_scan][c->position]] = value;
    sum += value;
  }
  /* Clause 7.4.4. */
  if (picture->mpeg2 && sum % 2 == 0)
    out[63] += out[63] % 2 == 0 ? 1 : -1;
}

/* C(u) / 2 * cos ((2 x + 1) u pi / 16), annex A. */
static const gdouble *
basis (void)
{
  static gdouble table[64];

  if (table[0] == 0) {
    for (guint u = 0; u < 8; u++) {
      for (guint x = 0; x < 8; x++)
        table[8 * u + x] = (u == 0 ? G_SQRT2 / 4 : 0.5)
            * cos ((2 * x + 1) * u * G_PI / 16);
    }
  }
  return table;
}

void
test_transform (const gint in[64], gdouble out[64])
{
  const gdouble *table = basis ();

  memset (out, 0, 64 * sizeof *out);
  for (guint v = 0; v < 8; v++) {
    gdouble row[8] = { 0 };
    gboolean any = FALSE;

    for (guint u = 0; u < 8; u++) {
      if (in[8 * v + u] == 0)
        continue;
      any = TRUE;
      for (guint x = 0; x < 8; x++)
        row[x] += in[8 * v + u] * table[8 * u + x];
    }
    for (guint y = 0; any && y < 8; y++) {
      for (guint x = 0; x < 8; x++)
        out[8 * y + x] += row[x] * table[8 * v + y];
    }
  }
}
