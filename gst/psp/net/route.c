/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "route.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

/* Changes of the routing tables that the kernel reports. */
#define GROUPS (RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | \
    RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE)
/* Most events read at once, if a full table changes; the next look reads the
 * rest. */
#define MAX_EVENTS 256
/* Most replies read for one query. The kernel replies before sending returns,
 * but replies to earlier queries may come first. */
#define MAX_REPLIES 8

typedef struct
{
  struct nlmsghdr header;
  struct rtmsg route;
  uint8_t attributes[64];
} Query;

static int
open_socket (uint32_t groups)
{
  struct sockaddr_nl address = {.nl_family = AF_NETLINK,.nl_groups = groups };
  int fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
      NETLINK_ROUTE);
  int error;

  if (fd < 0)
    return -errno;
  if (bind (fd, (const struct sockaddr *) &address, sizeof address) < 0) {
    error = errno;
    close (fd);
    return -error;
  }
  return fd;
}

int
psp_route_open (PspRoute * r)
{
  r->sequence = 0;
  r->queries = -1;
  r->events = open_socket (GROUPS);
  if (r->events < 0)
    return r->events;
  r->queries = open_socket (0);
  if (r->queries < 0) {
    close (r->events);
    r->events = -1;
    return r->queries;
  }
  return 0;
}

void
psp_route_close (PspRoute * r)
{
  if (r->events >= 0)
    close (r->events);
  if (r->queries >= 0)
    close (r->queries);
  r->events = r->queries = -1;
}

/* Does not read which change it was, because the caller queries the route. */
bool
psp_route_changed (PspRoute * r)
{
  bool changed = false;
  uint8_t octet;
  int i;

  for (i = 0; i < MAX_EVENTS; i++) {
    if (recv (r->events, &octet, 1, MSG_TRUNC) < 0) {
      if (errno == EINTR)
        continue;
      if (errno != ENOBUFS)
        break;
    }
    changed = true;
  }
  return changed;
}

static void
add_attribute (Query * q, uint16_t type, const void *data, size_t size)
{
  struct rtattr *a = (struct rtattr *)
      ((uint8_t *) q + NLMSG_ALIGN (q->header.nlmsg_len));

  a->rta_type = type;
  a->rta_len = (uint16_t) RTA_LENGTH (size);
  memcpy (RTA_DATA (a), data, size);
  q->header.nlmsg_len =
      (uint32_t) (NLMSG_ALIGN (q->header.nlmsg_len) + RTA_ALIGN (a->rta_len));
}

static bool
make_query (Query * q, const PspAddress * to, uint32_t sequence)
{
  const struct sockaddr_in *v4 = (const struct sockaddr_in *) &to->storage;
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) &to->storage;

  memset (q, 0, sizeof *q);
  q->header.nlmsg_len = NLMSG_LENGTH (sizeof q->route);
  q->header.nlmsg_type = RTM_GETROUTE;
  q->header.nlmsg_flags = NLM_F_REQUEST;
  q->header.nlmsg_seq = sequence;
  q->route.rtm_family = (unsigned char) to->storage.ss_family;
  if (to->storage.ss_family == AF_INET) {
    q->route.rtm_dst_len = 32;
    add_attribute (q, RTA_DST, &v4->sin_addr, sizeof v4->sin_addr);
  } else if (to->storage.ss_family == AF_INET6) {
    q->route.rtm_dst_len = 128;
    add_attribute (q, RTA_DST, &v6->sin6_addr, sizeof v6->sin6_addr);
    if (v6->sin6_scope_id)
      add_attribute (q, RTA_OIF, &v6->sin6_scope_id, sizeof (uint32_t));
  } else {
    return false;
  }
  return true;
}

/* True if the route discards packets. IPv6 replies with such a route, too, with
 * lo as its interface. */
static bool
leads_nowhere (const struct rtmsg *route)
{
  return route->rtm_type == RTN_UNREACHABLE || route->rtm_type == RTN_BLACKHOLE
      || route->rtm_type == RTN_PROHIBIT || route->rtm_type == RTN_THROW;
}

/* Returns the reply's interface, or a negative errno. */
static int
read_reply (struct nlmsghdr *header)
{
  const struct nlmsgerr *error = NLMSG_DATA (header);
  struct rtmsg *route = NLMSG_DATA (header);
  struct rtattr *a;
  int left, interface = -ENETUNREACH;

  if (header->nlmsg_type == NLMSG_ERROR)
    return header->nlmsg_len >= NLMSG_LENGTH (sizeof *error)
        && error->error < 0 ? error->error : -EPROTO;
  if (header->nlmsg_type != RTM_NEWROUTE
      || header->nlmsg_len < NLMSG_LENGTH (sizeof *route))
    return -EPROTO;
  if (leads_nowhere (route))
    return -ENETUNREACH;
  left = (int) RTM_PAYLOAD (header);
  for (a = RTM_RTA (route); RTA_OK (a, left); a = RTA_NEXT (a, left))
    if (a->rta_type == RTA_OIF && RTA_PAYLOAD (a) == sizeof interface)
      memcpy (&interface, RTA_DATA (a), sizeof interface);
  return interface;
}

int
psp_route_interface (PspRoute * r, const PspAddress * to)
{
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK };
  /* The union aligns the octets for a header. */
  union
  {
    struct nlmsghdr header;
    uint8_t octets[4096];
  } reply;
  ssize_t n;
  Query q;
  int i;

  if (!make_query (&q, to, ++r->sequence))
    return -EAFNOSUPPORT;
  if (sendto (r->queries, &q, q.header.nlmsg_len, 0,
          (const struct sockaddr *) &kernel, sizeof kernel) < 0)
    return -errno;
  for (i = 0; i < MAX_REPLIES; i++) {
    struct sockaddr_nl from;
    socklen_t size = sizeof from;

    n = recvfrom (r->queries, &reply, sizeof reply, 0,
        (struct sockaddr *) &from, &size);
    if (n < 0 && errno != EINTR)
      return -errno;
    /* Only the kernel has port 0; any process may write to this socket. */
    if (n < 0 || from.nl_pid != 0 || !NLMSG_OK (&reply.header, (size_t) n)
        || reply.header.nlmsg_seq != r->sequence)
      continue;
    return read_reply (&reply.header);
  }
  return -EAGAIN;
}
