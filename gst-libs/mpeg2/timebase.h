/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The part of the clock that knows time stamps: it converts a position, counted
 * in field periods, to a time, and decides whether a PTS is plausible.
 */
#ifndef MPEG2_TIMEBASE_H
#define MPEG2_TIMEBASE_H

#include <mpeg2/headers.h>

typedef struct
{
  M2vSequence sequence;        /* frame rate in force */
  int64_t time;                 /* ns; the time of `position` */
  int64_t position;             /* field periods */
  bool given;                   /* a PTS has set `time` */

  int64_t last;                 /* the last PTS of any frame */
  /* ns; the time of position 0 by the last PTS, [references, B pictures] */
  int64_t origin[2];
  /* The last frame had a new PTS, [references, B pictures]. */
  bool fresh[2];
  bool dts_only;                /* the PTS of the stream are the DTS */
} M2vTimebase;

/* A frame's PTS and the limits of its place. */
typedef struct
{
  int64_t pts;                  /* ns; M2V_TIME_NONE = none */
  int64_t dts;                  /* ns; M2V_TIME_NONE = none */
  bool b;                       /* a B picture */
  /* B pictures coded behind it are displayed before it. */
  bool delayed;
  int64_t position;             /* field periods, estimated */
  int64_t earliest;             /* ns; end of the frame displayed before */
  int64_t latest;               /* ns; latest begin, to end in time */
} M2vTimeClaim;

void m2v_timebase_init (M2vTimebase * base);

bool m2v_is_time (int64_t t);

int64_t m2v_timebase_at (const M2vTimebase * base, int64_t position);

void m2v_timebase_set (M2vTimebase * base, int64_t t, int64_t position);

/* Sets the base to this PTS of the frame at position. If they agree except for
 * rounding, the base stays, so that derived times do not jitter. Returns true
 * if it has moved. */
bool m2v_timebase_hold (M2vTimebase * base, int64_t pts, int64_t position);

/* Allows the next stamps to jump. */
void m2v_timebase_discont (M2vTimebase * base);

/* Applies another frame rate from the position on. */
void m2v_timebase_set_sequence (M2vTimebase * base,
    const M2vSequence * sequence, int64_t position);

/* True if the PTS is the frame's own. Call it once for each frame. */
bool m2v_timebase_believe (M2vTimebase * base, const M2vTimeClaim * claim);

#endif
