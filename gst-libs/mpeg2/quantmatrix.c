/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/quantmatrix.h>

#include <mpeg2/bitwriter.h>

/* The default intra matrix in zig-zag order. */
static const uint8_t default_intra[64] = {
  8, 16, 16, 19, 16, 19, 22, 22, 22, 22, 22, 22, 26, 24, 26, 27,
  27, 27, 26, 26, 26, 26, 27, 27, 27, 29, 29, 29, 34, 34, 34, 29,
  29, 29, 27, 27, 29, 29, 32, 32, 34, 34, 37, 38, 37, 35, 35, 34,
  35, 38, 38, 40, 40, 40, 48, 48, 46, 46, 56, 56, 58, 69, 69, 83
};

/* Each entry of the default non-intra matrix (13818-2 clause 6.3.11). */
#define DEFAULT_NON_INTRA 16

void
m2v_matrices_init (M2vMatrices * m)
{
  memcpy (m->matrix[M2V_MATRIX_INTRA], default_intra, 64);
  memcpy (m->matrix[M2V_MATRIX_CHROMA_INTRA], default_intra, 64);
  memset (m->matrix[M2V_MATRIX_NON_INTRA], DEFAULT_NON_INTRA, 64);
  memset (m->matrix[M2V_MATRIX_CHROMA_NON_INTRA], DEFAULT_NON_INTRA, 64);
}

bool
m2v_read_matrix (M2vBitReader * r, M2vMatrices * m, unsigned which,
    unsigned *loaded)
{
  if (m2v_read_bits (r, 1) == 0)
    return true;
  for (unsigned i = 0; i < 64; i++) {
    m->matrix[which][i] = (uint8_t) m2v_read_bits (r, 8);
    /* 0 is forbidden, and reading past the end gives it. */
    if (m->matrix[which][i] == 0)
      return false;
  }
  if (which < M2V_MATRIX_CHROMA_INTRA)
    memcpy (m->matrix[which + M2V_MATRIX_CHROMA_INTRA], m->matrix[which], 64);
  *loaded |= 1u << which;
  return true;
}

bool
m2v_parse_quant_matrix (const uint8_t * data, size_t size,
    M2vMatrices * matrices, unsigned *loaded)
{
  M2vBitReader r;

  m2v_bit_reader_init (&r, data, size);
  if (!m2v_read_start_code (&r, M2V_CODE_EXTENSION)
      || m2v_read_bits (&r, 4) != M2V_EXTENSION_QUANT_MATRIX)
    return false;
  *loaded = 0;
  for (unsigned i = 0; i < M2V_N_MATRICES; i++) {
    if (!m2v_read_matrix (&r, matrices, i, loaded))
      return false;
  }
  return !m2v_bit_reader_error (&r);
}

size_t
m2v_write_quant_matrix (uint8_t * out, const M2vMatrices * matrices,
    unsigned mask)
{
  M2vBitWriter w;

  m2v_bit_writer_init (&w, out, M2V_QUANT_MATRIX_MAX_SIZE);
  m2v_write_start_code (&w, M2V_CODE_EXTENSION);
  m2v_write_bits (&w, M2V_EXTENSION_QUANT_MATRIX, 4);
  for (unsigned i = 0; i < M2V_N_MATRICES; i++) {
    unsigned load = mask >> i & 1;

    m2v_write_bits (&w, load, 1);
    for (unsigned k = 0; load && k < 64; k++)
      m2v_write_bits (&w, matrices->matrix[i][k], 8);
  }
  return m2v_write_align (&w);
}

static bool
equal (const uint8_t a[64], const uint8_t b[64])
{
  return memcmp (a, b, 64) == 0;
}

/* Separate chrominance matrices are forbidden in 4:2:0, so the mask has one
 * only if `to` does. */
unsigned
m2v_matrices_difference (const M2vMatrices * from, const M2vMatrices * to)
{
  unsigned mask = 0;

  for (unsigned i = 0; i < M2V_MATRIX_CHROMA_INTRA; i++) {
    unsigned chroma = i + M2V_MATRIX_CHROMA_INTRA;
    bool luma_differs = !equal (from->matrix[i], to->matrix[i]);

    if (!luma_differs && equal (from->matrix[chroma], to->matrix[chroma]))
      continue;
    if (equal (to->matrix[chroma], to->matrix[i])) {
      mask |= 1u << i;
      continue;
    }
    if (luma_differs)
      mask |= 1u << i;
    mask |= 1u << chroma;
  }
  return mask;
}
