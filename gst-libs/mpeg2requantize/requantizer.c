/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/requantizer.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2requantize/groupvectors.h>
#include <mpeg2requantize/slicerewriter.h>

/* Bound of M2vRounding for intra, in eighths. */
#define MAX_ROUNDING_INTRA 7
/* Bound of M2vRounding for non-intra, in eighths. */
#define MAX_ROUNDING_NON_INTRA 4

/* TM5 step 3 keeps the previous value within 4, from 8 on. The rounding before
 * truncation is that of TM5 for intra. For non-intra it is 0, which measures
 * best. */
const M2vRequantizerSettings m2v_requantizer_defaults = {
  .rounding = {.intra = 3,.non_intra = 0},
  .max_code = M2V_MAX_QUANTISER,
  .hysteresis = 4,
  .hysteresis_from = 8,
  .vector_share = 1
};

struct M2vRequantizer
{
  M2vRequantizerSettings settings;
  /* by picture_coding_type: mean scale over mean of the slice headers; 0 = not
   * known */
  double correction[M2V_PICTURE_B + 1];
  M2vVlc vlc;
  M2vRuns runs[2][2];           /* [mpeg2][table] */
  const M2vKernels *kernels;
  M2vDriftLoop drift;
  M2vSourceFrames frames;       /* references, while vectors are chosen */
  M2vVectorChooser vectors;
  M2vGroupVectors group;

  /* The current picture. */
  M2vPictureParams picture;
  const M2vSliceIndex *index;
  unsigned n_slices;            /* number of slices that could be read */
  uint64_t sum_headers;         /* sum of the scales in their headers */
  M2vTally tally;
  unsigned next_range;          /* next range of the index */
  bool in_slice;                /* `slice` is being rewritten */
  unsigned n_copied, n_damaged; /* numbers of slices */
  M2vSliceRewriter slice;
};

M2vRequantizer *
m2v_requantizer_new (void)
{
  M2vRequantizer *r = calloc (1, sizeof *r);
  M2vLengths lengths;

  if (!r)
    return NULL;
  m2v_vlc_init (&r->vlc);
  for (unsigned i = 0; i < 4; i++) {
    m2v_lengths_init (&lengths, i / 2);
    m2v_runs_init (&r->runs[i / 2][i % 2], &lengths, i % 2);
  }
  r->kernels = r->drift.kernels = m2v_kernels_best ();
  m2v_source_frames_init (&r->frames, r->kernels);
  m2v_requantizer_set (r, &m2v_requantizer_defaults);
  return r;
}

void
m2v_requantizer_free (M2vRequantizer * r)
{
  if (r) {
    m2v_drift_free (&r->drift);
    m2v_source_frames_free (&r->frames);
  }
  free (r);
}

/* Forgets the references. */
static void
lose (M2vRequantizer * r)
{
  m2v_drift_lost (&r->drift);
  m2v_source_frames_lost (&r->frames);
}

void
m2v_requantizer_reset (M2vRequantizer * r)
{
  memset (r->correction, 0, sizeof r->correction);
  memset (&r->group, 0, sizeof r->group);
  lose (r);
}

static unsigned
limit (unsigned value, unsigned min, unsigned max)
{
  return value < min ? min : value > max ? max : value;
}

void
m2v_requantizer_set (M2vRequantizer * r,
    const M2vRequantizerSettings * settings)
{
  M2vRequantizerSettings *s = &r->settings;

  *s = *settings;
  s->rounding.intra = limit (s->rounding.intra, 0, MAX_ROUNDING_INTRA);
  s->rounding.non_intra = limit (s->rounding.non_intra, 0,
      MAX_ROUNDING_NON_INTRA);
  s->max_code = limit (s->max_code, 1, M2V_MAX_QUANTISER);
  if (s->drift == M2V_DRIFT_OFF) {
    r->group.chooses = false;
    lose (r);
  }
}

