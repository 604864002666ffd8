/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A receiver's requests for a key picture: when they leave; part of receiver.c.
 */
#ifndef RTPFEEDBACK_KEYREQUESTS_H
#define RTPFEEDBACK_KEYREQUESTS_H

#include <rtpfeedback/stream.h>

/* Asks for a key picture of the stream with this SSRC, or of each active
 * stream if it is NULL. Returns false if there is none. */
bool psp_key_requests_add (PspStream * streams, unsigned n_streams,
    const uint32_t * ssrc, PspKeyRequestKind kind, int64_t now);
/* Returns when the next request may leave, or PSP_TIME_NEVER. */
int64_t psp_key_requests_next (const PspStream * streams, unsigned n_streams);
/* Appends the requests that may leave and that fit. */
void psp_key_requests_pack (PspStream * streams, unsigned n_streams,
    uint32_t ssrc, int64_t now, PspWriter * w);

#endif
