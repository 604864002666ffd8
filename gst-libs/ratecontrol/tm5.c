/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "TM5" is ISO/IEC JTC1/SC29/WG11 N0400, Test Model 5, chapter 10.
 */
#include <ratecontrol/tm5.h>

#include <math.h>
#include <string.h>

#include <ratecontrol/tm5plan.h>
#include <ratecontrol/tm5quantiser.h>

/* Largest size of a picture in bits; larger ones are clamped. */
#define MAX_BITS INT64_C (1000000000)
/* Shortest duration of a picture, ns; shorter ones are clamped. */
#define MIN_DURATION (RATECONTROL_SECOND / 10000)
/* Longest duration of a picture, ns; longer ones are clamped. */
#define MAX_DURATION (10 * RATECONTROL_SECOND)

/* Largest share of the bucket's free bits that a picture's target may have,
 * because the picture may miss it. */
#define BUCKET_SHARE .9
/* Smallest size of the bucket, in durations of the picture. */
#define MIN_BUCKET 1.25
/* Seconds at the target. A source that itself needs more than the bucket passes
 * up to this level. */
#define PASSING_BUCKET 1.
/* Highest share of the target that the rate of a single group may have so that
 * it passes. */
#define RICH_GROUP 1.05
/* Seconds at the target. With a larger debt the floor is reported although only
 * some types of pictures are at it: the others do not make up for them. */
#define FLOOR_DEBT .2
/* Share of the bucket that pictures may fill if they pass, or are at the floor.
 * The rest is for the pictures after them. */
#define KEPT_SHARE .8
/* Largest factor by which X follows the source from one picture to the next of
 * its type. */
#define MAX_CHANGE 8.
/* TM5's first complexities, in units of bit_rate / 115. */
static const double first_complexity[TM5_N_TYPES] = { 160, 60, 42 };

const Tm5Params tm5_params_default = {
  .kp = 1.4,
  .kb = 2.5,
  .front_load = .5,
  .reaction = 0,
  .bucket = .5,
  .carry = .5,
  .max_carry = .02,
  .hold = .03,
  .first_group = .28,
  .follow = 1
};

const Tm5Params tm5_params_model = {
  .kp = 1,
  .kb = 1.4,
  .front_load = 0,
  .reaction = 2,
  .bucket = .5,
  .carry = 1,
  .max_carry = 1e3,
  .hold = 0,
  .first_group = .3,
  .follow = 0
};

void
tm5_init (Tm5 * t, const Tm5Params * params)
{
  memset (t, 0, sizeof *t);
  t->params = params ? *params : tm5_params_default;
  t->target = t->new_target = INT64_MAX;
  t->picture.duration = RATECONTROL_SECOND / 25;
  t->passing = true;
}

void
tm5_set_source (Tm5 * t, int64_t bit_rate, int64_t vbv_buffer_size)
{
  if (bit_rate == t->source_max_rate && vbv_buffer_size == t->source_vbv_size)
    return;
  t->source_max_rate = bit_rate;
  t->source_vbv_size = vbv_buffer_size;
  vbv_init (&t->vbv, bit_rate, vbv_buffer_size, VBV_DELAY_VARIABLE);
  t->source_vbv = t->vbv;
}

void
tm5_set_target (Tm5 * t, int64_t target)
{
  t->new_target = target < 1 ? 1 : target;
}

/* True if the source keeps the limits of its headers. */
static bool
has_vbv (const Tm5 * t)
{
  return t->source_max_rate > 0 && t->source_vbv_size > 0 &&
      t->source_vbv.n_underflows == 0;
}

static bool
is_limited (const Tm5 * t)
{
  return t->target <= RATECONTROL_MAX_RATE;
}

static int64_t
clamp_bits (int64_t bits)
{
  return bits < 0 ? 0 : bits > MAX_BITS ? MAX_BITS : bits;
}

static double
clamp_scale (double scale)
{
  return scale > 0 ? tm5_clamp (scale, 1, 112) : 0;
}

static void
take_picture (Tm5 * t, const Tm5Picture * picture)
{
  const int64_t last = t->picture.duration;
  Tm5Picture *p = &t->picture;

  *p = *picture;
  if ((unsigned) p->type >= TM5_N_TYPES)
    p->type = TM5_I;
  p->bits = clamp_bits (p->bits);
  if (p->duration <= 0)
    p->duration = last;
  p->duration = p->duration < MIN_DURATION ? MIN_DURATION :
      p->duration > MAX_DURATION ? MAX_DURATION : p->duration;
  p->quantiser = clamp_scale (p->quantiser);
  if (p->max_code < 1 || p->max_code > 31)
    p->max_code = 31;
  t->source_bits[p->type] = (double) p->bits;
  vbv_picture (&t->source_vbv, p->bits, p->duration);
}

