/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When arrivals are reported and what reports may cost; part of receiver.c. The
 * budget is a token bucket: each octet of RTP payload earns 0.02 octets of
 * RTCP. If credit is short, repetitions shrink first, then reports wait. But
 * once in floor_interval a report on all unreported packets is always allowed:
 * PSP_REPORTING_FLOOR_SIZE, or as many more bytes as these packets and their
 * streams take. Otherwise a sender of few or small packets would take late
 * reports for lost packets, and one that may only probe would never learn that
 * the path works again.
 */
#ifndef RTPFEEDBACK_REPORTING_H
#define RTPFEEDBACK_REPORTING_H

#include <rtpfeedback/stream.h>

/* Bytes of a report on one stream's last 64 packets: the least floor. */
#define PSP_REPORTING_FLOOR_SIZE 148
/* Octets of credit at the start. */
#define PSP_REPORTING_FIRST_CREDIT 128
/* Octets of credit that quiet times save at most for a burst. */
#define PSP_REPORTING_MAX_CREDIT 4096
/* Octets of debt at most. The floor and regular RTCP never wait. The next
 * report must earn at most this much of their cost; the rest is cancelled. */
#define PSP_REPORTING_MAX_DEBT 128

typedef struct
{
  int64_t interval;             /* ns that an arrival waits at most */
  int64_t floor_interval;       /* ns between reports that are always allowed */
  size_t max_size;              /* bytes of one datagram */
  double credit;                /* octets */
  /* when the last report left, or PSP_TIME_UNKNOWN */
  int64_t last_at;
  bool throttled;               /* the due report waits for credit */
  uint64_t n_sent, n_throttled;
} PspReporting;

void psp_reporting_init (PspReporting * f, int64_t interval,
    int64_t floor_interval, size_t max_size);
void psp_reporting_earn (PspReporting * f, uint64_t payload_size);
/* Charges the cost of regular RTCP. */
void psp_reporting_spend (PspReporting * f, size_t size);

/* Returns when a report will be due and paid for, or PSP_TIME_NEVER. */
int64_t psp_reporting_next (const PspReporting * f, const PspStream * streams,
    unsigned n_streams);
/* Counts a report that is due but must wait. */
void psp_reporting_note_throttled (PspReporting * f, const PspStream * streams,
    unsigned n_streams, int64_t now);
/* Returns true if all unreported packets are paid for in the size of a
 * CCFB. */
bool psp_reporting_is_paid (const PspReporting * f, const PspStream * streams,
    unsigned n_streams);
/* Returns the bytes that are paid for if a report is due, or with `early`
 * before it is due; 0 = none may leave. */
size_t psp_reporting_room (const PspReporting * f, const PspStream * streams,
    unsigned n_streams, bool early, int64_t now);
/* Charges a report of this size, which leaves. */
void psp_reporting_left (PspReporting * f, size_t size, int64_t now);
/* Appends one CCFB on as many streams with unreported arrivals as fit and
 * are paid for. `early` allows it before it is due. Returns false if there
 * is none. */
bool psp_reporting_pack (PspReporting * f, PspStream * streams,
    unsigned n_streams, bool early, uint32_t ssrc, int64_t now,
    uint32_t timestamp, PspWriter * w);

#endif
