/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "schedule.h"

#include "packet.h"

static unsigned
step_at (const LinkSchedule * s, int64_t t)
{
  unsigned i = 0;

  while (i + 1 < s->n && s->step[i + 1].at <= t)
    i++;
  return i;
}

int64_t
link_schedule_rate (const LinkSchedule * s, int64_t t)
{
  return s->step[step_at (s, t)].rate;
}

int64_t
link_schedule_nominal_rate (const LinkSchedule * s, int64_t t)
{
  unsigned i = step_at (s, t);

  while (i > 0 && s->step[i].rate == 0)
    i--;
  return s->step[i].rate;
}

/* Work is counted in 10^-9 bit, which makes rate x nanoseconds an integer. */
int64_t
link_schedule_finish (const LinkSchedule * s, int64_t t, int64_t bits,
    int64_t * credit)
{
  int64_t work = bits * 1000000000 - *credit;
  unsigned i;

  for (i = step_at (s, t);; i++) {
    int64_t rate = s->step[i].rate;
    int64_t end = i + 1 < s->n ? s->step[i + 1].at : LINK_NEVER;

    if (rate == LINK_UNLIMITED) {
      *credit = 0;
      return t;
    }
    if (rate > 0) {
      int64_t need = work <= 0 ? 0 : (work + rate - 1) / rate;

      if (need <= end - t) {
        *credit = need * rate - work;
        return t + need;
      }
      work -= rate * (end - t);
    }
    if (end == LINK_NEVER)
      return LINK_NEVER;
    t = end;
  }
}
