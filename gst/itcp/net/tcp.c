/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tcp.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* connections that wait to be accepted: one is accepted, later ones come too
 * late */
#define LISTEN_BACKLOG 4

static int
set_int (int fd, int level, int option, int value)
{
  return setsockopt (fd, level, option, &value, sizeof value) < 0 ? -errno : 0;
}

int
itcp_tcp_set_congestion (int fd, const char *name)
{
  if (!name || !name[0])
    return 0;
  return setsockopt (fd, IPPROTO_TCP, TCP_CONGESTION, name,
      (socklen_t) strlen (name)) < 0 ? -errno : 0;
}

int
itcp_tcp_check_congestion (const char *name)
{
  int fd, err;

  if (!name || !name[0])
    return 0;
  fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0)
    fd = socket (AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0)
    return 0;
  err = itcp_tcp_set_congestion (fd, name);
  close (fd);
  return err;
}

int
itcp_tcp_set_unsent_limit (int fd, unsigned bytes)
{
  if (bytes > INT32_MAX)
    bytes = INT32_MAX;
  return set_int (fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, (int) bytes);
}

int
itcp_tcp_congestion (int fd, char name[16])
{
  socklen_t size = 15;

  memset (name, 0, 16);
  return getsockopt (fd, IPPROTO_TCP, TCP_CONGESTION, name, &size) < 0 ?
      -errno : 0;
}

static int
prepare (int fd, const ItcpTcpConfig * config)
{
  unsigned timeout = config->user_timeout_ms;
  int err;

  /* The last packet of a picture must not wait for more data. */
  if ((err = set_int (fd, IPPROTO_TCP, TCP_NODELAY, 1)))
    return err;
  if (timeout > 0) {
    int seconds = (int) (timeout / 2000);

    /* Keepalives detect a dead peer while there is nothing to send. */
    seconds = seconds < 1 ? 1 : seconds > 3600 ? 3600 : seconds;
    if ((err = set_int (fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int) timeout)) ||
        (err = set_int (fd, SOL_SOCKET, SO_KEEPALIVE, 1)) ||
        (err = set_int (fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds)) ||
        (err = set_int (fd, IPPROTO_TCP, TCP_KEEPINTVL, seconds)))
      return err;
  }
  return itcp_tcp_set_congestion (fd, config->congestion);
}

int
itcp_tcp_connect (const struct sockaddr *to, socklen_t size,
    const ItcpTcpConfig * config, int *fd)
{
  int s, err;

  *fd = -1;
  s = socket (to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
      IPPROTO_TCP);
  if (s < 0)
    return -errno;
  err = prepare (s, config);
  if (!err && connect (s, to, size) < 0 && errno != EINPROGRESS)
    err = -errno;
  if (err) {
    close (s);
    return err;
  }
  *fd = s;
  return 0;
}

