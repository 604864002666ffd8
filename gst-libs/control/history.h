/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What was sent and has not been forgotten, and what feedback says about it. A
 * packet is lost when three later packets arrived at the same receiver (as RFC
 * 5681's three duplicates), or when a time-out presumes it lost. A later report
 * may revoke that. Reports may overlap, repeat and arrive out of order: only
 * new outcomes count.
 */
#ifndef CONTROL_HISTORY_H
#define CONTROL_HISTORY_H

#include <control/packet.h>
#include <control/report.h>

/* Packets that arrive after a missing one until it counts as lost (RFC
 * 5681). */
#define PSP_HISTORY_LOSS_THRESHOLD 3
/* The number of packets that are remembered at first and at most. The larger
 * one is also the longest report that can be used. Both are powers of two. They
 * are below half of the 16-bit numbers, so that a key names one packet. */
#define PSP_HISTORY_FIRST_CAPACITY 1024
#define PSP_HISTORY_CAPACITY 16384

typedef struct PspHistory PspHistory;

/* Why feedback is refused; refused feedback leaves the history unchanged. */
typedef enum
{
  PSP_FEEDBACK_OK,              /* accepted; the report may hold nothing new */
  PSP_FEEDBACK_UNKNOWN_SERIES,  /* no key belongs to a series of this session */
  PSP_FEEDBACK_NEVER_SENT       /* acknowledges a packet that was never sent */
} PspFeedbackResult;

/* Returns NULL if memory runs out. */
PspHistory *psp_history_new (void);
void psp_history_free (PspHistory * h);

/* Records a packet that is about to leave and returns its index. A key that is
 * sent again names the newer packet from then on. The older packet is forgotten
 * if it left right before, else later arrivals decide it. */
int64_t psp_history_sent (PspHistory * h, const PspPacket * packet,
    PspEcn ecn, int64_t now, bool app_limited);
/* Names a packet that was sent without a key. */
void psp_history_bind (PspHistory * h, int64_t index, const PspKey * key);

/* True if the next packets would replace packets that feedback may still name.
 * psp_history_grow then doubles the number of remembered packets; it returns
 * false if memory runs out. Nothing else here allocates. */
bool psp_history_is_tight (const PspHistory * h, int64_t now);
bool psp_history_grow (PspHistory * h);

/* Reduces a report to what is new in it. `report` points into the history until
 * the next call. */
PspFeedbackResult psp_history_feedback (PspHistory * h,
    const PspFeedback * feedback, int64_t now, PspReport * report);

/* Presumes the undecided packets lost that were sent at or before now − age, or
 * now − overtaken if a later one arrived (RFC 8985 section 6.2). Returns false
 * if there are none; `report` is then unchanged. */
bool psp_history_expire (PspHistory * h, int64_t now, int64_t age,
    int64_t overtaken, PspReport * report);

/* Forgets every packet in flight: later reports about them give nothing new. */
void psp_history_forget (PspHistory * h);

/* Forgets the packets in flight to one receiver that is gone: another receiver
 * takes its place. */
void psp_history_forget_receiver (PspHistory * h, unsigned receiver);

/* Returns when the packet that this key names left, or PSP_TIME_UNKNOWN. */
int64_t psp_history_sent_at (const PspHistory * h, const PspKey * key);
int64_t psp_history_in_flight (const PspHistory * h);   /* packets */
/* Returns true if a packet arrived that was sent after the oldest undecided
 * one. */
bool psp_history_is_overtaken (const PspHistory * h);
/* Returns when the oldest undecided packet was sent, or PSP_TIME_NEVER. */
int64_t psp_history_oldest_in_flight_at (const PspHistory * h);
/* Returns how many packets are not accounted for, as too many series are in use
 * (PSP_MAX_SERIES). */
uint64_t psp_history_overlooked (const PspHistory * h);

#endif
