/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads slices and macroblocks (clauses 6.2.4, 6.2.5); blockreader.c reads the
 * blocks.
 */
#include <mpeg2/slicereader.h>

#include <stdlib.h>

#include <mpeg2/blockreader.h>
#include <startcode/startcode.h>

/* Number of zero bits that end a slice (clause 6.2.4). */
#define END_ZEROS 23

/* Number of bits of extra_bit_slice and extra_information_slice. */
#define EXTRA_BITS 9

bool
m2v_slices_next (const uint8_t * data, size_t size, size_t *position,
    M2vRange * range)
{
  size_t from = *position;

  if (from >= size)
    return false;
  range->offset = from;
  /* The search begins behind the range's own start code, if any. */
  *position = start_code_find (data, size, from + (size - from > 3
          && data[from] == 0 && data[from + 1] == 0 && data[from + 2] == 1));
  range->size = *position - from;
  return true;
}

static bool
fail (M2vSliceReader * r)
{
  r->error = true;
  return false;
}

/* True if no macroblock follows; sets n_trailing. Past the end are zeros, so a
 * macroblock that was read beyond it fails here. */
static bool
at_end (M2vSliceReader * r)
{
  size_t used;

  m2v_fill_bits (&r->bits);
  if (m2v_peek_filled (&r->bits, END_ZEROS) != 0)
    return false;
  if (m2v_bit_reader_error (&r->bits))
    return fail (r);
  used = (m2v_bit_reader_position (&r->bits) + 7) / 8;
  for (size_t i = used; i < r->size; i++) {
    if (r->slice.data[i] != 0)
      return fail (r);
  }
  r->n_trailing = r->size - used;
  return true;
}

static bool
read_vertical_position (M2vSliceReader * r)
{
  unsigned row = r->slice.data[3] - M2V_CODE_SLICE_MIN;

  if (r->picture->extended) {
    if (row >= M2V_EXTENSION_ROWS)
      return false;
    row += m2v_read_filled (&r->bits, M2V_EXTENSION_BITS) * M2V_EXTENSION_ROWS;
  }
  r->slice.row = row;
  return row < r->picture->rows;
}

static bool
read_header (M2vSliceReader * r)
{
  M2vBitReader *b = &r->bits;

  m2v_fill_bits (b);
  m2v_skip_filled (b, 32);
  m2v_fill_bits (b);
  if (!read_vertical_position (r))
    return false;
  r->slice.quantiser = m2v_read_filled (b, M2V_QUANTISER_BITS);
  r->slice.extra = m2v_bit_reader_position (b);
  while (m2v_peek_filled (b, 1)) {
    m2v_skip_filled (b, EXTRA_BITS);
    m2v_fill_bits (b);
  }
  r->slice.n_extra = m2v_bit_reader_position (b) - r->slice.extra;
  m2v_skip_filled (b, 1);
  return r->slice.quantiser != 0;
}

bool
m2v_slice_reader_begin (M2vSliceReader * r,
    const M2vPictureParams * picture, const M2vVlc * vlc, const uint8_t * data,
    size_t size)
{
  memset (r, 0, sizeof *r);
  r->picture = picture;
  r->vlc = vlc;
  r->size = size;
  r->slice.data = data;
  if (!m2v_is_slice (data, size))
    return fail (r);
  m2v_bit_reader_init (&r->bits, data, size);
  /* A slice has at least one macroblock. */
  if (!read_header (r) || at_end (r))
    return fail (r);
  m2v_prediction_reset (picture, &r->prediction, r->slice.quantiser);
  /* The address before the row's first, which in the first row is -1. */
  r->address = r->slice.row * picture->columns - 1;
  r->first = true;
  return !r->error;
}

/* Reads a code; at least `bits` bits must be filled. */
static inline const M2vLookup *
look_up (M2vBitReader * b, const M2vLookup * table, unsigned bits)
{
  const M2vLookup *found = &table[m2v_peek_filled (b, bits)];

  m2v_skip_filled (b, found->length);
  return found;
}

/* Returns macroblock_address_increment with all escapes; 0 = none. */
static unsigned
read_increment (M2vSliceReader * r, M2vMacroblock * mb)
{
  unsigned limit = r->picture->columns * r->picture->rows;
  unsigned escapes = 0;

  mb->n_stuffing = 0;
  for (;;) {
    const M2vLookup *found;

    m2v_fill_bits (&r->bits);
    found = look_up (&r->bits, r->vlc->increments, M2V_ADDRESS_BITS);
    if (found->length == 0 || escapes > limit)
      return 0;
    if (found->value == M2V_INCREMENT_ESCAPE)
      escapes += M2V_MAX_ADDRESS_INCREMENT;
    else if (found->value != M2V_INCREMENT_STUFFING)
      return escapes + (unsigned) found->value;
    /* Only MPEG-1 has stuffing, and only before escapes. */
    else if (r->picture->mpeg2 || escapes > 0)
      return 0;
    else
      mb->n_stuffing++;
  }
}

