/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "udp.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static int64_t
clock_now (clockid_t id)
{
  struct timespec now;

  clock_gettime (id, &now);
  return now.tv_sec * SECOND + now.tv_nsec;
}

int64_t
psp_monotonic_now (void)
{
  return clock_now (CLOCK_MONOTONIC);
}

int64_t
psp_wall_now (void)
{
  return clock_now (CLOCK_REALTIME);
}

int
psp_waker_open (PspWaker * w)
{
  w->fd = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
  return w->fd < 0 ? -errno : 0;
}

void
psp_waker_close (PspWaker * w)
{
  if (w->fd >= 0)
    close (w->fd);
  w->fd = -1;
}

void
psp_waker_wake (PspWaker * w)
{
  uint64_t one = 1;

  /* EAGAIN means that it is awake already. */
  while (write (w->fd, &one, sizeof one) < 0 && errno == EINTR);
}

void
psp_waker_clear (PspWaker * w)
{
  uint64_t count;

  while (read (w->fd, &count, sizeof count) < 0 && errno == EINTR);
}

/* Bits of PSP_WAIT_ from the socket and the waker, or a negative errno. */
static int
events (const struct pollfd *socket, const struct pollfd *waker)
{
  if ((socket->revents | waker->revents) & POLLNVAL)
    return -EBADF;
  /* A pending error is for whoever reads or writes next. */
  return (socket->revents & (POLLIN | POLLERR | POLLHUP) ?
      PSP_WAIT_READABLE : 0) |
      (socket->revents & POLLOUT ? PSP_WAIT_WRITABLE : 0) |
      (waker->revents & POLLIN ? PSP_WAIT_WOKEN : 0);
}

int
psp_wait (int fd, bool writable, const PspWaker * waker, int64_t until)
{
  struct pollfd fds[2] = {
    {.fd = fd,.events = (short) (POLLIN | (writable ? POLLOUT : 0))},
    {.fd = waker ? waker->fd : -1,.events = POLLIN},
  };
  int n;

  do {
    struct timespec left = { 0, 0 };

    if (until != INT64_MAX) {
      int64_t now = psp_monotonic_now ();

      if (until > now) {
        left.tv_sec = (until - now) / SECOND;
        left.tv_nsec = (until - now) % SECOND;
      }
    }
    n = ppoll (fds, 2, until == INT64_MAX ? NULL : &left, NULL);
  } while (n < 0 && errno == EINTR);

  return n < 0 ? -errno : events (&fds[0], &fds[1]);
}

int
psp_alarm_open (PspAlarm * a)
{
  a->at = INT64_MAX;
  a->fd = timerfd_create (CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  return a->fd < 0 ? -errno : 0;
}

void
psp_alarm_close (PspAlarm * a)
{
  if (a->fd >= 0)
    close (a->fd);
  a->fd = -1;
}

static int
set_alarm (PspAlarm * a, int64_t at)
{
  struct itimerspec spec = {
    .it_value = {.tv_sec = at / SECOND,.tv_nsec = at % SECOND}
  };

  if (timerfd_settime (a->fd, TFD_TIMER_ABSTIME, &spec, NULL) < 0)
    return -errno;
  a->at = at;
  return 0;
}

int
psp_wait_alarm (int fd, const PspWaker * waker, PspAlarm * alarm, int64_t until)
{
  struct pollfd fds[3] = {
    {.fd = fd,.events = POLLIN},
    {.fd = waker->fd,.events = POLLIN},
    {.fd = alarm->fd,.events = POLLIN},
  };
  int n, result;

  for (;;) {
    if (until != INT64_MAX && until <= psp_monotonic_now ())
      return psp_wait (fd, false, waker, until);
    if (until < alarm->at && (result = set_alarm (alarm, until)) < 0)
      return result;
    n = poll (fds, 3, -1);
    if (n < 0 && errno != EINTR)
      return -errno;
    if (n < 0)
      continue;
    if (fds[2].revents) {
      uint64_t count;

      while (read (alarm->fd, &count, sizeof count) < 0 && errno == EINTR);
      alarm->at = INT64_MAX;
    }
    result = events (&fds[0], &fds[1]);
    if (result)
      return result;
  }
}
