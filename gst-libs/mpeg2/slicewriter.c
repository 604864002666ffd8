/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes slices and macroblocks (clauses 6.2.4, 6.2.5); blockwriter.c writes
 * the blocks.
 */
#include <mpeg2/slicewriter.h>

#include <mpeg2/blockwriter.h>

/* Largest number of bytes of a slice's header without
 * extra_information_slice. */
#define MAX_HEADER_SIZE 8

void
m2v_slice_writer_init (M2vSliceWriter * w, const M2vPictureParams * picture,
    const M2vVlc * vlc, uint8_t * out, size_t capacity)
{
  memset (w, 0, sizeof *w);
  w->picture = picture;
  w->vlc = vlc;
  m2v_bit_writer_init (&w->bits, out, capacity);
}

/* Reserves n bytes. Returns false, then permanently, if there is no room. */
static bool
reserve (M2vSliceWriter * w, size_t n)
{
  if (w->error || !m2v_reserve_bytes (&w->bits, n))
    w->error = true;
  return !w->error;
}

static inline void
put_vlc (M2vSliceWriter * w, M2vVlcCode vlc)
{
  if (vlc.length > 0)
    m2v_put_reserved (&w->bits, vlc.code, vlc.length);
  else
    w->error = true;
}

void
m2v_slice_writer_begin (M2vSliceWriter * w, const M2vSlice * slice,
    unsigned quantiser)
{
  unsigned row = slice->row;

  if (!reserve (w, 2 * MAX_HEADER_SIZE + slice->n_extra / 8))
    return;
  m2v_write_align (&w->bits);
  if (w->picture->extended)
    row %= M2V_EXTENSION_ROWS;
  m2v_put_reserved (&w->bits, 0x100 + M2V_CODE_SLICE_MIN + row, 32);
  if (w->picture->extended)
    m2v_put_reserved (&w->bits, slice->row / M2V_EXTENSION_ROWS,
        M2V_EXTENSION_BITS);
  m2v_put_reserved (&w->bits, quantiser, M2V_QUANTISER_BITS);
  if (slice->n_extra > 0)
    m2v_copy_bits (&w->bits, slice->data, slice->extra, slice->n_extra);
  m2v_put_reserved (&w->bits, 0, 1);

  if (quantiser < 1 || quantiser > 31 || slice->row >= w->picture->rows)
    w->error = true;
  m2v_prediction_reset (w->picture, &w->prediction, quantiser);
  w->row = slice->row;
  w->address = slice->row * w->picture->columns - 1;
  w->direction = 0;
  w->first = true;
}

/* True if a skipped macroblock would have this vector. In skipped macroblocks
 * of B, FFmpeg takes whole samples for half samples. */
static bool
is_inherited (const M2vSliceWriter * w, const int16_t vector[2], unsigned s)
{
  const M2vPictureParams *p = w->picture;
  bool zero = vector[0] == 0 && vector[1] == 0;

  if (p->type == M2V_PICTURE_P)
    return zero;
  return vector[0] == w->prediction.pmv[0][s][0]
      && vector[1] == w->prediction.pmv[0][s][1] && (zero || !p->full_pel[s]);
}

bool
m2v_slice_writer_may_skip (const M2vSliceWriter * w, const M2vMacroblock * mb)
{
  const M2vPictureParams *p = w->picture;

  if (w->first || mb->last || mb->motion != m2v_implied_motion (p)
      || (mb->type & ~(M2V_FORWARD | M2V_BACKWARD)))
    return false;
  for (unsigned s = 0; s < 2; s++) {
    const M2vVector *v = &mb->vectors[0][s];

    if (!(mb->type & (s == 0 ? M2V_FORWARD : M2V_BACKWARD)))
      continue;
    if (m2v_is_field (p)
        && v->bottom != (p->structure == M2V_BOTTOM_FIELD))
      return false;
    if (!is_inherited (w, v->vector, s))
      return false;
  }
  return mb->type == (p->type == M2V_PICTURE_P ? M2V_FORWARD
      : w->direction) && mb->type != 0;
}

static void
put_increment (M2vSliceWriter * w, unsigned increment)
{
  for (; increment > M2V_MAX_ADDRESS_INCREMENT;
      increment -= M2V_MAX_ADDRESS_INCREMENT)
    put_vlc (w, m2v_address_escape);
  put_vlc (w, m2v_address_increments[increment]);
}

/* Writes stuffing and macroblock_address_increment; macroblocks in between are
 * skipped. Reserves room for the whole macroblock. */