/* Sets the prediction of the macroblocks skipped before this one (clause
 * 7.6.6). */
static bool
skip (M2vSliceReader * r, M2vMacroblock * mb)
{
  const M2vPictureParams *p = r->picture;

  if (p->type == M2V_PICTURE_I
      || (p->type == M2V_PICTURE_B && r->direction == 0))
    return false;
  m2v_prediction_skip (p, &r->prediction);
  mb->skipped_type = p->type == M2V_PICTURE_P ? M2V_FORWARD : r->direction;
  memcpy (mb->skipped_vectors, r->prediction.pmv[0],
      sizeof mb->skipped_vectors);
  return true;
}

static bool
read_address (M2vSliceReader * r, M2vMacroblock * mb)
{
  const M2vPictureParams *p = r->picture;
  unsigned increment = read_increment (r, mb);
  unsigned limit = p->columns * (p->mpeg2 ? r->slice.row + 1 : p->rows);

  if (increment == 0)
    return false;
  mb->address = r->address + increment;
  if (mb->address >= limit)
    return false;
  mb->first = r->first;
  mb->n_skipped = mb->first ? 0 : increment - 1;
  return mb->n_skipped == 0 || skip (r, mb);
}

/* Reads macroblock_type, motion_type and dct_type (clause 6.2.5.1), and the
 * quantiser. */
static bool
read_modes (M2vSliceReader * r, M2vMacroblock * mb)
{
  const M2vPictureParams *p = r->picture;
  const M2vLookup *type;
  bool intra, moves;

  m2v_fill_bits (&r->bits);
  type = look_up (&r->bits, r->vlc->types[p->type - M2V_PICTURE_I],
      M2V_TYPE_BITS);
  if (type->length == 0)
    return false;
  mb->type = (uint8_t) type->value;
  intra = mb->type & M2V_INTRA;
  moves = mb->type & (M2V_FORWARD | M2V_BACKWARD);

  mb->motion = (uint8_t) m2v_implied_motion (p);
  if (intra && !p->concealment_motion_vectors)
    mb->motion = 0;
  if (moves && (m2v_is_field (p) || !p->frame_pred_frame_dct))
    mb->motion = (uint8_t) m2v_read_filled (&r->bits, 2);
  mb->field_dct = false;
  if (!m2v_is_field (p) && !p->frame_pred_frame_dct
      && (mb->type & (M2V_INTRA | M2V_PATTERN)))
    mb->field_dct = m2v_read_filled (&r->bits, 1);
  if (mb->type & M2V_QUANT)
    mb->quantiser = (uint8_t) m2v_read_filled (&r->bits, M2V_QUANTISER_BITS);
  else
    mb->quantiser = (uint8_t) r->prediction.quantiser;
  return mb->quantiser != 0 && (mb->motion != 0 || intra)
      && (mb->motion != M2V_MOTION_DUAL_PRIME || p->type == M2V_PICTURE_P);
}

/* Largest number of bits of a vector's two components and dual prime's
 * dmvector, which are filled at once. */
#define MAX_VECTOR_BITS (2 * (M2V_MOTION_BITS + M2V_MAX_F_CODE - 1 \
        + M2V_DMVECTOR_BITS))

/* Reads motion_code and motion_residual (clauses 6.2.5.2.1, 7.6.3.1).
 * Processors cannot predict vectors, so there is no branch on them. */
static inline bool
read_delta (M2vBitReader * b, const M2vVlc * vlc, unsigned f_code,
    int16_t * delta)
{
  const M2vLookup *code = look_up (b, vlc->motions, M2V_MOTION_BITS);
  const int value = code->value, sign = -(value < 0);
  const unsigned r_size = value != 0 ? f_code - 1 : 0;
  /* There are two shifts because one by 64, for no residual, is undefined. */
  const int residual = (int) (b->cache >> 1 >> (63 - r_size));
  const int magnitude = (abs (value) - 1) * (1 << r_size) + residual + 1;

  m2v_skip_filled (b, r_size);
  *delta = (int16_t) ((magnitude ^ sign) - sign);
  return code->length > 0;
}

