/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Every TCP system call of the plugin, and no policy: sockets that never
 * block, writes of a segment each, what the kernel tells of a connection.
 * Functions return 0 (or a count) or a negative errno.
 */
#ifndef ITCP_NET_TCP_H
#define ITCP_NET_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "wait.h"

typedef struct
{
  const char *congestion;       /* the kernel's algorithm by name; NULL or ""
                                   = the system's choice */
  unsigned user_timeout_ms;     /* the connection is given up when data or
                                   a keepalive is not acknowledged for so
                                   long; 0 = the system's choice */
} ItcpTcpConfig;

/* An IPv4 or IPv6 address with port. */
typedef struct
{
  struct sockaddr_storage storage;
  socklen_t size;
} ItcpAddress;

/* Or a negative errno. */
int itcp_address_port (const ItcpAddress * address);

/* A socket on its way: once writable, itcp_tcp_take_error tells whether it
 * is connected. */
int itcp_tcp_connect (const struct sockaddr *to, socklen_t size,
    const ItcpTcpConfig * config, int *fd);
/* True: it has connected to itself, as to a port that nobody listens on but
 * the system chose for the caller too. */
bool itcp_tcp_is_own_peer (int fd);
/* v6_only: an address of IPv6 does not serve IPv4 as well. */
int itcp_tcp_listen (const struct sockaddr *at, socklen_t size, bool v6_only,
    int *fd);
/* −EAGAIN: nobody is there. */
int itcp_tcp_accept (int listener, const ItcpTcpConfig * config, int *fd);
void itcp_tcp_close (int fd);
/* Ends the connection both ways, whoever else uses it. */
void itcp_tcp_shutdown (int fd);

/* −ENOENT: the kernel has no such algorithm; −EPERM: it may only be chosen
 * with privilege (net.ipv4.tcp_allowed_congestion_control). */
int itcp_tcp_set_congestion (int fd, const char *name);
/* Likewise, for sockets to come; 0 where there is no socket to try it on. */
int itcp_tcp_check_congestion (const char *name);
/* A write takes no more once so many bytes are unsent; 0 = as many as the
 * system allows (net.ipv4.tcp_notsent_lowat). */
int itcp_tcp_set_unsent_limit (int fd, unsigned bytes);
/* The algorithm in use. */
int itcp_tcp_congestion (int fd, char name[16]);
/* The socket's pending error, cleared. */
int itcp_tcp_take_error (int fd);
int itcp_tcp_local_port (int fd);

/* Writes as much as the socket takes, in writes of at most `segment` bytes
 * which TCP does not join: each leaves, and is time stamped, by itself; 0 = at
 * once, which costs less. Bytes written, or a negative errno where not even one
 * was. */
ssize_t itcp_tcp_write (int fd, const void *data, size_t size,
    unsigned segment);
/* Reads and throws away. 1 = the connection stands, 0 = its other end has
 * closed it, or a negative errno. */
int itcp_tcp_drain (int fd);

/* TCP_INFO, as far as it is needed here. */
typedef struct
{
  uint8_t ca_state;
  uint8_t retransmits;
  bool has_total_rto;           /* since Linux 6.7 */
  uint16_t total_rto;
  unsigned mss;
  uint32_t ssthresh, cwnd;      /* packets */
  uint32_t total_retransmits;   /* segments */
  int64_t rtt;                  /* ns; 0 = unknown */
  int64_t rtt_deviation;        /* ns, mean */
  int64_t min_rtt;              /* ns; 0 = unknown */
  int64_t since_sent, since_ack;        /* ns, of the last; exact to a tick of
                                           the kernel */
  uint64_t bytes_acked;
  bool has_bytes_sent;          /* since Linux 4.19 */
  uint64_t bytes_sent;          /* once each */
  int64_t at;                   /* when it was looked at, CLOCK_MONOTONIC */
} ItcpTcpInfo;

int itcp_tcp_info (int fd, ItcpTcpInfo * info);
/* Bytes written but not sent yet, and those sent but not acknowledged too. */
int64_t itcp_tcp_unsent (int fd);
int64_t itcp_tcp_unacked (int fd);

/* All addresses of a name that this system has, on one port. */
#define ITCP_MAX_LISTENERS 8

typedef struct
{
  int wait_fd;                  /* readable: somebody is to be accepted */
  int fds[ITCP_MAX_LISTENERS];
  unsigned n;
} ItcpListeners;

/* Of port 0: one that is free at all of them. 0, or the errno of the first
 * address that is refused; nothing is left open then. */
int itcp_listeners_open (ItcpListeners * l, const ItcpAddress * addresses,
    unsigned n);
void itcp_listeners_close (ItcpListeners * l);
int itcp_listeners_port (const ItcpListeners * l);
/* As itcp_tcp_accept(). */
int itcp_listeners_accept (const ItcpListeners * l,
    const ItcpTcpConfig * config, int *fd);

#define ITCP_WAIT_READABLE 1    /* bits */
#define ITCP_WAIT_WRITABLE 2
#define ITCP_WAIT_ERROR 4       /* pending, or something is in the error queue;
                                   waited for always */
#define ITCP_WAIT_HANGUP 8      /* closed both ways; likewise */
#define ITCP_WAIT_WOKEN 16
#define ITCP_WAIT_ALSO 32
/* Waits for what was asked for, the waker, or `until` of CLOCK_MONOTONIC (ns;
 * INT64_MAX = for ever). fd −1: for the others only. Bits above, 0 = it is
 * time, or a negative errno. */
int itcp_wait (int fd, int events, const WaitWaker * waker, int64_t until);
/* The same, and for another one to be readable; −1 = none. alarm: for
 * an end that moves on; may be NULL. */
int itcp_wait_also (int fd, int events, int also, const WaitWaker * waker,
    WaitAlarm * alarm, int64_t until);

/* What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC. */
int64_t itcp_wall_offset (void);

#endif
