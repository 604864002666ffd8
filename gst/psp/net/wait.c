/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "udp.h"

/* Returns the bits of PSP_WAIT_ from the socket and the waker, or a negative
 * errno. */
static int
events (int got, const struct pollfd *socket, const struct pollfd *waker)
{
  if (got < 0)
    return got;
  /* The next read or write returns a pending error. */
  return (socket->revents & (POLLIN | POLLERR | POLLHUP) ?
      PSP_WAIT_READABLE : 0) |
      (socket->revents & POLLOUT ? PSP_WAIT_WRITABLE : 0) |
      (waker->revents & POLLIN ? PSP_WAIT_WOKEN : 0);
}

int
psp_wait (int fd, bool writable, const WaitWaker * waker, int64_t until)
{
  struct pollfd fds[2] = {
    {.fd = fd,.events = (short) (POLLIN | (writable ? POLLOUT : 0))},
    {.fd = waker ? waker->fd : -1,.events = POLLIN},
  };

  return events (wait_poll (fds, 2, until), &fds[0], &fds[1]);
}

int
psp_wait_alarm (int fd, const WaitWaker * waker, WaitAlarm * alarm,
    int64_t until)
{
  struct pollfd fds[3] = {
    {.fd = fd,.events = POLLIN},
    {.fd = waker->fd,.events = POLLIN},
  };

  return events (wait_poll_alarm (fds, 2, alarm, until), &fds[0], &fds[1]);
}
