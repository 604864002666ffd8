/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The clock's half that knows time stamps: which time a position, counted in
 * field periods, has, and whether a given PTS can be right.
 */
#ifndef MPEG2_TIMEBASE_H
#define MPEG2_TIMEBASE_H

#include <mpeg2/headers.h>

typedef struct
{
  M2vSequence sequence;        /* frame rate in force */
  int64_t time;                 /* of this position */
  int64_t position;
  bool given;                   /* by a PTS */

  int64_t last;                 /* the last PTS, of whatever frame */
  /* References and B pictures apart: the time that position 0 had by their
   * last PTS, and whether the last one of the kind had a PTS. */
  int64_t origin[2];
  bool fresh[2];
  bool dts_only;                /* what is called PTS is the DTS */
} M2vTimebase;

/* A frame's PTS and what is known of its place. */
typedef struct
{
  int64_t pts;                  /* M2V_TIME_NONE: none */
  int64_t dts;
  bool b;
  bool delayed;                 /* B pictures coded behind it are displayed
                                 * before it */
  int64_t position;             /* estimated */
  int64_t earliest;             /* when what is displayed before has ended */
  int64_t latest;               /* when it must begin to end in time */
} M2vTimeClaim;

void m2v_timebase_init (M2vTimebase * base);

bool m2v_is_time (int64_t t);

int64_t m2v_timebase_at (const M2vTimebase * base, int64_t position);

void m2v_timebase_set (M2vTimebase * base, int64_t t, int64_t position);

/* The frame at position has this PTS: the base stays where they agree but for
 * rounding, so that derived times do not jitter. True where it has moved. */
bool m2v_timebase_hold (M2vTimebase * base, int64_t pts, int64_t position);

/* The next stamps may have jumped. */
void m2v_timebase_discont (M2vTimebase * base);

/* Another frame rate counts from the position on. */
void m2v_timebase_set_sequence (M2vTimebase * base,
    const M2vSequence * sequence, int64_t position);

/* Whether the PTS is the frame's own. Once for each frame. */
bool m2v_timebase_believe (M2vTimebase * base, const M2vTimeClaim * claim);

#endif
