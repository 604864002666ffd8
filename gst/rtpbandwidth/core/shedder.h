/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Limits a source that sends more than may leave: drops whole pictures (one
 * SSRC and one RTP timestamp), and numbers the rest without a gap. Requests
 * for retransmission and retransmissions (RFC 4588) are translated.
 */
#ifndef RTPBANDWIDTH_SHEDDER_H
#define RTPBANDWIDTH_SHEDDER_H

#include "renumbering.h"

/* Streams that are known. A new one replaces the one that was silent for
 * longest. */
#define PSP_SHEDDER_STREAMS 16
/* Requests that are remembered, so that a retransmission may answer them. */
#define PSP_SHEDDER_REQUESTS 256

typedef struct
{
  uint32_t ssrc;
  uint32_t timestamp;           /* RTP timestamp */
  uint16_t number;              /* sequence number */
  uint32_t payload_size;        /* bytes */
  bool repeats;                 /* retransmits another stream's packet */
} PspShedderPacket;

typedef struct
{
  bool used;
  uint32_t ssrc;
  uint32_t timestamp;           /* RTP timestamp of the newest picture */
  bool begun;                   /* the newest picture has begun */
  bool refused;                 /* the newest picture is dropped */
  bool has_media;               /* has more than retransmissions */
  bool paired;                  /* the stream that it repeats is known */
  uint32_t repeated_ssrc;       /* SSRC of the stream that it repeats */
  uint64_t waiting;             /* bytes of payload that wait */
  uint32_t n_waiting;           /* packets that wait */
  uint16_t newest;              /* number of the last packet that waits */
  uint64_t last;                /* packets offered when its last one came */
  PspRenumbering numbers;
} PspShedderStream;

typedef struct
{
  uint32_t ssrc;
  uint16_t number;              /* number before renumbering */
} PspShedderRequest;

typedef struct
{
  PspShedderStream streams[PSP_SHEDDER_STREAMS];
  PspShedderRequest requests[PSP_SHEDDER_REQUESTS];     /* ring buffer */
  unsigned n_requests;          /* number of requests so far */
  uint64_t offered;             /* packets offered so far */
  uint64_t dropped_packets;     /* packets dropped so far */
  uint64_t dropped_pictures;    /* pictures dropped so far */
} PspShedder;

typedef enum
{
  PSP_SHEDDER_ROOM,
  PSP_SHEDDER_FULL,             /* no room for further pictures */
  PSP_SHEDDER_OVERFLOWING       /* no room for further packets */
} PspShedderRoom;

void psp_shedder_init (PspShedder * s);

/* Returns false if the packet is dropped; otherwise it waits, and leaves
 * with the number *sent. Pictures are dropped whole, from their first
 * packet on, and only from the stream of which most waits, so that an
 * audio stream goes on while the video beside it is dropped. */
bool psp_shedder_offer (PspShedder * s, const PspShedderPacket * packet,
    PspShedderRoom room, uint16_t * sent);
/* Notes that a packet does not wait any more. */
void psp_shedder_left (PspShedder * s, uint32_t ssrc, uint32_t payload_size);
/* Notes that a packet of this stream that waited is discarded, like all
 * packets after it. The next packets get their numbers, so that none is
 * missing. */
void psp_shedder_take_back (PspShedder * s, uint32_t ssrc);

/* True if packets other than retransmissions have come with this SSRC. */
bool psp_shedder_has_media (const PspShedder * s, uint32_t ssrc);
/* Replaces *number, by which the receiver requests a packet, with the
 * number that the packet had before. Returns false if that is not known
 * any more, or if the packet still waits: it is late, not lost, and comes
 * without a retransmission. */
bool psp_shedder_request (PspShedder * s, uint32_t ssrc, uint16_t * number);
/* Replaces *number, of the packet that this one repeats, with the number
 * with which that packet left. Returns false if this number is not known,
 * for example because the packet was never requested; then the
 * retransmission must be dropped, and the next one gets its number. The
 * repeated stream is known once a number was requested from one stream
 * only. Before, it is the stream with the closest timestamp, because a
 * retransmission has the timestamp of the repeated packet (RFC 4588
 * section 4). */
bool psp_shedder_repeat (PspShedder * s, const PspShedderPacket * packet,
    uint16_t * number);

#endif
