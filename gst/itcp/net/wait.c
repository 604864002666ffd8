/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tcp.h"

/* ns between two readings of a clock; so little means that nothing interrupted
 * them */
#define CLOSE INT64_C(20000)

/* A thread that is interrupted between the two clocks reads them again. It
 * reads the monotonic one first, so that no computed time lies in the
 * future. */
int64_t
itcp_wall_offset (void)
{
  int64_t offset = 0, least = INT64_MAX;

  for (int i = 0; i < 5 && least > CLOSE; i++) {
    int64_t before = wait_monotonic_now ();
    int64_t wall = wait_wall_now ();
    int64_t took = wait_monotonic_now () - before;

    if (took < least) {
      least = took;
      offset = wall - before;
    }
  }
  return offset;
}

static void
fill (struct pollfd fds[3], int fd, int events, const WaitWaker * waker,
    int also)
{
  fds[0].fd = fd;
  fds[0].events = (short) ((events & ITCP_WAIT_READABLE ? POLLIN : 0) |
      (events & ITCP_WAIT_WRITABLE ? POLLOUT : 0));
  fds[1].fd = waker ? waker->fd : -1;
  fds[2].fd = also;
  fds[1].events = fds[2].events = POLLIN;
}

/* Returns bits of ITCP_WAIT_, or a negative errno. */
static int
bits (int got, const struct pollfd fds[3])
{
  if (got < 0)
    return got;
  return (fds[0].revents & POLLIN ? ITCP_WAIT_READABLE : 0) |
      (fds[0].revents & POLLOUT ? ITCP_WAIT_WRITABLE : 0) |
      (fds[0].revents & POLLERR ? ITCP_WAIT_ERROR : 0) |
      (fds[0].revents & POLLHUP ? ITCP_WAIT_HANGUP : 0) |
      (fds[1].revents ? ITCP_WAIT_WOKEN : 0) |
      (fds[2].revents ? ITCP_WAIT_ALSO : 0);
}

int
itcp_wait (int fd, int events, const WaitWaker * waker, int64_t until)
{
  struct pollfd fds[3];

  fill (fds, fd, events, waker, -1);
  return bits (wait_poll (fds, 3, until), fds);
}

int
itcp_wait_also (int fd, int events, int also, const WaitWaker * waker,
    WaitAlarm * alarm, int64_t until)
{
  struct pollfd fds[4];

  fill (fds, fd, events, waker, also);
  return bits (alarm ? wait_poll_alarm (fds, 3, alarm, until) :
      wait_poll (fds, 3, until), fds);
}
