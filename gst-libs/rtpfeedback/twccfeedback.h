/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Turns transport-wide feedback (twcc.h) into acknowledgements. A payloader stamps
 * each packet with a transport-wide number; which packet left under which number is
 * remembered here, and a report's numbers become SSRCs and sequence numbers again.
 */
#ifndef RTPFEEDBACK_TWCCFEEDBACK_H
#define RTPFEEDBACK_TWCCFEEDBACK_H

#include <control/sender.h>
#include <rtpfeedback/twcc.h>

/* Numbers that are remembered, the newest; a power of two. At 10,000 packets a
 * second that is .8 s, more than a round trip and the time between two reports. */
#define PSP_TWCC_NUMBERS 8192

typedef struct PspTransportNumber PspTransportNumber;

typedef struct
{
  PspTransportNumber *numbers;  /* NULL = nothing is stamped */
  uint32_t series[PSP_MAX_SERIES];      /* of packets that left under numbers */
  unsigned n_series;            /* so many were noted, the newest are kept */
  /* ns on the receiver's time line; the reference of the last accepted report, and
   * of the last one read; PSP_TIME_UNKNOWN = none */
  int64_t reference, read_reference;
  int64_t accepted_at;          /* ns; when that report came */
} PspTwccFeedback;

void psp_twcc_feedback_init (PspTwccFeedback * f);
void psp_twcc_feedback_clear (PspTwccFeedback * f);
/* Another path, perhaps another receiver: a new time line. */
void psp_twcc_feedback_forget (PspTwccFeedback * f);
/* Makes room for numbers. Returns false if memory runs out. */
bool psp_twcc_feedback_open (PspTwccFeedback * f);

/* The packet with this key leaves under this number; nothing without room. */
void psp_twcc_feedback_sent (PspTwccFeedback * f, uint16_t number,
    const PspKey * key);
/* Finds the packet that last left under the number. Returns false if that is not
 * known, or the sender knows the packet no longer. */
bool psp_twcc_feedback_find (const PspTwccFeedback * f, const PspSender * s,
    uint16_t number, PspKey * key);

/* True if no number that the report says came is one that never left, and it is
 * about a stream of ours: whoever is off the path would have to guess both. */
bool psp_twcc_feedback_is_credible (const PspTwccFeedback * f,
    const PspTwcc * twcc);
/* Fills `feedback` with what a credible report says of packets that are known, at
 * most `capacity`, for psp_sender_acknowledge. Without a time that the receiver's
 * clock can have come to, arrivals are unknown. Returns false if it names no known
 * packet, or more than the capacity. */
bool psp_twcc_feedback_read (PspTwccFeedback * f, const PspSender * s,
    const PspTwcc * twcc, int64_t now, PspAcknowledgement * acknowledgements,
    size_t capacity, PspFeedback * feedback);
/* The sender has taken what was read last. */
void psp_twcc_feedback_accept (PspTwccFeedback * f, int64_t now);

#endif
