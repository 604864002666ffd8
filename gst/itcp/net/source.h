/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Where TCP's events come from. A source looks at one connection when its
 * owner asks it to: when itcp_source_wait() says so, and after `interval`.
 */
#ifndef ITCP_NET_SOURCE_H
#define ITCP_NET_SOURCE_H

#include "detector.h"
#include "flight.h"
#include "rest.h"
#include "tcp.h"

typedef enum
{
  ITCP_SOURCE_AUTO,             /* the first below that works */
  ITCP_SOURCE_BPF,              /* a program in the kernel: that of a helper,
                                   or our own; TCP_INFO beside it */
  ITCP_SOURCE_ERROR_QUEUE,      /* each segment's time stamp wakes; TCP_INFO */
  ITCP_SOURCE_TCP_INFO          /* every 5 ms */
} ItcpSourceKind;

typedef struct
{
  ItcpFindings found;
  /* When the kernel sent what it sent again for the first of them, or with
   * bpf set the state for it (CLOCK_MONOTONIC), or ITCP_TIME_UNKNOWN. */
  int64_t rexmt_at, dupack_at;
  ItcpTcpInfo info;             /* the newest; all zero where the source does
                                   not look */
} ItcpNews;

typedef struct ItcpSourceClass ItcpSourceClass;

typedef struct
{
  const ItcpSourceClass *klass; /* another when this one ceases to work */
  int fd;
  int wake_fd;                  /* to be waited on too; -1 = none */
  ItcpDetector detector;
  bool ignore_total_rto;
  bool cuts_threshold;          /* its algorithm does, at each recovery */
  bool blind;                   /* there is no TCP_INFO */
  ItcpTcpInfo info;             /* of the last look */
  int64_t look_due;             /* then TCP_INFO is too old */
  /* The error queue's. */
  int64_t looked_at;            /* wall time of the last TCP_INFO */
  uint64_t stamps;              /* records read */
  int64_t first_stamp;          /* of those since the last TCP_INFO, or
                                   ITCP_TIME_UNKNOWN */
  ItcpFlight flight;
  ItcpRest rest;
  int64_t rest_until;           /* from the socket */
  bool quiet;                   /* until then nothing can happen */
  bool rests;                   /* the last wait did */
  bool keeps_few;               /* as the class was told */
  void *state;                  /* of bpf */
} ItcpSource;

struct ItcpSourceClass
{
  const char *name;
  int64_t interval;             /* ns, at most, from read to read */
  int64_t fresh;                /* ns; a later read finds TCP_INFO too old */
  bool by_segment;              /* it tells of writes of at most a segment that
                                   TCP does not join; see itcp_tcp_write() */
  int (*open) (ItcpSource *);
  /* True: TCP_INFO is to be looked at now. NULL: always. */
  bool (*read) (ItcpSource *, ItcpNews *);
  /* After TCP_INFO: puts right what that found. A negative errno: it does not
   * work any more, and has changed nothing. May be NULL. */
  int (*settle) (ItcpSource *, ItcpNews *);
  /* What is there to be read is of no use for a while, or again is; may be
   * NULL. */
  void (*keep_few) (ItcpSource *, bool few);
  void (*close) (ItcpSource *); /* even when opening it failed; may be NULL */
};

/* Of a connected socket, which stays the caller's and must outlive it. 0, or
 * a negative errno: the kernel does not have what it needs, or refuses it;
 * nothing is left to close then. */
int itcp_source_open (ItcpSource * s, ItcpSourceKind kind, int fd);
void itcp_source_close (ItcpSource * s);
/* One that finds nothing, for where all others fail. */
void itcp_source_init_none (ItcpSource * s, int fd);
/* Waits until there may be something to read: for the socket, `events` of
 * ITCP_WAIT_; while the source rests from that, for the others and the end of
 * the rest only, unless room to write is asked for. See itcp_wait_also(). */
int itcp_source_wait (ItcpSource * s, int events, const WaitWaker * waker,
    WaitAlarm * alarm, int64_t until);
/* TCP_INFO is to be looked at by then, if not sooner. */
void itcp_source_look_by (ItcpSource * s, int64_t at);
/* 0, or a negative errno: the connection is gone. */
int itcp_source_read (ItcpSource * s, ItcpNews * news);
/* From now on as with a kernel before 6.7: for tests. */
void itcp_source_ignore_total_rto (ItcpSource * s);

#endif