/* Guesses the types that have not been seen from one that has, by the ratio of
 * TM5's first complexities. If the source's quantisers are not known, it uses
 * those complexities themselves. */
static void
guess_types (Tm5 * t)
{
  int known = -1;

  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    if (t->known[i] && known < 0)
      known = (int) i;
  }
  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    if (!t->known[i])
      t->complexity[i] = first_complexity[i] * (known < 0 ?
          (double) t->target / 115 :
          t->complexity[known] / first_complexity[known]);
    if (t->source_bits[i] <= 0)
      t->source_bits[i] = t->source_bits[t->picture.type] *
          first_complexity[i] / first_complexity[t->picture.type];
    t->complexity[i] = fmax (t->complexity[i], 1);
  }
}

/* Estimates X of the current picture: that of the last one of its type, changed
 * as the source has changed since. */
static void
estimate_complexity (Tm5 * t)
{
  const Tm5Picture *p = &t->picture;
  double source = (double) p->bits * p->quantiser / 2;
  double *x = &t->complexity[p->type];

  if (source > 0) {
    double last = t->source_complexity[p->type];

    if (!t->known[p->type])
      *x = source;
    else if (last > 0)
      *x *= pow (tm5_clamp (source / last, 1 / MAX_CHANGE, MAX_CHANGE),
          t->params.follow);
    t->known[p->type] = true;
  }
  guess_types (t);
}

static bool
may_pass (const Tm5 * t)
{
  double target = (double) t->target, level = t->level + t->picture.bits;
  double rate;

  if (!is_limited (t) || (has_vbv (t) && t->target >= t->source_max_rate))
    return true;
  rate = tm5_group_source_rate (t);
  if (t->n_past == 0 && has_vbv (t))
    rate = fmin (rate, (double) t->source_max_rate);
  if (rate > target || (t->n_past > 0
          && tm5_group_own_rate (t) > RICH_GROUP * target))
    return false;
  if (level <= KEPT_SHARE * t->params.bucket * target)
    return true;
  /* The source may fill the buffer of its header if it itself needs it. */
  return has_vbv (t) && t->level <= t->source_level + 1 &&
      level <= (double) t->source_vbv_size && level <= PASSING_BUCKET * target;
}

/* Sets T, between the model's minimum and the room in the buffers. */
static void
set_picture_target (Tm5 * t, const Tm5Rest * rest)
{
  double target = (double) t->target;
  double duration = tm5_seconds (t->picture.duration);
  double bucket = fmax (t->params.bucket, MIN_BUCKET * duration);

  t->budget = tm5_plan_budget (t, rest);
  t->ceiling = bucket * target - t->level;
  if (has_vbv (t))
    t->ceiling = fmin (t->ceiling, (double) vbv_room (&t->vbv));
  t->ceiling = fmax (t->ceiling, 0);
  t->picture_target = tm5_plan_target (t, rest);
  t->rest_floor = tm5_plan_floor (t, rest);
  t->picture_target = fmin (t->picture_target, BUCKET_SHARE * t->ceiling);
  t->picture_target = fmax (t->picture_target, target * duration / 8);
  if (!is_limited (t))
    t->budget = t->picture_target = 0;
}

static void
begin_picture (Tm5 * t, const Tm5Picture * picture, Tm5Rest * rest)
{
  bool starts;

  take_picture (t, picture);
  starts = tm5_group_picture (t);
  estimate_complexity (t);
  tm5_group_rest (t, rest);
  if (starts)
    tm5_plan_carry (t);
  tm5_plan_hold (t);
  if (t->new_target != t->target)
    tm5_plan_retarget (t, rest);
}

Tm5Decision
tm5_picture_begin (Tm5 * t, const Tm5Picture * picture)
{
  Tm5Rest rest;

  begin_picture (t, picture, &rest);
  set_picture_target (t, &rest);
  t->passing = may_pass (t);
  if (!t->passing)
    tm5_quantiser_begin (t);
  return t->passing ? TM5_PASS : TM5_REDUCE;
}

