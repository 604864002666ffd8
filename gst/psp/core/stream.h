/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * One received stream, part of receiver.c: which packets came when (RFC 3550
 * appendix A) and which of that has not been reported.
 */
#ifndef PSP_CORE_STREAM_H
#define PSP_CORE_STREAM_H

#include "receiver.h"

/* Packets remembered; a power of two. No report reaches further back. */
#define PSP_STREAM_WINDOW 1024
/* Of what earlier reports said, the most that one repeats. */
#define PSP_STREAM_MAX_REPEAT 64
/* After so long without a packet any sequence number is believed at once: a
 * sender that probes once a second may have passed over any number. */
#define PSP_STREAM_SILENCE (500 * PSP_MSECOND)
/* RFC 3550 appendix A.1 */
#define PSP_STREAM_MAX_DROPOUT 3000
#define PSP_STREAM_MAX_MISORDER 100

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
  int64_t bye_at;               /* it said so; PSP_TIME_UNKNOWN = it did not, or
                                   goes on: more came so much later that it
                                   was no longer under way */

  /* Sequence numbers extended to 64 bits; they start anew, with an empty
   * window, after a jump. */
  int64_t base;                 /* the first to arrive */
  int64_t first;                /* the lowest to arrive, late ones included */
  int64_t highest;
  bool jumped;                  /* candidate waits for its successor */
  PspArrival candidate;

  /* Everything since the stream appeared, over all jumps. */
  PspCounts counts;
  uint64_t duplicates, reordered;
  uint64_t expected_before;     /* up to the last jump */
  uint64_t expected_prior, received_prior;      /* at the last RR */

  uint64_t jitter;              /* RTP clock units, times 16 */
  uint32_t transit;
  bool has_transit;

  uint32_t last_sr;
  int64_t last_sr_at;           /* PSP_TIME_UNKNOWN before the first */

  /* What has not been reported: "news". */
  unsigned n_news;              /* arrivals */
  int64_t first_news;           /* lowest of them; valid if n_news > 0 */
  int64_t oldest_news_at;       /* arrival of the one that waits longest */
  bool urgent;                  /* a gap, or the rest of a split report */
  int64_t next_report;          /* one past the last reported */
  int64_t previous[2];          /* where the news began of the last report and
                                   of the one before */

  int64_t arrived_at[PSP_STREAM_WINDOW];
  uint8_t state[PSP_STREAM_WINDOW];
} PspStream;

/* Begins with this packet, which is to be given to psp_stream_packet next. */
void psp_stream_init (PspStream * s, const PspRtpHeader * header, int64_t now);
PspReceiverResult psp_stream_packet (PspStream * s, const PspArrival * arrival,
    uint32_t clock_rate);

/* For a changed clock rate. */
void psp_stream_reset_jitter (PspStream * s);

uint64_t psp_stream_expected (const PspStream * s);
int64_t psp_stream_lost (const PspStream * s);
uint32_t psp_stream_jitter (const PspStream * s);

void psp_stream_sender_report (PspStream * s, uint64_t ntp, int64_t now);
/* True where packets came since the last block. */
bool psp_stream_heard (const PspStream * s);
void psp_stream_report_block (PspStream * s, int64_t now,
    PspRtcpReportBlock * block);

/* What a report on a stream with news must cover, up to `highest`, and what it
 * should: the gap before it and what the last two reports said. */
typedef struct
{
  int64_t wanted, required;
} PspStreamRange;

void psp_stream_range (const PspStream * s, PspStreamRange * range);
/* seq is in the range. */
void psp_stream_metric (const PspStream * s, int64_t seq, int64_t now,
    PspCcfbMetric * metric);
/* Everything up to `last`, itself included, has been reported. */
void psp_stream_reported (PspStream * s, int64_t last);

#endif
