/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When arrivals are reported and what it may cost, part of receiver.c. The
 * budget is a token bucket: each octet of RTP payload earns 0.02 octets of
 * RTCP. Where it is short, repetitions shrink first, then reports wait; but
 * one a second, of PSP_REPORTING_FLOOR_SIZE at most, is always allowed, or a
 * sender that may only probe would never hear that the path is back.
 */
#ifndef PSP_CORE_REPORTING_H
#define PSP_CORE_REPORTING_H

#include "stream.h"

#define PSP_REPORTING_FLOOR_INTERVAL PSP_SECOND
/* One stream's last 64 packets. */
#define PSP_REPORTING_FLOOR_SIZE 148
/* Octets: at the start, and the most that quiet times save for a burst. */
#define PSP_REPORTING_FIRST_CREDIT 128
#define PSP_REPORTING_MAX_CREDIT 4096
/* What the floor and regular RTCP, which never wait, leave to be earned before
 * the next report; beyond that it is forgiven. */
#define PSP_REPORTING_MAX_DEBT 128

typedef struct
{
  int64_t interval;             /* ns that an arrival waits at most */
  size_t max_size;              /* of one datagram */
  double credit;                /* octets */
  int64_t last_at;              /* of the last report, or PSP_TIME_UNKNOWN */
  bool throttled;               /* the one now due waits for credit */
  uint64_t n_sent, n_throttled;
} PspReporting;

void psp_reporting_init (PspReporting * f, int64_t interval, size_t max_size);
void psp_reporting_earn (PspReporting * f, uint64_t payload_size);
/* For regular RTCP, which is paid for too. */
void psp_reporting_spend (PspReporting * f, size_t size);

/* When a report will be due and paid for, or PSP_TIME_NEVER. */
int64_t psp_reporting_next (const PspReporting * f, const PspStream * streams,
    unsigned n_streams);
/* Counts a report that is due but must wait. */
void psp_reporting_note_throttled (PspReporting * f, const PspStream * streams,
    unsigned n_streams, int64_t now);
/* Appends one CCFB on as many streams with news as fit and are paid for.
 * early: before it is due. False where there is none. */
bool psp_reporting_pack (PspReporting * f, PspStream * streams,
    unsigned n_streams, bool early, uint32_t ssrc, int64_t now,
    uint32_t timestamp, PspWriter * w);

#endif
