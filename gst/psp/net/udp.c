/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

static int
set_int (int fd, int level, int option, int value)
{
  return setsockopt (fd, level, option, &value, sizeof value) < 0 ? -errno : 0;
}

static int
interface_index (const char *interface, int *index)
{
  *index = 0;
  if (!interface || !interface[0])
    return 0;
  *index = (int) if_nametoindex (interface);
  return *index ? 0 : -ENODEV;
}

static int
bind_to (int fd, const PspUdpConfig * config)
{
  PspAddress address;
  int err;

  err = psp_address_resolve (config->bind_address ? config->bind_address :
      config->family == AF_INET6 ? "::" : "0.0.0.0", config->bind_port,
      config->family, &address);
  if (err)
    return err == EAI_SYSTEM && errno ? -errno : -EADDRNOTAVAIL;
  if (address.storage.ss_family != config->family)
    return -EAFNOSUPPORT;
  return bind (fd, (struct sockaddr *) &address.storage, address.size) < 0 ?
      -errno : 0;
}

int
psp_udp_open (const PspUdpConfig * config, int *fd)
{
  int s, err = 0;

  *fd = -1;
  s = socket (config->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
      IPPROTO_UDP);
  if (s < 0)
    return -errno;

  /* Errors are ignored: a kernel without an option keeps its old behaviour. */
  set_int (s, IPPROTO_IP, IP_MULTICAST_ALL, 0);
  if (config->family == AF_INET6) {
    set_int (s, IPPROTO_IPV6, IPV6_V6ONLY, 0);
#ifdef IPV6_MULTICAST_ALL
    set_int (s, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
#endif
  }
  if (config->reuse)
    err = set_int (s, SOL_SOCKET, SO_REUSEADDR, 1);
  if (!err && config->receive_buffer > 0)
    err = MIN (psp_udp_set_receive_buffer (s, config->receive_buffer), 0);
  if (!err)
    err = bind_to (s, config);
  if (!err)
    err = psp_udp_prepare (s);
  if (err) {
    close (s);
    return err;
  }
  *fd = s;
  return 0;
}

void
psp_udp_close (int fd)
{
  if (fd >= 0)
    close (fd);
}

int
psp_udp_prepare (int fd)
{
  int flags = fcntl (fd, F_GETFL);
  struct sockaddr_storage local;
  socklen_t size = sizeof local;

  if (flags < 0 || fcntl (fd, F_SETFL, flags | O_NONBLOCK) < 0)
    return -errno;
  if (getsockname (fd, (struct sockaddr *) &local, &size) < 0)
    return -errno;

  set_int (fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
  set_int (fd, IPPROTO_IP, IP_RECVTOS, 1);
  set_int (fd, IPPROTO_IP, IP_PKTINFO, 1);
  if (local.ss_family == AF_INET6) {
    set_int (fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
    set_int (fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
  }
  return 0;
}

int
psp_udp_set_receive_buffer (int fd, int bytes)
{
  int granted = 0, err;
  socklen_t size = sizeof granted;

  /* Only a privileged process may exceed net.core.rmem_max. */
  err = set_int (fd, SOL_SOCKET, SO_RCVBUFFORCE, bytes);
  if (err)
    err = set_int (fd, SOL_SOCKET, SO_RCVBUF, bytes);
  if (!err && getsockopt (fd, SOL_SOCKET, SO_RCVBUF, &granted, &size) < 0)
    err = -errno;
  return err ? err : granted / 2;       /* Linux returns twice what was set */
}

int
psp_udp_receive_buffer (int fd)
{
  int room = 0;
  socklen_t size = sizeof room;

  return getsockopt (fd, SOL_SOCKET, SO_RCVBUF, &room, &size) < 0 ? -errno :
      room;
}

int
psp_udp_local_address (int fd, PspAddress * address)
{
  struct sockaddr_storage local;
  socklen_t size = sizeof local;

  memset (address, 0, sizeof *address);
  if (getsockname (fd, (struct sockaddr *) &local, &size) < 0)
    return -errno;
  psp_address_set (address, (struct sockaddr *) &local, size);
  return 0;
}

int
psp_udp_set_ttl (int fd, int family, int ttl)
{
  int err = set_int (fd, IPPROTO_IP, IP_TTL, ttl);

  if (!err && family == AF_INET6)
    err = set_int (fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl);
  return err;
}

static int
set_multicast_ipv4 (int fd, int ttl, bool loop, int index)
{
  struct ip_mreqn request = {.imr_ifindex = index };
  int err = 0;

  if (index && setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &request,
          sizeof request) < 0)
    err = -errno;
  if (!err)
    err = set_int (fd, IPPROTO_IP, IP_MULTICAST_TTL, ttl);
  return err ? err : set_int (fd, IPPROTO_IP, IP_MULTICAST_LOOP, loop);
}

static int
set_multicast_ipv6 (int fd, int ttl, bool loop, int index)
{
  int err = 0;

  if (index)
    err = set_int (fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, index);
  if (!err)
    err = set_int (fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, ttl);
  return err ? err : set_int (fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, loop);
}

int
psp_udp_set_multicast (int fd, int family, int ttl, bool loop,
    const char *interface)
{
  int index, err;

  if ((err = interface_index (interface, &index)))
    return err;
  err = set_multicast_ipv4 (fd, ttl, loop, index);
  return err || family != AF_INET6 ? err :
      set_multicast_ipv6 (fd, ttl, loop, index);
}

/* Keeps the lowest two bits, the ECN field (RFC 3168 section 5). */
static int
set_dscp (int fd, int level, int option, int dscp)
{
  int value = 0;
  socklen_t size = sizeof value;

  getsockopt (fd, level, option, &value, &size);
  return set_int (fd, level, option, dscp << 2 | (value & 3));
}

int
psp_udp_set_dscp (int fd, int family, int dscp)
{
  int err;

  if (dscp < 0 || dscp > 63)
    return -EINVAL;
  err = set_dscp (fd, IPPROTO_IP, IP_TOS, dscp);
  if (family == AF_INET6)
    err = set_dscp (fd, IPPROTO_IPV6, IPV6_TCLASS, dscp);
  return err;
}

static int
membership (int fd, const PspAddress * group, const char *interface, bool join)
{
  int index, err;

  if ((err = interface_index (interface, &index)))
    return err;
  if (group->storage.ss_family == AF_INET6) {
    const struct sockaddr_in6 *in6 =
        (const struct sockaddr_in6 *) &group->storage;
    struct ipv6_mreq request = {.ipv6mr_multiaddr = in6->sin6_addr };

    request.ipv6mr_interface = index ? (unsigned) index : in6->sin6_scope_id;
    err = setsockopt (fd, IPPROTO_IPV6,
        join ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP, &request,
        sizeof request);
  } else if (group->storage.ss_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *) &group->storage;
    struct ip_mreqn request = {.imr_multiaddr = in->sin_addr };

    request.imr_ifindex = index;
    err = setsockopt (fd, IPPROTO_IP,
        join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP, &request,
        sizeof request);
  } else {
    return -EAFNOSUPPORT;
  }
  return err < 0 ? -errno : 0;
}

int
psp_udp_join (int fd, const PspAddress * group, const char *interface)
{
  return membership (fd, group, interface, true);
}

int
psp_udp_leave (int fd, const PspAddress * group, const char *interface)
{
  return membership (fd, group, interface, false);
}

int
psp_udp_path_mtu (const PspAddress * address)
{
  int family = address->storage.ss_family;
  bool v6 = family == AF_INET6;
  int fd, mtu = 0, result;
  socklen_t size = sizeof mtu;

  fd = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP);
  if (fd < 0)
    return -errno;
  /* connect() only looks up the route and sends nothing. */
  if (connect (fd, (const struct sockaddr *) &address->storage,
          address->size) < 0 || getsockopt (fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
          v6 ? IPV6_MTU : IP_MTU, &mtu, &size) < 0)
    result = -errno;
  else
    result = mtu;
  close (fd);
  return result;
}
