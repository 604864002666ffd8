/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Signs of a competitor. One may mislead: small flows of the sender's own kind
 * leave a longer queue than large ones, and chance may lose a packet that waited
 * long. But a competitor gives signs again and again, so they add up, and fade.
 */
#ifndef CONTROL_POISE_SIGNS_H
#define CONTROL_POISE_SIGNS_H

#include <control/types.h>

/* All zero = no signs. */
typedef struct
{
  double queues;                /* signs of queues that stood */
  double overflows;             /* signs of queues that overflowed */
  double strays;                /* reports of losses without a queue */
  double faded_at;              /* s; until when these three have faded */
} PspSigns;

/* Forgets all signs. Losses without a queue are none, and stay. */
void psp_signs_clear (PspSigns * s);
/* Lets what was seen before `now` fade. */
void psp_signs_fade (PspSigns * s, double now);
/* Counts a queue that stood although the sender gave way. weight: 1 = a whole
 * sign; more counts as 1. Returns true if there are enough signs. */
bool psp_signs_add_queue (PspSigns * s, double weight);
/* Counts a queue that overflowed, the less the more packets were lost without a
 * queue. Returns true if there are enough signs. */
bool psp_signs_add_overflow (PspSigns * s);
/* Counts a report of losses without a queue. */
void psp_signs_add_stray (PspSigns * s);

#endif
