/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How long packets wait in queues: one-way delays above the smallest one that
 * was seen lately. The two clocks need not agree. Times here are seconds.
 */
#ifndef CONTROL_POISE_QUEUEING_H
#define CONTROL_POISE_QUEUEING_H

#include <control/types.h>

/* The number of slots in the life of the smallest delay. */
#define PSP_QUEUEING_SLOTS 3
/* s. With less jitter the wait of a single packet is meaningful. */
#define PSP_QUEUEING_LARGE_JITTER .004
/* s. The jitter before it is measured: two steps of RFC 8888's 1/1024 s. */
#define PSP_QUEUEING_FIRST_JITTER .002

typedef struct
{
  double base;                  /* smallest one-way delay, by two clocks */
  /* smallest delay in each slot; the newest first */
  double slots[PSP_QUEUEING_SLOTS];
  double slot_since;            /* when the newest slot began */
  double newest;                /* wait of the newest packet */
  double last_delay;            /* delay of the packet before; −∞ = none */
  double last_longest;          /* its time from departure to the report */
  double least[2];              /* least wait in this window and the last one */
  double others[2];             /* the same without the sender's own queue */
  double window_since;          /* when this window began */
  /* smoothed difference between the waits of two successive packets that found
   * no queue of the sender's own */
  double jitter;
  /* wait of the last of those packets; below 0 = none */
  double undisturbed;
  double undisturbed_size;      /* size of that packet */
  double undisturbed_at;        /* when that packet was sent */
} PspQueueing;

void psp_queueing_init (PspQueueing * q);
/* Adds a packet's one-way delay. slot: a third of the life of a minimum.
 * undisturbed: the packet's size if nothing of the sender's own was queued
 * before it, else 0. own: the time that the sender's own queue before it took.
 * longest: the time from its departure until it was reported; it did not wait
 * longer. A delay that rises or falls by more than that shows that a clock was
 * set, or that a minimum was a lie. The wait is then that of the packet before.
 * Returns by how much the receiver's clock was set, s; 0 = it was not. */
double psp_queueing_add (PspQueueing * q, double sent_at, double delay,
    double slot, double undisturbed, double own, double longest);
/* Adapts to a path that became longer by `by` s, or shorter. */
void psp_queueing_shift (PspQueueing * q, double by);
/* Returns the least wait of the last 50 to 100 ms; where the jitter is large,
 * of the last 80 to 160 ms. */
double psp_queueing_least (const PspQueueing * q);
/* Returns the standing wait: the same less what jitter adds. */
double psp_queueing_standing (const PspQueueing * q);
/* Returns others' wait: the standing wait without the sender's own queue. */
double psp_queueing_others (const PspQueueing * q);

#endif
