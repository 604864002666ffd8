/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Slices and macroblocks (clauses 6.2.4, 6.2.5); their blocks are in
 * blockwriter.c.
 */
#include "slicewriter.h"

#include "blockwriter.h"

/* As in slicereader.c. */
#define EXTENSION_ROWS 128
#define EXTENSION_BITS 3
#define QUANTISER_BITS 5

/* More than a slice's header has, but for extra_information_slice. */
#define MAX_HEADER_SIZE 8

void
scaler_slice_writer_init (ScalerSliceWriter * w, const ScalerPicture * picture,
    const ScalerVlc * vlc, uint8_t * out, size_t capacity)
{
  memset (w, 0, sizeof *w);
  w->picture = picture;
  w->vlc = vlc;
  scaler_bits_start_writing (&w->bits, out, capacity);
}

/* False, for good, where there is no room for n bytes. */
static bool
reserve (ScalerSliceWriter * w, size_t n)
{
  if (w->error || !scaler_bits_reserve (&w->bits, n))
    w->error = true;
  return !w->error;
}

static inline void
put_vlc (ScalerSliceWriter * w, MpegVlc vlc)
{
  if (vlc.length > 0)
    scaler_bits_put (&w->bits, vlc.code, vlc.length);
  else
    w->error = true;
}

void
scaler_slice_writer_begin (ScalerSliceWriter * w, const ScalerSlice * slice,
    unsigned quantiser)
{
  unsigned row = slice->row;

  if (!reserve (w, 2 * MAX_HEADER_SIZE + slice->n_extra / 8))
    return;
  scaler_bits_align (&w->bits);
  if (w->picture->extended)
    row %= EXTENSION_ROWS;
  scaler_bits_put (&w->bits, 0x100 + MPEG_CODE_SLICE_MIN + row, 32);
  if (w->picture->extended)
    scaler_bits_put (&w->bits, slice->row / EXTENSION_ROWS, EXTENSION_BITS);
  scaler_bits_put (&w->bits, quantiser, QUANTISER_BITS);
  if (slice->n_extra > 0)
    scaler_bits_copy (&w->bits, slice->data, slice->extra, slice->n_extra);
  scaler_bits_put (&w->bits, 0, 1);

  if (quantiser < 1 || quantiser > 31 || slice->row >= w->picture->rows)
    w->error = true;
  scaler_prediction_reset (w->picture, &w->prediction, quantiser);
  w->row = slice->row;
  w->address = slice->row * w->picture->columns - 1;
  w->direction = 0;
  w->first = true;
}

/* Whether a skipped one would have this vector. Whole samples, in B, FFmpeg
 * takes for half ones there. */
static bool
is_inherited (const ScalerSliceWriter * w, const int16_t vector[2], unsigned s)
{
  const ScalerPicture *p = w->picture;
  bool zero = vector[0] == 0 && vector[1] == 0;

  if (p->type == MPEG_PICTURE_P)
    return zero;
  return vector[0] == w->prediction.pmv[0][s][0]
      && vector[1] == w->prediction.pmv[0][s][1] && (zero || !p->full_pel[s]);
}

bool
scaler_slice_writer_may_skip (const ScalerSliceWriter * w,
    const ScalerMacroblock * mb)
{
  const ScalerPicture *p = w->picture;

  if (w->first || mb->last || mb->motion != scaler_implied_motion (p)
      || (mb->type & ~(SCALER_FORWARD | SCALER_BACKWARD)))
    return false;
  for (unsigned s = 0; s < 2; s++) {
    const ScalerVector *v = &mb->vectors[0][s];

    if (!(mb->type & (s == 0 ? SCALER_FORWARD : SCALER_BACKWARD)))
      continue;
    if (scaler_is_field (p)
        && v->bottom != (p->structure == MPEG_BOTTOM_FIELD))
      return false;
    if (!is_inherited (w, v->vector, s))
      return false;
  }
  return mb->type == (p->type == MPEG_PICTURE_P ? SCALER_FORWARD
      : w->direction) && mb->type != 0;
}

static void
put_increment (ScalerSliceWriter * w, unsigned increment)
{
  for (; increment > MPEG_MAX_ADDRESS_INCREMENT;
      increment -= MPEG_MAX_ADDRESS_INCREMENT)
    put_vlc (w, mpeg_address_escape);
  put_vlc (w, mpeg_address_increments[increment]);
}

/* Stuffing and macroblock_address_increment; what is skipped over is. Room is
 * there for the rest, too. */