static bool
open_picture (M2vRequantizer * r, const M2vSource * source)
{
  const M2vPicture *picture = source->picture;

  if (picture->kind != M2V_SPAN_PICTURE || !picture->valid
      || source->index->data != source->data + picture->slices.offset
      || source->index->size != picture->slices.size
      || !m2v_picture_params_init (&r->picture, source->sequence, picture))
    return false;
  r->index = source->index;
  r->next_range = r->n_slices = r->n_copied = r->n_damaged = 0;
  r->in_slice = false;
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
add_slice (M2vRequantizer * r, const M2vTally * t)
{
  r->n_slices++;
  r->sum_headers += m2v_quantiser_scale (&r->picture,
      r->slice.reader.slice.quantiser);
  r->tally.n_macroblocks += t->n_macroblocks;
  r->tally.n_quantised += t->n_quantised;
  r->tally.n_at_maximum += t->n_at_maximum;
  r->tally.n_coarsest += t->n_coarsest;
  r->tally.sum_in += t->sum_in;
  r->tally.sum_out += t->sum_out;
  r->tally.kept += t->kept;
  r->tally.dropped += t->dropped;
  r->tally.gained += t->gained;
  r->tally.vector_bits += t->vector_bits;
}

/* Updates the correction of the mean over the slice headers. */
static void
learn (M2vRequantizer * r)
{
  if (r->n_slices > 0)
    r->correction[r->picture.type] = ratio (r->tally.sum_in,
        r->tally.n_macroblocks) / ratio (r->sum_headers, r->n_slices);
}

/* Begins the picture in the closed loop; returns false if it takes no part. */
static bool
begin_drift (M2vRequantizer * r, const M2vSource * source)
{
  M2vDrift drift = r->settings.drift;

  if (drift == M2V_DRIFT_OFF
      || (drift == M2V_DRIFT_P && r->picture.type == M2V_PICTURE_B))
    return false;
  if (!source->matrices) {
    lose (r);
    return false;
  }
  return m2v_drift_begin (&r->drift, &r->picture,
      source->picture->coding.top_field_first);
}

/* True if the picture may choose its vectors where so much coarser quantisers are
 * wanted. Without the loop, errors of P would spread. Where nothing is known, P
 * would lose what is wanted soon after. */
static bool
may_choose (const M2vRequantizer * r, unsigned coarser)
{
  if (r->picture.type == M2V_PICTURE_P)
    return r->slice.drift && coarser == 1
        && m2v_source_frames_know_all (&r->frames);
  return r->picture.type == M2V_PICTURE_B;
}

/* Lets the picture be decoded, or its vectors be chosen. */
static void
begin_frames (M2vRequantizer * r, const M2vSource * source)
{
  double share = r->settings.drift == M2V_DRIFT_OFF ? 1
      : r->settings.vector_share;
  unsigned coarser;

  if (!m2v_group_vectors_begin (&r->group, r->picture.type, share)
      || !source->matrices) {
    m2v_source_frames_lost (&r->frames);
    return;
  }
  if (!m2v_source_frames_begin (&r->frames, &r->picture,
          source->picture->coding.top_field_first))
    return;
  m2v_slice_rewriter_set_frames (&r->slice, &r->frames);
  coarser = m2v_group_vectors_coarser (&r->group, share);
  if (!may_choose (r, coarser))
    return;
  m2v_vector_chooser_init (&r->vectors, &r->frames, &r->vlc);
  m2v_slice_rewriter_set_vectors (&r->slice, &r->vectors, coarser);
}

static void
begin_slices (M2vRequantizer * r, const M2vSource * source, uint8_t * out,
    size_t capacity)
{
  bool drift = begin_drift (r, source);

  m2v_slice_rewriter_init (&r->slice, &r->settings, &r->picture, &r->vlc,
      r->index->data, out, capacity);
  m2v_slice_rewriter_set_levels (&r->slice, r->kernels, source->matrices,
      r->settings.selective ? r->runs[r->picture.mpeg2] : NULL);
  if (drift || (r->settings.rate_distortion && source->matrices))
    m2v_slice_rewriter_set_dense (&r->slice, source->matrices,
        drift ? &r->drift : NULL);
  begin_frames (r, source);
}

/* True if the range is a slice, false if it is other data between slices. */
static bool
is_slice (const M2vSliceIndex * index, const M2vRange * range)
{
  return m2v_is_slice (index->data + range->offset, range->size);
}

bool
m2v_requantizer_begin (M2vRequantizer * r, const M2vSource * source,
    uint8_t * out, size_t capacity)
{
  if (!open_picture (r, source)) {
    lose (r);
    return false;
  }
  begin_slices (r, source, out, capacity);
  return true;
}

static void
end_slice (M2vRequantizer * r)
{
  bool copied;

  if (m2v_slice_rewriter_end (&r->slice, &copied))
    add_slice (r, &r->slice.tally);
  else
    r->n_damaged++;
  r->n_copied += copied;
  r->in_slice = false;
}

/* Begins the next slice; returns false if there is none. */
static bool
begin_slice (M2vRequantizer * r)
{
  while (r->next_range < r->index->n) {
    M2vRange range = m2v_slice_index_range (r->index, r->next_range++);

    if (is_slice (r->index, &range)) {
      m2v_slice_rewriter_begin (&r->slice, &range);
      r->in_slice = true;
      return true;
    }
    m2v_slice_writer_bytes (&r->slice.writer, r->index->data + range.offset,
        range.size);
  }
  return false;
}

bool
m2v_requantizer_next (M2vRequantizer * r, M2vRequest * request)
{
  while (r->in_slice || begin_slice (r)) {
    if (m2v_slice_rewriter_next (&r->slice, request))
      return true;
    end_slice (r);
  }
  return false;
}

void
m2v_requantizer_quantise (M2vRequantizer * r, unsigned code)
{
  m2v_slice_rewriter_quantise (&r->slice, code);
}

bool
m2v_requantizer_end (M2vRequantizer * r, M2vRequantized * result)
{
  const M2vTally *t = &r->tally;

  if (r->slice.drift)
    m2v_drift_end (r->slice.drift);
  if (r->slice.frames)
    m2v_source_frames_end (r->slice.frames);
  if (r->picture.type == M2V_PICTURE_B)
    r->group.vector_bits += r->tally.vector_bits;
  r->group.n_quantised += t->n_quantised;
  r->group.n_coarsest += t->n_coarsest;
  learn (r);
  memset (result, 0, sizeof *result);
  result->size_out = m2v_slice_writer_finish (&r->slice.writer);
  if (result->size_out == 0) {
    lose (r);
    return false;
  }
  r->group.bits += result->size_out * 8;
  result->size_in = r->index->size;
  result->mean_in = ratio (t->sum_in, t->n_macroblocks);
  result->mean_out = ratio (t->sum_out, t->n_macroblocks);
  result->kept = t->kept;
  result->dropped = t->dropped;
  result->gained = t->gained;
  result->n_slices = r->n_slices + r->n_damaged;
  result->n_copied = r->n_copied;
  result->n_damaged = r->n_damaged;
  result->floor = t->n_quantised == t->n_at_maximum;
  return r->n_slices > 0;
}

static void
pass_slices (M2vRequantizer * r)
{
  for (unsigned i = 0; i < r->index->n; i++) {
    M2vRange range = m2v_slice_index_range (r->index, i);

    if (is_slice (r->index, &range))
      m2v_slice_rewriter_pass (&r->slice, &range);
  }
  if (r->slice.drift)
    m2v_drift_end (r->slice.drift);
  if (r->slice.frames)
    m2v_source_frames_end (r->slice.frames);
}

bool
m2v_requantizer_pass (M2vRequantizer * r, const M2vSource * source)
{
  uint8_t nothing = 0;

  if (r->settings.drift == M2V_DRIFT_OFF)
    return true;
  if (!open_picture (r, source)) {
    lose (r);
    return false;
  }
  begin_slices (r, source, &nothing, 0);
  r->group.bits += r->index->size * 8;
  /* No picture refers to B. */
  if (r->picture.type == M2V_PICTURE_B)
    return true;
  if (r->slice.frames
      || (r->slice.drift && !m2v_drift_is_free (&r->drift)))
    pass_slices (r);
  return true;
}

void
m2v_requantizer_omit (M2vRequantizer * r)
{
  r->group.omitted = true;
}

void
m2v_requantizer_lost (M2vRequantizer * r)
{
  lose (r);
}

M2vDriftLoop *
m2v_requantizer_drift (M2vRequantizer * r)
{
  return &r->drift;
}

/* Adds the scales of the slice's header and, if the whole is wanted, of its
 * macroblocks. A slice that cannot be read does not count. */
static void
analyse_slice (M2vRequantizer * r, const uint8_t * data, size_t size,
    bool whole)
{
  const M2vMacroblock *mb = &r->slice.macroblock;
  M2vSliceReader *reader = &r->slice.reader;
  M2vTally t = { 0, };

  if (!m2v_slice_reader_begin (reader, &r->picture, &r->vlc, data, size))
    return;
  while (whole && m2v_slice_reader_next (reader, &r->slice.macroblock)) {
    t.n_macroblocks += mb->n_skipped + 1;
    t.sum_in += m2v_quantiser_scale (&r->picture, mb->quantiser)
        + mb->n_skipped * m2v_quantiser_scale (&r->picture,
        mb->before.quantiser);
  }
  if (!reader->error)
    add_slice (r, &t);
}

double
m2v_requantizer_analyse (M2vRequantizer * r, const M2vSource * source)
{
  double mean, coarsest;
  bool whole;

  if (!open_picture (r, source))
    return 0;
  whole = r->correction[r->picture.type] <= 0;
  for (unsigned i = 0; i < r->index->n; i++) {
    M2vRange range = m2v_slice_index_range (r->index, i);

    if (is_slice (r->index, &range))
      analyse_slice (r, r->index->data + range.offset, range.size, whole);
  }
  if (whole)
    learn (r);
  mean = ratio (r->sum_headers, r->n_slices) * r->correction[r->picture.type];
  /* An estimate may exceed the range. */
  coarsest = m2v_quantiser_scale (&r->picture, M2V_MAX_QUANTISER);
  return mean < coarsest ? mean : coarsest;
}
