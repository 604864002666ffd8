/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffer models: the video buffering verifier of ISO/IEC 13818-2 annex C, whose
 * limits are in a stream's headers, and the leaky bucket, which shows how much
 * delay a stream has on a channel. Pictures come in coded order, each with the
 * time to the next one's decoding.
 *
 * Hostile numbers are clamped; nothing overflows.
 */
#ifndef RATECONTROL_VBV_H
#define RATECONTROL_VBV_H

#include <stdbool.h>
#include <stdint.h>

/* A second; times are int64_t nanoseconds. */
#define RATECONTROL_SECOND INT64_C (1000000000)

/* Highest rate in bits per second. It is far beyond any stream, but products of
 * two do not overflow. */
#define RATECONTROL_MAX_RATE INT64_C (1000000000000)

/* The vbv_delay of a stream of variable rate (13818-2 clause 6.3.9). */
#define VBV_DELAY_VARIABLE 0xffffu

typedef enum
{
  VBV_OK,
  VBV_UNDERFLOW,           /* the picture arrived too late */
  VBV_OVERFLOW             /* at a constant rate, the buffer was full */
} VbvResult;

typedef struct
{
  double rate;                  /* bits/s */
  double size;                  /* bits */
  double level;                 /* bits before the next picture is removed */
  bool constant;                /* C.3.1 (vbv_delay), else C.3.2 (0xffff) */
  unsigned n_underflows;
  unsigned n_overflows;
} Vbv;

/* Initializes the model. At a variable rate (C.3.2) bits arrive at bit_rate
 * except while the buffer is full, and the first picture is removed from a full
 * buffer. At a constant rate (C.3.1) the first picture is removed vbv_delay /
 * 90 kHz after it began to arrive. */
void vbv_init (Vbv * vbv, int64_t bit_rate, int64_t size,
    unsigned vbv_delay);

/* Returns the largest number of bits that the next picture may have. */
int64_t vbv_room (const Vbv * vbv);

/* Returns the vbv_delay that the next picture has to carry at a constant rate;
 * 0xffff at a variable one, or if the value is too large. */
unsigned vbv_delay (const Vbv * vbv);

/* Removes a picture. After an underflow the buffer is empty, after an overflow
 * it was full. */
VbvResult vbv_picture (Vbv * vbv, int64_t bits, int64_t duration);

/* A bucket into which each picture falls as a whole when it is sent, and which
 * leaks at a rate. Its level is the bits under way, and level / rate is the
 * time that they take. */
typedef struct
{
  double rate;                  /* bits/s */
  double level;                 /* bits after the last picture's duration */
  double peak;                  /* bits; highest level, right after a picture */
  double need;                  /* seconds; longest wait, at the rate then */
} VbvBucket;

void vbv_bucket_init (VbvBucket * bucket, int64_t rate);

/* Changes the rate; level, peak and need stay. */
void vbv_bucket_set_rate (VbvBucket * bucket, int64_t rate);

/* Adds a picture; returns the wait behind it in seconds. */
double vbv_bucket_picture (VbvBucket * bucket, int64_t bits,
    int64_t duration);

#endif
