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

typedef struct
{
  const char *congestion;       /* the kernel's algorithm by name; NULL or ""
                                   = the system's choice */
  unsigned user_timeout_ms;     /* the connection is given up when data or
                                   a keepalive is not acknowledged for so
                                   long; 0 = the system's choice */
} ItcpTcpConfig;

/* A socket on its way: once writable, itcp_tcp_take_error tells whether it
 * is connected. */
int itcp_tcp_connect (const struct sockaddr *to, socklen_t size,
    const ItcpTcpConfig * config, int *fd);
int itcp_tcp_listen (const struct sockaddr *at, socklen_t size, int *fd);
/* −EAGAIN: nobody is there. */
int itcp_tcp_accept (int listener, const ItcpTcpConfig * config, int *fd);
void itcp_tcp_close (int fd);
/* Ends the connection both ways, whoever else uses it. */
void itcp_tcp_shutdown (int fd);

/* −ENOENT: the kernel has no such algorithm; −EPERM: it may only be chosen
 * with privilege (net.ipv4.tcp_allowed_congestion_control). */
int itcp_tcp_set_congestion (int fd, const char *name);
/* The algorithm in use. */
int itcp_tcp_congestion (int fd, char name[16]);
/* The socket's pending error, cleared. */
int itcp_tcp_take_error (int fd);
int itcp_tcp_local_port (int fd);

/* Writes as much as the socket takes, in writes of at most `segment` bytes
 * which TCP does not join: each leaves, and is time stamped, by itself. Bytes
 * written, or a negative errno where not even one was. */
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
  uint64_t bytes_acked;
} ItcpTcpInfo;

int itcp_tcp_info (int fd, ItcpTcpInfo * info);
/* Bytes written but not sent yet, and those sent but not acknowledged too. */
int64_t itcp_tcp_unsent (int fd);
int64_t itcp_tcp_unacked (int fd);

/* Wakes an itcp_wait from any thread. */
typedef struct
{
  int fd;
} ItcpWaker;

int itcp_waker_open (ItcpWaker * w);
void itcp_waker_close (ItcpWaker * w);
void itcp_waker_wake (ItcpWaker * w);
void itcp_waker_clear (ItcpWaker * w);

#define ITCP_WAIT_READABLE 1    /* bits */
#define ITCP_WAIT_WRITABLE 2
#define ITCP_WAIT_ERROR 4       /* pending, or something is in the error queue;
                                   waited for always */
#define ITCP_WAIT_HANGUP 8      /* closed both ways; likewise */
#define ITCP_WAIT_WOKEN 16
/* Waits for what was asked for, the waker, or `until` of CLOCK_MONOTONIC (ns;
 * INT64_MAX = for ever). fd −1: for the others only. Bits above, 0 = it is
 * time, or a negative errno. */
int itcp_wait (int fd, int events, const ItcpWaker * waker, int64_t until);

int64_t itcp_monotonic_now (void);
/* What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC. */
int64_t itcp_wall_offset (void);

#endif
