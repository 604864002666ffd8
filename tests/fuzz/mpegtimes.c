/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any frames with any time stamps, in any segments: eight octets are one frame,
 * or the beginning of a segment. A frame without any stamp since then is within
 * the segment, later ones no further off than frames and stamps allow.
 */
#include <mpeg2/clock.h>

#include <stdlib.h>
#include <string.h>

#define STEP 8

/* The slowest rate headers can say (24000/1001 / 32), six fields of it, for
 * each frame that may be missing. */
#define MAX_FRAME_TIME (M2V_SECOND * 5 * (M2V_CLOCK_MAX_GAP + 1))

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static const M2vSequence sequences[] = {
  {.frame_rate_num = 25,.frame_rate_den = 1},
  {.frame_rate_num = 30000,.frame_rate_den = 1001,.progressive = true},
  {.frame_rate_num = 25,.frame_rate_den = 1,.low_delay = true},
  {.frame_rate_num = 24000,.frame_rate_den = 32032},
};

typedef struct
{
  M2vClock *clock;
  int64_t start;
  int64_t least, most;          /* of start and stamps since then */
  bool stamped;
  int64_t n_frames;             /* since then */
} State;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static int64_t
read_time (const uint8_t * data, unsigned kind)
{
  static const int64_t extremes[] = { INT64_MAX, INT64_MIN + 1,
    M2V_CLOCK_MAX_TIME, -M2V_CLOCK_MAX_TIME, M2V_CLOCK_MAX_TIME + 1
  };

  switch (kind) {
    case 0:                    /* ticks of 20 ms */
      return (int64_t) data[0] * 20000000;
    case 1:
      return ((int64_t) data[0] << 8 | data[1]) * 1000000;
    case 2:
      return extremes[data[0] % 5];
    default:
      return M2V_TIME_NONE;
  }
}

static void
note_stamp (State * s, int64_t t)
{
  if (t < -M2V_CLOCK_MAX_TIME || t > M2V_CLOCK_MAX_TIME)
    return;
  s->stamped = true;
  s->least = t < s->least ? t : s->least;
  s->most = t > s->most ? t : s->most;
}

static void
begin_segment (State * s, int64_t start)
{
  m2v_clock_reset (s->clock, start);
  s->start = start >= 0 && start <= M2V_CLOCK_MAX_TIME ? start : 0;
  s->least = s->most = s->start;
  s->stamped = false;
  s->n_frames = 0;
}

static void
push_frame (State * s, const uint8_t * data)
{
  M2vClockFrame f = {
    .sequence = data[1] & 4 ? &sequences[data[1] % 4] : &sequences[0],
    .type = 1 + data[0] % 4,
    .temporal_reference = data[2] | (data[1] & 0x18) << 5,
    .starts_group = data[1] & 0x20,
    .discont = (data[1] & 0xc0) == 0xc0,
    .top_field_first = data[0] & 0x10,
    .n_fields = 2 + (data[0] >> 5) % 5,
    .pts = read_time (data + 3, data[7] & 3),
    .dts = read_time (data + 5, data[7] >> 2 & 3)
  };
  int64_t t, room;

  note_stamp (s, f.pts);
  note_stamp (s, f.dts);
  t = m2v_clock_next (s->clock, &f);
  room = MAX_FRAME_TIME * ++s->n_frames;
  check (t != M2V_TIME_NONE);
  check (t >= -M2V_CLOCK_MAX_TIME && t <= M2V_CLOCK_MAX_TIME);
  check (t >= (s->stamped ? (s->least < 0 ? s->least : 0) : s->start));
  check (t - s->most <= room);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  State s;

  s.clock = m2v_clock_new ();
  check (s.clock != NULL);
  begin_segment (&s, 0);
  for (; size >= STEP; data += STEP, size -= STEP) {
    if (data[7] >= 0xf0)
      begin_segment (&s, read_time (data, data[7] & 3));
    else
      push_frame (&s, data);
  }
  m2v_clock_free (s.clock);
  return 0;
}
