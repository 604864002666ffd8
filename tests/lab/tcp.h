/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A TCP sender and receiver as competitors on a path, for quick runs: CUBIC
 * (RFC 9438) or Reno (RFC 5681), slow start that ends by delay (RFC 9406),
 * losses found by later acknowledgements (RFC 8985), delayed ACKs. Packets that
 * are resent are not distinguished from others, as only the load counts.
 */
#ifndef TESTS_LAB_TCP_H
#define TESTS_LAB_TCP_H

#include "path.h"

typedef struct
{
  bool reno;
  int64_t start, stop;          /* stop 0 = never */
  bool files;                   /* 100 kB to 1 MB at a time, idle for 10 s on
                                   average (RFC 8867 section 5.7) */
  /* bytes that come each page_interval ns, as of a connection of their own; 0 =
   * always something to send */
  int64_t page, page_interval;
  int64_t rate;                 /* bits/s: no TCP, but a constant stream */
  uint64_t seed;
} LabTcpConfig;

typedef struct
{
  int64_t arrived_at;
  uint32_t size;
} LabDelivery;

typedef struct LabTcp LabTcp;

LabTcp *lab_tcp_new (LabCalendar * calendar, unsigned flow,
    const LabTcpConfig * config, LabDirection * forward, LabDirection * back);
void lab_tcp_free (LabTcp * t);
/* Returns the bits of IP packets that arrived in [from, to). */
double lab_tcp_received (const LabTcp * t, int64_t from, int64_t to);

#endif
