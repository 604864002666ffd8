/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The receiving half of a session. It accounts for arrivals (RFC 3550 appendix
 * A) and decides when to report them. A report is due at a gap, at 8
 * unreported packets, or when the oldest unreported packet is
 * feedback_interval old. All reports stay within a token bucket of 2 % of the
 * RTP payload received, except for one in floor_interval. Each report repeats
 * what the one before reported, so that one lost report loses nothing. If the
 * owner passes transport-wide numbers, reports are TWCC, and only what
 * followed a late packet is repeated. Requests for lost packets leave at once,
 * before other feedback, within another 3 % (nacks.h).
 */
#ifndef RTPFEEDBACK_RECEIVER_H
#define RTPFEEDBACK_RECEIVER_H

#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/rtp.h>

/* Unreported packets that make a report due. */
#define PSP_RECEIVER_REPORT_PACKETS 8
/* Share of the received RTP payload that RTCP may take. */
#define PSP_RECEIVER_RTCP_SHARE 0.02
/* ns; eight reports a second are enough for every controller. */
#define PSP_RECEIVER_FLOOR_INTERVAL (PSP_SECOND / 8)
/* Bytes of UDP payload that fit every IPv6 path, with room for tunnels: the
 * max_rtcp_size of who does not know the path. */
#define PSP_RECEIVER_USUAL_RTCP_SIZE 1200
/* ns between two requests for a key picture of one stream. */
#define PSP_RECEIVER_KEY_INTERVAL (PSP_SECOND / 2)

typedef struct PspReceiver PspReceiver;

typedef struct
{
  uint32_t ssrc;                /* our own SSRC, random */
  const char *cname;            /* copied */
  int64_t feedback_interval;    /* ns; 0 = send no feedback at all */
  /* ns between reports that the share of RTCP does not bound; 0 =
   * PSP_RECEIVER_FLOOR_INTERVAL */
  int64_t floor_interval;
  size_t max_rtcp_size;         /* bytes of UDP payload that fit the MTU */
  uint32_t clock_rate;          /* RTP clock for jitter, Hz; 0 = unknown */
  uint32_t random_seed;
  /* Another participant sends receiver reports and SDES for this one, as
   * rtpsession does. */
  bool feedback_alone;
} PspReceiverConfig;

typedef struct
{
  uint32_t ssrc;
  uint64_t packets, bytes, payload_bytes;
  uint64_t expected;            /* packets, RFC 3550 A.3 */
  /* expected − received; below 0 with duplicates */
  int64_t lost;
  uint64_t duplicates, reordered;
  uint32_t jitter;              /* RTP clock units */
  bool bye;
} PspReceiverStreamStats;

typedef struct
{
  uint64_t packets, bytes, payload_bytes;
  /* CCFB or TWCC messages, and bytes of RTCP payload */
  uint64_t feedback_sent, feedback_bytes;
  uint64_t feedback_throttled;  /* reports that waited for credit */
  /* sequence numbers asked for by NACK, with repetitions */
  uint64_t packets_requested;
  uint64_t rtcp_received, rtcp_malformed;
  unsigned n_streams;
  PspReceiverStreamStats streams[PSP_MAX_STREAMS];
} PspReceiverStats;

typedef enum
{
  PSP_RECEIVER_OK,
  PSP_RECEIVER_DUPLICATE,
  /* a jump, which counts once a second packet confirms it (RFC 3550 A.1) */
  PSP_RECEIVER_PROBATION
} PspReceiverResult;

PspReceiver *psp_receiver_new (const PspReceiverConfig * config);
void psp_receiver_free (PspReceiver * r);
void psp_receiver_set_feedback_interval (PspReceiver * r, int64_t interval);
void psp_receiver_set_clock_rate (PspReceiver * r, uint32_t clock_rate);

PspReceiverResult psp_receiver_packet (PspReceiver * r,
    const PspRtpHeader * header, uint8_t ecn, int64_t arrived_at);

/* Makes room for transport-wide numbers: from now on reports are by such
 * numbers, and packets without one are not reported. Returns false if
 * memory runs out. */
bool psp_receiver_open_transport_numbers (PspReceiver * r);
/* That packet came under this transport-wide number; nothing without room. */
void psp_receiver_transport_number (PspReceiver * r,
    const PspRtpHeader * header, uint16_t number, int64_t arrived_at);
/* Returns to reports by SSRC, the initial state. */
void psp_receiver_forget_transport_numbers (PspReceiver * r);

/* Takes an RTCP datagram from the sender; an SR is remembered for
 * LSR/DLSR. Returns how many known streams that have not ended a BYE in it
 * names, and their SSRCs in `byes`. They continue until
 * psp_receiver_end_stream(), because only the caller knows whether the BYE
 * is the sender's. */
unsigned psp_receiver_rtcp (PspReceiver * r, const uint8_t * data, size_t size,
    int64_t now, uint32_t byes[PSP_MAX_STREAMS]);
/* Ends the stream at that time: nothing more is asked of its sender or
 * reported to it, unless packets come PSP_STREAM_SILENCE later. */
void psp_receiver_end_stream (PspReceiver * r, uint32_t ssrc, int64_t at);

/* Asks the sender for a key picture of the stream with this SSRC (NULL =
 * of each active stream), by FIR if all headers must come with it, by PLI
 * otherwise. The request leaves with psp_receiver_pack. Returns false if
 * no stream can be asked. */
bool psp_receiver_request_key (PspReceiver * r, const uint32_t * ssrc,
    bool all_headers, int64_t now);

/* Asks the sender for the packet of this sequence number, of the stream
 * with this SSRC or of each in which it is missing (NULL), by a NACK that
 * leaves with psp_receiver_pack. `interval` is the least time between two
 * requests for it, in ns. Returns false if the packet came, was never due
 * or was asked for within that time, or if the stream is silent. */
bool psp_receiver_request_packet (PspReceiver * r, const uint32_t * ssrc,
    uint16_t number, int64_t interval, int64_t now);

/* Returns when psp_receiver_pack will next have something; PSP_TIME_NEVER = not
 * before a packet arrives. */
int64_t psp_receiver_next (const PspReceiver * r, int64_t now);

/* Packs what is due: a compound RR + SDES, requests for lost packets and for a
 * key picture, a CCFB or TWCC, or those of them that are due (RFC 5506).
 * Returns the bytes written; 0 = nothing is due. ntp is the wall clock, 32.32;
 * only its differences matter for CCFB. Call it again until it returns 0,
 * because several streams may need several datagrams. */
size_t psp_receiver_pack (PspReceiver * r, int64_t now, uint64_t ntp,
    uint8_t * data, size_t capacity);
/* Packs a compound RR + SDES + BYE. */
size_t psp_receiver_pack_bye (PspReceiver * r, int64_t now, uint64_t ntp,
    uint8_t * data, size_t capacity);

void psp_receiver_stats (const PspReceiver * r, PspReceiverStats * stats);

#endif
