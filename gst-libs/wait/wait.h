/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Clocks, and functions that wait for file descriptors until a given time or
 * until another thread wakes them. Functions return 0 (or a count) or a
 * negative errno.
 */
#ifndef WAIT_WAIT_H
#define WAIT_WAIT_H

#include <poll.h>
#include <stdint.h>

int64_t wait_monotonic_now (void);      /* CLOCK_MONOTONIC, ns */
int64_t wait_wall_now (void);   /* CLOCK_REALTIME, ns since 1970 */

/* The descriptor is readable from when any thread wakes it until it is
 * cleared. */
typedef struct
{
  int fd;
} WaitWaker;

int wait_waker_open (WaitWaker * w);
void wait_waker_close (WaitWaker * w);
void wait_waker_wake (WaitWaker * w);
void wait_waker_clear (WaitWaker * w);

/* Polls until one of the descriptors has an event, or until CLOCK_MONOTONIC
 * reaches `until` (ns; INT64_MAX = for ever). Returns how many have an event; 0
 * = the time is reached; -EBADF = one is not a descriptor. */
int wait_poll (struct pollfd *fds, unsigned n, int64_t until);

/* A timer for repeated waits whose end moves to a later time before it is
 * reached. The timer is set only if it would fire too late, or if it would soon
 * fire too early. A timeout for every wait costs more, above all in a virtual
 * machine. */
typedef struct
{
  int fd;
  int64_t at;                   /* ns when it fires; INT64_MAX = never */
} WaitAlarm;

int wait_alarm_open (WaitAlarm * a);
void wait_alarm_close (WaitAlarm * a);
/* Like wait_poll; the array has room for one more element after the n. */
int wait_poll_alarm (struct pollfd *fds, unsigned n, WaitAlarm * alarm,
    int64_t until);

#endif
