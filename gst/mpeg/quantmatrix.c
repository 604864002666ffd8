/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Quantiser matrices (13818-2 clauses 6.2.3.2, 6.3.11).
 */
#include <string.h>

#include "bitreader.h"
#include "bitwriter.h"
#include "headers.h"
#include "quantmatrix.h"

/* The default intra matrix in zig-zag order; the other's entries are all 16. */
static const uint8_t default_intra[64] = {
  8, 16, 16, 19, 16, 19, 22, 22, 22, 22, 22, 22, 26, 24, 26, 27,
  27, 27, 26, 26, 26, 26, 27, 27, 27, 29, 29, 29, 34, 34, 34, 29,
  29, 29, 27, 27, 29, 29, 32, 32, 34, 34, 37, 38, 37, 35, 35, 34,
  35, 38, 38, 40, 40, 40, 48, 48, 46, 46, 56, 56, 58, 69, 69, 83
};

#define DEFAULT_NON_INTRA 16

void
mpeg_matrices_init (MpegMatrices * m)
{
  memcpy (m->matrix[MPEG_MATRIX_INTRA], default_intra, 64);
  memcpy (m->matrix[MPEG_MATRIX_CHROMA_INTRA], default_intra, 64);
  memset (m->matrix[MPEG_MATRIX_NON_INTRA], DEFAULT_NON_INTRA, 64);
  memset (m->matrix[MPEG_MATRIX_CHROMA_NON_INTRA], DEFAULT_NON_INTRA, 64);
}

bool
mpeg_read_matrix (MpegBitReader * r, MpegMatrices * m, unsigned which,
    unsigned *loaded)
{
  if (mpeg_read_bits (r, 1) == 0)
    return true;
  for (unsigned i = 0; i < 64; i++) {
    m->matrix[which][i] = (uint8_t) mpeg_read_bits (r, 8);
    /* Forbidden, and what reading past the end gives. */
    if (m->matrix[which][i] == 0)
      return false;
  }
  if (which < MPEG_MATRIX_CHROMA_INTRA)
    memcpy (m->matrix[which + MPEG_MATRIX_CHROMA_INTRA], m->matrix[which], 64);
  *loaded |= 1u << which;
  return true;
}

bool
mpeg_parse_quant_matrix (const uint8_t * data, size_t size,
    MpegMatrices * matrices, unsigned *loaded)
{
  MpegBitReader r;

  if (mpeg_extension_id (data, size) != MPEG_EXTENSION_QUANT_MATRIX)
    return false;
  mpeg_bit_reader_init (&r, data, size);
  mpeg_skip_bits (&r, 36);
  *loaded = 0;
  for (unsigned i = 0; i < MPEG_N_MATRICES; i++) {
    if (!mpeg_read_matrix (&r, matrices, i, loaded))
      return false;
  }
  return !r.error;
}

size_t
mpeg_write_quant_matrix (uint8_t * out, const MpegMatrices * matrices,
    unsigned mask)
{
  MpegBitWriter w;

  mpeg_bit_writer_init (&w, out, MPEG_QUANT_MATRIX_MAX_SIZE);
  mpeg_write_start_code (&w, MPEG_CODE_EXTENSION);
  mpeg_write_bits (&w, MPEG_EXTENSION_QUANT_MATRIX, 4);
  for (unsigned i = 0; i < MPEG_N_MATRICES; i++) {
    unsigned load = mask >> i & 1;

    mpeg_write_bits (&w, load, 1);
    for (unsigned k = 0; load && k < 64; k++)
      mpeg_write_bits (&w, matrices->matrix[i][k], 8);
  }
  return mpeg_write_align (&w);
}

static bool
equal (const uint8_t a[64], const uint8_t b[64])
{
  return memcmp (a, b, 64) == 0;
}

/* Chrominance matrices of their own are forbidden in 4:2:0: they are asked for
 * only where `to` has one. */
unsigned
mpeg_matrices_difference (const MpegMatrices * from, const MpegMatrices * to)
{
  unsigned mask = 0;

  for (unsigned i = 0; i < MPEG_MATRIX_CHROMA_INTRA; i++) {
    unsigned chroma = i + MPEG_MATRIX_CHROMA_INTRA;
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
