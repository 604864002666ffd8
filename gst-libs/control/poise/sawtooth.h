/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The sawtooth of a TCP that fills a short queue. The queue stands too briefly
 * to show whether giving way helps. But it grows on after the sender gave way,
 * until it overflows: then it is gone at once. Flows of the sender's own kind
 * stop its growth within a loop, and let it drain slowly. One tooth may be chance,
 * several of the same length are not.
 */
#ifndef CONTROL_POISE_SAWTOOTH_H
#define CONTROL_POISE_SAWTOOTH_H

#include <control/types.h>

/* All zero = no teeth. */
typedef struct
{
  /* Of the queue that stands: */
  double gave_way_at;           /* when the sender first gave way; < 0 = never */
  double longest;               /* s; longest wait */
  double longest_at;            /* when the wait was longest */
  double long_until;            /* when it was last nearly as long */
  /* Of those that stood: */
  double teeth;                 /* number of like teeth, fading */
  double tooth_longest;         /* s; longest wait of the last tooth */
  double tooth_at;              /* when the last tooth ended */
} PspSawtooth;

/* Forgets all teeth. */
void psp_sawtooth_clear (PspSawtooth * s);
/* A queue begins to stand. */
void psp_sawtooth_begin (PspSawtooth * s);
/* Follows it. wait: s; decreased_at: when R last decreased since it began to
 * stand, or a negative number. */
void psp_sawtooth_follow (PspSawtooth * s, double now, double wait,
    double decreased_at);
/* It is gone. loop: s until the effect of giving way is seen, without a queue.
 * Returns true if there are enough teeth for a competitor. */
bool psp_sawtooth_end (PspSawtooth * s, double now, double loop);

#endif
