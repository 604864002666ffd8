/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffer models: the video buffering verifier of ISO/IEC 13818-2 annex C, which
 * a stream's headers promise not to break, and the leaky bucket that tells how
 * much delay a stream costs on a channel. Pictures are given in coded order,
 * each with the time to the next one's decoding.
 *
 * Hostile numbers are clamped; nothing overflows.
 */
#ifndef RATECONTROL_VBV_H
#define RATECONTROL_VBV_H

#include <stdbool.h>
#include <stdint.h>

/* Times are int64_t nanoseconds. */
#define RATECONTROL_SECOND INT64_C (1000000000)

/* Bits per second: far beyond any stream, and far from where products of two
 * overflow. */
#define RATECONTROL_MAX_RATE INT64_C (1000000000000)

/* The vbv_delay of a stream of variable rate (13818-2 clause 6.3.9). */
#define VBV_DELAY_VARIABLE 0xffffu

typedef enum
{
  VBV_OK,
  VBV_UNDERFLOW,           /* the picture was not there in time */
  VBV_OVERFLOW             /* constant rate: it did not fit before */
} VbvResult;

typedef struct
{
  double rate;                  /* bits/s */
  double size;                  /* bits */
  double level;                 /* before the next picture is removed */
  bool constant;                /* C.3.1 (vbv_delay), else C.3.2 (0xffff) */
  unsigned n_underflows;
  unsigned n_overflows;
} Vbv;

/* Variable rate (C.3.2): what arrives, at bit_rate, stops while the buffer is
 * full, and the first picture is removed from a full one. Constant rate
 * (C.3.1): the first picture is removed vbv_delay / 90 kHz after it began to
 * arrive. */
void vbv_init (Vbv * vbv, int64_t bit_rate, int64_t size,
    unsigned vbv_delay);

/* Most bits that the next picture may have. */
int64_t vbv_room (const Vbv * vbv);

/* The vbv_delay that the next picture has to carry at a constant rate, 0xffff
 * at a variable one or where it does not fit. */
unsigned vbv_delay (const Vbv * vbv);

/* Removes a picture. After an underflow it goes on with an empty buffer, after
 * an overflow with a full one. */
VbvResult vbv_picture (Vbv * vbv, int64_t bits, int64_t duration);

/* A bucket into which each picture falls whole when it is sent, and that leaks
 * at a rate: its level is what is on the way, level / rate the time it
 * takes. */
typedef struct
{
  double rate;                  /* bits/s */
  double level;                 /* bits, after the last picture's duration */
  double peak;                  /* bits: the highest level, right behind a picture */
  double need;                  /* seconds: the longest wait, at the rate then */
} VbvBucket;

void vbv_bucket_init (VbvBucket * bucket, int64_t rate);

/* What is in the bucket stays; peak and need go on. */
void vbv_bucket_set_rate (VbvBucket * bucket, int64_t rate);

/* Returns the wait behind the picture, in seconds. */
double vbv_bucket_picture (VbvBucket * bucket, int64_t bits,
    int64_t duration);

#endif