static bool
put_address (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  const M2vPictureParams *p = w->picture;
  unsigned limit = p->columns * (p->mpeg2 ? w->row + 1 : p->rows);
  unsigned increment = mb->address - w->address;
  unsigned n_stuffing;

  if (mb->address >= limit || increment == 0 || increment > limit)
    return false;
  if (!w->first && increment > 1) {
    if (p->type == M2V_PICTURE_I
        || (p->type == M2V_PICTURE_B && w->direction == 0))
      return false;
    m2v_prediction_skip (p, &w->prediction);
  }
  n_stuffing = p->mpeg2 || w->canonical ? 0 : mb->n_stuffing;
  if (!reserve (w, M2V_SLICE_WRITER_RESERVE - M2V_BIT_WRITER_SLACK
          + ((size_t) n_stuffing + increment / M2V_MAX_ADDRESS_INCREMENT) * 2))
    return false;
  for (unsigned i = 0; i < n_stuffing; i++)
    put_vlc (w, m2v_stuffing);
  put_increment (w, increment);
  return true;
}

/* Returns macroblock_type, with M2V_QUANT if the quantiser has to be
 * written. */
static unsigned
choose_type (const M2vSliceWriter * w, const M2vMacroblock * mb)
{
  if (!(mb->type & (M2V_INTRA | M2V_PATTERN)))
    return mb->type;
  if (mb->quantiser != w->prediction.quantiser)
    return mb->type | M2V_QUANT;
  return w->canonical ? mb->type & ~(unsigned) M2V_QUANT : mb->type;
}

static bool
put_modes (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  const M2vPictureParams *p = w->picture;
  unsigned type = choose_type (w, mb);

  if (type >= 32)
    return false;
  put_vlc (w, w->vlc->type_codes[p->type - M2V_PICTURE_I][type]);
  if (mb->type & (M2V_FORWARD | M2V_BACKWARD)) {
    if (mb->motion < M2V_MOTION_FIELD
        || mb->motion > M2V_MOTION_DUAL_PRIME
        || (mb->motion == M2V_MOTION_DUAL_PRIME && p->type != M2V_PICTURE_P))
      return false;
    if (m2v_is_field (p) || !p->frame_pred_frame_dct)
      m2v_put_reserved (&w->bits, mb->motion, 2);
    else if (mb->motion != M2V_MOTION_FRAME)
      return false;
  }
  if (!m2v_is_field (p) && !p->frame_pred_frame_dct
      && (mb->type & (M2V_INTRA | M2V_PATTERN)))
    m2v_put_reserved (&w->bits, mb->field_dct, 1);
  else if (mb->field_dct)
    return false;
  if (type & M2V_QUANT) {
    m2v_put_reserved (&w->bits, mb->quantiser, M2V_QUANTISER_BITS);
    w->prediction.quantiser = mb->quantiser;
  }
  return mb->quantiser >= 1 && mb->quantiser <= 31;
}

/* Writes the motion_code and motion_residual of the difference between vector
 * and predictor. If two values are possible (they differ by the range), that of
 * the source is kept. */
static void
put_delta (M2vSliceWriter * w, unsigned f_code, int difference, int source)
{
  int delta = m2v_vector_wrap (f_code, difference);
  int half = 16 << (f_code - 1), magnitude;

  if (!w->canonical && source == -delta && delta == -half)
    delta = half;
  magnitude = delta < 0 ? -delta : delta;
  if (magnitude > 0)
    magnitude = ((magnitude - 1) >> (f_code - 1)) + 1;
  put_vlc (w, w->vlc->motion_codes[M2V_MAX_MOTION_CODE
          + (delta < 0 ? -magnitude : magnitude)]);
  if (delta != 0 && f_code > 1) {
    unsigned residual = (unsigned) (delta < 0 ? -delta : delta) - 1;

    m2v_put_reserved (&w->bits, residual & ((1u << (f_code - 1)) - 1),
        f_code - 1);
  }
}

static bool
put_vector (M2vSliceWriter * w, const M2vMacroblock * mb, unsigned n,
    unsigned s)
{
  const M2vPictureParams *p = w->picture;
  const M2vVector *v = &mb->vectors[n][s];

  if (m2v_has_field_select (p, mb->motion))
    m2v_put_reserved (&w->bits, v->bottom, 1);
  for (unsigned t = 0; t < 2; t++) {
    unsigned f_code = p->f_code[s][t];

    if (f_code == 0 || v->vector[t] != m2v_vector_wrap (f_code, v->vector[t]))
      return false;
    put_delta (w, f_code, v->vector[t]
        - m2v_vector_predictor (p, &w->prediction, mb->motion, n, s, t),
        v->delta[t]);
    if (mb->motion != M2V_MOTION_DUAL_PRIME)
      continue;
    if (v->dmvector[t] < -1 || v->dmvector[t] > 1)
      return false;
    put_vlc (w, w->vlc->dmvector_codes[v->dmvector[t] + 1]);
  }
  return true;
}

