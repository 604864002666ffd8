/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Clauses and tables are those of 13818-2.
 */
#include <mpeg2/headers.h>

#include <string.h>

#include <mpeg2/coding.h>
#include <mpeg2/quantmatrix.h>

/* Frames per second by frame_rate_code (table 6-4); 0 is forbidden, higher
 * codes are reserved. */
static const struct
{
  unsigned num, den;
} frame_rates[] = {
  {0, 0},
  {24000, 1001},
  {24, 1},
  {25, 1},
  {30000, 1001},
  {30, 1},
  {50, 1},
  {60000, 1001},
  {60, 1},
};

/* Number of codes, 0 included. */
#define N_FRAME_RATES (sizeof frame_rates / sizeof frame_rates[0])

/* Unit of bit_rate, bits per second (clause 6.3.3). */
#define BIT_RATE_UNIT 400
/* Number of bits of bit_rate in the sequence_header (clauses 6.3.3, 6.3.5). */
#define BIT_RATE_BITS 18
/* The bit_rate of MPEG-1 that means a variable rate. */
#define BIT_RATE_VARIABLE 0x3ffff
/* Unit of vbv_buffer_size, bits (clause 6.3.3). */
#define VBV_UNIT 16384
/* Number of bits of vbv_buffer_size in the sequence_header (clauses 6.3.3,
 * 6.3.5). */
#define VBV_BITS 10

/* Begins to read; returns true if data begins with this start code. */
static bool
begin_header (M2vBitReader * r, const uint8_t * data, size_t size,
    unsigned code)
{
  m2v_bit_reader_init (r, data, size);
  return m2v_read_start_code (r, code);
}

static bool
begin_extension (M2vBitReader * r, const uint8_t * data, size_t size,
    unsigned id)
{
  return begin_header (r, data, size, M2V_CODE_EXTENSION)
      && m2v_read_bits (r, 4) == id;
}

static bool
read_flag (M2vBitReader * r)
{
  return m2v_read_bits (r, 1);
}

bool
m2v_parse_sequence_header (const uint8_t * data, size_t size,
    M2vSequence * sequence, M2vMatrices * matrices)
{
  M2vBitReader r;
  unsigned frame_rate_code, loaded = 0;
  uint32_t bit_rate;

  if (!begin_header (&r, data, size, M2V_CODE_SEQUENCE))
    return false;
  memset (sequence, 0, sizeof *sequence);
  sequence->width = m2v_read_bits (&r, 12);
  sequence->height = m2v_read_bits (&r, 12);
  sequence->aspect_ratio = m2v_read_bits (&r, 4);
  frame_rate_code = m2v_read_bits (&r, 4);
  bit_rate = m2v_read_bits (&r, BIT_RATE_BITS);
  m2v_skip_bits (&r, 1);        /* marker */
  sequence->vbv_buffer_size = (int64_t) m2v_read_bits (&r, VBV_BITS) * VBV_UNIT;
  m2v_skip_bits (&r, 1);        /* constrained_parameters_flag */
  if (sequence->width == 0 || sequence->height == 0 || frame_rate_code == 0
      || frame_rate_code >= N_FRAME_RATES)
    return false;
  sequence->frame_rate_num = frame_rates[frame_rate_code].num;
  sequence->frame_rate_den = frame_rates[frame_rate_code].den;
  if (bit_rate != BIT_RATE_VARIABLE)
    sequence->bit_rate = (int64_t) bit_rate *BIT_RATE_UNIT;
  sequence->progressive = true;
  sequence->chroma_format = 1;

  m2v_matrices_init (matrices);
  return m2v_read_matrix (&r, matrices, M2V_MATRIX_INTRA, &loaded)
      && m2v_read_matrix (&r, matrices, M2V_MATRIX_NON_INTRA, &loaded)
      && !m2v_bit_reader_error (&r);
}

