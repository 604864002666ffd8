/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The streams of one RTP session as series of a sender, whose packets reports
 * name by SSRC and sequence number. A sender may be that of several sessions,
 * so each stream has a series of its own. Accounting for a stream may begin in
 * its middle: the sender knows nothing of packets before.
 */
#ifndef RTPBANDWIDTH_STREAMNUMBERS_H
#define RTPBANDWIDTH_STREAMNUMBERS_H

#include <control/packet.h>

typedef struct
{
  uint32_t ssrc;
  uint64_t last;                /* packets of the session before its last one;
                                   0 = the place is free */
  uint32_t series;
  uint16_t first;               /* number with which accounting began */
  uint32_t counted;             /* packets since then; 0 = it has not begun */
} PspNumberedStream;

/* Zeroes in the beginning. */
typedef struct
{
  PspNumberedStream streams[PSP_MAX_SERIES];
  uint64_t packets;
} PspStreamNumbers;

/* A packet leaves with which accounting for its stream goes on or begins; the
 * series is then ++*last_series. Returns its key. */
PspKey psp_stream_numbers_count (PspStreamNumbers * s, uint32_t ssrc,
    uint16_t number, uint32_t * last_series);
/* A packet leaves that does not count. */
void psp_stream_numbers_pass (PspStreamNumbers * s, uint32_t ssrc);
/* Accounting ends for all streams. Returns true if it had begun for any. */
bool psp_stream_numbers_end (PspStreamNumbers * s);
/* True if packets have left with this SSRC, whether they count or not. */
bool psp_stream_numbers_has (const PspStreamNumbers * s, uint32_t ssrc);

/* Translates the keys of `n` acknowledgements from SSRCs to series, and leaves
 * out those of packets that do not count; returns how many remain. */
size_t psp_stream_numbers_translate (const PspStreamNumbers * s,
    PspAcknowledgement * acknowledgements, size_t n);

#endif
