/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "timebase.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* 90 kHz stamps of two frames, each rounded to one tick or the other. */
#define ROUNDING INT64_C (25000)

/* Stamps that are off by more are no other frame's: they have jumped. */
#define JUMP MPEG_SECOND

void
mpeg_timebase_init (MpegTimebase * base)
{
  memset (base, 0, sizeof *base);
  base->last = base->origin[0] = base->origin[1] = MPEG_TIME_NONE;
}

bool
mpeg_is_time (int64_t t)
{
  return t >= -MPEG_CLOCK_MAX_TIME && t <= MPEG_CLOCK_MAX_TIME;
}

static int64_t
limit (int64_t t)
{
  return t > MPEG_CLOCK_MAX_TIME ? MPEG_CLOCK_MAX_TIME :
      t < -MPEG_CLOCK_MAX_TIME ? -MPEG_CLOCK_MAX_TIME : t;
}

int64_t
mpeg_timebase_at (const MpegTimebase * base, int64_t position)
{
  return limit (base->time +
      mpeg_fields_time (&base->sequence, position - base->position));
}

void
mpeg_timebase_set (MpegTimebase * base, int64_t t, int64_t position)
{
  base->time = t;
  base->position = position;
}

bool
mpeg_timebase_hold (MpegTimebase * base, int64_t pts, int64_t position)
{
  if (base->given && llabs (pts - mpeg_timebase_at (base, position)) <=
      ROUNDING)
    return false;
  mpeg_timebase_set (base, pts, position);
  base->given = true;
  return true;
}

void
mpeg_timebase_discont (MpegTimebase * base)
{
  base->given = false;
  base->last = base->origin[0] = base->origin[1] = MPEG_TIME_NONE;
  base->fresh[0] = base->fresh[1] = false;
}

void
mpeg_timebase_set_sequence (MpegTimebase * base, const MpegSequence * sequence,
    int64_t position)
{
  mpeg_timebase_set (base, mpeg_timebase_at (base, position), position);
  base->origin[0] = base->origin[1] = MPEG_TIME_NONE;
  base->fresh[0] = base->fresh[1] = false;
  base->sequence = *sequence;
}

/* Muxers and parsers give pictures the PTS of their neighbours, or the DTS as
 * PTS. These contradict the order of display: the frame would begin before the
 * one before it ends, or not end before its reference begins. A contradiction
 * is believed where it is no longer one: once the PTS of references and of B
 * pictures agree, or of two frames where the other kind has none and they are
 * not DTS for certain. */
bool
mpeg_timebase_believe (MpegTimebase * base, const MpegTimeClaim * claim)
{
  /* A field is what has to be told apart; film's uniform PTS are half a field
   * off the pulled down ones. */
  const int64_t slack = mpeg_fields_time (&base->sequence, 3) / 4;
  int64_t pts = claim->pts, origin, witness;
  bool own = claim->b, is_dts = claim->delayed && pts == claim->dts, early;

  base->fresh[own] = mpeg_is_time (pts) && pts != base->last;
  if (!base->fresh[own])
    return false;
  base->last = pts;
  origin = limit (pts - mpeg_fields_time (&base->sequence, claim->position));
  witness = base->origin[base->fresh[!own] ? !own : own];
  base->origin[own] = origin;
  early = pts < claim->earliest - slack;
  if (!claim->b)
    base->dts_only = early && pts == claim->dts;
  return (!early && pts <= claim->latest + slack && !base->dts_only) ||
      !base->given ||
      llabs (pts - mpeg_timebase_at (base, claim->position)) >= JUMP ||
      (!is_dts && witness != MPEG_TIME_NONE &&
      llabs (origin - witness) < slack);
}
