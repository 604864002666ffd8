/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Cuts a picture into payloads (RFC 2250 section 3.1).
 *
 * Each ES header stays whole, unless it is longer than a payload (user data).
 * The parts of such a header share their payloads with nothing else. A sequence
 * header begins a payload. A group header begins one or follows a sequence
 * header, a picture header begins one or follows a group header. A slice begins
 * a payload, or follows headers or whole slices; whole slices are put together
 * while they fit. A slice longer than a payload is cut. The next slice then
 * begins the next payload, because it may only follow an integral number of
 * slices.
 */
#ifndef RTP_MPEG_CUTTER_H
#define RTP_MPEG_CUTTER_H

#include <mpeg2/types.h>

typedef struct
{
  /* sequence, group and picture header, with extensions and user data */
  const uint8_t *headers;
  size_t headers_size;
  /* the picture: its slices, then what is neither header nor slice */
  const uint8_t *data;
  size_t slices;                /* offset in data where the slices begin */
  size_t slices_end;            /* offset in data where the slices end */
  /* bytes of data. Behind the slices they are sequence_end_code or anything
   * else, cut where a payload is full. */
  size_t size;

  size_t header_position;       /* offset in headers */
  size_t position;              /* offset in data */
  bool inside_header;           /* the last payload cut a header */
  bool inside_slice;            /* the last payload cut a slice */
} RtpMpegCutter;

/* A payload: bytes of the headers, then bytes of data. */
typedef struct
{
  M2vRange headers;
  M2vRange body;
  bool sequence;                /* S: there is a sequence header */
  bool begin_slice;             /* B: a slice begins the body */
  bool end_slice;               /* E: the payload ends where a slice ends */
} RtpMpegCut;

/* headers_size may be 0, and slices may be equal to slices_end. */
void rtp_mpeg_cutter_init (RtpMpegCutter * c, const uint8_t * headers,
    size_t headers_size, const uint8_t * data, size_t slices,
    size_t slices_end, size_t size);

/* Writes the next payload, of at most `room` bytes (1 or more; from 261 on,
 * headers stay whole). Returns false if everything has been cut. */
bool rtp_mpeg_cutter_next (RtpMpegCutter * c, size_t room, RtpMpegCut * cut);

bool rtp_mpeg_cutter_is_done (const RtpMpegCutter * c);

#endif