static bool
put_address (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  const ScalerPicture *p = w->picture;
  unsigned limit = p->columns * (p->mpeg2 ? w->row + 1 : p->rows);
  unsigned increment = mb->address - w->address;
  unsigned n_stuffing;

  if (mb->address >= limit || increment == 0 || increment > limit)
    return false;
  if (!w->first && increment > 1) {
    if (p->type == MPEG_PICTURE_I
        || (p->type == MPEG_PICTURE_B && w->direction == 0))
      return false;
    scaler_prediction_skip (p, &w->prediction);
  }
  n_stuffing = p->mpeg2 || w->canonical ? 0 : mb->n_stuffing;
  if (!reserve (w, SCALER_SLICE_WRITER_RESERVE - SCALER_BITS_SLACK
          + ((size_t) n_stuffing + increment / MPEG_MAX_ADDRESS_INCREMENT) * 2))
    return false;
  for (unsigned i = 0; i < n_stuffing; i++)
    put_vlc (w, scaler_stuffing);
  put_increment (w, increment);
  return true;
}

/* macroblock_type, with SCALER_QUANT where it is wanted. */
static unsigned
choose_type (const ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  if (!(mb->type & (SCALER_INTRA | SCALER_PATTERN)))
    return mb->type;
  if (mb->quantiser != w->prediction.quantiser)
    return mb->type | SCALER_QUANT;
  return w->canonical ? mb->type & ~(unsigned) SCALER_QUANT : mb->type;
}

static bool
put_modes (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  const ScalerPicture *p = w->picture;
  unsigned type = choose_type (w, mb);

  if (type >= 32)
    return false;
  put_vlc (w, w->vlc->type_codes[p->type - MPEG_PICTURE_I][type]);
  if (mb->type & (SCALER_FORWARD | SCALER_BACKWARD)) {
    if (mb->motion < SCALER_MOTION_FIELD
        || mb->motion > SCALER_MOTION_DUAL_PRIME
        || (mb->motion == SCALER_MOTION_DUAL_PRIME
            && p->type != MPEG_PICTURE_P))
      return false;
    if (scaler_is_field (p) || !p->frame_pred_frame_dct)
      scaler_bits_put (&w->bits, mb->motion, 2);
    else if (mb->motion != SCALER_MOTION_FRAME)
      return false;
  }
  if (!scaler_is_field (p) && !p->frame_pred_frame_dct
      && (mb->type & (SCALER_INTRA | SCALER_PATTERN)))
    scaler_bits_put (&w->bits, mb->field_dct, 1);
  else if (mb->field_dct)
    return false;
  if (type & SCALER_QUANT) {
    scaler_bits_put (&w->bits, mb->quantiser, QUANTISER_BITS);
    w->prediction.quantiser = mb->quantiser;
  }
  return mb->quantiser >= 1 && mb->quantiser <= 31;
}

/* motion_code and motion_residual of what takes the predictor to the vector.
 * Of two that do (they differ by the range), the one in the source is kept. */
static void
put_delta (ScalerSliceWriter * w, unsigned f_code, int difference, int wish)
{
  int delta = scaler_vector_wrap (f_code, difference);
  int half = 16 << (f_code - 1), magnitude;

  if (!w->canonical && wish == -delta && delta == -half)
    delta = half;
  magnitude = delta < 0 ? -delta : delta;
  if (magnitude > 0)
    magnitude = ((magnitude - 1) >> (f_code - 1)) + 1;
  put_vlc (w, w->vlc->motion_codes[SCALER_MAX_MOTION_CODE
          + (delta < 0 ? -magnitude : magnitude)]);
  if (delta != 0 && f_code > 1) {
    unsigned residual = (unsigned) (delta < 0 ? -delta : delta) - 1;

    scaler_bits_put (&w->bits, residual & ((1u << (f_code - 1)) - 1),
        f_code - 1);
  }
}

static bool
put_vector (ScalerSliceWriter * w, const ScalerMacroblock * mb, unsigned n,
    unsigned s)
{
  const ScalerPicture *p = w->picture;
  const ScalerVector *v = &mb->vectors[n][s];

  if (scaler_has_field_select (p, mb->motion))
    scaler_bits_put (&w->bits, v->bottom, 1);
  for (unsigned t = 0; t < 2; t++) {
    unsigned f_code = p->f_code[s][t];

    if (f_code == 0 || v->vector[t] != scaler_vector_wrap (f_code,
            v->vector[t]))
      return false;
    put_delta (w, f_code, v->vector[t]
        - scaler_vector_predictor (p, &w->prediction, mb->motion, n, s, t),
        v->delta[t]);
    if (mb->motion != SCALER_MOTION_DUAL_PRIME)
      continue;
    if (v->dmvector[t] < -1 || v->dmvector[t] > 1)
      return false;
    put_vlc (w, w->vlc->dmvector_codes[v->dmvector[t] + 1]);
  }
  return true;
}

