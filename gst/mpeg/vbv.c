/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "vbv.h"

#include <math.h>

/* Far beyond any stream, and far from where products of two overflow. */
#define MAX_RATE INT64_C (1000000000000)
#define MAX_BITS INT64_C (1000000000000)
#define MAX_DURATION (3600 * MPEG_SECOND)

/* Levels are sums of thousands of products: what is wrong by less is right. */
#define TOLERANCE 0.5

static double
clamped (int64_t value, int64_t max)
{
  return (double) (value < 0 ? 0 : value > max ? max : value);
}

static double
arrived (double rate, int64_t duration)
{
  return rate * clamped (duration, MAX_DURATION) / MPEG_SECOND;
}

void
mpeg_vbv_init (MpegVbv * vbv, int64_t bit_rate, int64_t size,
    unsigned vbv_delay)
{
  vbv->rate = clamped (bit_rate, MAX_RATE);
  vbv->size = clamped (size, MAX_BITS);
  vbv->constant = vbv_delay < MPEG_VBV_DELAY_VARIABLE;
  vbv->level = vbv->constant ? vbv->rate * vbv_delay / 90000 : vbv->size;
  vbv->n_underflows = 0;
  vbv->n_overflows = 0;
}

int64_t
mpeg_vbv_room (const MpegVbv * vbv)
{
  return (int64_t) fmin (vbv->level + TOLERANCE, vbv->size);
}

unsigned
mpeg_vbv_delay (const MpegVbv * vbv)
{
  double delay;

  if (!vbv->constant || vbv->rate <= 0)
    return MPEG_VBV_DELAY_VARIABLE;
  delay = 90000 * vbv->level / vbv->rate + 0.5;
  return delay < MPEG_VBV_DELAY_VARIABLE ? (unsigned) delay :
      MPEG_VBV_DELAY_VARIABLE;
}

MpegVbvResult
mpeg_vbv_picture (MpegVbv * vbv, int64_t bits, int64_t duration)
{
  MpegVbvResult result = MPEG_VBV_OK;

  if (vbv->level > vbv->size + TOLERANCE) {
    result = MPEG_VBV_OVERFLOW;
    vbv->n_overflows++;
    vbv->level = vbv->size;
  }
  vbv->level -= clamped (bits, MAX_BITS);
  if (vbv->level < 0) {
    if (vbv->level < -TOLERANCE) {
      result = MPEG_VBV_UNDERFLOW;
      vbv->n_underflows++;
    }
    vbv->level = 0;
  }
  vbv->level += arrived (vbv->rate, duration);
  if (!vbv->constant)
    vbv->level = fmin (vbv->level, vbv->size);
  return result;
}

void
mpeg_vbv_bucket_init (MpegVbvBucket * bucket, int64_t rate)
{
  bucket->level = 0;
  bucket->peak = 0;
  bucket->need = 0;
  mpeg_vbv_bucket_set_rate (bucket, rate);
}

void
mpeg_vbv_bucket_set_rate (MpegVbvBucket * bucket, int64_t rate)
{
  bucket->rate = fmax (clamped (rate, MAX_RATE), 1);
}

double
mpeg_vbv_bucket_picture (MpegVbvBucket * bucket, int64_t bits, int64_t duration)
{
  double level = bucket->level + clamped (bits, MAX_BITS);
  double wait = level / bucket->rate;

  bucket->peak = fmax (bucket->peak, level);
  bucket->need = fmax (bucket->need, wait);
  bucket->level = fmax (level - arrived (bucket->rate, duration), 0);
  return wait;
}
