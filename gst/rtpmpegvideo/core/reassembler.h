/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Puts RFC 2250 payloads together to pictures. After a loss it delivers the
 * undamaged slices and the intact beginning of a damaged one. Slices that lost
 * their start or their picture header are left out.
 *
 * It also reads payloads of senders that cut anywhere and leave the payload
 * header zero, because start codes are sufficient.
 */
#ifndef RTP_MPEG_REASSEMBLER_H
#define RTP_MPEG_REASSEMBLER_H

#include "header.h"

/* bytes of memory that a frame's payloads may take, each counted whole and with
 * RTP_MPEG_PAYLOAD_COST. A frame of 8 MiB in packets of 1200 bytes fits. */
#define RTP_MPEG_MAX_HELD (16 << 20)
/* bytes of memory that a held payload takes besides its data */
#define RTP_MPEG_PAYLOAD_COST 512

/* bytes of memory that headers may take while they wait for a picture */
#define RTP_MPEG_MAX_HEADERS (1 << 20)

typedef struct
{
  const uint8_t *payload;       /* MPEG video-specific header included */
  size_t size;
  uint32_t timestamp;           /* RTP timestamp */
  uint16_t seq;
  bool marker;
  bool discont;                 /* seq continues no earlier number */
} RtpMpegArrival;

/* What the caller does with the kept data. */
typedef struct
{
  /* bytes to cut off its end first: an incomplete start code or header, or
   * everything if it is of no use */
  size_t cut;
  size_t pad;                   /* zeros to append then: a slice was cut */
  bool deliver;                 /* the kept data is then a frame */
  bool damaged;                 /* the frame lacks something */
  bool discont;                 /* frames before it may be missing */
  bool intra;                   /* its first picture is an I picture */
} RtpMpegDelivery;

/* What the caller does with a payload, in the order of the members. */
typedef struct
{
  /* done before this payload: a loss or a new time stamp ended the kept data */
  RtpMpegDelivery before;
  bool begins;                  /* this payload's kept part begins a frame */
  /* lost headers to append, rebuilt from the payload header; `literal` is the
   * reassembler's until the next call */
  M2vPiece rebuilt;
  /* bytes of the payload to append; size 0 = it is left out */
  M2vRange keep;
  /* done after this payload: it ended the frame */
  RtpMpegDelivery after;
} RtpMpegReassembly;

typedef struct
{
  uint64_t packets;
  uint64_t lost;                /* packets lost, by sequence numbers */
  uint64_t malformed;
  uint64_t left_out;            /* payloads of which nothing was kept */
  uint64_t frames;
  uint64_t damaged_frames;
  uint64_t rebuilt_headers;
} RtpMpegReassemblerStats;

typedef struct RtpMpegReassembler RtpMpegReassembler;

/* Returns NULL if memory runs out. */
RtpMpegReassembler *rtp_mpeg_reassembler_new (void);
void rtp_mpeg_reassembler_free (RtpMpegReassembler * r);
void rtp_mpeg_reassembler_reset (RtpMpegReassembler * r);

void rtp_mpeg_reassembler_push (RtpMpegReassembler * r,
    const RtpMpegArrival * arrival, RtpMpegReassembly * out);

/* Ends the kept data at the end of the stream. */
void rtp_mpeg_reassembler_finish (RtpMpegReassembler * r,
    RtpMpegDelivery * out);

/* Handles a flush: forgets the kept data, but not the headers in force. */
void rtp_mpeg_reassembler_flush (RtpMpegReassembler * r);

/* Returns the sequence of the delivered frames; NULL before the first one, when
 * nothing is delivered. */
const M2vSequence *rtp_mpeg_reassembler_sequence (
    const RtpMpegReassembler * r);

void rtp_mpeg_reassembler_stats (const RtpMpegReassembler * r,
    RtpMpegReassemblerStats * stats);

#endif
