/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Detects TCP's events from successive samples of its state, which come from
 * TCP_INFO or with the time stamp of a segment that left.
 */
#ifndef ITCP_CORE_DETECTOR_H
#define ITCP_CORE_DETECTOR_H

#include "types.h"

/* The values of enum tcp_ca_state in the kernel's interface. */
#define ITCP_CA_OPEN 0
#define ITCP_CA_CWR 2
#define ITCP_CA_RECOVERY 3
#define ITCP_CA_LOSS 4

typedef struct
{
  uint8_t ca_state;
  uint8_t retransmits;          /* retransmissions in a row without progress */
  uint32_t ssthresh;            /* packets; 0 = not reported */
  bool has_total_rto;
  /* timeouts over the connection's life, wraps around; since Linux 6.7 */
  uint16_t total_rto;
} ItcpSample;

typedef struct
{
  bool started;
  bool exact;                   /* total_rto is reported */
  uint16_t total_rto;
  ItcpSample last;
  /* without total_rto: timeouts found in this row of retransmissions */
  unsigned counted;
} ItcpDetector;

typedef struct
{
  unsigned rexmt, dupack;
} ItcpFindings;

void itcp_detector_init (ItcpDetector * d);
/* The first sample shows only the connection's present state and yields no
 * event. */
void itcp_detector_sample (ItcpDetector * d, const ItcpSample * sample,
    ItcpFindings * findings);

#endif
