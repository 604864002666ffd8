/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Nothing is written before a slice's first change: what stands before that is
 * copied in one go then, or the whole slice at its end.
 */
#include "slicerequantizer.h"

#include "slicechoice.h"
#include "slicetarget.h"

void
scaler_slice_requantizer_init (ScalerSliceRequantizer * r,
    const ScalerRequantizerSettings * settings,
    const ScalerController * controller, const ScalerPicture * picture,
    const ScalerVlc * vlc, const uint8_t * data, uint8_t * out, size_t capacity)
{
  r->settings = settings;
  r->controller = controller;
  r->picture = picture;
  for (unsigned code = 1; code < 32; code++)
    r->scales[code] = (uint8_t) scaler_quantiser_scale (picture, code);
  r->data = data;
  r->from = r->to = 0;
  r->dense = r->by_cost = false;
  r->drift = NULL;
  scaler_slice_writer_init (&r->writer, picture, vlc, out, capacity);
}

void
scaler_slice_requantizer_set_dense (ScalerSliceRequantizer * r,
    const ScalerKernels * kernels, const MpegMatrices * matrices,
    ScalerDriftLoop * drift)
{
  r->dense = true;
  r->drift = drift;
  scaler_levels_init (&r->levels, kernels, r->picture, matrices,
      &r->settings->rounding);
  r->by_cost = r->settings->rate_distortion;
  if (r->by_cost)
    scaler_chooser_init (&r->chooser, r->picture, r->writer.vlc, matrices);
}

static const ScalerRequantization *
requantization_to (ScalerSliceRequantizer * r, unsigned to)
{
  unsigned from = r->macroblock.quantiser;

  if (r->from != from || r->to != to) {
    r->from = from;
    r->to = to;
    scaler_requantization_init (&r->requantization, &r->settings->rounding,
        r->scales[from], r->scales[to]);
  }
  return &r->requantization;
}

static unsigned
count_coefficients (const ScalerSliceRequantizer * r)
{
  unsigned n = 0;

  for (unsigned i = 0; i < r->picture->n_blocks; i++)
    n += r->macroblock.n_coefficients[i];
  return n;
}

static bool
is_near (const ScalerSliceRequantizer * r, unsigned wanted, unsigned in_force)
{
  unsigned a = r->scales[wanted], b = r->scales[in_force];

  return a >= r->settings->hysteresis_from
      && (a > b ? a - b : b - a) <= r->settings->hysteresis;
}

/* The scale that stands for the output's in the tally: what was asked for, for
 * the control goes by that. */
static unsigned
scale_out (const ScalerSliceRequantizer * r)
{
  return r->scales[r->by_cost ? r->wish : r->code];
}

/* The macroblock's code in the output, or the one to choose by. */
static unsigned
choose_code (ScalerSliceRequantizer * r, bool coded)
{
  const ScalerMacroblock *mb = &r->macroblock;
  ScalerRequest request = {
    .address = mb->address,
    .bits_in = r->begin_in + mb->begin,
    .bits_out = r->started ? scaler_bits_written (&r->writer.bits)
        : r->begin_out + mb->begin,
    .code = mb->quantiser,
    .scale = r->scales[mb->quantiser],
    .coded = coded
  };
  unsigned wanted = r->controller->code (r->controller->user, &request);
  unsigned max = r->settings->max_code;

  r->tally.n_quantised++;
  if (wanted >= max || (mb->quantiser >= max && !r->by_cost)) {
    r->tally.n_at_maximum++;
    wanted = max;
  }
  if (r->by_cost) {
    r->wish = wanted > 1 ? wanted : 1;
    return r->wish;
  }
  if (wanted <= mb->quantiser)
    return mb->quantiser;
  if (r->bound && r->code >= mb->quantiser && r->code <= max
      && is_near (r, wanted, r->code))
    return r->code;
  return wanted;
}

