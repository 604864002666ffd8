/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/sourceframes.h>

#include <string.h>

/* The middle of the range of samples. */
#define MIDDLE 128

void
m2v_source_frames_init (M2vSourceFrames * f, const M2vKernels * kernels)
{
  memset (f, 0, sizeof *f);
  f->loop.kernels = kernels;
  f->loop.decodes = true;
  m2v_source_frames_lost (f);
}

void
m2v_source_frames_free (M2vSourceFrames * f)
{
  m2v_drift_free (&f->loop);
  f->n_known = 0;
}

void
m2v_source_frames_lost (M2vSourceFrames * f)
{
  m2v_drift_lost (&f->loop);
  f->n_known = 0;
  f->decoding = false;
}

/* Begins a picture that others may refer to; returns false if it cannot be
 * decoded. */
static bool
begin_anchor (M2vSourceFrames * f, const M2vPictureParams * p,
    bool top_field_first)
{
  bool half = f->loop.first_field != 0;

  if (!m2v_drift_begin (&f->loop, p, top_field_first))
    return false;
  if (!f->loop.second_field) {
    /* The older frame gives way. A frame without its second field is not
     * whole, and one of another size is gone. */
    f->n_known = f->n_known > 0 && !half
        && !f->loop.frames[!f->loop.newest].zero;
    m2v_drift_touch (&f->loop);
  }
  return p->type == M2V_PICTURE_I || f->n_known > 0;
}

bool
m2v_source_frames_begin (M2vSourceFrames * f, const M2vPictureParams * picture,
    bool top_field_first)
{
  f->decoding = f->foreign = false;
  if (picture->type == M2V_PICTURE_B)
    return f->n_known == 2 && f->loop.first_field == 0
        && m2v_drift_begin (&f->loop, picture, top_field_first)
        && f->loop.inherits;
  f->decoding = begin_anchor (f, picture, top_field_first);
  if (!f->decoding)
    m2v_source_frames_lost (f);
  return f->decoding;
}

/* Sets a block's samples to the middle of their range. */
static void
flatten (M2vErrorBlock to)
{
  for (unsigned y = 0; y < 8; y++) {
    for (unsigned x = 0; x < 8; x++)
      to.samples[x] = MIDDLE;
    to.samples += to.stride;
  }
}

/* Sets intra DC (clause 7.4.1), less the middle of the range. */
static void
set_dc (const M2vSourceFrames * f, const M2vMacroblock * mb,
    M2vMacroblockTarget * target)
{
  int step = 8 >> f->loop.picture->intra_dc_precision;

  for (unsigned i = 0; i < f->loop.n_blocks; i++) {
    if (!(target->pattern >> i & 1))
      f->loop.kernels->clear (target->block[i]);
    target->pattern |= (uint8_t) (1 << i);
    target->block[i][0] = (mb->dc[i] * step - 8 * MIDDLE) * 32;
  }
}

/* Adds the macroblock's coefficients to its prediction. */
static void
add_coefficients (M2vSourceFrames * f, const M2vLevels * levels,
    const M2vMacroblock * mb)
{
  bool intra = mb->type & M2V_INTRA;
  M2vMacroblockTarget target;
  int16_t block[64];

  target.pattern = 0;
  m2v_levels_add (levels, mb, mb->quantiser, 1, &target);
  if (intra)
    set_dc (f, mb, &target);
  for (unsigned set = target.pattern; set; set &= set - 1) {
    unsigned i = (unsigned) __builtin_ctz (set);
    M2vErrorBlock to = m2v_drift_block (&f->loop, mb->field_dct, i);

    f->loop.kernels->inverse (target.block[i], block, 8);
    if (intra)
      flatten (to);
    f->loop.kernels->add (block, to.samples, to.stride);
  }
}

/* Notes the skipped macroblocks before this one. */
static void
note_skipped (M2vSourceFrames * f, const M2vMacroblock * mb)
{
  for (unsigned k = 1; k <= mb->n_skipped; k++) {
    uint8_t *done = &f->loop.done[mb->address - k];

    if (*done == M2V_DONE_NOT)
      *done = M2V_DONE_SKIPPED;
  }
}

bool
m2v_source_frames_know_all (const M2vSourceFrames * f)
{
  return !f->loop.second_field || f->loop.picture->type != M2V_PICTURE_P
      || f->n_known > 1;
}

/* True if a macroblock of a second field, or what is skipped before it, refers
 * to the frame before, which is not known. Fields of the other parity are in
 * this frame (clause 7.6.2.1). */
static bool
refers_beyond (const M2vSourceFrames * f, const M2vMacroblock * mb)
{
  const M2vPictureParams *p = f->loop.picture;
  bool is_bottom = p->structure == M2V_BOTTOM_FIELD;

  if (m2v_source_frames_know_all (f))
    return false;
  if (mb->n_skipped > 0)
    return true;
  if (mb->type & M2V_INTRA)
    return false;
  if (mb->motion == M2V_MOTION_DUAL_PRIME)
    return true;
  for (unsigned r = 0; r < m2v_vector_count (p, mb->motion); r++) {
    if (mb->vectors[r][0].bottom == is_bottom)
      return true;
  }
  return false;
}

/* True if all macroblocks have been found. */
static bool
is_whole (const M2vSourceFrames * f)
{
  const M2vPictureParams *p = f->loop.picture;

  for (unsigned i = 0; i < p->columns * p->rows; i++) {
    if (f->loop.done[i] == M2V_DONE_NOT)
      return false;
  }
  return true;
}

void
m2v_source_frames_macroblock (M2vSourceFrames * f, const M2vLevels * levels,
    const M2vMacroblock * mb)
{
  if (!f->decoding)
    return;
  note_skipped (f, mb);
  f->foreign = f->foreign || refers_beyond (f, mb);
  m2v_drift_macroblock (&f->loop, mb);
  add_coefficients (f, levels, mb);
}

void
m2v_source_frames_add (M2vSourceFrames * f, const M2vLevels * levels,
    const M2vMacroblock * mb, M2vSamples * to)
{
  m2v_drift_use (&f->loop, to);
  add_coefficients (f, levels, mb);
}

void
m2v_source_frames_end (M2vSourceFrames * f)
{
  if (!f->decoding)
    return;
  f->decoding = false;
  if (f->foreign || !is_whole (f)) {
    m2v_source_frames_lost (f);
    return;
  }
  m2v_drift_end (&f->loop);
  if (!f->loop.second_field)
    f->n_known++;
}
