/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Maps the streams of one RTP session to series of a sender, for reports
 * that name packets by SSRC and sequence number. A sender may serve several
 * sessions, so each stream has a series of its own. Accounting for a stream
 * may begin in its middle: the sender does not know earlier packets.
 */
#ifndef RTPBANDWIDTH_STREAMNUMBERS_H
#define RTPBANDWIDTH_STREAMNUMBERS_H

#include <control/packet.h>

typedef struct
{
  uint32_t ssrc;
  /* Packets of the session up to its last one; 0 = the place is free. */
  uint64_t last;
  uint32_t series;
  uint16_t first;               /* number at which accounting began */
  uint32_t counted;             /* packets accounted for; 0 = none yet */
} PspNumberedStream;

/* Begins as zeroes. */
typedef struct
{
  PspNumberedStream streams[PSP_MAX_SERIES];
  uint64_t packets;
} PspStreamNumbers;

/* Counts a packet that leaves, and returns its key. If accounting for its
 * stream begins with it, the series is ++*last_series. */
PspKey psp_stream_numbers_count (PspStreamNumbers * s, uint32_t ssrc,
    uint16_t number, uint32_t * last_series);
/* Notes a packet that leaves but does not count. */
void psp_stream_numbers_pass (PspStreamNumbers * s, uint32_t ssrc);
/* Ends accounting for all streams. Returns true if it had begun for any. */
bool psp_stream_numbers_end (PspStreamNumbers * s);
/* True if packets have left with this SSRC, whether they count or not. */
bool psp_stream_numbers_has (const PspStreamNumbers * s, uint32_t ssrc);

/* Translates the keys of `n` acknowledgements from SSRCs to series, and
 * removes those of packets that do not count. Returns how many remain. */
size_t psp_stream_numbers_translate (const PspStreamNumbers * s,
    PspAcknowledgement * acknowledgements, size_t n);

#endif