/* The slice's header takes the code where nothing depends on it yet. */
static void
start (ScalerSliceRequantizer * r, unsigned code)
{
  if (r->started)
    return;
  r->started = true;
  if (r->bound) {
    code = r->reader.slice.quantiser;
  } else {
    r->code = code;
    if (!r->by_cost)
      r->tally.sum_out = (r->tally.n_macroblocks - 1) * r->scales[code];
  }
  r->bound = true;
  scaler_slice_writer_resume (&r->writer, &r->reader.slice, code,
      &r->macroblock, r->direction);
}

/* Levels scaled to another code; false where it stays as it is. */
static bool
scale_macroblock (ScalerSliceRequantizer * r, unsigned n, unsigned *code)
{
  if (n > 0)
    *code = choose_code (r, true);
  if (*code == r->macroblock.quantiser)
    return false;
  scaler_requantize_macroblock (requantization_to (r, *code), r->picture,
      &r->macroblock);
  return true;
}

/* Where levels are chosen. Of the target is left what they do not give. */
static bool
choose_levels (ScalerSliceRequantizer * r, unsigned *code)
{
  bool changed;

  if (!r->by_cost)
    return scaler_choose_levels (&r->levels, &r->target, *code, &r->macroblock);
  changed = scaler_slice_requantizer_choose (r, *code, code);
  if (r->drift)
    scaler_levels_add (&r->levels, &r->macroblock, *code, -1, &r->target);
  return changed;
}

/* Levels chosen for what its blocks ought to be, inherited errors included;
 * false where it stays as it is. */
static bool
choose_macroblock (ScalerSliceRequantizer * r, unsigned n, unsigned *code)
{
  ScalerMacroblock *mb = &r->macroblock;
  bool inherits = scaler_slice_target_inherit (r), changed;

  if (n == 0 && !(inherits && scaler_slice_target_needs (r, mb->quantiser)))
    return false;
  *code = choose_code (r, n > 0);
  if (!inherits && !r->by_cost) {
    changed = *code != mb->quantiser;
    if (changed)
      scaler_levels_requantize (&r->levels, requantization_to (r, *code),
          *code, mb, &r->target);
  } else {
    scaler_slice_target_set (r, inherits, *code);
    changed = choose_levels (r, code);
    if (*code != mb->quantiser && count_coefficients (r) > 0)
      changed = true;
  }
  /* One that stays has the errors that it inherits: they are there. */
  if (changed)
    scaler_slice_target_store (r);
  return changed;
}

/* Writes the macroblock, its coefficients for that code; returns how many there
 * are. */
static unsigned
change (ScalerSliceRequantizer * r, unsigned code)
{
  ScalerMacroblock *mb = &r->macroblock;
  unsigned n = count_coefficients (r);

  start (r, code);
  /* The writer adds the flag where it is needed: not for intra DC alone, which
   * has no use for it. */
  mb->type &= (uint8_t) ~ SCALER_QUANT;
  mb->quantiser = (uint8_t) (n > 0 ? code : r->code);
  if (scaler_macroblock_set_pattern (r->picture, mb)) {
    scaler_slice_writer_put (&r->writer, mb);
    return n;
  }
  scaler_macroblock_empty (r->picture, mb);
  if (!scaler_slice_writer_may_skip (&r->writer, mb))
    scaler_slice_writer_put (&r->writer, mb);
  return 0;
}

/* Writes the macroblock, n coefficients in it, as it is. */
static void
keep (ScalerSliceRequantizer * r, unsigned n)
{
  ScalerMacroblock *mb = &r->macroblock;

  if (!r->started) {
    r->bound = r->bound || n > 0 || (mb->type & SCALER_QUANT);
    return;
  }
  if (r->code != mb->before.quantiser) {
    mb->type &= (uint8_t) ~ SCALER_QUANT;
    /* Without coefficients it does not bring the source's back. */
    if (n == 0)
      mb->quantiser = (uint8_t) r->code;
  }
  scaler_slice_writer_copy (&r->writer, mb, r->reader.slice.data);
}

