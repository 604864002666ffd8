/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RTCP transport-wide congestion control feedback
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1): PT 205,
 * FMT 15. It covers a run of consecutive transport-wide sequence numbers:
 * whether each packet was received, and for received packets the time since the
 * one before. WebRTC's receivers send it.
 */
#ifndef RTPFEEDBACK_TWCC_H
#define RTPFEEDBACK_TWCC_H

#include <rtpfeedback/bytes.h>

/* RTCP feedback message type of RTPFB (section 3.1). */
#define PSP_TWCC_FMT 15
/* Packets in a report. With more than half the sequence space, earlier and
 * later packets cannot be distinguished (RFC 3550 appendix A.1). */
#define PSP_TWCC_MAX_PACKETS 32768

/* A parsed report. It points into the packet. */
typedef struct
{
  uint32_t sender_ssrc;         /* SSRC of the reporter */
  /* one of the streams; the report covers all streams that share the sequence
   * numbers */
  uint32_t media_ssrc;
  uint16_t begin_seq;
  uint16_t n_packets;           /* begin_seq to begin_seq + n_packets - 1 */
  uint16_t n_received;          /* of these */
  uint32_t reference;           /* 24 bits: time in units of 64 ms */
  /* number of reports so far, wraps around; a gap means a lost report */
  uint8_t count;
  bool has_times;               /* if false, the report has no arrival times */
  const uint8_t *chunks;        /* chunks with the symbols of the packets */
  size_t chunks_size;
  const uint8_t *deltas;        /* arrival times of the received packets */
  size_t deltas_size;
} PspTwcc;

typedef struct
{
  uint16_t seq;                 /* transport-wide */
  bool received;
  /* ns on the receiver's time line, in steps of 250 us; PSP_TIME_UNKNOWN = not
   * received, or not reported */
  int64_t arrived_at;
} PspTwccPacket;

/* The state of an iteration over the packets of a report. */
typedef struct
{
  PspReader chunks, deltas;
  bool has_times;
  uint16_t seq;                 /* number of the next packet */
  unsigned left;                /* packets left */
  uint16_t chunk;               /* the chunk with the next packet's symbol */
  /* in that chunk: the next symbol, and how many there are */
  unsigned symbol, n_symbols;
  /* ns, arrival of the last packet that was received */
  int64_t at;
} PspTwccIterator;

/* Parses one RTCP packet, including its header, cut out of its compound.
 * Returns false unless it is a well-formed report: every chunk is checked here,
 * so iterating cannot fail later. Padding may have any size, because
 * libwebrtc's is not in whole words. */
bool psp_twcc_parse (const uint8_t * packet, size_t size, PspTwcc * twcc);

/* Returns the report's reference time in ns on the receiver's time line, which
 * has no known start. The 24 bits wrap around after 12 days. Of the times that
 * they may mean, the result is the one closest to `previous`, the result for an
 * earlier report; PSP_TIME_UNKNOWN = there was none. */
int64_t psp_twcc_reference_time (const PspTwcc * twcc, int64_t previous);

/* Iterates over the packets in the order of their sequence numbers. Arrivals
 * are relative to `reference_time`, the result of the function above. Returns
 * false at the end. */
void psp_twcc_begin (const PspTwcc * twcc, int64_t reference_time,
    PspTwccIterator * iterator);
bool psp_twcc_next (PspTwccIterator * iterator, PspTwccPacket * packet);
/* Goes to the next packet that was received. A chunk without any is skipped in
 * one step: a run of two bytes may cover 8191 packets (section 3.1.3). */
bool psp_twcc_next_received (PspTwccIterator * iterator,
    PspTwccPacket * packet);

#endif
