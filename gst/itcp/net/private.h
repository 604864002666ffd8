/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Declarations that only the files here share.
 */
#ifndef ITCP_NET_PRIVATE_H
#define ITCP_NET_PRIVATE_H

#include "source.h"

extern const ItcpSourceClass itcp_source_bpf_pinned, itcp_source_bpf;
extern const ItcpSourceClass itcp_source_error_queue;

/* Takes in a sample that was made at `at` on CLOCK_MONOTONIC. */
void itcp_source_take (ItcpSource * s, ItcpReading * reading,
    const ItcpSample * sample, int64_t at);

#endif
