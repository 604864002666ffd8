/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/sawtooth.h>

#include <math.h>

static const struct
{
  double grows, falls, is_long, like, memory, enough;
} defaults = {
  /* Loops, with the queue, after giving way. A queue that stops growing sooner
   * is no tooth. */
  .grows = 1.5,
  .falls = 1,                   /* loops; a slower fall is no tooth's */
  .is_long = .8,                /* of the longest wait; below it the fall began */
  /* Share of the longer one by which the lengths of like teeth differ at most */
  .like = .1,
  .memory = 20,                 /* s in which teeth fade */
  .enough = 3.4,                /* like teeth; so many are a competitor's */
};

void
psp_sawtooth_clear (PspSawtooth * s)
{
  s->teeth = 0;
}

void
psp_sawtooth_begin (PspSawtooth * s)
{
  s->gave_way_at = -1;
  s->longest = 0;
}

void
psp_sawtooth_follow (PspSawtooth * s, double now, double wait,
    double decreased_at)
{
  if (s->gave_way_at < 0)
    s->gave_way_at = decreased_at;
  if (wait > s->longest) {
    s->longest = wait;
    s->longest_at = now;
  }
  if (wait >= defaults.is_long * s->longest)
    s->long_until = now;
}

static bool
is_tooth (const PspSawtooth * s, double now, double loop)
{
  return s->longest > 0 && s->gave_way_at >= 0
      && s->longest_at - s->gave_way_at
      > defaults.grows * (loop + s->longest)
      && now - s->long_until < defaults.falls * loop;
}

bool
psp_sawtooth_end (PspSawtooth * s, double now, double loop)
{
  if (!is_tooth (s, now, loop))
    return false;
  if (fabs (s->longest - s->tooth_longest)
      > defaults.like * fmax (s->longest, s->tooth_longest))
    s->teeth = 0;
  s->teeth = 1 + s->teeth * exp ((s->tooth_at - now) / defaults.memory);
  s->tooth_longest = s->longest;
  s->tooth_at = now;
  return s->teeth >= defaults.enough;
}
