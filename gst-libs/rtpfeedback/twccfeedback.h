/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Turns transport-wide feedback (twcc.h) into acknowledgements. A payloader
 * stamps each packet with a transport-wide number. This remembers which packet
 * left under which number, and turns a report's numbers into SSRCs and
 * sequence numbers again.
 */
#ifndef RTPFEEDBACK_TWCCFEEDBACK_H
#define RTPFEEDBACK_TWCCFEEDBACK_H

#include <control/sender.h>
#include <rtpfeedback/twcc.h>

/* Numbers remembered, the newest; a power of two. At 10,000 packets a
 * second this is .8 s, more than a round trip and the time between two
 * reports. */
#define PSP_TWCC_NUMBERS 8192

/* When a receiver in the manner of WebRTC reports. RTCP's timing rules (RFC
 * 4585 section 3.5) let it answer each 150 to 400 ms, and each 500 ms at
 * the start; two such answers may be lost. */
extern const PspFeedbackTiming psp_twcc_feedback_timing;

typedef struct PspTransportNumber PspTransportNumber;

typedef struct
{
  bool known;                   /* there was a report */
  uint8_t count;
  uint16_t number;
} PspTwccNext;

typedef struct
{
  PspTransportNumber *numbers;  /* NULL = nothing is stamped */
  /* room for what a report says, PSP_TWCC_NUMBERS; NULL as above */
  PspAcknowledgement *acknowledgements;
  /* SSRCs of packets that left under numbers */
  uint32_t series[PSP_MAX_SERIES];
  unsigned n_series;            /* series noted so far; the newest are kept */
  /* ns on the receiver's time line; PSP_TIME_UNKNOWN = none. The reference
   * times of the last accepted report and of the last one read. */
  int64_t reference, read_reference;
  int64_t accepted_at;          /* ns when the last accepted report came */
  /* What the report after the accepted ones and after the last one read has if
   * none between was lost: its count, and its first number unless packets were
   * lost there. */
  PspTwccNext next, read_next;
} PspTwccFeedback;

void psp_twcc_feedback_init (PspTwccFeedback * f);
void psp_twcc_feedback_clear (PspTwccFeedback * f);
/* Starts a new time line for another path and perhaps another receiver. */
void psp_twcc_feedback_forget (PspTwccFeedback * f);
/* Makes room for numbers. Returns false if memory runs out. */
bool psp_twcc_feedback_open (PspTwccFeedback * f);

/* Notes that the packet with this key leaves under this number. Does
 * nothing without room. */
void psp_twcc_feedback_sent (PspTwccFeedback * f, uint16_t number,
    const PspKey * key);
/* Finds the packet that last left under the number. Returns false if there
 * is none or if the sender no longer knows the packet. */
bool psp_twcc_feedback_find (const PspTwccFeedback * f, const PspSender * s,
    uint16_t number, PspKey * key);

/* True if all numbers reported as received have left, and the report is
 * about one of our streams. An attacker off the path would have to guess
 * both. */
bool psp_twcc_feedback_is_credible (const PspTwccFeedback * f,
    const PspTwcc * twcc);
/* Fills `feedback` with the known packets that a credible report has as
 * received, for psp_sender_acknowledge. The others may be late, so they decide
 * nothing. Arrivals are unknown if the receiver's clock cannot show the
 * report's time. If the report's count shows that others were lost, the
 * packets in these are untold. *feedback points to memory of `f` until the next call. Returns
 * false if the report has no known packet as received. */
bool psp_twcc_feedback_read (PspTwccFeedback * f, const PspSender * s,
    const PspTwcc * twcc, int64_t now, PspFeedback * feedback);
/* Notes that the sender has taken what was read last. */
void psp_twcc_feedback_accept (PspTwccFeedback * f, int64_t now);

#endif
