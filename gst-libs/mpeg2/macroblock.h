/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a slice is made of: the picture's parameters that its syntax hangs on,
 * macroblocks as read, and what each predicts the next one's from.
 *
 * Clauses and tables are those of 13818-2. MPEG-1 has the same syntax with
 * fewer choices; where it differs, it is said so.
 */
#ifndef MPEG2_MACROBLOCK_H
#define MPEG2_MACROBLOCK_H

#include <string.h>

#include <mpeg2/splitter.h>

/* Of a macroblock, 4:2:2's. */
#define M2V_MAX_BLOCKS 8

/* quantiser_scale_code: its bits, and the coarsest. */
#define M2V_QUANTISER_BITS 5
#define M2V_MAX_QUANTISER 31

/* slice_vertical_position_extension counts so many rows (clause 6.3.16). */
#define M2V_EXTENSION_ROWS 128
#define M2V_EXTENSION_BITS 3

/* Of an escaped coefficient: bits of run and level, and the largest magnitude
 * of a level (table B.16; MPEG-1's level: 11172-2 table 2-B.5g). */
#define M2V_RUN_BITS 6
#define M2V_LEVEL_BITS 12
#define M2V_ESCAPE_MAX_LEVEL 2047
#define M2V_MPEG1_ESCAPE_MAX_LEVEL 255

/* What of sequence and picture headers the slices of a picture hang on. */
typedef struct
{
  bool mpeg2;
  M2vPictureType type;         /* I, P or B */
  M2vStructure structure;
  unsigned columns;             /* macroblocks across */
  unsigned rows;                /* of macroblocks: of the frame or the field */
  unsigned n_blocks;            /* of a macroblock: 4:2:0 6, 4:2:2 8 */
  bool extended;                /* slice_vertical_position_extension is there */
  unsigned f_code[2][2];        /* [forward, backward][horizontal, vertical];
                                 * 0: not in use */
  bool full_pel[2];             /* MPEG-1: vectors count whole samples */
  unsigned intra_dc_precision;  /* bits - 8 */
  bool frame_pred_frame_dct;
  bool concealment_motion_vectors;
  bool q_scale_type;
  bool intra_vlc_format;
  bool alternate_scan;
} M2vPictureParams;

/* False where the picture's slices cannot be read: D pictures, 4:4:4, headers
 * that contradict each other. */
bool m2v_picture_params_init (M2vPictureParams * p,
    const M2vSequence * sequence, const M2vPicture * picture);

/* quantiser_scale of a quantiser_scale_code 1..31 (table 7-6). */
unsigned m2v_quantiser_scale (const M2vPictureParams * p, unsigned code);

/* Raster place (8 * v + u) of each place in scan order: zig-zag, alternate
 * (figures 7-2, 7-3). Index it with alternate_scan. */
extern const uint8_t m2v_scan_tables[2][64];

/* A matrix as M2vMatrices has it (zig-zag), by places of the picture's
 * scan. */
void m2v_matrix_in_scan_order (const M2vPictureParams * p,
    const uint8_t matrix[64], uint8_t out[64]);

/* MPEG-1 has 3 bits of f_code; in MPEG-2 those above are reserved (table
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
  M2V_MOTION_FIELD = 1,      /* frame picture: one vector a field; field
                                 * picture: one vector */
  M2V_MOTION_FRAME = 2,      /* frame picture: one vector */
  M2V_MOTION_16X8 = 2,       /* field picture: upper and lower half */
  M2V_MOTION_DUAL_PRIME = 3
} M2vMotion;

/* How a coefficient was coded. When written it is preferred: where impossible,
 * what is possible is written. */
typedef enum
{
  M2V_FORM_SHORTEST,
  M2V_FORM_ESCAPE,           /* though it has a code of its own */
  M2V_FORM_LONG_ESCAPE       /* MPEG-1: 16 bits for a level within 8 */
} M2vForm;

/* A quantised coefficient other than intra DC. */
typedef struct
{
  int16_t level;                /* not 0; up to +-2047, MPEG-1 +-255 */
  uint8_t position;             /* in scan order; intra: 1..63 */
  uint8_t form;                 /* M2vForm */
} M2vCoefficient;

typedef struct
{
  /* [horizontal, vertical], as decoding uses it (clause 7.6.3.1): half samples
   * (full_pel: samples), vertical ones of a field for all but
   * M2V_MOTION_FRAME of frame pictures. */
  int16_t vector[2];
  int16_t delta[2];             /* as transmitted: motion_code and residual */
  int8_t dmvector[2];           /* dual prime: -1..1 */
  bool bottom;                  /* motion_vertical_field_select */
} M2vVector;

/* What the next macroblock's values are coded against. */
typedef struct
{
  int16_t pmv[2][2][2];         /* PMV[r][s][t] (clause 7.6.3) */
  int16_t dc[3];                /* dc_dct_pred of Y, Cb, Cr (clause 7.2.1) */
  uint16_t quantiser;           /* the last quantiser_scale_code transmitted */
} M2vPrediction;

/* Its address is row * columns + column. Blocks are numbered as transmitted: 0
 * to 3 luminance, then Cb and Cr, in 4:2:2 another Cb and Cr. What counts and
 * flags say is not there is undefined. */
