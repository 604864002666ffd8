/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * One received stream, part of receiver.c: which packets arrived when (RFC 3550
 * appendix A), and which of them have not been reported.
 */
#ifndef RTPFEEDBACK_STREAM_H
#define RTPFEEDBACK_STREAM_H

#include <rtpfeedback/receiver.h>

/* Packets that the window holds, a power of two. No report reaches further
 * back. */
#define PSP_STREAM_WINDOW 1024
/* Bits of a sequence number that give its place in the window. */
#define PSP_STREAM_MASK (PSP_STREAM_WINDOW - 1)
/* Packets of earlier reports that one report repeats at most. */
#define PSP_STREAM_MAX_REPEAT 64
/* ns. After this time without a packet any sequence number is accepted at once:
 * a sender that probes once a second may have skipped any number. */
#define PSP_STREAM_SILENCE (500 * PSP_MSECOND)
/* Sequence numbers that a packet may be ahead (RFC 3550 appendix A.1). */
#define PSP_STREAM_MAX_DROPOUT 3000
/* Sequence numbers that a packet may be late (RFC 3550 appendix A.1). */
#define PSP_STREAM_MAX_MISORDER 100
/* ns; a missing packet may be so late, however many numbers that is. */
#define PSP_STREAM_MAX_LATE (500 * PSP_MSECOND)
/* Value of first_wanted if no packet of the stream is wanted. */
#define PSP_STREAM_NONE_WANTED INT64_MAX

/* State of a sequence number in the window, as bits. */
enum
{
  PSP_STREAM_ECN = 0x03,        /* PspEcn of the packet, once it has arrived */
  PSP_STREAM_ARRIVED = 0x04,    /* the packet has arrived */
  PSP_STREAM_REPORTED = 0x08,   /* its arrival has been reported */
  PSP_STREAM_WANTED = 0x10,     /* the packet is missing and to be asked for */
  PSP_STREAM_ASKED = 0x20       /* the packet is missing and was asked for */
};

typedef struct
{
  PspRtpHeader header;
  int64_t arrived_at;
  uint8_t ecn;
} PspArrival;

typedef struct
{
  uint64_t packets, bytes, payload_bytes;
} PspCounts;

typedef struct
{
  uint32_t ssrc;
  int64_t last_arrival;
  /* When the stream sent BYE. PSP_TIME_UNKNOWN = it sent none, or it
   * continued: packets came so much later that they were not in flight at
   * the BYE. */
  int64_t bye_at;

  /* Sequence numbers are extended to 64 bits. After a jump they start again
   * with an empty window. */
  int64_t base;                 /* first number to arrive */
  /* lowest number to arrive, late ones included */
  int64_t first;
  int64_t highest;
  bool jumped;                  /* the candidate waits for its successor */
  PspArrival candidate;

  /* Counts everything since the stream appeared, over all jumps. */
  PspCounts counts;
  uint64_t duplicates, reordered;
  uint64_t expected_before;     /* packets expected up to the last jump */
  uint64_t expected_prior, received_prior;      /* at the last RR */

  uint64_t jitter;              /* RTP clock units, times 16 */
  uint32_t transit;
  bool has_transit;

  uint32_t last_sr;
  int64_t last_sr_at;           /* PSP_TIME_UNKNOWN before the first SR */

  PspKeyRequestKind key_request;        /* the request that has not left */
  int64_t key_request_at;       /* when the next request may leave */
  /* when the last one left, or PSP_TIME_UNKNOWN */
  int64_t key_requested_at;
  uint8_t fir_number;           /* number of the last FIR */

  /* The arrivals that have not been reported. */
  unsigned n_unreported;              /* number of arrivals */
  /* lowest of their numbers; valid if n_unreported > 0 */
  int64_t first_unreported;
  /* arrival time of the arrival that waits longest */
  int64_t oldest_unreported_at;
  bool urgent;                  /* a gap, or the rest of a split report */
  int64_t next_report;          /* one past the highest reported */
  /* first new number of the last report, and of the one before */
  int64_t previous[2];

  /* The lowest number with PSP_STREAM_WANTED, or PSP_STREAM_NONE_WANTED. */
  int64_t first_wanted;

  /* Arrival time. If the state has PSP_STREAM_ASKED, it is when the packet
   * was asked for last. */
  int64_t arrived_at[PSP_STREAM_WINDOW];
  uint8_t state[PSP_STREAM_WINDOW];
} PspStream;

/* Starts a stream with this packet, which the caller passes to
 * psp_stream_packet next. */
void psp_stream_init (PspStream * s, const PspRtpHeader * header, int64_t now);
PspReceiverResult psp_stream_packet (PspStream * s, const PspArrival * arrival,
    uint32_t clock_rate);

/* Returns the lowest number that the window holds. */
int64_t psp_stream_window_start (const PspStream * s);

/* Resets the jitter when the clock rate changes. */
void psp_stream_reset_jitter (PspStream * s);

uint64_t psp_stream_expected (const PspStream * s);
int64_t psp_stream_lost (const PspStream * s);
uint32_t psp_stream_jitter (const PspStream * s);

void psp_stream_sender_report (PspStream * s, uint64_t ntp, int64_t now);
/* Returns true if packets arrived since the last block. */
bool psp_stream_heard (const PspStream * s);
void psp_stream_report_block (PspStream * s, int64_t now,
    PspRtcpReportBlock * block);

/* What a report on a stream with unreported arrivals covers, up to
 * `highest`. */
typedef struct
{
  /* First number that it must cover, that is new (with the gap before it),
   * and that it should cover if there is room (with what the last two
   * reports had). */
  int64_t required, fresh, wanted;
} PspStreamRange;

void psp_stream_range (const PspStream * s, PspStreamRange * range);
/* Fills the metric of `seq`, which must be in the range. */
void psp_stream_metric (const PspStream * s, int64_t seq, int64_t now,
    PspCcfbMetric * metric);
/* Gets whether the packet came, and when, or PSP_TIME_UNKNOWN. `seq` must
 * be in the range. */
void psp_stream_arrival (const PspStream * s, int64_t seq, bool *received,
    int64_t * arrived_at);
/* Notes that everything up to and including `last` has been reported. */
void psp_stream_reported (PspStream * s, int64_t last);

#endif
