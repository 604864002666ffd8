/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Nothing is written before a slice's first change. Then the bits before the
 * change are copied at once. Without a change the whole slice is copied at its
 * end.
 */
#include <mpeg2requantize/slicerewriter.h>

#include <mpeg2requantize/slicechoice.h>
#include <mpeg2requantize/slicecode.h>
#include <mpeg2requantize/slicetarget.h>
#include <mpeg2requantize/slicevectors.h>

void
m2v_slice_rewriter_init (M2vSliceRewriter * r,
    const M2vRequantizerSettings * settings,
    const M2vPictureParams * picture, const M2vVlc * vlc, const uint8_t * data,
    uint8_t * out, size_t capacity)
{
  r->settings = settings;
  r->picture = picture;
  for (unsigned code = 1; code < 32; code++)
    r->scales[code] = (uint8_t) m2v_quantiser_scale (picture, code);
  r->data = data;
  r->dense = r->by_cost = false;
  r->drift = NULL;
  r->frames = NULL;
  r->vectors = NULL;
  m2v_slice_writer_init (&r->writer, picture, vlc, out, capacity);
}

void
m2v_slice_rewriter_set_levels (M2vSliceRewriter * r,
    const M2vKernels * kernels, const M2vMatrices * matrices,
    const M2vRuns * runs)
{
  m2v_levels_init (&r->levels, kernels, r->picture, matrices,
      &r->settings->rounding, runs);
}

void
m2v_slice_rewriter_set_dense (M2vSliceRewriter * r,
    const M2vMatrices * matrices, M2vDriftLoop * drift)
{
  r->dense = true;
  r->drift = drift;
  r->by_cost = r->settings->rate_distortion;
  if (r->by_cost)
    m2v_chooser_init (&r->chooser, r->picture, r->writer.vlc, matrices);
}

void
m2v_slice_rewriter_set_frames (M2vSliceRewriter * r, M2vSourceFrames * frames)
{
  r->frames = frames;
}

void
m2v_slice_rewriter_set_vectors (M2vSliceRewriter * r,
    M2vVectorChooser * vectors, unsigned coarser)
{
  r->vectors = vectors;
  r->coarser = coarser;
}

void
m2v_slice_rewriter_place (M2vSliceRewriter * r)
{
  const M2vMacroblock *mb = &r->macroblock;
  M2vSliceWriter *w = &r->writer;

  w->prediction = mb->before;
  w->address = mb->address - mb->n_skipped - 1;
  w->direction = r->direction;
  w->first = mb->first;
}

/* Returns the scale that counts for the output in the tally: the wanted one if
 * levels are left out or chosen by cost, because the rate control uses it. */
static unsigned
scale_out (const M2vSliceRewriter * r)
{
  return r->scales[r->by_cost || r->levels.runs ? r->wanted : r->code];
}

static void
make_request (const M2vSliceRewriter * r, M2vRequest * request)
{
  const M2vMacroblock *mb = &r->macroblock;

  request->address = mb->address;
  request->bits_in = r->begin_in + mb->begin;
  request->bits_out = r->started ? m2v_bit_writer_position (&r->writer.bits)
      : r->begin_out + mb->begin;
  request->code = mb->quantiser;
  request->scale = r->scales[mb->quantiser];
  request->coded = r->n_coefficients > 0;
}

/* Starts to write the slice. Its header gets the code if no macroblock depends
 * on the quantiser yet. */
static void
start (M2vSliceRewriter * r, unsigned code)
{
  if (r->started)
    return;
  r->started = true;
  if (r->bound) {
    code = r->reader.slice.quantiser;
  } else {
    r->code = code;
    if (!r->by_cost)
      r->tally.sum_out = (r->tally.n_macroblocks - 1) * scale_out (r);
  }
  r->bound = true;
  m2v_slice_writer_resume (&r->writer, &r->reader.slice, code,
      &r->macroblock, r->direction);
}

/* Scales the levels to another code, or to the same, and leaves out those that
 * are not worth their bits. Returns false if the macroblock has not changed.
 * `target`, if not NULL, is set to its errors. */
static bool
scale_macroblock (M2vSliceRewriter * r, unsigned code,
    M2vMacroblockTarget * target)
{
  unsigned from = r->macroblock.quantiser;

  if (code == from && !r->levels.runs)
    return false;
  return m2v_levels_scale (&r->levels, code, &r->macroblock, target)
      || code != from;
}

