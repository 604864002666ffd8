/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "udp.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
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

  if (n < 0)
    return -errno;
  if ((fds[0].revents | fds[1].revents) & POLLNVAL)
    return -EBADF;
  /* A pending error is for whoever reads or writes next. */
  return (fds[0].revents & (POLLIN | POLLERR | POLLHUP) ?
      PSP_WAIT_READABLE : 0) |
      (fds[0].revents & POLLOUT ? PSP_WAIT_WRITABLE : 0) |
      (fds[1].revents & POLLIN ? PSP_WAIT_WOKEN : 0);
}
