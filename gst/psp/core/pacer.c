/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "pacer.h"

#include <string.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void
psp_pacer_init (PspPacer * p, int64_t now)
{
  memset (p, 0, sizeof *p);
  p->quantum = 1;
  p->next = now;
  p->idle = true;
}

void
psp_pacer_set (PspPacer * p, int64_t period, unsigned quantum)
{
  p->period = MAX (period, 0);
  p->quantum = MAX (quantum, 1);
}

int64_t
psp_pacer_next (const PspPacer * p, int64_t now)
{
  return p->left > 0 ? MIN (now, p->next) : p->next;
}

void
psp_pacer_hold (PspPacer * p, int64_t until)
{
  p->next = MAX (p->next, until);
}

/* The period, shortened to repay what late wake-ups cost. */
static int64_t
next_step (PspPacer * p)
{
  int64_t repay = MIN (p->debt, p->period / 8);

  p->debt -= repay;
  return p->period - repay;
}

void
psp_pacer_sent (PspPacer * p, int64_t now, bool backlog)
{
  if (p->left > 0) {
    p->left--;
  } else {
    if (p->idle)
      p->next = MAX (p->next, now);
    p->left = p->quantum - 1;
  }
  p->next += next_step (p);
  if (p->next < now) {
    /* Only the next packet catches up; the schedule goes on from here. */
    p->debt = MIN (p->debt + now - p->next, PSP_PACER_MAX_DEBT);
    p->next = now;
  }
  if (p->period == 0)
    p->debt = 0;
  p->idle = !backlog;
  if (p->idle) {
    p->debt = 0;
    p->left = 0;
  }
}
