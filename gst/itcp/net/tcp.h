/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Makes every TCP system call of the plugin, without policy: sockets that never
 * block, writes of one segment each, and the kernel's data on a connection.
 * Functions return 0 (or a count) or a negative errno.
 */
#ifndef ITCP_NET_TCP_H
#define ITCP_NET_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <wait/wait.h>

typedef struct
{
  /* name of the kernel's algorithm; NULL or "" = the system's choice */
  const char *congestion;
  /* The connection is given up if data or a keepalive is not acknowledged for
   * this long; 0 = the system's choice. */
  unsigned user_timeout_ms;
} ItcpTcpConfig;

/* An IPv4 or IPv6 address with port. */
typedef struct
{
  struct sockaddr_storage storage;
  socklen_t size;
} ItcpAddress;

/* Returns the port or a negative errno. */
int itcp_address_port (const ItcpAddress * address);

/* Starts to connect a socket. Once it is writable, itcp_tcp_take_error returns
 * whether it is connected. */
int itcp_tcp_connect (const struct sockaddr *to, socklen_t size,
    const ItcpTcpConfig * config, int *fd);
/* Returns true if the socket has connected to itself. That happens if nothing
 * listens on the port and the system chose it for the caller too. */
bool itcp_tcp_is_own_peer (int fd);
/* Starts to listen. With v6_only an IPv6 address does not serve IPv4 as
 * well. */
int itcp_tcp_listen (const struct sockaddr *at, socklen_t size, bool v6_only,
    int *fd);
/* Accepts a connection; −EAGAIN = none waits. */
int itcp_tcp_accept (int listener, const ItcpTcpConfig * config, int *fd);
void itcp_tcp_close (int fd);
/* Ends the connection in both directions, even if others use the socket. */
void itcp_tcp_shutdown (int fd);

/* Chooses the algorithm. −ENOENT = the kernel has no such algorithm; −EPERM =
 * choosing it needs a privilege (net.ipv4.tcp_allowed_congestion_control). */
int itcp_tcp_set_congestion (int fd, const char *name);
/* Returns whether later sockets can choose the algorithm, with the same errors;
 * 0 if there is no socket to try it on. */
int itcp_tcp_check_congestion (const char *name);
/* Limits the unsent data: a write accepts no more once this many bytes are
 * unsent; 0 = as many as the system allows (net.ipv4.tcp_notsent_lowat). */
int itcp_tcp_set_unsent_limit (int fd, unsigned bytes);
/* Writes the name of the algorithm in use. */
int itcp_tcp_congestion (int fd, char name[16]);
/* Returns the socket's pending error and clears it. */
int itcp_tcp_take_error (int fd);
int itcp_tcp_local_port (int fd);

/* Writes as much as the socket accepts. With `segment` above 0 each write has
 * at most this many bytes and TCP does not join them, so each leaves and is
 * time stamped separately. 0 = one write, which costs less. Returns the bytes
 * written, -EAGAIN if it accepts none now, or another negative errno if the
 * connection has ended, even after a part was written: the kernel reports the
 * error only once. */
ssize_t itcp_tcp_write (int fd, const void *data, size_t size,
    unsigned segment);
/* Reads and discards. Returns 1, 0 if the peer sends nothing more, or a
 * negative errno. */
int itcp_tcp_drain (int fd);

/* The part of TCP_INFO that is needed here. */
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
  /* ns since the last data left and the last acknowledgement arrived, exact to
   * a tick of the kernel */
  int64_t since_sent, since_ack;
  uint64_t bytes_acked;
  bool has_bytes_sent;          /* since Linux 4.19 */
  uint64_t bytes_sent;          /* without retransmissions */
  /* CLOCK_MONOTONIC, ns, when TCP_INFO was read */
  int64_t at;
} ItcpTcpInfo;

int itcp_tcp_info (int fd, ItcpTcpInfo * info);
/* Returns the bytes written but not sent yet. */
int64_t itcp_tcp_unsent (int fd);
/* Returns the bytes written but not acknowledged yet, sent or not. */
int64_t itcp_tcp_unacked (int fd);

/* The limit on addresses of one name that are listened on, all on one port; a
 * host rarely has more. */
#define ITCP_MAX_LISTENERS 8

typedef struct
{
  int wait_fd;                  /* readable if a connection waits */
  int fds[ITCP_MAX_LISTENERS];
  unsigned n;
} ItcpListeners;

/* Opens all addresses; port 0 = one that is free at all of them. Returns 0, or
 * the errno of the first address that is refused; nothing is left open then. */
int itcp_listeners_open (ItcpListeners * l, const ItcpAddress * addresses,
    unsigned n);
void itcp_listeners_close (ItcpListeners * l);
int itcp_listeners_port (const ItcpListeners * l);
/* Like itcp_tcp_accept(). */
int itcp_listeners_accept (const ItcpListeners * l,
    const ItcpTcpConfig * config, int *fd);

/* The bits of events that are waited for. */
#define ITCP_WAIT_READABLE 1    /* there is data to read */
#define ITCP_WAIT_WRITABLE 2    /* there is room to write */
/* an error or something in the error queue; always waited for */
#define ITCP_WAIT_ERROR 4
/* closed in both directions; always waited for */
#define ITCP_WAIT_HANGUP 8
#define ITCP_WAIT_WOKEN 16      /* the waker has woken */
#define ITCP_WAIT_ALSO 32       /* the other descriptor is readable */
/* Waits for the requested events, the waker, or CLOCK_MONOTONIC to reach
 * `until` (ns; INT64_MAX = for ever). fd −1 = wait only for the others. Returns
 * the bits above, 0 if the time is reached, or a negative errno. */
int itcp_wait (int fd, int events, const WaitWaker * waker, int64_t until);
/* The same, and waits also for another descriptor to be readable; −1 = none.
 * `alarm` is for an end that moves to later times; it may be NULL. */
int itcp_wait_also (int fd, int events, int also, const WaitWaker * waker,
    WaitAlarm * alarm, int64_t until);

/* Returns CLOCK_REALTIME minus CLOCK_MONOTONIC. */
int64_t itcp_wall_offset (void);

#endif
