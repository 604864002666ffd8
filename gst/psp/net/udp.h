/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * All UDP system calls of the plugin, without any policy: sockets, multicast,
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

/* Resolves a host. Blocks. "[::1]" and "::1" are the same. `prefer` is
 * AF_UNSPEC, or the family to choose if the host has such an address. An
 * IPv4-mapped address becomes an IPv4 one, which an IPv6 socket also accepts.
 * Returns 0, or a getaddrinfo() error for gai_strerror(). */
int psp_address_resolve (const char *host, uint16_t port, int prefer,
    PspAddress * address);
bool psp_address_equal (const PspAddress * a, const PspAddress * b);
/* Compares without the port. An IPv4 address and its IPv6-mapped form are the
 * same host. */
bool psp_address_same_host (const PspAddress * a, const PspAddress * b);
bool psp_address_is_multicast (const PspAddress * address);
uint16_t psp_address_port (const PspAddress * address);
void psp_address_set_port (PspAddress * address, uint16_t port);
void psp_address_text (const PspAddress * address, char text[PSP_ADDRESS_TEXT]);

/* The functions below return 0 (or a count) or a negative errno. */

typedef struct
{
  int family;                   /* AF_INET, AF_INET6 */
  const char *bind_address;     /* NULL = any */
  uint16_t bind_port;           /* 0 = any */
  bool reuse;                   /* SO_REUSEADDR: several receivers of a group */
  int receive_buffer;           /* bytes; 0 = the system's default */
} PspUdpConfig;

/* Opens a socket. One of AF_INET6 also serves IPv4. It receives only the
 * multicast groups that it joined itself. -EADDRNOTAVAIL = bind_address does
 * not resolve. */
int psp_udp_open (const PspUdpConfig * config, int *fd);
void psp_udp_close (int fd);
/* Prepares any socket: makes it non-blocking, and asks the kernel for arrival
 * time stamp, local address and ECN bits of each datagram, if the kernel has
 * them. */
int psp_udp_prepare (int fd);
/* Returns the bytes of receive buffer granted, which may be fewer. */
int psp_udp_set_receive_buffer (int fd, int bytes);
/* Returns the most bytes of packets in the receive buffer as Linux counts them,
 * which is twice the buffer. */
int psp_udp_receive_buffer (int fd);
int psp_udp_local_address (int fd, PspAddress * address);

/* The functions set the options of IPv4 and IPv6 on an IPv6 socket, because an
 * application's socket may also send to IPv4. */
int psp_udp_set_ttl (int fd, int family, int ttl);
int psp_udp_set_multicast (int fd, int family, int ttl, bool loop,
    const char *interface);
int psp_udp_set_dscp (int fd, int family, int dscp);    /* 0–63; ECN stays */
/* Joins a group on the interface of this name, NULL = the system's choice.
 * -ENODEV = there is no such interface. */
int psp_udp_join (int fd, const PspAddress * group, const char *interface);
int psp_udp_leave (int fd, const PspAddress * group, const char *interface);
/* Returns the MTU of the path to an address that the kernel knows, in bytes of
 * IP packet. */
int psp_udp_path_mtu (const PspAddress * address);

/* A packet to send, in several pieces of memory. */
typedef struct
{
  struct iovec iov[8];
  unsigned n_iov;
  uint32_t size;
} PspUdpPacket;

