/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RFC 2250 payloads back to pictures. After a loss the undamaged slices are
 * delivered, and the intact beginning of a damaged one; what lost its start or
 * its picture header is left out.
 *
 * Payloads of senders that cut anywhere and leave the payload header zero are
 * read too: all that is needed is found by start codes.
 */
#ifndef RTP_MPEG_REASSEMBLER_H
#define RTP_MPEG_REASSEMBLER_H

#include "header.h"

/* What a frame's payloads may take of memory, each counted whole and with its
 * cost to who holds it. A frame of 8 MiB in packets of 1200 bytes fits. */
#define RTP_MPEG_MAX_HELD (16 << 20)
#define RTP_MPEG_PAYLOAD_COST 512

/* What headers that wait for a picture may take of it. */
#define RTP_MPEG_MAX_HEADERS (1 << 20)

typedef struct
{
  const uint8_t *payload;       /* with the MPEG video-specific header */
  size_t size;
  uint32_t timestamp;           /* RTP */
  uint16_t seq;
  bool marker;
  bool discont;                 /* the sequence before it is unknown */
} RtpMpegArrival;

/* What to do with what has been kept. */
typedef struct
{
  /* First cut this many bytes off its end: a torn start code or header, all of
   * it where it is of no use. */
  size_t cut;
  size_t pad;                   /* append so many zeros: a slice was cut */
  bool deliver;                 /* then it is a frame */
  bool damaged;                 /* which lacks something */
  bool discont;                 /* frames before it may be missing */
  bool intra;                   /* its first picture is an I picture */
} RtpMpegDelivery;

/* In this order. */
typedef struct
{
  /* Before this payload: a loss or a new time stamp ended what is kept. */
  RtpMpegDelivery before;
  bool begins;                  /* what is kept of this payload begins a frame */
  /* Append headers that were lost, rebuilt from the payload header; literal is
   * the reassembler's until the next call. */
  M2vPiece rebuilt;
  /* Append these bytes of the payload; size 0: it is left out. */
  M2vRange keep;
  /* This payload ends the frame. */
  RtpMpegDelivery after;
} RtpMpegReassembly;

typedef struct
{
  uint64_t packets;
  uint64_t lost;                /* by sequence numbers */
  uint64_t malformed;
  uint64_t left_out;            /* payloads of which nothing was kept */
  uint64_t frames;
  uint64_t damaged_frames;
  uint64_t rebuilt_headers;
} RtpMpegReassemblerStats;

typedef struct RtpMpegReassembler RtpMpegReassembler;

/* NULL where memory is short. */
RtpMpegReassembler *rtp_mpeg_reassembler_new (void);
void rtp_mpeg_reassembler_free (RtpMpegReassembler * r);
void rtp_mpeg_reassembler_reset (RtpMpegReassembler * r);

void rtp_mpeg_reassembler_push (RtpMpegReassembler * r,
    const RtpMpegArrival * arrival, RtpMpegReassembly * out);

/* End of stream: what is kept ends here. */
void rtp_mpeg_reassembler_finish (RtpMpegReassembler * r,
    RtpMpegDelivery * out);

/* A flush: forgets what is kept, but not the headers in force. */
void rtp_mpeg_reassembler_flush (RtpMpegReassembler * r);

/* The sequence that what is delivered belongs to; NULL before the first one,
 * when nothing is delivered. */
const M2vSequence *rtp_mpeg_reassembler_sequence (
    const RtpMpegReassembler * r);

void rtp_mpeg_reassembler_stats (const RtpMpegReassembler * r,
    RtpMpegReassemblerStats * stats);

#endif
