/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "ratecontrol.h"

#include <math.h>
#include <string.h>

/* Where the source's quantiser is not known. */
#define FINEST_CODE 2
/* How far the factor follows the last picture. */
#define FOLLOW .25
#define MAX_FACTOR 64.
#define MAX_BITS 1e9

void
transcoder_rate_init (TranscoderRate * r)
{
  memset (r, 0, sizeof *r);
  tm5_init (&r->tm5, NULL);
}

static unsigned
source_code (const TranscoderSource * source)
{
  double code = floor (source->quantiser / 2 + .5);

  if (source->quantiser <= 0)
    return FINEST_CODE;
  return code < 1 ? 1 : code > 31 ? 31 : (unsigned) code;
}

/* What the picture would cost here at the source's quantiser. Where the source
 * has it as one of another type: what the last one cost. */
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

static double
model_quantiser (const TranscoderRate * r)
{
  Tm5Stats stats;

  tm5_get_stats (&r->tm5, &stats);
  if (stats.complexity[r->type] <= 0 || stats.picture_target <= 0)
    return tm5_macroblock (&r->tm5, 0, 0, 1);
  return stats.complexity[r->type] / (double) stats.picture_target;
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
  } else {
    quantiser = fmin (floor (model_quantiser (r) + .5), max_code);
    r->code = quantiser > finest ? (unsigned) quantiser : finest;
  }
  if (r->code > max_code)
    r->code = max_code;
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
