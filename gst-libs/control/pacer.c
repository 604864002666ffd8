/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/pacer.h>

#include <string.h>

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

unsigned
psp_pacer_room (const PspPacer * p)
{
  return p->left > 0 ? p->left : p->quantum;
}

void
psp_pacer_wait (PspPacer * p)
{
  p->idle = false;
}

bool
psp_pacer_hold (PspPacer * p, int64_t until)
{
  bool moves = until > p->next;

  p->next = MAX (p->next, until);
  return moves;
}

void
psp_pacer_advance (PspPacer * p, int64_t at)
{
  p->next = MIN (p->next, at);
}

/* Returns the period, which is shorter while late wake-ups are being made up
 * for. */
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
    /* Only the next packet may catch up; the schedule continues from here. */
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
