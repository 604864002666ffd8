/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2scaling/recoder.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpeg2scaling/floor.h>
#include <mpeg2requantize/requantizer.h>
#include <mpeg2scaling/vbvdelay.h>

const M2vRecoderSettings m2v_recoder_defaults = {
  .target = -1,
  .max_code = 31,
  .drift = M2V_DRIFT_P,
  .rate_distortion = false,
  .vector_share = M2V_WORTHWHILE_VECTOR_SHARE,
  .modulate = false,
  .kb = 2.5,
  .front_load = .5
};

/* The slices that replace a picture's slices, and an index of those. */
typedef struct
{
  M2vSliceIndex index;
  bool indexed;                 /* the index is of the current frame */
  uint8_t *slices;
  size_t size, capacity;
  bool is_new;
} Output;

struct M2vRecoder
{
  M2vRecoderSettings settings;
  M2vRecoderStats stats;
  Tm5 control;
  M2vRequantizer *requantizer;
  M2vFloor floor;
  Output outputs[2];
  M2vVbvDelay vbv_delay;

  /* State of the current picture. */
  double header_bits;           /* bits of all but its slices */
  double slice_bits;            /* bits of the source's slices */
  /* mean quantiser_scale of the source; 0 = not known */
  double mean;
};

M2vRecoder *
m2v_recoder_new (void)
{
  M2vRecoder *r = calloc (1, sizeof *r);

  if (!r)
    return NULL;
  r->requantizer = m2v_requantizer_new ();
  if (!r->requantizer) {
    m2v_recoder_free (r);
    return NULL;
  }
  m2v_recoder_reset (r);
  m2v_recoder_set (r, &m2v_recoder_defaults);
  return r;
}

void
m2v_recoder_free (M2vRecoder * r)
{
  if (!r)
    return;
  for (unsigned i = 0; i < 2; i++) {
    m2v_slice_index_clear (&r->outputs[i].index);
    free (r->outputs[i].slices);
  }
  m2v_requantizer_free (r->requantizer);
  free (r);
}

static void
set_control (M2vRecoder * r)
{
  const M2vRecoderSettings *s = &r->settings;

  r->control.params.kb = s->kb;
  r->control.params.front_load = s->front_load;
  /* Nothing is sent at a target of 0, so nothing is to be planned for it. */
  if (s->target != 0)
    tm5_set_target (&r->control, s->target < 0 ? INT64_MAX : s->target);
}

void
m2v_recoder_reset (M2vRecoder * r)
{
  memset (&r->stats, 0, sizeof r->stats);
  tm5_init (&r->control, NULL);
  set_control (r);
  m2v_requantizer_reset (r->requantizer);
  m2v_floor_init (&r->floor);
}

void
m2v_recoder_discont (M2vRecoder * r)
{
  m2v_requantizer_lost (r->requantizer);
}

static double
limit (double x, double low, double high)
{
  return x >= low ? x <= high ? x : high : low;
}

void
m2v_recoder_set (M2vRecoder * r, const M2vRecoderSettings * settings)
{
  M2vRequantizerSettings how = m2v_requantizer_defaults;
  M2vRecoderSettings *s = &r->settings;

  *s = *settings;
  s->max_code = (unsigned) limit (s->max_code, 1, 31);
  s->kb = limit (s->kb, .25, 8);
  s->front_load = limit (s->front_load, 0, 2);
  set_control (r);
  how.max_code = s->max_code;
  how.drift = s->drift;
  how.selective = true;
  how.rate_distortion = s->rate_distortion;
  how.vector_share = limit (s->vector_share, 0, 1);
  m2v_requantizer_set (r->requantizer, &how);
}

/* One picture */

/* Returns the quantiser_scale_code by TM5's steps 2 and 3. */
static unsigned
choose_code (const M2vRecoder * r, const M2vRequest * request)
{
  double activity = 1;

  if (r->settings.modulate && r->mean > 0)
    activity = request->scale / r->mean;
  return tm5_macroblock (&r->control, (double) request->bits_in / r->slice_bits,
      (int64_t) (r->header_bits + (double) request->bits_out), activity);
}

/* Returns the type by which the control treats a picture. D pictures and
 * unreadable ones are left out of what it controls. */
