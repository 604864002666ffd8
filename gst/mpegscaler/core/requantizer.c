/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "requantizer.h"

#include <stdlib.h>
#include <string.h>

#include "slicerequantizer.h"

#define MAX_CODE 31
#define MAX_ROUNDING_INTRA 7
#define MAX_ROUNDING_NON_INTRA 4

/* TM5 step 3 keeps the previous value within 4, from 8 on; what is added
 * before truncation is TM5's for intra, and none else, which measures best. */
const ScalerRequantizerSettings scaler_requantizer_defaults = {
  .rounding = {.intra = 3,.non_intra = 0},
  .max_code = MAX_CODE,
  .hysteresis = 4,
  .hysteresis_from = 8
};

struct ScalerRequantizer
{
  ScalerRequantizerSettings settings;
  /* By picture_coding_type: mean scale by mean over slice headers, 0: not
   * known. */
  double correction[MPEG_PICTURE_B + 1];
  ScalerVlc vlc;
  const ScalerKernels *kernels;
  ScalerDriftLoop drift;

  /* The picture at hand. */
  ScalerPicture picture;
  const uint8_t *data;
  size_t size;
  unsigned n_slices;
  uint64_t sum_headers;         /* of the scales in their headers */
  ScalerTally tally;
  ScalerSliceRequantizer slice;
};

ScalerRequantizer *
scaler_requantizer_new (void)
{
  ScalerRequantizer *r = calloc (1, sizeof *r);

  if (!r)
    return NULL;
  scaler_vlc_init (&r->vlc);
  r->kernels = r->drift.kernels = scaler_kernels_best ();
  scaler_requantizer_set (r, &scaler_requantizer_defaults);
  return r;
}

void
scaler_requantizer_free (ScalerRequantizer * r)
{
  if (r)
    scaler_drift_free (&r->drift);
  free (r);
}

void
scaler_requantizer_reset (ScalerRequantizer * r)
{
  memset (r->correction, 0, sizeof r->correction);
  scaler_drift_lost (&r->drift);
}

static unsigned
limit (unsigned value, unsigned min, unsigned max)
{
  return value < min ? min : value > max ? max : value;
}

void
scaler_requantizer_set (ScalerRequantizer * r,
    const ScalerRequantizerSettings * settings)
{
  ScalerRequantizerSettings *s = &r->settings;

  *s = *settings;
  s->rounding.intra = limit (s->rounding.intra, 0, MAX_ROUNDING_INTRA);
  s->rounding.non_intra = limit (s->rounding.non_intra, 0,
      MAX_ROUNDING_NON_INTRA);
  s->max_code = limit (s->max_code, 1, MAX_CODE);
  if (s->drift == SCALER_DRIFT_OFF)
    scaler_drift_lost (&r->drift);
}

static bool
open_picture (ScalerRequantizer * r, const ScalerSource * source)
{
  const MpegPicture *picture = source->picture;

  if (picture->kind != MPEG_SPAN_PICTURE || !picture->valid
      || !scaler_picture_init (&r->picture, source->sequence, picture))
    return false;
  r->data = source->data + picture->slices.offset;
  r->size = picture->slices.size;
  r->n_slices = 0;
  r->sum_headers = 0;
  memset (&r->tally, 0, sizeof r->tally);
  return true;
}

static double
ratio (uint64_t a, uint64_t b)
{
  return b > 0 ? (double) a / (double) b : 0;
}

static void
add_slice (ScalerRequantizer * r, const ScalerTally * t)
{
  r->n_slices++;
  r->sum_headers += scaler_quantiser_scale (&r->picture,
      r->slice.reader.slice.quantiser);
  r->tally.n_macroblocks += t->n_macroblocks;
  r->tally.n_quantised += t->n_quantised;
  r->tally.n_at_maximum += t->n_at_maximum;
  r->tally.sum_in += t->sum_in;
  r->tally.sum_out += t->sum_out;
  r->tally.kept += t->kept;
  r->tally.dropped += t->dropped;
  r->tally.gained += t->gained;
}

/* What the mean over the slice headers is off by. */
static void
learn (ScalerRequantizer * r)
{
  if (r->n_slices > 0)
    r->correction[r->picture.type] = ratio (r->tally.sum_in,
        r->tally.n_macroblocks) / ratio (r->sum_headers, r->n_slices);
}

/* Whether the picture takes part in the closed loop, which then has begun
 * it. */
static bool
begin_drift (ScalerRequantizer * r, const ScalerSource * source)
{
  ScalerDrift drift = r->settings.drift;

  if (drift == SCALER_DRIFT_OFF
      || (drift == SCALER_DRIFT_P && r->picture.type == MPEG_PICTURE_B))
    return false;
  if (!source->matrices) {
    scaler_drift_lost (&r->drift);
    return false;
  }
  return scaler_drift_begin (&r->drift, &r->picture,
      source->picture->coding.top_field_first);
}

