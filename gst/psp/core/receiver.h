/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The receiving half of a session: accounts for arrivals (RFC 3550 appendix
 * A) and says when to report them. A report is due at a gap, at 8 unreported
 * packets, or when the oldest is feedback_interval old, all within a token
 * bucket of 2 % of the RTP payload received. Each report repeats what the one
 * before said, so that one lost report loses nothing.
 */
#ifndef PSP_CORE_RECEIVER_H
#define PSP_CORE_RECEIVER_H

#include "ccfb.h"
#include "rtcp.h"
#include "rtp.h"

#define PSP_RECEIVER_REPORT_PACKETS 8
#define PSP_RECEIVER_RTCP_SHARE 0.02

typedef struct PspReceiver PspReceiver;

typedef struct
{
  uint32_t ssrc;                /* our own, random */
  const char *cname;            /* copied */
  int64_t feedback_interval;    /* ns; 0 = send no feedback at all */
  size_t max_rtcp_size;         /* bytes of UDP payload that fit the MTU */
  uint32_t clock_rate;          /* RTP clock for jitter, Hz; 0 = unknown */
  uint32_t random_seed;
} PspReceiverConfig;

typedef struct
{
  uint32_t ssrc;
  uint64_t packets, bytes, payload_bytes;
  uint64_t expected;            /* packets, RFC 3550 A.3 */
  int64_t lost;                 /* expected − received; < 0 with duplicates */
  uint64_t duplicates, reordered;
  uint32_t jitter;              /* RTP clock units */
  bool bye;
} PspReceiverStreamStats;

typedef struct
{
  uint64_t packets, bytes, payload_bytes;
  uint64_t feedback_sent, feedback_bytes;       /* CCFB messages; RTCP payload */
  uint64_t feedback_throttled;  /* reports put off by the 2 % */
  uint64_t rtcp_received, rtcp_malformed;
  unsigned n_streams;
  PspReceiverStreamStats streams[PSP_MAX_STREAMS];
} PspReceiverStats;

typedef enum
{
  PSP_RECEIVER_OK,
  PSP_RECEIVER_DUPLICATE,
  PSP_RECEIVER_PROBATION        /* a jump: counted once a second packet
                                   confirms it (RFC 3550 A.1) */
} PspReceiverResult;

PspReceiver *psp_receiver_new (const PspReceiverConfig * config, int64_t now);
void psp_receiver_free (PspReceiver * r);
void psp_receiver_set_feedback_interval (PspReceiver * r, int64_t interval);
void psp_receiver_set_clock_rate (PspReceiver * r, uint32_t clock_rate);

PspReceiverResult psp_receiver_packet (PspReceiver * r,
    const PspRtpHeader * header, uint8_t ecn, int64_t arrived_at);

/* An RTCP datagram from the sender: SR is remembered for LSR/DLSR. Returns how
 * many known streams a BYE in it ends that had not ended yet, their SSRCs in
 * `byes`. */
unsigned psp_receiver_rtcp (PspReceiver * r, const uint8_t * data, size_t size,
    int64_t now, uint32_t byes[PSP_MAX_STREAMS]);

/* When psp_receiver_pack will next have something, PSP_TIME_NEVER = not before
 * a packet arrives. */
int64_t psp_receiver_next (const PspReceiver * r, int64_t now);

/* Packs what is due: a reduced-size CCFB, or a compound RR + SDES (+ CCFB).
 * Returns bytes written, 0 = nothing due. ntp: wall clock, 32.32; only its
 * differences matter for CCFB. Call again until 0: several streams may need
 * several datagrams. */
size_t psp_receiver_pack (PspReceiver * r, int64_t now, uint64_t ntp,
    uint8_t * data, size_t capacity);
/* Compound RR + SDES + BYE. */
size_t psp_receiver_pack_bye (PspReceiver * r, int64_t now, uint64_t ntp,
    uint8_t * data, size_t capacity);

void psp_receiver_stats (const PspReceiver * r, PspReceiverStats * stats);

#endif
