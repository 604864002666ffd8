/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Clocks, and waiting for file descriptors until a time or until another
 * thread wakes. Functions return 0 (or a count) or a negative errno.
 */
#ifndef WAIT_H
#define WAIT_H

#include <poll.h>
#include <stdint.h>

int64_t wait_monotonic_now (void);      /* CLOCK_MONOTONIC, ns */
int64_t wait_wall_now (void);   /* CLOCK_REALTIME, ns since 1970 */

/* Its descriptor is readable from when any thread wakes it until it is
 * cleared. */
typedef struct
{
  int fd;
} WaitWaker;

int wait_waker_open (WaitWaker * w);
void wait_waker_close (WaitWaker * w);
void wait_waker_wake (WaitWaker * w);
void wait_waker_clear (WaitWaker * w);

/* Polls until one of them has an event, or CLOCK_MONOTONIC reaches `until` (ns;
 * INT64_MAX = for ever). How many have one, 0 = it is time; -EBADF: one is no
 * descriptor. */
int wait_poll (struct pollfd *fds, unsigned n, int64_t until);

/* A timer for waits whose end moves on before it comes, time and again: it is
 * only set where it would be late, and put off where it would soon come for
 * nothing. A timeout with every wait costs more, in a virtual machine above
 * all. */
typedef struct
{
  int fd;
  int64_t at;                   /* when it will fire; INT64_MAX = never */
} WaitAlarm;

int wait_alarm_open (WaitAlarm * a);
void wait_alarm_close (WaitAlarm * a);
/* As wait_poll; behind the n there is room for one more. */
int wait_poll_alarm (struct pollfd *fds, unsigned n, WaitAlarm * alarm,
    int64_t until);

#endif