unsigned
tm5_macroblock (const Tm5 * t, double done, int64_t bits, double activity)
{
  const Tm5Picture *p = &t->picture;
  double ahead, quantiser;

  if (t->passing)
    return 1;
  done = done > 0 ? fmin (done, 1) : 0;
  activity = activity > 0 ? tm5_clamp (activity, .5, 2) : 1;
  ahead = (double) clamp_bits (bits) - t->picture_target * done;
  if (ahead > t->ceiling - t->picture_target)
    return p->max_code;
  quantiser = tm5_quantiser_now (t, done, ahead);
  return tm5_nearest_code (p->q_scale_type, quantiser * activity, p->max_code);
}

/* True if pictures of the type pass in the group. */
static bool
is_in_group (const Tm5 * t, unsigned type)
{
  return t->expected.n[type] > 0 && (!t->picture.planned
      || t->coded[type] > 0 || t->picture.later[type] > 0);
}

/* Returns the bits that coarser quantisers would have saved, if there were
 * any. */
static double
debt (const Tm5 * t)
{
  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    if (is_in_group (t, i) && t->at_floor[i])
      return fmax (-(t->aside + t->deviation), 0);
  }
  return 0;
}

static bool
at_floor (const Tm5 * t)
{
  if (t->passing || !t->at_floor[t->picture.type])
    return false;
  if (debt (t) > FLOOR_DEBT * (double) t->target)
    return true;
  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    if (is_in_group (t, i) && !t->at_floor[i])
      return false;
  }
  return true;
}

static void
pour (Tm5 * t, int64_t bits)
{
  double target = (double) t->target;
  double leaked = target * tm5_seconds (t->picture.duration);

  vbv_picture (&t->vbv, bits, t->picture.duration);
  if (!is_limited (t)) {
    t->balance = t->deviation = t->aside = t->grant = t->level =
        t->source_level = t->held = t->lead = t->seconds = 0;
    return;
  }
  t->balance += leaked - (double) bits;
  if (tm5_group_size (&t->group) == 1)
    t->lead = 0;
  t->lead = fmax (t->lead, t->grant - t->balance);
  t->seconds += tm5_seconds (t->picture.duration);
  t->level = fmax (t->level + (double) bits - leaked, 0);
  t->source_level = !t->passing ? 0 :
      fmax (t->source_level + (double) t->picture.bits - leaked, 0);
  if (at_floor (t))
    t->level = fmin (t->level, KEPT_SHARE * t->params.bucket * target);
}

void
tm5_picture_end (Tm5 * t, const Tm5Coded * coded)
{
  const Tm5Picture *p = &t->picture;
  int64_t bits = clamp_bits (coded->bits);
  double quantiser = clamp_scale (coded->quantiser) / 2;
  double source = clamp_scale (coded->source_quantiser) / 2;

  if (source <= 0)
    source = p->quantiser / 2;
  source *= (double) p->bits;
  if (source > 0)
    t->source_complexity[p->type] = source;
  if (quantiser > 0 && !t->passing) {
    tm5_quantiser_learn (t, (double) bits, quantiser);
  } else {
    t->model[p->type] = t->floor_bits[p->type] = 0;
    t->at_floor[p->type] = false;
    if (source > 0) {
      t->complexity[p->type] = source;
      t->known[p->type] = true;
    }
  }
  pour (t, bits);
}

/* X of its type stays, because the picture was not coded. */
void
tm5_picture_left_out (Tm5 * t, const Tm5Picture * picture, int64_t bits)
{
  Tm5Rest rest;

  begin_picture (t, picture, &rest);
  t->coded[t->picture.type]--;
  t->group.thinned = true;
  pour (t, clamp_bits (bits));
}

double
tm5_credit (const Tm5 * t, bool begins)
{
  if (!is_limited (t))
    return 0;
  return (begins ? tm5_plan_grant (t, true) : t->balance) / (double) t->target;
}

void
tm5_get_stats (const Tm5 * t, Tm5Stats * stats)
{
  memset (stats, 0, sizeof *stats);
  stats->target = t->target;
  stats->passing = t->passing;
  stats->floor = at_floor (t);
  if (is_limited (t)) {
    stats->picture_target = (int64_t) t->picture_target;
    stats->budget = (int64_t) t->budget;
    stats->wait = t->level / (double) t->target;
    stats->debt = debt (t) / (double) t->target;
  }
  for (unsigned i = 0; i < TM5_N_TYPES; i++) {
    stats->complexity[i] = t->known[i] ? t->complexity[i] : 0;
    stats->fullness[i] = t->start[i] * t->r / 31;
    stats->n_predicted[i] = t->expected.n[i];
  }
  if (tm5_group_size (&t->group) > 0)
    stats->source_rate = (int64_t) tm5_group_source_rate (t);
}
