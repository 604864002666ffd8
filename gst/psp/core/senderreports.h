/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The regular RTCP of a sender: SR and SDES of each stream that sends, at the
 * intervals of RFC 3550 section 6.2, and BYE.
 */
#ifndef PSP_CORE_SENDERREPORTS_H
#define PSP_CORE_SENDERREPORTS_H

#include "rtcp.h"
#include "rtp.h"

typedef struct
{
  uint32_t ssrc;
  uint32_t packets, octets;     /* modulo 2^32, as SR has them */
  uint32_t rtp_timestamp;       /* of the last packet */
  int64_t media_time;           /* what that is there, or PSP_TIME_UNKNOWN */
  int64_t last_sent_at;
  bool pending;                 /* is to be in this round of reports */
} PspSenderReportsStream;

typedef struct
{
  PspSenderReportsStream streams[PSP_MAX_STREAMS];
  unsigned n_streams;
  int64_t next_at;              /* PSP_TIME_NEVER while nothing is sent */
  int64_t since;                /* streams that sent later are in the round */
  int64_t round_at;             /* when the last one was due */
  bool first;
  bool bye;                     /* said since the last packet */
  uint32_t random;
  uint32_t clock_rate;
  char cname[256];
} PspSenderReports;

void psp_sender_reports_init (PspSenderReports * r, const char *cname,
    uint32_t random_seed);
void psp_sender_reports_sent (PspSenderReports * r,
    const PspRtpHeader * header, int64_t media_time, int64_t now);
/* One compound packet of what is due, or of the BYE; 0 = nothing left. */
size_t psp_sender_reports_pack (PspSenderReports * r, int64_t now,
    uint64_t ntp, int64_t media_now, bool bye, uint8_t * data, size_t capacity);

#endif