typedef struct
{
  unsigned address;
  unsigned n_skipped;           /* between this and the one before of it */
  bool first, last;             /* of its slice */
  uint8_t type;                 /* M2V_QUANT... */
  uint8_t quantiser;            /* quantiser_scale_code in force, 1..31 */
  bool field_dct;               /* dct_type */
  uint8_t motion;               /* M2vMotion, also where it is implied;
                                 * 0: intra without concealment vectors */
  uint8_t pattern;              /* bit i: block i is coded; intra: all */
  /* [r][s]: first and second, forward and backward. There are those that type
   * and motion say; intra ones with concealment vectors have [0][0]. In P those
   * neither intra nor M2V_FORWARD have [0][0] too, a zero vector. */
  M2vVector vectors[2][2];
  /* All of these (clause 6.2.5.2) as they were read, at the top, and how many
   * bits; 0: not known, or changed since. Who changes a vector makes it 0. */
  uint64_t motion_bits;
  uint8_t n_motion_bits;

  int16_t dc[M2V_MAX_BLOCKS];        /* intra: QF[0][0] */
  /* 0 where not coded, or there is no such block. */
  uint8_t n_coefficients[M2V_MAX_BLOCKS];
  M2vCoefficient coefficients[M2V_MAX_BLOCKS][64];

  /* For the skipped ones before (n_skipped > 0): predicted from the frame
   * (field pictures: the field of the same parity) with these vectors, [s]. In
   * P forward, zero. */
  uint8_t skipped_type;         /* M2V_FORWARD, M2V_BACKWARD */
  int16_t skipped_vectors[2][2];

  /* Bits of the slice's data, counted from its start code: the whole of it
   * (from any stuffing on), and from macroblock_type on. */
  size_t begin, body, end;
  unsigned n_stuffing;          /* MPEG-1: macroblock_stuffing before it */
  M2vPrediction before;      /* what it was coded against */
} M2vMacroblock;

static inline bool
m2v_is_field (const M2vPictureParams * p)
{
  return p->structure != M2V_FRAME_PICTURE;
}

/* 0 luminance, 1 Cb, 2 Cr. */
static inline unsigned
m2v_block_component (unsigned block)
{
  return block < 4 ? 0 : 1 + block % 2;
}

/* Where no motion type is transmitted. */
static inline M2vMotion
m2v_implied_motion (const M2vPictureParams * p)
{
  return m2v_is_field (p) ? M2V_MOTION_FIELD : M2V_MOTION_FRAME;
}

/* Of all blocks' counts of coefficients, that of the first on top. */
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

/* Which blocks have coefficients, intra DC not among them: bit i is block i. */
static inline unsigned
m2v_coded_blocks (const M2vMacroblock * mb)
{
  /* Counts are 64 at most: 127 more sets a byte's highest bit. These are moved
   * next to each other, the other way round. */
  const uint64_t coded = (m2v_load_counts (mb)
      + UINT64_C (0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C (0x0101010101010101);

  return (unsigned) (coded * UINT64_C (0x8040201008040201) >> 56);
}

/* How many vectors in each direction it has. */
static inline unsigned
m2v_vector_count (const M2vPictureParams * p, unsigned motion)
{
  return motion == (m2v_is_field (p) ? M2V_MOTION_16X8
      : M2V_MOTION_FIELD) ? 2 : 1;
}

/* Coefficients of all blocks, intra DC not among them. */
static inline unsigned
m2v_count_coefficients (const M2vMacroblock * mb)
{
  const uint64_t bytes = UINT64_C (0x00ff00ff00ff00ff);
  uint64_t counts = m2v_load_counts (mb);

  /* In pairs, for all of them may be more than a byte has room for. */
  counts = (counts & bytes) + (counts >> 8 & bytes);
  return (unsigned) (counts * UINT64_C (0x0001000100010001) >> 48);
}

/* Whether motion_vertical_field_select precedes its vectors. */
static inline bool
m2v_has_field_select (const M2vPictureParams * p, unsigned motion)
{
  return motion != M2V_MOTION_DUAL_PRIME
      && (m2v_is_field (p) || motion == M2V_MOTION_FIELD);
}

/* What a component of vectors[r][s] is coded against (clause 7.6.3.1). */
static inline int
m2v_vector_predictor (const M2vPictureParams * p, const M2vPrediction * at,
    unsigned motion, unsigned r, unsigned s, unsigned t)
{
  int predictor = at->pmv[r][s][t];

  /* Of a field, from a vector of the frame: halved, downwards. */
  if (t == 1 && !m2v_is_field (p) && motion != M2V_MOTION_FRAME)
    predictor = (predictor - (predictor & 1)) / 2;
  return predictor;
}

/* Into the range of f_code (1..9), which is half open: -16 to 16 times
 * 2 ^ (f_code - 1). */
static inline int16_t
m2v_vector_wrap (unsigned f_code, int value)
{
  int half = 16 << (f_code - 1);

  return (int16_t) (((value + half) & (2 * half - 1)) - half);
}

/* The prediction of P macroblocks that have no vector: sets motion and
 * vectors[0][0]. */
void m2v_macroblock_set_zero (const M2vPictureParams * p,
    M2vMacroblock * mb);

/* Takes all coefficients away from a macroblock that is not intra, and what
 * must not be there without: pattern, quantiser, dct_type. In P "no MC" becomes
 * prediction with a zero vector (there is no type without both). */
void m2v_macroblock_empty (const M2vPictureParams * p, M2vMacroblock * mb);

/* Makes pattern and type agree with n_coefficients where the macroblock is not
 * intra; returns false where nothing is left: empty it then. */
bool m2v_macroblock_set_pattern (const M2vPictureParams * p,
    M2vMacroblock * mb);

/* As at the start of a slice: vectors and DC reset (clauses 7.2.1, 7.6.3.4). */
void m2v_prediction_reset (const M2vPictureParams * p, M2vPrediction * at,
    unsigned quantiser);

/* Over skipped macroblocks. */
void m2v_prediction_skip (const M2vPictureParams * p, M2vPrediction * at);

/* Over a macroblock. */
void m2v_prediction_advance (const M2vPictureParams * p, M2vPrediction * at,
    const M2vMacroblock * mb);

#endif
