/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Measures how much of its set bitrate an encoder produces, and computes what
 * to set it to so that it produces the wanted bitrate.
 *
 * The ratio is measured against the bitrate that was set, correction included.
 * An encoder that produces a constant part of it shows the same ratio whatever
 * the correction is, so nothing can oscillate. An encoder that follows late
 * moves the ratio a little, for a moment.
 *
 * Some encoders count frames, not time: x264 produces half of its bitrate if
 * a camera makes half of the frames that its caps say, as many do in the dark.
 */
#ifndef ENCODER_CORRECTION_H
#define ENCODER_CORRECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the smallest factor */
#define ENCODER_CORRECTION_LEAST 0.8
/* the largest factor, if all frames come */
#define ENCODER_CORRECTION_MOST 1.2
/* the least part of the frames that is made up for */
#define ENCODER_CORRECTION_PART 0.25
/* mean frames; the largest frame that an encoder is limited to. With a tighter
 * limit it makes far less than its bitrate. */
#define ENCODER_LARGEST_FRAME 2

typedef struct
{
  double set;                   /* bits/s set at the encoder; 0 = none yet */
  double aim;                   /* bits/s; `set`, if nothing waited */
  double followed;              /* bits/s; `aim`, low-passed */
  double ratio;                 /* output / set bitrate, low-passed */
  double rate;                  /* frames/s that it counts; 0 = it does not */
  double part;                  /* of these that come, at most 1 */
  double measured;              /* frames/s in the last second; 0 = unknown */
  bool started;
  int64_t last_at;              /* ns; time of the last frame */
  int64_t interval;             /* ns; from the one before it; 0 = unknown */
  int64_t settled_at;           /* ns; when the last change is followed */
  double piece_time;            /* s; length of the current piece */
  double piece_set;             /* bits in the piece at the set bitrate */
  double piece_made;            /* bits in the piece that were produced */
  double counted;               /* s over which frames are counted */
  unsigned frames;
  double spacing;               /* s between frames, low-passed */
} EncoderCorrection;

/* Starts anew, for another encoder. */
void encoder_correction_init (EncoderCorrection * c);
/* Notes that the encoder is set to this bitrate from now on, for this number
 * of frames/s, 0 = it counts time. `aim` is the bitrate if nothing waited in
 * the sender: a short relief is no change that has to settle. */
void encoder_correction_set (EncoderCorrection * c, double bitrate, double aim,
    double rate);
/* Counts a frame, or a part of one, that the encoder produced. `at` is its
 * decoding time, ns. */
void encoder_correction_made (EncoderCorrection * c, int64_t at, size_t bytes);
/* Returns the frames/s that come; 0 = unknown. */
double encoder_correction_frame_rate (const EncoderCorrection * c);
/* Returns the factor for the wanted bitrate; 1 while nothing is known. */
double encoder_correction_factor (const EncoderCorrection * c);
/* Returns what a factor comes to while media wait in the sender for `waits`
 * ns. An increase, but for missing frames, fades from half of the largest
 * frame on, and is gone at all of it. That frame takes `longest` ns to leave,
 * 0 = unknown, or more where frames are rare. */
double encoder_correction_relieved (const EncoderCorrection * c, double factor,
    int64_t waits, int64_t longest);

#endif
