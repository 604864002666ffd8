/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Selects the frames for another frame rate: those of the source that are
 * shown at its times, so that some are dropped and some come twice.
 */
#ifndef TRANSCODER_CADENCE_H
#define TRANSCODER_CADENCE_H

#include <mpeg2/types.h>

typedef struct
{
  /* frames per second; num 0 = the source's own */
  unsigned num, den;
  bool started;
  /* n frames have been given since the time base */
  int64_t base, n;
} TranscoderCadence;

void transcoder_cadence_init (TranscoderCadence * c, unsigned num,
    unsigned den);

/* Takes a frame of the source that is shown for `duration` from `pts`.
 * Returns how often it is in the output. */
unsigned transcoder_cadence_frame (TranscoderCadence * c, int64_t pts,
    int64_t duration);

/* Returns when the frame is shown and for how long. Call it once for each
 * time that the frame is in the output. */
void transcoder_cadence_next (TranscoderCadence * c, int64_t * pts,
    int64_t * duration);

#endif
