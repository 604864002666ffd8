/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A bitrate from RTCP receiver reports alone, for receivers that send no
 * congestion control feedback. They say once in seconds what share was lost, and
 * how long a round trip takes (RFC 3550 section 6.4.1), which is all the control
 * there can be:
 *
 * - More than 2 % lost: 0.85 of what arrived, but not by two reports in a row;
 *   more than 10 %: 0.7 of it.
 * - Otherwise, a queue, that is a round trip longer than the shortest by more than
 *   30 ms and half of it, and not by two reports in a row: what drains it in half
 *   a second, 0.5 to 0.9 of what arrived.
 * - Otherwise it rises: by 5 % a second below the rate that arrived at the last of
 *   these, by 1.5 % about it, by 6 % above it; by three seconds' worth at most, and
 *   never above 1.5 times what was sent.
 */
#ifndef RTPFEEDBACK_REPORTCONTROL_H
#define RTPFEEDBACK_REPORTCONTROL_H

#include <rtpfeedback/senderreports.h>

/* ns. RFC 8083 section 4.2: without reports for three intervals, which have a
 * minimum of 5 s, media stops. */
#define PSP_REPORT_CONTROL_SILENCE (15 * PSP_SECOND)

typedef struct
{
  double bitrate;               /* bits/s of payload that may be sent */
  double congested;             /* arrived at the last congestion; 0 = none yet */
  double fastest;               /* the same at the fastest of them */
  double loss;                  /* share; −1 = unknown */
  int64_t rtt, rtt_min;         /* or PSP_TIME_UNKNOWN */
  int64_t heard_at;             /* the last report, or PSP_TIME_UNKNOWN */
  int64_t decreased_at;         /* the bitrate, or PSP_TIME_UNKNOWN */
  bool decreases;               /* the last report did */
  uint64_t payload;             /* bytes sent until then */
} PspReportControl;

void psp_report_control_init (PspReportControl * c, double bitrate);

/* Takes a datagram of the receiver. `reports` knows the streams and what was
 * reported of them before, `payload` is how many bytes of payload were sent so
 * far. `next_sent_at` is when the packet behind the highest reported one left;
 * PSP_TIME_UNKNOWN: none has. `ntp` are the middle 32 bits of the clock that SRs
 * have. Returns true if it is the basis of the bitrate from now on. */
bool psp_report_control_receive (PspReportControl * c,
    PspSenderReports * reports, const uint8_t * data, size_t size,
    uint64_t payload, int64_t next_sent_at, uint32_t ntp, int64_t now);

#endif
