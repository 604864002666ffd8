/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "private.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Room for a time stamp, a TOS or traffic class, and the destination. On a
 * dual-stack socket, an IPv4 datagram has the destination in the form of both
 * families. */
typedef union
{
  struct cmsghdr align;
  uint8_t bytes[CMSG_SPACE (sizeof (struct timespec)) +
      2 * CMSG_SPACE (sizeof (int)) +
      CMSG_SPACE (sizeof (struct in_pktinfo)) +
      CMSG_SPACE (sizeof (struct in6_pktinfo))];
} Control;

static void
read_to_v4 (const struct cmsghdr *c, PspUdpDatagram * d)
{
  struct sockaddr_in in = {.sin_family = AF_INET };
  struct in_pktinfo info;

  memcpy (&info, CMSG_DATA (c), sizeof info);
  in.sin_addr = info.ipi_addr;
  psp_address_set (&d->to, (struct sockaddr *) &in, sizeof in);
}

static void
read_to_v6 (const struct cmsghdr *c, PspUdpDatagram * d)
{
  struct sockaddr_in6 in6 = {.sin6_family = AF_INET6 };
  struct in6_pktinfo info;

  memcpy (&info, CMSG_DATA (c), sizeof info);
  in6.sin6_addr = info.ipi6_addr;
  if (IN6_IS_ADDR_LINKLOCAL (&in6.sin6_addr) ||
      IN6_IS_ADDR_MC_LINKLOCAL (&in6.sin6_addr))
    in6.sin6_scope_id = info.ipi6_ifindex;
  psp_address_set (&d->to, (struct sockaddr *) &in6, sizeof in6);
}

static void
read_time (const struct cmsghdr *c, PspUdpDatagram * d)
{
  struct timespec stamp;

  memcpy (&stamp, CMSG_DATA (c), sizeof stamp);
  d->arrived_at = stamp.tv_sec * INT64_C (1000000000) + stamp.tv_nsec;
}

static void
read_control (struct msghdr *m, PspUdpDatagram * d)
{
  for (struct cmsghdr * c = CMSG_FIRSTHDR (m); c; c = CMSG_NXTHDR (m, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      read_time (c, d);
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
      d->ecn = *CMSG_DATA (c) & 3;      /* one byte here, an int for IPv6 */
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      read_to_v4 (c, d);
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
      int tclass;

      memcpy (&tclass, CMSG_DATA (c), sizeof tclass);
      d->ecn = tclass & 3;
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      read_to_v6 (c, d);
    }
  }
}

static bool
is_icmp (int error)
{
  return error == ECONNREFUSED || error == EHOSTUNREACH ||
      error == ENETUNREACH || error == EMSGSIZE || error == EPROTO ||
      error == ENOPROTOOPT || error == EOPNOTSUPP || error == EACCES;
}

/* Drops error reports. If the application has set IP_RECVERR, unread reports
 * would keep the socket readable permanently. */
static void
drop_error_reports (int fd)
{
  struct msghdr m = { 0 };

  while (recvmsg (fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0);
}

/* Works as recvmmsg() of one message, but is cheaper. */
static int
receive_one (int fd, struct mmsghdr *message, int flags)
{
  ssize_t size = recvmsg (fd, &message->msg_hdr, flags);

  message->msg_len = size < 0 ? 0 : (unsigned) size;
  return size < 0 ? -1 : 1;
}

int
psp_udp_receive (int fd, PspUdpDatagram * datagrams, unsigned n)
{
  struct mmsghdr messages[PSP_UDP_BATCH];
  struct iovec iov[PSP_UDP_BATCH][2];
  struct sockaddr_storage from[PSP_UDP_BATCH];
  Control control[PSP_UDP_BATCH];
  int received, tries = 0, flags = MSG_DONTWAIT | MSG_TRUNC;

  if (n > PSP_UDP_BATCH)
    n = PSP_UDP_BATCH;
  for (unsigned i = 0; i < n; i++) {
    PspUdpDatagram *d = &datagrams[i];
    struct msghdr *m = &messages[i].msg_hdr;

    iov[i][0].iov_base = d->data;
    iov[i][0].iov_len = d->capacity;
    iov[i][1].iov_base = d->spill;
    iov[i][1].iov_len = d->spill_capacity;
    m->msg_name = &from[i];
    m->msg_namelen = sizeof from[i];
    m->msg_iov = iov[i];
    m->msg_iovlen = d->spill ? 2 : 1;
    m->msg_control = &control[i];
    m->msg_controllen = sizeof control[i];
    m->msg_flags = 0;
  }
  /* With MSG_TRUNC, lengths are those of the whole datagrams. The second try
   * reads datagrams that wait behind a pending ICMP error. */
  do
    received = n == 1 ? receive_one (fd, messages, flags) :
        recvmmsg (fd, messages, n, flags, NULL);
  while (received < 0 && (errno == EINTR || (is_icmp (errno) && tries++ < 1)));
  if (received < 0 && errno == EAGAIN) {
    drop_error_reports (fd);
    return -EAGAIN;
  }
  if (received < 0)
    return -errno;

  for (int i = 0; i < received; i++) {
    PspUdpDatagram *d = &datagrams[i];
    struct msghdr *m = &messages[i].msg_hdr;

    d->size = messages[i].msg_len;
    d->arrived_at = -1;
    d->ecn = 0;
    d->to.size = 0;
    psp_address_set (&d->from, m->msg_name, m->msg_namelen);
    read_control (m, d);
  }
  return received;
}
