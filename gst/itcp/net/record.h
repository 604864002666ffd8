/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Parses what the error queue reports of one segment that left: control
 * messages with its time and the connection's state. The parser reads memory
 * only, within its bounds.
 */
#ifndef ITCP_NET_RECORD_H
#define ITCP_NET_RECORD_H

#include <stddef.h>

#include "detector.h"

typedef struct
{
  int64_t stamp;                /* ns since 1970, or PSP_TIME_UNKNOWN */
  bool has_state;
  ItcpSample sample;            /* zero where not reported */
} ItcpRecord;

/* Parses a record. `control` is as recvmsg() fills it, with any alignment. The
 * record is set whatever it holds; unreadable parts are left out. */
void itcp_record_parse (const uint8_t * control, size_t size,
    ItcpRecord * record);

#endif
