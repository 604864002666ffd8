/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Cuts frames into RFC 2250 payloads. Packets begin at slices wherever a slice
 * fits into a packet. A slice that does not fit begins a packet of its own and
 * is cut. Each picture begins a packet; pictures never share one.
 */
#ifndef RTP_MPEG_PACKETIZER_H
#define RTP_MPEG_PACKETIZER_H

#include <mpeg2/carry.h>
#include "header.h"

/* bytes; the largest single header must fit (RFC 2250 section 3.1) */
#define RTP_MPEG_MIN_PAYLOAD 261

typedef struct
{
  size_t max_payload;           /* bytes, MPEG video-specific header included */
  bool extension_header;        /* write section 3.4.1's header (MPEG-2) */
  /* ns between repetitions before an I picture; 0 = before each I picture,
   * M2V_TIME_NONE = never */
  int64_t sequence_interval;
} RtpMpegPacketizerSettings;

/* One payload: header, then prefix (ES headers; may be empty), then a range of
 * the picture's span. */
typedef struct
{
  uint8_t header[RTP_MPEG_HEADER_MAX_SIZE];
  size_t header_size;
  const uint8_t *prefix;        /* valid until the next begin */
  size_t prefix_size;
  unsigned picture;             /* index in the frame: 0 or 1 */
  M2vRange range;
  bool marker;                  /* the last packet of the frame */
} RtpMpegPacket;

typedef struct RtpMpegPacketizer RtpMpegPacketizer;

RtpMpegPacketizer *rtp_mpeg_packetizer_new (void);
void rtp_mpeg_packetizer_free (RtpMpegPacketizer * p);
void rtp_mpeg_packetizer_reset (RtpMpegPacketizer * p);

/* Handles a flush. The sequence header stays in force. */
void rtp_mpeg_packetizer_flush (RtpMpegPacketizer * p);

/* Takes a sequence header that came outside the stream. It is sent with the
 * next picture that may have one, unless that picture has its own. */
void rtp_mpeg_packetizer_learn_sequence (RtpMpegPacketizer * p,
    const M2vPicture * span, const uint8_t * data);
void rtp_mpeg_packetizer_set (RtpMpegPacketizer * p,
    const RtpMpegPacketizerSettings * settings);

/* Begins a frame. rtp_mpeg_packetizer_next then writes its packets until it
 * returns false. data[i] must stay valid until then. */
void rtp_mpeg_packetizer_begin (RtpMpegPacketizer * p, const M2vFrame * frame,
    const uint8_t * const data[2]);
bool rtp_mpeg_packetizer_next (RtpMpegPacketizer * p, RtpMpegPacket * packet);

#endif
