/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Slices and macroblocks (clauses 6.2.4, 6.2.5); their blocks are in
 * blockreader.c.
 */
#include "slicereader.h"

#include "blockreader.h"
#include "scan.h"

/* What ends a slice (clause 6.2.4). */
#define END_ZEROS 23

/* slice_vertical_position_extension counts so many rows (clause 6.3.16). */
#define EXTENSION_ROWS 128
#define EXTENSION_BITS 3

#define QUANTISER_BITS 5

/* extra_bit_slice and extra_information_slice. */
#define EXTRA_BITS 9

bool
scaler_slices_next (const uint8_t * data, size_t size, size_t *position,
    MpegRange * range)
{
  size_t from = *position;

  if (from >= size)
    return false;
  range->offset = from;
  /* From behind the start code that it begins with, if any. */
  *position = mpeg_scan (data, size, from + (size - from > 3
          && data[from] == 0 && data[from + 1] == 0 && data[from + 2] == 1));
  range->size = *position - from;
  return true;
}

static bool
fail (ScalerSliceReader * r)
{
  r->error = true;
  return false;
}

/* Whether no macroblock follows; sets n_trailing. Past the end are zeros, so
 * that what was read beyond it shows here. */
static bool
at_end (ScalerSliceReader * r)
{
  size_t position, used;

  scaler_bits_fill (&r->bits);
  if (scaler_bits_peek (&r->bits, END_ZEROS) != 0)
    return false;
  position = scaler_bits_position (&r->bits);
  used = (position + 7) / 8;
  if (position > r->size * 8)
    return fail (r);
  for (size_t i = used; i < r->size; i++) {
    if (r->slice.data[i] != 0)
      return fail (r);
  }
  r->n_trailing = r->size - used;
  return true;
}

static bool
read_vertical_position (ScalerSliceReader * r)
{
  unsigned row = r->slice.data[3] - MPEG_CODE_SLICE_MIN;

  if (r->picture->extended) {
    if (row >= EXTENSION_ROWS)
      return false;
    row += scaler_bits_get (&r->bits, EXTENSION_BITS) * EXTENSION_ROWS;
  }
  r->slice.row = row;
  return row < r->picture->rows;
}

static bool
read_header (ScalerSliceReader * r)
{
  ScalerBitReader *b = &r->bits;

  scaler_bits_fill (b);
  scaler_bits_skip (b, 32);
  scaler_bits_fill (b);
  if (!read_vertical_position (r))
    return false;
  r->slice.quantiser = scaler_bits_get (b, QUANTISER_BITS);
  r->slice.extra = scaler_bits_position (b);
  while (scaler_bits_peek (b, 1)) {
    scaler_bits_skip (b, EXTRA_BITS);
    scaler_bits_fill (b);
  }
  r->slice.n_extra = scaler_bits_position (b) - r->slice.extra;
  scaler_bits_skip (b, 1);
  return r->slice.quantiser != 0;
}

bool
scaler_slice_reader_begin (ScalerSliceReader * r,
    const ScalerPicture * picture, const ScalerVlc * vlc, const uint8_t * data,
    size_t size)
{
  memset (r, 0, sizeof *r);
  r->picture = picture;
  r->vlc = vlc;
  r->size = size;
  r->slice.data = data;
  if (!scaler_is_slice (data, size))
    return fail (r);
  scaler_bits_init (&r->bits, data, size);
  /* A slice without macroblocks is none. */
  if (!read_header (r) || at_end (r))
    return fail (r);
  scaler_prediction_reset (picture, &r->prediction, r->slice.quantiser);
  /* One before its first place, which in the first row is -1. */
  r->address = r->slice.row * picture->columns - 1;
  r->first = true;
  return !r->error;
}

/* The filled bits must have `bits` of them. */
static inline const ScalerLookup *
look_up (ScalerBitReader * b, const ScalerLookup * table, unsigned bits)
{
  const ScalerLookup *found = &table[scaler_bits_peek (b, bits)];

  scaler_bits_skip (b, found->length);
  return found;
}

