/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/timebase.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2/clock.h>

/* ns; error between 90 kHz stamps of two frames, each rounded up or down. */
#define ROUNDING INT64_C (25000)

/* ns; stamps with a larger error are not those of another frame: they have
 * jumped. */
#define JUMP M2V_SECOND

void
m2v_timebase_init (M2vTimebase * base)
{
  memset (base, 0, sizeof *base);
  base->last = base->origin[0] = base->origin[1] = M2V_TIME_NONE;
}

bool
m2v_is_time (int64_t t)
{
  return t >= -M2V_CLOCK_MAX_TIME && t <= M2V_CLOCK_MAX_TIME;
}

static int64_t
limit (int64_t t)
{
  return t > M2V_CLOCK_MAX_TIME ? M2V_CLOCK_MAX_TIME :
      t < -M2V_CLOCK_MAX_TIME ? -M2V_CLOCK_MAX_TIME : t;
}

int64_t
m2v_timebase_at (const M2vTimebase * base, int64_t position)
{
  return limit (base->time +
      m2v_fields_time (&base->sequence, position - base->position));
}

void
m2v_timebase_set (M2vTimebase * base, int64_t t, int64_t position)
{
  base->time = t;
  base->position = position;
}

bool
m2v_timebase_hold (M2vTimebase * base, int64_t pts, int64_t position)
{
  if (base->given && llabs (pts - m2v_timebase_at (base, position)) <= ROUNDING)
    return false;
  m2v_timebase_set (base, pts, position);
  base->given = true;
  return true;
}

void
m2v_timebase_discont (M2vTimebase * base)
{
  base->given = false;
  base->last = base->origin[0] = base->origin[1] = M2V_TIME_NONE;
  base->fresh[0] = base->fresh[1] = false;
}

void
m2v_timebase_set_sequence (M2vTimebase * base, const M2vSequence * sequence,
    int64_t position)
{
  m2v_timebase_set (base, m2v_timebase_at (base, position), position);
  base->origin[0] = base->origin[1] = M2V_TIME_NONE;
  base->fresh[0] = base->fresh[1] = false;
  base->sequence = *sequence;
}

/* Muxers and parsers give pictures the PTS of their neighbours, or the DTS as
 * PTS. These contradict the display order: the frame would begin before the one
 * before it ends, or not end before its reference begins. Such a PTS is
 * accepted if it is confirmed: if the PTS of references and of B pictures
 * agree, or if those of two frames do, the other kind has none, and they are
 * not certainly DTS. */
bool
m2v_timebase_believe (M2vTimebase * base, const M2vTimeClaim * claim)
{
  /* Errors of a field must be detected, but the uniform PTS of film are half a
   * field off those with pulldown. */
  const int64_t slack = m2v_fields_time (&base->sequence, 3) / 4;
  int64_t pts = claim->pts, origin, witness;
  bool own = claim->b, is_dts = claim->delayed && pts == claim->dts, early;

  base->fresh[own] = m2v_is_time (pts) && pts != base->last;
  if (!base->fresh[own])
    return false;
  base->last = pts;
  origin = limit (pts - m2v_fields_time (&base->sequence, claim->position));
  witness = base->origin[base->fresh[!own] ? !own : own];
  base->origin[own] = origin;
  early = pts < claim->earliest - slack;
  if (!claim->b)
    base->dts_only = early && pts == claim->dts;
  return (!early && pts <= claim->latest + slack && !base->dts_only) ||
      !base->given ||
      llabs (pts - m2v_timebase_at (base, claim->position)) >= JUMP ||
      (!is_dts && witness != M2V_TIME_NONE && llabs (origin - witness) < slack);
}
