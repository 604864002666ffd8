/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Chooses the quantiser of every picture by TM5 (tm5.h). A picture has one
 * quantiser, because libavcodec takes no other. So it follows TM5's X / T,
 * without the feedback within the picture.
 *
 * The source's pictures show what is coming. For each, TM5 gets the bits that
 * it would cost here at the source's quantiser, predicted from the last ones
 * of its type. No picture is coded finer than in the source, which would give
 * bits to its coding noise.
 */
#ifndef TRANSCODER_RATECONTROL_H
#define TRANSCODER_RATECONTROL_H

#include <ratecontrol/tm5.h>

/* A picture of the source. */
typedef struct
{
  Tm5Type type;
  int64_t bits;
  double quantiser;             /* mean quantiser_scale; 0 = not known */
} TranscoderSource;

typedef struct
{
  Tm5 tm5;
  int64_t target;               /* bits/s, the last target; 0 = none */
  /* Bits here over the source's, at one quantiser; 0 = not known. */
  double factor[TM5_N_TYPES];
  double complexity[TM5_N_TYPES];       /* bits * quantiser of the last one */
  double base;                  /* quantiser / K, smoothed; 0 = not known */
  double anchor;                /* quantiser of the last I or P */
  TranscoderSource source;      /* the source's current picture */
  Tm5Type type;
  unsigned code;
} TranscoderRate;

void transcoder_rate_init (TranscoderRate * r);

/* Sets the target in bits/s, at least 1, from the next picture on;
 * INT64_MAX = no limit. */
void transcoder_rate_set_target (TranscoderRate * r, int64_t target);

/* Returns the quantiser_scale_code, 1 to max_code, for a picture that
 * becomes one of `type`, shown for `duration` ns. */
unsigned transcoder_rate_begin (TranscoderRate * r, Tm5Type type,
    const TranscoderSource * source, int64_t duration, unsigned max_code);

/* Takes the bits that the picture had. */
void transcoder_rate_end (TranscoderRate * r, int64_t bits);

#endif