/* Returns macroblock_address_increment with all escapes, 0: none. */
static unsigned
read_increment (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  unsigned limit = r->picture->columns * r->picture->rows;
  unsigned escapes = 0;

  mb->n_stuffing = 0;
  for (;;) {
    const ScalerLookup *found;

    scaler_bits_fill (&r->bits);
    found = look_up (&r->bits, r->vlc->increments, SCALER_ADDRESS_BITS);
    if (found->length == 0 || escapes > limit)
      return 0;
    if (found->value == SCALER_INCREMENT_ESCAPE)
      escapes += MPEG_MAX_ADDRESS_INCREMENT;
    else if (found->value != SCALER_INCREMENT_STUFFING)
      return escapes + (unsigned) found->value;
    /* Stuffing is MPEG-1's, and stands before escapes. */
    else if (r->picture->mpeg2 || escapes > 0)
      return 0;
    else
      mb->n_stuffing++;
  }
}

/* What macroblocks skipped before this one are predicted from (clause
 * 7.6.6). */
static bool
skip (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  const ScalerPicture *p = r->picture;

  if (p->type == MPEG_PICTURE_I
      || (p->type == MPEG_PICTURE_B && r->direction == 0))
    return false;
  scaler_prediction_skip (p, &r->prediction);
  mb->skipped_type = p->type == MPEG_PICTURE_P ? SCALER_FORWARD : r->direction;
  memcpy (mb->skipped_vectors, r->prediction.pmv[0],
      sizeof mb->skipped_vectors);
  return true;
}

