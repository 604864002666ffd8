/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Nothing is written before a slice's first change: what stands before that is
 * copied in one go then, or the whole slice at its end.
 */
#include "slicerequantizer.h"

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
  scaler_slice_writer_init (&r->writer, picture, vlc, out, capacity);
}

static void
requantize (ScalerSliceRequantizer * r, unsigned to)
{
  ScalerMacroblock *mb = &r->macroblock;

  if (r->from != mb->quantiser || r->to != to) {
    r->from = mb->quantiser;
    r->to = to;
    scaler_requantization_init (&r->requantization, &r->settings->rounding,
        r->scales[r->from], r->scales[to]);
  }
  scaler_requantize_macroblock (&r->requantization, r->picture, mb);
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

/* The macroblock's code in the output. */
static unsigned
choose_code (ScalerSliceRequantizer * r)
{
  const ScalerMacroblock *mb = &r->macroblock;
  ScalerRequest request = {
    .address = mb->address,
    .bits_in = r->begin_in + mb->begin,
    .bits_out = r->started ? scaler_bits_written (&r->writer.bits)
        : r->begin_out + mb->begin,
    .code = mb->quantiser,
    .scale = r->scales[mb->quantiser]
  };
  unsigned wanted = r->controller->code (r->controller->user, &request);
  unsigned max = r->settings->max_code;

  if (wanted >= max || mb->quantiser >= max) {
    r->tally.n_at_maximum++;
    wanted = max;
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
    r->tally.sum_out = (r->tally.n_macroblocks - 1) * r->scales[code];
  }
  r->bound = true;
  scaler_slice_writer_resume (&r->writer, &r->reader.slice, code,
      &r->macroblock, r->direction);
}

/* Writes the macroblock with another code; returns how many of its
 * coefficients are left. */
static unsigned
change (ScalerSliceRequantizer * r, unsigned code)
{
  ScalerMacroblock *mb = &r->macroblock;
  unsigned n_left;

  start (r, code);
  requantize (r, code);
  n_left = count_coefficients (r);
  /* The writer adds the flag where it is needed: not for intra DC alone, which
   * has no use for it. */
  mb->type &= (uint8_t) ~ SCALER_QUANT;
  mb->quantiser = (uint8_t) (n_left > 0 ? code : r->code);
  if (scaler_macroblock_set_pattern (r->picture, mb)) {
    scaler_slice_writer_put (&r->writer, mb);
    return n_left;
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
  unsigned n = count_coefficients (r), n_left = n, to = mb->quantiser;
  uint8_t direction = mb->type & (SCALER_FORWARD | SCALER_BACKWARD);
  ScalerTally *t = &r->tally;

  t->n_macroblocks += mb->n_skipped + 1;
  t->sum_in += mb->n_skipped * r->scales[mb->before.quantiser]
      + r->scales[mb->quantiser];
  t->sum_out += mb->n_skipped * r->scales[r->code];
  if (n > 0) {
    t->n_quantised++;
    to = choose_code (r);
  }
  if (to != mb->quantiser)
    n_left = change (r, to);
  else
    keep (r, n);
  r->code = mb->quantiser;
  r->direction = direction;
  t->sum_out += r->scales[r->code];
  t->kept += n_left;
  t->dropped += n - n_left;
}

static void
copy_slice (ScalerSliceRequantizer * r, const ScalerBitWriter * before,
    const uint8_t * data, size_t size)
{
  r->writer.bits = *before;
  r->writer.error = before->error;
  scaler_slice_writer_bytes (&r->writer, data, size);
  r->tally.sum_out = r->tally.sum_in;
  r->tally.kept += r->tally.dropped;
  r->tally.dropped = 0;
}

bool
scaler_slice_requantizer_slice (ScalerSliceRequantizer * r,
    const MpegRange * slice, bool *copied)
{
  const uint8_t *data = r->data + slice->offset;
  ScalerBitWriter before = r->writer.bits;

  if (!scaler_slice_reader_begin (&r->reader, r->picture, r->writer.vlc, data,
          slice->size))
    return false;
  r->begin_in = slice->offset * 8;
  r->begin_out = scaler_bits_written (&before);
  r->started = r->bound = false;
  r->direction = 0;
  r->code = r->reader.slice.quantiser;
  memset (&r->tally, 0, sizeof r->tally);
  while (scaler_slice_reader_next (&r->reader, &r->macroblock))
    rewrite_macroblock (r);
  if (r->reader.error)
    return false;
  if (r->started)
    scaler_slice_writer_end (&r->writer, r->reader.n_trailing);
  if (r->writer.error && !r->writer.bits.error)
    return false;

  /* A coarser quantiser that saves nothing is of no use. */
  *copied = !r->started || r->writer.error
      || scaler_bits_written (&r->writer.bits) >=
      r->begin_out + slice->size * 8;
  if (*copied)
    copy_slice (r, &before, data, slice->size);
  return true;
}