/* Chooses the levels for the target, and subtracts their values from it. */
static bool
choose_levels (M2vSliceRewriter * r, unsigned *code)
{
  bool changed;

  if (!r->by_cost)
    return m2v_choose_levels (&r->levels, &r->target, *code, &r->macroblock);
  changed = m2v_slice_choice_make (r, *code, code);
  if (r->drift)
    m2v_levels_add (&r->levels, &r->macroblock, *code, -1, &r->target);
  return changed;
}

/* Chooses the levels for the target of the blocks, inherited errors and what
 * another prediction lacks included. Returns false if the macroblock has not
 * changed. */
static bool
choose_macroblock (M2vSliceRewriter * r, unsigned *code)
{
  M2vMacroblock *mb = &r->macroblock;
  bool changed;

  if (!r->inherits && !r->by_cost && !r->moved) {
    changed = scale_macroblock (r, *code, &r->target);
  } else {
    m2v_slice_target_set (r, r->inherits, *code);
    changed = choose_levels (r, code) || r->moved;
    if (*code != mb->quantiser && m2v_count_coefficients (&r->macroblock) > 0)
      changed = true;
  }
  /* An unchanged macroblock has the errors that it inherits, which are already
   * stored. */
  if (changed)
    m2v_slice_target_store (r);
  return changed;
}

/* Returns false if the macroblock has not changed. */
static bool
requantize (M2vSliceRewriter * r, unsigned *code)
{
  if (r->dense || r->moved)
    return choose_macroblock (r, code);
  return scale_macroblock (r, *code, NULL);
}

/* Writes the macroblock, whose coefficients are for that code; returns how many
 * there are. */
static unsigned
change (M2vSliceRewriter * r, unsigned code)
{
  M2vMacroblock *mb = &r->macroblock;
  unsigned n = m2v_count_coefficients (&r->macroblock);

  start (r, code);
  /* The writer adds the flag if it is needed. Intra DC alone needs no
   * quantiser. */
  mb->type &= (uint8_t) ~ M2V_QUANT;
  mb->quantiser = (uint8_t) (n > 0 ? code : r->code);
  if (m2v_macroblock_set_pattern (r->picture, mb)) {
    m2v_slice_writer_put (&r->writer, mb);
    return n;
  }
  m2v_macroblock_empty (r->picture, mb);
  if (!m2v_slice_writer_may_skip (&r->writer, mb))
    m2v_slice_writer_put (&r->writer, mb);
  return 0;
}

/* Writes the macroblock unchanged. */
static void
keep (M2vSliceRewriter * r)
{
  M2vMacroblock *mb = &r->macroblock;

  if (!r->started) {
    r->bound = r->bound || r->n_coefficients > 0 || (mb->type & M2V_QUANT);
    return;
  }
  if (r->code != mb->before.quantiser) {
    mb->type &= (uint8_t) ~ M2V_QUANT;
    /* Without coefficients it does not restore the source's quantiser. */
    if (r->n_coefficients == 0)
      mb->quantiser = (uint8_t) r->code;
  }
  m2v_slice_writer_copy (&r->writer, mb, r->reader.slice.data);
}

/* Removes the stuffing of MPEG-1: from here on the slice is rewritten. */
static void
remove_stuffing (M2vSliceRewriter * r)
{
  r->bound = r->bound || !r->started;
  start (r, r->code);
  r->macroblock.n_stuffing = 0;
}

/* Returns the bits of the macroblock's vectors, or, of those that are not known
 * because they are many, that many. */
static unsigned
count_vector_bits (const M2vMacroblock * mb)
{
  return mb->n_motion_bits == 0 && (mb->type & (M2V_FORWARD | M2V_BACKWARD))
      ? M2V_FILLED_BITS : mb->n_motion_bits;
}

/* Counts the macroblock that has been read. Returns true if it takes a
 * quantiser. */
static bool
begin_macroblock (M2vSliceRewriter * r)
{
  const M2vMacroblock *mb = &r->macroblock;
  M2vTally *t = &r->tally;

  if (mb->n_stuffing > 0)
    remove_stuffing (r);
  if (r->frames)
    m2v_source_frames_macroblock (r->frames, &r->levels, mb);
  r->n_coefficients = m2v_count_coefficients (&r->macroblock);
  r->next_direction = mb->type & (M2V_FORWARD | M2V_BACKWARD);
  t->n_macroblocks += mb->n_skipped + 1;
  t->vector_bits += count_vector_bits (mb);
  t->sum_in += mb->n_skipped * r->scales[mb->before.quantiser]
      + r->scales[mb->quantiser];
  t->sum_out += mb->n_skipped * scale_out (r);
  r->inherits = r->dense && m2v_slice_target_inherit (r);
  return r->n_coefficients > 0 || m2v_slice_vectors_may_change (r)
      || (r->inherits && m2v_slice_target_needs (r, mb->quantiser));
}

