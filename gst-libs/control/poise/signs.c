/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/signs.h>

#include <math.h>

static const struct
{
  double memory, enough, most_strays;
} defaults = {
  .memory = 20,                 /* s in which signs and strays fade */
  .enough = 1.5,                /* whole signs; more are a competitor's */
  .most_strays = 4,             /* so many are forgotten in half a minute */
};

void
psp_signs_clear (PspSigns * s)
{
  s->queues = s->overflows = 0;
}

void
psp_signs_fade (PspSigns * s, double now)
{
  double keep = exp ((s->faded_at - now) / defaults.memory);

  s->queues *= keep;
  s->overflows *= keep;
  s->strays *= keep;
  s->faded_at = now;
}

static bool
is_enough (const PspSigns * s)
{
  return s->queues + s->overflows > defaults.enough;
}

bool
psp_signs_add_queue (PspSigns * s, double weight)
{
  s->queues += fmin (weight, 1);
  return is_enough (s);
}

bool
psp_signs_add_overflow (PspSigns * s)
{
  s->overflows += pow (1 + s->strays, -2);
  return is_enough (s);
}

void
psp_signs_add_stray (PspSigns * s)
{
  s->strays = fmin (s->strays + 1, defaults.most_strays);
}
