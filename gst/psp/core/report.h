/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a wire report, or the time-out of one, means to a controller: history
 * (history.h) reduces feedback to this flat form once; controllers see neither
 * the wire nor the history.
 */
#ifndef PSP_CORE_REPORT_H
#define PSP_CORE_REPORT_H

#include "types.h"

typedef enum
{
  PSP_OUTCOME_RECEIVED,
  PSP_OUTCOME_LOST,
  PSP_OUTCOME_RECOVERED         /* was LOST in an earlier report; it arrived */
} PspOutcome;

typedef struct
{
  int64_t index;                /* order of sending, over all SSRCs, from 0 */
  int64_t sent_at;              /* sender's time line */
  int64_t arrived_at;           /* receiver's time line; PSP_TIME_UNKNOWN when
                                   lost or not told */
  uint32_t size;                /* RTP packet, bytes */
  uint8_t outcome;              /* PspOutcome */
  uint8_t ecn;                  /* PspEcn at the receiver */
  bool app_limited;             /* it could have left earlier: for a while
                                   before it there was nothing to send */
} PspPacketResult;

typedef struct
{
  int64_t now;
  bool timeout;                 /* no feedback came: the losses are presumed */
  int64_t rtt_sample;           /* ns ≥ 1 ms, of the newest packet received,
                                   without the receiver's holding time;
                                   PSP_TIME_UNKNOWN where none is new */
  int64_t in_flight;            /* packets still undecided after this report */
  int64_t oldest_in_flight_at;  /* when the oldest of them was sent, or
                                   PSP_TIME_NEVER */
  int64_t newest_index;         /* highest index known to have arrived, ever;
                                   −1 = none */
  unsigned n_received;          /* outcomes of the three kinds below */
  unsigned n_lost;
  unsigned n_recovered;
  unsigned n_ce;                /* received with congestion experienced */
  const PspPacketResult *results;       /* only what is newly known,
                                           ascending index */
  size_t n_results;
} PspReport;

/* NULL where there is none. */
const PspPacketResult *psp_report_oldest_received (const PspReport * report);
const PspPacketResult *psp_report_newest_received (const PspReport * report);
/* What was given up too early came later than expected, and says so: otherwise
 * the next one would be given up too. There is no retransmission, so it is plain
 * which packet that is (Karn). */
const PspPacketResult *psp_report_newest_recovered (const PspReport * report);

/* How many results from `first` on are of packets that arrived without a mark. */
size_t psp_report_received_run (const PspReport * report, size_t first);

#endif
