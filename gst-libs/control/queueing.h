/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How long packets wait in queues: one-way delays above the smallest one that
 * was seen lately. The two clocks need not agree. Times here are seconds.
 */
#ifndef CONTROL_QUEUEING_H
#define CONTROL_QUEUEING_H

#include <control/types.h>

/* Pieces of the time over which the smallest delay is remembered. */
#define PSP_QUEUEING_SLOTS 3
/* s. With less jitter a single packet's wait says something. */
#define PSP_QUEUEING_LARGE_JITTER .004
/* s, before it is measured: two steps of RFC 8888's 1/1024 s. */
#define PSP_QUEUEING_FIRST_JITTER .002

typedef struct
{
  double base;                  /* smallest one-way delay, of two clocks */
  double slots[PSP_QUEUEING_SLOTS];     /* minima; the newest first */
  double slot_since;
  double newest;                /* of the newest packet */
  /* of the packet before: its one-way delay, −∞ = none, and the time from when it
   * left until it was reported */
  double last_delay, last_longest;
  /* the smallest since `window_since`, and in the window before that; and the
   * same without what the sender itself had queued */
  double least[2], others[2];
  double window_since;
  /* by how much the delay differs between packets that found no queue of the
   * sender's own; smoothed */
  double jitter;
  double undisturbed;           /* the last of those packets; below 0 = none */
  double undisturbed_size;
  double undisturbed_at;        /* s, when it was sent */
} PspQueueing;

void psp_queueing_init (PspQueueing * q);
/* Adds a packet's one-way delay. slot: a third of the life of a minimum.
 * undisturbed: the packet's size if nothing of the sender's own was queued
 * before it, else 0. own: how long what the sender queued before it took.
 * longest: from when it left until it was reported; it did not wait longer.
 * A delay that rises or falls by more than that shows that a clock was set, or that
 * a minimum was a lie. The wait is then that of the packet before. Returns by how
 * much the receiver's clock was set, s; 0 = it was not. */
double psp_queueing_add (PspQueueing * q, double sent_at, double delay,
    double slot, double undisturbed, double own, double longest);
/* The path became longer by so much, or shorter. */
void psp_queueing_shift (PspQueueing * q, double by);
/* Returns the wait that no packet of the last 50 to 100 ms was spared; of the last
 * 80 to 160 ms where the jitter is large. */
double psp_queueing_least (const PspQueueing * q);
/* The same less what jitter adds; and of that what others have queued. */
double psp_queueing_standing (const PspQueueing * q);
double psp_queueing_others (const PspQueueing * q);

#endif
