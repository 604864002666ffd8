/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Turns RTCP from the receiver into calls of a sender (control/sender.h).
 * Congestion control feedback, or transport-wide feedback, becomes
 * acknowledgements. Their series are SSRCs, and their numbers are RTP sequence
 * numbers. The two kinds have separate time lines. If a receiver sends both,
 * the kind that came first counts until none of it has come for a second.
 */
#ifndef RTPFEEDBACK_RTCPFEEDBACK_H
#define RTPFEEDBACK_RTCPFEEDBACK_H

#include <control/sender.h>
#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtp.h>
#include <rtpfeedback/twccfeedback.h>

/* How a receiver tells what arrived. Of two kinds in one datagram the greater
 * one counts. */
typedef enum
{
  PSP_REPORT_NONE,
  PSP_REPORT_RR,                /* by receiver reports alone */
  PSP_REPORT_TWCC,              /* by transport-wide numbers */
  PSP_REPORT_CCFB               /* RFC 8888 */
} PspReportKind;

typedef struct
{
  uint64_t bytes;               /* bytes of valid RTCP */
  /* datagrams, and CCFB and TWCC within valid ones; TWCC that goes beyond what
   * one datagram may report */
  uint64_t malformed;
  /* the time stamp of the last accepted report, unwrapped, 1/65536 s */
  int64_t receiver_time;
  bool receiver_time_known;
  int64_t accepted_at;          /* ns when the last accepted report came */
  /* The time stamp of the packet that was read last, as receiver_time;
   * PSP_TIME_UNKNOWN = none. */
  int64_t read_time;
  /* kind of the last report that the sender accepted, never RR */
  PspReportKind taken;
  PspAcknowledgement *acknowledgements;
  size_t capacity;
  PspTwccFeedback twcc;         /* its owner notes the numbers of packets */
} PspRtcpFeedback;

/* max_size is the largest datagram that will come, in bytes; larger ones count
 * as malformed. Returns false if memory runs out; then there is nothing to
 * clear. */
bool psp_rtcp_feedback_init (PspRtcpFeedback * f, size_t max_size);
void psp_rtcp_feedback_clear (PspRtcpFeedback * f);
/* Starts a new time line for another path and perhaps another receiver. */
void psp_rtcp_feedback_forget (PspRtcpFeedback * f);

/* Takes a datagram from the receiver's address. *bye_seen is set if it holds a
 * BYE. Malformed data is counted here; the sender counts what it refuses. */
void psp_rtcp_feedback_receive (PspRtcpFeedback * f, PspSender * s,
    const uint8_t * data, size_t size, int64_t now, bool *bye_seen);

/* Reads one CCFB with its header, for owners that get single packets.
 * Returns false if it is malformed or too large, which is counted.
 * *feedback points to memory of `f` until the next call; the owner may
 * change what it points to. */
bool psp_rtcp_feedback_read (PspRtcpFeedback * f, const uint8_t * packet,
    size_t size, int64_t now, PspFeedback * feedback);
/* Notes that the sender has taken what was read last. */
void psp_rtcp_feedback_accept (PspRtcpFeedback * f, int64_t now);

/* The packets of this sender that a datagram reports as received, by CCFB,
 * by TWCC or by the highest sequence number of an RR. */
typedef struct
{
  /* when the newest left; PSP_TIME_UNKNOWN = none */
  int64_t newest;
  /* when the oldest left; PSP_TIME_NEVER = none */
  int64_t oldest;
  /* When the last of the packets after the highest of each RR left;
   * PSP_TIME_UNKNOWN = none. */
  int64_t next;
  PspReportKind kind;           /* NONE = it reports none */
} PspReported;

/* Reads what a datagram reports and changes nothing. */
void psp_rtcp_feedback_reported (const PspRtcpFeedback * f,
    const PspSender * s, const uint8_t * data, size_t size,
    PspReported * reported);

/* Fills the packet with this header for psp_sender_sent. */
void psp_rtp_packet (const PspRtpHeader * header, PspPacket * packet);

#endif
