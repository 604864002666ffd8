/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RTCP congestion control feedback (RFC 8888 section 3.1 with erratum 8166): PT
 * 205, FMT 11. For each stream it covers a run of consecutive sequence numbers.
 * For each number it has whether the packet was received, its ECN mark, and its
 * arrival time before the report's own time stamp in steps of 1/1024 s.
 */
#ifndef RTPFEEDBACK_CCFB_H
#define RTPFEEDBACK_CCFB_H

#include <rtpfeedback/bytes.h>

/* RTCP feedback message type of RTPFB (RFC 8888 section 3.1). */
#define PSP_CCFB_FMT 11
/* Bytes of a message without streams: header, sender's SSRC, time stamp (RFC
 * 8888 section 3.1). */
#define PSP_CCFB_FIXED_SIZE 12
/* Bytes of a stream without metrics: SSRC, begin_seq, num_reports. */
#define PSP_CCFB_STREAM_SIZE 8
/* Bytes of the metric of one packet. */
#define PSP_CCFB_METRIC_SIZE 2
/* RFC 8888 section 3.1: reports per stream, less than a quarter of the sequence
 * space. */
#define PSP_CCFB_MAX_REPORTS 16384
/* Arrival time offset of a packet without arrival time (RFC 8888 section
 * 3.1). */
#define PSP_CCFB_ATO_UNAVAILABLE 0x1fff
/* Arrival time offset that is too long to express (RFC 8888 section 3.1). */
#define PSP_CCFB_ATO_OVERRANGE 0x1ffe

/* A parsed message. It points into the packet. */
typedef struct
{
  uint32_t sender_ssrc;         /* SSRC of the reporter */
  uint32_t timestamp;           /* middle 32 bits of the reporter's NTP time */
  const uint8_t *blocks;
  size_t blocks_size;
} PspCcfb;

typedef struct
{
  uint32_t ssrc;
  uint16_t begin_seq;
  uint16_t n_reports;           /* metrics for begin_seq … begin_seq + n - 1 */
  const uint8_t *metrics;
} PspCcfbStream;

typedef struct
{
  bool received;
  uint8_t ecn;                  /* PspEcn */
  /* ns before the report's time stamp, or PSP_TIME_UNKNOWN */
  int64_t offset;
} PspCcfbMetric;

/* Parses one RTCP packet, including its header, cut out of its compound.
 * Returns false unless it is a well-formed CCFB: every block is checked here,
 * so iterating cannot fail later. */
bool psp_ccfb_parse (const uint8_t * packet, size_t size, PspCcfb * ccfb);

/* Iterates over the streams: start with *position = 0; it returns false at the
 * end. */
bool psp_ccfb_next_stream (const PspCcfb * ccfb, size_t * position,
    PspCcfbStream * stream);

/* Reads the metric of begin_seq + i, i < n_reports. */
void psp_ccfb_metric (const PspCcfbStream * stream, unsigned i,
    PspCcfbMetric * metric);

/* To write a message, call begin, then for each stream its header and its
 * metrics in order, then end, which pads, appends the time stamp and sets the
 * length. Errors stick in the writer (bytes.h). */
typedef struct
{
  PspWriter *w;
  size_t start;
  size_t count_at;              /* where the open stream's num_reports is */
  uint16_t n_reports;
} PspCcfbPacker;

void psp_ccfb_begin (PspCcfbPacker * packer, PspWriter * w,
    uint32_t sender_ssrc);
void psp_ccfb_stream (PspCcfbPacker * packer, uint32_t ssrc,
    uint16_t begin_seq);
void psp_ccfb_add_metric (PspCcfbPacker * packer, const PspCcfbMetric * metric);
void psp_ccfb_end (PspCcfbPacker * packer, uint32_t timestamp);

#endif
