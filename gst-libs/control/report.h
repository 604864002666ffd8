/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a wire report, or its time-out, means to a controller. The history
 * (history.h) reduces feedback to this flat form once, so controllers see
 * neither the wire nor the history.
 */
#ifndef CONTROL_REPORT_H
#define CONTROL_REPORT_H

#include <control/types.h>

typedef enum
{
  PSP_OUTCOME_RECEIVED,
  PSP_OUTCOME_LOST,
  PSP_OUTCOME_RECOVERED         /* was LOST in an earlier report, but arrived */
} PspOutcome;

typedef struct
{
  int64_t index;                /* order of sending over all series, from 0 */
  int64_t sent_at;              /* sender's time line */
  /* receiver's time line; PSP_TIME_UNKNOWN = lost or not reported */
  int64_t arrived_at;
  uint32_t size;                /* bytes of the packet */
  uint8_t outcome;              /* PspOutcome */
  uint8_t ecn;                  /* PspEcn on arrival */
  uint8_t sent_ecn;             /* PspEcn with which it left */
  /* The packet could have left earlier, but the application had nothing to send
   * for a while before it. */
  bool app_limited;
} PspPacketResult;

/* RFC 3168 section 5: a mark has the same effect as a loss. */
static inline bool
psp_result_is_congestion (const PspPacketResult * result)
{
  return result->outcome == PSP_OUTCOME_LOST || result->ecn == PSP_ECN_CE;
}

typedef struct
{
  int64_t now;
  /* No feedback came in time: the losses are presumed. */
  bool timeout;
  /* ns, at least 1 ms, of the newest packet received, without the receiver's
   * holding time if it told of any arrival; PSP_TIME_UNKNOWN = no new sample */
  int64_t rtt_sample;
  /* packets that are still undecided after this report */
  int64_t in_flight;
  /* when the oldest of them was sent, or PSP_TIME_NEVER */
  int64_t oldest_in_flight_at;
  /* highest index known to have arrived so far; −1 = none */
  int64_t newest_index;
  unsigned n_received;          /* packets with each of the three outcomes */
  unsigned n_lost;
  unsigned n_recovered;
  unsigned n_ce;                /* received with congestion experienced */
  uint64_t payload_received;    /* bytes, of packets received or recovered */
  /* only new outcomes, in the order of index */
  const PspPacketResult *results;
  size_t n_results;
} PspReport;

/* Returns NULL if no packet was received. */
const PspPacketResult *psp_report_oldest_received (const PspReport * report);
const PspPacketResult *psp_report_newest_received (const PspReport * report);
/* A packet that was presumed lost too early arrived later than expected. Its
 * delay must count, or the next packet would be presumed lost too early again.
 * Nothing is retransmitted, so the delay belongs to this packet (Karn). */
const PspPacketResult *psp_report_newest_recovered (const PspReport * report);

/* Returns how many results from `first` on belong to packets that arrived
 * without a mark. */
size_t psp_report_received_run (const PspReport * report, size_t first);

#endif
