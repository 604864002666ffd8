/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Turns what rtpsession reports of transport-wide feedback
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01) into
 * acknowledgements. For each packet it reports the number, when it left,
 * its size, and when it arrived on the receiver's time line.
 */
#ifndef RTPBANDWIDTH_TRANSPORTFEEDBACK_H
#define RTPBANDWIDTH_TRANSPORTFEEDBACK_H

#include <control/sender.h>

/* Bytes of the fixed RTP header and of a header extension that carries
 * only the number. Reports have only the size of the payload, so each
 * packet is assumed to have these. */
#define PSP_TRANSPORT_HEADER 20

#define PSP_TRANSPORT_NONE UINT64_MAX   /* no time is known */

typedef struct
{
  uint16_t number;              /* transport-wide */
  uint64_t sent_at;             /* ns, or PSP_TRANSPORT_NONE */
  uint64_t arrived_at;          /* ns, or PSP_TRANSPORT_NONE */
  uint32_t payload_size;        /* bytes */
  bool lost;                    /* the receiver has not got it */
} PspTransportStatus;

/* Begins as zeroes. */
typedef struct
{
  bool known;                   /* an arrival has been reported */
  int64_t newest;               /* ns; the last arrival, not wrapped */
  bool measured;                /* `least` has been measured */
  int64_t least;                /* ns; least time from departure to arrival */
} PspTransportTime;

/* Makes a packet as acknowledgements describe it. */
void psp_transport_packet (uint32_t payload_size, PspPacket * packet);

/* True if one of the statuses is of a packet that this session sent. This
 * is checked because any host can send numbers. */
bool psp_transport_concerns (const PspSender * sender, uint32_t series,
    const PspTransportStatus * statuses, size_t n);
/* Makes acknowledgements of `n` statuses of one session. Returns how many.
 * Packets that the sender cannot know are left out: those without a
 * departure that no earlier report described. Sets *reported_at to the
 * last arrival, or to PSP_TIME_UNKNOWN. */
size_t psp_transport_acknowledge (PspTransportTime * time,
    const PspSender * sender, uint32_t series,
    const PspTransportStatus * statuses, size_t n,
    PspAcknowledgement * acknowledgements, int64_t * reported_at);
/* Moves the arrivals to a time line on which the shortest transit takes no
 * time, so that those of several receivers at the end of one path can be
 * compared. */
void psp_transport_align (PspTransportTime * time,
    PspAcknowledgement * acknowledgements, size_t n, int64_t * reported_at);

#endif
