/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Detects that acknowledgements have ceased, before the retransmission timer
 * does. That timer waits 200 ms to a second longer than a round trip and
 * restarts with each acknowledgement (RFC 6298, 5.3). Here each byte has its
 * own time: it should be acknowledged a round trip and four deviations after it
 * was sent (RFC 6298, 2.3, without the timer's minimum).
 */
#ifndef ITCP_CORE_STALL_H
#define ITCP_CORE_STALL_H

#include "types.h"

/* ns. The minimum allowed beyond a round trip: the kernel's times of the last
 * packets have the resolution of its tick, 1 to 10 ms, and two of them may be
 * off. */
#define ITCP_STALL_LEAST (20 * PSP_MSECOND)
/* number of looks whose time is remembered until all data that they saw as sent
 * is acknowledged */
#define ITCP_STALL_MARKS 64

/* TCP's state at `at`. Times are ns, bytes are counted since the connection
 * started. */
typedef struct
{
  int64_t at;
  int64_t since_sent;           /* ns since the last data left */
  int64_t since_ack;            /* ns since the last acknowledgement arrived */
  int64_t rtt, deviation;       /* smoothed; rtt 0 = unknown */
  uint64_t sent, acked;         /* without retransmissions */
  unsigned mss;
  uint8_t ca_state;
} ItcpStallSample;

typedef struct
{
  struct
  {
    uint64_t sent;              /* all data up to this byte had left by `at` */
    int64_t at;                 /* ns; when the data up to `sent` had left */
  } marks[ITCP_STALL_MARKS];    /* a ring of unacknowledged data */
  unsigned first, n;
  bool reported;                    /* this stall has been reported */
  uint64_t acked;               /* bytes acknowledged at the last sample */
} ItcpStall;

void itcp_stall_init (ItcpStall * s);
/* Returns true if acknowledgements have ceased, once until the next one
 * arrives. `due` is when a later sample could find that, or PSP_TIME_NEVER. A
 * sample no later than the one before is allowed and finds nothing. */
bool itcp_stall_sample (ItcpStall * s, const ItcpStallSample * sample,
    int64_t * due);

#endif
