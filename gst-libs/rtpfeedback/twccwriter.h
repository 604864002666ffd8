/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes transport-wide feedback (twcc.h).
 */
#ifndef RTPFEEDBACK_TWCCWRITER_H
#define RTPFEEDBACK_TWCCWRITER_H

#include <rtpfeedback/twcc.h>

/* Most packets in a report; a run of that many has room in one chunk. */
#define PSP_TWCC_MAX_WRITTEN 512

/* Most bytes of a report of n packets: the fixed part, chunks of seven
 * symbols, times of two bytes, and the padding of the last word. */
#define PSP_TWCC_SIZE(n) (20 + 2 * (((n) + 6) / 7) + 2 * (n) + 3)

/* Appends a report of n packets with consecutive numbers to a writer that
 * has room for PSP_TWCC_SIZE (n) bytes. n is at most PSP_TWCC_MAX_WRITTEN,
 * and at least one packet was received. `count` numbers the reports.
 * Arrivals are ns on our own time line, at least 0. Returns how many of
 * the packets it covers. That is fewer if an arrival is more than 8 s from
 * the one before, which the format cannot express; 0 if there is no room,
 * or none was received. */
unsigned psp_twcc_write (PspWriter * w, uint32_t sender_ssrc,
    uint32_t media_ssrc, uint8_t count, const PspTwccPacket * packets,
    unsigned n);

#endif