static Tm5Type
control_type (const M2vFrame * frame, unsigned i)
{
  if (!frame->valid || frame->pictures[i].header.type == M2V_PICTURE_B)
    return TM5_B;
  return frame->pictures[i].header.type == M2V_PICTURE_P ? TM5_P : TM5_I;
}

/* Describes picture `i` of a frame to the control, with the number of
 * pictures that pass after it. */
static Tm5Picture
describe (const M2vRecoder * r, const M2vFrame * frame, unsigned i,
    const M2vDecision * decision)
{
  const M2vPicture *picture = &frame->pictures[i];
  Tm5Picture p = {
    .type = control_type (frame, i),
    .second_field = i > 0,
    .duration = frame->duration / frame->n_pictures,
    .bits = (int64_t) picture->size * 8,
    .q_scale_type = picture->coding.q_scale_type,
    .max_code = r->settings.max_code,
    .planned = decision->planned,
    .later = {
          [TM5_P] = frame->n_pictures * decision->later_p,
        [TM5_B] = frame->n_pictures * decision->later_b}
  };

  if (i + 1 < frame->n_pictures)
    p.later[control_type (frame, i + 1)]++;
  return p;
}

static double
coarsest (const M2vRecoder * r, const M2vPicture * picture)
{
  return tm5_quantiser_scale (picture->coding.q_scale_type,
      r->settings.max_code);
}

/* Returns the mean quantiser. If the coarsest was requested throughout, it
 * counts, whichever one is in force after the last coefficients. */
static double
quantiser_out (const M2vRecoder * r, const M2vPicture * picture,
    const M2vRequantized * result)
{
  return result->floor ? fmax (coarsest (r, picture), result->mean_out)
      : result->mean_out;
}

static void
learn_floor (M2vRecoder * r, const M2vPicture * picture,
    const M2vRequantized * result)
{
  const M2vFloorPicture p = {
    .type = picture->header.type,
    .bits_in = (double) result->size_in * 8,
    .bits_out = (double) result->size_out * 8,
    .scale_in = result->mean_in,
    .scale_out = quantiser_out (r, picture, result),
    .coarsest = coarsest (r, picture)
  };

  m2v_floor_learn (&r->floor, &p);
}

static bool
reserve (Output * o, size_t capacity)
{
  if (capacity <= o->capacity)
    return true;
  /* The reserve saves another allocation for a slightly larger picture. */
  capacity *= 2;
  free (o->slices);
  o->slices = malloc (capacity);
  o->capacity = o->slices ? capacity : 0;
  return o->slices;
}

static bool
requantize (M2vRecoder * r, const M2vSource * source, Output * o,
    M2vRequantized * result)
{
  size_t capacity = source->picture->slices.size + M2V_REQUANTIZER_RESERVE;
  M2vRequest request;

  if (!reserve (o, capacity)) {
    m2v_requantizer_lost (r->requantizer);
    return false;
  }
  if (!m2v_requantizer_begin (r->requantizer, source, o->slices, capacity)) {
    r->stats.unreadable++;
    return false;
  }
  while (m2v_requantizer_next (r->requantizer, &request))
    m2v_requantizer_quantise (r->requantizer, choose_code (r, &request));
  if (!m2v_requantizer_end (r->requantizer, result)) {
    r->stats.unreadable++;
    return false;
  }
  o->is_new = true;
  o->size = result->size_out;
  learn_floor (r, source->picture, result);
  return true;
}

/* Describes the picture to the requantizer. If memory is too short for an
 * index, it has no slices and cannot be recoded. */
static M2vSource
find_source (M2vRecoder * r, const M2vFrame * frame, unsigned i,
    const uint8_t * data)
{
  const M2vPicture *picture = &frame->pictures[i];
  Output *o = &r->outputs[i];
  const uint8_t *slices = data + picture->slices.offset;
  const M2vSource source = { &frame->sequence, picture, data, &o->index,
    &frame->matrices[i]
  };

  if (!o->indexed || o->index.data != slices
      || o->index.size != picture->slices.size)
    m2v_slice_index_build (&o->index, slices, picture->slices.size);
  o->indexed = true;
  return source;
}