static void
begin_slices (ScalerRequantizer * r, const ScalerSource * source,
    const ScalerController * controller, uint8_t * out, size_t capacity)
{
  bool drift = begin_drift (r, source);

  scaler_slice_requantizer_init (&r->slice, &r->settings, controller,
      &r->picture, &r->vlc, r->data, out, capacity);
  if (drift || (r->settings.rate_distortion && source->matrices))
    scaler_slice_requantizer_set_dense (&r->slice, r->kernels,
        source->matrices, drift ? &r->drift : NULL);
}

static bool
requantize_slices (ScalerRequantizer * r, ScalerRequantized * result)
{
  size_t position = 0;
  MpegRange range;

  while (scaler_slices_next (r->data, r->size, &position, &range)) {
    const uint8_t *data = r->data + range.offset;
    bool copied;

    if (!scaler_is_slice (data, range.size)) {
      scaler_slice_writer_bytes (&r->slice.writer, data, range.size);
      continue;
    }
    if (scaler_slice_requantizer_slice (&r->slice, &range, &copied))
      add_slice (r, &r->slice.tally);
    else
      result->n_damaged++;
    result->n_copied += copied;
  }
  if (r->slice.drift)
    scaler_drift_end (r->slice.drift);
  learn (r);
  result->size_out = scaler_slice_writer_finish (&r->slice.writer);
  return result->size_out > 0;
}

bool
scaler_requantizer_picture (ScalerRequantizer * r, const ScalerSource * source,
    const ScalerController * controller, uint8_t * out, size_t capacity,
    ScalerRequantized * result)
{
  memset (result, 0, sizeof *result);
  if (!open_picture (r, source)) {
    scaler_drift_lost (&r->drift);
    return false;
  }
  begin_slices (r, source, controller, out, capacity);
  if (!requantize_slices (r, result)) {
    scaler_drift_lost (&r->drift);
    return false;
  }
  result->size_in = r->size;
  result->mean_in = ratio (r->tally.sum_in, r->tally.n_macroblocks);
  result->mean_out = ratio (r->tally.sum_out, r->tally.n_macroblocks);
  result->kept = r->tally.kept;
  result->dropped = r->tally.dropped;
  result->gained = r->tally.gained;
  result->n_slices = r->n_slices + result->n_damaged;
  result->floor = r->tally.n_quantised == r->tally.n_at_maximum;
  return r->n_slices > 0;
}

static void
pass_slices (ScalerRequantizer * r)
{
  size_t position = 0;
  MpegRange range;

  while (scaler_slices_next (r->data, r->size, &position, &range)) {
    if (scaler_is_slice (r->data + range.offset, range.size))
      scaler_slice_requantizer_pass (&r->slice, &range);
  }
  scaler_drift_end (&r->drift);
}

bool
scaler_requantizer_pass (ScalerRequantizer * r, const ScalerSource * source)
{
  uint8_t nothing = 0;

  if (r->settings.drift == SCALER_DRIFT_OFF)
    return true;
  if (!open_picture (r, source)) {
    scaler_drift_lost (&r->drift);
    return false;
  }
  /* Nobody inherits from B. */
  if (r->picture.type == MPEG_PICTURE_B)
    return true;
  begin_slices (r, source, NULL, &nothing, 0);
  if (!r->slice.drift || scaler_drift_is_free (&r->drift))
    return true;
  pass_slices (r);
  return true;
}

void
scaler_requantizer_lost (ScalerRequantizer * r)
{
  scaler_drift_lost (&r->drift);
}

ScalerDriftLoop *
scaler_requantizer_drift (ScalerRequantizer * r)
{
  return &r->drift;
}

/* Of the slice's header, and, where the whole is wanted, its macroblocks. What
 * cannot be read says nothing. */
static void
analyse_slice (ScalerRequantizer * r, const uint8_t * data, size_t size,
    bool whole)
{
  const ScalerMacroblock *mb = &r->slice.macroblock;
  ScalerSliceReader *reader = &r->slice.reader;
  ScalerTally t = { 0, };

  if (!scaler_slice_reader_begin (reader, &r->picture, &r->vlc, data, size))
    return;
  while (whole && scaler_slice_reader_next (reader, &r->slice.macroblock)) {
    t.n_macroblocks += mb->n_skipped + 1;
    t.sum_in += scaler_quantiser_scale (&r->picture, mb->quantiser)
        + mb->n_skipped * scaler_quantiser_scale (&r->picture,
        mb->before.quantiser);
  }
  if (!reader->error)
    add_slice (r, &t);
}

double
scaler_requantizer_analyse (ScalerRequantizer * r, const ScalerSource * source)
{
  size_t position = 0;
  double mean, coarsest;
  MpegRange range;
  bool whole;

  if (!open_picture (r, source))
    return 0;
  whole = r->correction[r->picture.type] <= 0;
  while (scaler_slices_next (r->data, r->size, &position, &range)) {
    const uint8_t *data = r->data + range.offset;

    if (scaler_is_slice (data, range.size))
      analyse_slice (r, data, range.size, whole);
  }
  if (whole)
    learn (r);
  mean = ratio (r->sum_headers, r->n_slices) * r->correction[r->picture.type];
  /* An estimate may be beyond what there is. */
  coarsest = scaler_quantiser_scale (&r->picture, MAX_CODE);
  return mean < coarsest ? mean : coarsest;
}
