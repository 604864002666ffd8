/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "ratecontrol.h"

#include <math.h>
#include <string.h>

/* quantiser_scale_code if the source's quantiser is not known */
#define FINEST_CODE 2
/* Weight of the last picture in the factor. */
#define FOLLOW .25
/* Upper limit of the factor; its inverse is the lower limit. */
#define MAX_FACTOR 64.
/* Power with which the quantiser follows the model while the bucket is
 * calm. */
#define SMOOTH .35
/* Share up to which the bucket may be full while it is calm. */
#define CALM .3
/* Finest quantiser of a P over that of the last I or P. */
#define FINEST_P .7
/* Finest quantiser of a B over that of the last I or P. */
#define FINEST_B 1.
/* TM5's Kp that does best with libavcodec's encoder, on tests/files. */
#define KP 1.4
/* TM5's Kb that does best with libavcodec's encoder, on tests/files. */
#define KB 2.5
/* TM5's front_load that does best with libavcodec's encoder, on
 * tests/files. */
#define FRONT_LOAD .5
/* Power of the rate's fall with which quantisers rise. */
#define RATE_POWER .8
/* Most bits predicted for a picture. */
#define MAX_BITS 1e9

void
transcoder_rate_init (TranscoderRate * r)
{
  memset (r, 0, sizeof *r);
  tm5_init (&r->tm5, NULL);
  r->tm5.params.kp = KP;
  r->tm5.params.kb = KB;
  r->tm5.params.front_load = FRONT_LOAD;
}

void
transcoder_rate_set_target (TranscoderRate * r, int64_t target)
{
  if (target == r->target)
    return;
  if (r->target > 0)
    r->base *= pow ((double) r->target / (double) target, RATE_POWER);
  r->target = target;
  tm5_set_target (&r->tm5, target);
}

static unsigned
source_code (const TranscoderSource * source)
{
  double code = floor (source->quantiser / 2 + .5);

  if (source->quantiser <= 0)
    return FINEST_CODE;
  return code < 1 ? 1 : code > 31 ? 31 : (unsigned) code;
}

/* Predicts what the picture would cost here at the source's quantiser. If
 * the source has it as another type, this is what the last one of its type
 * cost. */
static int64_t
predict_bits (const TranscoderRate * r)
{
  const TranscoderSource *s = &r->source;
  double bits = (double) s->bits;

  if (s->type == r->type) {
    if (r->factor[r->type] > 0)
      bits *= r->factor[r->type];
  } else if (r->complexity[r->type] > 0) {
    bits = r->complexity[r->type] / (2 * source_code (s));
  }
  return (int64_t) fmin (fmax (bits, 1), MAX_BITS);
}

/* Chooses the quantiser. X / T asks each picture to make good what the
 * ones before have missed. But the bits of a P fall faster than its
 * quantiser rises, because it also codes the coding noise of its
 * reference. So the common quantiser, Q / K, follows slowly, unless the
 * bucket fills. A P or B much finer than its reference would code little
 * but that noise, so it leaves its bits to the next I. */
static double
choose_quantiser (TranscoderRate * r)
{
  const Tm5Params *params = &r->tm5.params;
  const double k[TM5_N_TYPES] = { 1, params->kp, params->kb };
  const double finest[TM5_N_TYPES] = { 0, FINEST_P, FINEST_B };
  double model, urgency;
  Tm5Stats stats;

  tm5_get_stats (&r->tm5, &stats);
  if (stats.complexity[r->type] <= 0 || stats.picture_target <= 0)
    return tm5_macroblock (&r->tm5, 0, 0, 1);
  model = stats.complexity[r->type] / (double) stats.picture_target
      / k[r->type];
  if (r->base <= 0)
    r->base = model;
  urgency = (stats.wait / params->bucket - CALM) / (1 - CALM);
  urgency = fmin (fmax (urgency, 0), 1);
  r->base *= pow (model / r->base, SMOOTH + (1 - SMOOTH) * urgency);
  r->base = fmax (r->base, finest[r->type] * r->anchor / k[r->type]);
  return r->base * k[r->type];
}

unsigned
transcoder_rate_begin (TranscoderRate * r, Tm5Type type,
    const TranscoderSource * source, int64_t duration, unsigned max_code)
{
  Tm5Picture picture = { 0 };
  double quantiser;
  unsigned finest;

  r->type = type;
  r->source = *source;
  finest = source_code (source);
  picture.type = type;
  picture.duration = duration;
  picture.bits = predict_bits (r);
  picture.quantiser = 2 * finest;
  picture.max_code = max_code;
  if (tm5_picture_begin (&r->tm5, &picture) == TM5_PASS) {
    r->code = finest;
    r->base = 0;
  } else {
    quantiser = fmin (floor (choose_quantiser (r) + .5), max_code);
    r->code = quantiser > finest ? (unsigned) quantiser : finest;
  }
  if (r->code > max_code)
    r->code = max_code;
  if (type != TM5_B)
    r->anchor = r->code;
  return r->code;
}

static void
learn (TranscoderRate * r, double bits)
{
  double source = (double) r->source.bits * source_code (&r->source) * 2;
  double *factor = &r->factor[r->type], last;

  r->complexity[r->type] = bits * r->code * 2;
  if (r->source.type != r->type || source <= 0)
    return;
  last = fmin (fmax (r->complexity[r->type] / source, 1 / MAX_FACTOR),
      MAX_FACTOR);
  *factor = *factor > 0 ? *factor + FOLLOW * (last - *factor) : last;
}

void
transcoder_rate_end (TranscoderRate * r, int64_t bits)
{
  Tm5Coded coded = { 0 };

  coded.bits = bits;
  coded.quantiser = 2 * r->code;
  tm5_picture_end (&r->tm5, &coded);
  learn (r, (double) bits);
}
