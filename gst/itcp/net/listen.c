/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* attempts: a port that is free at one address may not be free at another */
#define MAX_TRIES 16

static void
set_port (ItcpAddress * a, int port)
{
  if (a->storage.ss_family == AF_INET)
    ((struct sockaddr_in *) &a->storage)->sin_port = htons ((uint16_t) port);
  else if (a->storage.ss_family == AF_INET6)
    ((struct sockaddr_in6 *) &a->storage)->sin6_port = htons ((uint16_t) port);
}

static bool
is_repeated (const ItcpAddress * addresses, unsigned i)
{
  for (unsigned k = 0; k < i; k++)
    if (addresses[k].size == addresses[i].size && memcmp (&addresses[k].storage,
            &addresses[i].storage, addresses[i].size) == 0)
      return true;
  return false;
}

static int
add_listener (ItcpListeners * l, const ItcpAddress * at, bool v6_only)
{
  struct epoll_event event = {.events = EPOLLIN };
  int fd, err;

  err = itcp_tcp_listen ((const struct sockaddr *) &at->storage, at->size,
      v6_only, &fd);
  if (err < 0)
    return err;
  if (epoll_ctl (l->wait_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
    err = -errno;
    itcp_tcp_close (fd);
    return err;
  }
  l->fds[l->n++] = fd;
  return 0;
}

/* A name may have an address family that this system does not support. */
static bool
is_foreign (int err)
{
  return err == -EADDRNOTAVAIL || err == -EAFNOSUPPORT;
}

static int
open_all (ItcpListeners * l, const ItcpAddress * addresses, unsigned n)
{
  int err = -EADDRNOTAVAIL, port = 0;

  memset (l, 0, sizeof *l);
  l->wait_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (l->wait_fd < 0)
    return -errno;
  for (unsigned i = 0; i < n && l->n < ITCP_MAX_LISTENERS; i++) {
    ItcpAddress at = addresses[i];

    if (is_repeated (addresses, i))
      continue;
    if (port > 0)
      set_port (&at, port);
    err = add_listener (l, &at, n > 1);
    if (err < 0 && !is_foreign (err))
      break;
    if (err == 0)
      port = itcp_tcp_local_port (l->fds[l->n - 1]);
  }
  if (l->n > 0 && (err == 0 || is_foreign (err)))
    return 0;
  itcp_listeners_close (l);
  return err;
}

int
itcp_listeners_open (ItcpListeners * l, const ItcpAddress * addresses,
    unsigned n)
{
  int err, tries = 0;

  do
    err = open_all (l, addresses, n);
  while (err == -EADDRINUSE && itcp_address_port (&addresses[0]) == 0
      && ++tries < MAX_TRIES);
  return err;
}

void
itcp_listeners_close (ItcpListeners * l)
{
  for (unsigned i = 0; i < l->n; i++)
    itcp_tcp_close (l->fds[i]);
  itcp_tcp_close (l->wait_fd);
  l->n = 0;
  l->wait_fd = -1;
}

int
itcp_listeners_port (const ItcpListeners * l)
{
  return itcp_tcp_local_port (l->fds[0]);
}

int
itcp_listeners_accept (const ItcpListeners * l, const ItcpTcpConfig * config,
    int *fd)
{
  int err = -EAGAIN;

  for (unsigned i = 0; i < l->n && err == -EAGAIN; i++)
    err = itcp_tcp_accept (l->fds[i], config, fd);
  return err;
}
