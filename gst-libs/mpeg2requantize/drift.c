/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/drift.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2requantize/driftmotion.h>

/* Bytes of a cache line. */
#define ALIGNMENT 64

static inline unsigned
chroma_height (const M2vDriftLoop * d)
{
  return d->n_blocks > 6 ? 16 : 8;
}

/* Returns the number of samples of a frame. */
static size_t
frame_size (const M2vDriftLoop * d)
{
  return (size_t) d->columns * d->rows * d->n_blocks * 64;
}

static M2vErrorFrame *
current (M2vDriftLoop * d)
{
  return &d->frames[d->newest];
}

void
m2v_drift_free (M2vDriftLoop * d)
{
  free (d->memory);
  memset (d, 0, sizeof *d);
}

void
m2v_drift_lost (M2vDriftLoop * d)
{
  d->frames[0].zero = d->frames[1].zero = true;
  d->first_field = 0;
  d->inherits = false;
  d->up = d->decodes;
}

static void
set_planes (M2vDriftLoop * d)
{
  uintptr_t misaligned = (uintptr_t) d->memory % ALIGNMENT;
  int16_t *next = d->memory
      + (misaligned ? ALIGNMENT - misaligned : 0) / sizeof *next;

  for (unsigned i = 0; i < 2; i++) {
    size_t luma = (size_t) d->columns * d->rows * 256;

    d->frames[i].planes[0] = next;
    d->frames[i].planes[1] = next + luma;
    d->frames[i].planes[2] = next + luma + (frame_size (d) - luma) / 2;
    next += frame_size (d);
  }
  d->done = (uint8_t *) next;
}

/* Allocates memory for frames of the picture's size. */
static bool
prepare (M2vDriftLoop * d, const M2vPictureParams * p)
{
  unsigned rows = p->rows * (m2v_is_field (p) ? 2 : 1);

  if (d->memory && d->columns == p->columns && d->rows == rows
      && d->n_blocks == p->n_blocks)
    return true;
  free (d->memory);
  d->memory = NULL;
  d->columns = p->columns;
  d->rows = rows;
  d->n_blocks = p->n_blocks;
  m2v_drift_lost (d);
  /* The product is computed in 64 bits, so it does not overflow. */
  if ((uint64_t) d->columns * d->rows > M2V_DRIFT_MAX_MACROBLOCKS)
    return false;
  d->memory = malloc (2 * frame_size (d) * sizeof *d->memory + ALIGNMENT
      + (size_t) d->columns * d->rows);
  if (!d->memory)
    return false;
  set_planes (d);
  return true;
}

/* Chooses the frame that is written, and finds whether the picture is its
 * second field. */
static void
choose_frame (M2vDriftLoop * d, const M2vPictureParams * p)
{
  bool is_field = m2v_is_field (p);

  d->stores = p->type != M2V_PICTURE_B;
  /* An I behind a P field begins a frame: the P field's second one is lost. */
  d->second_field = d->stores && is_field && d->first_field != 0
      && d->first_field != p->structure
      && (p->type != M2V_PICTURE_I || d->first_type == M2V_PICTURE_I);
  if (!d->stores)
    return;
  d->first_field = is_field && !d->second_field ? p->structure : 0;
  d->first_type = p->type;
  d->up = d->decodes || !d->up;
  if (!d->second_field) {
    d->newest = !d->newest;
    current (d)->zero = true;
  }
}

bool
m2v_drift_begin (M2vDriftLoop * d, const M2vPictureParams * picture,
    bool top_field_first)
{
  if (!prepare (d, picture))
    return false;
  d->picture = picture;
  d->top_field_first = top_field_first;
  memset (d->done, 0, (size_t) picture->columns * picture->rows);
  choose_frame (d, picture);
  d->inherits = picture->type != M2V_PICTURE_I
      && !(d->frames[!d->newest].zero
      && ((d->stores && !d->second_field) || current (d)->zero));
  if (!d->inherits || !d->stores || !current (d)->zero)
    return true;
  /* A frame picture writes all lines, but the other lines of a field picture
   * may never be written. */
  if (m2v_is_field (picture))
    m2v_drift_touch (d);
  else
    current (d)->zero = false;
  return true;
}

bool
m2v_drift_is_free (const M2vDriftLoop * d)
{
  return !d->inherits && d->frames[d->newest].zero;
}

void
m2v_drift_touch (M2vDriftLoop * d)
{
  M2vErrorFrame *frame = current (d);

  if (!frame->zero)
    return;
  frame->zero = false;
  memset (frame->planes[0], 0, frame_size (d) * sizeof *frame->planes[0]);
}

