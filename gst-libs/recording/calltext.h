/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A call of the sender and its answer (control/call.h) as a line of text:
 *
 *   NAME [controller] argument… [acknowledgement…] = answer…
 *
 * Arguments and answers are decimal int64_t; a double is written as its bits.
 * An acknowledgement is its members joined by colons, in the order of
 * control/packet.h, without the last two if sent_at is unknown.
 */
#ifndef RECORDING_CALLTEXT_H
#define RECORDING_CALLTEXT_H

#include <control/call.h>

/* The limit on acknowledgements in a line: those of a datagram that fills a
 * jumbo frame, at two octets each (RFC 8888 section 3.1). */
#define PSP_CALL_ACKNOWLEDGEMENTS 4608
/* Octets: the longest line of a call with n acknowledgements, without its end,
 * and the longest line of any call. */
#define PSP_CALL_LINE_SIZE(n) (64 + 2 * PSP_CALL_NUMBERS * 21 + (n) * 77)
#define PSP_CALL_LINE PSP_CALL_LINE_SIZE (PSP_CALL_ACKNOWLEDGEMENTS)

/* Returns the call's `now`; PSP_TIME_UNKNOWN for calls without it. */
int64_t psp_call_time (const PspCall * call);

/* Writes the call without a line end. Returns the octets written; 0 = there is
 * no room. psp_call_parse() restores everything that is part of the call. */
size_t psp_call_format (const PspCall * call, char *line, size_t capacity);
/* Reads a line without its end. Returns false if it is not such a line. Any
 * call that it returns may be made: times, sizes and flags are within the range
 * of what an element passes. `acknowledgements` must have room for those of the
 * line; the call points to it. */
bool psp_call_parse (const char *line, size_t size, PspCall * call,
    PspAcknowledgement acknowledgements[PSP_CALL_ACKNOWLEDGEMENTS]);

#endif
