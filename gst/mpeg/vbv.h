/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffer models: the video buffering verifier of ISO/IEC 13818-2 annex C, which
 * a stream's headers promise not to break, and the leaky bucket that tells how
 * much delay a stream costs on a channel. Pictures are given in coded order, each
 * with the time to the next one's decoding.
 *
 * Hostile numbers are clamped; nothing overflows.
 */
#ifndef MPEG_VBV_H
#define MPEG_VBV_H

#include "types.h"

#define MPEG_VBV_DELAY_VARIABLE 0xffffu

typedef enum
{
  MPEG_VBV_OK,
  MPEG_VBV_UNDERFLOW,           /* the picture was not there in time */
  MPEG_VBV_OVERFLOW             /* constant rate: it did not fit before */
} MpegVbvResult;

typedef struct
{
  double rate;                  /* bits/s */
  double size;                  /* bits */
  double level;                 /* before the next picture is removed */
  bool constant;                /* C.3.1 (vbv_delay), else C.3.2 (0xffff) */
  unsigned n_underflows;
  unsigned n_overflows;
} MpegVbv;

/* Variable rate (C.3.2): what arrives, at bit_rate, stops while the buffer is
 * full, and the first picture is removed from a full one. Constant rate (C.3.1):
 * the first picture is removed vbv_delay / 90 kHz after it began to arrive. */
void mpeg_vbv_init (MpegVbv * vbv, int64_t bit_rate, int64_t size,
    unsigned vbv_delay);

/* Most bits that the next picture may have. */
int64_t mpeg_vbv_room (const MpegVbv * vbv);

/* The vbv_delay that the next picture has to carry at a constant rate, 0xffff at
 * a variable one or where it does not fit. */
unsigned mpeg_vbv_delay (const MpegVbv * vbv);

/* Removes a picture. After an underflow it goes on with an empty buffer, after
 * an overflow with a full one. */
MpegVbvResult mpeg_vbv_picture (MpegVbv * vbv, int64_t bits, int64_t duration);

/* A bucket into which each picture falls whole when it is sent, and that leaks at
 * a rate: its level is what is on the way, level / rate the time it takes. */
typedef struct
{
  double rate;                  /* bits/s */
  double level;                 /* bits, after the last picture's duration */
  double peak;                  /* bits: the highest level, right behind a picture */
  double need;                  /* seconds: the longest wait, at the rate then */
} MpegVbvBucket;

void mpeg_vbv_bucket_init (MpegVbvBucket * bucket, int64_t rate);

/* What is in the bucket stays; peak and need go on. */
void mpeg_vbv_bucket_set_rate (MpegVbvBucket * bucket, int64_t rate);

/* Returns the wait behind the picture, in seconds. */
double mpeg_vbv_bucket_picture (MpegVbvBucket * bucket, int64_t bits,
    int64_t duration);

#endif
