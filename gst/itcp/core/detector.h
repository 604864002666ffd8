/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds TCP's events in successive looks at its state, which come from
 * TCP_INFO or with the time stamp of a segment that left.
 */
#ifndef ITCP_CORE_DETECTOR_H
#define ITCP_CORE_DETECTOR_H

#include "types.h"

/* enum tcp_ca_state of the kernel's interface. */
#define ITCP_CA_OPEN 0
#define ITCP_CA_CWR 2
#define ITCP_CA_RECOVERY 3
#define ITCP_CA_LOSS 4

typedef struct
{
  uint8_t ca_state;
  uint8_t retransmits;          /* in a row, without progress */
  uint32_t ssthresh;            /* packets; 0 = not told */
  bool has_total_rto;
  uint16_t total_rto;           /* of the connection's life, wraps around;
                                   since Linux 6.7 */
} ItcpSample;

typedef struct
{
  bool started;
  bool exact;                   /* total_rto is told */
  uint16_t total_rto;
  ItcpSample last;
  unsigned counted;             /* without total_rto: timeouts found in this
                                   row of them */
} ItcpDetector;

typedef struct
{
  unsigned rexmt, dupack;
} ItcpFindings;

void itcp_detector_init (ItcpDetector * d);
/* The first sample is where the connection stands, and finds nothing. */
void itcp_detector_sample (ItcpDetector * d, const ItcpSample * sample,
    ItcpFindings * findings);

#endif
