/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Every UDP system call of the plugin, and no policy: sockets, multicast,
 * batches with UDP_SEGMENT, kernel time stamps, ECN bits, waiting.
 */
#ifndef PSP_NET_UDP_H
#define PSP_NET_UDP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <wait/wait.h>

/* An IPv4 or IPv6 address with port. */
typedef struct
{
  struct sockaddr_storage storage;
  socklen_t size;
} PspAddress;

#define PSP_ADDRESS_TEXT 64     /* bytes: "[ADDRESS%scope]:port" and its NUL */

/* Resolves, blocking; "[::1]" and "::1" are the same. prefer: AF_UNSPEC, or
 * AF_INET or AF_INET6 where the name has such an address. An IPv4-mapped
 * address comes out as IPv4, which an IPv6 socket takes too. 0, or a
 * getaddrinfo() error for gai_strerror(). */
int psp_address_resolve (const char *host, uint16_t port, int prefer,
    PspAddress * address);
bool psp_address_equal (const PspAddress * a, const PspAddress * b);
/* Without the port; IPv4 and its IPv6-mapped form are the same host. */
bool psp_address_same_host (const PspAddress * a, const PspAddress * b);
bool psp_address_is_multicast (const PspAddress * address);
uint16_t psp_address_port (const PspAddress * address);
void psp_address_set_port (PspAddress * address, uint16_t port);
void psp_address_text (const PspAddress * address, char text[PSP_ADDRESS_TEXT]);

/* Below, functions return 0 (or a count) or a negative errno. */

typedef struct
{
  int family;                   /* AF_INET, AF_INET6 */
  const char *bind_address;     /* NULL = any */
  uint16_t bind_port;           /* 0 = any */
  bool reuse;                   /* SO_REUSEADDR: several receivers of a group */
  int receive_buffer;           /* bytes, 0 = system's */
} PspUdpConfig;

/* A socket of AF_INET6 serves IPv4 as well. Of multicast only what it joined
 * itself arrives. -EADDRNOTAVAIL: bind_address does not resolve. */
int psp_udp_open (const PspUdpConfig * config, int *fd);
void psp_udp_close (int fd);
/* Prepares any socket, ours or handed in: non-blocking; kernel arrival time
 * stamps, local address and ECN bits with each datagram where the kernel has
 * them. */
int psp_udp_prepare (int fd);
/* Bytes of receive buffer granted, which may be fewer than asked. */
int psp_udp_set_receive_buffer (int fd, int bytes);
/* What packets in it may come to as Linux counts them, which is twice the buffer, or
 * a negative errno. */
int psp_udp_receive_buffer (int fd);
int psp_udp_local_address (int fd, PspAddress * address);

/* An IPv6 socket has the options of both: one may be handed in that sends to
 * IPv4 too. */
int psp_udp_set_ttl (int fd, int family, int ttl);
int psp_udp_set_multicast (int fd, int family, int ttl, bool loop,
    const char *interface);
int psp_udp_set_dscp (int fd, int family, int dscp);    /* 0–63; ECN stays */
/* interface: by name, NULL = the system's choice; -ENODEV: no such. */
int psp_udp_join (int fd, const PspAddress * group, const char *interface);
int psp_udp_leave (int fd, const PspAddress * group, const char *interface);
/* MTU of the path to an address as the kernel knows it, bytes of IP packet. */
int psp_udp_path_mtu (const PspAddress * address);

/* One packet to send: its memory in pieces. */
typedef struct
{
  struct iovec iov[8];
  unsigned n_iov;
  uint32_t size;
} PspUdpPacket;

typedef struct
{
  int fd;
  bool segment;                 /* UDP_SEGMENT is to be used */
  uint32_t n_singly;            /* packets to go without it, as it was refused */
  uint32_t backoff;             /* packets to go without it after the last
                                   refusal */
  uint64_t system_calls;
  PspAddress source;            /* local address to send from, its port is
                                   ignored; size 0 = the system's choice */
  int ecn;                      /* field of packets (RFC 3168 section 5); −1 =
                                   the socket's */
  /* the socket's type of service of IPv4 and traffic class of IPv6 */
  int tos, tclass;
} PspUdpSender;

void psp_udp_sender_init (PspUdpSender * s, int fd);

