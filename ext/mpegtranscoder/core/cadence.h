/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which frames are shown at another frame rate: those of the source that are
 * shown at its times, so that some go and some come twice.
 */
#ifndef TRANSCODER_CADENCE_H
#define TRANSCODER_CADENCE_H

#include <mpeg2/types.h>

typedef struct
{
  unsigned num, den;            /* frames per second; num 0: the source's own */
  bool started;
  int64_t base, n;              /* n frames since base have been given */
} TranscoderCadence;

void transcoder_cadence_init (TranscoderCadence * c, unsigned num,
    unsigned den);

/* A frame of the source is shown for `duration` from `pts`; returns how often it
 * is in the output. */
unsigned transcoder_cadence_frame (TranscoderCadence * c, int64_t pts,
    int64_t duration);

/* For each of them in turn: when it is shown, and how long. */
void transcoder_cadence_next (TranscoderCadence * c, int64_t * pts,
    int64_t * duration);

#endif
