/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Picture headers that were lost, from what RFC 2250's payload header says and
 * the headers before: sections 3.4 and 3.4.1, appendix 1.
 */
#ifndef RTP_MPEG_REBUILD_H
#define RTP_MPEG_REBUILD_H

#include "header.h"

/* picture_header and picture_coding_extension. */
#define RTP_MPEG_REBUILT_MAX_SIZE 24

/* Of the last header of each picture type; all 0: none yet. */
typedef struct
{
  struct
  {
    bool known;                 /* false where one after it may be lost */
    M2vPictureCoding coding;
  } types[M2V_PICTURE_B + 1];
} RtpMpegRebuilder;

/* An MPEG-2 picture that arrived with its headers. */
void rtp_mpeg_rebuilder_note (RtpMpegRebuilder * r, M2vPictureType type,
    const M2vPictureCoding * coding);

/* Whole pictures may have been lost. */
void rtp_mpeg_rebuilder_doubt (RtpMpegRebuilder * r);

/* The headers of the picture that a payload with header h belongs to; n_lost:
 * packets lost before it. Returns their size, 0 where nothing tells them. */
size_t rtp_mpeg_rebuild (const RtpMpegRebuilder * r, const RtpMpegHeader * h,
    bool mpeg2, unsigned n_lost, uint8_t out[RTP_MPEG_REBUILT_MAX_SIZE]);

#endif
