/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Quantiser matrices (13818-2 clauses 6.2.3.2, 6.3.11).
 */
#ifndef MPEG2_QUANTMATRIX_H
#define MPEG2_QUANTMATRIX_H

#include <mpeg2/bitreader.h>

enum
{
  M2V_MATRIX_INTRA,
  M2V_MATRIX_NON_INTRA,
  M2V_MATRIX_CHROMA_INTRA,
  M2V_MATRIX_CHROMA_NON_INTRA,
  M2V_N_MATRICES
};

/* The quantiser matrices in force (13818-2 clause 6.3.11), each in zig-zag
 * order, as transmitted. Loading a luminance matrix loads its chrominance
 * matrix too. */
typedef struct
{
  uint8_t matrix[M2V_N_MATRICES][64];
} M2vMatrices;

/* Sets the default matrices of 13818-2 clause 6.3.11. */
void m2v_matrices_init (M2vMatrices * m);

/* Reads a load flag. If it is set, loads the matrix that follows (with a
 * luminance matrix its chrominance matrix) and sets its bit in `loaded`. */
bool m2v_read_matrix (M2vBitReader * r, M2vMatrices * m, unsigned which,
    unsigned *loaded);

/* Loads the matrices of the quant_matrix_extension at data; `loaded` gets a bit
 * (1 << M2V_MATRIX_...) for each matrix transmitted. */
bool m2v_parse_quant_matrix (const uint8_t * data, size_t size,
    M2vMatrices * matrices, unsigned *loaded);

/* Largest number of bytes that m2v_write_quant_matrix writes. */
#define M2V_QUANT_MATRIX_MAX_SIZE 262

/* Writes a quant_matrix_extension with the matrices of the mask (as `loaded`
 * above); returns its size. A chrominance matrix that differs from its
 * luminance matrix must be in the mask. */
size_t m2v_write_quant_matrix (uint8_t * out, const M2vMatrices * matrices,
    unsigned mask);

/* Returns the mask that changes a decoder's matrices from `from` to `to`; 0 =
 * they are equal. */
unsigned m2v_matrices_difference (const M2vMatrices * from,
    const M2vMatrices * to);

#endif