void
m2v_drift_use (M2vDriftLoop * d, M2vSamples * to)
{
  for (unsigned i = 0; i < 3; i++) {
    d->macroblock[i].samples = to->planes[i];
    d->macroblock[i].stride = i > 0 ? 8 : 16;
  }
}

/* Finds where the macroblock's errors are: in the frame, or in the scratch
 * memory of B pictures. */
static void
locate (M2vDriftLoop * d, unsigned address)
{
  const M2vPictureParams *p = d->picture;

  d->column = address % p->columns;
  d->row = address / p->columns;
  if (!d->stores) {
    m2v_drift_use (d, &d->scratch);
    return;
  }
  for (unsigned i = 0; i < 3; i++) {
    unsigned width = i > 0 ? 8 : 16, height = i > 0 ? chroma_height (d) : 16;
    ptrdiff_t line = (ptrdiff_t) (width * d->columns);
    M2vErrorBlock *to = &d->macroblock[i];

    to->stride = m2v_is_field (p) ? 2 * line : line;
    to->samples = current (d)->planes[i] + d->column * width
        + (ptrdiff_t) (d->row * height) * to->stride;
    if (p->structure == M2V_BOTTOM_FIELD)
      to->samples += line;
  }
}

static void
clear (const M2vDriftLoop * d)
{
  for (unsigned i = 0; i < 3; i++) {
    unsigned width = i > 0 ? 8 : 16, height = i > 0 ? chroma_height (d) : 16;
    int16_t *samples = d->macroblock[i].samples;

    for (unsigned y = 0; y < height; y++) {
      memset (samples, 0, width * sizeof *samples);
      samples += d->macroblock[i].stride;
    }
  }
}

static void
inherit (M2vDriftLoop * d, const M2vMacroblock * mb, unsigned address)
{
  d->done[address] = M2V_DONE;
  locate (d, address);
  if (d->inherits && !(mb->type & M2V_INTRA))
    m2v_drift_compensate (d, mb);
  else if (d->stores && !current (d)->zero)
    clear (d);
}

/* Lets a skipped macroblock of a P picture inherit by its prediction (clause
 * 7.6.6). */
static void
inherit_skipped (M2vDriftLoop * d, unsigned address)
{
  M2vMacroblock *mb = &d->skipped;

  mb->type = M2V_FORWARD;
  m2v_macroblock_set_zero (d->picture, mb);
  inherit (d, mb, address);
}

bool
m2v_drift_macroblock (M2vDriftLoop * d, const M2vMacroblock * mb)
{
  inherit (d, mb, mb->address);
  return d->inherits && !(mb->type & M2V_INTRA);
}

/* A fixed number, so that compilers need no loop. */
static inline void
add_eight (const int16_t * from, int16_t * to)
{
  for (unsigned k = 0; k < 8; k++) {
    int16_t sum = (int16_t) (to[k] + from[k]);

    sum = sum > M2V_ERROR_MAX ? M2V_ERROR_MAX : sum;
    to[k] = sum < -M2V_ERROR_MAX ? -M2V_ERROR_MAX : sum;
  }
}

void
m2v_drift_add (M2vDriftLoop * d, const M2vSamples * errors)
{
  if (d->stores)
    m2v_drift_touch (d);
  else if (!d->inherits)
    clear (d);
  for (unsigned i = 0; i < 3; i++) {
    unsigned width = i > 0 ? 8 : 16, height = i > 0 ? chroma_height (d) : 16;
    const int16_t *from = errors->planes[i];
    int16_t *samples = d->macroblock[i].samples;

    for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x += 8, from += 8)
        add_eight (from, samples + x);
      samples += d->macroblock[i].stride;
    }
  }
}

void
m2v_drift_predict (M2vDriftLoop * d, const M2vMacroblock * mb, M2vSamples * to)
{
  d->column = mb->address % d->picture->columns;
  d->row = mb->address / d->picture->columns;
  m2v_drift_use (d, to);
  m2v_drift_compensate (d, mb);
}

M2vErrorBlock
m2v_drift_block (const M2vDriftLoop * d, bool field_dct, unsigned block)
{
  M2vErrorBlock to = d->macroblock[m2v_block_component (block)];
  unsigned lower = block < 4 ? block / 2 : (block - 4) / 2;

  if (block < 4)
    to.samples += block % 2 * 8;
  if (field_dct && (block < 4 || d->n_blocks > 6)) {
    to.samples += lower * to.stride;
    to.stride *= 2;
  } else {
    to.samples += lower * 8 * to.stride;
  }
  return to;
}

void
m2v_drift_end (M2vDriftLoop * d)
{
  if (!d->stores || current (d)->zero)
    return;
  for (unsigned i = 0; i < d->picture->columns * d->picture->rows; i++) {
    if (d->done[i] != M2V_DONE)
      inherit_skipped (d, i);
  }
}
