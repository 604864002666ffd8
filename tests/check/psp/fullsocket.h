/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests and benchmarks: a socket that is full until somebody reads.
 */
#ifndef TEST_FULL_SOCKET_H
#define TEST_FULL_SOCKET_H

#include <errno.h>
#include <sys/un.h>
#include <unistd.h>

#include "udp.h"

/* Opens the socket, and the one that could read from it, whose address it
 * gets. Returns -1 if that fails. */
static inline int
open_full (PspAddress * address, int *reader)
{
  struct sockaddr_un any = {.sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

  *reader = socket (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  address->size = sizeof address->storage;
  if (bind (*reader, (struct sockaddr *) &any, sizeof any.sun_family) != 0
      || getsockname (*reader, (struct sockaddr *) &address->storage,
          &address->size) != 0
      || connect (fd, (struct sockaddr *) &address->storage,
          address->size) != 0)
    return -1;
  while (send (fd, &any, 1, 0) > 0);
  return errno == EAGAIN ? fd : -1;
}

#endif
