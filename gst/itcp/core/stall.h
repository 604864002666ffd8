/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds that acknowledgements have ceased, before the retransmission timer
 * does, which waits 200 ms or a second longer than a round trip takes, and
 * starts anew with each acknowledgement (RFC 6298, 5.3). Here each byte has
 * its own time: what was sent by then is to be acknowledged a round trip and
 * four deviations later (RFC 6298, 2.3, without the least of its timer).
 */
#ifndef ITCP_CORE_STALL_H
#define ITCP_CORE_STALL_H

#include "types.h"

/* The least that is allowed over a round trip: the kernel's times of the last
 * packets are of its tick, of 1 to 10 ms, two of which may be off. */
#define ITCP_STALL_LEAST (20 * ITCP_MSECOND)
#define ITCP_STALL_MARKS 64

/* TCP's state at `at`; times in ns, bytes since the connection began. */
typedef struct
{
  int64_t at;
  int64_t since_sent;           /* the last data that left */
  int64_t since_ack;            /* the last acknowledgement that came */
  int64_t rtt, deviation;       /* smoothed; rtt 0 = unknown */
  uint64_t sent, acked;         /* without what was sent again */
  unsigned mss;
  uint8_t ca_state;
} ItcpStallSample;

typedef struct
{
  struct
  {
    uint64_t sent;              /* all up to here had left */
    int64_t at;                 /* by this time */
  } marks[ITCP_STALL_MARKS];    /* what is not acknowledged; a ring */
  unsigned first, n;
  bool told;                    /* of this stall */
  uint64_t acked;               /* at the last sample */
} ItcpStall;

void itcp_stall_init (ItcpStall * s);
/* True: acknowledgements have ceased; once, until one comes. `due`: when a next
 * sample could find that, or ITCP_TIME_NEVER. Samples no later than the one
 * before are welcome, and find nothing. */
bool itcp_stall_sample (ItcpStall * s, const ItcpStallSample * sample,
    int64_t * due);

#endif
