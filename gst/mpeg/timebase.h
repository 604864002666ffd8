/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The clock's half that knows time stamps: which time a position, counted in
 * field periods, has, and whether a given PTS can be right.
 */
#ifndef MPEG_TIMEBASE_H
#define MPEG_TIMEBASE_H

#include "headers.h"

typedef struct
{
  MpegSequence sequence;        /* frame rate in force */
  int64_t time;                 /* of this position */
  int64_t position;
  bool given;                   /* by a PTS */

  int64_t last;                 /* the last PTS, of whatever frame */
  /* References and B pictures apart: the time that position 0 had by their
   * last PTS, and whether the last one of the kind had a PTS. */
  int64_t origin[2];
  bool fresh[2];
  bool dts_only;                /* what is called PTS is the DTS */
} MpegTimebase;

/* A frame's PTS and what is known of its place. */
typedef struct
{
  int64_t pts;                  /* MPEG_TIME_NONE: none */
  int64_t dts;
  bool b;
  bool delayed;                 /* B pictures coded behind it are displayed
                                 * before it */
  int64_t position;             /* estimated */
  int64_t earliest;             /* when what is displayed before has ended */
  int64_t latest;               /* when it must begin to end in time */
} MpegTimeClaim;

void mpeg_timebase_init (MpegTimebase * base);

bool mpeg_is_time (int64_t t);

int64_t mpeg_timebase_at (const MpegTimebase * base, int64_t position);

void mpeg_timebase_set (MpegTimebase * base, int64_t t, int64_t position);

/* The frame at position has this PTS: the base stays where they agree but for
 * rounding, so that derived times do not jitter. True where it has moved. */
bool mpeg_timebase_hold (MpegTimebase * base, int64_t pts, int64_t position);

/* The next stamps may have jumped. */
void mpeg_timebase_discont (MpegTimebase * base);

/* Another frame rate counts from the position on. */
void mpeg_timebase_set_sequence (MpegTimebase * base,
    const MpegSequence * sequence, int64_t position);

/* Whether the PTS is the frame's own. Once for each frame. */
bool mpeg_timebase_believe (MpegTimebase * base, const MpegTimeClaim * claim);

#endif
