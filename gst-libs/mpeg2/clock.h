/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Computes display times of frames that come in coded order, from
 * temporal_reference, frame rate and repeat_first_field (13818-2 clauses 6.3.9,
 * 6.3.10), and from the time stamps.
 *
 * Positions are counted in field periods. Frames are displayed in the order of
 * their temporal_reference, groups one after the other. A reference frame that
 * comes before the B frames displayed before it needs their durations.
 * Durations that are not known yet are estimated from the last ones;
 * top_field_first gives the parity of the true sum. Later frames count from the
 * true sum.
 */
#ifndef MPEG2_CLOCK_H
#define MPEG2_CLOCK_H

#include <mpeg2/headers.h>

/* Number of frames that may be missing in a row; a temporal_reference further
 * ahead is broken. */
#define M2V_CLOCK_MAX_GAP 64

/* ns, 126 years; largest magnitude of a time, so that sums of two do not
 * overflow. Time stamps beyond it are ignored. */
#define M2V_CLOCK_MAX_TIME (INT64_C (4000000000) * M2V_SECOND)

typedef struct M2vClock M2vClock;

typedef struct
{
  const M2vSequence *sequence; /* NULL = not known, 25 frames/s assumed */
  M2vPictureType type;
  unsigned temporal_reference;
  bool starts_group;            /* a GOP header precedes it */
  bool discont;                 /* time stamps may jump here */
  bool top_field_first;
  unsigned n_fields;            /* display duration in field periods, 2..6 */
  int64_t pts;                  /* ns, or M2V_TIME_NONE */
  int64_t dts;                  /* ns, or M2V_TIME_NONE */
} M2vClockFrame;

/* Returns NULL if memory runs out. */
M2vClock *m2v_clock_new (void);
void m2v_clock_free (M2vClock * clock);

/* Restarts the positions with the next frame, and the base with the next time
 * stamps. Until then the first frame displayed is at `start`, and none is
 * before it. Call it at the start, at a flush and for a new segment. */
void m2v_clock_reset (M2vClock * clock, int64_t start);

/* Returns the presentation time of the frame. It is the frame's own PTS if that
 * differs from the last one (and is not obviously that of the frame before),
 * otherwise it is derived. It is never M2V_TIME_NONE; derived times are never
 * below 0. Before any PTS the first frame displayed is one frame after the
 * first DTS (at it with low_delay), or at the start; a later DTS only counts if
 * a group starts at a discontinuity. */
int64_t m2v_clock_next (M2vClock * clock, const M2vClockFrame * frame);

/* Returns for how many field periods a frame picture or pair of fields is
 * displayed (13818-2 clause 6.3.10, repeat_first_field). */
unsigned m2v_display_fields (bool progressive_sequence,
    const M2vPictureCoding * coding);

/* Returns n field periods of the sequence in ns, rounded down; a sequence of
 * NULL has 25 frames/s. Limited to +-M2V_CLOCK_MAX_TIME. */
int64_t m2v_fields_time (const M2vSequence * sequence, int64_t n_fields);

#endif
