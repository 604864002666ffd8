/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The parts of a slice: the picture's parameters that its syntax depends on,
 * macroblocks, and the values from which the next macroblock is predicted.
 *
 * Clauses and tables are those of 13818-2. MPEG-1 has the same syntax with
 * fewer choices; comments say where it differs.
 */
#ifndef MPEG2_MACROBLOCK_H
#define MPEG2_MACROBLOCK_H

#include <string.h>

#include <mpeg2/splitter.h>

/* Largest number of blocks of a macroblock, in 4:2:2. */
#define M2V_MAX_BLOCKS 8

/* Number of bits of quantiser_scale_code. */
#define M2V_QUANTISER_BITS 5
/* The coarsest quantiser_scale_code. */
#define M2V_MAX_QUANTISER 31

/* Rows in a unit of slice_vertical_position_extension (clause 6.3.16). */
#define M2V_EXTENSION_ROWS 128
/* Number of bits of slice_vertical_position_extension. */
#define M2V_EXTENSION_BITS 3

/* Number of bits of an escaped coefficient's run (table B.16). */
#define M2V_RUN_BITS 6
/* Number of bits of an escaped coefficient's level (table B.16). */
#define M2V_LEVEL_BITS 12
/* Largest magnitude of an escaped level (table B.16). */
#define M2V_ESCAPE_MAX_LEVEL 2047
/* Largest magnitude of an escaped level in MPEG-1 (11172-2 table 2-B.5g). */
#define M2V_MPEG1_ESCAPE_MAX_LEVEL 255
/* Bits of MPEG-1's level (11172-2 table 2-B.5g). */
#define M2V_MPEG1_LEVEL_BITS 8
/* Largest magnitude of a level that has room in them. A larger one has 8 bits
 * more, which two values of the first 8 bits announce (11172-2 table
 * 2-B.5g). */
#define M2V_MPEG1_MAX_SHORT_LEVEL 127

/* The parameters of sequence and picture headers that a picture's slices depend
 * on. */
typedef struct
{
  bool mpeg2;
  M2vPictureType type;         /* I, P or B */
  M2vStructure structure;
  unsigned columns;             /* macroblocks per row */
  unsigned rows;                /* macroblock rows of the frame or field */
  unsigned n_blocks;            /* blocks of a macroblock: 4:2:0 6, 4:2:2 8 */
  bool extended;                /* has slice_vertical_position_extension */
  /* [forward, backward][horizontal, vertical]; 0 = not in use */
  unsigned f_code[2][2];
  /* MPEG-1: vectors count whole samples, [forward, backward] */
  bool full_pel[2];
  unsigned intra_dc_precision;  /* bits - 8 */
  bool frame_pred_frame_dct;
  bool concealment_motion_vectors;
  bool q_scale_type;
  bool intra_vlc_format;
  bool alternate_scan;
} M2vPictureParams;

/* Sets the parameters. Returns false if the picture's slices cannot be read: D
 * pictures, 4:4:4, headers that contradict each other. */
bool m2v_picture_params_init (M2vPictureParams * p,
    const M2vSequence * sequence, const M2vPicture * picture);

/* Returns the quantiser_scale of a quantiser_scale_code 1..31 (table 7-6). */
unsigned m2v_quantiser_scale (const M2vPictureParams * p, unsigned code);

/* The raster place (8 * v + u) of each place in scan order, [alternate_scan]:
 * zig-zag, alternate (figures 7-2, 7-3). */
extern const uint8_t m2v_scan_tables[2][64];

/* Converts a matrix of M2vMatrices (zig-zag) to the order of the picture's
 * scan. */
void m2v_matrix_in_scan_order (const M2vPictureParams * p,
    const uint8_t matrix[64], uint8_t out[64]);

/* Largest f_code. MPEG-1 has 3 bits; in MPEG-2 higher codes are reserved (table
 * 7-8). */
#define M2V_MAX_F_CODE 9

/* macroblock_type (tables B.2 to B.4). */
enum
{
  M2V_QUANT = 1,             /* quantiser_scale_code follows */
  M2V_FORWARD = 2,
  M2V_BACKWARD = 4,
  M2V_PATTERN = 8,           /* coded_block_pattern follows */
  M2V_INTRA = 16
};

