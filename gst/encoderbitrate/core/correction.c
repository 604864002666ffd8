/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "correction.h"

#include <math.h>
#include <string.h>
#include <sys/param.h>

#define SECOND INT64_C (1000000000)     /* ns */

/* s; the encoder's output is counted over pieces of this length */
#define PIECE 1.0
/* weight of a piece in the mean, so that one with a key frame moves it
 * little */
#define GAIN 0.125
/* output / set bitrate. A piece with less is ignored: the encoder had nothing
 * to code, which is no error of its own. With a correction for it the encoder
 * would produce too much afterwards. */
#define LEAST_RATIO 0.7
/* output / set bitrate, for the frames that came; the maximum for one piece, so
 * that a huge frame, or a bitrate of nearly 0, is forgotten soon */
#define MOST_RATIO 2.0
/* of the frames by the caps; with more, none are missing */
#define FEWER 0.9
/* weight of a frame in the mean time between frames */
#define SPACING_GAIN (1.0 / 6)
/* times as many frames as there were; so many more show at once */
#define MORE 1.3
/* s; the encoder follows a change within this time as it happens */
#define FOLLOWING 1.0
/* share of the bitrate; after a larger change the encoder has to settle */
#define CHANGE 0.125
/* ns; twice the time after which encoders have followed a change */
#define SETTLING (2 * SECOND)
/* ns; the source is idle if no frame comes for longer */
#define IDLE (SECOND / 2)

void
encoder_correction_init (EncoderCorrection * c)
{
  memset (c, 0, sizeof *c);
  c->ratio = c->part = 1;
}

void
encoder_correction_set (EncoderCorrection * c, double bitrate, double aim,
    double rate)
{
  c->set = bitrate;
  c->aim = aim;
  c->rate = rate;
  if (c->followed <= 0)
    c->followed = aim;
}

static void
start_piece (EncoderCorrection * c)
{
  c->piece_time = c->piece_set = c->piece_made = 0;
}

static void
set_part (EncoderCorrection * c, double part)
{
  c->part = part < FEWER ? MAX (part, ENCODER_CORRECTION_PART) : 1;
  c->frames = 0;
  c->counted = 0;
}

/* Counts a frame that came so many seconds after the one before. If there are
 * suddenly more, none are missing until they are counted: a second of twice
 * the bitrate would be too much. */
static void
count_frame (EncoderCorrection * c, double time)
{
  c->frames++;
  c->counted += time;
  c->spacing += SPACING_GAIN * (time - c->spacing);
  if (c->counted >= PIECE) {
    c->measured = c->frames / c->counted;
    set_part (c, c->rate > 0 ? c->measured / c->rate : 1);
  } else if (c->part < 1 && MORE * c->part * c->rate * c->spacing < 1) {
    set_part (c, 1);
  }
}

static void
end_piece (EncoderCorrection * c)
{
  double ratio = c->piece_made / (c->piece_set * c->part);

  if (ratio >= LEAST_RATIO)
    c->ratio += GAIN * (MIN (ratio, MOST_RATIO) - c->ratio);
  start_piece (c);
}

static void
note_changes (EncoderCorrection * c, int64_t at, double time)
{
  if (fabs (c->aim - c->followed) > CHANGE * c->followed) {
    c->followed = c->aim;
    c->settled_at = at + SETTLING;
  }
  c->followed += (1 - exp (-time / FOLLOWING)) * (c->aim - c->followed);
}

static void
begin_frame (EncoderCorrection * c, int64_t at)
{
  bool anew = !c->started || at < c->last_at;
  bool idle = anew || at - c->last_at > IDLE;
  double time = idle ? 0 : (double) (at - c->last_at) / SECOND;

  if (anew)
    c->settled_at = at + SETTLING;
  c->started = true;
  c->interval = idle ? 0 : at - c->last_at;
  c->last_at = at;
  note_changes (c, at, time);
  if (!idle)
    count_frame (c, time);
  if (idle || at < c->settled_at) {
    start_piece (c);
    return;
  }
  c->piece_time += time;
  c->piece_set += time * c->set;
  if (c->piece_time >= PIECE)
    end_piece (c);
}

void
encoder_correction_made (EncoderCorrection * c, int64_t at, size_t bytes)
{
  if (c->set <= 0 || at < 0 || at > INT64_MAX - SETTLING)
    return;
  if (!c->started || at != c->last_at)
    begin_frame (c, at);
  c->piece_made += 8 * (double) bytes;
}

double
encoder_correction_frame_rate (const EncoderCorrection * c)
{
  return c->measured;
}

double
encoder_correction_factor (const EncoderCorrection * c)
{
  return MAX (MIN (1 / c->ratio, ENCODER_CORRECTION_MOST),
      ENCODER_CORRECTION_LEAST) / c->part;
}

/* An encoder that makes too little does so in calm scenes; in busy ones it
 * makes all that it is set to, which is more than leaves. */
double
encoder_correction_relieved (const EncoderCorrection * c, double factor,
    int64_t waits, int64_t longest)
{
  double least = 1 / c->part, frame, left;

  if (factor <= least || longest <= 0)
    return factor;
  frame = MAX ((double) longest, ENCODER_LARGEST_FRAME * (double) c->interval);
  left = 2 - 2 * (double) waits / frame;
  return least + (factor - least) * MAX (MIN (left, 1), 0);
}