/* The socket's DSCP is another, which packets with an ECN field have too. */
void psp_udp_sender_read_dscp (PspUdpSender * s);
/* The path is another: what it refused may be tried again at once. */
void psp_udp_sender_retry (PspUdpSender * s);

/* Whether UDP_SEGMENT is used for the next packets. */
static inline bool
psp_udp_sender_segments (const PspUdpSender * s)
{
  return s->segment && s->n_singly == 0;
}

/* Sends in order: runs of equal size by UDP_SEGMENT, all by sendmmsg().
 * Returns how many left (fewer than n only where the next one met an error,
 * then *error is its positive errno; EAGAIN = the socket's buffer is full,
 * wait until it is writable; ENOBUFS = a queue below it is, which nothing can
 * wait for; EMSGSIZE = that packet is too large). */
unsigned psp_udp_send (PspUdpSender * s, const PspAddress * to,
    const PspUdpPacket * packets, unsigned n, int *error);

/* One received datagram; data and spill with their capacities are the
 * caller's. */
typedef struct
{
  uint8_t *data;
  size_t capacity;
  uint8_t *spill;               /* what data has no room for; may be NULL */
  size_t spill_capacity;
  size_t size;                  /* of the datagram; > both capacities together
                                   = truncated */
  PspAddress from;
  PspAddress to;                /* destination, ours or a group, port 0;
                                   size 0 = unknown */
  int64_t arrived_at;           /* ns since the epoch by the kernel's time
                                   stamp, or −1 */
  uint8_t ecn;
} PspUdpDatagram;

/* Datagrams: more do not make one of them cheaper. */
#define PSP_UDP_BATCH 32

/* Fills up to n (at most PSP_UDP_BATCH a call) without blocking; count or
 * negative errno (−EAGAIN = none waiting). A pending ICMP error of a connected
 * socket is passed over: it says nothing about what has arrived. */
int psp_udp_receive (int fd, PspUdpDatagram * datagrams, unsigned n);

/* Results of psp_wait(): 0 or these bits. */
#define PSP_WAIT_TIMEOUT 0
#define PSP_WAIT_READABLE 1
#define PSP_WAIT_WRITABLE 2
#define PSP_WAIT_WOKEN 4
/* Waits until fd is readable (or writable when asked), the waker woke, or
 * CLOCK_MONOTONIC reaches `until` (ns; INT64_MAX = for ever). fd −1: only the
 * waker. Bits above, or a negative errno. */
int psp_wait (int fd, bool writable, const WaitWaker * waker, int64_t until);

/* As psp_wait. */
int psp_wait_alarm (int fd, const WaitWaker * waker, WaitAlarm * alarm,
    int64_t until);

/* What precision the system grants the calling thread. */
typedef enum
{
  PSP_PRECISION_SLEEP,          /* slice and timer slack only: never spin */
  PSP_PRECISION_REALTIME        /* SCHED_FIFO: sleep short, then spin */
} PspPrecision;

/* Asks for SCHED_FIFO when `realtime`, else or failing that for a short
 * EEVDF slice and 1 ns of timer slack. */
PspPrecision psp_precision_request (bool realtime);
/* Spins until `until`, but for at most 250 µs; returns at once in a thread to
 * which PSP_PRECISION_REALTIME was not granted. */
void psp_spin_until (int64_t until);

/* How long before a slot to end the sleep, so that one is awake in time and
 * spins the rest: as late as 49 of 50 wake-ups were. */
typedef struct
{
  int64_t margin;               /* ns */
} PspSpin;

#define PSP_SPIN_MAX INT64_C (200000)   /* ns */

void psp_spin_init (PspSpin * s);
/* The margin, where `left` ns are left until the slot: at most PSP_SPIN_MAX
 * and an eighth of that time, so that spinning costs no more than that share
 * of a CPU; below 240 µs 30 µs, or half of it if that is less. */
int64_t psp_spin_margin (const PspSpin * s, int64_t left);
/* A sleep lasted `late` ns longer than was asked. */
void psp_spin_learn (PspSpin * s, int64_t late);

/* Keeps all CPUs out of idle states that take time to leave, which costs power,
 * until the descriptor is closed or the process ends (Linux PM QoS; needs write
 * access to /dev/cpu_dma_latency). A descriptor or negative errno. */
int psp_idle_forbid (void);
void psp_idle_allow (int fd);

#endif
