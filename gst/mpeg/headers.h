/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The headers of MPEG-1 and MPEG-2 video: reading them. Every `data` begins
 * at the header's start code, `size` reaches to the next one. A function
 * returns false where the header is cut short or holds a forbidden value; what
 * it was to fill is then undefined. Tolerated, as decoders do, are wrong marker
 * bits, a forbidden aspect_ratio or bit_rate of 0 (taken for "not given", as
 * MPEG-1's variable rate), and an f_code of 0, which matters only in MPEG-1.
 */
#ifndef MPEG_HEADERS_H
#define MPEG_HEADERS_H

#include "types.h"

enum
{
  MPEG_MATRIX_INTRA,
  MPEG_MATRIX_NON_INTRA,
  MPEG_MATRIX_CHROMA_INTRA,
  MPEG_MATRIX_CHROMA_NON_INTRA,
  MPEG_N_MATRICES
};

/* The quantiser matrices in force (13818-2 clause 6.3.11), each in zig-zag
 * order, as transmitted. Loading a luminance matrix loads its chrominance
 * matrix too. */
typedef struct
{
  uint8_t matrix[MPEG_N_MATRICES][64];
} MpegMatrices;

typedef struct
{
  bool mpeg2;                   /* a sequence_extension followed */
  unsigned width;               /* luminance samples, 1..16383 */
  unsigned height;
  unsigned aspect_ratio;        /* aspect_ratio_information */
  unsigned frame_rate_num;      /* frames per second, extension applied */
  unsigned frame_rate_den;
  int64_t bit_rate;             /* bits per second; 0: variable (MPEG-1),
                                 * not given */
  int64_t vbv_buffer_size;      /* bits */
  /* The rest keeps MPEG-1's values (progressive 4:2:0) without extension. */
  unsigned profile_and_level;
  bool progressive;
  unsigned chroma_format;       /* 1: 4:2:0, 2: 4:2:2, 3: 4:4:4 */
  bool low_delay;
} MpegSequence;

typedef struct
{
  uint32_t time_code;           /* 25 bits */
  bool closed;
  bool broken_link;
} MpegGroup;

typedef struct
{
  unsigned temporal_reference;  /* 0..1023 */
  MpegPictureType type;
  unsigned vbv_delay;           /* 90 kHz; 0xffff: variable */
  /* MPEG-1's vectors; [0] forward, [1] backward; 0 where absent. */
  bool full_pel[2];
  unsigned f_code[2];
} MpegPictureHeader;

/* picture_coding_extension; its values for MPEG-1 are set by
 * mpeg_picture_coding_init. */
typedef struct
{
  unsigned f_code[2][2];        /* [forward, backward][horizontal, vertical] */
  unsigned intra_dc_precision;  /* bits - 8 */
  MpegStructure structure;
  bool top_field_first;
  bool frame_pred_frame_dct;
  bool concealment_motion_vectors;
  bool q_scale_type;
  bool intra_vlc_format;
  bool alternate_scan;
  bool repeat_first_field;
  bool chroma_420_type;
  bool progressive_frame;
  bool composite_display;
  uint32_t composite_display_info;      /* 20 bits */
} MpegPictureCoding;

/* Sets the default matrices of 13818-2 clause 6.3.11. */
void mpeg_matrices_init (MpegMatrices * m);

/* Fills both: sequence with what MPEG-1 means, matrices with those of the
 * header or the defaults. */
bool mpeg_parse_sequence_header (const uint8_t * data, size_t size,
    MpegSequence * sequence, MpegMatrices * matrices);

/* Amends what the sequence_header gave. */
bool mpeg_parse_sequence_extension (const uint8_t * data, size_t size,
    MpegSequence * sequence);

bool mpeg_parse_group (const uint8_t * data, size_t size, MpegGroup * group);

bool mpeg_parse_picture_header (const uint8_t * data, size_t size,
    MpegPictureHeader * header);

void mpeg_picture_coding_init (MpegPictureCoding * coding);

bool mpeg_parse_picture_coding (const uint8_t * data, size_t size,
    MpegPictureCoding * coding);

/* Loads into matrices what the extension has; `loaded` gets a bit
 * (1 << MPEG_MATRIX_...) for each matrix transmitted. */
bool mpeg_parse_quant_matrix (const uint8_t * data, size_t size,
    MpegMatrices * matrices, unsigned *loaded);

/* extension_start_code_identifier, 0 where data is no extension. */
unsigned mpeg_extension_id (const uint8_t * data, size_t size);

/* Most that mpeg_write_quant_matrix writes. */
#define MPEG_QUANT_MATRIX_MAX_SIZE 262

/* Writes a quant_matrix_extension with the matrices of the mask (as `loaded`
 * above); returns its size. Chrominance matrices that loading the luminance
 * matrix does not give must be in the mask. */
size_t mpeg_write_quant_matrix (uint8_t * out, const MpegMatrices * matrices,
    unsigned mask);

/* The mask that takes a decoder from `from` to `to`; 0 where they are equal. */
unsigned mpeg_matrices_difference (const MpegMatrices * from,
    const MpegMatrices * to);

#endif
