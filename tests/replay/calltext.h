/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads what psp_call_format() wrote (control/call.h).
 */
#ifndef CALLTEXT_H
#define CALLTEXT_H

#include <control/call.h>

/* Returns the call's `now`; PSP_TIME_UNKNOWN for calls without it. */
int64_t psp_call_time (const PspCall * call);

/* Reads a line without its end. Returns false if it is not such a line. Any
 * call that it returns may be made: times, sizes and flags are within the range
 * of what an element passes. `acknowledgements` must have room for those of the
 * line; the call points to it. */
bool psp_call_parse (const char *line, size_t size, PspCall * call,
    PspAcknowledgement acknowledgements[PSP_CALL_ACKNOWLEDGEMENTS]);

#endif