static bool
read_address (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  const ScalerPicture *p = r->picture;
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

/* motion_type and dct_type (clause 6.2.5.1). */
static bool
read_modes (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  const ScalerPicture *p = r->picture;
  const ScalerLookup *type;
  bool intra, moves;

  scaler_bits_fill (&r->bits);
  type = look_up (&r->bits, r->vlc->types[p->type - MPEG_PICTURE_I],
      SCALER_TYPE_BITS);
  if (type->length == 0)
    return false;
  mb->type = (uint8_t) type->value;
  intra = mb->type & SCALER_INTRA;
  moves = mb->type & (SCALER_FORWARD | SCALER_BACKWARD);

  mb->motion = (uint8_t) scaler_implied_motion (p);
  if (intra && !p->concealment_motion_vectors)
    mb->motion = 0;
  if (moves && (scaler_is_field (p) || !p->frame_pred_frame_dct))
    mb->motion = (uint8_t) scaler_bits_get (&r->bits, 2);
  mb->field_dct = false;
  if (!scaler_is_field (p) && !p->frame_pred_frame_dct
      && (mb->type & (SCALER_INTRA | SCALER_PATTERN)))
    mb->field_dct = scaler_bits_get (&r->bits, 1);
  if (mb->type & SCALER_QUANT)
    mb->quantiser = (uint8_t) scaler_bits_get (&r->bits, QUANTISER_BITS);
  else
    mb->quantiser = (uint8_t) r->prediction.quantiser;
  return mb->quantiser != 0 && (mb->motion != 0 || intra)
      && (mb->motion != SCALER_MOTION_DUAL_PRIME || p->type == MPEG_PICTURE_P);
}

/* motion_code and motion_residual (clauses 6.2.5.2.1, 7.6.3.1). */
static bool
read_delta (ScalerSliceReader * r, unsigned f_code, int16_t * delta)
{
  const ScalerLookup *code;
  int value;

  scaler_bits_fill (&r->bits);
  code = look_up (&r->bits, r->vlc->motions, SCALER_MOTION_BITS);
  if (code->length == 0 || f_code == 0)
    return false;
  value = code->value;
  if (value != 0 && f_code > 1) {
    int residual = (int) scaler_bits_get (&r->bits, f_code - 1);

    value = value > 0 ? ((value - 1) * (1 << (f_code - 1)) + residual + 1)
        : ((value + 1) * (1 << (f_code - 1)) - residual - 1);
  }
  *delta = (int16_t) value;
  return true;
}

static bool
read_vector (ScalerSliceReader * r, ScalerMacroblock * mb, unsigned n,
    unsigned s)
{
  const ScalerPicture *p = r->picture;
  ScalerVector *v = &mb->vectors[n][s];

  for (unsigned t = 0; t < 2; t++) {
    v->dmvector[t] = 0;
    if (!read_delta (r, p->f_code[s][t], &v->delta[t]))
      return false;
    v->vector[t] = scaler_vector_wrap (p->f_code[s][t],
        scaler_vector_predictor (p, &r->prediction, mb->motion, n, s, t)
        + v->delta[t]);
    if (mb->motion == SCALER_MOTION_DUAL_PRIME)
      v->dmvector[t] = look_up (&r->bits, r->vlc->dmvectors,
          SCALER_DMVECTOR_BITS)->value;
  }
  return true;
}

/* Clause 6.2.5.2. */
static bool
read_vectors (ScalerSliceReader * r, ScalerMacroblock * mb, unsigned s)
{
  unsigned n = scaler_vector_count (r->picture, mb->motion);

  for (unsigned i = 0; i < n; i++) {
    mb->vectors[i][s].bottom = false;
    scaler_bits_fill (&r->bits);
    if (scaler_has_field_select (r->picture, mb->motion))
      mb->vectors[i][s].bottom = scaler_bits_get (&r->bits, 1);
    if (!read_vector (r, mb, i, s))
      return false;
  }
  return true;
}

static bool
read_motion (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  bool intra = mb->type & SCALER_INTRA;

  if (intra) {
    if (mb->motion == 0)
      return true;
    /* A marker bit follows. */
    if (!read_vectors (r, mb, 0))
      return false;
    scaler_bits_fill (&r->bits);
    return scaler_bits_get (&r->bits, 1);
  }
  if ((mb->type & SCALER_FORWARD) && !read_vectors (r, mb, 0))
    return false;
  if ((mb->type & SCALER_BACKWARD) && !read_vectors (r, mb, 1))
    return false;
  if (!(mb->type & (SCALER_FORWARD | SCALER_BACKWARD)))
    scaler_macroblock_set_zero (r->picture, mb);
  return true;
}

/* coded_block_pattern (clause 6.2.5.3), its bits the other way round. */
static bool
read_pattern (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  const ScalerPicture *p = r->picture;
  const ScalerLookup *found;
  unsigned cbp;

  mb->pattern = 0;
  if (mb->type & SCALER_INTRA)
    mb->pattern = (uint8_t) ((1u << p->n_blocks) - 1);
  if (!(mb->type & SCALER_PATTERN))
    return true;
  scaler_bits_fill (&r->bits);
  found = look_up (&r->bits, r->vlc->patterns, SCALER_PATTERN_BITS);
  cbp = (unsigned) found->value;
  if (found->length == 0 || (cbp == 0 && p->n_blocks == 6))
    return false;
  if (p->n_blocks == 8)
    cbp = cbp << 2 | scaler_bits_get (&r->bits, 2);
  for (unsigned i = 0; i < p->n_blocks; i++)
    mb->pattern |= (uint8_t) ((cbp >> (p->n_blocks - 1 - i) & 1) << i);
  return true;
}

bool
scaler_slice_reader_next (ScalerSliceReader * r, ScalerMacroblock * mb)
{
  if (r->error || r->ended)
    return false;
  mb->begin = scaler_bits_position (&r->bits);
  if (!read_address (r, mb))
    return fail (r);
  mb->body = scaler_bits_position (&r->bits);
  mb->before = r->prediction;
  if (!read_modes (r, mb) || !read_motion (r, mb) || !read_pattern (r, mb)
      || !scaler_read_blocks (r, mb))
    return fail (r);
  mb->end = scaler_bits_position (&r->bits);

  scaler_prediction_advance (r->picture, &r->prediction, mb);
  r->address = mb->address;
  r->direction = mb->type & (SCALER_FORWARD | SCALER_BACKWARD);
  r->first = false;
  r->ended = mb->last = at_end (r);
  return !r->error;
}