/* frame_motion_type and field_motion_type (tables 6-17, 6-18). */
typedef enum
{
  /* frame picture: one vector per field; field picture: one vector */
  M2V_MOTION_FIELD = 1,
  M2V_MOTION_FRAME = 2,      /* frame picture: one vector */
  M2V_MOTION_16X8 = 2,       /* field picture: upper and lower half */
  M2V_MOTION_DUAL_PRIME = 3
} M2vMotion;

/* How a coefficient was coded. The writer uses the same form if it is
 * possible. */
typedef enum
{
  M2V_FORM_SHORTEST,
  M2V_FORM_ESCAPE,           /* an escape, although it has its own code */
  M2V_FORM_LONG_ESCAPE       /* MPEG-1: 16 bits for a level of 8 bits */
} M2vForm;

/* A quantised coefficient other than intra DC. */
typedef struct
{
  int16_t level;                /* not 0; up to +-2047, MPEG-1 +-255 */
  uint8_t position;             /* place in scan order; intra: 1..63 */
  uint8_t form;                 /* M2vForm */
} M2vCoefficient;

typedef struct
{
  /* The decoded vector, [horizontal, vertical] (clause 7.6.3.1), in half
   * samples (full_pel: samples). Vertical ones are those of a field, except for
   * M2V_MOTION_FRAME in frame pictures. */
  int16_t vector[2];
  /* the transmitted difference: motion_code and motion_residual */
  int16_t delta[2];
  int8_t dmvector[2];           /* dual prime: -1..1 */
  bool bottom;                  /* motion_vertical_field_select */
} M2vVector;

/* The predictors of the next macroblock's values. */
typedef struct
{
  int16_t pmv[2][2][2];         /* PMV[r][s][t] (clause 7.6.3) */
  int16_t dc[3];                /* dc_dct_pred of Y, Cb, Cr (clause 7.2.1) */
  uint16_t quantiser;           /* the last quantiser_scale_code transmitted */
} M2vPrediction;

/* A macroblock. Blocks are numbered as transmitted: 0 to 3 luminance, then Cb
 * and Cr, in 4:2:2 another Cb and Cr. Values that are absent by their counts
 * and flags are undefined. */
typedef struct
{
  unsigned address;             /* row * columns + column */
  unsigned n_skipped;           /* skipped ones before it in its slice */
  bool first, last;             /* of its slice */
  uint8_t type;                 /* M2V_QUANT... */
  uint8_t quantiser;            /* quantiser_scale_code in force, 1..31 */
  bool field_dct;               /* dct_type */
  /* M2vMotion, also if it is implied; 0 = intra without concealment vectors */
  uint8_t motion;
  uint8_t pattern;              /* bit i: block i is coded; intra: all */
  /* [r][s]: first and second, forward and backward. Type and motion say which
   * exist. Intra macroblocks with concealment vectors have [0][0]. In P,
   * macroblocks that are neither intra nor M2V_FORWARD also have [0][0], a zero
   * vector. */
  M2vVector vectors[2][2];
  /* bits of all vectors (clause 6.2.5.2) as they were read, at the top */
  uint64_t motion_bits;
  /* Number of these bits; 0 = not known. Set it to 0 to change a vector. */
  uint8_t n_motion_bits;

  int16_t dc[M2V_MAX_BLOCKS];        /* intra: QF[0][0] */
  /* 0 = the block is not coded, or does not exist */
  uint8_t n_coefficients[M2V_MAX_BLOCKS];
  M2vCoefficient coefficients[M2V_MAX_BLOCKS][64];

  /* The skipped macroblocks before it (n_skipped > 0). They are predicted from
   * the frame (field pictures: the field of the same parity). */
  uint8_t skipped_type;         /* M2V_FORWARD, M2V_BACKWARD; P: forward */
  int16_t skipped_vectors[2][2];        /* [s]; in P zero */

  /* Positions in bits, counted from the slice's start code: of its first bit
   * (of any stuffing), of macroblock_type, and behind its last bit. */
  size_t begin, body, end;
  unsigned n_stuffing;          /* MPEG-1: macroblock_stuffing before it */
  M2vPrediction before;      /* predictors of its values */
} M2vMacroblock;

static inline bool
m2v_is_field (const M2vPictureParams * p)
{
  return p->structure != M2V_FRAME_PICTURE;
}

/* Returns the component of a block: 0 luminance, 1 Cb, 2 Cr. */
static inline unsigned
m2v_block_component (unsigned block)
{
  return block < 4 ? 0 : 1 + block % 2;
}

