/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When the next packet may leave, on an absolute schedule.
 *
 * Guarantee: over a backlog, packet n leaves no earlier than its slot. Slots
 * are `period` apart (or `quantum` packets leave every quantum × period). After
 * a late wake-up at most two packets leave at once. The remaining delay, at
 * most PSP_PACER_MAX_DEBT, is a debt: later slots are up to an eighth shorter
 * until it is repaid. The mean gap is thus the period, although no missed slots
 * are replayed in a burst. An empty queue cancels the debt.
 *
 * In figures, for a quantum of 1 and departures d, each at or after the result
 * of psp_pacer_next:
 *   d[n+2] >= d[n] + 7/8 period, however late any of them was;
 *   d[n+k] >= d[n] + (k − 1) period − PSP_PACER_MAX_DEBT;
 *   the mean of d[n+1] − d[n] is the period, unless wake-ups were so late that
 *   the debt would have exceeded PSP_PACER_MAX_DEBT.
 */
#ifndef CONTROL_PACER_H
#define CONTROL_PACER_H

#include <control/types.h>

/* ns. A longer delay is not made up for, so that late wake-ups cause no long
 * run of short gaps. */
#define PSP_PACER_MAX_DEBT (10 * PSP_MSECOND)

typedef struct
{
  int64_t period;               /* ns; 0 = packets leave at once */
  unsigned quantum;             /* packets a slot, ≥ 1 */
  int64_t next;                 /* start of the next slot */
  /* packets that may still leave in the present slot */
  unsigned left;
  int64_t debt;                 /* ns of delay that later slots make up for */
  bool idle;                    /* nothing waited when the last packet left */
} PspPacer;

void psp_pacer_init (PspPacer * p, int64_t now);
/* The new values take effect from the slot after the present one. */
void psp_pacer_set (PspPacer * p, int64_t period, unsigned quantum);
/* Returns the earliest departure of the next packet; it is ≤ now if the packet
 * may leave at once. */
int64_t psp_pacer_next (const PspPacer * p, int64_t now);
/* Returns how many packets may leave in the slot that psp_pacer_next names. */
unsigned psp_pacer_room (const PspPacer * p);
/* A packet waits for its slot: the queue is not empty. */
void psp_pacer_wait (PspPacer * p);
/* Something other than the schedule, such as a window, held the next packet
 * until then. The schedule continues from there without a debt. Returns true if
 * the slot moved. */
bool psp_pacer_hold (PspPacer * p, int64_t until);
/* The next slot starts no later than `at`. */
void psp_pacer_advance (PspPacer * p, int64_t at);
/* One packet left at `now`; backlog is true if more packets wait. */
void psp_pacer_sent (PspPacer * p, int64_t now, bool backlog);

#endif
