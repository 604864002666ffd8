/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What was sent and has not been forgotten, and what feedback says of it. A
 * packet is lost when three later ones arrived (design: as RFC 5681's three
 * duplicates) or when it is presumed lost by time; a later report may revoke
 * that. Reports may overlap, come twice or out of order: only news counts.
 */
#ifndef PSP_CORE_HISTORY_H
#define PSP_CORE_HISTORY_H

#include "ccfb.h"
#include "report.h"
#include "rtp.h"

#define PSP_HISTORY_LOSS_THRESHOLD 3
/* Packets remembered; also the longest report that gives news. A power of
 * two, under half the sequence space so that 16 bits name a packet. */
#define PSP_HISTORY_CAPACITY 16384

typedef struct PspHistory PspHistory;

/* What feedback can be refused for; all of it leaves the history untouched. */
typedef enum
{
  PSP_FEEDBACK_OK,              /* accepted; the report may hold no news */
  PSP_FEEDBACK_UNKNOWN_SSRC,    /* no block names a stream of ours */
  PSP_FEEDBACK_NEVER_SENT       /* reports as received what was never sent */
} PspFeedbackResult;

PspHistory *psp_history_new (void);
void psp_history_free (PspHistory * h);

/* Notes a packet about to leave; returns its index. A sequence number sent
 * again names the newer packet from now on; the older one is forgotten. */
int64_t psp_history_sent (PspHistory * h, const PspRtpHeader * header,
    int64_t now, bool app_limited);

/* A wire report reduced to what is new in it. `report` points into the
 * history until its next call. */
PspFeedbackResult psp_history_feedback (PspHistory * h, const PspCcfb * ccfb,
    int64_t now, PspReport * report);

/* Presumes lost what was sent at or before now − age and is undecided. False
 * where there is nothing of the kind; report is then untouched. */
bool psp_history_expire (PspHistory * h, int64_t now, int64_t age,
    PspReport * report);

/* Forgets every packet in flight: reports about them give no news. */
void psp_history_forget (PspHistory * h);

int64_t psp_history_in_flight (const PspHistory * h);   /* packets */
/* When the oldest undecided packet was sent, or PSP_TIME_NEVER. */
int64_t psp_history_oldest_in_flight_at (const PspHistory * h);
/* RTP payload known to have arrived, ever, bytes. */
uint64_t psp_history_payload_received (const PspHistory * h);

#endif