static bool
put_motion (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  bool intra = mb->type & SCALER_INTRA;
  unsigned n = scaler_vector_count (w->picture, mb->motion);

  if (intra && mb->motion == 0)
    return !w->picture->concealment_motion_vectors;
  if (intra && (!w->picture->concealment_motion_vectors
          || mb->motion != scaler_implied_motion (w->picture)))
    return false;
  for (unsigned i = 0; i < n && (intra || (mb->type & SCALER_FORWARD)); i++) {
    if (!put_vector (w, mb, i, 0))
      return false;
  }
  for (unsigned i = 0; i < n && (mb->type & SCALER_BACKWARD); i++) {
    if (!put_vector (w, mb, i, 1))
      return false;
  }
  if (intra)
    scaler_bits_put (&w->bits, 1, 1);   /* marker */
  return true;
}

static bool
put_pattern (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  unsigned n = w->picture->n_blocks, cbp = 0;

  if (!(mb->type & SCALER_PATTERN))
    return true;
  for (unsigned i = 0; i < n; i++)
    cbp |= (mb->pattern >> i & 1u) << (n - 1 - i);
  put_vlc (w, w->vlc->pattern_codes[cbp >> (n - 6)]);
  if (n == 8)
    scaler_bits_put (&w->bits, cbp & 3, 2);
  return mb->pattern != 0 || n == 8;
}

/* What follows the address. */
static void
put_body (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  if (!put_modes (w, mb) || !put_motion (w, mb) || !put_pattern (w, mb)
      || !scaler_write_blocks (w, mb))
    w->error = true;
}

static void
advance (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  scaler_prediction_advance (w->picture, &w->prediction, mb);
  w->address = mb->address;
  w->direction = mb->type & (SCALER_FORWARD | SCALER_BACKWARD);
  w->first = false;
}

void
scaler_slice_writer_put (ScalerSliceWriter * w, const ScalerMacroblock * mb)
{
  if (w->error || !put_address (w, mb)) {
    w->error = true;
    return;
  }
  put_body (w, mb);
  advance (w, mb);
}

void
scaler_slice_writer_copy (ScalerSliceWriter * w, const ScalerMacroblock * mb,
    const uint8_t * data)
{
  if (w->error || !put_address (w, mb)) {
    w->error = true;
    return;
  }
  if (memcmp (&w->prediction, &mb->before, sizeof mb->before) == 0)
    scaler_bits_copy (&w->bits, data, mb->body, mb->end - mb->body);
  else
    put_body (w, mb);
  advance (w, mb);
}

void
scaler_slice_writer_resume (ScalerSliceWriter * w, const ScalerSlice * slice,
    unsigned quantiser, const ScalerMacroblock * mb, unsigned direction)
{
  size_t header = slice->extra + slice->n_extra + 1;

  scaler_slice_writer_begin (w, slice, quantiser);
  if (mb->first)
    return;
  scaler_bits_copy (&w->bits, slice->data, header, mb->begin - header);
  /* This is behind macroblocks skipped before mb; skipping them again changes
   * nothing. */
  w->prediction = mb->before;
  if (quantiser != slice->quantiser)
    w->prediction.quantiser = (uint16_t) quantiser;
  w->address = mb->address - mb->n_skipped - 1;
  w->direction = (uint8_t) direction;
  w->first = false;
  w->error = w->error || w->bits.error;
}

void
scaler_slice_writer_end (ScalerSliceWriter * w, size_t n_trailing)
{
  if (w->first)
    w->error = true;
  if (!reserve (w, n_trailing))
    return;
  scaler_bits_align (&w->bits);
  for (size_t i = 0; i < n_trailing; i++)
    scaler_bits_put (&w->bits, 0, 8);
}

void
scaler_slice_writer_bytes (ScalerSliceWriter * w, const uint8_t * data,
    size_t size)
{
  if (w->error)
    return;
  scaler_bits_align (&w->bits);
  scaler_bits_copy (&w->bits, data, 0, size * 8);
  w->error = w->bits.error;
}

size_t
scaler_slice_writer_finish (ScalerSliceWriter * w)
{
  w->error = w->error || w->bits.error;
  return w->error ? 0 : scaler_bits_align (&w->bits);
}