/* True if the vectors and their predictors are those of the source. */
static bool
may_copy_motion (const M2vSliceWriter * w, const M2vMacroblock * mb)
{
  return mb->n_motion_bits > 0 && !w->canonical
      && memcmp (w->prediction.pmv, mb->before.pmv, sizeof mb->before.pmv) == 0;
}

static void
copy_motion (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  const unsigned n = mb->n_motion_bits, first = n < 32 ? n : 32;

  m2v_put_reserved (&w->bits, (uint32_t) (mb->motion_bits >> (64 - first)),
      first);
  if (n > 32)
    m2v_put_reserved (&w->bits, (uint32_t) (mb->motion_bits << 32
            >> (96 - n)), n - 32);
}

static bool
put_motion (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  bool intra = mb->type & M2V_INTRA;
  unsigned n = m2v_vector_count (w->picture, mb->motion);

  if (may_copy_motion (w, mb)) {
    copy_motion (w, mb);
    return true;
  }
  if (intra && mb->motion == 0)
    return !w->picture->concealment_motion_vectors;
  if (intra && (!w->picture->concealment_motion_vectors
          || mb->motion != m2v_implied_motion (w->picture)))
    return false;
  for (unsigned i = 0; i < n && (intra || (mb->type & M2V_FORWARD)); i++) {
    if (!put_vector (w, mb, i, 0))
      return false;
  }
  for (unsigned i = 0; i < n && (mb->type & M2V_BACKWARD); i++) {
    if (!put_vector (w, mb, i, 1))
      return false;
  }
  if (intra)
    m2v_put_reserved (&w->bits, 1, 1);  /* marker */
  return true;
}

static bool
put_pattern (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  const unsigned pattern = mb->pattern, n = w->picture->n_blocks;

  if (!(mb->type & M2V_PATTERN))
    return true;
  put_vlc (w, w->vlc->pattern_codes[pattern & 63]);
  if (n == 8)
    m2v_put_reserved (&w->bits, (pattern >> 5 & 2) | pattern >> 7, 2);
  return pattern != 0 || n == 8;
}

/* Writes the macroblock from macroblock_type on. */
static void
put_body (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  if (!put_modes (w, mb) || !put_motion (w, mb) || !put_pattern (w, mb)
      || !m2v_write_blocks (w, mb))
    w->error = true;
}

static void
advance (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  m2v_prediction_advance (w->picture, &w->prediction, mb);
  w->address = mb->address;
  w->direction = mb->type & (M2V_FORWARD | M2V_BACKWARD);
  w->first = false;
}

void
m2v_slice_writer_put (M2vSliceWriter * w, const M2vMacroblock * mb)
{
  if (w->error || !put_address (w, mb)) {
    w->error = true;
    return;
  }
  put_body (w, mb);
  advance (w, mb);
}

void
m2v_slice_writer_copy (M2vSliceWriter * w, const M2vMacroblock * mb,
    const uint8_t * data)
{
  if (w->error || !put_address (w, mb)) {
    w->error = true;
    return;
  }
  if (memcmp (&w->prediction, &mb->before, sizeof mb->before) == 0)
    m2v_copy_bits (&w->bits, data, mb->body, mb->end - mb->body);
  else
    put_body (w, mb);
  advance (w, mb);
}

void
m2v_slice_writer_resume (M2vSliceWriter * w, const M2vSlice * slice,
    unsigned quantiser, const M2vMacroblock * mb, unsigned direction)
{
  size_t header = slice->extra + slice->n_extra + 1;

  m2v_slice_writer_begin (w, slice, quantiser);
  if (mb->first)
    return;
  m2v_copy_bits (&w->bits, slice->data, header, mb->begin - header);
  /* These predictors are those after the macroblocks skipped before mb;
   * skipping them again changes nothing. */
  w->prediction = mb->before;
  if (quantiser != slice->quantiser)
    w->prediction.quantiser = (uint16_t) quantiser;
  w->address = mb->address - mb->n_skipped - 1;
  w->direction = (uint8_t) direction;
  w->first = false;
  w->error = w->error || w->bits.error;
}

void
m2v_slice_writer_end (M2vSliceWriter * w, size_t n_trailing)
{
  if (w->first)
    w->error = true;
  if (!reserve (w, n_trailing))
    return;
  m2v_write_align (&w->bits);
  for (size_t i = 0; i < n_trailing; i++)
    m2v_put_reserved (&w->bits, 0, 8);
}

void
m2v_slice_writer_bytes (M2vSliceWriter * w, const uint8_t * data, size_t size)
{
  if (w->error)
    return;
  m2v_write_align (&w->bits);
  m2v_copy_bits (&w->bits, data, 0, size * 8);
  w->error = w->bits.error;
}

size_t
m2v_slice_writer_finish (M2vSliceWriter * w)
{
  w->error = w->error || w->bits.error;
  return w->error ? 0 : m2v_write_align (&w->bits);
}
