/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes the packets of a link as CSV, its sums as JSON. Times are ns of link
 * time; those that never came are empty.
 */
#ifndef LINK_LOG_H
#define LINK_LOG_H

#include <stdio.h>

#include "model.h"

#define LINK_LOG_HEADER \
  "direction,sequence,flow,size,ecn,arrived,verdict,queue_packets," \
  "queue_bytes,started,departed,delivered,wait,marked,corrupt_bit\n"

void link_log_packet (FILE * file, const char *direction,
    const LinkPacket * packet);
/* Writes the members of a JSON object, without its braces. */
void link_log_stats (FILE * file, const LinkStats * stats);

#endif
