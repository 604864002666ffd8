/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <ratecontrol/tm5quantiser.h>

#include <math.h>

#include <ratecontrol/tm5group.h>

/* TM5's first quantiser. */
#define FIRST_QUANTISER 10.
/* Share of the source's quantiser; finer quantisers change nothing. */
#define FINEST_SHARE .5
/* Factor on the coarsest quantiser. A picture at the floor begins so far beyond
 * it that it stays there. */
#define MAX_START 2.
/* Share of the coarsest quantiser; a picture with a higher mean is at the
 * floor. */
#define FLOOR_QUANTISER .95
/* Largest factor between the X / T of two pictures of a type in a row. */
#define MAX_CHANGE 8.
/* Exponent of X / T. The bits of I fall less than their quantiser grows, so the
 * quantiser has to follow X / T further. */
#define INTRA_FOLLOW 1.2
/* Without r, the rest of the group makes up for so many times the bits that a
 * picture is ahead. */
#define REACTION 2.
/* Without r, the smallest share of the rest: the quantiser is at most 4 times
 * as coarse. */
#define MIN_REST .25
/* Exponent with which d0 follows the size of a picture over its target. It is
 * below 1 because X follows that too. */
#define MISS_SHARE .7
/* Largest X over the source's X; usual are .5 to 1.4. Above it quantisers have
 * lost their effect, and X says nothing of finer ones. */
#define MAX_COMPLEXITY 1.5
/* Weight of the last picture at the floor in the expected size there. */
#define FLOOR_WEIGHT .5

static double
coarsest (const Tm5Picture * p)
{
  return tm5_quantiser_scale (p->q_scale_type, p->max_code) / 2.;
}

void
tm5_quantiser_begin (Tm5 * t)
{
  const Tm5Picture *p = &t->picture;
  const double k[TM5_N_TYPES] = { 1, t->params.kp, t->params.kb };
  double model = t->complexity[p->type] / t->picture_target;
  double follow = t->params.follow * (p->type == TM5_I ? INTRA_FOLLOW : 1);
  double *start = &t->start[p->type];

  if (t->model[p->type] > 0 && !t->at_floor[p->type])
    *start *= pow (tm5_clamp (model / t->model[p->type], 1 / MAX_CHANGE,
            MAX_CHANGE), follow);
  else if (t->known[p->type])
    *start = model;
  else
    *start = FIRST_QUANTISER * k[p->type];
  *start = tm5_clamp (*start, fmax (p->quantiser / 2 * FINEST_SHARE, .5),
      MAX_START * coarsest (p));
  t->r = (t->params.reaction > 0 ? t->params.reaction : REACTION) *
      (double) t->target * tm5_group_period (t);
}

/* fmax is a call, and this is computed for each macroblock. */
static inline double
larger (double a, double b)
{
  return a > b ? a : b;
}

double
tm5_quantiser_now (const Tm5 * t, double done, double ahead)
{
  double start = t->start[t->picture.type], rest;

  if (t->params.reaction > 0)
    return start + 31 * ahead / t->r;
  rest = larger (t->budget - t->rest_floor, t->picture_target);
  rest = larger (rest - t->picture_target * done, t->picture_target * MIN_REST);
  return start * rest / larger (rest - REACTION * ahead, rest * MIN_REST);
}

static void
learn_floor (Tm5 * t, double bits, bool coarse)
{
  double *floor = &t->floor_bits[t->picture.type];

  if (!coarse)
    *floor = fmin (*floor, bits);
  else if (*floor > 0)
    *floor += FLOOR_WEIGHT * (bits - *floor);
  else
    *floor = bits;
}

void
tm5_quantiser_learn (Tm5 * t, double bits, double quantiser)
{
  const Tm5Picture *p = &t->picture;
  double source = t->source_complexity[p->type], complexity = bits * quantiser;
  bool coarse = quantiser > FLOOR_QUANTISER * coarsest (p);
  double *start = &t->start[p->type];

  if (source > 0 && t->params.reaction <= 0)
    complexity = fmin (complexity, MAX_COMPLEXITY * source);
  t->complexity[p->type] = fmax (complexity, 1);
  t->known[p->type] = true;
  t->model[p->type] = t->complexity[p->type] / t->picture_target;
  if (t->params.reaction > 0)
    *start += 31 * (bits - t->picture_target) / t->r;
  else
    *start *= pow (bits / t->picture_target, MISS_SHARE);
  *start = tm5_clamp (*start, .5, MAX_START * coarsest (p));
  t->at_floor[p->type] = coarse && bits > t->picture_target;
  learn_floor (t, bits, coarse);
}

unsigned
tm5_quantiser_scale (bool q_scale_type, unsigned code)
{
  code = code < 1 ? 1 : code > 31 ? 31 : code;
  if (!q_scale_type)
    return 2 * code;
  if (code <= 8)
    return code;
  if (code <= 16)
    return 2 * code - 8;
  return code <= 24 ? 4 * code - 40 : 8 * code - 136;
}

/* Returns where a quantiser_scale is between the codes of the non-linear scale:
 * the inverse of tm5_quantiser_scale. */
static double
non_linear_code (double scale)
{
  if (scale < 8)
    return scale;
  if (scale < 24)
    return scale / 2 + 4;
  return scale < 56 ? scale / 4 + 10 : scale / 8 + 17;
}

unsigned
tm5_nearest_code (bool q_scale_type, double quantiser, unsigned max_code)
{
  double code = q_scale_type ? non_linear_code (2 * quantiser) : quantiser;

  if (!(code < max_code))
    return max_code;
  return code > .5 ? (unsigned) (code + .5) : 1;
}