static bool
read_vector (M2vSliceReader * r, M2vMacroblock * mb, unsigned n, unsigned s)
{
  const M2vPictureParams *p = r->picture;
  M2vVector *v = &mb->vectors[n][s];
  /* A copy can stay in registers. */
  M2vBitReader b = r->bits;

  _Static_assert (MAX_VECTOR_BITS <= M2V_FILLED_BITS, "filled at once");
  m2v_fill_bits (&b);
  for (unsigned t = 0; t < 2; t++) {
    v->dmvector[t] = 0;
    if (p->f_code[s][t] == 0
        || !read_delta (&b, r->vlc, p->f_code[s][t], &v->delta[t]))
      return false;
    v->vector[t] = m2v_vector_wrap (p->f_code[s][t],
        m2v_vector_predictor (p, &r->prediction, mb->motion, n, s, t)
        + v->delta[t]);
    if (mb->motion == M2V_MOTION_DUAL_PRIME)
      v->dmvector[t] = look_up (&b, r->vlc->dmvectors,
          M2V_DMVECTOR_BITS)->value;
  }
  r->bits = b;
  return true;
}

/* Reads the vectors of a direction (clause 6.2.5.2). */
static bool
read_vectors (M2vSliceReader * r, M2vMacroblock * mb, unsigned s)
{
  unsigned n = m2v_vector_count (r->picture, mb->motion);

  for (unsigned i = 0; i < n; i++) {
    mb->vectors[i][s].bottom = false;
    if (m2v_has_field_select (r->picture, mb->motion)) {
      m2v_fill_bits (&r->bits);
      mb->vectors[i][s].bottom = m2v_read_filled (&r->bits, 1);
    }
    if (!read_vector (r, mb, i, s))
      return false;
  }
  return true;
}

/* Reads concealment vectors and the marker bit that follows them. */
static bool
read_concealment (M2vSliceReader * r, M2vMacroblock * mb)
{
  if (mb->motion == 0)
    return true;
  if (!read_vectors (r, mb, 0))
    return false;
  m2v_fill_bits (&r->bits);
  return m2v_read_filled (&r->bits, 1);
}

static bool
read_motion (M2vSliceReader * r, M2vMacroblock * mb)
{
  const size_t from = m2v_bit_reader_position (&r->bits);
  size_t n;

  m2v_fill_bits (&r->bits);
  mb->motion_bits = r->bits.cache;
  mb->n_motion_bits = 0;
  if (mb->type & M2V_INTRA)
    return read_concealment (r, mb);
  if ((mb->type & M2V_FORWARD) && !read_vectors (r, mb, 0))
    return false;
  if ((mb->type & M2V_BACKWARD) && !read_vectors (r, mb, 1))
    return false;
  if (!(mb->type & (M2V_FORWARD | M2V_BACKWARD)))
    m2v_macroblock_set_zero (r->picture, mb);
  n = m2v_bit_reader_position (&r->bits) - from;
  mb->n_motion_bits = (uint8_t) (n <= M2V_FILLED_BITS ? n : 0);
  return true;
}

/* Reads coded_block_pattern (clause 6.2.5.3). In 4:2:2 the bits of the last two
 * blocks follow, the first of them on top. */
static bool
read_pattern (M2vSliceReader * r, M2vMacroblock * mb)
{
  const M2vPictureParams *p = r->picture;
  const M2vLookup *found;
  unsigned rest = 0;

  mb->pattern = 0;
  if (mb->type & M2V_INTRA)
    mb->pattern = (uint8_t) ((1u << p->n_blocks) - 1);
  if (!(mb->type & M2V_PATTERN))
    return true;
  m2v_fill_bits (&r->bits);
  found = look_up (&r->bits, r->vlc->patterns, M2V_PATTERN_BITS);
  if (p->n_blocks == 8)
    rest = m2v_read_filled (&r->bits, 2);
  mb->pattern = (uint8_t) ((unsigned) found->value | (rest & 2) << 5
      | (rest & 1) << 7);
  return found->length > 0 && (found->value > 0 || p->n_blocks == 8);
}

bool
m2v_slice_reader_next (M2vSliceReader * r, M2vMacroblock * mb)
{
  if (r->error || r->ended)
    return false;
  mb->begin = m2v_bit_reader_position (&r->bits);
  if (!read_address (r, mb))
    return fail (r);
  mb->body = m2v_bit_reader_position (&r->bits);
  mb->before = r->prediction;
  if (!read_modes (r, mb) || !read_motion (r, mb) || !read_pattern (r, mb)
      || !m2v_read_blocks (r, mb))
    return fail (r);
  mb->end = m2v_bit_reader_position (&r->bits);

  m2v_prediction_advance (r->picture, &r->prediction, mb);
  r->address = mb->address;
  r->direction = mb->type & (M2V_FORWARD | M2V_BACKWARD);
  r->first = false;
  r->ended = mb->last = at_end (r);
  return !r->error;
}

bool
m2v_slice_reader_skips_none (M2vSliceReader * r)
{
  if (r->ended)
    return true;
  m2v_fill_bits (&r->bits);
  /* macroblock_address_increment 1 (table B.1). */
  return m2v_peek_filled (&r->bits, 1) == 1;
}
