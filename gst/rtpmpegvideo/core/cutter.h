/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Where a picture may be cut into payloads (RFC 2250 section 3.1).
 *
 * Each ES header stays whole, unless it is longer than a payload (user data);
 * then its parts share their payloads with nothing. A sequence header begins a
 * payload, a group header begins one or follows a sequence header, a picture
 * header begins one or follows a group header. A slice begins a payload, or
 * follows headers, or whole slices; whole slices are put together while they
 * fit. A slice longer than a payload is cut, and what comes after its end
 * begins the next payload: to begin a slice there would not be behind an
 * integral number of slices.
 */
#ifndef RTP_MPEG_CUTTER_H
#define RTP_MPEG_CUTTER_H

#include <mpeg2/types.h>

typedef struct
{
  /* Sequence, group and picture header, with extensions and user data. */
  const uint8_t *headers;
  size_t headers_size;
  /* Offsets in data: the slices, then what is neither (sequence_end_code,
   * anything else), cut where a payload is full. */
  const uint8_t *data;
  size_t slices;
  size_t slices_end;
  size_t size;

  size_t header_position;       /* in headers */
  size_t position;              /* in data */
  bool inside_header;           /* the last payload cut one */
  bool inside_slice;
} RtpMpegCutter;

/* A payload: bytes of the headers, then bytes of data. */
typedef struct
{
  M2vRange headers;
  M2vRange body;
  bool sequence;                /* S: there is a sequence header */
  bool begin_slice;             /* B */
  bool end_slice;               /* E */
} RtpMpegCut;

/* headers_size may be 0, and slices equal to slices_end. */
void rtp_mpeg_cutter_init (RtpMpegCutter * c, const uint8_t * headers,
    size_t headers_size, const uint8_t * data, size_t slices,
    size_t slices_end, size_t size);

/* The next payload, of room bytes at most (1 or more; 261 for the headers to
 * stay whole); false where all has been cut. */
bool rtp_mpeg_cutter_next (RtpMpegCutter * c, size_t room, RtpMpegCut * cut);

bool rtp_mpeg_cutter_is_done (const RtpMpegCutter * c);

#endif
