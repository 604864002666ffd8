/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Display times of frames that come in coded order, from temporal_reference,
 * frame rate and repeat_first_field (13818-2 clauses 6.3.9, 6.3.10), and from
 * what time stamps there are.
 *
 * Positions are counted in field periods. Frames are displayed in the order of
 * their temporal_reference, groups one after the other. A reference frame that
 * comes before the B frames displayed before it needs their durations: those
 * not known yet are estimated from the last ones; top_field_first gives the
 * parity of the true sum. Later frames count from the true one.
 */
#ifndef MPEG2_CLOCK_H
#define MPEG2_CLOCK_H

#include <mpeg2/headers.h>

/* Frames that may be missing in a row; a temporal_reference further ahead is
 * broken. */
#define M2V_CLOCK_MAX_GAP 64

/* Times are within this of 0 (126 years, so that sums of two do not overflow);
 * stamps beyond are ignored. */
#define M2V_CLOCK_MAX_TIME (INT64_C (4000000000) * M2V_SECOND)

typedef struct M2vClock M2vClock;     /* in the .c: allocated once */

typedef struct
{
  const M2vSequence *sequence; /* NULL: not known, 25 frames/s assumed */
  M2vPictureType type;
  unsigned temporal_reference;
  bool starts_group;            /* a GOP header precedes it */
  bool discont;                 /* time stamps may jump here */
  bool top_field_first;
  unsigned n_fields;            /* how long it is displayed: 2..6 */
  int64_t pts;                  /* given, or M2V_TIME_NONE */
  int64_t dts;
} M2vClockFrame;

/* NULL where memory is short. */
M2vClock *m2v_clock_new (void);
void m2v_clock_free (M2vClock * clock);

/* Start, flush, new segment: positions begin anew with the next frame; the next
 * time stamps set the base. Until then what is displayed first is at `start`,
 * and nothing before it. */
void m2v_clock_reset (M2vClock * clock, int64_t start);

/* The presentation time of the frame: its own where it has one that differs
 * from the last one given (and is not plainly that of the frame before), else
 * derived. Never M2V_TIME_NONE; derived ones are never below 0. Before any
 * PTS the first frame displayed is one frame after the first DTS (at it with
 * low_delay), or at the start; later DTS only count where a group starts at a
 * discontinuity. */
int64_t m2v_clock_next (M2vClock * clock, const M2vClockFrame * frame);

/* How many field periods a frame picture or pair of fields is displayed
 * (13818-2 clause 6.3.10, repeat_first_field). */
unsigned m2v_display_fields (bool progressive_sequence,
    const M2vPictureCoding * coding);

/* n field periods of the sequence in ns, rounded down; 25 frames/s where it is
 * NULL. Limited to +-M2V_CLOCK_MAX_TIME. */
int64_t m2v_fields_time (const M2vSequence * sequence, int64_t n_fields);

#endif
