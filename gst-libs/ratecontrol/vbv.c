/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <ratecontrol/vbv.h>

#include <math.h>

/* Largest size in bits. It is as far beyond any stream as
 * RATECONTROL_MAX_RATE. */
#define MAX_BITS INT64_C (1000000000000)
/* Longest duration, ns. */
#define MAX_DURATION (3600 * RATECONTROL_SECOND)

/* Bits; rounding errors of a level, which is a sum of thousands of products. */
#define TOLERANCE 0.5

static double
clamped (int64_t value, int64_t max)
{
  return (double) (value < 0 ? 0 : value > max ? max : value);
}

static double
arrived (double rate, int64_t duration)
{
  return rate * clamped (duration, MAX_DURATION) / RATECONTROL_SECOND;
}

void
vbv_init (Vbv * vbv, int64_t bit_rate, int64_t size, unsigned vbv_delay)
{
  vbv->rate = clamped (bit_rate, RATECONTROL_MAX_RATE);
  vbv->size = clamped (size, MAX_BITS);
  vbv->constant = vbv_delay < VBV_DELAY_VARIABLE;
  vbv->level = vbv->constant ? vbv->rate * vbv_delay / 90000 : vbv->size;
  vbv->n_underflows = 0;
  vbv->n_overflows = 0;
}

int64_t
vbv_room (const Vbv * vbv)
{
  return (int64_t) fmin (vbv->level + TOLERANCE, vbv->size);
}

unsigned
vbv_delay (const Vbv * vbv)
{
  double delay;

  if (!vbv->constant || vbv->rate <= 0)
    return VBV_DELAY_VARIABLE;
  delay = 90000 * vbv->level / vbv->rate + 0.5;
  return delay < VBV_DELAY_VARIABLE ? (unsigned) delay : VBV_DELAY_VARIABLE;
}

VbvResult
vbv_picture (Vbv * vbv, int64_t bits, int64_t duration)
{
  VbvResult result = VBV_OK;

  if (vbv->level > vbv->size + TOLERANCE) {
    result = VBV_OVERFLOW;
    vbv->n_overflows++;
    vbv->level = vbv->size;
  }
  vbv->level -= clamped (bits, MAX_BITS);
  if (vbv->level < 0) {
    if (vbv->level < -TOLERANCE) {
      result = VBV_UNDERFLOW;
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
vbv_bucket_init (VbvBucket * bucket, int64_t rate)
{
  bucket->level = 0;
  bucket->peak = 0;
  bucket->need = 0;
  vbv_bucket_set_rate (bucket, rate);
}

void
vbv_bucket_set_rate (VbvBucket * bucket, int64_t rate)
{
  bucket->rate = fmax (clamped (rate, RATECONTROL_MAX_RATE), 1);
}

double
vbv_bucket_picture (VbvBucket * bucket, int64_t bits, int64_t duration)
{
  double level = bucket->level + clamped (bits, MAX_BITS);
  double wait = level / bucket->rate;

  bucket->peak = fmax (bucket->peak, level);
  bucket->need = fmax (bucket->need, wait);
  bucket->level = fmax (level - arrived (bucket->rate, duration), 0);
  return wait;
}