/* Returns the motion type if none is transmitted. */
static inline M2vMotion
m2v_implied_motion (const M2vPictureParams * p)
{
  return m2v_is_field (p) ? M2V_MOTION_FIELD : M2V_MOTION_FRAME;
}

/* Returns the coefficient counts of all blocks, a byte each, that of the first
 * block on top. */
static inline uint64_t
m2v_load_counts (const M2vMacroblock * mb)
{
  uint64_t counts;

  memcpy (&counts, mb->n_coefficients, sizeof counts);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  counts = __builtin_bswap64 (counts);
#endif
  return counts;
}

/* Returns which blocks have coefficients except intra DC: bit i is block i. */
static inline unsigned
m2v_coded_blocks (const M2vMacroblock * mb)
{
  /* Counts are 64 at most, so adding 127 sets the highest bit of a byte that is
   * not 0. The product moves these bits together in reverse order. */
  const uint64_t coded = (m2v_load_counts (mb)
      + UINT64_C (0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C (0x0101010101010101);

  return (unsigned) (coded * UINT64_C (0x8040201008040201) >> 56);
}

/* Returns how many vectors the motion type has in each direction. */
static inline unsigned
m2v_vector_count (const M2vPictureParams * p, unsigned motion)
{
  return motion == (m2v_is_field (p) ? M2V_MOTION_16X8
      : M2V_MOTION_FIELD) ? 2 : 1;
}

/* Returns the number of coefficients of all blocks except intra DC. */
static inline unsigned
m2v_count_coefficients (const M2vMacroblock * mb)
{
  const uint64_t bytes = UINT64_C (0x00ff00ff00ff00ff);
  uint64_t counts = m2v_load_counts (mb);

  /* Counts are added in pairs, because the total may exceed a byte. */
  counts = (counts & bytes) + (counts >> 8 & bytes);
  return (unsigned) (counts * UINT64_C (0x0001000100010001) >> 48);
}

/* True if motion_vertical_field_select precedes the vectors. */
static inline bool
m2v_has_field_select (const M2vPictureParams * p, unsigned motion)
{
  return motion != M2V_MOTION_DUAL_PRIME
      && (m2v_is_field (p) || motion == M2V_MOTION_FIELD);
}

/* Returns the predictor of a component of vectors[r][s] (clause 7.6.3.1). */
static inline int
m2v_vector_predictor (const M2vPictureParams * p, const M2vPrediction * at,
    unsigned motion, unsigned r, unsigned s, unsigned t)
{
  int predictor = at->pmv[r][s][t];

  /* The predictor of a field's vector is half that of the frame, rounded
   * down. */
  if (t == 1 && !m2v_is_field (p) && motion != M2V_MOTION_FRAME)
    predictor = (predictor - (predictor & 1)) / 2;
  return predictor;
}

/* Wraps a value into the half-open range of f_code (1..9): -16 to 16 times
 * 2 ^ (f_code - 1). */
static inline int16_t
m2v_vector_wrap (unsigned f_code, int value)
{
  int half = 16 << (f_code - 1);

  return (int16_t) (((value + half) & (2 * half - 1)) - half);
}

/* Sets motion and vectors[0][0] to the prediction of P macroblocks that have no
 * vector. */
void m2v_macroblock_set_zero (const M2vPictureParams * p,
    M2vMacroblock * mb);

/* Removes all coefficients from a macroblock that is not intra, and the values
 * that need coefficients: pattern, quantiser, dct_type. In P "no MC" becomes
 * prediction with a zero vector (there is no type without both). */
void m2v_macroblock_empty (const M2vPictureParams * p, M2vMacroblock * mb);

/* Makes pattern and type agree with n_coefficients if the macroblock is not
 * intra. Returns false if it has no coefficients: empty it then. */
bool m2v_macroblock_set_pattern (const M2vPictureParams * p,
    M2vMacroblock * mb);

/* Resets vectors and DC as at the start of a slice (clauses 7.2.1, 7.6.3.4). */
void m2v_prediction_reset (const M2vPictureParams * p, M2vPrediction * at,
    unsigned quantiser);

/* Updates the predictors after skipped macroblocks. */
void m2v_prediction_skip (const M2vPictureParams * p, M2vPrediction * at);

/* Updates the predictors after a macroblock. */
void m2v_prediction_advance (const M2vPictureParams * p, M2vPrediction * at,
    const M2vMacroblock * mb);

#endif
