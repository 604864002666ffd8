/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reports a session's packets by their transport-wide numbers; part of
 * receiver.c. To the rules of reporting.h they are one stream, which reports
 * as TWCC.
 */
#ifndef RTPFEEDBACK_TWCCREPORTS_H
#define RTPFEEDBACK_TWCCREPORTS_H

#include <rtpfeedback/reporting.h>

typedef struct
{
  bool begun;                   /* a packet with a number has come */
  uint32_t media_ssrc;          /* SSRC of the last packet */
  uint8_t count;                /* reports so far; wraps around */
  PspStream stream;             /* stream with the transport-wide numbers */
} PspTwccReports;

/* Notes that the packet with this header came under this number. */
void psp_twcc_reports_packet (PspTwccReports * t, const PspRtpHeader * header,
    uint16_t number, int64_t arrived_at);
/* Appends a report if one is due and paid for, as psp_reporting_pack does. */
bool psp_twcc_reports_pack (PspTwccReports * t, PspReporting * f, bool early,
    uint32_t ssrc, int64_t now, PspWriter * w);

#endif
