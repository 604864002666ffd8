/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The regular RTCP of a sender: SR and SDES of each stream that sends, at the
 * intervals of RFC 3550 section 6.2, and BYE. And which requests for a key
 * picture of these streams it obeys.
 */
#ifndef RTPFEEDBACK_SENDERREPORTS_H
#define RTPFEEDBACK_SENDERREPORTS_H

#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/rtp.h>

typedef struct
{
  uint32_t ssrc;
  uint32_t packets, octets;     /* modulo 2^32, as in SR */
  uint32_t rtp_timestamp;       /* RTP time stamp of the last packet */
  /* pipeline time of rtp_timestamp, or PSP_TIME_UNKNOWN */
  int64_t media_time;
  /* Where clock_rate is measured from: a time stamp and its pipeline time;
   * PSP_TIME_UNKNOWN = nowhere. */
  uint32_t anchor_timestamp;
  int64_t anchor_time;
  uint32_t clock_rate;          /* Hz, as packets show it; 0 = unknown */
  int64_t last_sent_at;
  bool pending;                 /* this round of reports includes it */
  PspKeyRequest last_fir;       /* the last FIR that was answered */
  PspRtcpReportBlock reported;  /* last report block; another SSRC = none yet */
} PspSenderReportsStream;

typedef struct
{
  PspSenderReportsStream streams[PSP_MAX_STREAMS];
  unsigned n_streams;
  int64_t next_at;              /* PSP_TIME_NEVER while nothing is sent */
  /* this round includes streams that sent later */
  int64_t since;
  int64_t round_at;             /* when the last round was due */
  bool first;
  bool bye;                     /* a BYE was sent since the last packet */
  uint32_t random;
  uint32_t clock_rate;
  char cname[256];
} PspSenderReports;

void psp_sender_reports_init (PspSenderReports * r, const char *cname,
    uint32_t random_seed);
/* Sets the RTP clock in Hz for the time stamps in SR while there is one stream;
 * 0 = unknown. The clocks of several streams differ, and show in their packets.
 * Without a clock the SR has the time stamp of the last packet. */
void psp_sender_reports_set_clock_rate (PspSenderReports * r,
    uint32_t clock_rate);
/* Counts a packet that leaves. media_time is the time of its RTP timestamp
 * on the pipeline's time line in ns. PSP_TIME_UNKNOWN means now, as if the
 * packet had not waited. */
void psp_sender_reports_sent (PspSenderReports * r,
    const PspRtpHeader * header, int64_t media_time, int64_t now);
/* Returns when reports are due. If the caller had no use for them at
 * `asked_at`, they are due again a second later. */
int64_t psp_sender_reports_next (const PspSenderReports * r, int64_t asked_at);
/* Packs the regular compound packet of the next stream whose report is due, SR
 * and SDES, or that with its BYE. Returns 0 if nothing more is due. ntp is the
 * wall clock, 32.32 s; media_now is the pipeline's time then, or
 * PSP_TIME_UNKNOWN. */
size_t psp_sender_reports_pack (PspSenderReports * r, int64_t now,
    uint64_t ntp, int64_t media_now, bool bye, uint8_t * data, size_t capacity);
/* Returns true if a datagram of the receiver asks for a key picture of a
 * stream that is sent. A repeated FIR asks for nothing. */
bool psp_sender_reports_take_key_requests (PspSenderReports * r,
    const uint8_t * data, size_t size);

#endif