typedef struct
{
  int fd;
  bool segment;                 /* use UDP_SEGMENT */
  uint32_t n_singly;            /* packets still to send without it */
  uint32_t backoff;             /* packets to send without it after the last
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

/* Reads the socket's DSCP after a change, because packets with an ECN field
 * need it, too. */
void psp_udp_sender_read_dscp (PspUdpSender * s);
/* Tries UDP_SEGMENT again at once, because the path has changed. */
void psp_udp_sender_retry (PspUdpSender * s);

/* True if UDP_SEGMENT is used for the next packets. */
static inline bool
psp_udp_sender_segments (const PspUdpSender * s)
{
  return s->segment && s->n_singly == 0;
}

/* Sends the packets in order by sendmmsg(), and runs of equal size by
 * UDP_SEGMENT. Returns how many left. If fewer than n, *error is the positive
 * errno of the next one: EAGAIN = the socket's buffer is full, wait until it is
 * writable; ENOBUFS = a queue below it is full, for which no function can wait;
 * EMSGSIZE = that packet is too large. */
unsigned psp_udp_send (PspUdpSender * s, const PspAddress * to,
    const PspUdpPacket * packets, unsigned n, int *error);

/* A received datagram. The caller sets data and spill with their capacities. */
typedef struct
{
  uint8_t *data;
  size_t capacity;
  uint8_t *spill;               /* bytes that exceed `capacity`; may be NULL */
  size_t spill_capacity;
  size_t size;                  /* bytes of the datagram; > both capacities
                                   together = truncated */
  PspAddress from;
  PspAddress to;                /* destination, this host or a group, port 0;
                                   size 0 = unknown */
  int64_t arrived_at;           /* ns since the epoch by the kernel's time
                                   stamp, or −1 */
  uint8_t ecn;
} PspUdpDatagram;

/* Most datagrams of one call: a larger batch would not be cheaper. */
#define PSP_UDP_BATCH 32

/* Receives up to n datagrams (at most PSP_UDP_BATCH a call) without blocking.
 * Returns their number or a negative errno (−EAGAIN = none waits). A pending
 * ICMP error of a connected socket is skipped: it says nothing about received
 * datagrams. */
int psp_udp_receive (int fd, PspUdpDatagram * datagrams, unsigned n);

/* Results of psp_wait(): 0 or a set of bits. */
#define PSP_WAIT_TIMEOUT 0
#define PSP_WAIT_READABLE 1     /* fd is readable */
#define PSP_WAIT_WRITABLE 2     /* fd is writable */
#define PSP_WAIT_WOKEN 4        /* the waker woke */
/* Waits until fd is readable (or writable, if `writable`), the waker woke, or
 * CLOCK_MONOTONIC reaches `until` (ns; INT64_MAX = for ever). fd −1 = only
 * the waker. Returns the bits above, or a negative errno. */
int psp_wait (int fd, bool writable, const WaitWaker * waker, int64_t until);

/* Works as psp_wait(), with an alarm for repeated waits. */
int psp_wait_alarm (int fd, const WaitWaker * waker, WaitAlarm * alarm,
    int64_t until);

/* The precision that the system grants the calling thread. */
typedef enum
{
  PSP_PRECISION_SLEEP,          /* slice and timer slack only: never spin */
  PSP_PRECISION_REALTIME        /* SCHED_FIFO: sleep less, then spin */
} PspPrecision;

/* Asks for SCHED_FIFO if `realtime`; otherwise, or if that is refused, for a
 * short EEVDF slice. Asks for 1 ns of timer slack in any case. */
PspPrecision psp_precision_request (bool realtime);
/* Spins until `until`, but for at most 250 µs; returns at once in a thread to
 * which PSP_PRECISION_REALTIME was not granted. */
void psp_spin_until (int64_t until);

/* How long before a slot the sleep ends, so that the thread is awake in time
 * and spins the rest. 49 of 50 wake-ups were no later than the margin. */
typedef struct
{
  int64_t margin;               /* ns */
} PspSpin;

#define PSP_SPIN_MAX INT64_C (200000)   /* ns; longest margin */

void psp_spin_init (PspSpin * s);
/* Returns the margin if `left` ns are left until the slot: at most PSP_SPIN_MAX
 * and an eighth of that time, so that spinning costs no more than that share of
 * a CPU; below 240 µs at most 30 µs, or half of it if that is less. */
int64_t psp_spin_margin (const PspSpin * s, int64_t left);
/* Learns from a sleep that lasted `late` ns longer than requested. */
void psp_spin_learn (PspSpin * s, int64_t late);

/* Returns false while the threads of this process have spun for more than a
 * quarter of a CPU: with many sessions the CPUs belong to sending. A thread
 * then sleeps until its slot. One session alone never spins for so long. */
bool psp_spin_affordable (int64_t now);

/* What the threads of a process may spin. */
typedef struct
{
  _Atomic int64_t affordable_at;        /* ns; when spinning is paid for */
} PspSpinBudget;

bool psp_spin_budget_allows (PspSpinBudget * b, int64_t now);
/* Takes `spun` ns that ended now. */
void psp_spin_budget_take (PspSpinBudget * b, int64_t now, int64_t spun);

/* Keeps all CPUs out of idle states that take time to leave, which costs power,
 * until the descriptor is closed or the process ends (Linux PM QoS; needs write
 * access to /dev/cpu_dma_latency). Returns a descriptor or a negative errno. */
int psp_idle_forbid (void);
void psp_idle_allow (int fd);

#endif
