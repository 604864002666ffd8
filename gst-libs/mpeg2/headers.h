/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads the headers of MPEG-1 and MPEG-2 video. Every `data` begins at the
 * header's start code, `size` reaches to the next one. A function returns false
 * if the header is cut short or has a forbidden value; its output is then
 * undefined. Like decoders, the functions tolerate wrong marker bits, a
 * forbidden aspect_ratio, a forbidden bit_rate of 0 (taken for "not given", as
 * MPEG-1's variable rate), and an f_code of 0, which matters only in MPEG-1.
 */
#ifndef MPEG2_HEADERS_H
#define MPEG2_HEADERS_H

#include <mpeg2/quantmatrix.h>

/* The vbv_delay of a stream of variable rate (13818-2 clause 6.3.9). */
#define M2V_VBV_DELAY_VARIABLE 0xffffu

typedef struct
{
  bool mpeg2;                   /* a sequence_extension followed */
  unsigned width;               /* luminance samples, 1..16383 */
  unsigned height;
  unsigned aspect_ratio;        /* aspect_ratio_information */
  unsigned frame_rate_num;      /* frames per second, extension applied */
  unsigned frame_rate_den;
  /* bits per second; 0 = variable (MPEG-1), or not given */
  int64_t bit_rate;
  int64_t vbv_buffer_size;      /* bits */

  /* Without sequence_extension these have MPEG-1's values (progressive
   * 4:2:0). */
  unsigned profile_and_level;
  bool progressive;
  unsigned chroma_format;       /* 1 = 4:2:0, 2 = 4:2:2, 3 = 4:4:4 */
  bool low_delay;
} M2vSequence;

typedef struct
{
  uint32_t time_code;           /* 25 bits */
  bool closed;
  bool broken_link;
} M2vGroup;

typedef struct
{
  unsigned temporal_reference;  /* 0..1023 */
  M2vPictureType type;
  unsigned vbv_delay;           /* 90 kHz; 0xffff = variable */
  /* MPEG-1: vectors count whole samples, [forward, backward] */
  bool full_pel[2];
  unsigned f_code[2];           /* MPEG-1: [forward, backward]; 0 = absent */
} M2vPictureHeader;

/* picture_coding_extension; its values for MPEG-1 are set by
 * m2v_picture_coding_init. */
typedef struct
{
  unsigned f_code[2][2];        /* [forward, backward][horizontal, vertical] */
  unsigned intra_dc_precision;  /* bits - 8 */
  M2vStructure structure;
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
} M2vPictureCoding;

/* Reads a sequence_header with its meaning in MPEG-1. Sets the matrices to
 * those of the header or to the defaults. */
bool m2v_parse_sequence_header (const uint8_t * data, size_t size,
    M2vSequence * sequence, M2vMatrices * matrices);

/* Adds a sequence_extension to the values of the sequence_header. */
bool m2v_parse_sequence_extension (const uint8_t * data, size_t size,
    M2vSequence * sequence);

bool m2v_parse_group (const uint8_t * data, size_t size, M2vGroup * group);

bool m2v_parse_picture_header (const uint8_t * data, size_t size,
    M2vPictureHeader * header);

void m2v_picture_coding_init (M2vPictureCoding * coding);

bool m2v_parse_picture_coding (const uint8_t * data, size_t size,
    M2vPictureCoding * coding);

/* Returns extension_start_code_identifier; 0 = data is no extension. */
unsigned m2v_extension_id (const uint8_t * data, size_t size);

#endif