bool
m2v_parse_sequence_extension (const uint8_t * data, size_t size,
    M2vSequence * sequence)
{
  M2vBitReader r;
  int64_t bit_rate;

  if (!begin_extension (&r, data, size, M2V_EXTENSION_SEQUENCE))
    return false;
  sequence->mpeg2 = true;
  sequence->profile_and_level = m2v_read_bits (&r, 8);
  sequence->progressive = read_flag (&r);
  sequence->chroma_format = m2v_read_bits (&r, 2);
  sequence->width |= m2v_read_bits (&r, 2) << 12;
  sequence->height |= m2v_read_bits (&r, 2) << 12;
  /* Only MPEG-1 has a variable rate: here the value is a number. */
  bit_rate = sequence->bit_rate == 0 ? BIT_RATE_VARIABLE
      : sequence->bit_rate / BIT_RATE_UNIT;
  bit_rate |= (int64_t) m2v_read_bits (&r, 12) << BIT_RATE_BITS;
  sequence->bit_rate = bit_rate * BIT_RATE_UNIT;
  m2v_skip_bits (&r, 1);        /* marker */
  sequence->vbv_buffer_size +=
      ((int64_t) m2v_read_bits (&r, 8) << VBV_BITS) * VBV_UNIT;
  sequence->low_delay = read_flag (&r);
  sequence->frame_rate_num *= m2v_read_bits (&r, 2) + 1;
  sequence->frame_rate_den *= m2v_read_bits (&r, 5) + 1;
  return !m2v_bit_reader_error (&r) && sequence->chroma_format != 0;
}

bool
m2v_parse_group (const uint8_t * data, size_t size, M2vGroup * group)
{
  M2vBitReader r;

  if (!begin_header (&r, data, size, M2V_CODE_GROUP))
    return false;
  group->time_code = m2v_read_bits (&r, 25);
  group->closed = read_flag (&r);
  group->broken_link = read_flag (&r);
  return !m2v_bit_reader_error (&r);
}

bool
m2v_parse_picture_header (const uint8_t * data, size_t size,
    M2vPictureHeader * header)
{
  M2vBitReader r;
  unsigned n_vectors;

  if (!begin_header (&r, data, size, M2V_CODE_PICTURE))
    return false;
  memset (header, 0, sizeof *header);
  header->temporal_reference = m2v_read_bits (&r, 10);
  header->type = m2v_read_bits (&r, 3);
  header->vbv_delay = m2v_read_bits (&r, 16);
  if (header->type < M2V_PICTURE_I || header->type > M2V_PICTURE_D)
    return false;
  n_vectors = header->type == M2V_PICTURE_B ? 2
      : header->type == M2V_PICTURE_P ? 1 : 0;
  for (unsigned i = 0; i < n_vectors; i++) {
    header->full_pel[i] = read_flag (&r);
    header->f_code[i] = m2v_read_bits (&r, 3);
  }
  /* Skips extra_information_picture; the zeros past the end would end it. */
  while (read_flag (&r))
    m2v_skip_bits (&r, 8);
  return !m2v_bit_reader_error (&r);
}

void
m2v_picture_coding_init (M2vPictureCoding * coding)
{
  memset (coding, 0, sizeof *coding);
  for (unsigned i = 0; i < 4; i++)
    coding->f_code[i / 2][i % 2] = 15;  /* means not used */
  coding->structure = M2V_FRAME_PICTURE;
  coding->frame_pred_frame_dct = true;
  coding->chroma_420_type = true;
  coding->progressive_frame = true;
}

bool
m2v_parse_picture_coding (const uint8_t * data, size_t size,
    M2vPictureCoding * coding)
{
  M2vBitReader r;

  if (!begin_extension (&r, data, size, M2V_EXTENSION_PICTURE_CODING))
    return false;
  memset (coding, 0, sizeof *coding);
  m2v_read_coding (&r, coding);
  if (coding->composite_display)
    coding->composite_display_info = m2v_read_bits (&r, 20);
  return !m2v_bit_reader_error (&r) && coding->structure != 0;
}

unsigned
m2v_extension_id (const uint8_t * data, size_t size)
{
  M2vBitReader r;

  if (!begin_header (&r, data, size, M2V_CODE_EXTENSION))
    return 0;
  return m2v_read_bits (&r, 4);
}
