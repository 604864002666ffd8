/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The MPEG video-specific header of RFC 2250, sections 3.4 and 3.4.1.
 */
#ifndef RTP_MPEG_HEADER_H
#define RTP_MPEG_HEADER_H

#include <mpeg2/splitter.h>

/* bytes: header, extension header and composite display word */
#define RTP_MPEG_HEADER_MAX_SIZE 12

/* Hz; clock rate of RTP timestamps (RFC 2250 section 3) */
#define RTP_MPEG_CLOCK_RATE 90000

typedef struct
{
  bool has_extension;           /* T: section 3.4.1's header follows */
  unsigned temporal_reference;
  bool active_n;                /* AN */
  bool new_header;              /* N */
  bool sequence;                /* S */
  bool begin_slice;             /* B */
  bool end_slice;               /* E */
  unsigned type;                /* P: 1..4, others reserved */
  bool full_pel[2];             /* FFV, FBV; [0] = forward, [1] = backward */
  unsigned f_code[2];           /* FFC, BFC; [0] = forward, [1] = backward */
  /* written and parsed only with has_extension */
  M2vPictureCoding coding;
  size_t extensions_size;       /* E: bytes of extensions; only parsed */
} RtpMpegHeader;

/* Sets the fields that are the same in all packets of a picture. */
void rtp_mpeg_header_from_picture (RtpMpegHeader * h,
    const M2vPicture * picture);

/* Writes the header. Returns its size: 4, 8 or 12 bytes. */
size_t rtp_mpeg_header_write (const RtpMpegHeader * h,
    uint8_t out[RTP_MPEG_HEADER_MAX_SIZE]);

/* Returns the number of bytes before the payload, extensions included; 0 =
 * malformed. */
size_t rtp_mpeg_header_parse (const uint8_t * data, size_t size,
    RtpMpegHeader * h);

#endif
