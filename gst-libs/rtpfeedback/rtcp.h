/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Compound and reduced-size RTCP (RFC 3550 section 6, RFC 5506): iteration over
 * packets, and the packets that this transport sends besides CCFB: SR, RR, SDES
 * with CNAME, BYE, requests for a key picture (PLI, FIR) and for lost packets
 * (generic NACK).
 */
#ifndef RTPFEEDBACK_RTCP_H
#define RTPFEEDBACK_RTCP_H

#include <rtpfeedback/bytes.h>

/* Packet types (RFC 3550 section 12.1, RFC 4585 section 6.1). */
#define PSP_RTCP_SR 200
#define PSP_RTCP_RR 201
#define PSP_RTCP_SDES 202
#define PSP_RTCP_BYE 203
#define PSP_RTCP_RTPFB 205
#define PSP_RTCP_PSFB 206
/* Bytes of a CNAME: its length is one octet (RFC 3550 section 6.5). */
#define PSP_RTCP_MAX_CNAME 255
/* Bytes of a report block (RFC 3550 sections 6.4.1 and 6.4.2). */
#define PSP_RTCP_BLOCK_SIZE 24
/* Bytes of a FIR for one stream; a PLI has fewer. */
#define PSP_RTCP_KEY_REQUEST_SIZE 20
/* Bytes of a generic NACK with n items. */
#define PSP_RTCP_NACK_SIZE(n) (12 + 4 * (n))
/* Sequence numbers that one item of it can name, in a row. */
#define PSP_RTCP_NACK_SPAN 17

typedef struct
{
  uint8_t type;                 /* PT */
  uint8_t count;                /* RC, SC or FMT */
  const uint8_t *data;          /* whole packet with header and padding */
  size_t size;
} PspRtcpPacket;

/* A report block (RFC 3550 section 6.4.1). Times are in its own units. */
typedef struct
{
  uint32_t ssrc;
  uint8_t fraction_lost;        /* 1/256 */
  int32_t cumulative_lost;      /* packets, 24 bits signed */
  uint32_t highest_seq;         /* extended */
  uint32_t jitter;              /* RTP clock units */
  uint32_t last_sr;             /* middle 32 bits of NTP time */
  uint32_t delay_since_last_sr; /* 1/65536 s */
} PspRtcpReportBlock;

typedef struct
{
  uint32_t ssrc;
  uint64_t ntp;                 /* 32.32 */
  uint32_t rtp_timestamp;
  uint32_t packet_count;
  uint32_t octet_count;         /* payload */
} PspRtcpSenderInfo;

/* What a receiver asks of a stream. */
typedef enum
{
  PSP_KEY_REQUEST_NONE,
  PSP_KEY_REQUEST_PLI,          /* a picture is lost (RFC 4585 section 6.3.1) */
  /* The picture must need nothing before it, no headers either (RFC 5104
   * section 4.3.1). */
  PSP_KEY_REQUEST_FIR
} PspKeyRequestKind;

typedef struct
{
  PspKeyRequestKind kind;
  uint32_t source;              /* SSRC that asks */
  uint32_t ssrc;                /* SSRC of the stream that is asked */
  uint8_t number;               /* number of a FIR; a repetition has the same */
} PspKeyRequest;

/* An item of a generic NACK (RFC 4585 section 6.2.1). */
typedef struct
{
  uint32_t source;              /* SSRC that asks */
  uint32_t ssrc;                /* SSRC of the stream that is asked */
  uint16_t first;               /* sequence number of a lost packet */
  uint16_t following;           /* bit i: first + 1 + i is lost too */
} PspNack;

/* Returns true if the datagram is RTCP as RFC 5506 allows it: versions,
 * lengths and padding of every packet fit the datagram exactly, with
 * padding only in the last packet. The padding need not be whole words as
 * RFC 3550 section 6.4.1 requires: transport-wide feedback of libwebrtc
 * and pion has one to three octets. */
bool psp_rtcp_validate (const uint8_t * data, size_t size);

/* Iterates over a validated datagram: start with *position = 0. */
bool psp_rtcp_next (const uint8_t * data, size_t size, size_t * position,
    PspRtcpPacket * packet);

bool psp_rtcp_parse_sr (const PspRtcpPacket * packet, PspRtcpSenderInfo * info);
/* Reads block i of an SR or RR; returns false past the last. */
bool psp_rtcp_parse_report_block (const PspRtcpPacket * packet, unsigned i,
    PspRtcpReportBlock * block);
/* Reads SSRC i of a BYE; returns false past the last. */
bool psp_rtcp_parse_bye (const PspRtcpPacket * packet, unsigned i,
    uint32_t * ssrc);
/* Reads request i of a PLI or FIR; returns false past the last. */
bool psp_rtcp_parse_key_request (const PspRtcpPacket * packet, unsigned i,
    PspKeyRequest * request);
/* Reads item i of a generic NACK; returns false past the last. */
bool psp_rtcp_parse_nack (const PspRtcpPacket * packet, unsigned i,
    PspNack * nack);

/* To write a packet, call begin, write what follows the header, then end, which
 * sets the length; a packet that is too long is an error of the writer. count:
 * RC, SC or FMT; type: PT. Returns where the packet begins. */
size_t psp_rtcp_begin (PspWriter * w, unsigned count, uint8_t type);
void psp_rtcp_end (PspWriter * w, size_t start);

void psp_rtcp_write_sr (PspWriter * w, const PspRtcpSenderInfo * info);
void psp_rtcp_write_rr (PspWriter * w, uint32_t ssrc,
    const PspRtcpReportBlock * blocks, unsigned n_blocks);
/* Writes one chunk per SSRC, all with the same CNAME (at most 255 bytes). */
void psp_rtcp_write_sdes (PspWriter * w, const uint32_t * ssrcs,
    unsigned n_ssrcs, const char *cname);
void psp_rtcp_write_bye (PspWriter * w, const uint32_t * ssrcs,
    unsigned n_ssrcs);
/* Writes at most PSP_RTCP_KEY_REQUEST_SIZE bytes. */
void psp_rtcp_write_key_request (PspWriter * w, const PspKeyRequest * request);
/* Writes PSP_RTCP_NACK_SIZE (n) bytes; the items are of one source and one
 * stream. */
void psp_rtcp_write_nack (PspWriter * w, const PspNack * nacks, unsigned n);

/* Returns NTP's time stamp, 32.32 s since 1900 (RFC 3550 section 4), of a time
 * in ns since 1970. */
uint64_t psp_rtcp_ntp (int64_t wall);

/* Returns the regular RTCP interval: RFC 3550 section 6.3.1 with the
 * minimum of 5 s (half of it for the first), randomized to 0.5…1.5 and
 * divided by e − 3/2. `random` is any 32 bits. */
int64_t psp_rtcp_interval (bool first, uint32_t random);

#endif
