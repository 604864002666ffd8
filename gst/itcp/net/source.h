/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds TCP's events. A source looks at one connection when its owner asks it
 * to: when itcp_source_wait() says so, and after `interval`.
 */
#ifndef ITCP_NET_SOURCE_H
#define ITCP_NET_SOURCE_H

#include "detector.h"
#include "flight.h"
#include "ratelimit.h"
#include "tcp.h"

typedef enum
{
  ITCP_SOURCE_AUTO,             /* the first below that works */
  /* a program in the kernel, a helper's or our own; TCP_INFO besides */
  ITCP_SOURCE_BPF,
  /* the time stamp of each segment wakes; TCP_INFO besides */
  ITCP_SOURCE_ERROR_QUEUE,
  ITCP_SOURCE_TCP_INFO          /* a look every 5 ms */
} ItcpSourceKind;

typedef struct
{
  ItcpFindings found;
  /* CLOCK_MONOTONIC, ns: when the kernel retransmitted for the first of these
   * events, or with bpf set the state for it; PSP_TIME_UNKNOWN = unknown. */
  int64_t rexmt_at, dupack_at;
  /* the newest TCP_INFO; all zero if the source does not look */
  ItcpTcpInfo info;
} ItcpReading;

typedef struct ItcpSourceClass ItcpSourceClass;

typedef struct
{
  const ItcpSourceClass *klass; /* changes if this one ceases to work */
  int fd;
  int wake_fd;                  /* another descriptor that wakes; -1 = none */
  ItcpDetector detector;
  bool ignore_total_rto;
  /* the algorithm cuts the threshold at each recovery */
  bool cuts_threshold;
  bool blind;                   /* TCP_INFO is not available */
  ItcpTcpInfo info;             /* from the last look */
  int64_t look_due;             /* ns; from then on TCP_INFO is too old */
  /* These belong to the error queue. */
  int64_t looked_at;            /* wall time of the last TCP_INFO */
  uint64_t stamps;              /* records read */
  /* time of the first record since the last TCP_INFO, or PSP_TIME_UNKNOWN */
  int64_t first_stamp;
  ItcpFlight flight;
  ItcpRateLimit rest;           /* limits the looks at the error queue */
  int64_t rest_until;           /* until then the socket is not waited for */
  bool quiet;                   /* nothing can happen until rest_until */
  bool rests;                   /* the last wait was a rest */
  bool keeps_few;               /* the last value passed to keep_few */
  void *state;                  /* the state of bpf */
} ItcpSource;

struct ItcpSourceClass
{
  const char *name;
  int64_t interval;             /* ns between reads, at most */
  /* ns; TCP_INFO is too old for a read after this */
  int64_t fresh;
  /* The source reports on writes of at most a segment that TCP does not join;
   * see itcp_tcp_write(). */
  bool by_segment;
  int (*open) (ItcpSource *);
  /* Returns true if TCP_INFO is to be read now. NULL = always. */
  bool (*read) (ItcpSource *, ItcpReading *);
  /* Called after TCP_INFO was read; corrects its findings. Returns a negative
   * errno if it no longer works; it has then changed nothing. May be NULL. */
  int (*settle) (ItcpSource *, ItcpReading *);
  /* Notes that records are useless for a while (few) or useful again. May be
   * NULL. */
  void (*keep_few) (ItcpSource *, bool few);
  void (*close) (ItcpSource *); /* called even if open failed; may be NULL */
};

/* Opens a source for a connected socket, which stays the caller's and must
 * outlive the source. Returns 0, or a negative errno if the kernel does not
 * have what the source needs or refuses it; then there is nothing to close. */
int itcp_source_open (ItcpSource * s, ItcpSourceKind kind, int fd);
void itcp_source_close (ItcpSource * s);
/* Makes a source that finds nothing, if all others fail. */
void itcp_source_init_none (ItcpSource * s, int fd);
/* Waits until there may be something to read. `events` of ITCP_WAIT_ are for
 * the socket. While the source rests, it waits only for the others and the end
 * of the rest, unless `events` asks for room to write. See itcp_wait_also(). */
int itcp_source_wait (ItcpSource * s, int events, const WaitWaker * waker,
    WaitAlarm * alarm, int64_t until);
/* Makes the source read TCP_INFO by then, if not sooner. */
void itcp_source_look_by (ItcpSource * s, int64_t at);
/* Returns 0, or a negative errno if the connection is gone. */
int itcp_source_read (ItcpSource * s, ItcpReading * reading);
/* Makes the source behave from now on as with a kernel before 6.7, for
 * tests. */
void itcp_source_ignore_total_rto (ItcpSource * s);

#endif
