/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Holds a source that sends more than may leave: whole pictures (one SSRC and
 * one RTP timestamp) are left out, and the rest is numbered without a gap.
 * Requests for retransmission and retransmissions (RFC 4588) are translated.
 */
#ifndef RTPBANDWIDTH_SHEDDER_H
#define RTPBANDWIDTH_SHEDDER_H

#include "renumbering.h"

/* A new stream takes the place of the one that was silent for longest. */
#define PSP_SHEDDER_STREAMS 16
/* Requests that a retransmission may answer. */
#define PSP_SHEDDER_REQUESTS 256

typedef struct
{
  uint32_t ssrc;
  uint32_t timestamp;           /* RTP */
  uint16_t number;              /* sequence number */
  uint32_t payload_size;        /* bytes */
  bool repeats;                 /* it is a retransmission of another stream's */
} PspShedderPacket;

typedef struct
{
  bool used;
  uint32_t ssrc;
  uint32_t timestamp;           /* of the newest picture */
  bool begun;                   /* that picture has */
  bool refused;                 /* that picture is left out */
  bool has_media;               /* not retransmissions alone */
  bool paired;                  /* which stream it repeats is known */
  uint32_t repeated_ssrc;       /* that stream's */
  uint64_t waiting;             /* bytes of payload */
  uint32_t n_waiting;           /* packets */
  uint16_t newest;              /* number of the last one of them */
  uint64_t last;                /* packets of all streams before its last one */
  PspRenumbering numbers;
} PspShedderStream;

typedef struct
{
  uint32_t ssrc;
  uint16_t number;              /* the packet's before it was renumbered */
} PspShedderRequest;

typedef struct
{
  PspShedderStream streams[PSP_SHEDDER_STREAMS];
  PspShedderRequest requests[PSP_SHEDDER_REQUESTS];     /* a ring */
  unsigned n_requests;          /* so far */
  uint64_t offered;             /* packets */
  uint64_t dropped_packets;     /* left out */
  uint64_t dropped_pictures;    /* left out whole */
} PspShedder;

typedef enum
{
  PSP_SHEDDER_ROOM,
  PSP_SHEDDER_FULL,             /* no further pictures */
  PSP_SHEDDER_OVERFLOWING       /* no further packets */
} PspShedderRoom;

void psp_shedder_init (PspShedder * s);

/* Returns false if the packet is left out; otherwise it waits, and leaves with
 * the number *sent. A picture is refused as a whole, from its first packet on,
 * and only of the stream of which most waits: an audio stream goes on while the
 * video beside it is held. */
bool psp_shedder_offer (PspShedder * s, const PspShedderPacket * packet,
    PspShedderRoom room, uint16_t * sent);
/* A packet does not wait any more. */
void psp_shedder_left (PspShedder * s, uint32_t ssrc, uint32_t payload_size);
/* A packet of this stream that waited is discarded, as all behind it are: no
 * number is missing of what comes. */
void psp_shedder_take_back (PspShedder * s, uint32_t ssrc);

/* True if packets that are no retransmissions have come with this SSRC. */
bool psp_shedder_has_media (const PspShedder * s, uint32_t ssrc);
/* Replaces *number, by which the receiver asks for a packet, with the number that
 * the packet had. Returns false if that is not known any more, or if the packet
 * still waits: it is late, not lost, and will come without being asked for. */
bool psp_shedder_request (PspShedder * s, uint32_t ssrc, uint16_t * number);
/* Replaces *number of a packet that this one repeats with the number with which
 * it left. Returns false if nobody asked for it and it is not known to have left
 * with another number: then the retransmission has to be left out, and the next
 * gets its number. Which stream it repeats is known once a number was asked for
 * of one stream only; before, its timestamp, which is the repeated packet's (RFC
 * 4588 section 4), is closest to that stream's. */
bool psp_shedder_repeat (PspShedder * s, const PspShedderPacket * packet,
    uint16_t * number);

#endif
