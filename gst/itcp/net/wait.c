/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tcp.h"

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
itcp_monotonic_now (void)
{
  return clock_now (CLOCK_MONOTONIC);
}

int64_t
itcp_wall_offset (void)
{
  return clock_now (CLOCK_REALTIME) - clock_now (CLOCK_MONOTONIC);
}

int
itcp_waker_open (ItcpWaker * w)
{
  w->fd = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
  return w->fd < 0 ? -errno : 0;
}

void
itcp_waker_close (ItcpWaker * w)
{
  if (w->fd >= 0)
    close (w->fd);
  w->fd = -1;
}

void
itcp_waker_wake (ItcpWaker * w)
{
  uint64_t one = 1;

  /* EAGAIN means that it is awake already. */
  while (write (w->fd, &one, sizeof one) < 0 && errno == EINTR);
}

void
itcp_waker_clear (ItcpWaker * w)
{
  uint64_t count;

  while (read (w->fd, &count, sizeof count) < 0 && errno == EINTR);
}

int
itcp_wait (int fd, int events, const ItcpWaker * waker, int64_t until)
{
  return itcp_wait_also (fd, events, -1, waker, until);
}

int
itcp_wait_also (int fd, int events, int also, const ItcpWaker * waker,
    int64_t until)
{
  struct pollfd fds[3] = {
    {.fd = fd},
    {.fd = waker ? waker->fd : -1},
    {.fd = also}
  };
  int n;

  fds[0].events = (short) ((events & ITCP_WAIT_READABLE ? POLLIN : 0) |
      (events & ITCP_WAIT_WRITABLE ? POLLOUT : 0));
  fds[1].events = fds[2].events = POLLIN;
  do {
    struct timespec left = { 0, 0 };

    if (until != INT64_MAX) {
      int64_t now = itcp_monotonic_now ();

      if (until > now) {
        left.tv_sec = (until - now) / SECOND;
        left.tv_nsec = (until - now) % SECOND;
      }
    }
    n = ppoll (fds, 3, until == INT64_MAX ? NULL : &left, NULL);
  } while (n < 0 && errno == EINTR);

  if (n < 0)
    return -errno;
  if ((fds[0].revents | fds[1].revents | fds[2].revents) & POLLNVAL)
    return -EBADF;
  return (fds[0].revents & POLLIN ? ITCP_WAIT_READABLE : 0) |
      (fds[0].revents & POLLOUT ? ITCP_WAIT_WRITABLE : 0) |
      (fds[0].revents & POLLERR ? ITCP_WAIT_ERROR : 0) |
      (fds[0].revents & POLLHUP ? ITCP_WAIT_HANGUP : 0) |
      (fds[1].revents ? ITCP_WAIT_WOKEN : 0) |
      (fds[2].revents ? ITCP_WAIT_ALSO : 0);
}
