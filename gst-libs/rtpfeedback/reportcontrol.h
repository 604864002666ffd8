/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Derives a bitrate from RTCP receiver reports alone, for receivers that send
 * no congestion control feedback. Every few seconds they report the share that
 * was lost and how long a round trip takes (RFC 3550 section 6.4.1). The
 * control can use only these:
 *
 * - After a loss of more than 2 % the bitrate becomes 0.85 of what arrived, but
 *   not by two reports in a row; after more than 10 % it becomes 0.7 of that.
 * - Otherwise, a round trip longer than the shortest by more than 30 ms and
 *   half of it shows a queue. The bitrate becomes what drains it in half a
 *   second, 0.5 to 0.9 of what arrived, but not by two reports in a row.
 * - Otherwise the bitrate rises: by 7 % a second below the rate that arrived at
 *   the last decrease, by 1.5 % near it or near the fastest such rate, by 10 %
 *   above it. One report adds at most three seconds of growth, and the bitrate
 *   never rises above 1.5 times what was sent. A report that comes more than
 *   10 s after the last one does not raise it.
 */
#ifndef RTPFEEDBACK_REPORTCONTROL_H
#define RTPFEEDBACK_REPORTCONTROL_H

#include <rtpfeedback/senderreports.h>

/* ns; RFC 8083 section 4.2: media stops without reports for three
 * intervals, which have a minimum of 5 s. */
#define PSP_REPORT_CONTROL_SILENCE (15 * PSP_SECOND)

typedef struct
{
  double bitrate;               /* bits/s of payload that may be sent */
  /* bits/s that arrived at the last congestion; 0 = none yet */
  double congested;
  /* bits/s that arrived at the fastest congestion */
  double fastest;
  double loss;                  /* share lost; −1 = unknown */
  int64_t rtt, rtt_min;         /* ns, or PSP_TIME_UNKNOWN */
  /* when the last report came, or PSP_TIME_UNKNOWN */
  int64_t heard_at;
  int64_t decreased_at;         /* when the bitrate fell, or PSP_TIME_UNKNOWN */
  bool decreases;               /* the last report decreased the bitrate */
  uint64_t payload;             /* bytes sent until the last report */
} PspReportControl;

void psp_report_control_init (PspReportControl * c, double bitrate);

/* Takes a datagram of the receiver. `reports` has the streams and their
 * last reports, `payload` is how many bytes of payload were sent so far.
 * `next_sent_at` is when the packet after the highest reported one left;
 * PSP_TIME_UNKNOWN = none has. `ntp` is the middle 32 bits of the clock
 * that SRs have. Returns true if the datagram is the basis of the bitrate
 * from now on. */
bool psp_report_control_receive (PspReportControl * c,
    PspSenderReports * reports, const uint8_t * data, size_t size,
    uint64_t payload, int64_t next_sent_at, uint32_t ntp, int64_t now);

#endif