static void
rewrite_macroblock (ScalerSliceRequantizer * r)
{
  ScalerMacroblock *mb = &r->macroblock;
  unsigned n = count_coefficients (r), n_left = n, code = mb->quantiser;
  uint8_t direction = mb->type & (SCALER_FORWARD | SCALER_BACKWARD);
  ScalerTally *t = &r->tally;

  t->n_macroblocks += mb->n_skipped + 1;
  t->sum_in += mb->n_skipped * r->scales[mb->before.quantiser]
      + r->scales[mb->quantiser];
  t->sum_out += mb->n_skipped * scale_out (r);
  if (r->dense ? choose_macroblock (r, n, &code)
      : scale_macroblock (r, n, &code))
    n_left = change (r, code);
  else
    keep (r, n);
  r->code = mb->quantiser;
  r->direction = direction;
  t->sum_out += scale_out (r);
  t->kept += n_left;
  if (n_left > n)
    t->gained += n_left - n;
  else
    t->dropped += n - n_left;
}

static void
copy_slice (ScalerSliceRequantizer * r, const ScalerBitWriter * before,
    const uint8_t * data, size_t size)
{
  ScalerTally *t = &r->tally;

  r->writer.bits = *before;
  r->writer.error = before->error;
  scaler_slice_writer_bytes (&r->writer, data, size);
  t->sum_out = t->sum_in;
  t->kept += t->dropped - t->gained;
  t->dropped = t->gained = 0;
}

static bool
begin_slice (ScalerSliceRequantizer * r, const MpegRange * slice)
{
  return scaler_slice_reader_begin (&r->reader, r->picture, r->writer.vlc,
      r->data + slice->offset, slice->size);
}

/* Without compensation a coarser quantiser that saves nothing is of no use;
 * with it, errors may be taken out for bits that were saved before. */
static bool
is_useless (const ScalerSliceRequantizer * r, const MpegRange * slice)
{
  size_t written = scaler_bits_written (&r->writer.bits);

  if (!r->started || r->writer.error)
    return true;
  if (r->drift && r->drift->inherits)
    return written > (slice->offset + slice->size) * 8;
  return written >= r->begin_out + slice->size * 8;
}

/* False where it cannot be read, or not be written again. */
static bool
rewrite_slice (ScalerSliceRequantizer * r, const MpegRange * slice)
{
  r->started = r->bound = false;
  memset (&r->tally, 0, sizeof r->tally);
  if (!begin_slice (r, slice))
    return false;
  r->begin_in = slice->offset * 8;
  r->begin_out = scaler_bits_written (&r->writer.bits);
  r->direction = 0;
  r->code = r->wish = r->reader.slice.quantiser;
  while (scaler_slice_reader_next (&r->reader, &r->macroblock))
    rewrite_macroblock (r);
  if (r->reader.error)
    return false;
  if (r->started)
    scaler_slice_writer_end (&r->writer, r->reader.n_trailing);
  return !r->writer.error || r->writer.bits.error;
}

bool
scaler_slice_requantizer_slice (ScalerSliceRequantizer * r,
    const MpegRange * slice, bool *copied)
{
  ScalerBitWriter before = r->writer.bits;
  bool readable = rewrite_slice (r, slice);

  *copied = !readable || is_useless (r, slice);
  if (*copied) {
    copy_slice (r, &before, r->data + slice->offset, slice->size);
    if (r->drift && r->started)
      scaler_slice_requantizer_pass (r, slice);
  }
  return readable;
}

bool
scaler_slice_requantizer_pass (ScalerSliceRequantizer * r,
    const MpegRange * slice)
{
  if (!begin_slice (r, slice))
    return false;
  while (scaler_slice_reader_next (&r->reader, &r->macroblock))
    scaler_drift_macroblock (r->drift, &r->macroblock);
  return !r->reader.error;
}