/* Counts the macroblock that has been written with n_left coefficients. */
static void
end_macroblock (M2vSliceRewriter * r, unsigned n_left)
{
  M2vTally *t = &r->tally;

  r->code = r->macroblock.quantiser;
  r->direction = r->next_direction;
  t->sum_out += scale_out (r);
  t->kept += n_left;
  if (n_left > r->n_coefficients)
    t->gained += n_left - r->n_coefficients;
  else
    t->dropped += r->n_coefficients - n_left;
}

static void
copy_slice (M2vSliceRewriter * r, const M2vRange * slice)
{
  M2vTally *t = &r->tally;

  r->writer.bits = r->bits_before;
  r->writer.error = r->bits_before.error;
  m2v_slice_writer_bytes (&r->writer, r->data + slice->offset, slice->size);
  t->sum_out = t->sum_in;
  t->kept += t->dropped - t->gained;
  t->dropped = t->gained = 0;
}

static bool
read_header (M2vSliceRewriter * r, const M2vRange * slice)
{
  return m2v_slice_reader_begin (&r->reader, r->picture, r->writer.vlc,
      r->data + slice->offset, slice->size);
}

void
m2v_slice_rewriter_begin (M2vSliceRewriter * r, const M2vRange * slice)
{
  r->range = *slice;
  r->bits_before = r->writer.bits;
  r->started = r->bound = false;
  memset (&r->tally, 0, sizeof r->tally);
  if (!read_header (r, slice))
    return;
  r->begin_in = slice->offset * 8;
  r->begin_out = m2v_bit_writer_position (&r->writer.bits);
  r->direction = 0;
  r->code = r->wanted = r->reader.slice.quantiser;
}

bool
m2v_slice_rewriter_next (M2vSliceRewriter * r, M2vRequest * request)
{
  while (m2v_slice_reader_next (&r->reader, &r->macroblock)) {
    if (begin_macroblock (r)) {
      make_request (r, request);
      return true;
    }
    keep (r);
    end_macroblock (r, r->n_coefficients);
  }
  return false;
}

void
m2v_slice_rewriter_quantise (M2vSliceRewriter * r, unsigned wanted)
{
  unsigned code, n_left = r->n_coefficients;

  m2v_slice_code_want (r, wanted);
  r->moved = m2v_slice_vectors_choose (r);
  code = m2v_slice_code_choose (r);
  if (requantize (r, &code))
    n_left = change (r, code);
  else
    keep (r);
  end_macroblock (r, n_left);
}

/* True if the whole slice could be read, and its changes be written. A full
 * output does not count, because the whole picture fails then. */
static bool
is_rewritable (const M2vSliceRewriter * r)
{
  bool full = r->writer.bits.error;

  return !r->reader.error && (full || !r->writer.error);
}

/* True if the rewritten slice is not used. Without compensation it must save
 * bits; with it, bits that were saved before may correct errors. */
static bool
is_useless (const M2vSliceRewriter * r)
{
  size_t written = m2v_bit_writer_position (&r->writer.bits);

  if (!r->started || r->writer.error)
    return true;
  if (r->drift && r->drift->inherits)
    return written > (r->range.offset + r->range.size) * 8;
  return written >= r->begin_out + r->range.size * 8;
}

/* Lets the unchanged slice inherit errors, and decodes it unless the frames are
 * NULL. Returns false if it cannot be read to its end. */
static bool
read_unchanged (M2vSliceRewriter * r, const M2vRange * slice,
    M2vSourceFrames * frames)
{
  if (!read_header (r, slice))
    return false;
  while (m2v_slice_reader_next (&r->reader, &r->macroblock)) {
    if (frames)
      m2v_source_frames_macroblock (frames, &r->levels, &r->macroblock);
    if (r->drift)
      m2v_drift_macroblock (r->drift, &r->macroblock);
  }
  return !r->reader.error;
}

bool
m2v_slice_rewriter_end (M2vSliceRewriter * r, bool *copied)
{
  bool readable;

  if (!r->reader.error && r->started)
    m2v_slice_writer_end (&r->writer, r->reader.n_trailing);
  readable = is_rewritable (r);
  *copied = !readable || is_useless (r);
  if (*copied) {
    copy_slice (r, &r->range);
    /* It has been decoded. */
    if (r->drift && r->started)
      read_unchanged (r, &r->range, NULL);
  }
  return readable;
}

bool
m2v_slice_rewriter_pass (M2vSliceRewriter * r, const M2vRange * slice)
{
  return read_unchanged (r, slice, r->frames);
}