int
itcp_tcp_listen (const struct sockaddr *at, socklen_t size, bool v6_only,
    int *fd)
{
  int s, err;

  *fd = -1;
  s = socket (at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
      IPPROTO_TCP);
  if (s < 0)
    return -errno;
  err = set_int (s, SOL_SOCKET, SO_REUSEADDR, 1);
  if (!err && v6_only && at->sa_family == AF_INET6)
    err = set_int (s, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (!err && (bind (s, at, size) < 0 || listen (s, LISTEN_BACKLOG) < 0))
    err = -errno;
  if (err) {
    close (s);
    return err;
  }
  *fd = s;
  return 0;
}

int
itcp_tcp_accept (int listener, const ItcpTcpConfig * config, int *fd)
{
  int s, err;

  *fd = -1;
  s = accept4 (listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (s < 0)
    return errno == EINTR || errno == ECONNABORTED ? -EAGAIN : -errno;
  if ((err = prepare (s, config))) {
    close (s);
    return err;
  }
  *fd = s;
  return 0;
}

void
itcp_tcp_close (int fd)
{
  if (fd >= 0)
    close (fd);
}

void
itcp_tcp_shutdown (int fd)
{
  shutdown (fd, SHUT_RDWR);
}

int
itcp_tcp_take_error (int fd)
{
  int error = 0;
  socklen_t size = sizeof error;

  if (getsockopt (fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
    return -errno;
  return -error;
}

int
itcp_address_port (const ItcpAddress * a)
{
  if (a->storage.ss_family == AF_INET)
    return ntohs (((const struct sockaddr_in *) &a->storage)->sin_port);
  if (a->storage.ss_family == AF_INET6)
    return ntohs (((const struct sockaddr_in6 *) &a->storage)->sin6_port);
  return -EAFNOSUPPORT;
}

int
itcp_tcp_local_port (int fd)
{
  ItcpAddress local = {.size = sizeof local.storage };

  if (getsockname (fd, (struct sockaddr *) &local.storage, &local.size) < 0)
    return -errno;
  return itcp_address_port (&local);
}

bool
itcp_tcp_is_own_peer (int fd)
{
  ItcpAddress local = {.size = sizeof local.storage };
  ItcpAddress peer = {.size = sizeof peer.storage };

  return getsockname (fd, (struct sockaddr *) &local.storage, &local.size) == 0
      && getpeername (fd, (struct sockaddr *) &peer.storage, &peer.size) == 0
      && local.size == peer.size
      && memcmp (&local.storage, &peer.storage, peer.size) == 0;
}

/* True if the connection stands after this error. */
static bool
is_passing (int error)
{
  return error == EAGAIN || error == ENOBUFS || error == ENOMEM;
}

ssize_t
itcp_tcp_write (int fd, const void *data, size_t size, unsigned segment)
{
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (segment > 0 ? MSG_EOR : 0);
  const uint8_t *bytes = data;
  size_t done = 0;

  while (done < size) {
    size_t wanted = size - done;
    ssize_t n;

    if (segment > 0 && wanted > segment)
      wanted = segment;
    n = send (fd, bytes + done, wanted, flags);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && is_passing (errno))
      return done > 0 ? (ssize_t) done : -EAGAIN;
    if (n < 0)
      return -errno;
    done += (size_t) n;
  }
  return (ssize_t) done;
}

int
itcp_tcp_drain (int fd)
{
  char discarded[4096];
  ssize_t n;

  /* The loop is bounded: a peer that floods us must not keep us here. */
  for (int i = 0; i < 64; i++) {
    n = recv (fd, discarded, sizeof discarded, MSG_DONTWAIT);
    if (n == 0)
      return 0;
    if (n < 0 && errno != EINTR)
      return errno == EAGAIN || errno == EWOULDBLOCK ? 1 : -errno;
  }
  return 1;
}

/* The end of the kernel's tcp_info: the C library's header may be older than
 * the kernel. */
typedef struct
{
  uint8_t before[240];
  uint16_t total_rto, total_rto_recoveries;
  uint32_t total_rto_time;
} NewerInfo;

_Static_assert (offsetof (struct tcp_info, tcpi_snd_wnd) == 228,
    "tcp_info is laid out in another way");

int
itcp_tcp_info (int fd, ItcpTcpInfo * info)
{
  union
  {
    struct tcp_info header;
    NewerInfo newer;
  } u;
  const struct tcp_info *t = &u.header;
  socklen_t size = sizeof u;

  memset (info, 0, sizeof *info);
  memset (&u, 0, sizeof u);
  info->at = wait_monotonic_now ();
  if (getsockopt (fd, IPPROTO_TCP, TCP_INFO, &u, &size) < 0)
    return -errno;
  info->ca_state = t->tcpi_ca_state;
  info->retransmits = t->tcpi_retransmits;
  info->has_total_rto = size >= sizeof (NewerInfo);
  info->total_rto = u.newer.total_rto;
  info->mss = t->tcpi_snd_mss;
  info->ssthresh = t->tcpi_snd_ssthresh;
  info->cwnd = t->tcpi_snd_cwnd;
  info->total_retransmits = t->tcpi_total_retrans;
  info->rtt = (int64_t) t->tcpi_rtt * 1000;
  info->rtt_deviation = (int64_t) t->tcpi_rttvar * 1000;
  if (t->tcpi_min_rtt != UINT32_MAX)
    info->min_rtt = t->tcpi_min_rtt * INT64_C (1000);
  info->since_sent = t->tcpi_last_data_sent * INT64_C (1000000);
  info->since_ack = t->tcpi_last_ack_recv * INT64_C (1000000);
  info->bytes_acked = t->tcpi_bytes_acked;
  info->has_bytes_sent = size >= offsetof (struct tcp_info,
      tcpi_bytes_retrans) + sizeof t->tcpi_bytes_retrans;
  info->bytes_sent = t->tcpi_bytes_sent - t->tcpi_bytes_retrans;
  return 0;
}

int64_t
itcp_tcp_unsent (int fd)
{
  int n = 0;

  return ioctl (fd, SIOCOUTQNSD, &n) < 0 ? -errno : n;
}

int64_t
itcp_tcp_unacked (int fd)
{
  int n = 0;

  return ioctl (fd, SIOCOUTQ, &n) < 0 ? -errno : n;
}