static void
recode_picture (M2vRecoder * r, const M2vFrame * frame, unsigned i,
    const uint8_t * data, const M2vDecision * decision)
{
  const M2vPicture *picture = &frame->pictures[i];
  const M2vSource source = find_source (r, frame, i, data);
  M2vRequantized result = { 0, };
  Tm5Picture p = describe (r, frame, i, decision);
  Tm5Coded coded = { 0, };

  r->slice_bits = (double) picture->slices.size * 8;
  r->header_bits = (double) (m2v_decision_size (decision, i) -
      picture->slices.size) * 8;
  r->mean = p.quantiser = m2v_requantizer_analyse (r->requantizer, &source);
  tm5_set_source (&r->control, frame->sequence.bit_rate,
      frame->sequence.vbv_buffer_size);
  tm5_picture_begin (&r->control, &p);
  coded.bits = (int64_t) (r->header_bits + r->slice_bits);
  r->stats.quantiser_in = r->stats.quantiser_out = r->mean;
  if (r->control.passing) {
    m2v_requantizer_pass (r->requantizer, &source);
    r->stats.passed++;
  } else if (requantize (r, &source, &r->outputs[i], &result)) {
    r->stats.recoded++;
    coded.bits = (int64_t) (r->header_bits + (double) result.size_out * 8);
    coded.quantiser = quantiser_out (r, picture, &result);
    coded.source_quantiser = result.mean_in;
    r->stats.quantiser_in = result.mean_in;
    r->stats.quantiser_out = result.mean_out;
  } else {
    r->stats.passed++;
  }
  tm5_picture_end (&r->control, &coded);
}

/* Frames */

static bool
can_recode (const M2vFrame * frame, unsigned i)
{
  return frame->valid && frame->has_sequence
      && frame->pictures[i].header.type <= M2V_PICTURE_B;
}

/* Reports a picture to the control that it does not model, that was
 * replaced or that was dropped. While the target is 0, no time passes. */
static void
leave_out (M2vRecoder * r, const M2vFrame * frame, unsigned i,
    const M2vDecision * decision)
{
  Tm5Picture p = describe (r, frame, i, decision);

  if (p.type != TM5_B || !frame->valid)
    m2v_requantizer_lost (r->requantizer);
  else
    m2v_requantizer_omit (r->requantizer);
  if (decision->action != M2V_DROP)
    r->stats.passed++;
  if (r->settings.target != 0)
    tm5_picture_left_out (&r->control, &p,
        (int64_t) m2v_decision_size (decision, i) * 8);
}

static void
end_frame (M2vRecoder * r)
{
  for (unsigned i = 0; i < 2; i++)
    r->outputs[i].indexed = false;
}

void
m2v_recoder_frame (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision)
{
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    Output *o = &r->outputs[i];

    o->is_new = false;
    if (decision->action == M2V_PASS && can_recode (frame, i))
      recode_picture (r, frame, i, data[i], decision);
    else
      leave_out (r, frame, i, decision);
    if (o->is_new)
      m2v_decision_exchange (decision, i, &frame->pictures[i].slices,
          o->slices, o->size);
  }
  if (decision->action != M2V_DROP)
    m2v_vbv_delay_remove (&r->vbv_delay, frame, data, decision);
  end_frame (r);
}

size_t
m2v_recoder_floor (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2])
{
  double size = 0;

  for (unsigned i = 0; i < frame->n_pictures; i++) {
    const M2vPicture *picture = &frame->pictures[i];
    const M2vSource source = find_source (r, frame, i, data[i]);
    const M2vFloorPicture p = {
      .type = picture->header.type,
      .bits_in = (double) picture->slices.size * 8,
      .scale_in = m2v_requantizer_analyse (r->requantizer, &source),
      .coarsest = coarsest (r, picture)
    };

    if (!can_recode (frame, i))
      return frame->size;
    size += (double) (picture->size - picture->slices.size) +
        (double) picture->slices.size * m2v_floor_share (&r->floor, &p);
  }
  return (size_t) size;
}

void
m2v_recoder_cost (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2], ScalingCost * cost)
{
  bool begins = frame->valid && frame->type == M2V_PICTURE_I;

  cost->floor = m2v_recoder_floor (r, frame, data);
  cost->credit = tm5_credit (&r->control, begins);
  cost->rest = tm5_rest (&r->control);
}

void
m2v_recoder_stats (const M2vRecoder * r, M2vRecoderStats * stats)
{
  *stats = r->stats;
  tm5_get_stats (&r->control, &stats->control);
}
