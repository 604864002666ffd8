/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Requests for lost packets by generic NACK (RFC 4585 section 6.2.1): which
 * are made, when they leave and what they may cost; part of receiver.c. The
 * element that waits for packets may ask too often, or for packets that never
 * existed: the jitter buffer of GStreamer does so when media has stopped, with
 * rtx-next-seqnum=true. So a number is asked for only if it is below the
 * highest that came, is missing, and was not asked for within an interval that
 * the caller gives. No stream is asked that has become silent.
 */
#ifndef RTPFEEDBACK_NACKS_H
#define RTPFEEDBACK_NACKS_H

#include <rtpfeedback/stream.h>

/* Share of the received RTP payload that NACKs may take, beside that of other
 * RTCP. */
#define PSP_NACKS_SHARE 0.03
/* Octets of credit at the start. */
#define PSP_NACKS_FIRST_CREDIT 256
/* Octets of credit that quiet times save at most. */
#define PSP_NACKS_MAX_CREDIT 4096

typedef struct
{
  double credit;                /* octets */
  /* sequence numbers asked for, with repetitions */
  uint64_t n_asked;
} PspNacks;

void psp_nacks_init (PspNacks * n);
void psp_nacks_earn (PspNacks * n, uint64_t payload_size);
/* Asks for the packet of this number, of the stream with this SSRC, or of
 * each stream in which it is missing if ssrc is NULL. `interval` is the
 * least time between two requests for it, in ns. Returns false if it is
 * not asked for. */
bool psp_nacks_add (PspStream * streams, unsigned n_streams,
    const uint32_t * ssrc, uint16_t number, int64_t interval, int64_t now);
/* Returns when requests may leave, or PSP_TIME_NEVER. */
int64_t psp_nacks_next (const PspNacks * n, const PspStream * streams,
    unsigned n_streams, int64_t now);
/* Appends the requests that fit and that are paid for. */
void psp_nacks_pack (PspNacks * n, PspStream * streams, unsigned n_streams,
    uint32_t ssrc, int64_t now, PspWriter * w);

#endif
