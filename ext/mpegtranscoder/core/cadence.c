/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "cadence.h"

#include <string.h>

#include <mpeg2/clock.h>

/* ns; time stamps that differ by more have jumped, and counting begins
 * anew. */
#define JUMP M2V_SECOND
/* Divisor of a frame's duration. Time stamps are rounded, so this part of
 * a frame decides nothing. */
#define TOLERANCE 8

void
transcoder_cadence_init (TranscoderCadence * c, unsigned num, unsigned den)
{
  memset (c, 0, sizeof *c);
  c->num = num;
  c->den = den ? den : 1;
}

static int64_t
time_of (const TranscoderCadence * c, int64_t n)
{
  return c->base + n * c->den * M2V_SECOND / c->num;
}

unsigned
transcoder_cadence_frame (TranscoderCadence * c, int64_t pts, int64_t duration)
{
  int64_t next, end, tolerance;
  unsigned n = 0;

  pts = pts < -M2V_CLOCK_MAX_TIME ? -M2V_CLOCK_MAX_TIME :
      pts > M2V_CLOCK_MAX_TIME ? M2V_CLOCK_MAX_TIME : pts;
  if (c->num == 0) {
    c->base = pts;
    c->n = duration;
    return 1;
  }
  tolerance = c->den * M2V_SECOND / c->num / TOLERANCE;
  next = time_of (c, c->n);
  if (!c->started || pts > next + JUMP || pts < next - JUMP) {
    c->started = true;
    c->base = pts;
    c->n = 0;
  } else if (c->n >= c->num) {  /* num frames last den seconds, exactly */
    c->base += c->den * M2V_SECOND;
    c->n -= c->num;
  }
  end = pts + (duration > JUMP ? JUMP : duration) - tolerance;
  while (time_of (c, c->n + n) < end)
    n++;
  return n;
}

void
transcoder_cadence_next (TranscoderCadence * c, int64_t * pts,
    int64_t * duration)
{
  if (c->num == 0) {
    *pts = c->base;
    *duration = c->n;
    return;
  }
  *pts = time_of (c, c->n);
  *duration = time_of (c, ++c->n) - *pts;
}
