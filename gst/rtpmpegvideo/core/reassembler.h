/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * RFC 2250 payloads back to pictures. After a loss the undamaged slices are
 * delivered, and the intact beginning of a damaged slice that was longer than
 * a packet; what lost its start is left out.
 */
#ifndef RTP_MPEG_REASSEMBLER_H
#define RTP_MPEG_REASSEMBLER_H

#include "header.h"

typedef struct
{
  const uint8_t *payload;       /* with the MPEG video-specific header */
  size_t size;
  uint32_t timestamp;           /* RTP */
  uint16_t seq;
  bool marker;
  bool discont;                 /* the sequence before it is unknown */
} RtpMpegArrival;

typedef struct
{
  /* Deliver what has been kept, as a frame, before this payload is considered:
   * its time stamp changed or its end came. */
  bool deliver_before;
  bool deliver_after;           /* this payload ends the frame */
  /* Keep: bytes of the payload to append to the frame being assembled; size 0:
   * left out. */
  MpegRange keep;
  /* Before that, cut this many bytes off the end of what is kept: a damaged
   * slice that fitted a packet, or a torn start code. */
  size_t cut;
  /* Headers to write before the kept bytes (a picture header that was lost,
   * rebuilt from the payload header); literal is the reassembler's until the
   * next call. */
  MpegPiece rebuilt;
  bool damaged;                 /* the frame now lacks something */
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

RtpMpegReassembler *rtp_mpeg_reassembler_new (void);
void rtp_mpeg_reassembler_free (RtpMpegReassembler * r);
void rtp_mpeg_reassembler_reset (RtpMpegReassembler * r);

void rtp_mpeg_reassembler_push (RtpMpegReassembler * r,
    const RtpMpegArrival * arrival, RtpMpegReassembly * out);

/* End of stream or flush of what is kept: whether the frame is damaged. */
bool rtp_mpeg_reassembler_finish (RtpMpegReassembler * r);

void rtp_mpeg_reassembler_stats (const RtpMpegReassembler * r,
    RtpMpegReassemblerStats * stats);

#endif
